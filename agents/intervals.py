"""Confidence intervals: of a probability, and of the difference of two that were observed on the same trials."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

CONFIDENCE = 0.95


def wilson_interval(successes: int, trials: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the Wilson score interval of a probability.

    Args:
        successes: How often it came out.
        trials: How often it was tried, at least once.
        confidence: The probability that the interval holds the true value.
    """
    if not 0 <= successes <= trials or trials < 1:
        raise ValueError(f"{successes} successes in {trials} trials: there must be a trial, and no more successes")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    rate = successes / trials
    center = rate + z * z / (2 * trials)
    half = z * sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    low, high = (center - half) / scale, (center + half) / scale
    return max(0.0, min(low, rate)), min(1.0, max(high, rate))  # at 0 and 1 rounding would put the rate outside


def paired_interval(
    both: int, first_only: int, second_only: int, neither: int, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Return an interval of the difference of two probabilities, the first less the second, from paired trials.

    Method 10 of Newcombe, "Improved confidence intervals for the difference between binomial proportions based on
    paired data", Statistics in Medicine 17 (1998), 2635-2650: the Wilson intervals of the two are combined, less what
    the trials have in common, by their correlation with a correction for continuity.

    Args:
        both: Trials in which both succeeded.
        first_only: Trials in which the first one alone did.
        second_only: Trials in which the second one alone did.
        neither: Trials in which neither did.
        confidence: The probability that the interval holds the true value.
    """
    counts = (both, first_only, second_only, neither)
    trials = sum(counts)
    if min(counts) < 0 or trials < 1:
        raise ValueError(f"the counts of paired trials are {counts}: none can be negative, and there must be a trial")
    first, second = (both + first_only) / trials, (both + second_only) / trials
    first_low, first_high = wilson_interval(both + first_only, trials, confidence)
    second_low, second_high = wilson_interval(both + second_only, trials, confidence)
    shared = 2 * _correlation(*counts)
    down, up = (first - first_low, second_high - second), (first_high - first, second - second_low)
    difference = (first_only - second_only) / trials
    low, high = (sqrt(max(0.0, a * a - shared * a * b + b * b)) for a, b in (down, up))
    return max(-1.0, difference - low), min(1.0, difference + high)


def _correlation(both: int, first_only: int, second_only: int, neither: int) -> float:
    """Return the correlation of paired trials, corrected for continuity where it is positive."""
    margins = (both + first_only) * (second_only + neither) * (both + second_only) * (first_only + neither)
    if margins == 0:
        return 0.0
    product: float = both * neither - first_only * second_only
    if product > 0:
        product = max(0.0, product - (both + first_only + second_only + neither) / 2)
    return product / sqrt(margins)
