"""Sequential halving and the budgets of a search."""

from __future__ import annotations

import time

import numpy as np
import pytest

from agents.halving import Milliseconds, better_half, halve, parse_budget

CARDS = (3, 8, 9, 20, 37)
LEGAL = sum(1 << card for card in CARDS)


def test_budgets_by_name() -> None:
    assert parse_budget("64") == 64
    assert parse_budget("100ms") == Milliseconds(100)
    assert parse_budget("1.5ms") == Milliseconds(1.5)
    assert [str(parse_budget(text)) for text in ("64", "100ms", "0.5ms")] == ["64", "100ms", "0.5ms"]


@pytest.mark.parametrize(
    "text", ["", "0", "-3", "1.5", "ms", "5 ms", "5s", "five", "1e3ms", "٣", "nanms", "1000000001"]
)
def test_texts_that_name_no_budget(text: str) -> None:
    with pytest.raises(ValueError, match=r"neither a number of playouts from 1 to .* nor a time such as 100ms"):
        parse_budget(text)


@pytest.mark.parametrize("text", ["0ms", "-5ms", "0.0ms", "600001ms"])
def test_times_that_are_not_possible(text: str) -> None:
    with pytest.raises(ValueError, match=f"cannot take {text[:-2].removesuffix('.0')}ms for a decision, but any"):
        parse_budget(text)


def test_better_half() -> None:
    sums = np.zeros(38)
    sums[[8, 37]] = 2, 1
    assert better_half(LEGAL, sums) == 1 << 8 | 1 << 37 | 1 << 3  # the lowest among equals


def test_playouts_are_spent_on_the_better_cards() -> None:
    sums, calls = np.zeros(38), []

    def judge(cards: int, worlds: int) -> None:
        calls.append((cards.bit_count(), worlds))
        for card in CARDS:
            sums[card] += worlds * card if cards >> card & 1 else 0

    assert halve(LEGAL, 60, judge, sums, time.perf_counter()) == 37
    assert calls == [(5, 20), (3, 33), (2, 50)]  # 300 playouts, 100 a stage
    calls.clear()
    assert halve(LEGAL, 1, judge, sums, time.perf_counter()) == 37
    assert calls == [(5, 1), (3, 1), (2, 1)]


def test_what_is_known_beforehand_counts() -> None:
    sums = np.zeros(38)
    sums[8] = 10.0

    def judge(cards: int, worlds: int) -> None:
        sums[20] += worlds * 0.1

    assert halve(LEGAL, 6, judge, sums, time.perf_counter()) == 8
    assert halve(LEGAL, 600, judge, sums, time.perf_counter()) == 20


def test_time_is_kept() -> None:
    sums, spent = np.zeros(38), np.zeros(38)

    def judge(cards: int, worlds: int) -> None:
        time.sleep(0.0002 * worlds)
        for card in CARDS:
            if cards >> card & 1:
                sums[card] += worlds * card
                spent[card] += worlds

    times = []
    for _ in range(10):
        start = time.perf_counter()
        assert halve(LEGAL, Milliseconds(30), judge, sums, start) == 37
        times.append(1000 * (time.perf_counter() - start))
    assert 15 < np.median(times) < 36
    assert spent[37] > spent[9] > spent[3] > 0


def test_time_that_is_over_still_compares_every_card() -> None:
    sums, calls = np.zeros(38), []

    def judge(cards: int, worlds: int) -> None:
        calls.append((cards.bit_count(), worlds))
        sums[9] += worlds

    assert halve(LEGAL, Milliseconds(0.001), judge, sums, time.perf_counter() - 1) == 9
    assert calls == [(5, 1), (3, 1), (2, 1)]
