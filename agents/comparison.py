"""Comparing agents by the games that they played on the same deals, one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from agents.intervals import paired_interval
from agents.results import Result, check_same_deals
from eck_env.checks import choice


@dataclass(frozen=True)
class Comparison:
    """How two agents fared on the same deals.

    The counts of games that one of them alone won are what McNemar's test looks at.

    Attributes:
        first: The name of the one agent.
        second: The name of the other.
        both: Deals that both won.
        first_only: Deals that the first won and the second lost.
        second_only: Deals that the second won and the first lost.
        neither: Deals that both lost.
    """

    first: str
    second: str
    both: int
    first_only: int
    second_only: int
    neither: int

    @property
    def games(self) -> int:
        """The number of deals."""
        return self.both + self.first_only + self.second_only + self.neither

    @property
    def difference(self) -> float:
        """The win rate of the first less that of the second."""
        return (self.first_only - self.second_only) / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the difference; see `intervals.paired_interval`."""
        return paired_interval(self.both, self.first_only, self.second_only, self.neither)


def compare(first: Result, second: Result) -> Comparison:
    """Compare two agents.

    Raises:
        ValueError: If they did not play the same deals.
    """
    check_same_deals([first, second])
    one, other = first.games["won"], second.games["won"]
    counts = [np.count_nonzero(wins) for wins in (one & other, one & ~other, ~one & other, ~one & ~other)]
    return Comparison(first.agent, second.agent, *map(int, counts))


@dataclass(frozen=True)
class MeasureComparison:
    """How two agents differ by a measure on the same deals.

    Attributes:
        first: The name of the one agent.
        second: The name of the other.
        name: The measure.
        difference: That of the first less that of the second.
        interval: The 95 % interval of the difference.
        text: The difference as a text.
        interval_text: The interval as a text.
    """

    first: str
    second: str
    name: str
    difference: float
    interval: tuple[float, float]
    text: str
    interval_text: str


def compare_measures(results: Sequence[Result], against: str | None = None) -> list[MeasureComparison]:
    """Compare agents by the measures of their game, as `compare_all` does by the games that they won."""
    rows = []
    for first, second in _pairs(results, against):
        for one, other in zip(first.measures, second.measures, strict=True):
            difference, interval = one.less(other)
            texts = one.show(difference, signed=True), one.show_interval(interval, signed=True)
            rows.append(MeasureComparison(first.agent, second.agent, one.name, difference, interval, *texts))
    return rows


def compare_all(results: Sequence[Result], against: str | None = None) -> list[Comparison]:
    """Compare every two agents that played the same deals, or all others with one of them.

    Args:
        results: Results on the same deals.
        against: The name of the agent to compare the others with; None for all pairs.

    Raises:
        ValueError: If there is no agent of that name, or the deals are not the same.
    """
    return [compare(first, second) for first, second in _pairs(results, against)]


def _pairs(results: Sequence[Result], against: str | None) -> list[tuple[Result, Result]]:
    """Return the pairs to compare."""
    check_same_deals(results)
    if against is None:
        return list(combinations(results, 2))
    names = [result.agent for result in results]
    base = results[names.index(choice(against, names, "the agent to compare with"))]
    return [(result, base) for result in results if result is not base]
