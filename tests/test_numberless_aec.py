"""The PettingZoo environment of the game without numbers: PettingZoo's own tests, and the project's contract."""

from __future__ import annotations

import warnings
from random import Random
from typing import Any

import numpy as np
import pytest
from pettingzoo.utils import turn_based_aec_to_parallel

from eck_env import IllegalActionError
from eck_env.numberless import numberless_v0
from eck_env.numberless.aec import NumberlessAECEnv
from numberless_helpers import VARIANTS, together

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # PettingZoo's tests import a game in a way of their own past
    from pettingzoo.test import api_test, parallel_seed_test, performance_benchmark, seed_test

over_variants = pytest.mark.parametrize(("players", "draft"), VARIANTS)


@over_variants
@pytest.mark.parametrize("illegal_action", ["forfeit", "raise"])
def test_api(players: int, draft: bool, illegal_action: str) -> None:
    with warnings.catch_warnings():
        # PettingZoo's own masked games draw these as well: observations with a mask are dicts.
        warnings.filterwarnings("ignore", "Observation space for each agent probably should be")
        warnings.filterwarnings("ignore", "Observation is not a NumPy array")
        env = numberless_v0.env(num_players=players, draft=draft, start_player=None, illegal_action=illegal_action)
        api_test(env, num_cycles=400)


@over_variants
def test_seeds(players: int, draft: bool) -> None:
    seed_test(lambda: numberless_v0.env(num_players=players, draft=draft), num_cycles=200)


def test_parallel_conversion() -> None:
    """The order of turns depends on the play, so only the conversion for turn-based games applies."""
    assert NumberlessAECEnv.metadata["is_parallelizable"] is False
    env = turn_based_aec_to_parallel(numberless_v0.env(num_players=5))
    observations, infos = env.reset(seed=4)
    generator = Random(1)
    twin = numberless_v0.env(num_players=5)
    twin.reset(seed=4)
    total = dict.fromkeys(env.possible_agents, 0.0)
    while env.agents:
        agent = twin.agent_selection
        masks = {one: seen["action_mask"] for one, seen in observations.items()}
        assert [one for one, mask in masks.items() if mask.any()] == [agent]
        actions: dict[str, Any] = dict.fromkeys(env.agents)
        actions[agent] = generator.choice(np.flatnonzero(masks[agent]).tolist())
        twin.step(actions[agent])
        observations, rewards, terminations, _, infos = env.step(actions)
        assert rewards == twin.rewards
        for one, reward in rewards.items():
            total[one] += reward
    assert infos
    assert all(terminations.values())
    assert sum(total.values()) == pytest.approx(0.0)
    assert max(total.values()) > 0
    parallel_seed_test(lambda: turn_based_aec_to_parallel(numberless_v0.env()), num_cycles=50)


def test_performance(capsys: pytest.CaptureFixture[str]) -> None:
    """PettingZoo's benchmark runs; it plays for 5 seconds."""
    env = numberless_v0.env(illegal_action="raise")
    performance_benchmark(env)
    assert "turns per second" in capsys.readouterr().out


def test_illegal_action_ends_the_game() -> None:
    env = numberless_v0.env(num_players=4)
    env.reset(seed=1)
    env.step(int(np.argmax(env.observe("player_0")["action_mask"])))
    observed, *_ = env.last()
    assert observed is not None
    env.step(int(np.argmin(observed["action_mask"])))
    assert env.rewards == {"player_0": 0, "player_1": -1.0, "player_2": 0, "player_3": 0}
    assert all(env.terminations.values())
    while env.agents:
        env.step(None)
    env.reset()
    assert not any(env.terminations.values())
    assert env.unwrapped.state_dict()["game"] == 1


@pytest.mark.parametrize("action", [0, 1, 48])
def test_illegal_action_raises(action: int) -> None:
    env = numberless_v0.env(illegal_action="raise")
    env.reset(seed=1, options={"hands": [["AY", "BO", "CY", "DG", "EB", "FP", "GP"], None, None, None]})
    state = env.unwrapped.state_dict()
    with pytest.raises(IllegalActionError, match="not in the hand") as error:
        env.step(action)
    assert all(card in str(error.value) for card in state["hands"][0])
    assert env.unwrapped.state_dict() == state
    for nonsense in (49, -1, "AR", None, 1.5):
        with pytest.raises(ValueError, match="from 0 to 48"):
            env.step(nonsense)


def test_a_pick_is_hidden_until_all_have_picked() -> None:
    """Whatever a seat picks, nobody observes anything of it: not in observations, not in infos."""
    seen: list[Any] = []
    for pick in (0, 3, 6):
        env = NumberlessAECEnv(4)
        env.reset(seed=2)
        hand = np.flatnonzero(env.observe("player_0")["action_mask"]).tolist()
        env.step(hand[pick])
        seen.append(
            [(env.observe(agent)["observation"].tolist(), str(env.infos[agent])) for agent in env.possible_agents[1:]]
        )
    assert seen[0] == seen[1] == seen[2]


def test_nobody_observes_what_is_hidden() -> None:
    """Two games that differ in what a seat does not know look the same to it, all along."""
    env, twin = NumberlessAECEnv(3, False), NumberlessAECEnv(3, False)
    own = ["AR", "AO", "AY", "AG", "AB", "AP", "AW"]
    env.reset(seed=1, options={"hands": [own, ["BR", "BO", "BY", "BG", "BB", "BP", "BW"],
                                         ["CR", "CO", "CY", "CG", "CB", "CP", "CW"]]})  # fmt: skip
    twin.reset(seed=9, options={"hands": [own, ["BR", "DO", "DY", "DG", "DB", "DP", "DW"],
                                          ["CR", "EO", "EY", "EG", "EB", "EP", "EW"]]})  # fmt: skip
    for card in (0, 7, 14):
        for one in (env, twin):
            one.step(card)
        assert (env.observe("player_0")["observation"] == twin.observe("player_0")["observation"]).all()
    assert env.state_dict()["round"] == 1


def test_resets() -> None:
    """A seed starts its first game, none the next; unseeded environments draw training seeds."""
    env = numberless_v0.raw_env()
    env.reset(seed=6)
    first = env.state_dict()
    env.reset()
    assert (env.state_dict()["seed"], env.state_dict()["game"]) == (6, 1)
    assert env.state_dict()["hands"] != first["hands"]
    env.reset(seed=6)
    assert env.state_dict() == first
    seeds = set()
    for _ in range(20):
        env = numberless_v0.raw_env()
        env.reset()
        seeds.add(env.state_dict()["seed"])
    assert len(seeds) == 20
    assert 0 <= min(seeds) <= max(seeds) < 2**30


def test_render() -> None:
    """As the agent to move sees it; nothing of what it cannot know."""
    env = numberless_v0.raw_env(render_mode="ansi")
    env.reset(seed=6)
    generator = Random(1)
    while not any(env.terminations.values()):
        state, text = env.state_dict(), env.render()
        words = text.split()
        seat = state["turn"]
        known = {
            *state["hands"][seat],
            *state["pot"],
            *together(state["played"]),
            *state["drafted"][seat],
        }
        assert set(state["hands"][seat]) <= set(words)
        assert {word.rstrip(",") for word in words} & {name for hand in state["hands"] for name in hand} <= known
        env.step(generator.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()))
    assert "over" in env.render()
    pytest.importorskip("pygame")
    for size in ((640, 480), (300, 500)):
        env = numberless_v0.raw_env(num_players=7, render_mode="rgb_array", render_size=size)
        env.reset(seed=1)
        picture = env.render()
        assert (picture.shape, picture.dtype) == ((size[1], size[0], 3), np.uint8)
        assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 20
    env.close()
