"""A report of evaluations: pictures as PNG files, and one HTML page that needs nothing beside itself."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from pathlib import Path

from agents import charts
from agents.charts import Picture
from agents.comparison import compare_all, compare_measures
from agents.games import kit_of
from agents.results import Result, by_deals, variant_title, versions
from agents.tables import deals_title, figures, milliseconds
from eck_env.files import write_bytes, write_text
from eck_env.registry import AnyVariant

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
    groups: dict[AnyVariant, list[Result]] = {}
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
    strength = Picture(
        "strength",
        "Win rate and time",
        "Win rate against the processor time that an agent takes for a decision. Bars: 95 % Wilson intervals.",
        f"Win rate against milliseconds a decision. {_best_texts(groups)} The first table has all numbers.",
        charts.strength_chart(groups),
    )
    return [strength, *(picture for game in _by_game(groups) for picture in kit_of(game[0][0].variant).pictures(game))]


def _by_game(groups: Sequence[Sequence[Result]]) -> list[list[Sequence[Result]]]:
    """Return the groups by the games that they are of."""
    games: dict[type, list[Sequence[Result]]] = {}
    for group in groups:
        games.setdefault(type(group[0]), []).append(group)
    return list(games.values())


def _best_texts(groups: Sequence[Sequence[Result]]) -> str:
    best = [max(group, key=lambda result: result.win_rate) for group in groups]
    return " ".join(
        f"{variant_title(result.variant)}: {result.agent} is best with {result.win_rate:.1%} at "
        f"{milliseconds(result.ms_per_decision)} ms."
        for result in best
    )


# --- The page --------------------------------------------------------------------------------------------------------


def _page(
    groups: Sequence[Sequence[Result]],
    results: Sequence[Result],
    pictures: Sequence[Picture],
    images: dict[str, bytes],
    commands: Sequence[str],
) -> str:
    body = [
        "<h1>Agents and their games</h1>",
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
        *(_table(*table) for group in groups for table in kit_of(group[0].variant).share_tables(group)),
        "<h2>Made by</h2>",
        *(f"<p><code>{escape(command)}</code></p>" for command in commands),
        f'<p class="note">{escape(", ".join(f"{name} {number}" for name, number in versions().items()))}</p>',
    ]
    lines = "\n".join(body)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>Agents and their games</title>\n'
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
    rows = [figures(result) for result in group]
    headings = ("agent", *(heading.replace("\n", " ") for heading, _ in rows[0]))
    named = [(result.agent, *(text for _, text in row)) for result, row in zip(group, rows, strict=True)]
    return _table(deals_title(group[0]), headings, named)


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
    tables = [_table(deals_title(group[0]), headings, rows)]
    if measured := compare_measures(group):
        cells = [(f"{row.first} less {row.second}", row.name, row.text, row.interval_text) for row in measured]
        tables.append(_table(deals_title(group[0]), ("agents", "measure", "difference", "95 %"), cells))
    lines = "\n".join(tables)
    return (
        f"<details><summary>{escape(variant_title(group[0].variant))}: {len(rows)} pairs</summary>\n{lines}</details>"
    )
