"""Measures ECK: the environments on recorded random legal actions, and games played by compiled players."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from agents.benchmark.workers.serve import Row, serve
from eck_env import EckVectorEnv, simulate_games, simulate_rounds
from eck_env.base.vector_env import GameVectorEnv
from eck_env.batch import AUTORESET_CODES
from eck_env.eck.cards import DECK_SIZE
from eck_env.eck.engine import ENGINE

BATCHES = (1, 16, 256, 1024, 4096, 16384)
ENGINE_BATCHES = (256, 1024, 16384)
FAR = 10_000_000
"""Games that a seed has already played, for the cost of late games."""
SEED = 12345
DECISIONS = 400_000
"""Decisions a block."""
_SINGLE = 20_000


def draw_actions(masks: NDArray[np.int8], generator: np.random.Generator) -> NDArray[np.int64]:
    """Return a random legal action in each game."""
    actions: NDArray[np.int64] = np.argmax(masks * (1 - generator.random(masks.shape, np.float32)), axis=1)
    return actions


def single() -> Row:
    """Return the single environment through `gym.make`: steps, and a reset after each game."""
    env = gym.make("Eck-v0")
    generator = np.random.default_rng(1)
    actions = []
    _, info = env.reset(seed=SEED)
    for _ in range(_SINGLE):
        actions.append(int(draw_actions(info["action_mask"][np.newaxis], generator)[0]))
        _, _, terminated, _, info = env.step(actions[-1])
        assert "illegal_action" not in info
        if terminated:
            _, info = env.reset()

    def prepare() -> None:
        env.reset(seed=SEED)

    def run() -> int:
        step, reset = env.step, env.reset
        for action in actions:
            if step(action)[2]:
                reset()
        return len(actions)

    return Row(run, prepare)


def vector(batch: int, dtype: str, own_arrays: bool, first_game: int = 0) -> Row:
    """Return the vector environment: observation, mask, reward, flags, infos with masks, autoreset in the next step.

    Args:
        batch: The number of games.
        dtype: That of the observations.
        own_arrays: Whether arrays of the caller's are handed in as `out`.
        first_game: The number, since seeding, of the games that are played.
    """
    return batch_row(EckVectorEnv(batch, dtype=dtype), own_arrays, first_game)


def batch_row(env: GameVectorEnv[Any], own_arrays: bool = False, first_game: int = 0) -> Row:
    """Return a vector environment of any game as a row; see `vector`."""
    batch = env.num_envs
    env.reset(seed=SEED)
    games = env.save_games()
    games["game_number"] = first_game
    games["over"] = 1  # so that the first step deals the game that follows
    out = env.make_outputs() if own_arrays else None
    steps = max(1, DECISIONS // batch if batch > 1 else 4 * _SINGLE)
    generator = np.random.default_rng(2)
    env.load_games(games)
    masks = env.step(np.zeros(batch, np.int64))[4]["action_mask"]
    actions, decisions = [], 0
    for _ in range(steps):
        actions.append(draw_actions(masks, generator))
        decisions += batch - int(env.save_games()["over"].sum())
        _, _, _, _, info = env.step(actions[-1])
        assert "illegal_action" not in info
        masks = info["action_mask"]

    def prepare() -> None:
        env.load_games(games)
        env.step(np.zeros(batch, np.int64))

    def run() -> int:
        for batch_actions in actions:
            env.step(batch_actions, out)
        return decisions

    return Row(run, prepare)


def engine(batch: int) -> Row:
    """Return the engine alone: the compiled call of a step, which writes to arrays that are there."""
    env = EckVectorEnv(batch)
    generator = np.random.default_rng(2)
    _, info = env.reset(seed=SEED)
    start = env.save_games()
    actions, decisions = [], 0
    for _ in range(DECISIONS // batch):
        actions.append(draw_actions(info["action_mask"], generator))
        decisions += batch - int(env.save_games()["over"].sum())
        info = env.step(actions[-1])[4]
    games, setup, out = start.copy(), env.settings.setup(np.zeros((batch, 0, DECK_SIZE), np.int8)), env.make_outputs()

    def prepare() -> None:
        games[:] = start

    def run() -> int:
        for batch_actions in actions:
            ENGINE.step_games(games, batch_actions, AUTORESET_CODES[env.autoreset_mode], setup, out)
        return decisions

    return Row(run, prepare)


def playouts(player: str, games: int) -> Row:
    """Return whole games inside compiled code, dealing included; each block plays other games."""
    seeds = iter(range(2**30, 2**62, games))
    return Row(lambda: simulate_games(games, player, next(seeds)).decisions)


def round_playouts(player: str, rounds: int) -> Row:
    """Return single rounds inside compiled code, dealing included."""
    seeds = iter(range(2**30, 2**62, rounds))
    return Row(lambda: 13 * len(simulate_rounds(rounds, player, next(seeds))))


def adapter(batch: int) -> Row:
    """Return the adapter for Stable-Baselines3 as a rollout calls it: step, and the masks for the next one."""
    from eck_env.adapters.sb3 import EckSb3VecEnv

    env = EckSb3VecEnv(batch)
    generator = np.random.default_rng(3)
    env.seed(SEED)
    env.reset()
    actions = []
    for _ in range(100_000 // batch):
        actions.append(draw_actions(env.games.action_masks().astype(np.int8), generator))
        env.step(actions[-1])

    def prepare() -> None:
        env.seed(SEED)
        env.reset()

    def run() -> int:
        for batch_actions in actions:
            env.step(batch_actions)
            env.env_method("action_masks")
        return len(actions) * batch

    return Row(run, prepare)


def vector_name(batch: int, dtype: str = "int8", own_arrays: bool = False, first_game: int = 0) -> str:
    """Return the name of the row of a vector environment."""
    return f"vector {batch} {dtype}{' out' if own_arrays else ''}{' late' if first_game else ''}"


def _vectors() -> dict[str, Callable[[], Row]]:
    cases: list[tuple[int, str, bool, int]] = [
        (batch, dtype, own, 0) for batch in BATCHES for dtype in ("int8", "float32") for own in (False, True)
    ]
    cases.append((1024, "int8", False, FAR))
    return {vector_name(*case): partial(vector, *case) for case in cases}


ROWS: dict[str, Callable[[], Any]] = {
    "single": single,
    **_vectors(),
    **{f"engine {batch}": partial(engine, batch) for batch in ENGINE_BATCHES},
    "games random": partial(playouts, "random", 20_000),
    "games heuristic": partial(playouts, "heuristic", 500),
    "rounds random": partial(round_playouts, "random", 50_000),
    "adapter": partial(adapter, 256),
}

if __name__ == "__main__":
    serve(ROWS)
