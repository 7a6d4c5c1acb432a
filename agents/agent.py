"""What an agent is, and agents by name.

An agent decides for a batch of games at once, a row each. It is a function of what it is given: an agent that draws
random numbers draws them from the keys, so that what it plays depends neither on the batch nor on the process.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

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


def _make_policy(path: Path) -> Agent:
    if not path.is_file():
        raise FileNotFoundError(f"there is no policy file {str(path)!r}: check the path (scripts/export.py writes one)")
    from agents.onnx_agent import OnnxAgent

    return OnnxAgent(path)


_NAMED: dict[str, Callable[[], Agent]] = {"random": _make_random, "heuristic": _make_heuristic}

AGENT_NAMES = tuple(_NAMED)
"""The names that `make_agent` knows, beside paths of policy files."""


def make_agent(spec: str) -> Agent:
    """Return the agent that a text names.

    Args:
        spec: One of `AGENT_NAMES`, or the path of an exported policy, which ends in ``.onnx``.

    Raises:
        ValueError: If there is no such agent, or the file is no policy for this game.
        FileNotFoundError: If there is no such file.
    """
    if spec in _NAMED:
        return _NAMED[spec]()
    if spec.endswith(POLICY_SUFFIX):
        return _make_policy(Path(spec))
    near = difflib.get_close_matches(spec.lower(), AGENT_NAMES, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise ValueError(
        f"unknown agent {spec!r}: {hint}known are {', '.join(AGENT_NAMES)}, and paths of exported policies, which end "
        f"in {POLICY_SUFFIX} (scripts/export.py makes one of a checkpoint)"
    )


def make_agents(specs: Sequence[str]) -> dict[str, Agent]:
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
    agents = {spec: make_agent(spec) for spec in specs}
    shared = Counter(agent.name for agent in agents.values())
    return {agent.name if shared[agent.name] == 1 else spec: agent for spec, agent in agents.items()}
