"""The mask inside the observation: the same games as without, under the keys and in the type asked for."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from agents.random_agent import choose_uniformly
from eck_env import EckEnv, EckVectorEnv
from eck_env.adapters.masked_observation import MaskedObservation, MaskedObservationVector
from game_helpers import Kit, over_games

GAMES = 6


def choose(masks: Any, step: int) -> Any:
    keys = np.stack([np.arange(len(masks)), np.zeros(len(masks)), np.full(len(masks), step)], axis=1).astype(np.int64)
    return choose_uniformly(masks, keys)


@pytest.mark.parametrize("dtype", [np.int8, np.bool_, np.float32])
@pytest.mark.parametrize("kind", ["flat", "dict"])
@over_games
def test_a_game_is_the_same_with_the_mask_inside(kit: Kit, dtype: Any, kind: str) -> None:
    plain = kit.env(observation=kind)
    wrapped = MaskedObservation(gym.make(next(iter(kit.ids)), observation=kind), "obs", "mask", dtype)
    (expected, info), (observation, _) = plain.reset(seed=7), wrapped.reset(seed=7)
    over, step = False, 0
    while not over:
        assert wrapped.observation_space.contains(observation)
        assert observation["mask"].dtype == dtype
        np.testing.assert_array_equal(observation["mask"], info["action_mask"])
        np.testing.assert_equal(observation["obs"], expected)
        action = choose(info["action_mask"][np.newaxis], step)[0]
        expected, reward, over, _, info = plain.step(action)
        observation, reward_inside, over_inside, _, _ = wrapped.step(action)
        assert (reward, over) == (reward_inside, over_inside)
        step += 1
    assert observation["mask"].all()


def test_infos_can_be_left_out() -> None:
    env = MaskedObservation(EckEnv(target=2), keep_info=False)
    observation, info = env.reset(seed=1)
    assert info == {}
    assert env.step(np.argmax(observation["action_mask"]))[-1] == {}


@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version")
def test_gymnasiums_checker_is_content() -> None:
    check_env(MaskedObservation(EckEnv(target=2)), skip_render_check=True)


@over_games
@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_a_batch_is_the_same_with_the_masks_inside(kit: Kit, mode: AutoresetMode) -> None:
    plain = kit.vector_env(GAMES, autoreset_mode=mode)
    wrapped = MaskedObservationVector(kit.vector_env(GAMES, autoreset_mode=mode), mask_dtype=np.bool_)
    assert wrapped.autoreset_mode == wrapped.metadata["autoreset_mode"] == mode
    (expected, info), (observations, _) = plain.reset(seed=3), wrapped.reset(seed=3)
    ends = 0
    for step in range(60):
        assert wrapped.observation_space.contains(observations)
        assert observations["action_mask"].shape == (GAMES, kit.num_actions)
        np.testing.assert_array_equal(observations["action_mask"], info["action_mask"] != 0)
        np.testing.assert_array_equal(observations["observation"], expected)
        actions = choose(info["action_mask"], step)
        expected, _, over, _, info = plain.step(actions)
        observations, _, _, _, wrapped_info = wrapped.step(actions)
        for index in np.flatnonzero(over):
            ends += 1
            if mode == AutoresetMode.SAME_STEP:
                final = wrapped_info["final_obs"][index]
                np.testing.assert_array_equal(final["observation"], info["final_obs"][index])
                assert final["action_mask"].all()
        if mode == AutoresetMode.DISABLED and over.any():
            expected, info = plain.reset(options={"reset_mask": over})
            observations, _ = wrapped.reset(options={"reset_mask": over})
    assert ends


def test_it_takes_gymnasiums_own_vectors() -> None:
    batch = SyncVectorEnv([lambda: EckEnv(target=2)] * 2, autoreset_mode=AutoresetMode.SAME_STEP)
    wrapped = MaskedObservationVector(batch)
    observations, infos = wrapped.reset(seed=[1, 2])
    ends = 0
    for step in range(60):
        observations, _, over, _, infos = wrapped.step(choose(observations["action_mask"], step))
        np.testing.assert_array_equal(observations["action_mask"], infos["action_mask"])
        for index in np.flatnonzero(over):
            ends += 1
            assert wrapped.single_observation_space.contains(infos["final_obs"][index])
    assert ends


@pytest.mark.parametrize(
    ("keywords", "message"),
    [({"mask_key": "observation"}, "the same key 'observation'"), ({"mask_dtype": str}, "must be bool or a type of")],
)
def test_wrong_keywords(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MaskedObservation(EckEnv(), **keywords)
    with pytest.raises(ValueError, match=message):
        MaskedObservationVector(EckVectorEnv(2), **keywords)


def test_it_imports_no_other_library() -> None:
    others = ("torch", "stable_baselines3", "tianshou", "torchrl", "ray", "skrl")
    code = f"import sys, eck_env.adapters.masked_observation; sys.exit(any(name in sys.modules for name in {others}))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
