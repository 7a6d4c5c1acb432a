"""Advice: what an agent thinks of every legal card of a position, and what the choices of a replay cost.

Any agent says which card it plays. A policy also says how likely it is to play each card and what chance to win it sees
after each, by a look one trick ahead: over many worlds, drawn as in `monte_carlo.py`, its network values the position
after the card. With search, playouts are added for as long as there is time, and their mean is each card's win chance.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.agent import Agent, make_agent
from agents.heuristic import HeuristicAgent
from agents.monte_carlo import MonteCarloAgent
from agents.onnx_agent import OnnxAgent
from agents.policy_search import PolicySearchAgent, read_position, start_playouts
from agents.policy_values import ValueScale, value_scale
from agents.random_agent import RandomAgent
from agents.results import variant_title
from eck_env.base.replay import BaseReplay
from eck_env.batch import random_key
from eck_env.eck.cards import HAND_SIZE, NUM_KINDS
from eck_env.eck.engine import ENGINE, round_value
from eck_env.eck.replay import Replay
from eck_env.eck.round_values import RoundValues, load_round_values
from eck_env.eck.state import GAME, record
from eck_env.eck.variant import Variant
from eck_env.registry import AnyVariant
from eck_env.replays import forms_for

MAX_SECONDS = 30.0
"""The longest time that a search may be given."""

_LOOKAHEAD_WORLDS = 32
_WORLDS_A_PASS = {"flat": 32, "nested": 1, "policy": 4}
_LOOKAHEAD_PURPOSE = 2**35  # the random stream of the look ahead
_PASS = 1 << 20  # later passes of a search draw from keys of decisions that no game has

Judge = Callable[[NDArray[Any], NDArray[np.bool_], list[int]], NDArray[np.float64]]


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
        can_search: Whether it may be asked to search.

    Raises:
        ValueError: If there is no such agent, or it cannot play this variant.
        FileNotFoundError: If there is no such policy file.
    """

    can_search = False

    def __init__(self, spec: str, variant: AnyVariant) -> None:
        self._agent = make_agent(spec, variant)
        self.name = self._agent.name
        self._variant: Any = variant
        self._forms = forms_for(variant)
        self._policy = self._agent if isinstance(self._agent, OnnxAgent) else None

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
        if not 0 <= seconds <= MAX_SECONDS:
            raise ValueError(f"the time to search is {seconds} seconds, but must be from 0 to {MAX_SECONDS:g}")
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
        raise NotImplementedError

    def _note(self, seconds: float) -> str | None:
        """Say what could not be told, and whether a policy plays what it was not trained for."""
        notes = [self._training_note()]
        if seconds > 0:
            notes.append("a coach does not search in this game; agents whose names begin with mc: do by themselves")
        return "; ".join(filter(None, notes)) or None

    def _training_note(self) -> str:
        if self._policy is None or self._policy.variant == self._variant:
            return ""
        own = self._policy.variant
        trained, played = variant_title(own) if own else "another game", variant_title(self._variant)
        return f"{self.name} was trained for {trained}, and plays {played}"


class Coach(BaseCoach):
    """Gives advice by one agent in one variant of ECK, with search where there is a table of round values.

    It is not to be asked by several threads at once.

    Args:
        spec: The agent, as `agents.agent.make_agent` takes it.
        variant: The variant that is played.

    Attributes:
        name: The agent's name.
        can_search: Whether there is a table of round values for the variant, which every search needs.

    Raises:
        ValueError: If there is no such agent, or it cannot play this variant.
        FileNotFoundError: If there is no such policy file.
    """

    def __init__(self, spec: str, variant: Variant) -> None:
        super().__init__(spec, variant)
        self._table = _find_table(variant)
        self.can_search = self._table is not None
        self._lookahead: _Lookahead | None = None
        self._judge: Judge | None = None
        self._worlds = 0
        if self._table is not None:
            self._judge, self._worlds = _make_judge(self._agent, self._table, variant)
            if self._policy is not None and (scale := value_scale(self._policy)) is not None:
                self._lookahead = _Lookahead(self._policy, self._table, variant.same_circle, scale)

    def warm_up(self, search: bool = True) -> None:
        """Give advice once, so that what has to be compiled or loaded is so before the time of a search counts."""
        super().warm_up(search)
        if search and self._judge is not None:
            _, observation, info = Replay(self._variant, seed=0).start()
            self._judge(observation, np.asarray(info["action_mask"], np.bool_), [0, 0, 0])

    def _look(
        self, observation: NDArray[Any], legal: NDArray[np.bool_], key: tuple[int, int, int]
    ) -> tuple[float | None, NDArray[np.float64] | None]:
        return (None, None) if self._lookahead is None else self._lookahead.look(observation, legal, key)

    def _search(
        self, observation: NDArray[Any], legal: NDArray[np.bool_], key: tuple[int, int, int], end: float
    ) -> tuple[NDArray[np.float64], int]:
        """Return the mean of as many passes of playouts as there is time for, at least one."""
        assert self._judge is not None
        seed, game, decision = key
        total, passes, longest = np.zeros(NUM_KINDS), 0, 0.0
        now = time.perf_counter()
        while not passes or now + longest < end:
            total += self._judge(observation, legal, [seed, game, decision + passes * _PASS])
            passes += 1
            before, now = now, time.perf_counter()
            longest = max(longest, now - before)
        return total / passes, passes * self._worlds

    def _note(self, seconds: float) -> str | None:
        """Say what could not be told, and whether a policy plays what it was not trained for."""
        notes = [self._training_note()]
        if not self.can_search and (seconds > 0 or self._policy is not None):
            notes.append(
                "there is no table of round values for this variant, so there is no search, and no value of a card: "
                "python -m agents.round_value_iteration makes one"
            )
        return "; ".join(filter(None, notes)) or None


def make_coach(spec: str, variant: AnyVariant) -> BaseCoach:
    """Return a coach for a variant of any game; see `BaseCoach`."""
    return Coach(spec, variant) if isinstance(variant, Variant) else BaseCoach(spec, variant)


# --- What a policy's network sees after each card --------------------------------------------------------------------


class _Lookahead:
    """Values positions, and those after each legal card, by a policy's network."""

    def __init__(self, policy: OnnxAgent, table: RoundValues, same_circle: bool, scale: ValueScale) -> None:
        self._policy, self._values, self._scale = policy, table.values, scale
        self._game, self._scratch = np.zeros(1, GAME), np.zeros(1, GAME)
        self._game["same_circle"] = same_circle
        most = _LOOKAHEAD_WORLDS * HAND_SIZE
        self._worths = np.zeros(HAND_SIZE + 1)
        self._playouts, self._cards = np.zeros(most, GAME), np.zeros(most, np.int64)

    def look(
        self, observation: NDArray[Any], legal: NDArray[np.bool_], key: tuple[int, int, int]
    ) -> tuple[float, NDArray[np.float64]]:
        """Return the chance to win in a position, and after each card, shape (38,)."""
        bits = read_position(observation, legal, self._values, self._game, self._scratch, self._worths)
        start = round_value(record(self._game, 0), self._values)
        _, value = self._policy.logits_and_values(observation[np.newaxis], legal[np.newaxis])
        total = _LOOKAHEAD_WORLDS * int(np.count_nonzero(legal))
        playouts, cards = self._playouts[:total], self._cards[:total]
        with np.errstate(over="ignore"):
            stream = random_key(*key, _LOOKAHEAD_PURPOSE)
        start_playouts(self._game, bits, _LOOKAHEAD_WORLDS, stream, playouts, cards)
        seen = self._worths[playouts["won"]]
        going_on = np.flatnonzero(playouts["hand"] != 0)
        if len(going_on):
            seen[going_on] = self._scale.chances(self._network(playouts[going_on]), start)
        sums = np.bincount(cards, seen, NUM_KINDS)
        return float(self._scale.chances(value, start)[0]), sums / _LOOKAHEAD_WORLDS

    def _network(self, games: NDArray[np.void]) -> NDArray[np.float32]:
        outputs = ENGINE.make_outputs(len(games), np.int8)
        ENGINE.observe_games(games, outputs)
        return self._policy.logits_and_values(outputs.observations, outputs.masks)[1]


# --- Search ----------------------------------------------------------------------------------------------------------


def _find_table(variant: Variant) -> RoundValues | None:
    try:
        return load_round_values(variant)
    except ValueError:
        return None


def _make_judge(agent: Agent, table: RoundValues, variant: Variant) -> tuple[Judge, int]:
    """Return what one pass of an agent's search says of each card, and how many playouts a card that has.

    A policy, and the random and the heuristic player, which do not search by themselves, play the playouts.
    """
    if isinstance(agent, PolicySearchAgent):
        agent = agent.policy
    if isinstance(agent, OnnxAgent):
        worlds = _WORLDS_A_PASS["policy"]
        return PolicySearchAgent(agent, table, worlds, variant.same_circle).judge, worlds
    if not isinstance(agent, MonteCarloAgent):
        player = "heuristic" if isinstance(agent, HeuristicAgent) else "random"
        agent = MonteCarloAgent(table, player=player, same_circle=variant.same_circle)
    searcher = agent
    worlds = _WORLDS_A_PASS["nested" if searcher.nested else "flat"]
    return lambda observation, mask, key: searcher.judge(observation, mask, key, worlds), worlds


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
