"""The search for hyperparameters: that it goes on where it was, cuts short, and leaves what is to be trained with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from optuna.trial import TrialState
from typer.testing import CliRunner

from agents.ppo.config_files import ConfigError, load_config
from agents.ppo.run_folder import RunFolder, RunFolderError
from agents.ppo.sweep import Sweep, SweepConfig, load_sweep
from eck_env.adapters.sb3 import GameSb3VecEnv
from ppo_helpers import ROLLOUT, tiny

SPACE = {
    "ppo.learning_rate.start": {"low": 1e-3, "high": 1e-1, "log": True},
    "ppo.epochs": {"low": 1, "high": 3, "whole": True},
    "ppo.minibatch_size": {"choices": [100, 104, 208]},
    "ppo.gae_lambda": {"low": 0.8, "high": 1.0},
}


class Killed(Exception):  # noqa: N818
    pass


def make(folder: Path, **changes: Any) -> Path:
    """Write a sweep of runs of a few updates."""
    base = folder / "base.yaml"
    base.write_text(yaml.safe_dump(tiny(folder).model_dump(mode="json")))
    data = {"base": str(base), "total_steps": 4 * ROLLOUT, "trials": 4, "startup_trials": 2, "seed": 3, "space": SPACE}
    path = folder / "sweep.yaml"
    path.write_text(yaml.safe_dump(data | changes, sort_keys=False))
    return path


def sweep(folder: Path, name: str, resume: bool = False, **changes: Any) -> Sweep:
    return Sweep(load_sweep(make(folder, **changes)), folder / name, resume, lambda line: None)


def found(sweep: Sweep) -> list[tuple[Any, ...]]:
    return [(one.number, one.state, one.win_rate, one.steps, one.values) for one in sweep.run()]


def test_what_a_sweep_leaves(tmp_path: Path) -> None:
    outcomes = sweep(tmp_path, "sweep").run()
    assert sorted(one.number for one in outcomes) == [0, 1, 2, 3]
    first = next(one for one in outcomes if one.number == 0)
    own = {"ppo.learning_rate.start": 0.01, "ppo.epochs": 2, "ppo.minibatch_size": 100, "ppo.gae_lambda": 0.95}
    assert first.values == own
    best = outcomes[0]
    assert best.state == "complete"
    assert best.win_rate == max(one.win_rate for one in outcomes if one.state == "complete" and one.win_rate)
    folder = tmp_path / "sweep"
    config = load_config(folder / "best.yaml")
    assert config.total_steps == tiny(tmp_path).total_steps
    assert config.ppo.epochs == best.values["ppo.epochs"]
    assert config.ppo.learning_rate.start == pytest.approx(best.values["ppo.learning_rate.start"])
    assert (folder / "sweep.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "table.md").read_text().startswith("| trial | state | win rate | steps | minutes | ppo.learning")
    assert len((folder / "table.md").read_text().splitlines()) == 2 + 4


def test_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed in the middle of the third trial, it ends as one left alone."""
    whole = found(sweep(tmp_path, "whole"))
    take, steps = GameSb3VecEnv.step_wait, 0

    def step_wait(env: GameSb3VecEnv) -> Any:
        nonlocal steps
        steps += 1
        if steps == 13 * (2 * 4 + 2) + 5:
            raise Killed
        return take(env)

    monkeypatch.setattr(GameSb3VecEnv, "step_wait", step_wait)
    with pytest.raises(Killed):
        sweep(tmp_path, "killed").run()
    monkeypatch.undo()
    with pytest.raises(RunFolderError, match="go on with it by --resume"):
        sweep(tmp_path, "killed")
    with pytest.raises(RunFolderError, match="was begun with another seed"):
        sweep(tmp_path, "killed", resume=True, seed=4)
    assert found(sweep(tmp_path, "killed", resume=True)) == whole
    more = sweep(tmp_path, "killed", resume=True, trials=5).run()
    assert sorted(one.number for one in more) == [0, 1, 2, 3, 4]


def test_hopeless_trials_are_cut_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The third run is made to look worse than the two before; it ends at its second evaluation."""
    from agents.results import Result

    rates = {0: 0.5, 1: 0.6, 2: 0.1}
    monkeypatch.setattr(Result, "win_rate", property(lambda result: rates[max(int(p.name) for p in trials.iterdir())]))
    trials = tmp_path / "sweep" / "trials"
    outcomes = sweep(tmp_path, "sweep", trials=3, total_steps=8 * ROLLOUT, startup_trials=2).run()
    assert [(one.number, one.state, one.steps) for one in outcomes] == [
        (1, "complete", 8 * ROLLOUT),
        (0, "complete", 8 * ROLLOUT),
        (2, "pruned", 4 * ROLLOUT),
    ]
    assert RunFolder(trials / "0002").read_evaluations()[-1]["steps"] == 4 * ROLLOUT


def test_values_that_do_not_go_together_fail_alone(tmp_path: Path) -> None:
    space = {"ppo.minibatch_size": {"choices": [100, 208]}, "num_games": {"choices": [8]}}
    base = tmp_path / "base.yaml"
    sweep_config = SweepConfig.model_validate(
        {"base": str(base), "total_steps": ROLLOUT, "trials": 6, "space": space, "seed": 1}
    )
    make(tmp_path)
    outcomes = Sweep(sweep_config, tmp_path / "sweep", False, lambda line: None).run()
    failed = [one for one in outcomes if one.state == TrialState.FAIL.name.lower()]
    assert all(one.values == {"ppo.minibatch_size": 208, "num_games": 8} for one in failed)
    assert 0 < len(failed) < 6


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"space": {"ppo.epocs": {"choices": [3]}}}, "did you mean 'epochs'?"),
        ({"space": {"ppo.epochs": {"choices": [0]}}}, "ppo.epochs: must be greater than or equal to 1"),
        ({"space": {"ppo.epochs": {"low": 3, "high": 2}}}, "must have either low and high"),
        ({"space": {"ppo.epochs": {"low": 1, "high": 2, "choices": [3]}}}, "must have either low and high"),
        ({"space": {"ppo.gae_lambda": {"low": 0, "high": 1, "log": True}}}, "must begin above 0"),
        ({"space": {}}, "space: "),
        ({"trails": 3}, "did you mean 'trials'?"),
    ],
)
def test_errors_say_what_is_wrong(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        load_sweep(make(tmp_path, **changes))
    assert message in str(error.value)


def test_the_command(tmp_path: Path) -> None:
    from scripts.sweep import app

    path, folder = make(tmp_path, trials=1), tmp_path / "sweep"
    done = CliRunner().invoke(app, [str(path), "--folder", str(folder)])
    assert done.exit_code == 0, done.output
    assert f"best:    {folder / 'best.yaml'}" in done.output
    done = CliRunner().invoke(app, [str(path), "--folder", str(folder)])
    assert (done.exit_code, "go on with it by --resume" in done.output) == (2, True), done.output
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine.txt").touch()
    done = CliRunner().invoke(app, [str(path), "--folder", str(tmp_path / "other")])
    assert (done.exit_code, "holds no sweep, but something else" in done.output) == (2, True), done.output
