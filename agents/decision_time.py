"""How long agents take for a single decision: one game, one thread, as somebody meets it who plays against the clock.

python -m agents.decision_time agents/pretrained/Eck-v0.onnx mc:16
"""

from __future__ import annotations

import time
from typing import Annotated

import numpy as np
import typer
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from agents.agent import Agent, make_agents
from agents.evaluation import FIRST_SEED, find_variant, warm_up
from eck_env.registry import REGISTRY, AnyVariant, make_batch

_WARM_UP = 50  # decisions that do not count


def decision_times(agent: Agent, variant: AnyVariant, decisions: int, seed: int = FIRST_SEED) -> NDArray[np.float64]:
    """Return the seconds that an agent took for each of so many decisions of one game after another."""
    warm_up(agent, variant, seed)
    env = make_batch(variant, 1, autoreset_mode=AutoresetMode.DISABLED)
    observations, infos = env.reset(seed=seed)
    times = np.zeros(decisions + _WARM_UP)
    for number in range(len(times)):
        observation, mask, key = observations, infos["action_mask"], np.array([[seed, 0, number]])
        start = time.perf_counter()
        actions = agent.act(observation, mask, key)
        times[number] = time.perf_counter() - start
        observations, _, over, _, infos = env.step(actions)
        if over.any():
            observations, infos = env.reset()
    return times[_WARM_UP:]


def main(
    agents: Annotated[list[str], typer.Argument(help="Agents, as scripts/evaluate.py takes them.")],
    env: Annotated[str, typer.Option(help="The variant: " + ", ".join(REGISTRY))] = "Eck-v0",
    decisions: Annotated[int, typer.Option(min=1, help="How many decisions of each are timed.")] = 5000,
) -> None:
    """Time single decisions."""
    try:
        variant = find_variant(env)
        made = make_agents(agents, variant)
    except (ValueError, OSError) as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from error
    typer.echo("microseconds for a decision, batches of one:")
    for name, agent in made.items():
        times = 1e6 * decision_times(agent, variant, decisions)
        low, median, high = np.percentile(times, (5, 50, 95))
        typer.echo(f"{name}: median {median:.1f}, mean {times.mean():.1f}, 5 % to 95 % {low:.1f} to {high:.1f}")


if __name__ == "__main__":
    typer.run(main)
