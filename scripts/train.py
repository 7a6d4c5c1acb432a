"""Train a policy: evaluate it while it learns, compare it with other agents at the end, and export it.

python scripts/train.py configs/quick.yaml
python scripts/train.py configs/quick.yaml --run-dir runs/wide --set policy.width=96 --seed 7
python scripts/train.py configs/quick.yaml --resume
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.ppo import NEEDED

try:
    import typer
    from rich.console import Console
    from tqdm import tqdm

    from agents.agent import Agent, make_agent, make_agents
    from agents.evaluation import evaluate
    from agents.ppo.config import TrainingConfig
    from agents.ppo.config_files import load_config
    from agents.ppo.run_folder import RunFolder
    from agents.results import Result, save_results
    from agents.tables import results_table
except ModuleNotFoundError as error:
    sys.exit(f"error: {error}: {NEEDED}")

if TYPE_CHECKING:
    from sb3_contrib import MaskablePPO

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
        folder.check(settings, resume, force)
        # All that can fail for what the configuration says, or for want of a library, before the folder is claimed.
        import agents.ppo.export  # noqa: F401
        from agents.ppo.training import make_learner

        learner = make_learner(settings, folder, resume)
        with folder.claim(settings, resume, force):
            trained = _train(learner, settings, folder, resume)
            _conclude(settings, folder, trained, opponents)
    except ImportError as error:
        _fail(f"{error}: {NEEDED}")
    except (ValueError, OSError) as error:
        _fail(error)
    except KeyboardInterrupt:
        _stop("stopped before the end of the update")


def _train(learner: MaskablePPO, settings: TrainingConfig, folder: RunFolder, resume: bool) -> Trained:
    from agents.ppo.training import train

    _say(f"training in {folder.path}; watch it by: tensorboard --logdir {shlex.quote(str(folder.tensorboard))}")
    try:
        trained = train(learner, settings, folder, resume, _say, show_progress=sys.stderr.isatty())
    except OSError as error:
        _fail(
            f"{error}: mend that (make room if a disk is full) and go on from the last checkpoint, which is kept, by: "
            f"{_command_to_resume()}"
        )
    if not trained.finished:
        _stop(f"stopped after {trained.steps:,} steps, which are stored in {trained.checkpoint}")
    return trained


def _conclude(settings: TrainingConfig, folder: RunFolder, trained: Trained, opponents: dict[str, Agent]) -> None:
    from agents.ppo.export import ExportError

    stored = f"the training is complete and stored in {trained.checkpoint}"
    try:
        _judge_and_export(settings, folder, trained, opponents)
    except ExportError as error:
        _fail(f"{stored}, but {error}")
    except OSError as error:
        _fail(
            f"{error}: {stored}; mend that (make room if a disk is full) and have it evaluated and exported by: "
            f"{_command_to_resume()}"
        )
    except KeyboardInterrupt:
        _stop(f"{stored}, but not evaluated and exported")


def _judge_and_export(
    settings: TrainingConfig, folder: RunFolder, trained: Trained, opponents: dict[str, Agent]
) -> None:
    """Export the policy, and show how it, the exported file and the opponents fare on the same deals."""
    from agents.ppo.export import export_policy, training_record
    from agents.ppo.judge import score_of
    from agents.ppo.model import PolicyAgent

    _say(f"trained for {trained.steps:,} steps in {trained.seconds / 60:.1f} minutes; evaluating")
    variant, final = settings.environment.variant_keywords(), settings.final

    def judge(name: str, agent: Agent) -> Result:
        return evaluate(agent, variant, final.games, final.first_seed, name=name)

    results = [judge("ppo", PolicyAgent(trained.policy))]
    record = training_record(trained.steps, trained.seconds)
    parity = export_policy(trained.policy, folder.policy, settings, record, results)
    results.append(judge("exported", make_agent(str(folder.policy))))
    results += [judge(name, agent) for name, agent in opponents.items()]
    save_results(folder.results, results, shlex.join(["python", *sys.argv]))
    console = Console()
    console = console if console.is_terminal else Console(width=PIPED_WIDTH)
    console.print(results_table(results))
    typer.echo(f"policy:  {folder.policy}: the last, after {trained.steps:,} steps; {parity}")
    evaluations = folder.read_evaluations()
    if evaluations:
        steps = max(evaluations, key=score_of)["steps"]  # the first of equals, as is best.zip
        typer.echo(f"best:    {folder.best}: the one after {steps:,} steps did best; scripts/export.py exports it")
    typer.echo(f"results: {folder.results}")


def _say(line: str) -> None:
    tqdm.write(line, file=sys.stderr)  # leaves a progress bar whole


def _stop(line: str) -> NoReturn:
    _say(f"{line}; go on by: {_command_to_resume()}")
    raise typer.Exit(STOPPED)


def _command_to_resume() -> str:
    """Return the present command with --resume, by the same Python, which another shell need not find as `python`."""
    python = Path(sys.executable)
    if python.is_relative_to(Path.cwd()):
        python = python.relative_to(Path.cwd())
    arguments = [argument for argument in sys.argv if argument not in ("--resume", "--force")]
    return shlex.join([str(python), *arguments, "--resume"])


def _fail(error: object) -> NoReturn:
    typer.echo(f"error: {error}", err=True)
    raise typer.Exit(2)


if __name__ == "__main__":
    app()
