"""The heuristic agent: plays by the advice that a good human player would give (`eck_env/eck/players.py`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.monte_carlo import legal_bits
from eck_env.compiled import entry_point
from eck_env.eck.cards import bag_kinds
from eck_env.eck.observation import restore
from eck_env.eck.players import HEURISTIC
from eck_env.eck.playouts import choose_card
from eck_env.eck.state import GAME


@entry_point
def _choose_cards(
    observations: NDArray[Any], masks: NDArray[np.bool_], scratch: NDArray[np.void], actions: NDArray[np.int64]
) -> None:
    for index in range(observations.shape[0]):
        restore(observations[index], scratch[0])
        legal = legal_bits(masks[index]) & bag_kinds(scratch[0].hand)
        if legal != 0:  # else the game is over, and any action will do
            actions[index] = choose_card(scratch[0], legal, HEURISTIC, np.uint64(0))


class HeuristicAgent:
    """Weighs for every legal card what the trick and the round are likely to bring, and plays the best."""

    name = "heuristic"

    def __init__(self) -> None:
        self._scratch = np.zeros(1, GAME)

    def act(self, observations: NDArray[Any], action_masks: NDArray[Any], keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Choose an action in each game; see `Agent.act`."""
        actions = np.zeros(len(observations), np.int64)
        _choose_cards(observations, np.asarray(action_masks, np.bool_), self._scratch, actions)
        return actions
