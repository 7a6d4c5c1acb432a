"""The vector environment plays as single environments do, in all three autoreset modes."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode

from eck_env import EckVectorEnv, IllegalActionError
from eck_env.base.env import GameEnv
from eck_env.base.vector_env import GameVectorEnv
from eck_helpers import flat
from game_helpers import Kit, over_games, play_on

MODES = [mode.name for mode in AutoresetMode]
NONSENSE = (99, -7, 2**40)

Transition = tuple[bytes, bytes, int, float, bool, bytes, bytes]


def policy(seed: int, game: int, decision: int, mask: Any) -> int:
    """Choose an action by what names the decision alone; one in a hundred is an illegal one."""
    generator = Random(f"{seed} {game} {decision}")
    if generator.random() < 0.01:
        return int(np.argmin(mask))
    return generator.choice(np.flatnonzero(mask).tolist())


def single_stream(env: GameEnv, seed: int, length: int) -> list[Transition]:
    """Return so many transitions of a single environment."""
    stream: list[Transition] = []
    seen, info = env.reset(seed=seed)
    game = decision = 0
    while len(stream) < length:
        mask = info["action_mask"]
        action = policy(seed, game, decision, mask)
        after, reward, terminated, _, info = env.step(action)
        stream.append(
            (as_bytes(seen), as_bytes(mask), action, reward, terminated, as_bytes(after), as_bytes(info["action_mask"]))
        )
        seen, decision = after, decision + 1
        if terminated:
            seen, info = env.reset()
            game, decision = game + 1, 0
    return stream


def vector_streams(env: GameVectorEnv[Any], seed: int, steps: int) -> tuple[list[list[Transition]], int]:
    """Return the transitions of each game slot, and how many empty steps there were."""
    count = env.num_envs
    streams: list[list[Transition]] = [[] for _ in range(count)]
    seen, infos = env.reset(seed=seed)
    masks = infos["action_mask"]
    game, decision = [0] * count, [0] * count
    over = np.zeros(count, bool)
    empty = 0
    for step in range(steps):
        actions = np.array(
            [
                NONSENSE[step % 3] if over[index] else policy(seed + index, game[index], decision[index], masks[index])
                for index in range(count)
            ]
        )
        after, rewards, terminated, truncated, infos = env.step(actions)
        assert not truncated.any()
        assert [part.dtype.name for part in (rewards, terminated, truncated)] == ["float64", "bool", "bool"]
        next_masks = infos["action_mask"]
        for index in range(count):
            if over[index]:
                assert (rewards[index], terminated[index]) == (0.0, False)
                empty += 1
                continue
            last, last_mask = at(after, index), next_masks[index]
            if terminated[index]:
                game[index], decision[index] = game[index] + 1, 0
                if env.autoreset_mode == AutoresetMode.SAME_STEP:
                    last, last_mask = infos["final_obs"][index], infos["final_info"]["action_mask"][index]
            else:
                decision[index] += 1
            now = (as_bytes(at(seen, index)), as_bytes(masks[index]), int(actions[index]))
            then = (float(rewards[index]), bool(terminated[index]), as_bytes(last), as_bytes(last_mask))
            streams[index].append((*now, *then))
        seen, masks = after, next_masks
        over = terminated if env.autoreset_mode == AutoresetMode.NEXT_STEP else over
        if env.autoreset_mode == AutoresetMode.DISABLED and terminated.any():
            seen, _ = env.reset(options={"reset_mask": terminated})
            masks = env.action_masks().astype(np.int8)
    return streams, empty


def at(observations: Any, index: int) -> Any:
    """Return one row of flat or dict observations."""
    if isinstance(observations, dict):
        return {name: part[index] for name, part in observations.items()}
    return observations[index]


def as_bytes(value: Any) -> bytes:
    """Return an array, or all arrays of a dict, with its type as bytes."""
    parts = list(value.items()) if isinstance(value, dict) else [("", value)]
    return b"".join(name.encode() + part.dtype.char.encode() + part.tobytes() for name, part in parts)


# --- The same games --------------------------------------------------------------------------------------------------


@over_games
@pytest.mark.parametrize("other", [False, True], ids=["plain", "other"])
@pytest.mark.parametrize("count", [1, 3, 256])
def test_bit_equal_in_every_mode(kit: Kit, count: int, other: bool) -> None:
    """Each slot plays as the single environment of its seed; the modes differ in empty steps and nothing else."""
    keywords = kit.other if other else {}
    steps = 400 if count < 10 else 130  # a whole game of each
    single = kit.env(**keywords)
    expected = [single_stream(single, 50 + index, steps) for index in range(count)]
    for mode in MODES:
        for info in ("mask", "full") if count < 10 else ("mask",):
            env = kit.vector_env(count, autoreset_mode=mode, info=info, **keywords)
            streams, empty = vector_streams(env, 50, steps)
            assert streams == [stream[: len(own)] for stream, own in zip(expected, streams, strict=True)]
            assert sum(map(len, streams)) + empty == count * steps
            assert (empty > 0) == (mode == "NEXT_STEP")
    assert any(transition[4] for transition in expected[0])


@over_games
@pytest.mark.parametrize("mode", MODES)
def test_the_mode_is_stated(kit: Kit, mode: str) -> None:
    kit.env.metadata.pop("autoreset_mode", None)  # SyncVectorEnv of Gymnasium 1.1 writes it into the games' classes
    before = dict(kit.env.metadata)
    for given in (mode, AutoresetMode[mode], AutoresetMode[mode].value):
        env = kit.vector_env(2, autoreset_mode=given)
        assert env.autoreset_mode == AutoresetMode[mode]
        assert env.metadata["autoreset_mode"] == AutoresetMode[mode]
    assert kit.vector_env(2).autoreset_mode == AutoresetMode.NEXT_STEP
    assert kit.env.metadata == before


@over_games
@pytest.mark.parametrize("observation", ["flat", "dict"])
def test_spaces(kit: Kit, observation: str) -> None:
    env, single = kit.vector_env(3, observation=observation), kit.env(observation=observation)
    assert env.num_envs == 3
    assert env.single_observation_space == single.observation_space
    assert env.single_action_space == single.action_space
    seen, infos = env.reset(seed=1)
    assert env.observation_space.contains(seen)
    assert (infos["action_mask"].dtype, infos["action_mask"].shape) == (np.int8, (3, kit.num_actions))
    assert env.action_masks().dtype == np.bool_
    assert env.action_masks().tolist() == infos["action_mask"].astype(bool).tolist()
    for _ in range(30):
        seen, _, _, _, infos = env.step(np.argmax(infos["action_mask"], axis=1))
        assert env.observation_space.contains(seen)


# --- The ends of games -----------------------------------------------------------------------------------------------


def end_one(env: GameVectorEnv[Any], index: int = 1) -> tuple[Any, ...]:
    """Lose the game in one slot by an illegal action while the others play on."""
    actions = np.argmax(env.action_masks(), axis=1)
    actions[index] = np.argmin(env.action_masks()[index])
    return env.step(actions)


@over_games
@pytest.mark.parametrize("illegal_action", ["forfeit", "raise"])
def test_next_step_ignores_actions_after_the_end(kit: Kit, illegal_action: str) -> None:
    env, twin = kit.vector_env(3, illegal_action=illegal_action), kit.vector_env(3)
    twin.reset(seed=1)
    end_one(twin)
    env.reset(seed=1)
    for index in range(3):
        env.set_state(index, twin.state_dict(index))
    for nonsense in NONSENSE:
        copies = [env.state_dict(index) for index in range(3)]
        actions = np.argmax(env.action_masks(), axis=1)
        actions[1] = nonsense
        _, rewards, terminated, _, infos = env.step(actions)
        assert rewards.tolist() == [0.0] * 3
        assert terminated.tolist() == [False] * 3
        assert infos.keys() == {"action_mask", "_action_mask"}
        assert (env.state_dict(1)["game"], env.state_dict(1)["seed"], env.state_dict(1)["over"]) == (1, 2, False)
        for index, state in enumerate(copies):
            env.set_state(index, state)


def test_next_step_of_full_infos_has_no_trick_after_the_end() -> None:
    env = EckVectorEnv(3, info="full")
    env.reset(seed=1)
    end_one(env)
    infos = env.step(np.argmax(env.action_masks(), axis=1))[4]
    assert infos["_trick"].tolist() == [True, False, True]
    assert infos["_action_mask"].all()
    assert infos.keys() == {"action_mask", "_action_mask", "trick", "_trick"}


@over_games
def test_disabled_refuses_finished_games(kit: Kit) -> None:
    env = kit.vector_env(3, autoreset_mode="DISABLED")
    env.reset(seed=1)
    seen, rewards, terminated, _, infos = end_one(env)
    assert (rewards.tolist(), terminated.tolist()) == ([0.0, -1.0, 0.0], [False, True, False])
    assert infos["action_mask"][1].tolist() == [1] * kit.num_actions
    assert env.action_masks()[1].all()
    states = [env.state_dict(index) for index in range(3)]
    actions = np.argmax(env.action_masks(), axis=1)
    with pytest.raises(ResetNeeded, match=r"\[1\]"):
        env.step(actions)
    assert [env.state_dict(index) for index in range(3)] == states
    after, infos = env.reset(options={"reset_mask": terminated})
    assert (flat(after)[[0, 2]] == flat(seen)[[0, 2]]).all()
    assert infos["action_mask"].shape == (3, kit.num_actions)
    assert [env.state_dict(index)["game"] for index in range(3)] == [0, 1, 0]
    assert [env.state_dict(index) for index in (0, 2)] == [states[0], states[2]]
    env.step(np.argmax(env.action_masks(), axis=1))


@over_games
def test_reset_mask_with_seeds_and_options(kit: Kit) -> None:
    """Only the chosen slots take the seed and the options."""
    env = kit.vector_env(3, autoreset_mode="DISABLED")
    env.reset(seed=1)
    states = [env.state_dict(index) for index in range(3)]
    chosen = np.array([False, True, False])
    options = {"reset_mask": chosen, **kit.options}
    env.reset(seed=70, options=options)
    assert options.keys() == {"reset_mask", *kit.options}
    assert [env.state_dict(index) for index in (0, 2)] == [states[0], states[2]]
    single = kit.env()
    single.reset(seed=71, options=kit.options)
    assert env.state_dict(1) == single.state_dict()


@over_games
@pytest.mark.parametrize("mode", MODES)
def test_raise_moves_no_game(kit: Kit, mode: str) -> None:
    env = kit.vector_env(3, autoreset_mode=mode, illegal_action="raise")
    env.reset(seed=1)
    states, masks = [env.state_dict(index) for index in range(3)], env.action_masks()
    with pytest.raises(IllegalActionError, match="game 1") as error:
        end_one(env)
    assert kit.actions[int(np.argmin(masks[1]))] in str(error.value)
    assert all(kit.actions[action] in str(error.value) for action in np.flatnonzero(masks[1]).tolist())
    assert [env.state_dict(index) for index in range(3)] == states
    assert (env.action_masks() == masks).all()
    env.step(np.argmax(masks, axis=1))


@over_games
def test_forfeits_in_a_batch(kit: Kit) -> None:
    env = kit.vector_env(3)
    seen, _ = env.reset(seed=1)
    after, rewards, terminated, _, infos = end_one(env)
    assert (flat(after)[1] == flat(seen)[1]).all()
    assert (flat(after)[0] != flat(seen)[0]).any()
    assert (rewards.tolist(), terminated.tolist()) == ([0.0, -1.0, 0.0], [False, True, False])
    assert infos["illegal_action"].tolist() == infos["_illegal_action"].tolist() == [False, True, False]
    assert infos["outcome"].tolist() == [None, "loss", None]
    assert infos["reasons"].tolist() == [None, ["illegal_action"], None]


# --- Seeds -----------------------------------------------------------------------------------------------------------


def names(env: GameVectorEnv[Any]) -> list[list[int]]:
    """Return seed and game of each slot, by its states."""
    states = [env.state_dict(index) for index in range(env.num_envs)]
    return [[state["seed"], state["game"]] for state in states]


@over_games
def test_seeds(kit: Kit) -> None:
    """An int for all, a list with or without None, or nothing."""
    env = kit.vector_env(3)
    env.reset(seed=5)
    assert names(env) == env.keys.tolist() == [[5, 0], [6, 0], [7, 0]]
    env.reset()
    assert names(env) == [[5, 1], [6, 1], [7, 1]]
    env.reset(seed=[40, 40, 2])
    assert names(env) == [[40, 0], [40, 0], [2, 0]]
    env.reset(seed=[None, 11, None])
    assert names(env) == [[40, 1], [11, 0], [2, 1]]
    env.reset(options={"reset_mask": np.array([True, True, False])})
    assert names(env) == [[40, 2], [11, 1], [2, 1]]
    seeds: Any = np.array([8, 9, 10])
    env.reset(seed=seeds)
    assert names(env) == [[8, 0], [9, 0], [10, 0]]


@over_games
def test_lists_with_none_at_the_first_reset(kit: Kit) -> None:
    env = kit.vector_env(3)
    env.reset(seed=[5, None, 7])
    assert names(env)[0] == [5, 0]
    assert names(env)[2] == [7, 0]
    assert 0 <= names(env)[1][0] < 2**30
    assert names(env)[1][1] == 0


class HighestNumbers(np.random.Generator):
    """Draws the highest number that is allowed."""

    def integers(self, low: Any, high: Any = None, *_: Any, endpoint: bool = False, **__: Any) -> Any:
        return (low if high is None else high) - (not endpoint)


@over_games
@pytest.mark.parametrize("count", [1, 3])
def test_unseeded_slots_draw_training_seeds(kit: Kit, count: int) -> None:
    """Below 2**30 in every slot, even if the highest number is drawn."""
    env = kit.vector_env(count)
    env.np_random = HighestNumbers(np.random.PCG64(0))
    env.reset()
    assert all(0 <= seed < 2**30 for seed, _ in names(env))
    assert len({seed for seed, _ in names(env)}) == count
    assert len({names_of[0] for names_of in (names(fresh(kit, count))[0] for _ in range(20))}) == 20


def fresh(kit: Kit, count: int) -> GameVectorEnv[Any]:
    env: GameVectorEnv[Any] = kit.vector_env(count)
    env.reset()
    return env


@over_games
@pytest.mark.parametrize(("count", "seed"), [(1, 2**63 - 1), (3, 2**63 - 3), (3, 2**30)])
def test_the_highest_seeds(kit: Kit, count: int, seed: int) -> None:
    env, single = kit.vector_env(count), kit.env()
    env.reset(seed=seed)
    single.reset(seed=seed + count - 1)
    assert env.state_dict(count - 1) == single.state_dict()
    assert play_on(env.copy(count - 1), Random(0)) == play_on(single, Random(0))
