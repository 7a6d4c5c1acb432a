"""Games and replays that the server holds, each behind an id that cannot be guessed."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from agents.coach import Advice, BaseCoach
from agents.play.games import kit_of
from agents.play.opponents import MakeOpponent, start_deal
from eck_env.base.replay import BaseReplay, Moment
from eck_env.replays import replay_to_code, replay_to_data

ID_BYTES = 16
Held = TypeVar("Held")


class PlayError(ValueError):
    """Something that was asked for cannot be done; the message says why. `status` is that of HTTP."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


class RefusedError(PlayError):
    """A deal, replay or agent that does not fit: an answer to a question, not a wrong request."""

    def __init__(self, message: str) -> None:
        super().__init__(message, 200)


class Store(Generic[Held]):
    """Holds a limited number of things by ids; those that nobody has used for a while make room for new ones.

    Args:
        what: What they are called in messages, such as ``game``.
        most: How many are held.
        idle: After so many seconds without use a thing may be dropped for a new one.
        clock: The time in seconds.
    """

    def __init__(self, what: str, most: int, idle: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._what, self._most, self._idle, self._clock = what, most, idle, clock
        self._held: dict[str, Held] = {}  # the one used longest ago comes first
        self._used: dict[str, float] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._held)

    def add(self, thing: Held) -> str:
        """Hold a thing and return its id.

        Raises:
            PlayError: If there are too many that are in use.
        """
        with self._lock:
            if len(self._held) >= self._most:
                oldest = next(iter(self._held))
                if self._clock() - self._used[oldest] < self._idle:
                    raise PlayError(
                        f"the server holds {self._most} {self._what}s that are in use, and takes no more: try again "
                        f"when one has not been used for {self._idle / 60:g} minutes",
                        503,
                    )
                del self._held[oldest], self._used[oldest]
            name = secrets.token_urlsafe(ID_BYTES)
            self._held[name], self._used[name] = thing, self._clock()
            return name

    def get(self, name: str) -> Held:
        """Return the thing with this id; PlayError if there is none."""
        with self._lock:
            if name not in self._held:
                raise PlayError(
                    f"there is no {self._what} with this id: the server was started anew, or dropped it "
                    "after a while; begin anew",
                    404,
                )
            self._used[name] = self._clock()
            self._held[name] = thing = self._held.pop(name)
            return thing


class GameSession:
    """A game that is being played.

    Args:
        deal: What is played; its cards are not played.
        make_opponent: Makes the players that the variant names at other seats.
    """

    def __init__(self, deal: BaseReplay, make_opponent: MakeOpponent) -> None:
        self._deal = deal.deal
        self._kit = kit_of(deal.variant)
        env, self._observation, self._info = start_deal(self._deal, make_opponent)
        self._env = self._deal.record(env)
        self._decisions = 0
        self._before: Any = None
        self._parts = self._kit.parts(self._observation, self._info, None)  # rounds or hands that have ended
        self._lock = threading.Lock()

    @property
    def deal(self) -> BaseReplay:
        """What is played, without the moves."""
        return self._deal

    def view(self) -> dict[str, Any]:
        """Return what the player sees."""
        with self._lock:
            return self._view()

    def play(self, card: str, move: int) -> dict[str, Any]:
        """Play a card, or make another move of the game.

        Args:
            card: In notation; ``bid 3``, ``keep`` and ``twiddle`` are such moves too.
            move: How many moves had been made when the player decided, so that no card is played twice by mistake.

        Returns:
            The view after it.

        Raises:
            PlayError: If the move is illegal, the game is over, or another move has been made meanwhile.
        """
        number = self._deal.number_of(card)
        with self._lock:
            if move != self._decisions:
                raise PlayError(f"move {move} was asked for, but the game is at move {self._decisions}", 409)
            if "outcome" in self._info:
                raise PlayError(f"the game is over ({self._info['outcome']}): start a new one", 409)
            before = self._observation
            self._observation, _, _, _, self._info = self._env.step(number)
            self._before = before
            self._decisions += 1
            self._parts += self._kit.parts(self._observation, self._info, before)
            return self._view()

    def replay(self) -> dict[str, Any]:
        """Return the game so far as a replay: its data, and its code."""
        with self._lock:
            game = self._env.replay
        return {"replay": replay_to_data(game), "code": replay_to_code(game)}

    def position(self) -> tuple[NDArray[Any], NDArray[Any], tuple[int, int, int]]:
        """Return what an agent decides by: observation, mask and key.

        Raises:
            PlayError: If the game is over.
        """
        with self._lock:
            if "outcome" in self._info:
                raise PlayError("the game is over: there is nothing to decide", 409)
            key = (self._deal.seed, self._deal.game, self._decisions)
            return self._observation, self._info["action_mask"], key

    def _view(self) -> dict[str, Any]:
        return {
            **self._kit.make_view(self._observation, self._info, self._before),
            **facts(self._deal, self._decisions),
            "round_number": 1 + self._parts - ("outcome" in self._info),
        }


class ReplaySession:
    """A replay that is being looked at; every move of it has been checked.

    Raises:
        ReplayError: If it does not fit the rules.
    """

    def __init__(self, replay: BaseReplay) -> None:
        self._moments: list[Moment] = list(replay.moments())
        self.replay = replay
        self._kit = kit_of(replay.variant)
        befores = [None, *(moment.observation for moment in self._moments)]
        rounds = np.cumsum(
            [
                self._kit.parts(moment.observation, moment.info, before)
                for moment, before in zip(self._moments, befores, strict=False)
            ]
        )
        self._rounds: list[int] = (1 + rounds).tolist()

    def summary(self) -> dict[str, Any]:
        """Return what the replay is about."""
        last = self._moments[-1].info
        return {
            **facts(self.replay, 0),
            "game": self._kit.name,
            "cards": [moment.move for moment in self._moments if moment.move is not None],
            "unit": self.replay.unit,
            "outcome": last.get("outcome"),
            "reasons": last.get("reasons", []),
            "code": replay_to_code(self.replay),
            "replay": replay_to_data(self.replay),
        }

    def view(self, number: int) -> dict[str, Any]:
        """Return what the player saw when so many moves had been made, and which move was made then."""
        moment = self._moment(number)
        before = self._moments[number - 1].observation if number else None
        return {
            **self._kit.make_view(moment.observation, moment.info, before),
            **facts(self.replay, number),
            "card": moment.move,
            "round_number": self._rounds[number] - moment.over,
        }

    def rate(self, number: int, coach: BaseCoach, seconds: float) -> tuple[Advice, str, float | None]:
        """Return the advice for a decision, the move that was made, and what that cost."""
        moment = self._moment(number)
        if moment.move is None:
            raise PlayError("no card was played after the last moment of the replay: there is nothing to rate")
        key = (self.replay.seed, self.replay.game, number)
        advice = coach.advise(moment.observation, moment.info["action_mask"], key, seconds)
        return advice, moment.move, advice.cost(moment.move)

    def _moment(self, number: int) -> Moment:
        if not 0 <= number < len(self._moments):
            raise PlayError(f"the replay has the moments 0 to {len(self._moments) - 1}, but no {number}", 404)
        return self._moments[number]


def facts(deal: BaseReplay, move: int) -> dict[str, Any]:
    """Return what stays the same during a game, and how many moves have been made."""
    return {
        "move": move,
        "seed": str(deal.seed),  # a text: JavaScript's numbers end at 2**53
        "deal": replay_to_code(deal.deal),
        "variant": {"title": kit_of(deal.variant).title_of(deal.variant), **asdict(deal.variant)},
    }
