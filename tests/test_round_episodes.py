"""Rounds as episodes, and rewards by a table of round values; the tables here are made up."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from eck_env import EckEnv, EckVectorEnv
from eck_env.base.starts import _find_start
from eck_env.eck.engine import START
from eck_helpers import NUM_ACTIONS, flat, legal_actions, made_up_values, table_value
from reference.eck import ALL

VALUES = made_up_values()
STARTS: list[dict[str, Any]] = [
    {"trick_cards": {"8": "gray", "2": "yours"}, "counter": "2", "weight": 3.0},
    {"trick_cards": {"13/0": "yours", "4": "yours", "6": "yours"}, "counter": "1"},
    {},
]


def statuses(start: dict[str, Any]) -> tuple[dict[str, str], str]:
    return dict.fromkeys(ALL, "colored") | start.get("trick_cards", {}), start.get("counter", "0")


def value_after(info: dict[str, Any], state: dict[str, Any]) -> float:
    """Return the chance to win as it stands: 1 or 0 when the game is decided, else by the table."""
    if "outcome" in info:
        return 1.0 if info["outcome"] == "win" else 0.0
    return table_value(VALUES, state["trick_cards"], state["counter"])


def test_the_table_reads_off() -> None:
    for start in STARTS:
        assert VALUES.value(*statuses(start)) == table_value(VALUES, *statuses(start))
    assert VALUES.value({}, "0") == pytest.approx(1 / (3 * 128 * 128 + 2))


@pytest.mark.parametrize("seed", range(15))
def test_value_rewards_add_up(seed: int) -> None:
    """Over a whole game the rewards are the outcome less the value at its start; each comes at the end of a round."""
    env = EckEnv(reward="round_value", round_values=VALUES)
    _, info = env.reset(seed=seed, options={"trick_cards": {"2": "yours", "8": "gray"}, "counter": "1"})
    generator = Random(seed)
    before = start = table_value(VALUES, {"2": "yours", "8": "gray"}, "1")
    total, terminated = 0.0, False
    while not terminated:
        _, reward, terminated, _, info = env.step(generator.choice(legal_actions(info)))
        total += reward
        assert type(reward) is float
        if "round" in info:
            after = value_after(info, env.state_dict())
            assert reward == pytest.approx(after - before, abs=1e-12)
            before = after
        else:
            assert reward == 0.0
    assert total == pytest.approx((info["outcome"] == "win") - start, abs=1e-12)


def test_a_forfeit_costs_the_value() -> None:
    env = EckEnv(reward="round_value", round_values=VALUES)
    env.reset(seed=1, options={"counter": "2"})
    _, reward, terminated, _, info = env.step(int(np.argmin(env.action_masks())))
    assert (terminated, info["illegal_action"]) == (True, True)
    assert reward == pytest.approx(-table_value(VALUES, {}, "2"))


@pytest.mark.parametrize("reward", ["round_value", "win", None])
def test_an_episode_is_one_round(reward: str | None) -> None:
    """13 steps; the reward is the change of the value, or the outcome if the round decides the game."""
    env = EckEnv(episode="round", reward=reward, round_values=VALUES, start_states=STARTS)
    generator = Random(4)
    decided = 0
    _, info = env.reset(seed=4)
    for episode in range(60):
        state = env.state_dict()
        assert (state["game"], state["round"], len(state["hand"])) == (episode, 0, 13)
        assert info.keys() == {"action_mask"}
        before = table_value(VALUES, state["trick_cards"], state["counter"])
        for number in range(13):
            _, gained, terminated, truncated, info = env.step(generator.choice(legal_actions(info)))
            assert (terminated, truncated) == (number == 12, False)
            assert gained == 0.0 or terminated
        assert info["action_mask"].tolist() == [1] * NUM_ACTIONS
        assert "round" in info
        decided += "outcome" in info
        end = env.state_dict()
        assert (end["over"], end["outcome"], end["round"]) == (True, info.get("outcome"), 0)
        if reward == "win":
            assert gained == {None: 0.0, "win": 1.0, "loss": -1.0}[info.get("outcome")]
        else:
            assert gained == pytest.approx(value_after(info, end) - before, abs=1e-12)
        with pytest.raises(ResetNeeded):
            env.step(0)
        other = EckEnv(episode="round", reward=reward, round_values=VALUES, start_states=STARTS)
        seen, other_info = other.set_state(end)
        assert other_info["action_mask"].tolist() == [1] * NUM_ACTIONS
        assert flat(seen)[:38].sum() == 0
        _, info = env.reset()
    assert 0 < decided < 60


def test_start_states_come_as_often_as_they_weigh() -> None:
    env = EckVectorEnv(1000, episode="round", reward="win", start_states=STARTS)
    env.reset(seed=3)
    found: Counter[str] = Counter()
    for index in range(1000):
        state = env.state_dict(index)
        found[str((state["trick_cards"], state["counter"]))] += 1
    for start, expected in zip(STARTS, (600, 200, 200), strict=True):
        assert abs(found[str(statuses(start))] - expected) < 80
    assert found.total() == 1000
    assert len(found) == 3


def test_start_states_default_to_the_visits_of_the_table() -> None:
    env = EckVectorEnv(1000, episode="round", round_values=VALUES)
    seen, _ = env.reset(seed=3)
    seen = flat(seen)
    counters = seen[:, 184:188].sum(axis=0).tolist()
    assert [abs(count - expected) < 80 for count, expected in zip(counters, (500, 250, 250, 0), strict=True)] == [
        True
    ] * 4
    two, gray = seen[:, 156 + 1] == 1, seen[:, 156 + 4 + 1] == 1
    assert two.tolist() == (seen[:, 185] == 1).tolist()
    assert gray.tolist() == (seen[:, 186] == 1).tolist()


def test_deals_are_those_of_the_games() -> None:
    """What the start of an episode is drawn from leaves the deal alone."""
    env, twin = EckEnv(episode="round", reward="win", start_states=STARTS), EckEnv()
    env.reset(seed=8)
    twin.reset(seed=8)
    for _ in range(5):
        one, two = env.state_dict(), twin.state_dict()
        assert all(one[key] == two[key] for key in ("hand", "lead", "face_down", "seed", "game", "round"))
        env.reset()
        twin.reset()


def test_single_and_vector_play_the_same_rounds() -> None:
    keywords: dict[str, Any] = {"episode": "round", "round_values": VALUES, "start_states": STARTS}
    batch = EckVectorEnv(3, autoreset_mode="SAME_STEP", **keywords)
    singles = [EckEnv(**keywords) for _ in range(3)]
    batch.reset(seed=20)
    for index, single in enumerate(singles):
        single.reset(seed=20 + index)
    for _ in range(60):
        actions = np.argmax(batch.action_masks(), axis=1)
        seen, rewards, terminated, _, infos = batch.step(actions)
        for index, single in enumerate(singles):
            one, reward, ended, _, info = single.step(actions[index])
            assert (reward, ended) == (rewards[index], terminated[index])
            if ended:
                assert (infos["final_obs"][index] == one).all()
                assert infos["final_info"]["action_mask"][index].all()
                assert ("outcome" in info) == bool(infos["final_info"].get("_outcome", np.zeros(3, bool))[index])
                one, _ = single.reset()
            assert (flat(seen)[index] == one).all()


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        pytest.param({"start_states": STARTS}, "start_states", id="episodes are games"),
        pytest.param({"episode": "round", "start_states": [], "round_values": VALUES}, "at least one", id="none"),
        pytest.param(
            {"episode": "round", "start_states": [{"weight": -1}], "round_values": VALUES}, "weight", id="negative"
        ),
        pytest.param(
            {"episode": "round", "start_states": [{"weight": 0}], "round_values": VALUES}, "weight", id="all weigh 0"
        ),
        pytest.param(
            {"episode": "round", "start_states": [{"weight": "much"}], "round_values": VALUES}, "weight", id="text"
        ),
        pytest.param(
            {"episode": "round", "start_states": [{"weigth": 2}], "round_values": VALUES}, "weigth", id="unknown key"
        ),
        pytest.param(
            {"episode": "round", "start_states": [{"counter": "X"}], "round_values": VALUES}, "'X'", id="counter X"
        ),
        pytest.param(
            {"episode": "round", "start_states": [{"trick_cards": {"2": "eck"}}], "round_values": VALUES},
            "over",
            id="lost already",
        ),
        pytest.param({"reward": "round_value", "round_values": VALUES, "target": 3}, "target", id="another target"),
        pytest.param(
            {"reward": "round_value", "round_values": made_up_values(4, ALL[:5])}, "12, 13/0", id="other trick cards"
        ),
        pytest.param({"reward": "round_value", "target": 1, "trick_cards": ["4"]}, "round_values", id="none shipped"),
        pytest.param({"episode": "rounds"}, "'round'", id="no such episode"),
    ],
)
def test_what_is_refused(keywords: dict[str, Any], message: str) -> None:
    for make in (EckEnv, EckVectorEnv):
        with pytest.raises(ValueError, match=message):
            make(**keywords)


# --- States that the table does not have -----------------------------------------------------------------------------


def test_states_without_a_round_value_are_refused() -> None:
    """A gray card with nothing collected and counter 0: no game gets there, so nothing could be rewarded."""
    options = {"trick_cards": {"8": "gray"}}
    for env in (EckEnv(reward="round_value"), EckEnv(episode="round")):
        env.reset(seed=1)
        state, mask = env.state_dict(), env.action_masks()
        with pytest.raises(ValueError, match="no entry for the trick cards"):
            env.reset(seed=1, options=options)
        with pytest.raises(ValueError, match="no entry for the trick cards"):
            env.set_state({**state, "trick_cards": state["trick_cards"] | {"8": "gray"}, "counter": "0"} | BARE)
        assert env.state_dict() == state
        assert (env.action_masks() == mask).all()
    with pytest.raises(ValueError, match="no entry for the trick cards"):
        EckEnv(episode="round", start_states=[options])
    EckEnv(reward="win").reset(seed=1, options=options)


BARE = {
    "trick_cards": {name: "gray" if name == "8" else "colored" for name in ("2", "4", "6", "8", "10", "12", "13/0")}
}


@pytest.mark.parametrize("seed", range(30))
def test_options_take_the_place_of_the_drawn_start(seed: int) -> None:
    env = EckEnv(episode="round")
    env.reset(seed=seed, options={"trick_cards": {"2": "yours", "4": "yours"}})
    state = env.state_dict()
    assert [name for name, status in state["trick_cards"].items() if status != "colored"] == ["2", "4"]
    assert state["counter"] == "0"


def test_starts_are_found_as_numpy_would() -> None:
    starts: Any = np.zeros(50, START).view(np.recarray)
    weights = np.random.default_rng(1).random(50)
    weights[[3, 4, 20]] = 0.0
    starts.cumulative = np.cumsum(weights) / weights.sum()
    for drawn in [0.0, *starts.cumulative[:-1], *np.random.default_rng(2).random(500)]:
        assert _find_start(starts, drawn) == np.searchsorted(starts.cumulative, drawn, side="right")
    assert _find_start(starts, 1.0) == 49
