"""Agents by name: the policies that come along, and what any agent does when it is asked about a game that is over."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agents.agent import make_agent, resolve
from agents.onnx_agent import OnnxAgent
from eck_env.eck.cards import NUM_KINDS
from eck_env.eck.variant import REGISTERED, Variant, make_variant
from eck_env.eck.vector_env import EckVectorEnv

POLICIES = Path(__file__).resolve().parents[1] / "agents" / "pretrained"
AGENTS = ["random", "heuristic", "mc:2", "mc:2:2", "mc:1ms", "mc:2:pretrained", "mc:1ms:pretrained", "pretrained"]


@pytest.mark.parametrize("spec", AGENTS)
def test_every_agent_answers_for_games_that_are_over(spec: str) -> None:
    """In a batch that starts games anew a step later, agents are asked about finished games too."""
    env = EckVectorEnv(3)
    observations, info = env.reset(seed=5)
    for step in range(200):
        actions = np.argmax(info["action_mask"], axis=1)
        if step == 0:
            actions[0] = np.argmin(info["action_mask"][0])  # a forfeit: over, with cards in hand
        over = info["action_mask"].all(axis=1)
        if over.any():
            keys = np.zeros((int(over.sum()), 3), np.int64)
            chosen = make_agent(spec).act(observations[over], info["action_mask"][over], keys)
            assert ((chosen >= 0) & (chosen < NUM_KINDS)).all()
        if step > 1 and over.any():
            return
        observations, _, _, _, info = env.step(actions)
    raise AssertionError("no game ended by itself")


def test_pretrained_is_the_policy_of_the_variant() -> None:
    for env_id in ("Eck-v0", "EckBeginner-v0", "EckHard-v0"):
        variant = make_variant(**REGISTERED[env_id])
        path = resolve("pretrained", variant)
        assert Path(path).stem == env_id
        assert resolve("mc:64:pretrained", variant) == f"mc:64:{path}"
        assert make_agent("pretrained", variant).name == env_id
    assert resolve("mc:64", Variant()) == "mc:64"
    assert resolve("runs/pretrained/policy.onnx", Variant()) == "runs/pretrained/policy.onnx"


def test_no_policy_for_the_variant_is_a_plain_error() -> None:
    with pytest.raises(ValueError, match=r"no policy for this variant.*Eck-v0.*mc:8:runs/mine/policy\.onnx"):
        make_agent("mc:8:pretrained", make_variant(target=5))


def test_shipped_policies_name_no_place_of_the_machine_that_trained_them() -> None:
    for file in sorted(POLICIES.glob("*.onnx")):
        config = OnnxAgent(file).metadata["training"]["config"]
        imitated = config.get("imitation") or {}
        for place in (config.get("warm_start"), imitated.get("data"), config["environment"].get("round_values")):
            assert place is None or not Path(place).is_absolute(), f"{file.name}: {place}"


def test_policies_of_another_game_are_refused() -> None:
    for other in ("GongorWhist-v0", "Numberless-v0"):
        with pytest.raises(ValueError, match=rf"is a policy for {other}, another game"):
            make_agent(str(POLICIES / f"{other}.onnx"), Variant())
    agent = OnnxAgent(POLICIES / "Eck-v0.onnx")
    with pytest.raises(ValueError, match=r"observation has shape \(1, 166\), .* for Eck-v0 takes \(n, 259\)"):
        agent.act(np.zeros((1, 166), np.int8), np.ones((1, 40), np.int8), np.zeros((1, 3), np.int64))
