"""Many rounds played on by a policy, all of them together, so that the network decides for batches."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from agents.endgame import EXACT_CARDS, NUM_RECORDS, cards_left, finish_exactly
from agents.onnx_agent import OnnxAgent
from eck_env.compiled import entry_point, lowest_bit, popcount
from eck_env.eck.cards import HAND_SIZE, NUM_KINDS
from eck_env.eck.engine import write_mask
from eck_env.eck.observation import SIZE, encode
from eck_env.eck.rules import legal_kinds, play_card
from eck_env.eck.state import GAME


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


@entry_point
def _play_cards(playouts: NDArray[np.void], asking: NDArray[np.int64], cards: NDArray[np.int64]) -> None:
    for place in range(asking.shape[0]):
        play_card(playouts[asking[place]], cards[place])


Chances = Callable[[NDArray[np.float32]], NDArray[np.float64]]
"""Turns values of a policy into chances to win."""


class PolicyPlayouts:
    """Plays rounds on by a policy, greedily; forced cards are played without asking it.

    Args:
        policy: The policy.
        most: How many rounds it is to play at a time, at most.
    """

    def __init__(self, policy: OnnxAgent, most: int) -> None:
        self._policy = policy
        self._observations, self._masks = np.zeros((most, SIZE), np.int8), np.zeros((most, NUM_KINDS), np.int8)
        self._asking = np.zeros(most, np.int64)
        self._records, self._sums = np.zeros(NUM_RECORDS, GAME), np.zeros((NUM_RECORDS, NUM_KINDS))

    def finish(self, games: NDArray[np.void]) -> None:
        """Play the present round of every record, at most `most`, to its last trick."""
        self._play(games, HAND_SIZE, 0)

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
        count, values = self._play(games, choices, EXACT_CARDS)
        judged = np.zeros(len(games))
        finish_exactly(games, worths, self._records, self._sums, judged)
        if count:
            judged[self._asking[:count]] = chances(values)
        return judged

    def _play(self, games: NDArray[np.void], choices: int, stop: int) -> tuple[int, NDArray[np.float32]]:
        """Let the policy choose so many cards; return how many rounds ask for another one, and the values of these."""
        while True:
            count = _play_forced(games, stop, self._observations, self._masks, self._asking)
            if not count:
                return 0, np.zeros(0, np.float32)
            logits, values = self._policy.logits_and_values(self._observations[:count], self._masks[:count])
            if choices == 0:
                return count, values
            choices -= 1
            _play_cards(games, self._asking[:count], logits.argmax(axis=1))
