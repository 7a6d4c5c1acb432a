"""A report of evaluations: pictures as PNG files, and one HTML page that needs nothing beside itself."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from agents import charts
from agents.comparison import compare_all
from agents.results import ENDINGS, Result, by_deals, variant_title, versions
from agents.tables import deals_title, milliseconds
from eck_env.eck.cards import HAND_SIZE
from eck_env.eck.round_values import RoundValues, load_round_values
from eck_env.eck.rules import COUNTERS
from eck_env.eck.variant import Variant
from eck_env.files import write_bytes, write_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAGE = "index.html"
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; max-width: 60rem; margin: 2rem auto;
  padding: 0 1rem; }
h1, h2, h3 { line-height: 1.2; }
h2 { margin-top: 2.5rem; }
figure { margin: 1.5rem 0; }
img { max-width: 100%; height: auto; }
figcaption, .note { color: #444; font-size: 0.9rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.85rem; margin: 1rem 0; }
caption { text-align: left; font-weight: 600; padding-bottom: 0.3rem; }
th, td { padding: 0.2rem 0.6rem; text-align: right; border-bottom: 1px solid #ddd; }
th[scope=row], th:first-child { text-align: left; }
code { overflow-wrap: anywhere; }
"""


@dataclass(frozen=True)
class Picture:
    """A picture of the report.

    Attributes:
        name: The file's name without its suffix.
        heading: The heading over it.
        caption: What it shows.
        alt: The text in its place for those who cannot see it.
        figure: The picture.
    """

    name: str
    heading: str
    caption: str
    alt: str
    figure: Figure


def write_report(results: Sequence[Result], folder: Path, commands: Sequence[str] = ()) -> list[Path]:
    """Write pictures and the page into a folder, which is made if need be.

    Args:
        results: At least one; those on the same deals are compared.
        folder: Where to write.
        commands: The commands that made the results.

    Returns:
        The files, the page first.

    Raises:
        ValueError: If an agent has several results for a variant.
        OSError: If a file cannot be written.
    """
    groups = group_by_variant(results)
    pictures = _pictures(groups)
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / PAGE]
    images = {}
    for picture in pictures:
        images[picture.name] = charts.to_png(picture.figure)
        files.append(folder / f"{picture.name}.png")
        write_bytes(files[-1], images[picture.name])
    write_text(files[0], _page(groups, results, pictures, images, commands))
    return files


def group_by_variant(results: Sequence[Result]) -> list[list[Result]]:
    """Return the results by variant, in the order of the first ones.

    Raises:
        ValueError: If there is none, or an agent has several results for a variant.
    """
    if not results:
        raise ValueError("there are no results to report")
    groups: dict[Variant, list[Result]] = {}
    for result in results:
        group = groups.setdefault(result.variant, [])
        if any(other.agent == result.agent for other in group):
            raise ValueError(
                f"there are several results of {result.agent!r} for {variant_title(result.variant)}: give the files "
                "with one of them"
            )
        group.append(result)
    return list(groups.values())


def _pictures(groups: Sequence[Sequence[Result]]) -> list[Picture]:
    tables = _round_values([group[0].variant for group in groups])
    found = [
        Picture(
            "strength",
            "Win rate and time",
            "Win rate against the processor time that an agent takes for a decision. Bars: 95 % Wilson intervals.",
            f"Win rate against milliseconds a decision. {_best_texts(groups)} The first table has all numbers.",
            charts.strength_chart(groups),
        ),
        Picture(
            "tricks",
            "Tricks in a round",
            "How often each number of tricks was taken in a round, in percent of the agent's rounds. Above: the trick "
            "card that the number collects while it lies there.",
            "Shares of the rounds with 0 to 13 tricks, by agent and variant; a table below has the same.",
            charts.tricks_chart(groups),
        ),
        Picture(
            "collected",
            "Trick cards collected",
            "In how many games the agent collected each trick card, in percent.",
            "Shares of the games in which each card was collected, by agent and variant; a table below has the same.",
            charts.collected_chart(groups),
        ),
        Picture(
            "endings",
            "How games end",
            "Games that were won, or lost by the counter, by ECK's card, or by both in the same round, in percent.",
            "Shares of the games won and lost by each reason, by agent and variant; a table below has the same.",
            charts.endings_chart(groups),
        ),
    ]
    if tables:
        found.append(
            Picture(
                "round_values",
                "Round values",
                "The chance to win at the start of a round, by cards collected and counter, in the shipped tables: "
                "the mean over the states that games come to, and the middle 90 % of them. The states differ in which "
                "cards are collected and which are gray.",
                f"Chance to win by cards collected, a line for each counter. {_value_texts(tables)}",
                charts.round_values_chart(tables),
            )
        )
    return found


def _round_values(variants: Sequence[Variant]) -> list[tuple[Variant, RoundValues]]:
    tables = []
    for variant in variants:
        try:
            tables.append((variant, load_round_values(variant)))
        except ValueError:  # none is shipped for this variant
            continue
    return tables


def _best_texts(groups: Sequence[Sequence[Result]]) -> str:
    best = [max(group, key=lambda result: result.win_rate) for group in groups]
    return " ".join(
        f"{variant_title(result.variant)}: {result.agent} is best with {result.win_rate:.1%} at "
        f"{milliseconds(result.ms_per_decision)} ms."
        for result in best
    )


def _value_texts(tables: Sequence[tuple[Variant, RoundValues]]) -> str:
    return " ".join(f"{variant_title(variant)}: {table.values[0, 0, 0]:.1%} at the start." for variant, table in tables)


# --- The page --------------------------------------------------------------------------------------------------------


def _page(
    groups: Sequence[Sequence[Result]],
    results: Sequence[Result],
    pictures: Sequence[Picture],
    images: dict[str, bytes],
    commands: Sequence[str],
) -> str:
    body = [
        "<h1>Agents that play ECK</h1>",
        '<p class="note">Every agent meets the same deals of a variant: game <i>g</i> is the first one of seed '
        "<i>first seed + g</i>. Intervals are 95 % ones: Wilson's for rates, Newcombe's for differences "
        "on equal deals.</p>",
        "<h2>Results</h2>",
        *(_results_table(group) for group in by_deals(results)),
        *(_figure(picture, images[picture.name]) for picture in pictures),
        "<h2>Equal deals compared</h2>",
        '<p class="note">Each interval holds by itself: among many, some miss by chance.</p>',
        *(_comparison_table(group) for group in by_deals(results) if len(group) > 1),
        "<h2>The numbers of the pictures</h2>",
        *(_share_tables(group) for group in groups),
        *_round_value_tables([group[0].variant for group in groups]),
        "<h2>Made by</h2>",
        *(f"<p><code>{escape(command)}</code></p>" for command in commands),
        f'<p class="note">{escape(", ".join(f"{name} {number}" for name, number in versions().items()))}</p>',
    ]
    lines = "\n".join(body)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>Agents that play ECK</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n{lines}\n</main>\n</body>\n</html>\n"
    )


def _figure(picture: Picture, image: bytes) -> str:
    data = base64.b64encode(image).decode()
    return (
        f"<h2>{escape(picture.heading)}</h2>\n<figure>\n"
        f'<img src="data:image/png;base64,{data}" alt="{escape(picture.alt)}">\n'
        f"<figcaption>{escape(picture.caption)}</figcaption>\n</figure>"
    )


def _table(caption: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table whose first column names the rows."""
    head = "".join(f'<th scope="col">{escape(heading)}</th>' for heading in headings)
    lines = "\n".join(
        f'<tr><th scope="row">{escape(row[0])}</th>' + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:]) + "</tr>"
        for row in rows
    )
    return (
        f'<div class="wide"><table>\n<caption>{escape(caption)}</caption>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{lines}\n</tbody>\n</table></div>"
    )


def _results_table(group: Sequence[Result]) -> str:
    headings = ("agent", "win rate", "95 %", "rounds a game", "illegal actions", "ms a decision")
    rows = [
        (
            result.agent,
            f"{result.win_rate:.1%}",
            f"{100 * result.interval[0]:.1f} to {result.interval[1]:.1%}",
            f"{result.rounds_per_game:.2f}",
            f"{result.endings['illegal action']:,}",
            milliseconds(result.ms_per_decision),
        )
        for result in group
    ]
    return _table(deals_title(group[0]), headings, rows)


def _comparison_table(group: Sequence[Result]) -> str:
    headings = ("agents", "difference in points", "95 %", "won by the first alone", "by the second alone")
    rows = [
        (
            f"{row.first} less {row.second}",
            f"{100 * row.difference:+.1f}",
            f"{100 * row.interval[0]:+.1f} to {100 * row.interval[1]:+.1f}",
            f"{row.first_only:,}",
            f"{row.second_only:,}",
        )
        for row in compare_all(group)
    ]
    table = _table(deals_title(group[0]), headings, rows)
    return (
        f"<details><summary>{escape(variant_title(group[0].variant))}: {len(rows)} pairs</summary>\n{table}</details>"
    )


def _share_tables(group: Sequence[Result]) -> str:
    title = variant_title(group[0].variant)
    tricks = [(result.agent, result.tricks, result.tricks.sum()) for result in group]
    collected = [(result.agent, list(result.collected.values()), len(result.games)) for result in group]
    endings = [(result.agent, [result.endings[name] for name in ENDINGS], len(result.games)) for result in group]
    tables = (
        ("rounds with this many tricks", [str(count) for count in range(HAND_SIZE + 1)], tricks),
        ("games in which the card was collected", list(group[0].variant.trick_cards), collected),
        ("games that ended so", list(ENDINGS), endings),
    )
    return "\n".join(
        _table(
            f"{title}: {what}, in percent",
            ["agent", *columns],
            [(agent, *(f"{100 * count / max(1, total):.1f}" for count in counts)) for agent, counts, total in rows],
        )
        for what, columns, rows in tables
    )


def _round_value_tables(variants: Sequence[Variant]) -> list[str]:
    return [
        _table(
            f"{variant_title(variant)}: mean chance to win at the start of a round, in percent",
            ["trick cards collected", *(f"counter at {name}" for name in COUNTERS[:-1])],
            [(str(count), *row) for count, row in enumerate(_mean_values(variant, table))],
        )
        for variant, table in _round_values(variants)
    ]


def _mean_values(variant: Variant, table: RoundValues) -> list[list[str]]:
    columns = []
    for counter in range(len(COUNTERS) - 1):
        places, means, _, _ = charts.by_collected(table, counter)
        known = dict(zip(places.astype(int).tolist(), means.tolist(), strict=True))
        columns.append([f"{known[count]:.1f}" if count in known else "" for count in range(variant.target)])
    return [list(row) for row in zip(*columns, strict=True)]
