"""Sequential halving: what a search may spend on a decision goes to the cards that may be the best.

After each stage the worse half of the cards is given up (Karnin, Koren and Somekh, "Almost optimal exploration in
multi-armed bandits", 2013). A budget is a number of playouts for each legal card, or a time in milliseconds. With a
time, choices depend on the machine and on what else it does: they are not reproducible.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eck_env.compiled import lowest_bit, popcount, rule

MAX_PLAYOUTS = 10**9
MAX_MILLISECONDS = 600_000.0


@dataclass(frozen=True)
class Milliseconds:
    """A time for each decision that is not forced.

    Attributes:
        amount: Milliseconds.
    """

    amount: float

    def __post_init__(self) -> None:
        if not 0 < self.amount <= MAX_MILLISECONDS:
            raise ValueError(
                f"a search cannot take {self.amount:g}ms for a decision, but any time above 0 up to "
                f"{MAX_MILLISECONDS:.0f}ms"
            )

    def __str__(self) -> str:
        return f"{self.amount:g}ms"


Budget = int | Milliseconds
"""Playouts for each legal card, on average over the cards, or a time."""


def playouts_of(budget: Budget) -> int:
    """Return the playouts for each legal action that a budget names.

    Raises:
        ValueError: If it is a time.
    """
    if isinstance(budget, Milliseconds):
        raise ValueError(f"the budget is a time, {budget}: name a number of playouts instead")
    return budget


Judge = Callable[[int, int], None]
"""Adds to the sums of cards, a set of bits, what so many worlds say of each."""


def parse_budget(text: str) -> Budget:
    """Return the budget that a text such as ``64`` or ``100ms`` names.

    Raises:
        ValueError: If it names none, or one that is not allowed.
    """
    if re.fullmatch(r"[0-9]+", text) and 0 < int(text) <= MAX_PLAYOUTS:
        return int(text)
    if found := re.fullmatch(r"(-?[0-9]+(?:\.[0-9]+)?)ms", text):
        return Milliseconds(float(found[1]))
    raise ValueError(f"{text!r} is neither a number of playouts from 1 to {MAX_PLAYOUTS} nor a time such as 100ms")


@rule
def best_card(cards: int, sums: NDArray[np.float64]) -> int:
    """Return the kind with the highest sum out of a set of kinds, the lowest kind among equals."""
    best = lowest_bit(cards)
    rest = cards & (cards - 1)
    while rest:
        kind = lowest_bit(rest)
        rest &= rest - 1
        if sums[kind] > sums[best]:
            best = kind
    return best


@rule
def better_half(cards: int, sums: NDArray[np.float64]) -> int:
    """Return the half of a set of kinds, rounded up, with the higher sums."""
    kept = 0
    for _ in range((popcount(cards) + 1) // 2):
        best = best_card(cards & ~kept, sums)
        kept |= 1 << best
    return kept


@rule
def num_stages(cards: int) -> int:
    """Return how many stages of halving it takes to come down to one card."""
    stages = 0
    while (1 << stages) < popcount(cards):
        stages += 1
    return stages


@rule
def stage_worlds(cards: int, legal: int, playouts: int) -> int:
    """Return over how many worlds a stage compares its cards, with this many playouts for each legal card."""
    return max(1, playouts * popcount(legal) // (num_stages(legal) * popcount(cards)))


def halve(legal: int, budget: Budget, judge: Judge, sums: NDArray[np.float64], start: float) -> int:
    """Return the best of the legal cards, at least two of them.

    Args:
        legal: The legal kinds, a set of bits.
        budget: What may be spent.
        judge: Who compares cards; it adds to `sums`.
        sums: Sums by kind, shape (38,), which may begin with what is known beforehand.
        start: When the decision began, by `time.perf_counter`.
    """
    cards, stages = legal, num_stages(legal)
    for stage in range(stages):
        if isinstance(budget, Milliseconds):
            _judge_until(start + budget.amount / 1000 * (stage + 1) / stages, cards, judge)
        else:
            judge(cards, stage_worlds(cards, legal, budget))
        cards = better_half(cards, sums)
    return lowest_bit(cards)


def _judge_until(end: float, cards: int, judge: Judge) -> None:
    """Compare cards over as many worlds as there is time for, at least one."""
    worlds, before = 1, time.perf_counter()
    while True:
        judge(cards, worlds)
        now = time.perf_counter()
        fitting = int((end - now) / (now - before) * worlds)
        if fitting < 1:
            return
        worlds = min(2 * worlds, max(1, fitting // 2))  # the estimate is a rough one
        before = now
