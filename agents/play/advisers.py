"""The coaches that a server offers, by name: made when they are first asked, and asked by one thread at a time."""

from __future__ import annotations

import difflib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from agents.agent import POLICY_SUFFIX, SHIPPED, make_agent
from agents.coach import BaseCoach, make_coach
from agents.play.games import KITS, kit_of
from agents.play.session import PlayError, RefusedError
from eck_env.registry import AnyVariant, find_variant, standard_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agents.agent import Agent

SIMPLE = ("mc:64", "mc:400", "mc:16:4", "mc:16:heuristic", "heuristic", "random")
"""What is offered beside policies."""

_MAX_COACHES = 12
_WAIT = 20.0  # seconds that a request waits for its turn, beside those of the search it asks for
_AT_ONCE = 2  # coaches that think at the same time
_IN_LINE = 8  # requests that think or wait; fewer than the server has threads, so that games go on meanwhile


@dataclass(frozen=True)
class Offer:
    """An agent that is offered.

    Attributes:
        name: Its name for people.
        spec: Its text for `make_agent`.
        trained_for: What it was trained for.
        games: The games that it plays, by the names of their kits.
    """

    name: str
    spec: str
    trained_for: AnyVariant | None
    games: tuple[str, ...] = ("eck",)

    def to_data(self) -> dict[str, Any]:
        """Return plain data for a front end."""
        title = None if self.trained_for is None else kit_of(self.trained_for).title_of(self.trained_for)
        return {"name": self.name, "trained_for": title, "games": list(self.games)}


def make_offers(specs: Sequence[str] = ()) -> list[Offer]:
    """Return the agents to offer: those asked for, the policies that come along, and the simple ones.

    Raises:
        ValueError: If there is no such agent, or the file is no policy.
        FileNotFoundError: If there is no such file.
    """
    played = tuple(type(kit.forms.standard) for kit in KITS)
    shipped = sorted(SHIPPED.glob(f"*{POLICY_SUFFIX}"))
    policies = [str(path) for path in shipped if isinstance(find_variant(path.stem), played)]
    offers: dict[str, Offer] = {}
    for spec in dict.fromkeys([*specs, *policies, *SIMPLE]):
        trained_for, games = _what_it_plays(spec)
        name = Path(spec).name if spec.endswith(POLICY_SUFFIX) and not spec.startswith("mc:") else spec
        name = spec if name in offers else name
        offers[name] = Offer(name, spec, trained_for, games)
    return list(offers.values())


def _what_it_plays(spec: str) -> tuple[AnyVariant | None, tuple[str, ...]]:
    """Return what an agent was trained for, and the games that it plays; ValueError if it plays none."""
    games, reason = [], None
    for kit in KITS:
        try:
            trained_for = getattr(make_agent(spec, kit.forms.standard), "variant", None)
        except ValueError as error:
            reason = reason or error
            continue
        if trained_for is not None:
            return standard_of(trained_for), (kit_of(trained_for).name,)
        games.append(kit.name)
    if reason is not None and not games:
        raise reason
    return None, tuple(games)


@dataclass
class _Desk:
    """A coach, and what has been prepared for it. The lock is held by whoever uses it."""

    lock: threading.Lock
    coach: BaseCoach | None = None
    can_search: bool = False


class _InTurn:
    """An agent that several games ask, one at a time: it has room to think about one."""

    def __init__(self, agent: Agent) -> None:
        self.name, self._agent, self._lock = agent.name, agent, threading.Lock()

    def act(self, observations: NDArray[Any], action_masks: NDArray[Any], keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Choose an action in each game; see `Agent.act`."""
        with self._lock:
            return self._agent.act(observations, action_masks, keys)


class Advisers:
    """Gives coaches by the names of what is offered.

    Args:
        offers: The agents.
    """

    def __init__(self, offers: Sequence[Offer]) -> None:
        self.offers = {offer.name: offer for offer in offers}
        self._desks: OrderedDict[tuple[str, AnyVariant], _Desk] = OrderedDict()
        self._opponents: dict[tuple[str, AnyVariant], _InTurn] = {}
        self._lock = threading.Lock()
        self._line = threading.BoundedSemaphore(_IN_LINE)
        self._thinking = threading.BoundedSemaphore(_AT_ONCE)

    def default(self, variant: AnyVariant) -> str:
        """Return the name of the agent that suits a variant best: a policy that was trained for it, or a search."""
        fitting = [offer.name for offer in self.offers.values() if offer.trained_for == standard_of(variant)]
        if fitting:
            return fitting[0]
        game = kit_of(variant).name
        playing = [name for name, offer in self.offers.items() if game in offer.games] or list(self.offers)
        return next(name for name in (*SIMPLE, *playing) if name in playing)

    def opponent(self, name: str, variant: AnyVariant) -> Agent:
        """Return the agent of this name that plays at other seats of a variant, whichever games ask it.

        Raises:
            RefusedError: If there is no agent of this name, or it does not play the game.
        """
        kit = kit_of(variant)
        known = [offer.name for offer in self.offers.values() if kit.name in offer.games]
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise RefusedError(f"nobody called {name!r} can sit at a table here: {hint}there are {', '.join(known)}")
        key = name, standard_of(variant)
        with self._lock:
            if key not in self._opponents:
                self._opponents[key] = _InTurn(make_agent(self.offers[name].spec, variant))
            return self._opponents[key]

    def prepare(self, variant: AnyVariant) -> None:
        """Make the default coach of a variant and compile what it needs, so that nobody has to wait for that."""
        name = self.default(variant)
        desk = self._desk(name, variant)
        with desk.lock:
            self._prepare(desk, name, variant, search=True)

    @contextmanager
    def asking(self, name: object, variant: AnyVariant, seconds: float) -> Iterator[BaseCoach]:
        """Give the coach of this name for a variant, to be asked inside, with a search of this many seconds.

        Raises:
            PlayError: If there is no agent of this name, it cannot play the variant, or too many are thinking already.
        """
        if not isinstance(name, str) or name not in self.offers:
            raise PlayError(f"there is no agent {name!r} here: there are {', '.join(self.offers)}")
        kit = kit_of(variant)
        if kit.name not in self.offers[name].games:
            known = ", ".join(offer.name for offer in self.offers.values() if kit.name in offer.games)
            raise RefusedError(f"{name} does not play {kit.title}; those who do: {known}")
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

    def _desk(self, name: str, variant: AnyVariant) -> _Desk:
        with self._lock:
            key = (name, standard_of(variant))
            if key not in self._desks:
                self._desks[key] = _Desk(threading.Lock())
                if len(self._desks) > _MAX_COACHES:
                    self._desks.popitem(last=False)
            self._desks.move_to_end(key)
            return self._desks[key]

    def _prepare(self, desk: _Desk, name: str, variant: AnyVariant, search: bool) -> BaseCoach:
        """Return the coach of a desk whose lock is held, made and compiled as far as it is needed."""
        if desk.coach is None:
            try:
                desk.coach = make_coach(self.offers[name].spec, variant)
            except ValueError as error:  # a search without a table of round values
                raise RefusedError(f"{name} cannot play this variant: {error}") from error
            desk.coach.warm_up(search=False)
        if search and not desk.can_search:
            desk.coach.warm_up()
            desk.can_search = True
        return desk.coach
