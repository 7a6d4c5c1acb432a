"""Train a policy: evaluate it while it learns, compare it with other agents at the end, and export it.

python scripts/train.py configs/quick.yaml
python scripts/train.py configs/quick.yaml --run-dir runs/wide --set policy.hidden=[256,256] --seed 7
python scripts/train.py configs/quick.yaml --resume
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from rich.console import Console
from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.agent import Agent, make_agent, make_agents
from agents.evaluation import evaluate
from agents.ppo.config import TrainingConfig, load_config
from agents.ppo.run_folder import RunFolder
from agents.results import Result, results_table, save_results

if TYPE_CHECKING:
    from agents.ppo.training import Trained

PIPED_WIDTH = 120
"""Columns of the table where the output is no terminal."""
STOPPED = 130
"""The exit code after Ctrl-C, as shells have it."""

app = typer.Typer(add_completion=False)


@app.command()
def main(
    config: Annotated[Path, typer.Argument(help="The YAML file of the run; agents/ppo/config.py explains the keys.")],
    run_dir: Annotated[
        Path | None, typer.Option(help="The folder of the run; by default runs/ and CONFIG's name.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in the folder.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the run in the folder.")] = False,
    seed: Annotated[int | None, typer.Option(help="In place of the seed in CONFIG.")] = None,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY.PATH=VALUE", help="In place of a value in CONFIG.")
    ] = None,
) -> None:
    """Train a policy, compare it with other agents, and export it."""
    folder = RunFolder(run_dir or Path("runs") / config.stem)
    try:
        if resume and force:
            raise ValueError("--resume goes on with the run and --force replaces it: give one of them")
        settings = load_config(config, [*(overrides or ()), *(() if seed is None else [f"seed={seed}"])])
        opponents = make_agents(settings.final.opponents, settings.environment.variant())
        folder.prepare(settings, resume, force)
        trained = _train(settings, folder, resume)
    except (ValueError, OSError, ImportError) as error:
        _fail(error)
    except KeyboardInterrupt:
        _stop("stopped before the end of the update")
    if not trained.finished:
        _stop(f"stopped after {trained.steps:,} steps, which are stored in {trained.checkpoint}")
    try:
        _conclude(settings, folder, trained, opponents)
    except KeyboardInterrupt:
        _stop("the training is complete, but not its evaluation")


def _train(settings: TrainingConfig, folder: RunFolder, resume: bool) -> Trained:
    from agents.ppo.training import train

    _say(f"training in {folder.path}; watch it by: tensorboard --logdir {shlex.quote(str(folder.tensorboard))}")
    return train(settings, folder, resume, _say, show_progress=sys.stderr.isatty())


def _conclude(settings: TrainingConfig, folder: RunFolder, trained: Trained, opponents: dict[str, Agent]) -> None:
    """Export the policy, and show how it, the exported file and the opponents fare on the same deals."""
    from agents.ppo.export import export_policy, training_record
    from agents.ppo.model import PolicyAgent

    _say(f"trained for {trained.steps:,} steps in {trained.seconds / 60:.1f} minutes; evaluating")
    variant, final = settings.environment.variant_keywords(), settings.final

    def judge(name: str, agent: Agent) -> Result:
        return evaluate(agent, variant, final.games, final.first_seed, name=name)

    results = [judge("ppo", PolicyAgent(trained.policy))]
    record = training_record(trained.steps, trained.seconds)
    parity = export_policy(trained.policy, folder.policy, settings, record, results)
    results.append(judge(folder.policy.name, make_agent(str(folder.policy))))
    results += [judge(name, agent) for name, agent in opponents.items()]
    save_results(folder.results, results, shlex.join(["python", *sys.argv]))
    console = Console()
    console = console if console.is_terminal else Console(width=PIPED_WIDTH)
    console.print(results_table(results))
    typer.echo(f"policy:  {folder.policy} (checked against the trained network: {parity})")
    typer.echo(f"results: {folder.results}")


def _say(line: str) -> None:
    tqdm.write(line, file=sys.stderr)  # leaves a progress bar whole


def _stop(line: str) -> NoReturn:
    arguments = [argument for argument in sys.argv if argument not in ("--resume", "--force")]
    _say(f"{line}; go on by: {shlex.join(['python', *arguments, '--resume'])}")
    raise typer.Exit(STOPPED)


def _fail(error: Exception) -> NoReturn:
    if isinstance(error, ImportError):
        error = ImportError(f'{error}: training needs the extra "train" (pip install -e ".[train]")')
    typer.echo(f"error: {error}", err=True)
    raise typer.Exit(2)


if __name__ == "__main__":
    app()
