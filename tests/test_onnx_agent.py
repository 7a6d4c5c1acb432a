"""`OnnxAgent`: what it plays, what it needs, and what it refuses."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import TensorProto

from agents.agent import Agent, make_agent
from agents.evaluation import evaluate
from agents.onnx_agent import OnnxAgent, PolicyFileError
from eck_env import EckVectorEnv
from eck_helpers import NUM_ACTIONS
from onnx_helpers import LAYOUT, METADATA, policy

ROOT = Path(__file__).resolve().parents[1]


def positions(count: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64]]:
    env = EckVectorEnv(count)
    observations, infos = env.reset(seed=1)
    keys = np.stack([np.arange(count) + 2**40, np.zeros(count), np.full(count, 3)], axis=1).astype(np.int64)
    assert isinstance(observations, np.ndarray)
    return observations, infos["action_mask"], keys


def test_an_agent_like_others(tmp_path: Path) -> None:
    path = tmp_path / "mine.onnx"
    path.write_bytes(policy())
    agent = make_agent(str(path))
    assert isinstance(agent, OnnxAgent)
    assert isinstance(agent, Agent)
    assert (agent.name, agent.env_id, agent.env_kwargs) == ("mine", "Eck-v0", {"target": 4})
    result = evaluate(agent, "Eck-v0", 30)
    assert result.summary()["illegal_actions"] == 0
    assert result.games.tobytes() == evaluate(OnnxAgent(policy()), "Eck-v0", 30, batch=7).games.tobytes()


def test_greedy_choices() -> None:
    observations, masks, keys = positions(50)
    agent = OnnxAgent(policy())
    logits, values = agent.logits_and_values(observations, masks)
    actions = agent.act(observations, masks, keys)
    assert (logits.shape, values.shape) == ((50, NUM_ACTIONS), (50,))
    assert actions.dtype == np.int64
    for row, mask, action in zip(logits, masks, actions, strict=True):
        assert mask[action]
        assert row[action] == row[mask != 0].max()
    same = agent.act(observations.astype(np.float32), masks.astype(np.bool_), keys + 1)
    np.testing.assert_array_equal(same, actions)


def test_samples_come_from_the_keys_alone() -> None:
    observations, masks, keys = positions(200)
    agent = OnnxAgent(policy(), sample=True)
    actions = agent.act(observations, masks, keys)
    assert masks[np.arange(200), actions].all()
    assert (actions != OnnxAgent(policy()).act(observations, masks, keys)).any()
    np.random.seed(1)  # noqa: NPY002  (the global generator is none of its business)
    np.testing.assert_array_equal(agent.act(observations, masks, keys), actions)
    np.testing.assert_array_equal(agent.act(observations[7:9], masks[7:9], keys[7:9]), actions[7:9])
    assert (agent.act(observations, masks, keys + np.array([0, 0, 1])) != actions).any()


def test_samples_follow_the_probabilities() -> None:
    observations, masks, _ = positions(1)
    agent = OnnxAgent(policy(), sample=True)
    count = 20_000
    keys = np.zeros((count, 3), np.int64)
    keys[:, 2] = np.arange(count)
    logits = agent.logits_and_values(observations, masks)[0][0].astype(np.float64)
    chances = np.exp(logits - logits.max())
    chances /= chances.sum()
    drawn = agent.act(np.repeat(observations, count, 0), np.repeat(masks, count, 0), keys)
    shares = np.bincount(drawn, minlength=NUM_ACTIONS) / count
    np.testing.assert_allclose(shares, chances, atol=4 * 0.5 / np.sqrt(count))


@pytest.mark.parametrize("data", [b"", b"no onnx at all", policy()[:2000]])
def test_files_that_are_no_onnx(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "some.onnx"
    path.write_bytes(data)
    with pytest.raises(PolicyFileError, match=r"some.onnx is no ONNX file that can be run, or damaged"):
        OnnxAgent(path)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"none\.onnx"):
        OnnxAgent(tmp_path / "none.onnx")


FOREIGN_HASH = json.dumps(LAYOUT | {"hash": "0123456789abcdef"})
FOREIGN_VERSION = json.dumps(LAYOUT | {"version": 99})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (policy(metadata={}), r"no policy: it lacks the metadata env_id, env_kwargs, observation_layout"),
        (policy(metadata={"env_id": "Eck-v0"}), r"lacks the metadata env_kwargs, observation_layout"),
        (policy(METADATA | {"observation_layout": FOREIGN_HASH}), r"the observation layout .*0123456789abcdef"),
        (policy(METADATA | {"observation_layout": FOREIGN_VERSION}), r"layout .*99.*use the eck_env it was"),
        (policy(METADATA | {"observation_layout": "no JSON"}), r"trained on the observation layout no JSON"),
        (policy(METADATA | {"env_kwargs": "[1]"}), r"has env_kwargs \[1\], but they must be a JSON object"),
        (policy(observation="obs"), r"has the inputs obs int8 \(n, 259\), .*those of a policy are observation int8"),
        (policy(observation_type=TensorProto.FLOAT), r"has the inputs observation float \(n, 259\)"),
        (policy(size=258), r"has the inputs observation int8 \(n, 258\)"),
        (policy(outputs=("value", "logits")), r"has the outputs value float \(n\), logits float \(n, 38\), but"),
    ],
)  # fmt: skip
def test_policies_that_do_not_fit(data: bytes, message: str) -> None:
    with pytest.raises(PolicyFileError, match=message):
        OnnxAgent(data)


def test_other_metadata_may_be_any_text() -> None:
    agent = OnnxAgent(policy(METADATA | {"author": "somebody", "training": '{"steps": 3}'}))
    assert (agent.metadata["author"], agent.metadata["training"]) == ("somebody", {"steps": 3})


def test_needs_onnxruntime_alone(tmp_path: Path) -> None:
    path = tmp_path / "policy.onnx"
    path.write_bytes(policy())
    code = f"""
import sys
from agents.agent import make_agent
from agents.evaluation import evaluate
evaluate(make_agent({str(path)!r}), "Eck-v0", 3)
loaded = [name for name in ("torch", "stable_baselines3", "sb3_contrib", "onnx") if name in sys.modules]
sys.exit(f"loaded: {{loaded}}" if loaded else 0)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
