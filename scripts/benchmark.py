"""Measure the engine and other simulators side by side: decisions per second of one core, start-up, memory.

python scripts/benchmark.py --json runs/benchmark/benchmark.json --picture runs/benchmark/benchmark.png
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.benchmark.catalog import ENTRIES, QUICK, Entry
from agents.benchmark.footprint import measure_footprint
from agents.benchmark.report import checks_table, describe, draw, rates_table, save_text, to_json, to_markdown
from agents.benchmark.run import pin, run_all
from agents.benchmark.targets import check_targets

PIPED_WIDTH = 160
"""Columns of the tables where the output is no terminal."""
SECONDS, QUICK_SECONDS = 1.0, 0.3
LONG_GAMES, QUICK_LONG_GAMES = 10_000_000, 200_000

app = typer.Typer(add_completion=False)


@app.command()
def main(
    quick: Annotated[bool, typer.Option("--quick", help="Fewer rows and shorter runs: a minute or two.")] = False,
    only: Annotated[
        list[str] | None, typer.Option(metavar="TEXT", help="Only rows whose name holds this text; may be repeated.")
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="How often each row is measured, in turn with the others.")] = 5,
    core: Annotated[int | None, typer.Option(help="The core to stay on; by default the last one.")] = None,
    json: Annotated[Path | None, typer.Option(help="Write all figures to this file.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write all figures to this file as Markdown tables.")] = None,
    picture: Annotated[Path | None, typer.Option(help="Draw the rates into this file, PNG.")] = None,
) -> None:
    """Measure the engine and, where they are installed, other simulators."""
    try:
        entries = _choose(quick, only)
        for path in (json, markdown, picture):
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
        used = pin(core)
    except (ValueError, OSError) as error:
        _fail(error)
    console = Console(stderr=True)
    seconds = QUICK_SECONDS if quick else SECONDS
    with console.status("starting") as status:
        measured = run_all(entries, repeats, seconds, lambda label: status.update(label))
        games = QUICK_LONG_GAMES if quick else LONG_GAMES
        footprint = None if only else measure_footprint(min(repeats, 3), games, lambda line: status.update(line))
    checks = check_targets(measured, footprint)
    run = describe(used, repeats, seconds, shlex.join(["python", *sys.argv]))
    shown = Console()
    shown = shown if shown.is_terminal else Console(width=PIPED_WIDTH)
    shown.print(rates_table(run, measured))
    shown.print(checks_table(checks))
    if json is not None:
        save_text(json, to_json(run, measured, footprint, checks))
    if markdown is not None:
        save_text(markdown, to_markdown(to_json(run, measured, footprint, checks)))
    if picture is not None:
        draw(picture, run, measured)


def _choose(quick: bool, only: list[str] | None) -> list[Entry]:
    """Return the rows to measure; ValueError if there are none."""
    entries = [entry for entry in ENTRIES if not quick or entry.key in QUICK]
    chosen = [entry for entry in entries if not only or any(text in f"{entry.key} {entry.label}" for text in only)]
    if not chosen:
        names = ", ".join(sorted({entry.worker for entry in ENTRIES}))
        raise ValueError(f"--only {only}: no row has such a name; names begin with {names}")
    return chosen


def _fail(error: Exception) -> NoReturn:
    typer.echo(f"error: {error}", err=True)
    raise typer.Exit(2)


if __name__ == "__main__":
    app()
