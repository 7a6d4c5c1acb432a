"""The coaches that a server offers, by name: made when they are first asked, and asked by one thread at a time."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agents.agent import POLICY_SUFFIX, make_agent
from agents.coach import Coach
from agents.play.session import PlayError, RefusedError
from agents.results import variant_title
from eck_env.eck.variant import Variant

if TYPE_CHECKING:
    from collections.abc import Iterator

PRETRAINED = Path(__file__).resolve().parents[1] / "pretrained"
SIMPLE = ("mc:64", "mc:400", "mc:16:4", "heuristic", "random")
"""What is offered beside policies."""

_MAX_COACHES = 12
_WAIT = 20.0  # seconds that a request waits for its turn, beside those of the search it asks for
_AT_ONCE = 2  # coaches that think at the same time
_IN_LINE = 8  # requests that think or wait; fewer than the server has threads, so that games go on meanwhile


@dataclass(frozen=True)
class Offer:
    """An agent that is offered: its name for people, its text for `make_agent`, and what it was trained for."""

    name: str
    spec: str
    trained_for: Variant | None

    def to_data(self) -> dict[str, Any]:
        """Return plain data for a front end."""
        return {"name": self.name, "trained_for": None if self.trained_for is None else variant_title(self.trained_for)}


def make_offers(specs: Sequence[str] = ()) -> list[Offer]:
    """Return the agents to offer: those asked for, the policies that come along, and the simple ones.

    Raises:
        ValueError: If there is no such agent, or the file is no policy.
        FileNotFoundError: If there is no such file.
    """
    policies = sorted(str(path) for path in PRETRAINED.glob(f"*{POLICY_SUFFIX}"))
    offers: dict[str, Offer] = {}
    for spec in dict.fromkeys([*specs, *policies, *SIMPLE]):
        agent = make_agent(spec)
        name = Path(spec).name if spec.endswith(POLICY_SUFFIX) and not spec.startswith("mc:") else spec
        name = spec if name in offers else name
        offers[name] = Offer(name, spec, getattr(agent, "variant", None))
    return list(offers.values())


@dataclass
class _Desk:
    """A coach, and what has been prepared for it. The lock is held by whoever uses it."""

    lock: threading.Lock
    coach: Coach | None = None
    can_search: bool = False


class Advisers:
    """Gives coaches by the names of what is offered.

    Args:
        offers: The agents.
    """

    def __init__(self, offers: Sequence[Offer]) -> None:
        self.offers = {offer.name: offer for offer in offers}
        self._desks: OrderedDict[tuple[str, Variant], _Desk] = OrderedDict()
        self._lock = threading.Lock()
        self._line = threading.BoundedSemaphore(_IN_LINE)
        self._thinking = threading.BoundedSemaphore(_AT_ONCE)

    def default(self, variant: Variant) -> str:
        """Return the name of the agent that suits a variant best: a policy that was trained for it, or a search."""
        fitting = [offer.name for offer in self.offers.values() if offer.trained_for == variant]
        return fitting[0] if fitting else next(name for name in (*SIMPLE, *self.offers) if name in self.offers)

    def prepare(self, variant: Variant) -> None:
        """Make the default coach of a variant and compile what it needs, so that nobody has to wait for that."""
        name = self.default(variant)
        desk = self._desk(name, variant)
        with desk.lock:
            self._prepare(desk, name, variant, search=True)

    @contextmanager
    def asking(self, name: object, variant: Variant, seconds: float) -> Iterator[Coach]:
        """Give the coach of this name for a variant, to be asked inside, with a search of this many seconds.

        Raises:
            PlayError: If there is no agent of this name, it cannot play the variant, or too many are thinking already.
        """
        if not isinstance(name, str) or name not in self.offers:
            raise PlayError(f"there is no agent {name!r} here: there are {', '.join(self.offers)}")
        busy = PlayError("the agents are busy with other questions: try again in a few seconds", 503)
        if not self._line.acquire(blocking=False):
            raise busy
        try:
            with self._turn(self._desk(name, variant), seconds, busy) as desk:
                yield self._prepare(desk, name, variant, search=seconds > 0)
        finally:
            self._line.release()

    @contextmanager
    def _turn(self, desk: _Desk, seconds: float, busy: PlayError) -> Iterator[_Desk]:
        """Wait until nobody uses a desk and few enough think; raise `busy` if that takes too long."""
        if not desk.lock.acquire(timeout=_WAIT + seconds):
            raise busy
        try:
            if not self._thinking.acquire(timeout=_WAIT + seconds):
                raise busy
            try:
                yield desk
            finally:
                self._thinking.release()
        finally:
            desk.lock.release()

    def _desk(self, name: str, variant: Variant) -> _Desk:
        with self._lock:
            key = (name, variant)
            if key not in self._desks:
                self._desks[key] = _Desk(threading.Lock())
                if len(self._desks) > _MAX_COACHES:
                    self._desks.popitem(last=False)
            self._desks.move_to_end(key)
            return self._desks[key]

    def _prepare(self, desk: _Desk, name: str, variant: Variant, search: bool) -> Coach:
        """Return the coach of a desk whose lock is held, made and compiled as far as it is needed."""
        if desk.coach is None:
            try:
                desk.coach = Coach(self.offers[name].spec, variant)
            except ValueError as error:  # a search without a table of round values
                raise RefusedError(f"{name} cannot play this variant: {error}") from error
            desk.coach.warm_up(search=False)
        if search and not desk.can_search:
            desk.coach.warm_up()
            desk.can_search = True
        return desk.coach
