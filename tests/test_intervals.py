"""Confidence intervals against the literature, and against many simulated experiments."""

from __future__ import annotations

import numpy as np
import pytest

from agents.intervals import paired_interval, wilson_interval


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [  # Newcombe, "Two-sided confidence intervals for the single proportion", 1998, table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_interval_of_the_literature(successes: int, trials: int, low: float, high: float) -> None:
    assert wilson_interval(successes, trials) == pytest.approx((low, high), abs=5e-5)
    mirrored = wilson_interval(trials - successes, trials)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=5e-5)


def test_wilson_interval_ends_where_the_score_test_rejects() -> None:
    for bound in wilson_interval(270, 2000):
        assert abs(0.135 - bound) == pytest.approx(1.959964 * (bound * (1 - bound) / 2000) ** 0.5, rel=1e-6)
    assert wilson_interval(5, 5)[1] == 1.0
    assert all(wilson_interval(0, trials)[0] == 0.0 for trials in range(1, 200))
    narrow, wide = wilson_interval(5, 10, 0.5), wilson_interval(5, 10, 0.99)
    assert wide[0] < narrow[0] < 0.5 < narrow[1] < wide[1]


@pytest.mark.parametrize(("successes", "trials"), [(0, 0), (3, 2), (-1, 5)])
def test_wilson_interval_of_nonsense(successes: int, trials: int) -> None:
    with pytest.raises(ValueError, match="there must be a trial"):
        wilson_interval(successes, trials)


@pytest.mark.parametrize(
    ("counts", "low", "high"),
    [  # Fagerland, Lydersen and Laake, "Statistical Analysis of Contingency Tables", 2017, chapter 8
        ((1, 1, 7, 12), -0.507, -0.026),
        ((59, 6, 16, 80), -0.1186, -0.0046),
    ],
)
def test_paired_interval_of_the_literature(counts: tuple[int, int, int, int], low: float, high: float) -> None:
    assert paired_interval(*counts) == pytest.approx((low, high), abs=5e-4 if low == -0.507 else 5e-5)
    both, first, second, neither = counts
    assert paired_interval(both, second, first, neither) == pytest.approx((-high, -low), abs=5e-4)
    assert paired_interval(neither, second, first, both) == pytest.approx((-high, -low), abs=5e-4)


def test_paired_interval_uses_the_pairing() -> None:
    """The same two rates, in trials that have much, nothing and the opposite in common."""
    experiments = ((500, 100, 50, 350), (330, 270, 220, 180), (160, 440, 390, 10))
    widths = [high - low for low, high in (paired_interval(*counts) for counts in experiments)]
    assert widths[0] < 0.6 * widths[1] < 0.6 * widths[2]
    wilson = [high - low for low, high in (wilson_interval(600, 1000), wilson_interval(550, 1000))]
    assert widths[1] == pytest.approx((wilson[0] ** 2 + wilson[1] ** 2) ** 0.5, rel=0.01)


def test_paired_interval_at_the_edges() -> None:
    assert paired_interval(0, 10, 0, 0)[1] == 1.0
    assert paired_interval(0, 0, 10, 0)[0] == -1.0
    for counts in ((10, 0, 0, 0), (0, 0, 0, 10)):
        low, high = paired_interval(*counts)
        assert low == pytest.approx(-high)
        assert 0 < high < 0.5
    for counts in ((0, 0, 0, 0), (5, -1, 2, 2)):
        with pytest.raises(ValueError, match="there must be a trial"):
            paired_interval(*counts)


@pytest.mark.parametrize("chances", [(0.6, 0.12, 0.05, 0.23), (0.3, 0.3, 0.25, 0.15), (0.02, 0.05, 0.01, 0.92)])
def test_paired_interval_holds_the_difference_as_often_as_it_says(chances: tuple[float, ...]) -> None:
    experiments = np.random.default_rng(1).multinomial(300, chances, size=2000)
    difference = chances[1] - chances[2]
    intervals = (paired_interval(*counts) for counts in experiments.tolist())
    held = np.mean([low <= difference <= high for low, high in intervals])
    assert held == pytest.approx(0.95, abs=0.025)
