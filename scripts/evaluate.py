"""Let agents play the same deals and show how they fare, one by one and against each other.

python scripts/evaluate.py random heuristic runs/quick/policy.onnx --env EckBeginner-v0 --games 2000
python scripts/evaluate.py random mc:64 mc:400 --env all --processes 4 --against random --json results.json --resume
python scripts/evaluate.py random heuristic --env GongorWhist-v0 GongorWhistColumns-v0 --games 10000
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.agent import POLICY_SUFFIX, make_agent
from agents.comparison import compare_all, compare_measures
from agents.contest import Contest, Plan, Players, Watch
from agents.distributed import NEEDED
from agents.evaluation import BATCH, FIRST_SEED, find_variant
from agents.keeping import Keeper
from agents.results import Result, by_deals, variant_title
from agents.tables import (
    comparison_table,
    comparisons_markdown,
    measures_markdown,
    measures_table,
    results_markdown,
    results_table,
)
from agents.workers import WorkerError
from eck_env.checks import choice
from eck_env.eck.variant import REGISTERED
from eck_env.files import check_target, write_text
from eck_env.registry import REGISTRY

ALL = "all"
PAIRED = 5
"""Of so many agents all pairs are compared; of more, the table would be longer than it is useful."""
PIPED_WIDTH = 120
"""Columns of the table where the output is no terminal."""
STOPPED = 130
"""The exit code after Ctrl-C, as shells have it."""

app = typer.Typer(add_completion=False)


@app.command()
def main(
    agents: Annotated[
        list[str], typer.Argument(help="random, heuristic, mc:64 (search), paths of policies (.onnx): see make_agent.")
    ],
    env: Annotated[
        list[str] | None,
        typer.Option(help="The id of an environment; further ids may follow. all: every one of ECK."),
    ] = None,
    games: Annotated[int, typer.Option(help="How many games each agent plays of each variant.")] = 2000,
    seed: Annotated[int, typer.Option(help="The seed of the first game, from 2**30 up.")] = FIRST_SEED,
    processes: Annotated[int, typer.Option(help="Processes that play; they change nothing but the speed.")] = 1,
    batch: Annotated[int, typer.Option(help="Games each plays at the same time; likewise.")] = BATCH,
    against: Annotated[
        str | None,
        typer.Option(help=f"Compare all others with this agent; by default, all pairs of up to {PAIRED}."),
    ] = None,
    json: Annotated[
        Path | None,
        typer.Option(help="Write the results, every game included, to this file; until then they are in FILE.parts."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with what is in FILE.parts or FILE.")] = False,
    ray: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Have tasks of a Ray cluster play, as many as --processes says: auto: this machine's cluster; "
            "HEAD:6379; local: no cluster.",
        ),
    ] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write the tables in Markdown to this file.")] = None,
) -> None:
    """Let agents play the same deals and show how they fare."""
    # Only one word after --env is the option's own: ids that follow it come as arguments.
    agents, more = [word for word in agents if word not in REGISTRY], [word for word in agents if word in REGISTRY]
    env = [*(env or ([] if more else ["Eck-v0"])), *more]
    try:
        variants = tuple(find_variant(env_id) for env_id in _environments(env))
        plan = Plan(Contest(tuple(agents), variants, games, seed))
        if against is not None:
            choice(against, [entry.name for entry in plan.entries], "--against")
        _warn_of_strangers(plan)
        check_target("--json", json)
        check_target("--markdown", markdown)
        keeper = Keeper(plan, json, resume)
        with _progress(plan) as watch:
            command = _command(plan, env, processes, batch)
            results = keeper.play(processes, batch, command, watch, _players(ray, processes))
    except (ValueError, OSError, ImportError) as error:
        _fail(str(error))
    except WorkerError as error:
        _fail(f"{error}{_advice(json)}", code=1)
    except KeyboardInterrupt:
        _fail(f"stopped{_advice(json)}", code=STOPPED)
    _show(results, against)
    try:
        if markdown is not None:
            write_text(markdown, _markdown(results, against))
    except OSError as error:
        _fail(str(error))
    for what, path in (("results", json), ("tables", markdown)):
        if path is not None:
            typer.echo(f"{what}: {path}")


def _players(ray: str | None, tasks: int) -> Players | None:
    if ray is None:
        return None
    try:
        from agents.distributed.players import RayPlayers
    except ModuleNotFoundError as error:
        raise ImportError(f"--ray: {error}: {NEEDED}") from error
    return RayPlayers(tasks, ray)


def _warn_of_strangers(plan: Plan) -> None:
    """Say which policies are to play a variant that they were not trained for."""
    for entry in plan.entries:
        if entry.spec.endswith(POLICY_SUFFIX):
            policy = make_agent(entry.spec)
            own = getattr(policy, "variant", None)
            if own != entry.variant:
                trained, played = variant_title(own) if own else "another game", variant_title(entry.variant)
                typer.echo(f"warning: {entry.name} was trained for {trained}, and plays {played}", err=True)


def _environments(given: Sequence[str]) -> list[str]:
    if ALL not in given:
        return list(dict.fromkeys(choice(env_id, (*REGISTRY, ALL), "--env") for env_id in given))
    return list(REGISTERED)


def _show(results: Sequence[Result], against: str | None) -> None:
    console = Console()
    console = console if console.is_terminal else Console(width=PIPED_WIDTH)
    for group in by_deals(results):
        console.print(results_table(group))
        if _compared(group, against):
            console.print(comparison_table(compare_all(group, against)))
            if measured := compare_measures(group, against):
                console.print(measures_table(measured))


def _compared(group: Sequence[Result], against: str | None) -> bool:
    return len(group) > 1 and (against is not None or len(group) <= PAIRED)


def _markdown(results: Sequence[Result], against: str | None) -> str:
    groups = [group for group in by_deals(results) if _compared(group, against)]
    text = results_markdown(results)
    if groups:
        text += "\n" + comparisons_markdown([(group[0], compare_all(group, against)) for group in groups])
    measured = [(group[0], compare_measures(group, against)) for group in groups if group[0].measures]
    return text + ("\n" + measures_markdown(measured) if measured else "")


@contextmanager
def _progress(plan: Plan) -> Iterator[Watch]:
    """Show a bar for all games, and one for each agent that is playing."""
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    games = plan.contest.games
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        everything = bars.add_task("all", total=games * len(plan.entries))
        tasks: dict[int, TaskID] = {}

        def watch(place: int, ended: int) -> None:
            entry = plan.entries[place]
            if place not in tasks:
                tasks[place] = bars.add_task(f"{entry.name} on {variant_title(entry.variant)}", total=games)
            bars.advance(everything, ended)
            bars.advance(tasks[place], ended)
            bars.update(tasks[place], visible=not bars.tasks[bars.task_ids.index(tasks[place])].finished)

        yield watch


def _command(plan: Plan, env: Sequence[str], processes: int, batch: int) -> str:
    """Return the command that plays the same games again, defaults written out."""
    contest = plan.contest
    environments = [word for env_id in env for word in ("--env", env_id)]
    numbers = {"games": contest.games, "seed": contest.first_seed, "processes": processes, "batch": batch}
    options = [word for name, number in numbers.items() for word in (f"--{name}", str(number))]
    return shlex.join(["python", "scripts/evaluate.py", *contest.agents, *environments, *options])


def _advice(json: Path | None) -> str:
    if json is None:
        return "; with --json FILE, games that have been played are kept"
    arguments = [argument for argument in sys.argv if argument != "--resume"]
    return f"; finished games are kept, go on by: {shlex.join(['python', *arguments, '--resume'])}"


def _fail(message: str, code: int = 2) -> NoReturn:
    typer.echo(f"error: {message}" if code != STOPPED else message, err=True)
    raise typer.Exit(code)


if __name__ == "__main__":
    app()
