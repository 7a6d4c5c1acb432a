"""Training runs: that they do what the configuration says, survive any interruption, and repeat exactly."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml
from sb3_contrib import MaskablePPO
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator  # type: ignore[import-untyped]

from agents.evaluation import evaluate
from agents.ppo.checkpoints import (
    CheckpointError,
    checkpoint_path,
    checkpoint_paths,
    load_checkpoint,
    prune,
)
from agents.ppo.config import TrainingConfig
from agents.ppo.export import policy_of, real_positions
from agents.ppo.model import PolicyAgent
from agents.ppo.recording import Recorder, Recording
from agents.ppo.run_folder import RunFolder, RunFolderError
from agents.ppo.training import Trained, draw_seeds, make_learner
from agents.results import load_results
from eck_env.adapters.sb3 import GameSb3VecEnv
from eck_env.files import write_bytes
from ppo_helpers import ROLLOUT, assert_same_end, run, tiny

ROOT = Path(__file__).resolve().parents[1]


class Killed(Exception):  # noqa: N818
    pass


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunFolder, Trained]:
    """A run that was left alone."""
    path = tmp_path_factory.mktemp("whole")
    return run(tiny(path), path / "run")


def kill_at(monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    """Have the process die, as it were, in the given step of the environment, counted from now."""
    steps = 0
    take = GameSb3VecEnv.step_wait

    def step_wait(env: GameSb3VecEnv) -> Any:
        nonlocal steps
        steps += 1
        if steps == step:
            raise Killed
        return take(env)

    monkeypatch.setattr(GameSb3VecEnv, "step_wait", step_wait)


def test_what_a_run_leaves(whole: tuple[RunFolder, Trained]) -> None:
    folder, trained = whole
    assert (trained.steps, trained.finished) == (6 * ROLLOUT, True)
    assert [path.name for path in checkpoint_paths(folder.checkpoints)] == [
        "step_000000001248.zip",
        "step_000000000832.zip",
    ]
    assert trained.checkpoint == checkpoint_paths(folder.checkpoints)[0]
    evaluations = folder.read_evaluations()
    assert [entry["steps"] for entry in evaluations] == [2 * ROLLOUT, 4 * ROLLOUT, 6 * ROLLOUT]
    assert all(entry["games"] == 20 and entry["illegal_actions"] == 0 for entry in evaluations)
    best = max(evaluations, key=lambda entry: entry["win_rate"])
    stored = load_checkpoint(folder.best)
    assert stored.steps == best["steps"]
    config = tiny(folder.path.parent)
    result = evaluate(
        PolicyAgent(policy_of(stored)), "EckBeginner-v0", config.evaluation.games, config.evaluation.first_seed
    )
    assert result.win_rate == best["win_rate"]
    assert yaml.safe_load(folder.config.read_text()) == config.model_dump(mode="json")
    assert not list(folder.path.rglob("*.tmp"))


def test_tensorboard(whole: tuple[RunFolder, Trained]) -> None:
    log = EventAccumulator(str(whole[0].tensorboard))
    log.Reload()
    scalars = log.Tags()["scalars"]
    for name in ("eval/win_rate", "rollout/ep_rew_mean", "train/learning_rate", "train/entropy_weight", "time/fps"):
        assert name in scalars
    assert [event.step for event in log.Scalars("eval/win_rate")] == [2 * ROLLOUT, 4 * ROLLOUT, 6 * ROLLOUT]
    assert {event.value for event in log.Scalars("rollout/illegal_actions")} == {0.0}


def test_schedules(tmp_path: Path) -> None:
    linear = {"start": 0.5, "decay": "linear"}
    ppo = {"steps_per_rollout": 13, "minibatch_size": 208, "epochs": 1, "learning_rate": linear, "entropy": linear}
    folder, _ = run(tiny(tmp_path, updates=5, ppo=ppo), tmp_path / "run")
    log = EventAccumulator(str(folder.tensorboard))
    log.Reload()
    for name in ("train/learning_rate", "train/entropy_weight"):
        assert [event.value for event in log.Scalars(name)][:4] == pytest.approx([0.4, 0.3, 0.2, 0.1])


def test_the_seed_decides_everything(whole: tuple[RunFolder, Trained], tmp_path: Path) -> None:
    assert_same_end(whole, run(tiny(tmp_path), tmp_path / "same"))
    _, other = run(tiny(tmp_path, seed=6), tmp_path / "other")
    weights = [trained.policy.state_dict()["action_net.weight"] for trained in (whole[1], other)]
    assert not torch.equal(*weights)
    seeds = [draw_seeds(tiny(tmp_path, seed=seed)) for seed in range(200)]
    assert len(set(seeds)) == 200
    assert all(0 <= games < 2**30 - 16 for _, games in seeds)


@pytest.mark.parametrize("step", [5, 13 * 2 + 4, 13 * 5 + 13, 13 * 6])
def test_a_killed_run_ends_as_one_left_alone(
    whole: tuple[RunFolder, Trained], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    kill_at(monkeypatch, step)
    with pytest.raises(Killed):
        run(tiny(tmp_path), tmp_path / "run")
    monkeypatch.undo()
    lines: list[str] = []
    assert_same_end(whole, run(tiny(tmp_path), tmp_path / "run", resume=True, report=lines.append))
    stored = (step - 1) // 26 * 2 * ROLLOUT
    assert lines[0].startswith(f"resuming after {stored:,} steps" if stored else "no checkpoint in")


def test_whole_games_resume_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Games that are under way at the checkpoint go on where they were."""
    environment = {"id": "Eck-v0", "episode": "game"}
    left_alone = run(tiny(tmp_path, environment=environment), tmp_path / "whole")
    kill_at(monkeypatch, 13 * 5)
    with pytest.raises(Killed):
        run(tiny(tmp_path, environment=environment), tmp_path / "run")
    monkeypatch.undo()
    assert_same_end(left_alone, run(tiny(tmp_path, environment=environment), tmp_path / "run", resume=True))


def test_interrupts_store_a_checkpoint(
    whole: tuple[RunFolder, Trained], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C in the middle of the third update stops after it."""
    take, steps = GameSb3VecEnv.step_wait, 0

    def step_wait(env: GameSb3VecEnv) -> Any:
        nonlocal steps
        steps += 1
        if steps == 2 * 13 + 7:
            signal.raise_signal(signal.SIGINT)
        return take(env)

    handler = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(GameSb3VecEnv, "step_wait", step_wait)
    lines: list[str] = []
    folder, trained = run(tiny(tmp_path), tmp_path / "run", report=lines.append)
    assert (trained.steps, trained.finished) == (3 * ROLLOUT, False)
    assert trained.checkpoint == checkpoint_path(folder.checkpoints, 3 * ROLLOUT)
    assert any(line.startswith("stopping after this update") for line in lines)
    assert signal.getsignal(signal.SIGINT) is handler
    assert_same_end(whole, run(tiny(tmp_path), tmp_path / "run", resume=True))


def test_a_complete_run_resumes_to_its_end(tmp_path: Path) -> None:
    ended = run(tiny(tmp_path), tmp_path / "run")
    again = run(tiny(tmp_path), tmp_path / "run", resume=True)
    assert_same_end(ended, again)
    assert again[1].finished


def test_damaged_checkpoints(whole: tuple[RunFolder, Trained], tmp_path: Path) -> None:
    folder, _ = run(tiny(tmp_path), tmp_path / "run")
    newest, before = checkpoint_paths(folder.checkpoints)
    data = newest.read_bytes()
    sound = load_checkpoint(newest)
    assert sound.steps == 6 * ROLLOUT
    for size in (0, 10, len(data) // 2, len(data) - 1):
        newest.write_bytes(data[:size])
        with pytest.raises(CheckpointError, match="no checkpoint, or damaged"):
            load_checkpoint(newest)
    middle = len(data) // 2
    newest.write_bytes(data[:middle] + bytes([data[middle] ^ 255]) + data[middle + 1 :])
    lines: list[str] = []
    assert_same_end(whole, run(tiny(tmp_path), tmp_path / "run", resume=True, report=lines.append))
    assert "renamed to step_000000001248.damaged, trying the checkpoint before it" in lines[0]
    assert lines[1] == f"resuming after {4 * ROLLOUT:,} steps"
    for path in checkpoint_paths(folder.checkpoints):
        path.write_bytes(b"nothing")
    evaluations = folder.read_evaluations()
    for _ in range(2):  # the damaged ones are renamed by the first
        with pytest.raises(
            RunFolderError, match=r"no checkpoint in .* can be read, all are damaged: begin anew by --f"
        ):
            run(tiny(tmp_path), tmp_path / "run", resume=True)
    assert before.exists() is False
    assert folder.read_evaluations() == evaluations
    newest.write_bytes(data)
    assert_same_end(whole, run(tiny(tmp_path), tmp_path / "run", resume=True))
    with folder.claim(tiny(tmp_path), resume=False, force=True):
        assert not list(folder.checkpoints.iterdir())


def test_checkpoints_are_models_of_sb3(whole: tuple[RunFolder, Trained]) -> None:
    """Anybody's program can load one without this project's code for it."""
    model = MaskablePPO.load(whole[1].checkpoint, device="cpu")
    for name, weights in whole[1].policy.state_dict().items():
        assert torch.equal(weights, model.policy.state_dict()[name])


def test_files_are_whole_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    write_bytes(path, b"old")

    def fail(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match=r"No space left on device: '.*/file'$"):
        write_bytes(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_pruning(tmp_path: Path) -> None:
    for steps in (9, 10, 200):
        checkpoint_path(tmp_path, steps).touch()
    (tmp_path / ".step_000000000300.zip.17.tmp").touch()
    (tmp_path / "note.txt").touch()
    prune(tmp_path, 2)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "note.txt",
        "step_000000000010.zip",
        "step_000000000200.zip",
    ]


def test_run_folders(whole: tuple[RunFolder, Trained], tmp_path: Path) -> None:
    config = tiny(tmp_path)
    folder = RunFolder(tmp_path / "run")

    def claim(folder: RunFolder, config: TrainingConfig, resume: bool = False, force: bool = False) -> None:
        with folder.claim(config, resume, force):
            pass

    claim(folder, config)
    with pytest.raises(RunFolderError, match=r"there is a run in .* go on with it by --resume, begin anew"):
        claim(folder, config)
    with pytest.raises(RunFolderError, match=r"another configuration: seed, ppo differ"):
        claim(folder, tiny(tmp_path, seed=9, ppo={"minibatch_size": 100}), resume=True)
    claim(folder, tiny(tmp_path, updates=9), resume=True)
    mine = folder.path / "mine.txt"
    mine.touch()
    folder.best.touch()
    claim(folder, config, force=True)
    assert mine.exists()
    assert not folder.best.exists()
    for force in (False, True):
        with pytest.raises(RunFolderError, match="no training run, but something else"):
            claim(RunFolder(tmp_path), config, force=force)
    assert not (tmp_path / ".lock").exists()


def test_a_run_folder_is_for_one_process(tmp_path: Path) -> None:
    config, folder = tiny(tmp_path), RunFolder(tmp_path / "run")
    with folder.claim(config, resume=False, force=False):
        folder.best.touch()
        for resume, force in ((True, False), (False, True)):
            with (
                pytest.raises(RunFolderError, match=r"another process is at work in .*run: wait for it or stop it"),
                RunFolder(folder.path).claim(config, resume, force),
            ):
                pass
        assert folder.best.exists()
    with folder.claim(config, resume=True, force=False):
        pass


@pytest.mark.parametrize("line", ["", "3", "[]", '{"steps": 5}', '{"steps": 5, "win_rate": null}', '{"steps": 5, "win'])
def test_damaged_evaluations_are_named(tmp_path: Path, line: str) -> None:
    folder, sound = RunFolder(tmp_path), {"steps": 416, "win_rate": 0.5}
    folder.write_evaluations([sound])
    assert folder.read_evaluations() == [sound]
    with folder.evaluations.open("a") as file:
        file.write(line + "\n")
    with pytest.raises(RunFolderError, match=r"line 2 of .*evaluations\.jsonl is damaged \(.*: delete the line"):
        folder.read_evaluations()


# --- The command -----------------------------------------------------------------------------------------------------


def command(config: Path, folder: Path, *options: str) -> list[str]:
    return [sys.executable, "scripts/train.py", str(config), "--run-dir", str(folder), *options]


def test_the_command_survives_being_killed(whole: tuple[RunFolder, Trained], tmp_path: Path) -> None:
    """Killed after its first checkpoint and resumed, it ends as a run left alone, with table, results and policy."""
    path = tmp_path / "tiny.yaml"
    path.write_text(yaml.safe_dump(tiny(tmp_path).model_dump(mode="json") | {"total_steps": 4000 * ROLLOUT}))
    folder = RunFolder(tmp_path / "run")
    with subprocess.Popen(command(path, folder.path), cwd=ROOT, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 60
        while not checkpoint_paths(folder.checkpoints):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.kill()
    stored = load_checkpoint(checkpoint_paths(folder.checkpoints)[0]).steps
    path.write_text(yaml.safe_dump(tiny(tmp_path, updates=stored // ROLLOUT + 2).model_dump(mode="json")))
    done = subprocess.run(command(path, folder.path, "--resume"), cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    steps = stored + 2 * ROLLOUT
    assert f"resuming after {stored:,} steps" in done.stderr
    assert f"trained for {steps:,} steps" in done.stderr
    assert "EckBeginner-v0: 30 games, seeds 1073741824 to 1073741853" in done.stdout
    assert "1,000 of 1,000 choices equal" in done.stdout
    results = load_results(folder.results)
    assert [result.agent for result in results] == ["ppo", "exported", "random"]
    assert results[0].games.tobytes() == results[1].games.tobytes()
    assert f"policy.onnx: the last, after {steps:,} steps;" in done.stdout
    best = load_checkpoint(folder.best).steps
    assert f"best.zip: the one after {best:,} steps did best" in done.stdout
    assert json.loads(folder.results.read_text())["command"].startswith("python scripts/train.py")
    left_alone = run(tiny(tmp_path, updates=steps // ROLLOUT), tmp_path / "alone")
    last = load_checkpoint(checkpoint_paths(folder.checkpoints)[0])
    assert last.steps == steps
    for name, weights in left_alone[1].policy.state_dict().items():
        assert torch.equal(weights, last.parameters["policy"][name]), name
    agent = PolicyAgent(left_alone[1].policy)
    assert results[0].games.tobytes() == evaluate(agent, "EckBeginner-v0", 30).games.tobytes()
    assert folder.policy.is_file()


@pytest.mark.slow
def test_a_run_killed_at_any_moments_ends_as_one_left_alone(tmp_path: Path) -> None:
    """Killed by the system at random moments again and again, imitation included, it loses nothing but time."""
    environment = tiny(tmp_path).environment
    Recorder(Recording("heuristic", environment, 200), tmp_path / "data.npz").record(1, lambda done: None)
    imitation = {"data": str(tmp_path / "data.npz"), "minibatch_size": 100, "epochs": 40}
    policy = {"network": "color_shared", "width": 32, "depth": 2}
    config = tiny(tmp_path, updates=120, imitation=imitation, policy=policy, checkpoints={"every_steps": 300})
    path, folder = tmp_path / "tiny.yaml", RunFolder(tmp_path / "run")
    path.write_text(yaml.safe_dump(config.model_dump(mode="json")))
    rng, kills = np.random.default_rng(4), 0
    while not folder.results.is_file():
        # Long enough for a session to get somewhere: it takes seconds to start.
        with subprocess.Popen(
            command(path, folder.path, "--resume"), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            try:
                assert process.wait(float(rng.uniform(3.0, 12.0)) if kills < 5 else 300) == 0
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                kills += 1
    assert kills >= 2
    left_alone = run(config, tmp_path / "alone")
    ended = run(config, folder.path, resume=True)
    assert_same_end(left_alone, ended)
    assert not list(folder.path.rglob("*.damaged"))
    results = load_results(folder.results)
    agent = PolicyAgent(left_alone[1].policy)
    assert results[0].games.tobytes() == evaluate(agent, "EckBeginner-v0", 30).games.tobytes()


def test_errors_of_the_command(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from scripts.train import app

    path = tmp_path / "tiny.yaml"
    path.write_text(yaml.safe_dump(tiny(tmp_path).model_dump(mode="json")))
    with RunFolder(tmp_path / "used").claim(tiny(tmp_path), resume=False, force=False):
        pass
    for arguments, message in (
        (["none.yaml"], "No such file or directory: 'none.yaml'"),
        ([str(path), "--set", "ppo.epocs=3"], "did you mean 'epochs'?"),
        ([str(path), "--resume", "--force"], "give one of them"),
        ([str(path), "--seed", "-1"], "seed: must be greater than or equal to 0"),
        ([str(path), "--set", "final.opponents=[heuristc]"], "did you mean 'heuristic'?"),
        ([str(path), "--run-dir", str(tmp_path / "used")], "go on with it by --resume"),
        ([str(path), "--run-dir", str(tmp_path / "used"), "--resume", "--seed", "7"], "another configuration: seed"),
        ([str(path), "--run-dir", str(tmp_path / "b"), "--set", "environment.round_values=none.npz"], "none.npz"),
    ):
        done = CliRunner().invoke(app, arguments)
        assert (done.exit_code, message in done.output) == (2, True), done.output
    assert not (tmp_path / "b").exists()  # so that the same command can be given again with a mended configuration


def test_full_disks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever cannot be written is named, with the command that goes on once there is room."""
    from typer.testing import CliRunner

    from scripts.train import app

    path, folder = tmp_path / "tiny.yaml", RunFolder(tmp_path / "run")
    path.write_text(yaml.safe_dump(tiny(tmp_path).model_dump(mode="json")))
    arguments = [str(path), "--run-dir", str(folder.path)]
    monkeypatch.setattr(sys, "argv", ["scripts/train.py", *arguments, "--force"])
    monkeypatch.setattr(sys, "executable", str(tmp_path / ".venv/bin/python"))
    monkeypatch.chdir(tmp_path)
    again = f"by: .venv/bin/python scripts/train.py {path} --run-dir {folder.path} --resume"
    replace = Path.replace
    option = "--force"
    for full, kept in ((checkpoint_path(folder.checkpoints, 4 * ROLLOUT), 2), (folder.policy, 6), (folder.results, 6)):

        def fail(temporary: Path, target: Path, full: Path = full) -> Path:
            if target == full:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return replace(temporary, target)

        with monkeypatch.context() as patch:
            patch.setattr(Path, "replace", fail)
            done = CliRunner().invoke(app, [*arguments, option])
        assert done.exit_code == 2, done.output
        assert f"No space left on device: '{full}'" in done.output
        assert done.output.rstrip().endswith(again)
        assert ("the training is complete and stored in" in done.output) == (kept == 6)
        assert load_checkpoint(checkpoint_paths(folder.checkpoints)[0]).steps == kept * ROLLOUT
        option = "--resume"
    done = CliRunner().invoke(app, [*arguments, option])
    assert (done.exit_code, folder.results.is_file()) == (0, True), done.output


@pytest.mark.parametrize("script", ["train", "export"])
def test_missing_libraries_are_said(script: str) -> None:
    code = f"import runpy, sys; sys.modules['typer'] = None; runpy.run_path('scripts/{script}.py')"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert 'training and export need the extra "train"' in done.stderr
    assert "Traceback" not in done.stderr


def test_warm_start_takes_the_weights_of_another_run(whole: tuple[RunFolder, Trained], tmp_path: Path) -> None:
    path = checkpoint_paths(whole[0].checkpoints)[0]
    config = tiny(tmp_path, warm_start=str(path), seed=9, ppo={"learning_rate": 0.0, "minibatch_size": 100})
    _, trained = run(config, tmp_path / "run")
    weights = load_checkpoint(path).parameters["policy"]
    for name, tensor in trained.policy.state_dict().items():
        assert torch.equal(tensor, weights[name]), name


def test_warm_start_keeps_the_lookups_of_the_new_variant(tmp_path: Path) -> None:
    """Under all names that the table has in a policy, whose parts share it."""
    policy = {"network": "color_shared", "width": 8}
    source, _ = run(tiny(tmp_path, updates=1, policy=policy), tmp_path / "source")
    path = checkpoint_paths(source.checkpoints)[0]
    config = tiny(tmp_path, warm_start=str(path), policy=policy, environment={"id": "EckHard-v0"})
    model = make_learner(config, RunFolder(tmp_path / "hard"), resume=False)
    fresh = make_learner(
        tiny(tmp_path, policy=policy, environment={"id": "EckHard-v0"}), RunFolder(tmp_path / "new"), resume=False
    )
    weights, own = load_checkpoint(path).parameters["policy"], fresh.policy.state_dict()
    for name, tensor in model.policy.state_dict().items():
        assert torch.equal(tensor, (own if name.endswith(("worths", "units", "_powers")) else weights)[name]), name
    assert not torch.equal(own["features_extractor.worths"], weights["features_extractor.worths"])


def test_warm_start_goes_on_with_more_to_read(tmp_path: Path) -> None:
    """A network that is told the chances plays at first like the one it comes from."""
    policy = {"network": "color_shared", "width": 8}
    source, trained = run(tiny(tmp_path, updates=1, policy=policy), tmp_path / "source")
    path = checkpoint_paths(source.checkpoints)[0]
    told = tiny(tmp_path, warm_start=str(path), policy=policy | {"chances": True})
    model = make_learner(told, RunFolder(tmp_path / "told"), resume=False)
    observations, masks = real_positions(200, told.environment.variant())
    before, after = (PolicyAgent(one).logits_and_values(observations, masks) for one in (trained.policy, model.policy))
    for expected, found in zip(before, after, strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-5)


def test_warm_start_refuses_a_network_that_reads_something_else(tmp_path: Path) -> None:
    """Though the numbers that it reads are fewer."""
    policy = {"network": "color_shared", "width": 8}
    source, _ = run(tiny(tmp_path, updates=1, policy=policy), tmp_path / "source")
    path = checkpoint_paths(source.checkpoints)[0]
    other = tiny(tmp_path, warm_start=str(path), policy=policy | {"chances": True, "reads": "prospects"})
    with pytest.raises(CheckpointError, match="another kind or size"):
        run(other, tmp_path / "run")


def test_warm_start_refuses_other_networks(whole: tuple[RunFolder, Trained], tmp_path: Path) -> None:
    path = checkpoint_paths(whole[0].checkpoints)[0]
    config = tiny(tmp_path, warm_start=str(path), policy={"network": "mlp", "hidden": [9]})
    with pytest.raises(CheckpointError, match="another kind or size"):
        run(config, tmp_path / "run")
