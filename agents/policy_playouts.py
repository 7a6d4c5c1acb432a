"""Many rounds played to their ends by a policy, all of them together, so that the network decides for batches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.onnx_agent import OnnxAgent
from eck_env.compiled import entry_point, lowest_bit, popcount
from eck_env.eck.cards import DECK_SIZE, NUM_KINDS
from eck_env.eck.engine import write_mask
from eck_env.eck.observation import SIZE, encode
from eck_env.eck.rules import legal_kinds, play_card


@entry_point
def _play_forced(
    playouts: NDArray[np.void], observations: NDArray[np.int8], masks: NDArray[np.int8], asking: NDArray[np.int64]
) -> int:
    """Play every forced card, write the positions of the playouts that have a choice to make, and count these."""
    scripts = np.zeros((0, DECK_SIZE), np.int8)
    count = 0
    for index in range(playouts.shape[0]):
        game = playouts[index]
        while game.hand != 0:
            legal = legal_kinds(game.hand, game.lead, game.same_circle != 0)
            if popcount(legal) > 1:
                encode(game, observations[count])
                write_mask(game, masks[count])
                asking[count] = index
                count += 1
                break
            play_card(game, lowest_bit(legal), scripts)
    return count


@entry_point
def _play_cards(playouts: NDArray[np.void], asking: NDArray[np.int64], cards: NDArray[np.int64]) -> None:
    scripts = np.zeros((0, DECK_SIZE), np.int8)
    for place in range(asking.shape[0]):
        play_card(playouts[asking[place]], cards[place], scripts)


class PolicyPlayouts:
    """Plays rounds to their ends by a policy, greedily; forced cards are played without asking it.

    Args:
        policy: The policy.
        most: How many rounds it is to play at a time, at most.
    """

    def __init__(self, policy: OnnxAgent, most: int) -> None:
        self._policy = policy
        self._observations, self._masks = np.zeros((most, SIZE), np.int8), np.zeros((most, NUM_KINDS), np.int8)
        self._asking, self._keys = np.zeros(most, np.int64), np.zeros((most, 3), np.int64)

    def finish(self, games: NDArray[np.void]) -> None:
        """Play the present round of every record, at most `most`, to its last trick."""
        while count := _play_forced(games, self._observations, self._masks, self._asking):
            cards = self._policy.act(self._observations[:count], self._masks[:count], self._keys[:count])
            _play_cards(games, self._asking[:count], cards)
