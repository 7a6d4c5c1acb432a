"""Replays of the game without numbers: all seats' choices, in every form, and what does not fit is refused."""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path
from random import Random
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.agent import make_agent
from eck_env import NumberlessEnv, replays
from eck_env.base.codes import Packer
from eck_env.base.replay import BaseRecorder, BaseReplay, Moment, ReplayError
from eck_env.eck.replay import RecordReplay as EckRecorder
from eck_env.eck.replay import Replay as EckReplay
from eck_env.eck.variant import Variant as EckVariant
from eck_env.gongor_whist.replay import RecordReplay as GongorRecorder
from eck_env.numberless.replay import RecordReplay, Replay
from eck_env.numberless.replay_forms import FORMS, MAX_CHOICES, make_variant
from eck_env.numberless.variant import Variant
from game_helpers import FirstLegal
from numberless_helpers import CASES, VARIANTS, case_actions, case_id, names

STARTS: list[dict[str, Any]] = [{"start_player": 0}, {"start_player": 2}, {"start_player": None}]


def play(env: NumberlessEnv, generator: Random, steps: int = 100, **reset: Any) -> tuple[Replay, list[Moment]]:
    """Play at random, and return the replay, and what was to be seen at each of your decisions and after the last."""
    recorder = RecordReplay(env)
    observation, info = recorder.reset(**reset)
    seen: list[Moment] = []
    while "outcome" not in info and len(seen) < steps:
        action = generator.choice(np.flatnonzero(info["action_mask"]).tolist())
        seen.append(Moment(len(seen), observation, info, names([action])[0], False))
        observation, _, _, _, info = recorder.step(action)
    seen.append(Moment(len(seen), observation, info, None, "outcome" in info))
    return recorder.replay, seen


def forms(game: BaseReplay) -> list[BaseReplay]:
    """Return a replay as each of its forms gives it back."""
    data = replays.replay_to_data(game)
    return [replays.read_replay(json.dumps(data)), replays.read_replay(replays.replay_to_code(game))]


def assert_same(moments: list[Moment], seen: list[Moment]) -> None:
    """Assert that two games are the same to whoever plays them, bit for bit."""
    assert len(moments) == len(seen)
    for moment, other in zip(moments, seen, strict=True):
        assert (moment.number, moment.move, moment.over) == (other.number, other.move, other.over)
        assert np.array_equal(moment.observation, other.observation)
        assert set(moment.info) == set(other.info)
        assert all(np.array_equal(moment.info[key], other.info[key]) for key in moment.info)


@pytest.mark.parametrize("start", STARTS, ids=str)
@pytest.mark.parametrize(("players", "draft"), VARIANTS)
def test_every_form_gives_the_game_back(players: int, draft: bool, start: dict[str, Any], tmp_path: Path) -> None:
    """Against compiled players and agents that draw their own random numbers."""
    variant = make_variant(players, draft)
    agents = [make_agent("random", variant), make_agent("heuristic", variant), "random", "heuristic"]
    generator = Random(players)
    for seed in range(3):
        seated = [generator.choice(agents) for _ in range(players - 1)]
        game, seen = play(NumberlessEnv(players, draft, opponents=seated, **start), generator, seed=seed)
        assert game.variant.opponents == tuple(getattr(one, "name", one) for one in seated)
        assert len(game.choices) >= 7 * players * draft + 14
        assert game.check() == game
        assert_same(list(game.moments()), seen)
        by_data, by_code = forms(game)
        assert by_data == game
        assert by_code.check() == game
    replays.save_replay(tmp_path / "game.json", game)
    assert replays.load_replay(tmp_path / "game.json") == game


@pytest.mark.parametrize("steps", range(12))
def test_a_game_that_goes_on_goes_on(steps: int) -> None:
    """Its replay ends where you are to choose, and playing on from there is the same game."""
    env = NumberlessEnv(5, steps % 2 == 0, start_player=3, opponents="heuristic")
    game, seen = play(env, Random(steps), steps, seed=steps)
    again = list(forms(game)[0].moments())
    assert_same(again, seen)
    assert again[-1].over == (game.outcome is not None)


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_cases_as_replays(case: dict[str, Any]) -> None:
    variant = make_variant(case["players"], case["draft"], case["start_player"], "heuristic")
    choices = tuple(names(card for _, card, _ in case_actions(case)))
    game = Replay(variant, 3, 0, choices, {"deal": names(case["deal"])})
    assert (game.check().outcome or "").removeprefix("shared ") == ("win" if 0 in case["winners"] else "loss")
    assert forms(game)[1] == game


def test_given_cards() -> None:
    hands = [["AR", "BO", "CY", "DG", "EB", "FP", "GW"], None, None]
    game, seen = play(NumberlessEnv(3, start_player=1), Random(2), seed=5, options={"hands": hands, "start_player": 2})
    assert game.deal == Replay(Variant(3, True, 1, ("random", "random")), 5, 0, (), game.options)
    assert_same(list(forms(game)[1].moments()), seen)


def test_later_games_of_a_seed() -> None:
    env = NumberlessEnv(4, False, 2, FirstLegal())
    recorder = RecordReplay(env)
    recorder.reset(seed=4)
    recorder.reset()
    recorder.reset()
    assert (recorder.replay.seed, recorder.replay.game) == (4, 2)
    assert recorder.replay.start()[0].state_dict() == env.state_dict()
    assert len(recorder.replay.choices) == 2


WRONG = [(EckRecorder, "Numberless-v0", "eck_env.numberless.replay.RecordReplay"),
         (EckRecorder, "GongorWhist-v0", "eck_env.gongor_whist.replay.RecordReplay"),
         (GongorRecorder, "Numberless-v0", "eck_env.numberless.replay.RecordReplay"),
         (RecordReplay, "Eck-v0", "eck_env.eck.replay.RecordReplay"),
         (RecordReplay, "GongorWhist-v0", "eck_env.gongor_whist.replay.RecordReplay"),
         (RecordReplay, "CartPole-v1", "only those of the game without numbers, such as NumberlessEnv")]  # fmt: skip


@pytest.mark.parametrize(("recorder", "env_id", "said"), WRONG)
def test_a_recorder_refuses_another_game(recorder: type[BaseRecorder], env_id: str, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"{recorder.__module__}.RecordReplay records ")) as caught:
        recorder(gym.make(env_id))
    assert said in str(caught.value)


def test_nobody_is_asked_by_the_names_in_a_replay() -> None:
    """A replay that names agents plays back what they chose, and needs none of them."""
    game, _ = play(NumberlessEnv(3, opponents=FirstLegal()), Random(1), seed=1)
    named = game.with_variant(make_variant(3, True, 0, ["no/such/policy.onnx", "import os"]))
    assert all(form.check().with_variant(game.variant) == game for form in forms(named))


def test_the_longest_game_has_a_code() -> None:
    game = Replay(
        make_variant(7, True, None, [f"{seat}" * 64 for seat in range(6)]), 2**62, 2**40, ("GW",) * MAX_CHOICES
    )
    assert FORMS.read(FORMS.to_code(game)) == game


def test_codes_of_deals_are_short() -> None:
    assert len(replays.replay_to_code(Replay(Variant(), 2**30))) < 36


def test_each_game_is_known_by_its_forms() -> None:
    for game in (EckReplay(EckVariant(), 3), Replay(Variant(), 3)):
        assert all(type(read) is type(game) for read in forms(game))


FIRST = {"num_players": 3, "draft": False, "start_player": 1, "opponents": "random"}
CHANGES: list[tuple[dict[str, Any], str]] = [
    ({"replay": 2}, "version 2"),
    ({"seed": -1}, "seed is -1"),
    ({"choices": "AR"}, "choices must be a list"),
    ({"choices": ["A1"]}, "unknown card 'A1'"),
    ({"choices": ["AR"] * (MAX_CHOICES + 1)}, f"at most {MAX_CHOICES}"),
    ({"choices": ["AR"]}, "choice 1 of the replay does not fit the rules: action 0, the card AR"),
    (
        {"choices": ["AB", "AB"]},
        "choice 2 of the replay does not fit the rules: AB, chosen at another seat, is illegal",
    ),
    ({"choices": ["AB"]}, "breaks off after choice 1, where another seat is to choose"),
    ({"variant": FIRST}, "breaks off after choice 0, where another seat is to choose"),
    ({"variant": FIRST, "choices": ["AB"]}, "choice 1 of the replay does not fit the rules: AB, chosen at another"),
    ({"cards": []}, "unknown key 'choices'"),  # with both it is read as one of ECK
    ({"outcome": "draw"}, "must be one of 'win', 'loss', 'shared win' and null"),
    ({"outcome": "win"}, "says that the outcome is 'win', but the game goes on"),
    ({"variant": {"num_player": 4}}, "did you mean 'num_players'"),
    ({"variant": {"num_players": 8}}, "num_players is 8, but must be an integer from 3 to 7"),
    ({"variant": {"opponents": ["random"]}}, "opponents has 1 entries, but there are 3 other seats"),
    ({"variant": {"opponents": ["random", "", "random"]}}, "a player of opponents is called ''"),
    ({"variant": {"opponents": 3}}, "opponents is 3"),
    ({"variant": {"start_player": 4}}, "start_player is 4"),
    ({"options": {"hands": [["AR"], None, None, None]}}, "hands[0] has 1 cards"),
    ({"options": {"deck": []}}, "unknown key 'deck'"),
]


@pytest.mark.parametrize(("changes", "said"), CHANGES, ids=range(len(CHANGES)))
def test_broken_data(changes: dict[str, Any], said: str) -> None:
    """In the deal of seed 4 seat 0 of four holds AB, and not AR."""
    data = {"replay": 1, "variant": {}, "seed": 4, "choices": [], **changes}
    with pytest.raises(ReplayError) as caught:
        replays.read_replay(json.dumps(data)).check()
    assert said in str(caught.value)


def test_choices_after_the_end() -> None:
    game, _ = play(NumberlessEnv(3), Random(1), seed=1)
    with pytest.raises(ReplayError, match=f"has {len(game.choices) + 1} choices, but the game was over"):
        game.with_moves((*game.choices, "AR"), None).check()


ANY_CODE = "a code of a game starts with ECK-, GONGOR- or NUMBERLESS-, but this starts with"
BROKEN = [
    ("NUMBERLESS-", "copied"),
    ("number less-", "copied"),
    ("NUMBERLESS-AA!A", "sign '!'"),
    ("NUMBERLES-AAAA", f"{ANY_CODE} 'NUMBERLES-AA'"),
    ("GONGO-AAAA", ANY_CODE),
    ("zzz", f"{ANY_CODE} 'zzz'"),
    ("", "a code, which starts with ECK-, GONGOR- or NUMBERLESS-, or the contents"),
    ("[]", "this is no replay: a replay is a JSON object"),
]


@pytest.mark.parametrize(("text", "said"), BROKEN)
def test_broken_codes(text: str, said: str) -> None:
    with pytest.raises(ReplayError, match=said):
        replays.read_replay(text)


@given(st.lists(st.tuples(st.integers(0, 2**40), st.integers(1, 50)), min_size=1, max_size=80))
def test_no_code_with_a_right_check_sum_breaks_the_reader(parts: list[tuple[int, int]]) -> None:
    packer = Packer()
    packer.add(1, 16)
    for value, bound in parts:
        packer.add(value % bound, bound)
    with contextlib.suppress(ReplayError):
        replays.read_replay(packer.code("NUMBERLESS")).check()
