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

from agents.games import kit_of
from eck_env.eck.variant import Variant as EckVariant
from eck_env.registry import AnyVariant, id_of, standard_of

if TYPE_CHECKING:
    from agents.onnx_agent import OnnxAgent

POLICY_SUFFIX = ".onnx"
PRETRAINED = "pretrained"
"""Names the policy that comes along for the variant that is played."""

SHIPPED = Path(__file__).parent / PRETRAINED
"""The folder of the policies that come along."""


@runtime_checkable
class Agent(Protocol):
    """Whoever can choose an action.

    Attributes:
        name: What tables and files call the agent.
    """

    name: str

    def act(self, observations: NDArray[Any], action_masks: NDArray[Any], keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Choose an action in each of n games.

        Args:
            observations: Flat observations, shape (n, size of an observation).
            action_masks: Legal actions, shape (n, number of actions), int8 or bool.
            keys: Seed of the game, number of the game since seeding, number of the decision in the game (from 0),
                shape (n, 3).

        Returns:
            Legal actions, shape (n,).
        """
        ...


def resolve(spec: str, variant: AnyVariant) -> str:
    """Return the text of an agent with the path of the shipped policy in place of ``pretrained``.

    Raises:
        ValueError: If no policy for the variant comes along.
    """
    head, colon, last = spec.rpartition(":")
    if last != PRETRAINED:
        return spec
    path = SHIPPED / f"{id_of(standard_of(variant))}{POLICY_SUFFIX}"
    if not path.is_file():
        known = ", ".join(sorted(path.stem for path in SHIPPED.glob(f"*{POLICY_SUFFIX}")))
        raise ValueError(
            f"no policy for this variant comes along: there are those for {known}; name the file of another one, as "
            f"in {head}{colon}runs/mine/policy{POLICY_SUFFIX}"
        )
    return f"{head}{colon}{os.path.relpath(path)}"


def make_policy(path: Path) -> OnnxAgent:
    """Return the policy in a file; FileNotFoundError says that there is none."""
    if not path.is_file():
        raise FileNotFoundError(f"there is no policy file {str(path)!r}: check the path (scripts/export.py writes one)")
    from agents.onnx_agent import OnnxAgent

    return OnnxAgent(path)


def _make_random(variant: AnyVariant) -> Agent:
    from agents.random_agent import RandomAgent

    return RandomAgent()


def unknown_search(spec: str, error: Exception, known: str) -> ValueError:
    """Return the error for a text that should name a search."""
    return ValueError(f"unknown search {spec!r} ({error}): write {known}")


# An agent's module is imported when the agent is made: some take seconds.
_NAMED: dict[str, Callable[[AnyVariant], Agent]] = {
    "random": _make_random,
    "heuristic": lambda variant: kit_of(variant).make_heuristic(),
}
_SEARCH = "mc:"

AGENT_NAMES = (*_NAMED, PRETRAINED, "mc:BUDGET", "mc:BUDGET:PLAYER")
"""What `make_agent` knows, beside paths of policy files."""


def make_agent(spec: str, variant: AnyVariant | None = None) -> Agent:
    """Return the agent that a text names.

    Args:
        spec: ``random``, ``heuristic``, a search such as ``mc:64``, ``mc:64:heuristic``, ``mc:40:16`` or
            ``mc:64:policy.onnx`` or ``mc:64:24:policy.onnx`` (playouts for each legal card, and who plays them: a
            search, a policy, or a policy with a small search to help) or ``mc:100ms:policy.onnx`` (so many
            milliseconds a decision; what such an agent plays cannot be reproduced), or the path of an exported
            policy, which ends in ``.onnx``. ``pretrained`` stands for the path of the policy that comes along for the
            variant, alone or in ``mc:64:pretrained``.
        variant: The variant it is to play, whose game it must know; ECK's standard one by default.

    Raises:
        ValueError: If there is no such agent, the file is no policy for this game, or a search lacks a table of round
            values for the variant.
        FileNotFoundError: If there is no such file.
    """
    asked, variant = variant, variant or EckVariant()
    spec = resolve(spec, variant)
    if spec in _NAMED:
        return _NAMED[spec](variant)
    if spec.startswith(_SEARCH):
        return kit_of(variant).make_search(spec, variant)
    if spec.endswith(POLICY_SUFFIX):
        policy = make_policy(Path(spec))
        if asked is not None:
            policy.check_game(asked)
        return policy
    near = difflib.get_close_matches(spec.lower(), _NAMED, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise ValueError(
        f"unknown agent {spec!r}: {hint}known are {', '.join(AGENT_NAMES)}, and paths of exported policies, which end "
        f"in {POLICY_SUFFIX} (scripts/export.py makes one of a checkpoint)"
    )


def make_agents(specs: Sequence[str], variant: AnyVariant | None = None) -> dict[str, Agent]:
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
