"""What tests of searches share."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.agent import Agent


def check_time(
    agent: Agent, milliseconds: float, observations: NDArray[Any], masks: NDArray[Any], keys: NDArray[np.int64]
) -> None:
    """Check that decisions are legal, take about the time given, and none where the card is forced."""
    forced = np.count_nonzero(masks, axis=1) == 1
    choosing = np.flatnonzero(~forced)
    agent.act(observations[choosing[:1]], masks[choosing[:1]], keys[:1])  # compiles
    times, chosen = [], []
    for index in choosing:
        rows = slice(index, index + 1)
        start = time.perf_counter()
        actions = agent.act(observations[rows], masks[rows], keys[rows])
        times.append(1000 * (time.perf_counter() - start))
        chosen.append(int(actions[0]))
    # Other work on the same cores makes a decision longer, and some of them much longer.
    assert 0.3 * milliseconds < np.median(times) < 2.5 * milliseconds
    assert masks[choosing, chosen].all()
    only = np.zeros_like(masks[choosing])
    only[np.arange(len(choosing)), chosen] = 1
    start = time.perf_counter()
    assert agent.act(observations[choosing], only, keys[choosing]).tolist() == chosen
    assert 1000 * (time.perf_counter() - start) < 0.5 * milliseconds * len(choosing)
