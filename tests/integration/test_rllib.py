"""ECK in RLlib, training and evaluation on Ray."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ray", reason="Ray is not installed: make test-integrations runs this where it is")

import ray
import torch
from ray.rllib.core.columns import Columns
from ray.rllib.env.env_context import EnvContext

from agents.contest import Contest, Plan, run
from agents.distributed.cluster import LOCAL, ROOT, connect
from agents.distributed.players import RayPlayers
from agents.distributed.rllib import make_learner, policy_of
from agents.evaluation import FIRST_SEED, find_variant
from agents.ppo.config import ImitationConfig, TrainingConfig
from agents.ppo.config_files import parse_config
from agents.ppo.scaled_rewards import ScaledVectorEnv
from agents.results import load_results
from agents.workers import Chunk, WorkerError, result_of
from eck_env.adapters.rllib import ACTION_MASK, OBSERVATIONS, MaskedModule, make_rllib_env
from eck_env.eck.vector_env import EckVectorEnv
from integration_helpers import run_example

pytestmark = pytest.mark.integration

STEPS = 64 * 13


def small_config() -> TrainingConfig:
    return parse_config(
        {
            "num_games": 64,
            "total_steps": 10 * STEPS,
            "environment": {"id": "EckBeginner-v0"},
            "policy": {"network": "color_shared", "width": 16, "depth": 2},
            "ppo": {"steps_per_rollout": 13, "minibatch_size": 416, "epochs": 1},
        },
        "a test",
    )


@pytest.fixture
def running_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[str, str]]]:
    """Start a cluster as its users do; give its address and the variables of processes that may join it."""
    variables = {**os.environ, "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    variables["RAY_TMPDIR"] = tempfile.mkdtemp(prefix="ray", dir="/tmp")  # Ray's sockets need a short path
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = [str(Path(sys.executable).with_name("ray")), "start", "--head", "--block", "--num-cpus", "3"]
    command += ["--node-ip-address", "127.0.0.1", "--port", address.rpartition(":")[2], "--include-dashboard=false"]
    # A session of its own: Ray kills the whole process group of its head when that ends.
    options: dict[str, Any] = {"stdout": subprocess.PIPE, "text": True, "start_new_session": True}
    with subprocess.Popen(command, env=variables, **options) as head:
        try:
            assert head.stdout is not None
            assert any("Ray runtime started" in line for line in head.stdout)
            yield address, variables
        finally:
            head.terminate()
    shutil.rmtree(variables["RAY_TMPDIR"], ignore_errors=True)


@pytest.fixture
def cluster() -> Iterator[None]:
    connect(LOCAL, 3)
    yield
    ray.shutdown()


def test_the_module_plays_legal_cards_only() -> None:
    env: Any = make_rllib_env({"num_envs": 8, "target": 2})
    module = MaskedModule(
        observation_space=env.single_observation_space,
        action_space=env.single_action_space,
        model_config={"hidden": (8,)},
    )
    observations, _ = env.reset(seed=1)
    for _ in range(40):
        seen = {name: torch.as_tensor(part) for name, part in observations.items()}
        logits = module.forward_exploration({Columns.OBS: seen})[Columns.ACTION_DIST_INPUTS]
        distribution: Any = torch.distributions.Categorical(logits=logits)
        actions = distribution.sample().numpy()
        assert observations[ACTION_MASK][np.arange(8), actions].all()
        observations, *_ = env.step(actions)


def test_env_runners_deal_different_games() -> None:
    first, second = (make_rllib_env(EnvContext({"num_envs": 4}, worker_index=index)) for index in (1, 2))
    ours, theirs = first.reset(seed=1)[0][OBSERVATIONS], second.reset(seed=2)[0][OBSERVATIONS]
    assert len(np.unique(np.concatenate([ours, theirs]), axis=0)) == 8
    assert make_rllib_env({}).reset(seed=1)[0][OBSERVATIONS].shape == (259,)


@pytest.mark.parametrize("runners", [1, 2])
def test_training_outlives_an_env_runner(runners: int, cluster: None) -> None:
    config = small_config()
    learner = make_learner(config, runners)
    before = policy_of(learner, config).state_dict()
    learner.train()
    pids = learner.env_runner_group.foreach_env_runner(lambda runner: os.getpid(), local_env_runner=False)
    assert len(set(pids)) == runners
    os.kill(pids[0], signal.SIGKILL)
    steps, deadline = STEPS, time.monotonic() + 600
    now: list[int] = []
    while (steps < 3 * STEPS or len(now) < runners) and time.monotonic() < deadline:
        steps = learner.train().get("num_env_steps_sampled_lifetime", steps)
        now = learner.env_runner_group.foreach_env_runner(lambda runner: os.getpid(), local_env_runner=False)
        time.sleep(0.5)
    assert steps >= 3 * STEPS
    assert len(now) == runners
    assert pids[0] not in now
    after = policy_of(learner, config).state_dict()
    assert any(not torch.equal(before[name], value) for name, value in after.items())
    learner.stop()


def test_rewards_are_scaled_where_the_configuration_says_so(cluster: None) -> None:
    relative = small_config()
    for reads, kind in (("relative_worths", ScaledVectorEnv), ("worths", EckVectorEnv)):
        policy = relative.policy.model_copy(update={"reads": reads})
        learner = make_learner(relative.model_copy(update={"policy": policy}), 0)
        assert type(learner.env_runner.env.unwrapped) is kind
        learner.stop()


def test_what_training_on_ray_does_not_do_is_refused() -> None:
    imitation = ImitationConfig(data="recorded.npz")
    with pytest.raises(ValueError, match="imitation"):
        make_learner(small_config().model_copy(update={"imitation": imitation}), 1)
    with pytest.raises(ValueError, match="shared evenly"):
        make_learner(small_config(), 3)
    unscaled = small_config().ppo.model_copy(update={"normalize_advantage": False})
    with pytest.raises(ValueError, match=r"ppo\.normalize_advantage is False.*set it to true"):
        make_learner(small_config().model_copy(update={"ppo": unscaled}), 1)


def test_the_script_refuses_what_training_on_ray_does_not_do(tmp_path: Path) -> None:
    config = tmp_path / "small.yaml"
    config.write_text(json.dumps(small_config().model_dump(mode="json")), encoding="utf-8")
    command = [sys.executable, str(ROOT / "scripts/train_ray.py"), str(config), "--runners", "1", "--run-dir",
               str(tmp_path / "run"), "--set", "ppo.normalize_advantage=false"]  # fmt: skip
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "ppo.normalize_advantage is False" in refused.stderr
    assert not (tmp_path / "run").exists()


def test_an_address_for_clients_is_refused() -> None:
    with pytest.raises(ValueError, match="on a machine of the cluster"):
        connect("ray://head:10001", 1)


def results_of(tasks: int, games: int = 10_000, kill: bool = False) -> bytes:
    plan = Plan(Contest(("random",), (find_variant("EckBeginner-v0"),), games))
    killed: list[int] = []

    def watch(place: int, ended: int) -> None:
        if kill and not killed:
            for process in Path("/proc").glob("[0-9]*"):
                if b"ray::play_chunk" in _command(process) and _ancestor(process, os.getpid()):
                    os.kill(int(process.name), signal.SIGKILL)
                    killed.append(int(process.name))

    (result,) = run(plan, batch=256, watch=watch, players=RayPlayers(tasks))
    assert bool(killed) == kill
    return result.games.tobytes()


def _command(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""


def _ancestor(process: Path, ancestor: int) -> bool:
    """Whether a process was started, through others, by this one: no others' are killed."""
    pid = int(process.name)
    while pid > 1:
        if pid == ancestor:
            return True
        try:
            pid = int((Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return False
    return False


def test_evaluation_is_the_same_over_any_number_of_tasks() -> None:
    plan = Plan(Contest(("random",), (find_variant("EckBeginner-v0"),), 10_000))
    here = run(plan)[0].games.tobytes()
    for tasks in (1, 2, 4):
        assert results_of(tasks) == here


def test_evaluation_outlives_a_worker() -> None:
    assert results_of(2, 60_000, kill=True) == results_of(1, 60_000)


def test_the_script_evaluates_on_ray_as_without(tmp_path: Path) -> None:
    games = []
    for name, options in (("here", []), ("ray", ["--ray", LOCAL, "--processes", "2"])):
        file = tmp_path / f"{name}.json"
        command = [sys.executable, str(ROOT / "scripts/evaluate.py"), "random", "heuristic", "--games", "1000"]
        done = subprocess.run([*command, "--json", str(file), *options], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        games.append([result.games.tobytes() for result in load_results(file)])
    assert games[0] == games[1]


def test_a_cluster_that_runs_already_evaluates_and_trains(
    running_cluster: tuple[str, dict[str, str]], tmp_path: Path
) -> None:
    address, variables = running_cluster
    policy = "agents/pretrained/EckBeginner-v0.onnx"
    results = []
    for name, options in (("here", []), ("ray", ["--ray", address])):
        file = tmp_path / f"{name}.json"
        command = ["scripts/evaluate.py", "random", policy, "--env", "EckBeginner-v0", "--games", "500"]
        called([*command, "--processes", "2", "--json", str(file), *options], variables)
        results.append([result.games.tobytes() for result in load_results(file)])
    assert results[0] == results[1]
    config = tmp_path / "small.yaml"
    config.write_text(json.dumps(small_config().model_dump(mode="json")), encoding="utf-8")
    command = ["scripts/train_ray.py", str(config), "--address", "auto", "--run-dir", str(tmp_path / "run")]
    shown = called([*command, "--set", f"total_steps={2 * STEPS}", "--set", "final.games=50"], variables)
    assert "2 env runners" in shown
    assert (tmp_path / "run" / "policy.onnx").is_file()


def called(arguments: list[str], variables: dict[str, str]) -> str:
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_agents_error_is_told_as_it_was_raised() -> None:
    with RayPlayers(1) as players:
        chunk = Chunk("no_such_agent", find_variant("Eck-v0"), FIRST_SEED, 1, 1)
        with pytest.raises(WorkerError, match="ValueError: unknown agent 'no_such_agent'"):
            result_of(players.submit(chunk), chunk)


def test_the_script_trains_resumes_and_exports(tmp_path: Path) -> None:
    config = tmp_path / "small.yaml"
    config.write_text(json.dumps(small_config().model_dump(mode="json")), encoding="utf-8")  # JSON is YAML
    command = [sys.executable, str(ROOT / "scripts/train_ray.py"), str(config), "--runners", "1", "--run-dir",
               str(tmp_path / "run"), "--set", "evaluation.games=50", "--set", "final.games=50"]  # fmt: skip

    def train(*options: str) -> Any:
        return subprocess.run([*command, *options], capture_output=True, text=True, check=False)

    first = train("--set", f"total_steps={STEPS}")
    assert first.returncode == 0, first.stderr
    assert f"{STEPS:,} steps" in first.stdout
    refused = train()
    assert refused.returncode == 2
    assert "--resume" in refused.stderr
    second = train("--resume", "--set", f"total_steps={3 * STEPS}")
    assert second.returncode == 0, second.stderr
    assert f"{2 * STEPS:,} steps" in second.stdout
    assert f"\n{STEPS:,} steps" not in second.stdout
    assert "illegal actions: 0" in second.stdout
    assert (tmp_path / "run" / "policy.onnx").is_file()


def test_the_example_learns() -> None:
    run_example("rllib_ppo")
