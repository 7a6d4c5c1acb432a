"""Comparisons on equal deals, and results as tables."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from agents.comparison import Comparison, compare, compare_all
from agents.games.eck import EckResult
from agents.intervals import paired_interval, wilson_interval
from agents.tables import comparison_table, comparisons_markdown, milliseconds, results_markdown, results_table
from eck_env.eck.variant import Variant
from results_helpers import FIVE, make_result

WON, LOST = FIVE[0], FIVE[1]
FIRST = make_result("first", games=[WON, WON, WON, LOST, LOST, LOST])
SECOND = make_result("second", games=[WON, LOST, LOST, WON, LOST, LOST])
THIRD = make_result("third", games=[LOST] * 6)


def shown(table: object, width: int = 120) -> str:
    console = Console(width=width, record=True, file=StringIO())
    console.print(table)
    return console.export_text()


def test_games_are_compared_one_by_one() -> None:
    comparison = compare(FIRST, SECOND)
    assert comparison == Comparison("first", "second", both=1, first_only=2, second_only=1, neither=2)
    assert comparison.games == 6
    assert comparison.difference == pytest.approx(1 / 6)
    assert comparison.interval == paired_interval(1, 2, 1, 2)


def test_which_agents_are_compared() -> None:
    everybody = [FIRST, SECOND, THIRD]
    pairs = [(row.first, row.second) for row in compare_all(everybody)]
    assert pairs == [("first", "second"), ("first", "third"), ("second", "third")]
    pairs = [(row.first, row.second) for row in compare_all(everybody, "second")]
    assert pairs == [("first", "second"), ("third", "second")]
    with pytest.raises(ValueError, match="did you mean 'second'"):
        compare_all(everybody, "secnd")


@pytest.mark.parametrize("width", [80, 120])
def test_table_on_the_screen(width: int) -> None:
    text = shown(results_table([make_result("random"), make_result("runs/[bold]/policy.onnx")]), width)
    for part in ("Eck-v0: 5 games, seeds 1073741824 to 1073741828", "random", "20.0%", "3.6 - 62.4%", "3.60", "40.0%",
                 "0.50", "runs/[bold]/policy.onnx" if width > 80 else "runs/[bold"):  # fmt: skip
        assert part in text
    assert "…" not in text


@pytest.mark.parametrize("width", [80, 120])
def test_comparisons_on_the_screen(width: int) -> None:
    low, high = paired_interval(1, 2, 1, 2)
    text = shown(comparison_table([compare(FIRST, SECOND)]), width)
    for part in ("on these 6 deals", "first", "second", "+16.7", f"{100 * low:+.1f} to {100 * high:+.1f}"):
        assert part in text
    assert "…" not in text


def test_markdown() -> None:
    beginner = EckResult("first", Variant(2), FIRST.first_seed, FIRST.games[:4], 0.5, 26.0)
    lines = results_markdown([FIRST, SECOND, beginner]).splitlines()
    low, high = wilson_interval(3, 4)
    half, third = (wilson_interval(wins, 6) for wins in (3, 2))
    assert lines[:4] == [
        "| agent | games | ms a decision | Eck-v0 | EckBeginner-v0 |",
        "|---|---:|---:|---:|---:|",
        f"| `first` | 6 / 4 | {milliseconds(1000 * 26.112 / (3 * 65 + 3 * 52 + 3 * 65 + 52))} "
        f"| 50.0 ({100 * half[0]:.1f} - {100 * half[1]:.1f}) | 75.0 ({100 * low:.1f} - {100 * high:.1f}) |",
        f"| `second` | 6 | {milliseconds(1000 * 0.112 / (2 * 65 + 4 * 52))} "
        f"| 33.3 ({100 * third[0]:.1f} - {100 * third[1]:.1f}) |  |",
    ]
    assert "seeds from 1073741824 up" in lines[-1]
    with pytest.raises(ValueError, match="several results of 'first' for Eck-v0"):
        results_markdown([FIRST, FIRST])
    lines = comparisons_markdown([(FIRST, compare_all([FIRST, SECOND, THIRD], "third"))]).splitlines()
    assert lines[2].startswith("| Eck-v0 | `first` | `third` | +50.0 | ")
    assert lines[3].startswith("| Eck-v0 | `second` | `third` | +33.3 | ")
    assert lines[3].endswith("| 2 | 0 |")


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.00034, "0.0003"), (0.0123, "0.0123"), (0.234, "0.23"), (2.345, "2.35"), (12.34, "12.3"), (1234.5, "1,234")],
)
def test_milliseconds(value: float, text: str) -> None:
    assert milliseconds(value) == text
