"""The states that episodes of one round, or hand, start from."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.batch import mix, random_key
from eck_env.compiled import rule

_START_PURPOSE = -1  # the random stream that draws the start of an episode


@rule
def _find_start(starts: NDArray[np.void], drawn: float) -> int:
    """Return the place of the first start whose cumulative probability is above a number from 0 to 1.

    NumPy's searchsorted finds the same, but takes a second to compile.
    """
    low, high = 0, starts.shape[0] - 1
    while low < high:
        middle = (low + high) // 2
        if starts[middle].cumulative > drawn:
            high = middle
        else:
            low = middle + 1
    return low


@rule
def draw_start(game: Any, starts: NDArray[np.void]) -> int:
    """Return the place of the start of the episode that seed and number of a record name.

    Args:
        game: The record.
        starts: States with a field `cumulative`, the summed-up probability of each and those before it; at least one.
    """
    bits = mix(random_key(game.seed, game.game_number, 0, _START_PURPOSE)) >> np.uint64(11)
    return _find_start(starts, np.float64(bits) / 2.0**53)


def cumulate(weights: NDArray[Any]) -> NDArray[np.float64]:
    """Return summed-up probabilities that are in proportion to weights."""
    summed: NDArray[np.float64] = np.cumsum(weights) / np.sum(weights)
    return summed


def check_weights(weights: NDArray[np.float64]) -> None:
    """Raise ValueError if states with these weights cannot be drawn."""
    if not len(weights) or not (np.isfinite(weights).all() and (weights >= 0).all() and weights.sum() > 0):
        raise ValueError("start_states needs at least one state, and weights from 0 up that are not all 0")


def weight_of(state: Any, index: int) -> float:
    """Return the weight of a state given in notation, 1 if it names none; ValueError if it is none."""
    weight = state.get("weight", 1.0)
    if isinstance(weight, bool) or not isinstance(weight, int | float):
        raise ValueError(f"the weight of start_states[{index}] is {weight!r}, but must be a number from 0 up")
    return float(weight)
