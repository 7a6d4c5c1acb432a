"""Games and replays that the server holds, each behind an id that cannot be guessed."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from agents.coach import Advice, Coach
from agents.play.view import make_view, tied_tricks
from agents.results import variant_title
from eck_env.eck.cards import card_kind
from eck_env.eck.replay import Moment, Replay
from eck_env.eck.replay_forms import replay_to_code, replay_to_data

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
    """

    def __init__(self, deal: Replay) -> None:
        self._deal = deal.deal
        self._env, self._observation, self._info = self._deal.start()
        self._cards: list[str] = []
        self._tied_before = 0
        self._lock = threading.Lock()

    @property
    def deal(self) -> Replay:
        """What is played, without the cards."""
        return self._deal

    def view(self) -> dict[str, Any]:
        """Return what the player sees."""
        with self._lock:
            return self._view()

    def play(self, card: str, move: int) -> dict[str, Any]:
        """Play a card.

        Args:
            card: In notation.
            move: How many cards had been played when the player decided, so that no card is played twice by mistake.

        Returns:
            The view after it.

        Raises:
            PlayError: If the card is illegal, the game is over, or another card has been played meanwhile.
        """
        kind = card_kind(card)
        with self._lock:
            if move != len(self._cards):
                raise PlayError(f"move {move} was asked for, but the game is at move {len(self._cards)}", 409)
            if "outcome" in self._info:
                raise PlayError(f"the game is over ({self._info['outcome']}): start a new one", 409)
            tied_before = tied_tricks(self._observation)
            self._observation, _, _, _, self._info = self._env.step(kind)
            self._tied_before = tied_before
            self._cards.append(card)
            return self._view()

    def replay(self) -> dict[str, Any]:
        """Return the game so far as a replay: its data, and its code."""
        with self._lock:
            deal = self._deal
            game = Replay(
                deal.variant, deal.seed, deal.game, tuple(self._cards), deal.options, self._info.get("outcome")
            )
        return {"replay": replay_to_data(game), "code": replay_to_code(game)}

    def position(self) -> tuple[NDArray[Any], NDArray[Any], tuple[int, int, int]]:
        """Return what an agent decides by: observation, mask and key.

        Raises:
            PlayError: If the game is over.
        """
        with self._lock:
            if "outcome" in self._info:
                raise PlayError("the game is over: there is nothing to decide", 409)
            key = (self._deal.seed, self._deal.game, len(self._cards))
            return self._observation, self._info["action_mask"], key

    def _view(self) -> dict[str, Any]:
        return {
            **make_view(self._observation, self._info, self._tied_before),
            **facts(self._deal, len(self._cards)),
            "round_number": self._env.state_dict()["round"] + 1,
        }


class ReplaySession:
    """A replay that is being looked at; every card of it has been checked.

    Raises:
        ReplayError: If it does not fit the rules.
    """

    def __init__(self, replay: Replay) -> None:
        self._moments: list[Moment] = list(replay.moments())
        self.replay = replay
        rounds = np.cumsum(["round" in moment.info for moment in self._moments])
        self._rounds: list[int] = (1 + rounds).tolist()

    def summary(self) -> dict[str, Any]:
        """Return what the replay is about."""
        last = self._moments[-1].info
        return {
            **facts(self.replay, 0),
            "cards": list(self.replay.cards),
            "outcome": last.get("outcome"),
            "reasons": last.get("reasons", []),
            "code": replay_to_code(self.replay),
            "replay": replay_to_data(self.replay),
        }

    def view(self, number: int) -> dict[str, Any]:
        """Return what the player saw when so many cards had been played, and which card was played then."""
        moment = self._moment(number)
        tied_before = tied_tricks(self._moments[number - 1].observation) if number else 0
        return {
            **make_view(moment.observation, moment.info, tied_before),
            **facts(self.replay, number),
            "card": moment.card,
            "round_number": self._rounds[number] - moment.over,
        }

    def rate(self, number: int, coach: Coach, seconds: float) -> tuple[Advice, str, float | None]:
        """Return the advice for a decision, the card that was played, and what that cost."""
        moment = self._moment(number)
        if moment.card is None:
            raise PlayError("no card was played after the last moment of the replay: there is nothing to rate")
        key = (self.replay.seed, self.replay.game, number)
        advice = coach.advise(moment.observation, moment.info["action_mask"], key, seconds)
        return advice, moment.card, advice.cost(moment.card)

    def _moment(self, number: int) -> Moment:
        if not 0 <= number < len(self._moments):
            raise PlayError(f"the replay has the moments 0 to {len(self._moments) - 1}, but no {number}", 404)
        return self._moments[number]


def facts(deal: Replay, move: int) -> dict[str, Any]:
    """Return what stays the same during a game, and how many cards have been played."""
    variant = deal.variant
    return {
        "move": move,
        "seed": str(deal.seed),  # a text: JavaScript's numbers end at 2**53
        "deal": replay_to_code(deal.deal),
        "variant": {
            "title": variant_title(variant),
            "target": variant.target,
            "trick_cards": list(variant.trick_cards),
            "circle_follow": variant.circle_follow,
        },
    }
