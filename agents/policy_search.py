"""Search whose playouts a policy plays: a few tricks far, where its value stands for the rest of the round.

The worlds are drawn as in `monte_carlo.py`: what the player cannot know is drawn anew for each, and the cards compared
share them; the playouts are spent by sequential halving too. The policy's logits count as much as a few worlds do, and
where a card is out of the question by them, its playouts go to the others.

The value of a policy is far less noisy than the end of a round, and its error matters the less the further ahead it
is asked for. So a playout stops after a few choices (truncated rollouts: Tesauro and Galperin, "On-line policy
improvement using Monte-Carlo search", 1996). A policy whose values are for another variant, or for an unknown reward,
plays on to the last tricks. These, where policies are at their weakest, are left to expectimax (`endgame.py`).

With `inner` a small search has a say in what is played in the playouts, which then go on to the last tricks: slower,
and less misled by what the policy does not see. See `policy_playouts.py`.

With a budget in playouts, the choices of a decision depend on its position and its key alone.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.endgame import MAX_CARDS, NUM_RECORDS, cards_left, judge_endgame
from agents.flat_search import legal_bits
from agents.halving import Budget, Milliseconds, halve, playouts_of
from agents.monte_carlo import playable
from agents.onnx_agent import OnnxAgent
from agents.policy_playouts import PolicyPlayouts, near_cards
from agents.policy_values import ValueScale, value_scale
from agents.worlds import draw_world
from eck_env.batch import advance, random_key
from eck_env.compiled import entry_point, lowest_bit, popcount
from eck_env.eck.cards import HAND_SIZE, NUM_KINDS
from eck_env.eck.engine import round_value
from eck_env.eck.observation import restore
from eck_env.eck.round_values import RoundValues, end_worths
from eck_env.eck.rules import play_card
from eck_env.eck.state import GAME, record
from eck_env.eck.variant import Variant

CHOICES = 4
"""How many cards the policy chooses in a playout before its value is asked for."""

_PRIOR = 0.015  # by how much a sum over worlds is the higher if a logit is the higher by 1
_SURPRISE = 0.025  # by how much a playout is thought to judge a card better, at most, than the logits had it
_SEARCH_PURPOSE = 2**34  # the random stream of this search
_CHUNK = 1024  # playouts at a time


@entry_point
def start_playouts(
    game: NDArray[np.void],
    legal: int,
    worlds: int,
    key: np.uint64,
    playouts: NDArray[np.void],
    cards: NDArray[np.int64],
) -> np.uint64:
    """Lay out a playout for each world and card, play that card in it, and return the state of the random stream."""
    place = 0
    for _ in range(worlds):
        key = advance(key)
        first = place
        rest = legal
        while rest:
            kind = lowest_bit(rest)
            rest &= rest - 1
            if place == first:
                playouts[place] = game[0]
                draw_world(playouts[place], key)
            else:
                playouts[place] = playouts[first]
            cards[place] = kind
            place += 1
    for index in range(place):
        play_card(playouts[index], cards[index])
    return key


@entry_point
def read_position(
    observation: NDArray[Any], mask: NDArray[np.bool_], values: NDArray[np.float64], game: NDArray[np.void],
    scratch: NDArray[np.void], worths: NDArray[np.float64],
) -> int:  # fmt: skip
    """Make a record of an observation, note what each count of tricks is worth, and return the legal kinds."""
    restore(observation, game[0])
    end_worths(game[0], values, scratch[0], worths)
    return legal_bits(mask)


class PolicySearchAgent:
    """Judges the legal cards by playouts that a policy plays, and where these stop by its value or by round values.

    Args:
        policy: The policy that plays the playouts, greedily.
        round_values: What the ends of rounds are worth.
        budget: Playouts a legal card, on average, or a time; they are spent on the better cards.
        same_circle: Whether a circle must be followed by one of its color.
        choices: How many cards the policy chooses in a playout before its value is asked for; `HAND_SIZE` plays every
            round to its last tricks. By default `CHOICES`, if the values of the policy are for this variant.
        inner: The playouts a card of the search that has a say in the playouts, in which no values are asked for
            then; 0 for none.

    Attributes:
        name: What tables and files call the agent.
        policy: The policy.
        variant: The variant that the policy was trained for; None if that is not known.
    """

    def __init__(
        self,
        policy: OnnxAgent,
        round_values: RoundValues,
        budget: Budget = 64,
        same_circle: bool = False,
        choices: int | None = None,
        inner: int = 0,
    ) -> None:
        self.name = f"{policy.name}+search:{budget}" + (f":{inner}" if inner else "")
        self.policy = policy
        self.variant = policy.variant
        self._values, self._budget, self._inner = round_values.values, budget, inner
        own, scale = self.variant, value_scale(policy)
        at_home = isinstance(own, Variant) and (own.target, own.trick_cards) == (
            round_values.target,
            round_values.trick_cards,
        )
        self._choices = choices if choices is not None else CHOICES if at_home else HAND_SIZE
        if scale is None or inner:
            self._choices = HAND_SIZE
        self._scale = scale or ValueScale(of_game=False)
        self._rounds = PolicyPlayouts(policy, _CHUNK, inner)
        self._game, self._scratch = np.zeros(NUM_RECORDS, GAME), np.zeros(1, GAME)
        self._game["same_circle"] = same_circle
        self._worths, self._sums = np.zeros(HAND_SIZE + 1), np.zeros((NUM_RECORDS, NUM_KINDS))
        self._playouts, self._cards = np.zeros(_CHUNK, GAME), np.zeros(_CHUNK, np.int64)

    def act(self, observations: NDArray[Any], action_masks: NDArray[Any], keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Choose an action in each game; see `Agent.act`."""
        masks = np.asarray(action_masks, np.bool_)
        rows = zip(observations, masks, keys.tolist(), strict=True)
        return np.array([self._choose(*row) for row in rows], np.int64).reshape(len(observations))

    def judge(
        self, observation: NDArray[Any], mask: NDArray[np.bool_], key: list[int], worlds: int | None = None
    ) -> NDArray[np.float64]:
        """Return the chance to win that the playouts give each legal card, shape (38,); 0 for the others.

        All cards are given the same number of playouts, by default that of the budget, and the policy's logits do not
        count, other than in `act`.
        """
        worlds = playouts_of(self._budget) if worlds is None else worlds
        sums = np.zeros(NUM_KINDS)
        self._judge(self._read(observation, mask), 0, worlds, _start_key(key), sums)
        return sums / worlds

    def _choose(self, observation: NDArray[Any], mask: NDArray[np.bool_], key: list[int]) -> int:
        start = time.perf_counter()
        mask = playable(observation, mask)
        if np.count_nonzero(mask) <= 1:
            return int(np.argmax(mask))
        legal, stream, done = self._read(observation, mask), _start_key(key), 0
        sums, budget = np.zeros(NUM_KINDS), self._budget
        if not self._at_the_end():
            logits, _ = self.policy.logits_and_values(observation[np.newaxis], mask[np.newaxis])
            sums += _PRIOR * logits[0]
            if not isinstance(budget, Milliseconds):
                near = near_cards(legal, logits[0], budget * _SURPRISE / _PRIOR)
                if popcount(near) == 1:
                    return lowest_bit(near)
                legal, budget = near, budget * popcount(legal) // popcount(near)

        def judge(cards: int, worlds: int) -> None:
            nonlocal stream, done
            stream = self._judge(cards, done, worlds, stream, sums)
            done += worlds

        return halve(legal, budget, judge, sums, start)

    def _at_the_end(self) -> bool:
        return cards_left(record(self._game, 0)) <= MAX_CARDS

    def _read(self, observation: NDArray[Any], mask: NDArray[np.bool_]) -> int:
        return read_position(observation, mask, self._values, self._game, self._scratch, self._worths)

    def _judge(self, cards: int, first: int, worlds: int, key: np.uint64, sums: NDArray[np.float64]) -> np.uint64:
        """Add to `sums` the chance to win after each card, over worlds from number `first` on; return the stream."""
        if self._at_the_end():
            self._sums[0] = 0.0
            key = np.uint64(judge_endgame(self._game, cards, first, worlds, self._worths, key, self._sums))
            sums += self._sums[0]
            return key
        chances = partial(self._scale.chances, start=round_value(record(self._game, 0), self._values))
        number = popcount(cards)
        while worlds > 0:
            part = min(worlds, _CHUNK // number)
            worlds -= part
            playouts, kinds = self._playouts[: part * number], self._cards[: part * number]
            key = np.uint64(start_playouts(self._game, cards, part, key, playouts, kinds))
            judged = self._rounds.judge(playouts, self._choices, self._worths, chances)
            sums += np.bincount(kinds, judged, NUM_KINDS)
        return key


def _start_key(key: list[int]) -> np.uint64:
    """Return the start of the random stream of a decision."""
    with np.errstate(over="ignore"):
        return random_key(key[0], key[1], key[2], _SEARCH_PURPOSE)
