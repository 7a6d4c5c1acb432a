"""Results as tables: for the screen, and in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agents.comparison import Comparison, MeasureComparison
from agents.measures import Measure
from agents.results import Result, check_same_deals, variant_title
from eck_env.registry import AnyVariant

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
    table = _new_table(deals_title(results[0]), results[0].table_note())
    table.add_column("agent", overflow="fold")
    rows = [figures(result) for result in results]
    for heading, _ in rows[0]:
        table.add_column(heading, justify="right", no_wrap=True)
    for result, row in zip(results, rows, strict=True):
        table.add_row(Text(result.agent), *(text for _, text in row))
    return table


def figures(result: Result) -> list[tuple[str, str]]:
    """Return the figures of a result, each with its heading, which may have two lines."""
    low, high = result.interval
    found = [("win\nrate", f"{result.win_rate:.1%}"), ("95 %\ninterval", f"{100 * low:.1f} - {high:.1%}")]
    for measure in result.measures:
        found.append((measure.name.replace(" ", "\n", 1), _shown(measure)))
        found.append(("95 %\ninterval", measure.show_interval(measure.interval) + ("%" if measure.percent else "")))
    return [
        *found,
        *result.columns(),
        ("illegal\nactions", f"{result.illegal_actions:,}"),
        ("ms a\ndecision", milliseconds(result.ms_per_decision)),
    ]


def _shown(measure: Measure) -> str:
    return measure.show(measure.value) + ("%" if measure.percent else "")


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


def measures_table(comparisons: Sequence[MeasureComparison]) -> Table:
    """Return comparisons by measures on the same deals as a table for the screen."""
    from rich.text import Text

    table = _new_table("Differences of measures on these deals", "Each interval holds by itself.")
    for heading in ("agent", "less", "measure"):
        table.add_column(heading, overflow="fold")
    for heading in ("difference", "95 %\ninterval"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in comparisons:
        table.add_row(Text(row.first), Text(row.second), row.name, row.text, row.interval_text)
    return table


# --- Markdown --------------------------------------------------------------------------------------------------------


def results_markdown(results: Sequence[Result]) -> str:
    """Return a table with a row for each agent and a column for each variant, in Markdown.

    Raises:
        ValueError: If an agent has several results for a variant.
    """
    cells: dict[str, dict[AnyVariant, Result]] = {}
    for result in results:
        row = cells.setdefault(result.agent, {})
        if result.variant in row:
            raise ValueError(f"there are several results of {result.agent!r} for {variant_title(result.variant)}")
        row[result.variant] = result
    variants = list(dict.fromkeys(result.variant for result in results))
    headings = [heading for variant in variants for heading in _headings(results, variant)]
    lines = [_row(["agent", "games", "ms a decision", *headings])]
    lines.append("|---|" + "---:|" * (2 + len(headings)))
    for agent, row in cells.items():
        decisions = sum(result.decisions for result in row.values())
        spent = 1000 * sum(result.agent_seconds for result in row.values()) / decisions
        games = " / ".join(dict.fromkeys(f"{len(result.games):,}" for result in row.values()))
        rates = [cell for variant in variants for cell in _cells(results, variant, row.get(variant))]
        lines.append(_row([f"`{agent}`", games, milliseconds(spent), *rates]))
    seeds = " or ".join(dict.fromkeys(str(result.first_seed) for result in results))
    lines += [
        "",
        f"Win rates in percent with 95 % Wilson intervals{_and_measures(results)}; games with the seeds from {seeds} "
        "up, a variant; processor time of the agent on one core, averaged over the variants.",
    ]
    return "\n".join(lines) + "\n"


def _headings(results: Sequence[Result], variant: AnyVariant) -> list[str]:
    """Return the headings of the columns of a variant: its win rate, and its measures."""
    title = variant_title(variant)
    return [title, *(f"{title}: {measure.name}" for measure in _first(results, variant).measures)]


def _cells(results: Sequence[Result], variant: AnyVariant, result: Result | None) -> list[str]:
    """Return the cells below these headings; empty ones for a result that there is not."""
    if result is None:
        return [""] * len(_headings(results, variant))
    shown = [f"{each.show(each.value)} ({each.show_interval(each.interval)})" for each in result.measures]
    return [_rate(result), *shown]


def _first(results: Sequence[Result], variant: AnyVariant) -> Result:
    return next(result for result in results if result.variant == variant)


def _and_measures(results: Sequence[Result]) -> str:
    return ", measures with intervals of ratios over games" if any(result.measures for result in results) else ""


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


def measures_markdown(groups: Sequence[tuple[Result, Sequence[MeasureComparison]]]) -> str:
    """Return comparisons by measures, given with a result on the same deals, as a table in Markdown."""
    lines = [_row(["variant", "agent", "less", "measure", "difference", "95 %"]), "|---|---|---|---|---:|---:|"]
    for result, comparisons in groups:
        for row in comparisons:
            names = [variant_title(result.variant), f"`{row.first}`", f"`{row.second}`", row.name]
            lines.append(_row([*names, row.text, row.interval_text]))
    return "\n".join(lines) + "\n"


def _rate(result: Result) -> str:
    low, high = result.interval
    return f"{100 * result.win_rate:.1f} ({100 * low:.1f} - {100 * high:.1f})"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
