"""What an agent is, and agents by name.

An agent decides for a batch of games at once, a row each. It is a function of what it is given: an agent that draws
random numbers draws them from the keys, so that what it plays depends neither on the batch nor on the process.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from eck_env.eck.variant import Variant

if TYPE_CHECKING:
    from agents.onnx_agent import OnnxAgent

POLICY_SUFFIX = ".onnx"


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


def _make_policy(path: Path) -> OnnxAgent:
    if not path.is_file():
        raise FileNotFoundError(f"there is no policy file {str(path)!r}: check the path (scripts/export.py writes one)")
    from agents.onnx_agent import OnnxAgent

    return OnnxAgent(path)


def _make_search(spec: str, variant: Variant) -> Agent:
    """Return the search that ``mc:PLAYOUTS`` or ``mc:PLAYOUTS:PLAYER`` names."""
    from agents.monte_carlo import MonteCarloAgent
    from agents.policy_search import PolicySearchAgent
    from eck_env.eck.players import PLAYERS
    from eck_env.eck.round_values import load_round_values

    _, playouts, player = [*spec.split(":", 2), "random"][:3]
    known = player.isdecimal() or player in PLAYERS or player.endswith(POLICY_SUFFIX)
    if not playouts.isdecimal() or int(playouts) < 1 or player == "0" or not known:
        raise ValueError(
            f"unknown search {spec!r}: write mc:64 (playouts for each legal card, played at random), mc:64:heuristic, "
            "mc:40:16 (played by a search with 16) or mc:16:policy.onnx (played by a policy)"
        )
    values = load_round_values(variant)
    if player.endswith(POLICY_SUFFIX):
        return PolicySearchAgent(_make_policy(Path(player)), values, int(playouts), variant.same_circle)
    inner = int(player) if player.isdecimal() else 0
    return MonteCarloAgent(
        values, int(playouts), "random" if inner else player, inner=inner, same_circle=variant.same_circle
    )


_NAMED: dict[str, Callable[[], Agent]] = {"random": _make_random, "heuristic": _make_heuristic}
_SEARCH = "mc:"

AGENT_NAMES = (*_NAMED, "mc:PLAYOUTS", "mc:PLAYOUTS:PLAYER")
"""What `make_agent` knows, beside paths of policy files."""


def make_agent(spec: str, variant: Variant | None = None) -> Agent:
    """Return the agent that a text names.

    Args:
        spec: ``random``, ``heuristic``, a search such as ``mc:64``, ``mc:64:heuristic``, ``mc:40:16`` or
            ``mc:16:policy.onnx`` (playouts for each legal card, and who plays them), or the path of an exported policy,
            which ends in ``.onnx``.
        variant: The variant it is to play, which a search needs to know; the standard one by default.

    Raises:
        ValueError: If there is no such agent, the file is no policy for this game, or a search lacks a table of round
            values for the variant.
        FileNotFoundError: If there is no such file.
    """
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
