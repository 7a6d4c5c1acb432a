"""The network shared over the colors."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO

from agents.ppo.network import ColorSharedExtractor, ColorSharedPolicy, worth_table
from eck_env import EckVectorEnv, load_round_values
from eck_env.adapters.sb3 import EckSb3VecEnv
from eck_env.eck.cards import BLACK
from eck_env.eck.observation import SLICES
from eck_env.eck.variant import make_variant


@pytest.fixture(scope="module")
def policy() -> ColorSharedPolicy:
    env = EckSb3VecEnv(2, target=2, episode="round")
    kwargs = {"target": 2, "width": 32, "depth": 3}
    model = MaskablePPO(
        ColorSharedPolicy,
        env,
        policy_kwargs={"features_extractor_class": ColorSharedExtractor, "features_extractor_kwargs": kwargs},
        seed=0,
    )
    network = model.policy
    assert isinstance(network, ColorSharedPolicy)
    for parameter in network.parameters():  # away from the nearly equal logits of a fresh policy
        torch.nn.init.normal_(parameter, 0.0, 0.2)
    return network


def real_observations(count: int) -> np.ndarray:
    env = EckVectorEnv(count, target=2)
    rng = np.random.default_rng(0)
    observations, info = env.reset(seed=5)
    for _ in range(30):
        actions = (info["action_mask"] * rng.random(info["action_mask"].shape)).argmax(1)
        observations, _, _, _, info = env.step(actions)
    return np.asarray(observations)


def run(policy: ColorSharedPolicy, observations: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
    with torch.no_grad():
        features = policy.features_extractor(torch.as_tensor(observations))
        return policy.action_net(features), policy.value_net(features)


@pytest.mark.parametrize("seed", range(5))
def test_permuting_the_colors_permutes_the_logits_and_leaves_the_value(policy: ColorSharedPolicy, seed: int) -> None:
    observations = real_observations(64)
    colors = np.random.default_rng(seed).permutation(6)
    kinds = np.concatenate([np.concatenate([np.arange(6) + 6 * color for color in colors]), [BLACK, BLACK + 1]])
    permuted = observations.copy()
    for name in ("hand", "lead", "face_down", "face_up"):
        permuted[:, SLICES[name]] = observations[:, SLICES[name]][:, kinds]
    logits, values = run(policy, observations)
    permuted_logits, permuted_values = run(policy, permuted)
    assert logits.std(dim=1).min() > 0.01
    torch.testing.assert_close(permuted_logits, logits[:, torch.as_tensor(kinds)], atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(permuted_values, values, atol=1e-4, rtol=1e-4)


def test_looks_up_what_counts_are_worth(policy: ColorSharedPolicy) -> None:
    table = load_round_values(make_variant(2))
    rows = worth_table(2, None, None).reshape(3, 3**7, 14)
    assert rows[0, 0, 6] == pytest.approx(4 * (table.value({"6": "yours"}, "0") - table.values[0, 0, 0]), abs=1e-6)
    gray_8, fails = 3**3, rows[1, 3**3]
    assert fails[5] == pytest.approx(4 * (0.0 - table.value({"8": "gray"}, "1")), abs=1e-6), gray_8
    extractor = policy.features_extractor
    assert isinstance(extractor, ColorSharedExtractor)
    env = EckVectorEnv(1, target=2)
    observations, _ = env.reset(seed=3, options={"trick_cards": {"8": "gray"}, "counter": "1"})
    torch.testing.assert_close(extractor._worths(torch.as_tensor(observations).float())[0], fails)
