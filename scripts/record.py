"""Record the decisions of an agent, for a policy to imitate before it is trained by PPO.

The configuration of the run that is to use them says what is played: variant, episode, rewards, round values.

python scripts/record.py configs/eck_imitate.yaml mc:64 --episodes 100000 --out runs/eck_mc64.npz --processes 2
python scripts/record.py configs/eck_imitate.yaml mc:64 --episodes 100000 --out runs/eck_mc64.npz --processes 2 --resume
python scripts/record.py configs/eck_distill.yaml mc:8:24:pretrained --regrets --after 6 --out runs/eck_search.npz
"""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path
from typing import Annotated, NoReturn

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.ppo import NEEDED

try:
    import typer
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from agents.ppo.config_files import load_config
    from agents.ppo.recording import PARTS_SUFFIX, Recorder, Recording
    from agents.workers import WorkerError
    from eck_env.batch import TRAINING_SEEDS
except ModuleNotFoundError as error:
    sys.exit(f"error: {error}: {NEEDED}")

STOPPED = 130
"""The exit code after Ctrl-C, as shells have it."""

app = typer.Typer(add_completion=False)


@app.command()
def main(
    config: Annotated[Path, typer.Argument(help="The YAML file of a run, whose environment is played.")],
    agent: Annotated[str, typer.Argument(help="Who decides: mc:64, mc:16:policy.onnx, ...: see make_agent.")],
    out: Annotated[Path, typer.Option(help="The file to write, .npz; until then finished parts are in FILE.parts.")],
    episodes: Annotated[int, typer.Option(min=1, help="How many episodes; a round has 13 decisions.")] = 10_000,
    first_seed: Annotated[int, typer.Option(min=0, max=TRAINING_SEEDS - 1, help="The seed of the first episode.")] = 0,
    chunk: Annotated[int, typer.Option(min=1, help="Episodes that are played together and written at a time.")] = 256,
    processes: Annotated[int, typer.Option(min=1, help="Processes; they change nothing but the speed.")] = 1,
    regrets: Annotated[
        bool,
        typer.Option("--regrets", help="Note how much worse than the best each legal action is; for searches."),
    ] = False,
    after: Annotated[
        int, typer.Option(min=0, help="Record no decision before so many of an episode; a search's policy plays these.")
    ] = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with what is in FILE.parts.")] = False,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY.PATH=VALUE", help="In place of a value in CONFIG.")
    ] = None,
) -> None:
    """Record the decisions of an agent."""
    try:
        environment = load_config(config, overrides or ()).environment
        recorder = Recorder(Recording(agent, environment, episodes, first_seed, chunk, regrets, after), out, resume)
        start = time.monotonic()
        columns = (TextColumn("episodes"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        console = Console(stderr=True)
        with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
            task = bar.add_task("", total=episodes)
            count = recorder.record(processes, lambda done: bar.advance(task, done))
    except ImportError as error:
        _fail(f"{error}: {NEEDED}")
    except (ValueError, OSError) as error:
        _fail(str(error))
    except WorkerError as error:
        _fail(f"{error}; {_advice(out)}", code=1)
    except KeyboardInterrupt:
        _fail(f"stopped; {_advice(out)}", code=STOPPED)
    minutes = (time.monotonic() - start) / 60
    typer.echo(f"{out}: {count:,} decisions in {episodes:,} episodes, {minutes:.1f} minutes")


def _advice(out: Path) -> str:
    arguments = [argument for argument in sys.argv if argument != "--resume"]
    return f"finished parts are kept in {out}{PARTS_SUFFIX}, go on by: {shlex.join(['python', *arguments, '--resume'])}"


def _fail(message: str, code: int = 2) -> NoReturn:
    typer.echo(f"error: {message}" if code != STOPPED else message, err=True)
    raise typer.Exit(code)


if __name__ == "__main__":
    app()
