"""Advice: what an agent thinks of every legal action of a position, and what the choices of a replay cost.

Any agent says what it plays. A policy also says how likely it is to play each action, and what chance to win it sees
after each, where the game's coach looks ahead with it (`eck_coach.py`). With search, playouts are added for as long as
there is time, and their mean is each action's win chance.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.agent import make_agent
from agents.onnx_agent import OnnxAgent
from agents.random_agent import RandomAgent
from agents.results import variant_title
from eck_env.base.replay import BaseReplay
from eck_env.eck import variant as eck
from eck_env.gongor_whist import variant as gongor_whist
from eck_env.registry import AnyVariant, standard_of
from eck_env.replays import forms_for

MAX_SECONDS = 30.0
"""The longest time that a search may be given."""

_PASS = 1 << 20  # later passes of a search draw from keys of decisions that no game has

Judge = Callable[[NDArray[Any], NDArray[np.bool_], list[int]], NDArray[np.float64]]


def check_seconds(seconds: float, what: str) -> None:
    """Raise ValueError if a search cannot be given this time.

    Args:
        seconds: The time.
        what: What it is called in the message.
    """
    if not 0 <= seconds <= MAX_SECONDS:
        raise ValueError(f"{what} is {seconds} seconds, but must be from 0 to {MAX_SECONDS:g}")


class Advice(NamedTuple):
    """What an agent thinks of a position; cards are in notation.

    Attributes:
        agent: Its name.
        card: The card that it advises: by search, where there was one, the one with the highest win chance.
        choice: The card that the agent plays by itself, without the coach's search.
        probabilities: How likely the agent is to play each legal card by itself; where it does not draw, 1 and 0.
        value: The chance to win that the agent's network sees in the position; None if it has none.
        values: That which it sees after each legal card.
        chances: The win chance of each legal card by search; None without search, or where the card is forced.
        playouts: How many rounds the search played out for each card.
        seconds: How long all this took.
        note: What the agent could not do, in words.
    """

    agent: str
    card: str
    choice: str
    probabilities: dict[str, float]
    value: float | None
    values: dict[str, float] | None
    chances: dict[str, float] | None
    playouts: int
    seconds: float
    note: str | None

    @property
    def scores(self) -> dict[str, float] | None:
        """The best that is known about the chance to win after each legal card."""
        return self.chances or self.values

    def cost(self, card: str) -> float | None:
        """Return by how much the chance to win is lower after this card than after the best one; None if unknown."""
        scores = self.scores
        if scores is None or card not in scores:
            return 0.0 if len(self.probabilities) == 1 else None
        return max(scores.values()) - scores[card]


class BaseCoach:
    """Gives advice by one agent in one variant of any game: what it plays, and how likely a policy is to play it.

    It is not to be asked by several threads at once.

    Args:
        spec: The agent, as `agents.agent.make_agent` takes it.
        variant: The variant that is played.

    Attributes:
        name: The agent's name.

    Raises:
        ValueError: If there is no such agent, or it cannot play this variant.
        FileNotFoundError: If there is no such policy file.
    """

    no_search = "there is no search in this game"
    """Why there is no search, where there is none."""

    def __init__(self, spec: str, variant: AnyVariant) -> None:
        self._agent = make_agent(spec, variant)
        self.name = self._agent.name
        self._variant: Any = standard_of(variant)
        self._forms = forms_for(variant)
        self._policy = self._agent if isinstance(self._agent, OnnxAgent) else None
        self._judge: Judge | None = None  # one pass of a search
        self._worlds = 0  # playouts for each action in a pass

    def advise(
        self, observation: NDArray[Any], mask: NDArray[Any], key: tuple[int, int, int], seconds: float = 0.0
    ) -> Advice:
        """Return advice for a position.

        Args:
            observation: The flat observation.
            mask: The legal actions.
            key: Seed and number of the game and number of the decision; see `Agent.act`.
            seconds: How long to search; 0 for no search.

        Raises:
            ValueError: If the time is not from 0 to `MAX_SECONDS`.
        """
        check_seconds(seconds, "the time to search")
        start = time.perf_counter()
        legal = np.asarray(mask, np.bool_)
        actions = np.flatnonzero(legal).tolist()
        choice = int(self._agent.act(observation[np.newaxis], legal[np.newaxis], np.array([key], np.int64))[0])
        probabilities = self._probabilities(observation, legal, choice)
        value, values = self._look(observation, legal, key)
        chances, playouts = None, 0
        if seconds > 0 and len(actions) > 1 and self.can_search:
            chances, playouts = self._search(observation, legal, key, start + seconds)
        best = choice if chances is None else actions[int(np.argmax(chances[actions]))]
        names = self._forms.names

        def by_name(numbers: NDArray[np.float64] | None) -> dict[str, float] | None:
            if numbers is None or not np.isfinite(numbers[actions]).all():
                return None
            return {names[action]: float(numbers[action]) for action in actions}

        return Advice(
            self.name,
            names[best],
            names[choice],
            by_name(probabilities) or {},
            value,
            by_name(values),
            by_name(chances),
            playouts,
            time.perf_counter() - start,
            self._note(seconds),
        )

    def warm_up(self, search: bool = True) -> None:
        """Give advice once, so that what has to be compiled or loaded is so before the time of a search counts."""
        _, observation, info = self._forms.replay(self._variant, 0).start()
        self.advise(observation, info["action_mask"], (0, 0, 0))
        if search and self._judge is not None:
            self._judge(observation, np.asarray(info["action_mask"], np.bool_), [0, 0, 0])

    @property
    def can_search(self) -> bool:
        """Whether it may be asked to search."""
        return self._judge is not None

    def _probabilities(self, observation: NDArray[Any], legal: NDArray[np.bool_], choice: int) -> NDArray[np.float64]:
        if isinstance(self._agent, RandomAgent):
            uniform: NDArray[np.float64] = legal / np.count_nonzero(legal)
            return uniform
        if self._policy is None:
            certain: NDArray[np.float64] = np.eye(len(legal))[choice]
            return certain
        logits, _ = self._policy.logits_and_values(observation[np.newaxis], legal[np.newaxis])
        weights = np.exp(logits[0].astype(np.float64) - logits[0].max())
        probabilities: NDArray[np.float64] = weights / weights.sum()
        return probabilities

    def _look(
        self, observation: NDArray[Any], legal: NDArray[np.bool_], key: tuple[int, int, int]
    ) -> tuple[float | None, NDArray[np.float64] | None]:
        """Return what the agent sees of the chance to win in a position, and after each action; None where nothing."""
        return None, None

    def _search(
        self, observation: NDArray[Any], legal: NDArray[np.bool_], key: tuple[int, int, int], end: float
    ) -> tuple[NDArray[np.float64], int]:
        """Return the mean of as many passes of playouts as there is time for, at least one."""
        assert self._judge is not None
        seed, game, decision = key
        total, passes, longest = np.zeros(len(legal)), 0, 0.0
        now = time.perf_counter()
        while not passes or now + longest < end:
            total += self._judge(observation, legal, [seed, game, decision + passes * _PASS])
            passes += 1
            before, now = now, time.perf_counter()
            longest = max(longest, now - before)
        return total / passes, passes * self._worlds

    def _note(self, seconds: float) -> str | None:
        """Say what could not be told, and whether a policy plays what it was not trained for."""
        missing = seconds > 0 or self._policy is not None
        notes = [self._training_note(), "" if self.can_search or not missing else self.no_search]
        return "; ".join(filter(None, notes)) or None

    def _title(self, variant: Any) -> str:
        return variant_title(variant)

    def _training_note(self) -> str:
        own = None if self._policy is None else self._policy.variant
        if self._policy is None or (own is not None and standard_of(own) == self._variant):
            return ""
        trained, played = self._title(standard_of(own)) if own else "another game", self._title(self._variant)
        return f"{self.name} was trained for {trained}, and plays {played}"


def make_coach(spec: str, variant: AnyVariant) -> BaseCoach:
    """Return the coach of a variant's game; see `BaseCoach`."""
    if isinstance(variant, eck.Variant):
        from agents.eck_coach import Coach

        return Coach(spec, variant)
    if isinstance(variant, gongor_whist.Variant):
        from agents.gongor_coach import GongorCoach

        return GongorCoach(spec, variant)
    from agents.numberless_coach import NumberlessCoach

    return NumberlessCoach(spec, variant)


# --- Rating ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rated:
    """One decision of a replay.

    Attributes:
        number: The number of the card in the game, from 0.
        card: The card that was played.
        advice: What the coach thinks of the position.
        cost: What the choice cost, in chance to win; None if that is not known.
    """

    number: int
    card: str
    advice: Advice
    cost: float | None


def rate(replay: BaseReplay, coach: BaseCoach, seconds: float = 0.0) -> Iterator[Rated]:
    """Judge every decision of a replay in turn, each with a search of this many seconds.

    Raises:
        ReplayError: If the replay does not fit the rules.
    """
    for moment in replay.moments():
        if moment.move is not None:
            key = (replay.seed, replay.game, moment.number)
            advice = coach.advise(moment.observation, moment.info["action_mask"], key, seconds)
            yield Rated(moment.number, moment.move, advice, advice.cost(moment.move))


def summary_of(rated: list[Rated]) -> dict[str, Any]:
    """Return figures of a rated replay: decisions with a choice, those as advised, and what the others cost."""
    free = [entry for entry in rated if len(entry.advice.probabilities) > 1]
    costs = [entry.cost for entry in free if entry.cost is not None]
    worst = max((entry for entry in free if entry.cost is not None), key=lambda entry: entry.cost or 0, default=None)
    return {
        "decisions": len(free),
        "as_advised": sum(entry.card == entry.advice.card for entry in free),
        "cost": sum(costs) if costs else None,
        "worst": None if worst is None else worst.number,
    }
