"""Search whose playouts are played by a policy: flat Monte Carlo with a network in place of the random player.

The worlds are drawn as in
`monte_carlo.py`: what the player cannot know is drawn anew for each, and the cards compared share them. The choices
of a decision depend on its position and its key alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.monte_carlo import draw_world, legal_bits
from agents.onnx_agent import OnnxAgent
from agents.policy_playouts import PolicyPlayouts
from eck_env.batch import advance, random_key
from eck_env.compiled import entry_point, lowest_bit
from eck_env.eck.cards import DECK_SIZE, HAND_SIZE, NUM_KINDS
from eck_env.eck.observation import restore
from eck_env.eck.round_values import RoundValues, end_worths
from eck_env.eck.rules import play_card
from eck_env.eck.state import GAME

_SEARCH_PURPOSE = 2**34  # the random stream of this search


@entry_point
def _start_playouts(
    game: NDArray[np.void],
    legal: int,
    worlds: int,
    key: np.uint64,
    playouts: NDArray[np.void],
    cards: NDArray[np.int64],
) -> None:
    """Lay out a playout for each world and legal card, and play that card in it."""
    scripts = np.zeros((0, DECK_SIZE), np.int8)
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
        play_card(playouts[index], cards[index], scripts)


@entry_point
def _read_position(
    observation: NDArray[Any], mask: NDArray[np.bool_], values: NDArray[np.float64], game: NDArray[np.void],
    scratch: NDArray[np.void], worths: NDArray[np.float64],
) -> int:  # fmt: skip
    """Make a record of an observation, note what each count of tricks is worth, and return the legal kinds."""
    restore(observation, game[0])
    end_worths(game[0], values, scratch[0], worths)
    return legal_bits(mask)


class PolicySearchAgent:
    """Judges every legal card by playouts of the round that a policy plays, and the round's end by round values.

    Args:
        policy: The policy that plays the playouts, greedily.
        round_values: What the ends of rounds are worth.
        worlds: Playouts for each legal card.
        same_circle: Whether a circle must be followed by one of its color.
    """

    def __init__(
        self, policy: OnnxAgent, round_values: RoundValues, worlds: int = 16, same_circle: bool = False
    ) -> None:
        self.name = f"{policy.name}+search:{worlds}"
        self._values, self._worlds = round_values.values, worlds
        most = worlds * HAND_SIZE
        self._rounds = PolicyPlayouts(policy, most)
        self._game, self._scratch = np.zeros(1, GAME), np.zeros(1, GAME)
        self._game["same_circle"] = same_circle
        self._worths = np.zeros(HAND_SIZE + 1)
        self._playouts, self._cards = np.zeros(most, GAME), np.zeros(most, np.int64)

    def act(self, observations: NDArray[Any], action_masks: NDArray[Any], keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Choose an action in each game; see `Agent.act`."""
        masks = np.asarray(action_masks, np.bool_)
        rows = zip(observations, masks, keys.tolist(), strict=True)
        return np.array([self._choose(*row) for row in rows], np.int64).reshape(len(observations))

    def _choose(self, observation: NDArray[Any], mask: NDArray[np.bool_], key: list[int]) -> int:
        if np.count_nonzero(mask) == 1:
            return int(np.argmax(mask))
        means = self.judge(observation, mask, key)
        return int(np.argmax(np.where(mask, means, -1.0)))

    def judge(self, observation: NDArray[Any], mask: NDArray[np.bool_], key: list[int]) -> NDArray[np.float64]:
        """Return the chance to win that the playouts give each legal card, shape (38,); 0 for the others."""
        legal = _read_position(observation, mask, self._values, self._game, self._scratch, self._worths)
        total = self._worlds * int(np.count_nonzero(mask))
        playouts, cards = self._playouts[:total], self._cards[:total]
        with np.errstate(over="ignore"):
            start = random_key(key[0], key[1], key[2], _SEARCH_PURPOSE)
        _start_playouts(self._game, legal, self._worlds, start, playouts, cards)
        self._rounds.finish(playouts)
        sums = np.bincount(cards, self._worths[playouts["won"]], NUM_KINDS)
        return sums / self._worlds
