"""Many rounds played on by a policy, all of them together, so that the network decides for batches.

A policy errs in the same way again and again, so that even many playouts can mislead; the errors of a search by random
playouts are other ones, and differ from playout to playout. Both together choose better than either: where the policy
sees several cards that are nearly as good, a small search has a say.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from agents.endgame import EXACT_CARDS, NUM_RECORDS, cards_left, finish_exactly, judge_last_cards
from agents.halving import best_card
from agents.monte_carlo import judge_flat
from agents.onnx_agent import OnnxAgent
from eck_env.batch import mix
from eck_env.compiled import entry_point, lowest_bit, popcount, rule
from eck_env.eck.cards import HAND_SIZE, NUM_KINDS
from eck_env.eck.engine import write_mask
from eck_env.eck.observation import SIZE, encode
from eck_env.eck.players import RANDOM
from eck_env.eck.round_values import end_worths
from eck_env.eck.rules import legal_kinds, play_card
from eck_env.eck.state import GAME

_NEAR = 5.0  # by how much a logit may be less than the highest for a small search to look at the card
_LOGIT = 0.1  # what a logit that is higher by 1 counts, in standard deviations of the worths of the counts
_SEARCH_RECORDS = 2
_LAST_WORLDS = 12  # over which a choice among the last cards is made


@entry_point
def _play_forced(
    playouts: NDArray[np.void], stop: int, observations: NDArray[np.int8], masks: NDArray[np.int8],
    asking: NDArray[np.int64],
) -> int:  # fmt: skip
    """Play every forced card, write the positions of the playouts that have a choice to make, and count these.

    Playouts with at most `stop` cards left are played no further.
    """
    count = 0
    for index in range(playouts.shape[0]):
        game = playouts[index]
        while cards_left(game) > stop:
            legal = legal_kinds(game.hand, game.lead, game.same_circle != 0)
            if popcount(legal) > 1:
                encode(game, observations[count])
                write_mask(game, masks[count])
                asking[count] = index
                count += 1
                break
            play_card(game, lowest_bit(legal))
    return count


@rule
def near_cards(legal: int, logits: NDArray[np.float32], distance: float) -> int:
    """Return the kinds out of a set whose logits are less than the highest by no more than a distance."""
    highest = logits[lowest_bit(legal)]
    rest = legal
    while rest:
        highest = max(highest, logits[lowest_bit(rest)])
        rest &= rest - 1
    near, rest = 0, legal
    while rest:
        kind = lowest_bit(rest)
        rest &= rest - 1
        near |= (1 << kind) if logits[kind] >= highest - distance else 0
    return near


@entry_point
def _play_cards(
    playouts: NDArray[np.void], asking: NDArray[np.int64], logits: NDArray[np.float32], inner: int,
    worths: NDArray[np.float64], scratch: NDArray[np.void],
) -> None:  # fmt: skip
    """Play a card in each playout that has a choice: that of the highest logit.

    With `inner`, this many random playouts judge each of the cards that are near it, and the logits count less.
    """
    sums, weight = np.zeros(NUM_KINDS), inner * _LOGIT * np.std(worths)
    for place in range(asking.shape[0]):
        game = playouts[asking[place]]
        if inner == 0:
            play_card(game, int(np.argmax(logits[place])))
            continue
        cards = legal_kinds(game.hand, game.lead, game.same_circle != 0)
        cards = near_cards(cards, logits[place], _NEAR)
        for kind in range(NUM_KINDS):
            sums[kind] = weight * logits[place, kind]
        if popcount(cards) > 1:
            judge_flat(game, cards, inner, RANDOM, worths, mix(~np.uint64(game.seed)), scratch, sums)
        play_card(game, best_card(cards, sums))


@entry_point
def _play_last_cards(
    playouts: NDArray[np.void], values: NDArray[np.float64], games: NDArray[np.void], sums: NDArray[np.float64]
) -> None:
    """Play the last cards of the rounds, at most `EXACT_CARDS`, as well as can be; see `judge_last_cards`."""
    worths = np.zeros(HAND_SIZE + 1)
    for index in range(playouts.shape[0]):
        game = playouts[index]
        end_worths(game, values, games[0], worths)
        key = mix(~np.uint64(game.seed))
        while game.hand != 0:
            cards = legal_kinds(game.hand, game.lead, game.same_circle != 0)
            if popcount(cards) > 1:
                games[0] = game
                sums[0] = 0.0
                key = judge_last_cards(games, cards, 0, _LAST_WORLDS, worths, key, sums)
                cards = 1 << best_card(cards, sums[0])
            play_card(game, lowest_bit(cards))


Chances = Callable[[NDArray[np.float32]], NDArray[np.float64]]
"""Turns values of a policy into chances to win."""


class PolicyPlayouts:
    """Plays rounds on by a policy, greedily; forced cards are played without asking it.

    Args:
        policy: The policy.
        most: How many rounds it is to play at a time, at most.
        inner: The playouts a card of the search that has a say in `judge`; 0 for none.
    """

    def __init__(self, policy: OnnxAgent, most: int, inner: int = 0) -> None:
        self._policy, self._inner = policy, inner
        self._scratch = np.zeros(_SEARCH_RECORDS, GAME)
        self._observations, self._masks = np.zeros((most, SIZE), np.int8), np.zeros((most, NUM_KINDS), np.int8)
        self._asking = np.zeros(most, np.int64)
        self._records, self._sums = np.zeros(NUM_RECORDS, GAME), np.zeros((NUM_RECORDS, NUM_KINDS))

    def finish(self, games: NDArray[np.void], values: NDArray[np.float64] | None = None) -> None:
        """Play the present round of every record, at most `most`, to its last trick.

        Args:
            games: The records.
            values: Round values, shape `VALUES_SHAPE`, by which expectimax chooses the last `EXACT_CARDS` cards;
                without them the policy does.
        """
        self._play(games, HAND_SIZE, 0 if values is None else EXACT_CARDS, 0, np.zeros(HAND_SIZE + 1))
        if values is not None:
            _play_last_cards(games, values, self._records, self._sums)

    def judge(
        self, games: NDArray[np.void], choices: int, worths: NDArray[np.float64], chances: Chances
    ) -> NDArray[np.float64]:
        """Play on for some choices in each round, and return the chance to win then, shape (n,).

        The last `EXACT_CARDS` cards of a round are played as well as can be, not by the policy.

        Args:
            games: The records, at most `most`.
            choices: How many cards the policy chooses in each; with `HAND_SIZE` all rounds are played on to those.
            worths: What each count of tricks is worth at the end of the round, shape (14,).
            chances: Turns the policy's values of rounds that are not at their end into chances to win.
        """
        count, values = self._play(games, choices, EXACT_CARDS, self._inner, worths)
        judged = np.zeros(len(games))
        finish_exactly(games, worths, self._records, self._sums, judged)
        if count:
            judged[self._asking[:count]] = chances(values)
        return judged

    def _play(
        self, games: NDArray[np.void], choices: int, stop: int, inner: int, worths: NDArray[np.float64]
    ) -> tuple[int, NDArray[np.float32]]:
        """Have so many cards chosen; return how many rounds ask for another one, and the policy's values of these."""
        while True:
            count = _play_forced(games, stop, self._observations, self._masks, self._asking)
            if not count:
                return 0, np.zeros(0, np.float32)
            logits, values = self._policy.logits_and_values(self._observations[:count], self._masks[:count])
            if choices == 0:
                return count, values
            choices -= 1
            _play_cards(games, self._asking[:count], logits, inner, worths, self._scratch)
