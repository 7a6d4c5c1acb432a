"""How a game stands between two hands, as an index into tables of round values; and what it is worth by such a table.

A table has three axes. The first says how far the game is: the set of the bids that are left, or in the first edition
the number of hands played. The second is your points, in two columns less the dummy's; shut the box has none. The third
is how many Aces are left. Which suit is trump, and which cards are out in a back hand, is not in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.compiled import rule
from eck_env.gongor_whist.cards import HAND_SIZE, NO_TRUMP, NUM_SUITS
from eck_env.gongor_whist.rules import (
    ALL_BIDS,
    DRAWN,
    LOST,
    NO_BID,
    NUM_BIDS,
    OVER,
    WINNING_POINTS,
    WON,
)
from eck_env.gongor_whist.variant import FIRST_EDITION, SCORINGS, SHUT_THE_BOX, TWO_COLUMNS, Variant

_MOST_FOR_YOU = HAND_SIZE + sum(range(NUM_BIDS))
_MOST_FOR_DUMMY = sum(max(bid, HAND_SIZE - bid) for bid in range(NUM_BIDS))
LOWEST = {SHUT_THE_BOX: 0, TWO_COLUMNS: -_MOST_FOR_DUMMY, FIRST_EDITION: -WINNING_POINTS}
"""The fewest points that a table tells apart, by scoring; fewer count as these."""
HIGHEST = {SHUT_THE_BOX: 0, TWO_COLUMNS: _MOST_FOR_YOU, FIRST_EDITION: WINNING_POINTS - 1}
_LOWEST = np.array([LOWEST[scoring] for scoring in range(len(SCORINGS))])
_HIGHEST = np.array([HIGHEST[scoring] for scoring in range(len(SCORINGS))])


def values_shape(variant: Variant) -> tuple[int, int, int]:
    """Return the shape of a variant's table."""
    scoring = SCORINGS.index(variant.scoring)
    progress = variant.max_hands if scoring == FIRST_EDITION else ALL_BIDS + 1
    return progress, HIGHEST[scoring] - LOWEST[scoring] + 1, NUM_SUITS


@rule
def points_place(scoring: int, points: int) -> int:
    """Return the place of points on the second axis."""
    return int(min(max(points, _LOWEST[scoring]), _HIGHEST[scoring]) - _LOWEST[scoring])


@rule
def lead_of(game: Any) -> int:
    """Return the points that count: yours, in two columns less the dummy's, in shut the box none."""
    if game.scoring == SHUT_THE_BOX:
        return 0
    return int(game.you - game.dummy)


@rule
def aces_after(game: Any) -> int:
    """Return how many Aces are left when the next hand begins, of a game at the end of one."""
    if game.pass_aces and (game.hand_number & 1 != 0 or game.trump == NO_TRUMP):
        return NUM_SUITS - 1
    return int(NUM_SUITS - game.turned)


@rule
def final_value(scoring: int, outcome: int, hands: int, max_hands: int) -> float:
    """Return what a game that is over is worth: a win 1, a draw one half; in the first edition the share of hands left.

    In the first edition the fewer hands the better: a win is worth the share of the hands allowed that it did not need.
    """
    if outcome == WON:
        return 1.0 - hands / max_hands if scoring == FIRST_EDITION else 1.0
    return 0.5 if outcome == DRAWN else 0.0


@rule
def round_value(game: Any, values: NDArray[np.float64]) -> float:
    """Return what a game is worth by a table.

    Inside a hand it is the worth of the state that the hand began with, with the Aces that are left now; at its end,
    after `finish_hand`, that of the state that it leads to, or of a game that is over.
    """
    if game.outcome == WON or game.outcome == LOST or game.outcome == DRAWN:
        return final_value(game.scoring, game.outcome, game.hand_number + 1, game.max_hands)
    place = points_place(game.scoring, lead_of(game))
    ended = game.phase == OVER
    aces = aces_after(game) if ended else NUM_SUITS - game.turned
    progress = game.hand_number + 1 if ended else game.hand_number
    if game.scoring != FIRST_EDITION:
        progress = game.bids if ended or game.bid == NO_BID else game.bids | 1 << int(game.bid)
    value: float = values[progress, place, aces]
    return value
