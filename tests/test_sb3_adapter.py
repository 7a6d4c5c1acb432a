"""`EckSb3VecEnv` against the single environment, and against what Stable-Baselines3 expects of a `VecEnv`."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import VecMonitor

from agents.random_agent import choose_uniformly
from eck_env import EckEnv
from eck_env.adapters.sb3 import EckSb3VecEnv
from eck_helpers import FLAT_SIZE, NUM_ACTIONS, made_up_values

GAMES = 5
VARIANTS: list[dict[str, Any]] = [
    {"target": 2},
    {"target": 4, "dtype": "float32"},
    {"target": 2, "observation": "dict"},
    {"target": 4, "reward": "round_value", "round_values": made_up_values()},
    {"target": 4, "episode": "round", "round_values": made_up_values()},
]


def started(seed: int = 3, games: int = GAMES, **keywords: Any) -> EckSb3VecEnv:
    env = EckSb3VecEnv(games, **({"target": 2} | keywords))
    env.seed(seed)
    env.reset()
    return env


def choose(masks: NDArray[Any], step: int) -> NDArray[np.int64]:
    keys = np.stack([np.arange(len(masks)), np.zeros(len(masks)), np.full(len(masks), step)], axis=1).astype(np.int64)
    return choose_uniformly(masks, keys)


def assert_same(ours: Any, theirs: Any) -> None:
    """Compare observations, a row of the batch with one of a single environment."""
    if isinstance(theirs, dict):
        assert ours.keys() == theirs.keys()
        for name, part in theirs.items():
            np.testing.assert_array_equal(ours[name], part)
            assert ours[name].dtype == part.dtype
    else:
        np.testing.assert_array_equal(ours, theirs)
        assert ours.dtype == theirs.dtype


def row(observations: Any, index: int) -> Any:
    if isinstance(observations, dict):
        return {name: part[index] for name, part in observations.items()}
    return observations[index]


@pytest.mark.parametrize("keywords", VARIANTS, ids=lambda keywords: "-".join(map(str, keywords)))
def test_plays_as_single_environments(keywords: dict[str, Any]) -> None:
    env = EckSb3VecEnv(GAMES, **keywords)
    singles = [EckEnv(**keywords) for _ in range(GAMES)]
    assert env.seed(40) == [40, 41, 42, 43, 44]
    observations: Any = env.reset()
    for index, single in enumerate(singles):
        assert_same(row(observations, index), single.reset(seed=40 + index)[0])
    returns, lengths, ends = np.zeros(GAMES), np.zeros(GAMES, int), 0
    for step in range(150):
        masks = get_action_masks(env)
        np.testing.assert_array_equal(masks, [single.action_masks() for single in singles])
        actions = choose(masks, step)
        observations, rewards, dones, infos = env.step(actions)
        for index, single in enumerate(singles):
            observation, reward, terminated, _, info = single.step(actions[index])
            assert (rewards[index], dones[index]) == (np.float32(reward), terminated)
            returns[index] += reward
            lengths[index] += 1
            ended = infos[index]
            if not terminated:
                assert ended == {}
            else:
                ends += 1
                assert_same(ended["terminal_observation"], observation)
                assert ended["episode"]["r"] == pytest.approx(returns[index])
                assert (ended["episode"]["l"], ended["TimeLimit.truncated"]) == (lengths[index], False)
                assert ended["episode"]["t"] >= 0
                assert {key: ended.get(key) for key in ("outcome", "reasons")} == {
                    key: info.get(key) for key in ("outcome", "reasons")
                }
                whole_game = keywords.get("episode") != "round"
                assert ended.get("is_success") == (info["outcome"] == "win" if whole_game else None)
                returns[index] = lengths[index] = 0
                observation, _ = single.reset()
            assert_same(row(observations, index), observation)
    assert ends > GAMES
    assert env.illegal_actions == 0


def test_types() -> None:
    env = started()
    assert (env.num_envs, env.render_mode) == (GAMES, None)
    assert isinstance(env.observation_space, gym.spaces.Box)
    assert env.observation_space.shape == (FLAT_SIZE,)
    assert env.observation_space.dtype == np.int8
    assert env.action_space == gym.spaces.Discrete(NUM_ACTIONS)
    observations, rewards, dones, infos = env.step(choose(get_action_masks(env), 0))
    assert isinstance(observations, np.ndarray)
    shapes = [array.shape for array in (observations, rewards, dones)]
    assert shapes == [(GAMES, FLAT_SIZE), (GAMES,), (GAMES,)]
    assert [str(array.dtype) for array in (observations, rewards, dones)] == ["int8", "float32", "bool"]
    assert isinstance(infos, list)
    assert len({id(info) for info in infos}) == GAMES  # each game's own, to be written into


def test_what_was_returned_stays() -> None:
    """SB3 keeps observations and masks over the next step."""
    env = started()
    before = env.reset()
    masks = get_action_masks(env)
    assert isinstance(before, np.ndarray)
    kept = before.copy(), masks.copy()
    for step in range(40):
        env.step(choose(get_action_masks(env), step))
    np.testing.assert_array_equal(before, kept[0])
    np.testing.assert_array_equal(masks, kept[1])


def test_masks() -> None:
    env = started()
    assert is_masking_supported(env)
    masks = get_action_masks(env)
    assert masks.shape == (GAMES, NUM_ACTIONS)
    assert masks.dtype == np.bool_
    one, three = env.env_method("action_masks", indices=[1, 3])
    np.testing.assert_array_equal([one, three], masks[[1, 3]])
    np.testing.assert_array_equal(env.env_method("action_masks", indices=2)[0], masks[2])


def test_illegal_actions_are_counted() -> None:
    env = started()
    actions = np.argmin(get_action_masks(env), axis=1)
    _, rewards, dones, infos = env.step(actions)
    assert dones.all()
    assert (rewards == -1).all()
    for info in infos:
        assert (info["outcome"], info["reasons"], info["illegal_action"]) == ("loss", ["illegal_action"], True)
        assert info["is_success"] is False
    assert env.illegal_actions == GAMES


def test_seeds_and_resets() -> None:
    env = started(7)
    first = env.env_method("state_dict")
    assert [(state["seed"], state["game"]) for state in first] == [(7 + index, 0) for index in range(GAMES)]
    env.reset()
    assert [(state["seed"], state["game"]) for state in env.env_method("state_dict")] == [(7 + i, 1) for i in range(5)]
    env.seed(7)
    env.reset()
    assert env.env_method("state_dict") == first
    for _ in range(20):
        seeds = env.seed()
        assert all(seed is not None and 0 <= seed < 2**30 for seed in seeds)


def test_options_of_reset() -> None:
    env = EckSb3VecEnv(3, target=2)
    env.seed(5)
    env.set_options([{}, {"counter": "2"}, {"trick_cards": {"8": "gray"}}])
    env.reset()
    states = env.env_method("state_dict")
    assert [state["counter"] for state in states] == ["0", "2", "0"]
    assert [state["trick_cards"]["8"] for state in states] == ["colored", "colored", "gray"]
    assert [(state["seed"], state["game"]) for state in states] == [(5, 0), (6, 0), (7, 0)]
    env.reset()
    assert [state["counter"] for state in env.env_method("state_dict")] == ["0", "0", "0"]
    env.set_options({"counter": "1"})
    env.reset()
    states = env.env_method("state_dict")
    assert [(state["seed"], state["game"], state["counter"]) for state in states] == [
        (5, 2, "1"),
        (6, 2, "1"),
        (7, 2, "1"),
    ]


def test_refused_options_change_nothing() -> None:
    env = EckSb3VecEnv(3, target=2)
    env.seed(5)
    env.reset()
    env.step(get_action_masks(env).argmax(1))
    before = env.env_method("state_dict")
    env.set_options([{"counter": "1"}, {}, {"counted": "1"}])
    with pytest.raises(ValueError, match="did you mean 'counter'"):
        env.reset()
    assert env.env_method("state_dict") == before
    with pytest.raises(ValueError, match="options has 1 entries, but there are 3 games"):
        env.set_options([{}])
    env.reset()
    assert [(state["seed"], state["game"]) for state in env.env_method("state_dict")] == [(5, 1), (6, 1), (7, 1)]


def test_attributes_and_methods() -> None:
    env = started()
    assert env.get_attr("render_mode") == [None] * GAMES
    assert env.get_attr("observation_space", indices=[0, 2]) == [env.observation_space] * 2
    assert env.get_attr("action_space", 1) == [env.action_space]
    assert env.has_attr("action_masks")
    assert not env.has_attr("no_such_thing")
    env.set_attr("note", "mine")
    assert env.get_attr("note") == ["mine"] * GAMES
    with pytest.raises(ValueError, match="all games share the attribute 'note'"):
        env.set_attr("note", "other", indices=[1])
    assert env.env_is_wrapped(gym.Wrapper) == [False] * GAMES
    assert env.env_is_wrapped(gym.Wrapper, indices=[1]) == [False]
    (copy,) = env.env_method("copy", indices=3)
    assert copy.state_dict() == env.env_method("state_dict")[3]
    with pytest.raises(AttributeError, match="no method 'fly': there are action_masks, state_dict"):
        env.env_method("fly")
    env.close()


def test_games_are_stored_and_restored() -> None:
    keywords: dict[str, Any] = {"target": 4, "episode": "round", "round_values": made_up_values()}
    env, other = started(9, **keywords), EckSb3VecEnv(GAMES, **keywords)
    for step in range(30):
        env.step(choose(get_action_masks(env), step))
    observations = other.load_games(env.save_games())
    for step in range(30, 60):
        masks = get_action_masks(env)
        np.testing.assert_array_equal(masks, get_action_masks(other))
        ours, theirs = env.step(choose(masks, step)), other.step(choose(masks, step))
        for one, two in zip(ours[:3], theirs[:3], strict=True):
            np.testing.assert_array_equal(one, two)
        assert [info.get("episode", {}).get("r") for info in ours[3]] == [
            info.get("episode", {}).get("r") for info in theirs[3]
        ]
    assert isinstance(observations, np.ndarray)
    with pytest.raises(ValueError, match=r"5 records of .* but this batch has 2"):
        EckSb3VecEnv(2).load_games(env.save_games())
    before = env.env_method("state_dict")
    every: list[dict[str, Any]] = [{"returns": np.zeros(3)}, {"returns": None}, {"lengths": np.zeros(9)}]
    for broken in every:
        with pytest.raises(ValueError, match="missing or of another length"):
            env.load_games(other.save_games() | broken)
    assert env.env_method("state_dict") == before


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"target": 9}, ValueError, "target is 9"),
        ({"targt": 2}, TypeError, "targt"),
        ({"autoreset_mode": "NextStep"}, TypeError, "autoreset_mode"),
    ],
)
def test_wrong_keywords(keywords: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        EckSb3VecEnv(2, **keywords)


@pytest.mark.parametrize("observation", ["flat", "dict"])
def test_maskable_ppo_learns_and_is_evaluated(observation: str) -> None:
    """The whole of sb3-contrib's way through an environment: learning, statistics, evaluation by its own means."""
    games = EckSb3VecEnv(8, target=2, observation=observation)
    env = VecMonitor(games)
    policy = "MlpPolicy" if observation == "flat" else "MultiInputPolicy"
    model = MaskablePPO(policy, env, n_steps=32, batch_size=64, n_epochs=1, seed=1, device="cpu")
    model.learn(512)
    assert model.ep_info_buffer
    assert model.ep_success_buffer
    assert games.illegal_actions == 0
    rewards, lengths = evaluate_policy(model, env, n_eval_episodes=10, return_episode_rewards=True)
    assert np.isin(rewards, (-1, 1)).all()
    assert np.min(lengths) >= 13
    assert games.illegal_actions == 0


def test_the_package_of_adapters_imports_nothing() -> None:
    code = "import sys, eck_env.adapters; sys.exit('stable_baselines3' in sys.modules or 'torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
