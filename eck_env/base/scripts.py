"""Prescribed shuffles: the orders, by given cards, of the shuffles that are still to come in a game.

Those of a batch are one array of shape (n, number, length), int8, each order filled up with NO_CARD; a game uses the
first `scripted` of its rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eck_env.batch import NO_CARD


def no_scripts(count: int, length: int) -> NDArray[np.int8]:
    """Return the array of a batch without prescribed shuffles."""
    return np.zeros((count, 0, length), np.int8)


def trim_scripts(scripts: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return the prescribed shuffles without the last places, where no game uses them."""
    used = np.flatnonzero((scripts != NO_CARD).any(axis=(0, 2)))
    return scripts[:, : used[-1] + 1 if len(used) else 0]


def insert_scripts(scripts: NDArray[np.int8], index: int, own: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return the prescribed shuffles of all games with those of one game replaced."""
    count, number, length = scripts.shape
    missing = len(own) - number
    if missing > 0:
        scripts = np.concatenate([scripts, np.full((count, missing, length), NO_CARD, np.int8)], axis=1)
    else:
        scripts = scripts.copy()
    scripts[index] = NO_CARD
    scripts[index, : len(own)] = own
    return scripts
