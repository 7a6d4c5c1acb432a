"""Measures beside the win rate: ratios over games, their intervals, and differences on the same deals."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from agents.measures import Measure, of_games

TOPS, BOTTOMS = np.array([1, 0, 3, 2, 2, 0]), np.array([2, 1, 4, 3, 2, 1])


def made(tops: np.ndarray = TOPS, bottoms: np.ndarray = BOTTOMS) -> Measure:
    return Measure("bids made", tops, bottoms, percent=True)


def test_a_share_is_one_of_all_hands_and_not_the_mean_of_the_games() -> None:
    assert made().value == pytest.approx(8 / 13)
    assert made().show(made().value) == "61.5"


def test_a_mean_over_games_has_the_interval_of_a_mean() -> None:
    numbers = np.array([3, 9, 4, 4, 5])
    mean = of_games("hands needed", numbers, more_is_better=False)
    half = 1.959964 * numbers.std(ddof=1) / sqrt(5)
    assert mean.value == 5
    assert mean.interval == pytest.approx((5 - half, 5 + half))
    assert mean.score == -5
    assert mean.show_interval(mean.interval) == f"{5 - half:.2f} - {5 + half:.2f}"


def test_hands_of_a_game_count_together() -> None:
    """Every game alike: no spread between games, whatever is made inside them."""
    assert made(np.full(50, 4), np.full(50, 8)).interval == pytest.approx((0.5, 0.5))


def test_the_interval_holds_the_true_share() -> None:
    """Games that go on while bids are made, as in shut the box: 95 % of the intervals hold the share of all of them."""
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(400):
        tops = rng.geometric(0.4, 300) - 1
        low, high = made(tops, tops + 1).interval
        hits += low <= 0.6 <= high
    assert 370 <= hits <= 393


def test_differences_on_the_same_deals() -> None:
    rng = np.random.default_rng(2)
    numbers = rng.integers(0, 9, 200)
    worse = numbers - rng.integers(0, 2, 200)
    one, other = of_games("points", numbers), of_games("points", worse)
    difference, (low, high) = one.less(other)
    half = 1.959964 * (numbers - worse).std(ddof=1) / sqrt(200)
    assert difference == pytest.approx((numbers - worse).mean())
    assert (low, high) == pytest.approx((difference - half, difference + half))
    assert made().less(made()) == (0, (0, 0))
    assert one.show(difference, signed=True).startswith("+")


def test_nothing_to_measure() -> None:
    assert made(np.zeros(3, np.int64), np.zeros(3, np.int64)).value == 0
    assert made(np.array([1]), np.array([2])).interval == (0, 1)  # a share is at least that
    assert of_games("points", np.array([3])).interval == (-float("inf"), float("inf"))


def test_the_interval_of_a_share_lies_between_0_and_1() -> None:
    low, high = made(np.array([2, 0, 0, 2]), np.array([2, 2, 2, 2])).interval
    assert (low, high) == (0, 1)
    low, high = made(np.array([1, 1, 1, 0]), np.array([1, 1, 1, 1])).interval
    assert 0 < low < 0.75
    assert high == 1
