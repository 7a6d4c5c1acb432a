"""Exported policies: they choose as the network they were made of, and say what they are."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from typer.testing import CliRunner

import eck_env
from agents.evaluation import evaluate
from agents.onnx_agent import INPUTS, OUTPUTS, OnnxAgent
from agents.ppo import export
from agents.ppo.checkpoints import load_checkpoint
from agents.ppo.config_files import parse_config
from agents.ppo.export import ExportError, compare, export_checkpoint, export_policy, policy_of, real_positions
from agents.ppo.model import ILLEGAL_LOGIT, PolicyAgent, make_policy
from agents.ppo.run_folder import RunFolder
from agents.ppo.training import Trained
from eck_env.eck.variant import make_variant
from eck_helpers import FLAT_SIZE, NUM_ACTIONS, made_up_values
from onnx_helpers import LAYOUT
from ppo_helpers import ROLLOUT, run, tiny
from scripts.export import app

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunFolder, Trained]:
    path = tmp_path_factory.mktemp("trained")
    return run(tiny(path, updates=2), path / "run")


@pytest.fixture(scope="module")
def policy_file(trained: tuple[RunFolder, Trained]) -> Path:
    folder, ended = trained
    checkpoint = load_checkpoint(ended.checkpoint)
    result = evaluate(PolicyAgent(policy_of(checkpoint)), "EckBeginner-v0", 50)
    parity = export_checkpoint(checkpoint, folder.policy, [result])
    assert (parity.positions, parity.equal_choices) == (1000, 1000)
    return folder.policy


@pytest.mark.parametrize("network", [{"network": "mlp", "hidden": [64, 64]}, {"network": "color_shared", "width": 16}])
def test_plays_as_the_network_on_real_positions(tmp_path: Path, network: dict[str, Any]) -> None:
    """On 10,000 positions of games, with weights that make choices matter."""
    table = tmp_path / "values.npz"
    made_up_values(target=4).save(table)
    environment = {"id": "Eck-v0", "round_values": str(table)}
    config = parse_config({"total_steps": 1, "policy": network, "environment": environment}, "test")
    torch.manual_seed(3)
    policy = make_policy(config)
    with torch.no_grad():
        for weights in policy.action_net.parameters():
            weights.mul_(100)  # they start small, so that all actions are nearly alike
    export_policy(policy, tmp_path / "policy.onnx", config, {})
    observations, masks = real_positions(10_000, make_variant(4))
    assert observations.shape == (10_000, FLAT_SIZE)
    assert len(np.unique(observations, axis=0)) > 9_900
    parity = compare(policy, OnnxAgent(tmp_path / "policy.onnx"), observations, masks)
    assert (parity.positions, parity.equal_choices) == (10_000, 10_000)
    assert parity.max_logit_difference < 1e-3
    assert parity.max_value_difference < 1e-3


def test_equal_games(trained: tuple[RunFolder, Trained], policy_file: Path) -> None:
    """The file plays the very games that the checkpoint plays."""
    ours = evaluate(PolicyAgent(trained[1].policy), "EckBeginner-v0", 200)
    theirs = evaluate(OnnxAgent(policy_file), "EckBeginner-v0", 200)
    assert ours.games.tobytes() == theirs.games.tobytes()


def test_the_form_of_the_file(policy_file: Path) -> None:
    model = onnx.load(policy_file)
    onnx.checker.check_model(model, full_check=True)
    for nodes, names, sizes in (
        (model.graph.input, INPUTS, (FLAT_SIZE, NUM_ACTIONS)),
        (model.graph.output, OUTPUTS, (NUM_ACTIONS, None)),
    ):
        assert tuple(node.name for node in nodes) == names
        for node, size in zip(nodes, sizes, strict=True):
            batch, *rest = node.type.tensor_type.shape.dim
            assert batch.dim_param
            assert [dim.dim_value for dim in rest] == ([] if size is None else [size])
    assert [path for path in policy_file.parent.iterdir() if path.name.startswith(policy_file.name)] == [policy_file]
    assert b".py" not in policy_file.read_bytes()  # no traces of the machine it was made on
    assert str(ROOT).encode() not in policy_file.read_bytes()


@pytest.mark.parametrize("count", [1, 2, 7, 300])
def test_any_number_of_games(policy_file: Path, count: int) -> None:
    observations, masks = real_positions(count, make_variant(2))
    logits, values = OnnxAgent(policy_file).logits_and_values(observations, masks)
    assert (logits.shape, values.shape) == ((count, NUM_ACTIONS), (count,))
    assert (logits[masks == 0] == np.float32(ILLEGAL_LOGIT)).all()
    assert (np.abs(logits[masks != 0]) < 1e4).all()


def test_metadata(policy_file: Path, trained: tuple[RunFolder, Trained]) -> None:
    metadata = OnnxAgent(policy_file).metadata
    assert metadata["env_id"] == "EckBeginner-v0"
    eck_env.EckEnv(**metadata["env_kwargs"])
    assert metadata["env_kwargs"]["target"] == 2
    assert metadata["observation_layout"] == LAYOUT
    training = metadata["training"]
    assert (training["algorithm"], training["steps"]) == ("MaskablePPO", 2 * ROLLOUT)
    assert training["seconds"] > 0
    assert training["config"] == tiny(trained[0].path.parent, updates=2).model_dump(mode="json")
    assert training["versions"]["eck_env"] == eck_env.__version__
    (evaluation,) = metadata["evaluation"]
    assert (evaluation["agent"], evaluation["games"], evaluation["first_seed"]) == ("ppo", 50, 2**30)
    low, high = evaluation["win_rate_interval"]
    assert low <= evaluation["win_rate"] <= high
    texts = {entry.key: entry.value for entry in onnx.load(policy_file).metadata_props}
    assert json.loads(texts["observation_layout"]) == LAYOUT


def test_nothing_is_written_that_plays_otherwise(
    trained: tuple[RunFolder, Trained], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "policy.onnx"
    path.write_bytes(b"old")
    real = export.compare
    monkeypatch.setattr(export, "compare", lambda *arguments: replace(real(*arguments), equal_choices=999))
    with pytest.raises(ExportError, match="was not written: 999 of 1,000 choices equal"):
        export_checkpoint(load_checkpoint(trained[1].checkpoint), path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_command(trained: tuple[RunFolder, Trained], tmp_path: Path) -> None:
    path = tmp_path / "mine.onnx"
    done = CliRunner().invoke(app, [str(trained[0].best), "--out", str(path), "--games", "20"])
    assert done.exit_code == 0, done.output
    assert "in 20 games" in done.output
    assert f"the policy after {2 * ROLLOUT:,} steps; 1,000 of 1,000 choices equal" in done.output
    assert OnnxAgent(path).metadata["evaluation"][0]["games"] == 20


def test_what_cannot_be_written_is_said(trained: tuple[RunFolder, Trained], tmp_path: Path) -> None:
    path = tmp_path / "folder.onnx"
    path.mkdir()
    done = CliRunner().invoke(app, [str(trained[0].best), "--out", str(path), "--games", "0"])
    assert done.exit_code == 2
    assert f"Is a directory: '{path}': make it writable, or room for it, or name another file by --out" in done.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.zip"], "there is no checkpoint 'none.zip'"),
        (["pyproject.toml"], "pyproject.toml is no checkpoint, or damaged"),
        (["pyproject.toml", "--out", "policy.zip"], "must end in .onnx"),
        (["pyproject.toml", "--out", "no/such/policy.onnx"], "there is no folder 'no/such'"),
        (["pyproject.toml", "--games", "-1"], "Invalid value"),
    ],
)
def test_errors_of_the_command(arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    done = CliRunner().invoke(app, arguments)
    assert (done.exit_code, message in done.output) == (2, True), done.output
