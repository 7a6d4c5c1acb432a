"""Compiled players of the game without numbers: they decide from the record of a game, by what their seat knows."""

from __future__ import annotations

from typing import Any

import numpy as np

from eck_env.batch import below, random_key
from eck_env.compiled import lowest_bit, popcount, rule
from eck_env.numberless.rules import legal_cards

_PLAYER_PURPOSE = 2**32  # the random streams of compiled players


@rule
def random_card(legal: int, key: np.uint64) -> int:
    """Return one of the legal cards, all equally likely; the random number is that of the stream's state `key`."""
    for _ in range(below(key, popcount(legal))):
        legal &= legal - 1
    return lowest_bit(legal)


@rule
def choose_card(game: Any, player: int, key: np.uint64) -> int:
    """Return the card that a compiled player chooses for the seat to move."""
    return random_card(legal_cards(game), key)


@rule
def player_key(game: Any) -> np.uint64:
    """Return the random stream of a decision of a compiled player; it depends on no other decision."""
    return random_key(game.seed, game.game_number, game.decision, _PLAYER_PURPOSE)
