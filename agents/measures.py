"""Measures of how well an agent plays beside the games it wins: means over games, or shares of what is in them.

Every measure is the sum of one number of each game over the sum of another one: for a mean over games the other is 1,
for the share of bids made it is the bids of the game. Games are independent of one another, what is in a game is not,
so the intervals are those of such ratios over games (linearized, as for cluster samples; Cochran, "Sampling
techniques", 1977, chapter 6), and of differences on the same deals.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from agents.intervals import CONFIDENCE

_Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


@dataclass(frozen=True, eq=False)
class Measure:
    """A measure of the games of one agent.

    Attributes:
        name: What it is called, such as "bids made".
        tops: What is added up above, shape (n,).
        bottoms: What is added up below, shape (n,).
        percent: Whether it is a share, to be shown in percent.
        more_is_better: Whether the better agent has more of it.
    """

    name: str
    tops: NDArray[np.int64]
    bottoms: NDArray[np.int64]
    percent: bool = False
    more_is_better: bool = True

    @property
    def value(self) -> float:
        """What it comes to; 0 where there is nothing to measure."""
        return float(self.tops.sum() / max(1, self.bottoms.sum()))

    @property
    def interval(self) -> tuple[float, float]:
        """Its 95 % interval; that of a share lies between 0 and 1."""
        half = _half_width(self._influences())
        low, high = self.value - half, self.value + half
        return (max(0.0, low), min(1.0, high)) if self.percent else (low, high)

    @property
    def score(self) -> float:
        """A number that is higher for the better agent."""
        return self.value if self.more_is_better else -self.value

    def less(self, other: Measure) -> tuple[float, tuple[float, float]]:
        """Return this less another agent's on the same deals, and the 95 % interval of the difference."""
        difference = self.value - other.value
        half = _half_width(self._influences() - other._influences())
        return difference, (difference - half, difference + half)

    def show(self, value: float, signed: bool = False) -> str:
        """Return a value of this measure as a text, percent without their sign."""
        scaled, digits = (100 * value, 1) if self.percent else (value, 2)
        return f"{scaled:+.{digits}f}" if signed else f"{scaled:.{digits}f}"

    def show_interval(self, interval: tuple[float, float], signed: bool = False) -> str:
        """Return an interval of this measure as a text."""
        between = " to " if signed else " - "
        return between.join(self.show(bound, signed) for bound in interval)

    def _influences(self) -> NDArray[np.float64]:
        """Return how far each game moves the value, times the number of games."""
        moved: NDArray[np.float64] = (self.tops - self.value * self.bottoms) / max(1e-9, float(self.bottoms.mean()))
        return moved


def _half_width(influences: NDArray[np.float64]) -> float:
    count = len(influences)
    return _Z * float(influences.std(ddof=1)) / sqrt(count) if count > 1 else float("inf")


def of_games(name: str, numbers: NDArray[np.int64], more_is_better: bool = True) -> Measure:
    """Return the mean of a number over games."""
    return Measure(name, numbers.astype(np.int64), np.ones(len(numbers), np.int64), False, more_is_better)
