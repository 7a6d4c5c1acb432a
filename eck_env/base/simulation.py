"""Playing many games in shares, over processes: what the simulations of every game have in common."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from numpy.typing import NDArray

from eck_env.batch import MAX_SEED
from eck_env.checks import integer


def spread(
    play: Callable[[tuple[int, int]], NDArray[np.int32]],
    count: int,
    what: str,
    first_seed: int,
    processes: int,
    share: int,
) -> NDArray[np.int32]:
    """Play in shares, whose seeds and sizes do not depend on the processes, and return the columns of all.

    Args:
        play: Plays a share, given as its first seed and its size, and returns columns, shape (number, size).
        count: How many games there are.
        what: What they are called.
        first_seed: The seed of the first one.
        processes: How many processes play.
        share: The size of a share.
    """
    count = integer(count, 1, MAX_SEED, what)
    first_seed = integer(first_seed, 0, MAX_SEED - count + 1, "first_seed")
    processes = integer(processes, 1, 1024, "processes")
    shares = [(first_seed + done, min(share, count - done)) for done in range(0, count, share)]
    if processes == 1 or len(shares) == 1:
        return np.concatenate([play(each) for each in shares], axis=1)
    # A process that starts afresh inherits no threads and no locks of the caller's.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(processes, len(shares)), context) as pool:
        return np.concatenate(list(pool.map(play, shares)), axis=1)
