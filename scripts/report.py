"""Make pictures, a page and a Markdown table of results that scripts/evaluate.py wrote.

python scripts/report.py results.json more.json --out report --markdown table.md
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.results import Result, load_results
from agents.tables import results_markdown
from eck_env.files import write_text

app = typer.Typer(add_completion=False)


@app.command()
def main(
    files: Annotated[list[Path], typer.Argument(help="Results as JSON.")],
    out: Annotated[Path, typer.Option(help="The folder to write to.")] = Path("report"),
    markdown: Annotated[
        Path | None, typer.Option(help="Write the table of all agents in Markdown to this file.")
    ] = None,
) -> None:
    """Make pictures, a page and a Markdown table of results."""
    try:
        from agents.report import write_report

        results: list[Result] = []
        commands = []
        for path in dict.fromkeys(files):
            results += load_results(path)
            commands.append(json.loads(path.read_text(encoding="utf-8"))["command"])
        written = write_report(results, out, list(dict.fromkeys(commands)))
        if markdown is not None:
            write_text(markdown, results_markdown(results))
            written.append(markdown)
    except ImportError as error:
        _fail(f'{error}: pictures need the extra "report" (pip install -e ".[report]")')
    except (ValueError, OSError) as error:
        _fail(str(error))
    for path in written:
        typer.echo(path)


def _fail(message: str) -> None:
    typer.echo(f"error: {message}", err=True)
    raise typer.Exit(2)


if __name__ == "__main__":
    app()
