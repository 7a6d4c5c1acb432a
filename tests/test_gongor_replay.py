"""Replays of Gongor Whist: every form gives the game back, and what does not fit is refused with reasons."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eck_env import GongorEnv, replays
from eck_env.base.codes import Packer
from eck_env.base.replay import BaseReplay, ReplayError
from eck_env.eck.replay import Replay as EckReplay
from eck_env.eck.variant import Variant as EckVariant
from eck_env.gongor_whist.replay import RecordReplay, Replay
from eck_env.gongor_whist.replay_forms import FORMS, MAX_ACTIONS
from eck_env.gongor_whist.variant import Variant, make_variant
from game_helpers import GONGOR
from gongor_helpers import CASES, VARIANTS, choose, variant_of


def record_game(env: GongorEnv, generator: Random, **reset: Any) -> Replay:
    """Play so that the game lasts, and return its replay."""
    recorder = RecordReplay(env)
    _, info = recorder.reset(**reset)
    terminated = False
    while not terminated:
        action = choose(np.flatnonzero(info["action_mask"]).tolist(), env.state_dict(), "made", generator)
        _, _, terminated, _, info = recorder.step(action)
    return recorder.replay


def forms(game: BaseReplay) -> list[BaseReplay]:
    """Return a replay as each of its forms gives it back."""
    data = replays.replay_to_data(game)
    return [replays.read_replay(json.dumps(data)), replays.read_replay(replays.replay_to_code(game))]


@pytest.mark.parametrize("options", [None, GONGOR.options], ids=["dealt", "given"])
@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: "-".join(variant.values()))
def test_every_form_gives_the_game_back(
    variant: dict[str, Any], options: dict[str, Any] | None, tmp_path: Path
) -> None:
    game = record_game(GongorEnv(**variant), Random(5), seed=7, options=options)
    assert game.check() == game
    assert game.outcome is not None
    assert game.deal == Replay(make_variant(**variant), 7, 0, (), options or {})
    by_data, by_code = forms(game)
    assert by_data == game
    assert by_code.check() == game
    replays.save_replay(tmp_path / "game.json", game)
    assert replays.load_replay(tmp_path / "game.json") == game
    assert replays.load_replay(replays.replay_to_code(game)).check() == game


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"][:20])
def test_cases_as_replays(case: dict[str, Any]) -> None:
    """With all orders of cards and Aces prescribed."""
    options = {key: case[key] for key in ("passes", "ace_orders")}
    game = Replay(make_variant(**variant_of(case)), 3, 0, tuple(case["actions"]), options)
    assert game.check().outcome == case["outcome"]
    assert forms(game)[1] == game


def test_later_games_of_a_seed() -> None:
    recorder = RecordReplay(GongorEnv())
    recorder.reset(seed=4)
    recorder.reset()
    recorder.reset()
    assert recorder.replay.game == 2
    assert recorder.replay.start()[0].state_dict() == recorder.unwrapped.state_dict()  # type: ignore[attr-defined]


def test_the_longest_game_has_a_code() -> None:
    """A code says nothing about whether its actions are legal, so that this one is as long as any can be."""
    game = Replay(make_variant("first_edition", "pass", 100), 2**62, 2**40, ("twiddle",) * MAX_ACTIONS)
    code = FORMS.to_code(game)
    assert FORMS.read(code) == game


def test_codes_of_deals_are_short() -> None:
    assert len(replays.replay_to_code(Replay(Variant(), 2**30))) < 30


def test_each_game_is_known_by_its_forms() -> None:
    for game in (EckReplay(EckVariant(), 3), Replay(Variant(), 3)):
        assert all(type(read) is type(game) for read in forms(game))
    assert isinstance(replays.read_replay(replays.replay_to_code(Replay(Variant(), 3)).lower()), Replay)


CHANGES: list[tuple[dict[str, Any], str]] = [
    ({"replay": 2}, "version 2"),
    ({"seed": -1}, "seed is -1"),
    ({"actions": "keep"}, "actions must be a list"),
    ({"actions": ["bid 8"]}, "unknown action 'bid 8'"),
    ({"actions": [3]}, "unknown action 3"),
    ({"actions": ["keep"] * (MAX_ACTIONS + 1)}, f"at most {MAX_ACTIONS}"),
    ({"actions": ["9WY"]}, "action 1 of the replay does not fit the rules"),
    ({"cards": []}, "unknown key 'actions'"),  # with both it is read as one of ECK
    ({"outcome": "won"}, "must be one of 'win', 'loss', 'draw' and null"),
    ({"outcome": "win"}, "says that the outcome is 'win', but the game goes on"),
    ({"variant": {"scorng": "two_columns"}}, "did you mean 'scoring'"),
    ({"variant": {"scoring": "columns"}}, "scoring is 'columns'"),
    ({"variant": {"max_hands": 9}}, "max_hands is 9"),
    ({"options": {"hand": ["9WY"]}}, "hand has 1 cards"),
    ({"options": {"deck": []}}, "unknown key 'deck'"),
]


@pytest.mark.parametrize(("changes", "said"), CHANGES, ids=range(len(CHANGES)))
def test_broken_data(changes: dict[str, Any], said: str) -> None:
    data = {"replay": 1, "variant": {}, "seed": 3, "actions": [], **changes}
    with pytest.raises(ReplayError) as caught:
        replays.read_replay(json.dumps(data)).check()
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"), [("GONGOR-", "copied"), ("GONGOR-AA!A", "sign '!'"), ("", "there is no replay"), ("{", "no JSON")]
)
def test_broken_texts(text: str, said: str) -> None:
    with pytest.raises(ReplayError, match=said):
        replays.read_replay(text)


@given(st.lists(st.tuples(st.integers(0, 2**40), st.integers(1, 40)), min_size=1, max_size=80))
def test_no_code_with_a_right_check_sum_breaks_the_reader(parts: list[tuple[int, int]]) -> None:
    packer = Packer()
    packer.add(1, 16)
    for value, bound in parts:
        packer.add(value % bound, bound)
    with contextlib.suppress(ReplayError):
        replays.read_replay(packer.code("GONGOR")).check()
