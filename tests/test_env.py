"""The single environment keeps its contract: resets, steps, masks, infos, determinism, rendering."""

from __future__ import annotations

import random
from random import Random
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from eck_env import EckEnv
from eck_env.base.env import GameEnv
from eck_helpers import ID_KEYWORDS, NUM_ACTIONS, flat, last_trick, legal_actions, plain
from game_helpers import Kit, over_games, play_on
from reference.eck import KINDS

ROUND_KEYS = {"tricks_won", "collected", "turned_gray", "taken_by_eck", "counter"}
TRICK_KEYS = {"leader", "lead", "follow", "taken_by", "turned_over"}


def lose(env: GameEnv) -> None:
    """End the game by an illegal action."""
    assert env.step(int(np.argmin(env.action_masks())))[2]


# --- Reset and step --------------------------------------------------------------------------------------------------


@over_games
@pytest.mark.parametrize("dtype", ["int8", "float32"])
@pytest.mark.parametrize("observation", ["flat", "dict"])
def test_spaces_and_types(kit: Kit, observation: str, dtype: str) -> None:
    env = kit.env(observation=observation, dtype=dtype)
    seen, info = env.reset(seed=1)
    terminated = False
    while True:
        assert env.observation_space.contains(seen)
        parts = list(seen.values()) if isinstance(seen, dict) else [seen]
        assert {part.dtype for part in parts} == {np.dtype(dtype)}
        assert sum(part.size for part in parts) == kit.size
        mask = info["action_mask"]
        assert isinstance(mask, np.ndarray)
        assert (mask.dtype, mask.shape) == (np.int8, (kit.num_actions,))
        assert env.action_masks().dtype == np.bool_
        assert env.action_masks().tolist() == mask.astype(bool).tolist()
        if terminated:
            break
        seen, reward, terminated, truncated, info = env.step(env.action_space.sample(mask))
        assert type(reward) is float
        assert type(terminated) is bool
        assert truncated is False


@pytest.mark.parametrize("keywords", ID_KEYWORDS.values(), ids=ID_KEYWORDS.keys())
def test_info(keywords: dict[str, Any]) -> None:
    """Which keys are there when, and of what types."""
    env = EckEnv(**keywords)
    _, info = env.reset(seed=2)
    assert info.keys() == {"action_mask"}
    generator = Random(2)
    rounds = 0
    while True:
        before = env.state_dict()
        _, reward, terminated, _, info = env.step(generator.choice(legal_actions(info)))
        assert info.keys() == {"action_mask", "trick"} | ({"round"} if len(before["hand"]) == 1 else set()) | (
            {"outcome", "reasons"} if terminated else set()
        )
        trick = info["trick"]
        assert trick.keys() == TRICK_KEYS
        assert trick["leader"] == before["leader"]
        assert trick["taken_by"] in ("you", "eck", "tied")
        assert {trick["lead"], trick["follow"], *trick["turned_over"]} <= set(KINDS)
        assert trick["leader"] == "you" or trick["turned_over"] == []
        if "round" in info:
            rounds += 1
            assert info["round"].keys() == ROUND_KEYS
            assert type(info["round"]["tricks_won"]) is int
            assert trick["taken_by"] != "tied"
        if terminated:
            break
        assert reward == 0.0
        assert env.state_dict()["round"] == rounds
    assert info["outcome"] in ("win", "loss")
    assert reward == (1.0 if info["outcome"] == "win" else -1.0)
    assert (info["reasons"] == []) == (info["outcome"] == "win")
    assert set(info["reasons"]) <= {"eck_card", "counter"}


def test_the_next_round_is_dealt_within_the_step() -> None:
    env = EckEnv()
    env.reset(seed=1)
    for number in range(13):
        seen, _, terminated, _, info = env.step(int(np.argmax(env.action_masks())))
        assert not terminated
        assert ("round" in info) == (number == 12)
    assert flat(seen)[:38].sum() == 13
    assert info["action_mask"].sum() <= 13
    assert (env.state_dict()["round"], env.state_dict()["lead"] is None) == (1, False)


@pytest.mark.parametrize(("tricks", "outcome"), [(6, "win"), (7, "loss")])
def test_terminal_mask_is_all_ones(tricks: int, outcome: str) -> None:
    env = EckEnv(target=1)
    env.reset(seed=1)
    state, action = last_trick(env.state_dict(), tricks)
    env.set_state({**state, "counter": "2"})
    _, reward, terminated, _, info = env.step(action)
    assert (info["outcome"], terminated, reward) == (outcome, True, 1.0 if outcome == "win" else -1.0)
    assert info["action_mask"].tolist() == [1] * NUM_ACTIONS
    assert env.action_masks().all()
    with pytest.raises(ResetNeeded):
        env.step(0)
    _, info = env.reset()
    assert info["action_mask"].sum() <= 13


@over_games
def test_fresh_arrays(kit: Kit) -> None:
    """What was returned stays as it was, and what a caller does to it changes nothing."""
    env, twin = kit.env(), kit.env()
    seen: Any
    later: Any
    seen, info = env.reset(seed=1)
    twin.reset(seed=1)
    first, mask = seen.copy(), info["action_mask"].copy()
    later, _, _, _, later_info = env.step(int(np.argmax(mask)))
    assert (seen == first).all()
    assert (info["action_mask"] == mask).all()
    assert not np.shares_memory(seen, later)
    assert not np.shares_memory(info["action_mask"], later_info["action_mask"])
    expected = twin.step(int(np.argmax(mask)))[0]
    later[:], later_info["action_mask"][:], env.action_masks()[:] = 9, 1, True
    assert (env.action_masks() == twin.action_masks()).all()
    action = int(np.argmax(twin.action_masks()))
    assert (flat(env.set_state(env.state_dict())[0]) == expected).all()
    assert plain(env.step(action)) == plain(twin.step(action))


@over_games
@pytest.mark.parametrize("observation", ["flat", "dict"])
def test_out(kit: Kit, observation: str) -> None:
    env, twin = kit.env(observation=observation), kit.env(observation=observation)
    out = np.full(kit.size, 9, np.int8)
    seen, info = env.reset(seed=1, out=out)
    expected, _ = twin.reset(seed=1)
    for _ in range(12):
        parts = list(seen.values()) if isinstance(seen, dict) else [seen]
        assert all(np.shares_memory(part, out) for part in parts)
        assert plain(seen) == plain(expected)
        action = int(np.argmax(info["action_mask"]))
        seen, _, _, _, info = env.step(action, out=out)
        expected = twin.step(action)[0]


@over_games
@pytest.mark.parametrize("forfeited", [False, True])
def test_after_the_end(kit: Kit, forfeited: bool) -> None:
    """All actions are legal in the mask, and none can be taken before the next game."""
    env = kit.env()
    for use in (env.state_dict, lambda: env.determinize(np.random.default_rng(0)), lambda: env.step(0)):
        with pytest.raises(ResetNeeded, match="reset"):
            use()
    env.reset(seed=1)
    if forfeited:
        lose(env)
    else:
        assert play_on(env, Random(1))[-1][2]
    assert env.action_masks().tolist() == [True] * kit.num_actions
    assert env.state_dict()["over"]
    for action in (0, kit.num_actions - 1):
        with pytest.raises(ResetNeeded, match="reset"):
            env.step(action)
    number = env.state_dict()["game"]
    _, info = env.reset()
    assert env.state_dict()["game"] == number + 1
    assert 0 < info["action_mask"].sum() < kit.num_actions


@pytest.mark.parametrize("ending", ["before the first reset", "win", "loss", "forfeit"])
def test_reset_needed(ending: str) -> None:
    env = EckEnv(target=1)
    if ending != "before the first reset":
        env.reset(seed=1)
        if ending == "forfeit":
            lose(env)
        else:
            state, action = last_trick(env.state_dict(), 6 if ending == "win" else 7)
            env.set_state({**state, "counter": "2"})
            assert env.step(action)[4]["outcome"] == ending
    for action in (0, 37):
        with pytest.raises(ResetNeeded, match="reset"):
            env.step(action)
    if ending == "before the first reset":
        for use in (env.state_dict, lambda: env.determinize(np.random.default_rng(0))):
            with pytest.raises(ResetNeeded, match="reset"):
                use()
    env.reset(seed=1)
    env.step(int(np.argmax(env.action_masks())))


# --- Determinism -----------------------------------------------------------------------------------------------------


def deals(env: EckEnv, generator: Random, games: int) -> dict[tuple[int, int], Any]:
    """Play games, some of them only in part, and return all deals by game and round."""
    found = {}
    for _ in range(games):
        for _ in range(generator.choice([3, 20, 1000])):
            state = env.state_dict()
            if len(state["hand"]) == 13:
                found[state["game"], state["round"]] = (state["hand"], state["lead"], state["face_down"])
            if env.step(generator.choice(np.flatnonzero(env.action_masks()).tolist()))[2]:
                break
        env.reset()
    return found


def test_deals_depend_on_seed_game_and_round_alone() -> None:
    """Not on what was played, how long, in which variant, or what was done before the seed."""
    found = []
    for style, keywords in enumerate([{}, {}, *ID_KEYWORDS.values(), {"circle_follow": "same"}]):
        env = EckEnv(**keywords)
        if style % 2:
            env.reset(seed=77)
            play_on(env, Random(1), 30)
        env.reset(seed=6)
        found.append(deals(env, Random(style), 12))
    every: dict[tuple[int, int], Any] = {}
    for one in found:
        for key, deal in one.items():
            assert every.setdefault(key, deal) == deal
    assert len(every) > 30
    assert len({str(deal) for deal in every.values()}) == len(every)


@over_games
def test_reset_without_a_seed_starts_the_next_game(kit: Kit) -> None:
    env = kit.env()
    env.reset(seed=9)
    first = env.state_dict()
    hands = []
    for game in range(3):
        state = env.state_dict()
        assert (state["seed"], state["game"], state[kit.counted]) == (9, game, 0)
        hands.append(state[kit.hand])
        env.reset()
    assert hands[0] != hands[1] != hands[2]
    env.reset(seed=9)
    assert env.state_dict() == first


@over_games
def test_global_random_numbers_change_nothing(kit: Kit) -> None:
    found = []
    for shake in range(3):
        env = kit.env()
        env.reset(seed=5)
        records = []
        for _ in range(150):
            random.seed(shake)
            np.random.seed(shake)  # noqa: NPY002 (the global generator is what is shaken)
            before = (random.getstate(), np.random.get_state()[1].tolist())  # type: ignore[index]  # noqa: NPY002
            step = env.step(int(np.argmax(env.action_masks())))
            records.append(plain(step))
            if step[2]:
                env.reset()
            assert before == (random.getstate(), np.random.get_state()[1].tolist())  # type: ignore[index]  # noqa: NPY002
        found.append(records)
    assert found[0] == found[1] == found[2]


@over_games
def test_unseeded_environments_draw_training_seeds(kit: Kit) -> None:
    seeds = set()
    for _ in range(50):
        env = kit.env()
        env.reset()
        seeds.add(env.state_dict()["seed"])
    assert len(seeds) == 50
    assert max(seeds) < 2**30
    assert min(seeds) >= 0


@over_games
@pytest.mark.parametrize("seed", [0, 2**30, 2**63 - 1, np.int64(7), np.uint8(200)])
def test_every_seed_plays(kit: Kit, seed: Any) -> None:
    """NumPy's integers, as a `SeedSequence` gives them, are as good as Python's."""
    env, twin = kit.env(), kit.env()
    env.reset(seed=seed)
    twin.reset(seed=int(seed))
    assert env.state_dict() == twin.state_dict()
    assert type(env.state_dict()["seed"]) is int
    play_on(env, Random(0))


# --- Rendering -------------------------------------------------------------------------------------------------------


def test_ansi() -> None:
    """The text shows what the player knows, and nothing of what is hidden."""
    env = EckEnv(render_mode="ansi", target=3, trick_cards=("2", "8", "13/0", "6"))
    env.reset(seed=6, options={"trick_cards": {"8": "gray", "6": "yours"}, "counter": "2"})
    generator = Random(6)
    for _ in range(40):
        text, state = env.render(), env.state_dict()
        assert isinstance(text, str)
        lines = text.splitlines()
        assert all(card in lines[-1].split() for card in state["hand"])
        assert state["lead"] is None or state["lead"] in text
        assert str(len(state["face_down"])) in text
        assert all(name in text for name in state["trick_cards"])
        assert all(card in text for card in state["face_up"])
        assert max(map(len, lines)) <= 160
        env.determinize(np.random.default_rng(1))
        assert env.render() == text
        if env.step(generator.choice(np.flatnonzero(env.action_masks()).tolist()))[2]:
            assert "over" in str(env.render())
            env.reset()


@over_games
def test_ansi_of_a_finished_game(kit: Kit) -> None:
    env = kit.env(render_mode="ansi")
    env.reset(seed=6)
    lose(env)
    assert "illegal_action" in str(env.render())
