"""Results as tables: for the screen, and in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agents.comparison import Comparison
from agents.results import Result, check_same_deals, variant_title
from eck_env.eck.rules import BY_COUNTER, BY_ECK_CARD, BY_ILLEGAL_ACTION
from eck_env.eck.variant import Variant

if TYPE_CHECKING:
    from rich.table import Table


def deals_title(result: Result) -> str:
    """Return which games a result is of."""
    last_seed = result.first_seed + len(result.games) - 1
    return f"{variant_title(result.variant)}: {len(result.games):,} games, seeds {result.first_seed} to {last_seed}"


def milliseconds(value: float) -> str:
    """Return a time in milliseconds with two or three significant digits, never in scientific notation."""
    if value >= 100:
        return f"{value:,.0f}"
    digits = 1 if value >= 10 else 2 if value >= 0.1 else 4
    return f"{value:.{digits}f}"


def _new_table(title: str, caption: str) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title=title, caption=caption, box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.title_justify = table.caption_justify = "left"
    return table


def results_table(results: Sequence[Result]) -> Table:
    """Return the results of agents on the same deals as a table for the screen."""
    from rich.text import Text

    check_same_deals(results)
    table = _new_table(deals_title(results[0]), "A game may be lost by both.")
    table.add_column("agent", overflow="fold")
    for heading in ("win\nrate", "95 %\ninterval", "rounds\na game", "lost by\ncounter", "by ECK's\ncard",
                    "illegal\nactions", "ms a\ndecision"):  # fmt: skip
        table.add_column(heading, justify="right", no_wrap=True)
    for result in results:
        low, high = result.interval
        table.add_row(
            Text(result.agent),
            f"{result.win_rate:.1%}",
            f"{100 * low:.1f} - {high:.1%}",
            f"{result.rounds_per_game:.2f}",
            f"{result.count_reason(BY_COUNTER) / len(result.games):.1%}",
            f"{result.count_reason(BY_ECK_CARD) / len(result.games):.1%}",
            f"{result.count_reason(BY_ILLEGAL_ACTION):,}",
            milliseconds(result.ms_per_decision),
        )
    return table


def comparison_table(comparisons: Sequence[Comparison]) -> Table:
    """Return comparisons on the same deals as a table for the screen."""
    from rich.text import Text

    table = _new_table(
        f"Differences of win rates on these {comparisons[0].games:,} deals", "Each interval holds by itself."
    )
    for heading in ("agent", "less"):
        table.add_column(heading, overflow="fold")
    for heading in ("percentage\npoints", "95 %\ninterval", "won by the\nfirst alone", "by the\nsecond"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in comparisons:
        low, high = row.interval
        table.add_row(
            Text(row.first),
            Text(row.second),
            f"{100 * row.difference:+.1f}",
            f"{100 * low:+.1f} to {100 * high:+.1f}",
            f"{row.first_only:,}",
            f"{row.second_only:,}",
        )
    return table


# --- Markdown --------------------------------------------------------------------------------------------------------


def results_markdown(results: Sequence[Result]) -> str:
    """Return a table with a row for each agent and a column for each variant, in Markdown.

    Raises:
        ValueError: If an agent has several results for a variant.
    """
    cells: dict[str, dict[Variant, Result]] = {}
    for result in results:
        row = cells.setdefault(result.agent, {})
        if result.variant in row:
            raise ValueError(f"there are several results of {result.agent!r} for {variant_title(result.variant)}")
        row[result.variant] = result
    variants = list(dict.fromkeys(result.variant for result in results))
    lines = [_row(["agent", "games", "ms a decision", *map(variant_title, variants)])]
    lines.append("|---|" + "---:|" * (2 + len(variants)))
    for agent, row in cells.items():
        decisions = sum(result.decisions for result in row.values())
        spent = 1000 * sum(result.agent_seconds for result in row.values()) / decisions
        games = " / ".join(dict.fromkeys(f"{len(result.games):,}" for result in row.values()))
        rates = [_rate(row[variant]) if variant in row else "" for variant in variants]
        lines.append(_row([f"`{agent}`", games, milliseconds(spent), *rates]))
    seeds = " or ".join(dict.fromkeys(str(result.first_seed) for result in results))
    lines += [
        "",
        f"Win rates in percent with 95 % Wilson intervals; games with the seeds from {seeds} up, a variant; processor "
        "time of the agent on one core, averaged over the variants.",
    ]
    return "\n".join(lines) + "\n"


def comparisons_markdown(groups: Sequence[tuple[Result, Sequence[Comparison]]]) -> str:
    """Return comparisons, given with a result on the same deals, as a table in Markdown."""
    lines = [_row(["variant", "agent", "less", "difference", "95 %", "won by the first alone", "by the second alone"])]
    lines.append("|---|---|---|" + "---:|" * 4)
    for result, comparisons in groups:
        for row in comparisons:
            low, high = (100 * bound for bound in row.interval)
            cells = [variant_title(result.variant), f"`{row.first}`", f"`{row.second}`", f"{100 * row.difference:+.1f}"]
            lines.append(_row([*cells, f"{low:+.1f} to {high:+.1f}", f"{row.first_only:,}", f"{row.second_only:,}"]))
    lines += [
        "",
        "Differences of win rates in percentage points on the same deals; Newcombe's intervals for paired data.",
    ]
    return "\n".join(lines) + "\n"


def _rate(result: Result) -> str:
    low, high = result.interval
    return f"{100 * result.win_rate:.1f} ({100 * low:.1f} - {100 * high:.1f})"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
