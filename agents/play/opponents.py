"""Who plays at the other seats of a game for several: named in the variant, and made when a game begins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from agents.agent import POLICY_SUFFIX, SHIPPED, make_agent, resolve
from eck_env.base.replay import BaseReplay
from eck_env.registry import AnyVariant

MakeOpponent = Callable[[str], Any]
"""Returns the agent of a name; ValueError if there is none."""


def opponents_of(variant: AnyVariant) -> tuple[str, ...]:
    """Return the names of those at the seats 1, 2, ...; none in a game for one."""
    return getattr(variant, "opponents", None) or ()


def start_deal(deal: BaseReplay, make_opponent: MakeOpponent, **keywords: Any) -> tuple[Any, Any, dict[str, Any]]:
    """Start a deal with the players that its variant names at the other seats; see `BaseReplay.start`.

    Args:
        deal: What is played.
        make_opponent: Makes each of them once.
        keywords: Keywords of the environment.
    """
    names = opponents_of(deal.variant)
    if not names:
        return deal.start(**keywords)
    made = {name: make_opponent(name) for name in dict.fromkeys(names)}
    return deal.start(opponents=[made[name] for name in names], **keywords)


class NamedAgents:
    """Gives agents by names that are fit for replays: a policy goes by the name of its file, not by its path.

    Args:
        specs: Agents that may be named, as `agents.agent.make_agent` takes them.
        variant: The variant that is played.

    Raises:
        ValueError: If two different policies have files of the same name.
    """

    def __init__(self, specs: Sequence[str], variant: AnyVariant) -> None:
        self._variant = variant
        self._specs: dict[str, str] = {}
        self.names = [self._note(resolve(spec, variant)) for spec in specs]

    def _note(self, spec: str) -> str:
        name = Path(spec).name if spec.endswith(POLICY_SUFFIX) else spec
        if self._specs.setdefault(name, spec) != spec:
            raise ValueError(
                f"two policies are called {name}, {self._specs[name]} and {spec}: copy one to a file of another name"
            )
        return name

    def make(self, name: str) -> Any:
        """Return the agent of a name: one of those given, of the policies that come along, or of `AGENT_NAMES`.

        A name may come out of somebody's replay, so that it never leads to a file that was not given.

        Raises:
            ValueError: If there is no such agent, or it does not play this game.
            FileNotFoundError: If there is no file of a policy that was given.
        """
        if name in self._specs:
            return make_agent(self._specs[name], self._variant)
        if not name.endswith(POLICY_SUFFIX):
            return make_agent(name, self._variant)
        if name not in {path.name for path in SHIPPED.glob(f"*{POLICY_SUFFIX}")}:
            raise ValueError(f"the deal is played against the policy {name}, which does not come along: name its file")
        return make_agent(str(SHIPPED / name), self._variant)
