"""Let agents play the same deals and show how they fare.

python scripts/evaluate.py random heuristic runs/quick/policy.onnx --env Eck-v0 --games 2000
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.agent import make_agents
from agents.evaluation import BATCH, FIRST_SEED, check_request, evaluate, find_variant
from agents.results import Result, results_table, save_results

PIPED_WIDTH = 120
"""Columns of the table where the output is no terminal."""

app = typer.Typer(add_completion=False)


@app.command()
def main(
    agents: Annotated[
        list[str], typer.Argument(help="random, heuristic, mc:64 (search), paths of policies (.onnx): see make_agent.")
    ],
    env: Annotated[str, typer.Option(help="The id of the environment.")] = "Eck-v0",
    games: Annotated[int, typer.Option(help="How many games each agent plays.")] = 2000,
    seed: Annotated[int, typer.Option(help="The seed of the first game, from 2**30 up.")] = FIRST_SEED,
    json: Annotated[Path | None, typer.Option(help="Write the results, every game included, to this file.")] = None,
    batch: Annotated[int, typer.Option(help="Games played at the same time; changes nothing but the speed.")] = BATCH,
) -> None:
    """Let agents play the same deals and show how they fare."""
    try:
        variant = find_variant(env)
        check_request(games, seed, batch)
        _check_target(json)
        made = make_agents(agents, variant)
    except (ValueError, OSError, ImportError) as error:
        _fail(error)
    results: list[Result] = []
    with _progress() as bars:
        for name, agent in made.items():
            bar = bars.add_task(name, total=games)
            results.append(evaluate(agent, env, games, seed, batch, lambda ended: bars.advance(bar, ended), name))  # noqa: B023
            if json is not None:
                save_results(json, results, _command(agents, env, games, seed, batch))
    console = Console()
    console = console if console.is_terminal else Console(width=PIPED_WIDTH)
    console.print(results_table(results))
    if json is not None:
        console.print(f"results: {json}", highlight=False, soft_wrap=True)


def _progress() -> Progress:
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def _check_target(path: Path | None) -> None:
    """Raise before the games are played, rather than after, if the file could not be written."""
    if path is None:
        return
    if path.is_dir():
        raise ValueError(f"--json {str(path)!r} is a folder: name a file")
    if not path.parent.is_dir():
        raise ValueError(f"--json {str(path)!r}: there is no folder {str(path.parent)!r}; make it first")


def _command(agents: list[str], env: str, games: int, seed: int, batch: int) -> str:
    """Return the command that plays the same games again, defaults written out."""
    options = ["--env", env, "--games", str(games), "--seed", str(seed), "--batch", str(batch)]
    return shlex.join(["python", "scripts/evaluate.py", *agents, *options])


def _fail(error: Exception) -> NoReturn:
    typer.echo(f"error: {error}", err=True)
    raise typer.Exit(2)


if __name__ == "__main__":
    app()
