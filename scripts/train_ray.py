"""Train a policy on a Ray cluster, or with several processes of this machine: RLlib's PPO, the networks of agents.ppo.

python scripts/train_ray.py configs/quick.yaml --runners 2
python scripts/train_ray.py configs/eck_hour.yaml --runners 32 --address auto
python scripts/train_ray.py configs/quick.yaml --runners 2 --resume

An env runner that dies is started anew; after the death of this process itself, --resume goes on from the last
checkpoint.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from pathlib import Path
from typing import Annotated, Any, NoReturn

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.distributed import NEEDED

try:
    import typer

    from agents.distributed.cluster import LOCAL, connect
    from agents.distributed.rllib import make_learner, policy_of
except ModuleNotFoundError as error:
    sys.exit(f"error: {error}: {NEEDED}")

from agents.evaluation import evaluate
from agents.ppo.config import TrainingConfig
from agents.ppo.config_files import changed_keys, dump_config, load_config
from agents.ppo.model import PolicyAgent
from agents.results import Result
from eck_env.files import write_text

CHECKPOINT, CONFIG, POLICY = "checkpoint", "config.yaml", "policy.onnx"
PROGRESS = "progress.json"
"""In the checkpoint: decisions and seconds until then."""
PATIENCE = 900.0
"""Seconds without an env runner after which the run is given up; starting one takes half a minute on a busy machine."""

app = typer.Typer(add_completion=False)


@app.command()
def main(
    config: Annotated[Path, typer.Argument(help="The YAML file of the run; agents/ppo/config.py explains the keys.")],
    runners: Annotated[int, typer.Option(min=0, help="Processes that play; 0: this one alone.")] = 2,
    address: Annotated[str, typer.Option(help="auto: this machine's cluster; HEAD:6379; local: no cluster.")] = LOCAL,
    run_dir: Annotated[
        Path | None, typer.Option(help="The folder of the run; by default runs/ray_ and CONFIG's name.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in the folder.")] = False,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY.PATH=VALUE", help="In place of a value in CONFIG.")
    ] = None,
) -> None:
    """Train a policy and export it."""
    folder = run_dir or Path("runs") / f"ray_{config.stem}"
    try:
        settings = load_config(config, overrides or ())
        _check(folder, settings, resume)
        connect(address, runners + 1)
        learner = make_learner(settings, runners)
    except (ValueError, OSError, ConnectionError) as error:
        _fail(error)
    steps, seconds = 0, 0.0
    if resume and (folder / CHECKPOINT).is_dir():
        learner.restore_from_path(str((folder / CHECKPOINT).resolve()))
        steps, seconds = json.loads((folder / CHECKPOINT / PROGRESS).read_text(encoding="utf-8"))
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / CONFIG, dump_config(settings))
    steps, seconds = _train(learner, settings, folder, steps, seconds)
    _export(learner, settings, folder, steps, seconds)
    learner.stop()


def _check(folder: Path, settings: TrainingConfig, resume: bool) -> None:
    """Raise ValueError if the folder holds another run, or one that is not to be gone on with."""
    path = folder / CONFIG
    if not path.is_file():
        return
    if not resume:
        raise ValueError(f"{folder} holds a run: go on with it by --resume, or name another --run-dir")
    changed = changed_keys(load_config(path), settings)
    if changed:
        raise ValueError(f"the run in {folder} has other values of {', '.join(changed)}: go on with its own")


def _train(learner: Any, settings: TrainingConfig, folder: Path, steps: int, seconds: float) -> tuple[int, float]:
    """Train to the end, from so many decisions and seconds on; return both as they are then."""
    played = time.monotonic()
    start = played - seconds
    while steps < settings.total_steps:
        before, told = steps, learner.train()
        steps = int(told.get("num_env_steps_sampled_lifetime", steps))
        if steps == before:
            _wait(played)
            continue
        played = time.monotonic()
        healthy = learner.env_runner_group.num_healthy_remote_workers()
        returns = told["env_runners"].get("episode_return_mean", float("nan"))
        typer.echo(f"{steps:,} steps, {time.monotonic() - start:.0f} s: reward {returns:+.4f}, {healthy} env runners")
        last = steps >= settings.total_steps
        if last or steps // settings.evaluation.every_steps > before // settings.evaluation.every_steps:
            evaluation = settings.evaluation
            _judge(learner, settings, evaluation.games, evaluation.first_seed)
        if last or steps // settings.checkpoints.every_steps > before // settings.checkpoints.every_steps:
            _save(learner, folder / CHECKPOINT, steps, time.monotonic() - start)
    return steps, time.monotonic() - start


def _wait(played: float) -> None:
    """Wait a moment for env runners to be started anew; give up if none has played for long."""
    if time.monotonic() - played > PATIENCE:
        _fail(f"no env runner has played for {PATIENCE:.0f} seconds; go on from the last checkpoint by --resume")
    typer.echo("waiting for env runners to be started anew", err=True)
    time.sleep(1.0)


def _judge(learner: Any, settings: TrainingConfig, games: int, first_seed: int) -> Result:
    agent = PolicyAgent(policy_of(learner, settings))
    result = evaluate(agent, settings.environment.variant_keywords(), games, first_seed, name="ppo")
    low, high = result.interval
    illegal = result.endings["illegal action"]
    typer.echo(
        f"wins {100 * result.win_rate:.1f} % ({100 * low:.1f} - {100 * high:.1f}) of {games:,} games, "
        f"illegal actions: {illegal}"
    )
    return result


def _save(learner: Any, path: Path, steps: int, seconds: float) -> None:
    """Write a checkpoint, all of it or nothing."""
    fresh, old = path.with_name("checkpoint.new"), path.with_name("checkpoint.old")
    for left in (fresh, old):
        shutil.rmtree(left, ignore_errors=True)
    learner.save_to_path(str(fresh.resolve()))
    write_text(fresh / PROGRESS, json.dumps([steps, seconds]))
    if path.exists():
        path.rename(old)
    fresh.rename(path)
    shutil.rmtree(old, ignore_errors=True)


def _export(learner: Any, settings: TrainingConfig, folder: Path, steps: int, seconds: float) -> None:
    from agents.ppo.export import export_policy

    result = _judge(learner, settings, settings.final.games, settings.final.first_seed)
    record = {"algorithm": "RLlib PPO", "steps": steps, "seconds": round(seconds, 1)}
    parity = export_policy(policy_of(learner, settings), folder / POLICY, settings, record, [result])
    typer.echo(f"policy: {folder / POLICY}: {parity}")


def _fail(error: object) -> NoReturn:
    typer.echo(f"error: {error}", err=True)
    raise typer.Exit(2)


if __name__ == "__main__":
    app()
