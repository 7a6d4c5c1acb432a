"""The infos of the vector environment, its arrays, and the states of single game slots."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from eck_env import EckEnv, EckVectorEnv
from eck_env.base.vector_env import GameVectorEnv
from eck_helpers import NUM_ACTIONS, flat, plain
from game_helpers import Kit, over_games, over_variants, play_on
from reference.eck import kind

MODES = [mode.name for mode in AutoresetMode]
RESHUFFLES: list[dict[str, Any]] = [
    case
    for case in json.loads((Path(__file__).parent / "cases" / "eck_rounds.json").read_text("utf-8"))
    if case["shuffles"]
]


def assert_same(one: Any, two: Any, place: str = "infos") -> None:
    """Compare infos: keys, types, dtypes, shapes and values."""
    assert type(one) is type(two), place
    if isinstance(one, dict):
        assert one.keys() == two.keys(), place
        for key in one:
            assert_same(one[key], two[key], f"{place}[{key!r}]")
    elif isinstance(one, np.ndarray):
        assert (one.dtype, one.shape) == (two.dtype, two.shape), place
        if one.dtype == object:
            for index, (a, b) in enumerate(zip(one, two, strict=True)):
                assert_same(a, b, f"{place}[{index}]")
        else:
            assert (one == two).all(), place
    else:
        assert one == two, place


def some_actions(masks: Any, generator: Random) -> Any:
    """Return random legal actions, and now and then an illegal one."""
    return np.array(
        [
            int(np.argmin(mask)) if generator.random() < 0.01 else generator.choice(np.flatnonzero(mask).tolist())
            for mask in masks
        ]
    )


@over_variants
@pytest.mark.parametrize("mode", MODES)
def test_full_infos_are_those_of_sync_vector_env(kit: Kit, mode: str, number: int) -> None:
    keywords = kit.variants[number]
    env = kit.vector_env(3, autoreset_mode=mode, info="full", **keywords)
    sync = SyncVectorEnv([lambda: kit.env(**keywords)] * 3, autoreset_mode=AutoresetMode[mode])
    ours: Any = env.reset(seed=30)
    theirs: Any = sync.reset(seed=30)
    generator = Random(5)
    keys: set[str] = set()
    for _ in range(400):
        assert_same(ours[-1], theirs[-1])
        assert plain(ours[:-1]) == plain(theirs[:-1])
        keys |= ours[-1].keys() | ours[-1].get("final_info", {}).keys()
        if mode == "DISABLED" and len(ours) == 5 and ours[2].any():
            ended = ours[2].copy()
            ours = env.reset(options={"reset_mask": ended})
            theirs = sync.reset(options={"reset_mask": ended.copy()})
            assert_same(ours[-1], theirs[-1])
            assert plain(ours[0]) == plain(theirs[0])
        actions = some_actions(env.action_masks(), generator)
        ours, theirs = env.step(actions), sync.step(actions)
    assert keys >= {"action_mask", *kit.told, "outcome", "reasons", "illegal_action"}
    assert ("final_info" in keys) == ("final_obs" in keys) == (mode == "SAME_STEP")


@over_variants
@pytest.mark.parametrize("mode", MODES)
def test_mask_infos_are_a_part_of_the_full_ones(kit: Kit, mode: str, number: int) -> None:
    """Masks always; outcome, reasons and illegal actions where games end, and no other keys."""
    keywords = kit.variants[number]
    env = kit.vector_env(4, autoreset_mode=mode, **keywords)
    full = kit.vector_env(4, autoreset_mode=mode, info="full", **keywords)
    assert env.reset(seed=30)[1].keys() == {"action_mask", "_action_mask"}
    full.reset(seed=30)
    generator = Random(6)
    ends = 0
    for _ in range(300):
        actions = some_actions(env.action_masks(), generator)
        ours: Any
        *ours, infos = env.step(actions)
        *theirs, expected = full.step(actions)
        assert plain(ours) == plain(theirs)
        ends += "outcome" in infos or "outcome" in infos.get("final_info", {})
        assert_same(infos, without_tricks(kit, expected))
        if mode == "DISABLED" and ours[2].any():
            for one in (env, full):
                one.reset(options={"reset_mask": ours[2]})
    assert ends > 3


def without_tricks(kit: Kit, infos: dict[str, Any]) -> dict[str, Any]:
    """Return full infos without the tricks and rounds, or hands."""
    left_out = {*kit.told, *(f"_{key}" for key in kit.told)}
    kept = {key: value for key, value in infos.items() if key not in left_out}
    return {key: without_tricks(kit, value) if key == "final_info" else value for key, value in kept.items()}


# --- Arrays ----------------------------------------------------------------------------------------------------------


@over_games
@pytest.mark.parametrize("info", ["mask", "full"])
@pytest.mark.parametrize("mode", MODES)
def test_fresh_arrays(kit: Kit, mode: str, info: str) -> None:
    """What has been returned is never written to again."""
    env = kit.vector_env(3, autoreset_mode=mode, info=info)
    step: Any = env.reset(seed=3)
    generator = Random(3)
    kept = []
    for _ in range(150):
        kept.append((step, plain(step)))
        if mode == "DISABLED" and len(step) == 5 and step[2].any():
            step = env.reset(options={"reset_mask": step[2]})
            kept.append((step, plain(step)))
        step = env.step(some_actions(env.action_masks(), generator))
    for arrays, content in kept:
        assert plain(arrays) == content


@over_games
@pytest.mark.parametrize("info", ["mask", "full"])
def test_what_is_done_to_the_arrays_changes_nothing(kit: Kit, info: str) -> None:
    env, twin = kit.vector_env(3, info=info), kit.vector_env(3, info=info)
    step: Any = env.reset(seed=3)
    twin.reset(seed=3)
    for _ in range(50):
        step[0][:], step[-1]["action_mask"][:], env.action_masks()[:] = 9, 1, False
        assert (env.action_masks() == twin.action_masks()).all()
        actions = np.argmax(twin.action_masks(), axis=1)
        step, expected = env.step(actions), twin.step(actions)
        assert plain(step) == plain(expected)


@over_games
@pytest.mark.parametrize("mode", ["NEXT_STEP", "SAME_STEP"])
@pytest.mark.parametrize("observation", ["flat", "dict"])
def test_out(kit: Kit, observation: str, mode: str) -> None:
    """The caller's arrays are written to and returned, and play is the same."""
    env = kit.vector_env(3, autoreset_mode=mode, observation=observation)
    twin = kit.vector_env(3, autoreset_mode=mode, observation=observation)
    out = env.make_outputs()
    step: Any = env.reset(seed=3, out=out)
    expected: Any = twin.reset(seed=3)
    generator = Random(3)
    for _ in range(200):
        assert plain(step) == plain(expected)
        parts = list(step[0].values()) if isinstance(step[0], dict) else [step[0]]
        assert all(np.shares_memory(part, out.observations) for part in parts)
        assert step[-1]["action_mask"] is out.masks
        actions = some_actions(twin.action_masks(), generator)
        assert (env.action_masks() == twin.action_masks()).all()
        step, expected = env.step(actions, out=out), twin.step(actions)
        assert (step[1] is out.rewards, step[2] is out.terminated) == (True, True)


MISFIT = """
import numpy as np
from eck_env.registry import make_vector_env
env = make_vector_env("{env_id}", 3, autoreset_mode="{mode}")
env.reset(seed=3)
states = [env.state_dict(index) for index in range(3)]
out = make_vector_env("{env_id}", {other}).make_outputs()
for use in (lambda: env.step(np.argmax(env.action_masks(), axis=1), out=out), lambda: env.reset(out=out)):
    try:
        use()
    except ValueError as error:
        assert "out" in str(error)
    else:
        raise AssertionError("not refused")
    assert [env.state_dict(index) for index in range(3)] == states
"""


@over_games
@pytest.mark.parametrize(
    ("mode", "other"),
    [("NEXT_STEP", "2"), ("NEXT_STEP", "4"), ("NEXT_STEP", "3, dtype='float32'"), ("SAME_STEP", "3")],
)
def test_out_of_another_shape_is_refused(kit: Kit, mode: str, other: str) -> None:
    """Arrays that do not fit would be written to out of bounds, which kills a process; so this one is another."""
    program = MISFIT.format(env_id=next(iter(kit.ids)), mode=mode, other=other)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr


@over_games
def test_render(kit: Kit) -> None:
    env = kit.vector_env(2, render_mode="ansi")
    env.reset(seed=1)
    pictures = env.render()
    assert isinstance(pictures, tuple)
    for index, picture in enumerate(pictures):
        single = kit.env(render_mode="ansi")
        single.set_state(env.state_dict(index))
        assert picture == single.render()


# --- States of single slots ------------------------------------------------------------------------------------------


def states(env: GameVectorEnv[Any]) -> list[dict[str, Any]]:
    return [env.state_dict(index) for index in range(env.num_envs)]


def in_play(kit: Kit, count: int = 3, **keywords: Any) -> GameVectorEnv[Any]:
    """Return an environment some steps into its games."""
    env: GameVectorEnv[Any] = kit.vector_env(count, **keywords)
    env.reset(seed=21)
    generator = Random(2)
    for _ in range(7):
        env.step(np.array([generator.choice(np.flatnonzero(mask).tolist()) for mask in env.action_masks()]))
    return env


@over_games
@pytest.mark.parametrize("mode", MODES)
def test_set_state_of_one_slot(kit: Kit, mode: str) -> None:
    """The slot goes on from there as a single environment would; the others notice nothing."""
    env, twin = in_play(kit, autoreset_mode=mode), in_play(kit, autoreset_mode=mode)
    single = kit.env()
    single.reset(seed=5)
    play_on(single, Random(1), 7)
    before = states(env)
    seen, infos = env.set_state(1, json.loads(json.dumps(single.state_dict())))
    assert states(env) == [before[0], single.state_dict(), before[2]]
    assert (infos["action_mask"][1] == single.action_masks()).all()
    assert (env.action_masks()[1] == single.action_masks()).all()
    assert (flat(seen)[1] == single.set_state(single.state_dict())[0]).all()
    for _ in range(5):
        actions = np.argmax(env.action_masks(), axis=1)
        after = flat(env.step(actions)[0])
        others = np.where([True, False, True], actions, np.argmax(twin.action_masks(), axis=1))
        other = flat(twin.step(others)[0])
        assert (after[1] == single.step(actions[1])[0]).all()
        assert (after[[0, 2]] == other[[0, 2]]).all()


@over_games
def test_copy_of_one_slot_is_independent(kit: Kit) -> None:
    env = in_play(kit)
    before = states(env)
    single = env.copy(2)
    assert isinstance(single, kit.env)
    assert single.state_dict() == before[2]
    assert (single.action_masks() == env.action_masks()[2]).all()
    play_on(single, Random(1))
    single.reset()
    assert (single.state_dict()["seed"], single.state_dict()["game"]) == (before[2]["seed"], before[2]["game"] + 1)
    assert states(env) == before


@over_games
def test_copy_keeps_the_keywords(kit: Kit) -> None:
    keywords = {**kit.other, "illegal_action": "raise", "render_mode": "ansi"}
    single = in_play(kit, **keywords).copy(0)
    twin = kit.env(**keywords)
    seen, _ = twin.set_state(single.state_dict())
    assert plain(single.set_state(single.state_dict())[0]) == plain(seen)
    assert single.observation_space == twin.observation_space
    assert single.render() == twin.render()
    if single.state_dict()["over"]:
        assert plain(single.reset()) == plain(twin.reset())
    assert play_on(single, Random(1)) == play_on(twin, Random(1))


@over_games
def test_determinize_one_slot(kit: Kit) -> None:
    env, single = in_play(kit), in_play(kit).copy(1)
    before, masks = states(env), env.action_masks()
    env.determinize(1, np.random.default_rng(4))
    single.determinize(np.random.default_rng(4))
    assert states(env) == [before[0], single.state_dict(), before[2]]
    assert states(env)[1] != before[1]
    assert (env.action_masks() == masks).all()


def test_slots_keep_their_shuffles_when_others_are_reset() -> None:
    """A slot in the middle of a round with a second prescribed shuffle; its neighbour starts a new game."""
    case = RESHUFFLES[0]
    single = EckEnv()
    single.reset(seed=1, options={key: case[key] for key in ("hand", "deck", "shuffles")})
    state = single.state_dict() | {"reshuffles": 1}
    single.set_state(state)
    env = EckVectorEnv(2, autoreset_mode="DISABLED", info="full")
    env.reset(seed=1)
    env.set_state(0, state)
    env.reset(options={"reset_mask": np.array([False, True])})
    assert env.state_dict(0) == state
    for card in case["plays"]:
        actions = np.argmax(env.action_masks(), axis=1)
        actions[0] = kind(card)
        infos = env.step(actions)[4]
        single.step(kind(card))
        assert env.state_dict(0) == single.state_dict()
    assert infos["round"]["tricks_won"][0] == case["you_took"]
    assert env.action_masks().shape == (2, NUM_ACTIONS)


@over_games
@pytest.mark.parametrize("index", [3, -1, 1.0, None, "0"])
def test_slots_there_are_none_of(kit: Kit, index: Any) -> None:
    env = in_play(kit)
    before = states(env)
    for use in (env.state_dict, env.copy, lambda i: env.set_state(i, before[0]), lambda i: env.determinize(i, None)):  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="index"):
            use(index)
    assert states(env) == before
