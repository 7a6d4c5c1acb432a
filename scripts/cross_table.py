"""Let agents of the game without numbers play every agent against every other, with the seats rotated, on equal deals.

python scripts/cross_table.py random heuristic mc:32:heuristic pretrained --deals 10000 --json runs/cross_table.json
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.agent import make_agent, resolve
from agents.cross_table import Pairing, Shares, pairings_of, play_pairings, standard_variant
from agents.cross_table_files import Entry, entry_of, missing, read_table, table_markdown, write_table
from agents.evaluation import FIRST_SEED, check_request
from agents.workers import WorkerError, check_processes
from eck_env.files import check_target, write_text

app = typer.Typer(add_completion=False)


@app.command()
def main(
    agents: Annotated[
        list[str], typer.Argument(help="random, heuristic, mc:32:heuristic (search), pretrained, .onnx.")
    ],
    players: Annotated[int, typer.Option(help="How many play, 3 to 7.")] = 4,
    draft: Annotated[bool, typer.Option("--draft/--dealt", help="Whether hands are drafted.")] = True,
    deals: Annotated[int, typer.Option(help="Deals of each pairing; each is played once a seat.")] = 1000,
    seed: Annotated[int, typer.Option(help="The seed of the first deal, from 2**30 up.")] = FIRST_SEED,
    processes: Annotated[int, typer.Option(help="Processes that play; they change nothing but the speed.")] = 1,
    json: Annotated[Path | None, typer.Option(help="Write the table to this file, after each pairing.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Play only the pairings that the file lacks.")] = False,
    markdown: Annotated[Path | None, typer.Option(help="Write the table in Markdown to this file.")] = None,
) -> None:
    """Let agents play every agent against every other; equally good ones have 1/players of the wins."""
    command = " ".join(["python scripts/cross_table.py", *(shlex.quote(word) for word in sys.argv[1:])])
    table: dict[tuple[str, str], Entry] = {}
    try:
        check_request(deals, seed, 1)
        check_processes(processes)
        check_target("--json", json)
        check_target("--markdown", markdown)
        variant = standard_variant(players, draft)
        pairings = pairings_of(agents, variant, seed, deals)
        names = {spec: make_agent(spec, variant).name if resolve(spec, variant) == spec else spec for spec in agents}
        if resume and json is None:
            raise ValueError("--resume goes on with the file of --json: name it")
        if resume and json is not None and json.exists():
            table = read_table(json, variant, seed, deals)
        elif json is not None and json.exists():
            raise ValueError(f"{json} is there already: go on with it by --resume, or name another file")
        todo = missing(pairings, table)
        columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
        with Progress(*columns) as bars:
            task = bars.add_task("deals", total=deals * len(todo))

            def note(pairing: Pairing, shares: Shares) -> None:
                table[pairing.one, pairing.others] = entry_of(shares)
                bars.console.print(f"{pairing.one} against {pairing.others}: {table[pairing.one, pairing.others]}")
                if json is not None:
                    write_table(json, table, variant, seed, deals, command)

            play_pairings(todo, processes, note, lambda count: bars.advance(task, count))
        text = table_markdown(table, agents, names)
        if markdown is not None:
            write_text(markdown, text)
    except (ValueError, OSError, ImportError) as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from None
    except WorkerError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(1) from None
    typer.echo(text)


if __name__ == "__main__":
    app()
