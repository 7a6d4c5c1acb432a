"""The network shared over the colors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from agents.ppo.model import MaskedPolicy, make_policy
from agents.ppo.network import ColorSharedExtractor, ColorSharedPolicy, worth_table
from agents.ppo.scaled_rewards import ScaledRewards, ScaledVectorEnv
from agents.ppo.trick_chances import TrickChances, trick_results
from eck_env import EckVectorEnv, load_round_values
from eck_env.adapters.sb3 import EckSb3VecEnv
from eck_env.eck.cards import BLACK, NUM_KINDS, bag_kinds
from eck_env.eck.observation import SLICES, restore
from eck_env.eck.players import trick_chances
from eck_env.eck.rules import NO_CARD, eck_answers
from eck_env.eck.state import new_games, record
from eck_env.eck.variant import make_variant
from ppo_helpers import tiny


@pytest.fixture(scope="module", params=["relative_worths", "worths", "prospects", "trick_cards", "chances"])
def policy(request: pytest.FixtureRequest) -> ColorSharedPolicy:
    env = EckSb3VecEnv(2, target=2, episode="round")
    told = {"chances": True} if request.param == "chances" else {"reads": request.param}
    kwargs = {"target": 2, "width": 32, "depth": 3, **told}
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


def run(policy: MaskableActorCriticPolicy, observations: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
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
    rows = worth_table(2, None, None)[0].reshape(3, 3**7, 14)
    assert rows[0, 0, 6] == pytest.approx(4 * (table.value({"6": "yours"}, "0") - table.values[0, 0, 0]), abs=1e-6)
    gray_8, fails = 3**3, rows[1, 3**3]
    assert fails[5] == pytest.approx(4 * (0.0 - table.value({"8": "gray"}, "1")), abs=1e-6), gray_8
    extractor = policy.features_extractor
    assert isinstance(extractor, ColorSharedExtractor)
    env = EckVectorEnv(1, target=2)
    observations, _ = env.reset(seed=3, options={"trick_cards": {"8": "gray"}, "counter": "1"})
    row = int(extractor._rows(torch.as_tensor(observations).float())[0])
    torch.testing.assert_close(extractor.worths[row] * extractor.units[row], fails)


def test_relative_worths_are_of_one_size_in_every_state() -> None:
    table = load_round_values(make_variant(7))
    plain, ones = worth_table(7, None, None)
    rows, units = worth_table(7, None, None, relative=True)
    known = plain.std(dim=1) > 0
    assert (ones == 1).all()
    assert known.sum() > 1000
    torch.testing.assert_close(rows[known].std(dim=1, correction=0), torch.ones(int(known.sum())), atol=1e-3, rtol=0)
    torch.testing.assert_close(rows[known] * units[known, None], plain[known], atol=1e-6, rtol=1e-4)
    assert units[0] == pytest.approx(4 * table.end_worths()[0, 0, 0].std(), rel=1e-5)


def test_scaled_rewards_are_those_of_the_game_in_units_of_the_round() -> None:
    keywords = {"target": 2, "episode": "round"}
    scaled, plain = ScaledRewards("Eck-v0", 64, **keywords), EckSb3VecEnv(64, **keywords)
    units = worth_table(2, None, None, relative=True)[1]
    extractor = ColorSharedExtractor(scaled.observation_space, 2)
    for env in (scaled, plain):
        env.seed(3)
    observations, _ = scaled.reset(), plain.reset()
    seen = set()
    for _ in range(40):
        actions = scaled.games.action_masks().argmax(1)
        before = extractor.reward_units(torch.as_tensor(observations)).numpy()
        observations, rewards, dones, infos = scaled.step(actions)
        _, expected, _, plain_infos = plain.step(actions)
        np.testing.assert_allclose(rewards, expected / before, rtol=1e-5, atol=1e-7)
        assert [info.get("episode", {}).get("r") for info in infos] == [
            info.get("episode", {}).get("r") for info in plain_infos
        ]
        seen |= set(np.round(before[dones & (rewards != 0)], 6).tolist())
    assert len(seen) > 5
    assert set(units.tolist()) > {1.0}


def test_rewards_are_scaled_alike_in_the_vector_environment() -> None:
    keywords: dict[str, Any] = {"target": 2, "episode": "round", "dtype": "int8"}
    scaled, plain = ScaledVectorEnv(64, **keywords), EckVectorEnv(64, **keywords)
    extractor = ColorSharedExtractor(scaled.single_observation_space, 2)
    observations, infos = scaled.reset(seed=3)
    plain.reset(seed=3)
    ended = 0
    for _ in range(45):  # three rounds, with the empty steps that follow their ends
        actions = infos["action_mask"].argmax(1)
        before = extractor.reward_units(torch.as_tensor(observations)).numpy()
        observations, rewards, terminated, _, infos = scaled.step(actions)
        _, expected, *_ = plain.step(actions)
        np.testing.assert_allclose(rewards, expected / before, rtol=1e-5, atol=1e-7)
        ended += int((terminated & (expected != 0)).sum())
    assert ended > 64


def test_the_values_of_a_relative_policy_are_chances(tmp_path: Path) -> None:
    policy = make_policy(tiny(tmp_path, policy={"network": "color_shared", "width": 8}))
    observations = real_observations(32)
    masks = torch.ones((32, 38), dtype=torch.int8)
    _, chances = MaskedPolicy(policy)(torch.as_tensor(observations), masks)
    _, values = run(policy, observations)
    extractor = policy.features_extractor
    assert isinstance(extractor, ColorSharedExtractor)
    assert extractor.relative
    torch.testing.assert_close(chances, values.squeeze(1) * extractor.reward_units(torch.as_tensor(observations)))


def test_the_chances_of_a_trick_are_those_of_the_compiled_rules() -> None:
    observations = real_observations(200)
    read = torch.as_tensor(observations).float()
    decks = torch.stack([read[:, SLICES["face_down"]], read[:, SLICES["face_up"]]], 1)
    told = TrickChances()(decks, read[:, SLICES["lead"]])
    now = trick_results(told, read[:, SLICES["leader"]]).numpy()
    game = record(new_games(1, make_variant(2)), 0)
    led = 0
    for observation, chances, results in zip(observations, told.numpy(), now, strict=True):
        restore(observation, game)
        np.testing.assert_array_equal(results, chances[2:] if game.lead != NO_CARD else chances[:2])
        for kind in range(NUM_KINDS):
            deck = game.face_down if bag_kinds(game.face_down) & eck_answers(kind) else game.face_up
            takes, _, gives = trick_chances(kind, NO_CARD, deck)
            np.testing.assert_allclose(chances[:2, kind], (takes, gives), atol=1e-6)
            takes, _, gives = (0, 0, 0) if game.lead == NO_CARD else trick_chances(kind, int(game.lead), deck)
            np.testing.assert_array_equal(chances[2:, kind], (takes, gives))
        led += game.lead != NO_CARD
    assert 20 < led < 180
