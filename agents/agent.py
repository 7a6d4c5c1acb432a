"""What an agent is, and agents by name.

An agent decides for a batch of games at once, a row each. It is a function of what it is given: an agent that draws
random numbers draws them from the keys, so that what it plays depends neither on the batch nor on the process.
"""

from __future__ import annotations

import difflib
import os
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from eck_env.eck.variant import REGISTERED, Variant, make_variant

if TYPE_CHECKING:
    from agents.onnx_agent import OnnxAgent

POLICY_SUFFIX = ".onnx"
PRETRAINED = "pretrained"
"""Names the policy that comes along for the variant that is played."""

_SHIPPED = Path(__file__).parent / PRETRAINED


@runtime_checkable
class Agent(Protocol):
    """Whoever can choose a card.

    Attributes:
        name: What tables and files call the agent.
    """

    name: str

    def act(self, observations: NDArray[Any], action_masks: NDArray[Any], keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Choose an action in each of n games.

        Args:
            observations: Flat observations, shape (n, 259).
            action_masks: Legal actions, shape (n, 38), int8 or bool.
            keys: Seed of the game, number of the game since seeding, number of the decision in the game (from 0),
                shape (n, 3).

        Returns:
            Legal actions, shape (n,).
        """
        ...


# An agent's module is imported when the agent is made: some take seconds.
def _make_random() -> Agent:
    from agents.random_agent import RandomAgent

    return RandomAgent()


def _make_heuristic() -> Agent:
    from agents.heuristic import HeuristicAgent

    return HeuristicAgent()


def resolve(spec: str, variant: Variant) -> str:
    """Return the text of an agent with the path of the shipped policy in place of ``pretrained``.

    Raises:
        ValueError: If no policy for the variant comes along.
    """
    head, colon, last = spec.rpartition(":")
    if last != PRETRAINED:
        return spec
    ids = {make_variant(**keywords): env_id for env_id, keywords in REGISTERED.items()}
    path = _SHIPPED / f"{ids.get(variant)}{POLICY_SUFFIX}"
    if not path.is_file():
        known = ", ".join(sorted(path.stem for path in _SHIPPED.glob(f"*{POLICY_SUFFIX}")))
        raise ValueError(
            f"no policy for this variant comes along: there are those for {known}; name the file of another one, as "
            f"in {head}{colon}runs/mine/policy{POLICY_SUFFIX}"
        )
    return f"{head}{colon}{os.path.relpath(path)}"


def _make_policy(path: Path) -> OnnxAgent:
    if not path.is_file():
        raise FileNotFoundError(f"there is no policy file {str(path)!r}: check the path (scripts/export.py writes one)")
    from agents.onnx_agent import OnnxAgent

    return OnnxAgent(path)


def _make_search(spec: str, variant: Variant) -> Agent:
    """Return the search that ``mc:BUDGET`` or ``mc:BUDGET:PLAYER`` names."""
    from agents.halving import Milliseconds, parse_budget
    from agents.monte_carlo import MonteCarloAgent
    from agents.policy_search import PolicySearchAgent
    from eck_env.eck.players import PLAYERS
    from eck_env.eck.round_values import load_round_values

    _, amount, player = [*spec.split(":", 2), "random"][:3]
    try:
        budget = parse_budget(amount)
        named = player in PLAYERS or player.endswith(POLICY_SUFFIX)
        inner = 0 if named else parse_budget(player)
        if isinstance(inner, Milliseconds):
            raise ValueError(f"the search that plays the playouts takes a number of playouts, not {player}")
    except ValueError as error:
        raise ValueError(
            f"unknown search {spec!r} ({error}): write mc:64 (playouts for each legal card, played at random) or "
            "mc:100ms (milliseconds a decision), mc:64:heuristic, mc:40:16 (played by a search with 16) or "
            "mc:64:policy.onnx (played by a policy)"
        ) from error
    values = load_round_values(variant)
    if player.endswith(POLICY_SUFFIX):
        return PolicySearchAgent(_make_policy(Path(player)), values, budget, variant.same_circle)
    return MonteCarloAgent(values, budget, "random" if inner else player, inner, variant.same_circle)


_NAMED: dict[str, Callable[[], Agent]] = {"random": _make_random, "heuristic": _make_heuristic}
_SEARCH = "mc:"

AGENT_NAMES = (*_NAMED, PRETRAINED, "mc:BUDGET", "mc:BUDGET:PLAYER")
"""What `make_agent` knows, beside paths of policy files."""


def make_agent(spec: str, variant: Variant | None = None) -> Agent:
    """Return the agent that a text names.

    Args:
        spec: ``random``, ``heuristic``, a search such as ``mc:64``, ``mc:64:heuristic``, ``mc:40:16`` or
            ``mc:64:policy.onnx`` (playouts for each legal card, and who plays them) or ``mc:100ms:policy.onnx`` (so
            many milliseconds a decision; what such an agent plays cannot be reproduced), or the path of an exported
            policy, which ends in ``.onnx``. ``pretrained`` stands for the path of the policy that comes along for the
            variant, alone or in ``mc:64:pretrained``.
        variant: The variant it is to play, which a search needs to know; the standard one by default.

    Raises:
        ValueError: If there is no such agent, the file is no policy for this game, or a search lacks a table of round
            values for the variant.
        FileNotFoundError: If there is no such file.
    """
    spec = resolve(spec, variant or Variant())
    if spec in _NAMED:
        return _NAMED[spec]()
    if spec.startswith(_SEARCH):
        return _make_search(spec, variant or Variant())
    if spec.endswith(POLICY_SUFFIX):
        return _make_policy(Path(spec))
    near = difflib.get_close_matches(spec.lower(), _NAMED, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise ValueError(
        f"unknown agent {spec!r}: {hint}known are {', '.join(AGENT_NAMES)}, and paths of exported policies, which end "
        f"in {POLICY_SUFFIX} (scripts/export.py makes one of a checkpoint)"
    )


def make_agents(specs: Sequence[str], variant: Variant | None = None) -> dict[str, Agent]:
    """Return agents by names that are unique: an agent's own, or the text it was made from where two share a name.

    Raises:
        ValueError: If none or the same one twice is asked for; otherwise as `make_agent`.
        FileNotFoundError: If there is no such file.
    """
    if not specs:
        raise ValueError(f"no agent is named: name one or more of {', '.join(AGENT_NAMES)} and paths of policy files")
    for spec, count in Counter(specs).items():
        if count > 1:
            raise ValueError(f"agent {spec!r} is named {count} times: name each agent once")
    agents = {spec: make_agent(spec, variant) for spec in specs}
    shared = Counter(agent.name for agent in agents.values())
    return {agent.name if shared[agent.name] == 1 else spec: agent for spec, agent in agents.items()}
