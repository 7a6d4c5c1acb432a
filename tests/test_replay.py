"""Replays: recorded games are played again, whatever form they took; what does not fit is refused with reasons."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from random import Random
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eck_env import EckEnv
from eck_env.base.codes import Packer, Unpacker
from eck_env.eck.cards import NAMES
from eck_env.eck.replay import RecordReplay, Replay, ReplayError
from eck_env.eck.replay_forms import (
    MAX_BYTES,
    MAX_CARDS,
    load_replay,
    read_replay,
    replay_from_data,
    replay_to_code,
    replay_to_data,
    replay_to_json,
    save_replay,
)
from eck_env.eck.variant import TRICK_CARDS, Variant, make_variant
from eck_helpers import ID_KEYWORDS, dealt

GIVEN = {"trick_cards": {"8": "gray", "2": "yours"}, "counter": "1"}


def record_game(env: EckEnv, generator: Random, cards: int = 10_000, **reset: Any) -> Replay:
    """Play at random and return the replay."""
    recorder = RecordReplay(env)
    _, info = recorder.reset(**reset)
    for _ in range(cards):
        _, _, terminated, _, info = recorder.step(generator.choice(np.flatnonzero(info["action_mask"]).tolist()))
        if terminated:
            break
    return recorder.replay


@pytest.fixture(scope="module")
def game() -> Replay:
    return record_game(EckEnv(target=2), Random(1), seed=11)


# --- There and back --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("env_id", list(ID_KEYWORDS))
@pytest.mark.parametrize("options", [None, GIVEN])
def test_every_form_gives_the_game_back(env_id: str, options: dict[str, Any] | None) -> None:
    if options and env_id == "EckHard-v0":
        options = {"trick_cards": {"12": "gray", "2": "yours"}, "counter": "1"}
    if options and env_id == "EckBeginner-v0":
        options = {"counter": "2"}
    env = EckEnv(**ID_KEYWORDS[env_id])
    for seed in (3, 2**30, 2**63 - 1):
        replay = record_game(env, Random(seed), seed=seed, options=options)
        assert replay.outcome in ("win", "loss")
        assert replay.check() == replay
        assert read_replay(replay_to_json(replay)) == replay
        assert replay_from_data(replay_to_data(replay)) == replay
        code = replay_to_code(replay)
        assert read_replay(code).check() == replay
        assert read_replay(code.lower().replace("-", "  ")).check() == replay
        assert len(code) < 40 + 1.5 * len(replay.cards)


def test_codes_of_deals_are_short() -> None:
    assert len(replay_to_code(Replay(Variant(), 2**30 - 1))) <= 25
    assert replay_to_code(Replay(Variant(), 2**30 - 1)) != replay_to_code(Replay(Variant(), 2**30 - 2))


def test_later_games_of_a_seed() -> None:
    env = EckEnv()
    record_game(env, Random(1), seed=5)
    for number in (1, 2, 3):
        replay = record_game(env, Random(number))
        assert (replay.seed, replay.game) == (5, number)
        assert read_replay(replay_to_code(replay)).check() == replay
    options = record_game(env, Random(1), options=GIVEN)
    assert options.game == 4
    assert read_replay(replay_to_json(options)).check() == options


def test_given_cards_and_shuffles() -> None:
    env = EckEnv()
    env.reset(seed=9)
    hand, deck = dealt(env.state_dict())
    options = {"hand": hand[::-1], "deck": deck, "shuffles": [["R2", "K", "K"], deck], **GIVEN}
    replay = Replay(Variant(), 1, 0, (), options)
    for form in (replay_to_code(replay), replay_to_json(replay)):
        again = read_replay(form)
        assert again == replay
        started, _, _ = again.start()
        assert sorted(started.state_dict()["hand"]) == sorted(hand)
        assert started.state_dict()["shuffles"] == options["shuffles"]


def test_an_unfinished_game_and_a_deal(game: Replay) -> None:
    for count in (0, 1, 13, len(game.cards) - 1):
        part = Replay(game.variant, game.seed, game.game, game.cards[:count])
        assert read_replay(replay_to_code(part)).check() == part
        assert part.check().outcome is None
    assert game.deal == Replay(game.variant, game.seed)


def test_moments_are_those_of_the_game(game: Replay) -> None:
    env = EckEnv(target=2)
    observation, info = env.reset(seed=11)
    for number, moment in enumerate(game.moments()):
        assert moment.number == number
        assert (moment.observation == observation).all()
        assert {key: str(value) for key, value in moment.info.items()} == {
            key: str(value) for key, value in info.items()
        }
        assert moment.over == (moment.move is None) == (number == len(game.cards))
        if moment.move is not None:
            observation, _, _, _, info = env.step(NAMES.index(moment.move))


@given(
    st.integers(1, 7), st.sets(st.sampled_from(TRICK_CARDS), min_size=1), st.sampled_from(["any", "same"]),
    st.integers(0, 2**63 - 1), st.integers(0, 2**62), st.lists(st.sampled_from(NAMES), max_size=MAX_CARDS),
)  # fmt: skip
def test_codes_hold_anything(
    target: int, laid: set[str], follow: str, seed: int, number: int, cards: list[str]
) -> None:
    variant = make_variant(min(target, len(laid)), sorted(laid), follow)
    replay = Replay(variant, seed, number, tuple(cards))
    assert read_replay(replay_to_code(replay)) == replay
    assert read_replay(replay_to_json(replay)) == replay


def test_packed_numbers() -> None:
    packer = Packer()
    numbers = [0, 1, 14, 15, 16, 224, 225, 10**6, 2**63 - 1, 0, 0]
    for number in numbers:
        packer.number(number)
    packer.add(37, 38)
    reader = Unpacker(packer.code("ECK"), "ECK")
    assert [reader.number(2**63) for _ in numbers] == numbers
    assert reader.take(38) == 37
    reader.finish()
    with pytest.raises(ValueError, match="38"):
        packer.add(38, 38)
    large = Packer()
    large.number(10**30)
    reader = Unpacker(large.code("ECK"), "ECK")
    with pytest.raises(ValueError, match="above 5"):
        reader.number(5)


def test_files(tmp_path: Path, game: Replay) -> None:
    path = tmp_path / "game.json"
    save_replay(path, game)
    assert load_replay(path) == load_replay(str(path)) == game
    assert load_replay(replay_to_code(game)).check() == game
    assert list(tmp_path.iterdir()) == [path]
    path.write_text(replay_to_code(game))
    assert load_replay(path).check() == game
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ReplayError, match=r"game\.json"):
        load_replay(path)
    path.write_text("{")
    with pytest.raises(ReplayError, match=r"game\.json.*JSON"):
        load_replay(path)
    with pytest.raises(FileNotFoundError):
        load_replay(tmp_path / "none.json")


def test_recording_through_wrappers() -> None:
    env = RecordReplay(gym.make("EckHard-v0"))
    with pytest.raises(gym.error.ResetNeeded):
        _ = env.replay
    _, info = env.reset(seed=4)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    env.step(int(np.argmax(info["action_mask"])))
    assert len(env.replay.cards) == 1
    env.step(illegal)
    assert len(env.replay.cards) == 1
    assert env.replay.variant == make_variant(3, ("2", "4", "12", "13/0"))
    assert env.replay.check().outcome is None


# --- What is refused -------------------------------------------------------------------------------------------------


BROKEN: list[tuple[str, str]] = [
    ("", "there is no replay"),
    ("   ", "there is no replay"),
    ("hello", "starts with ECK-"),
    ("[1, 2]", "this is no replay: a replay is a JSON object"),
    ("[]", "this is no replay: a replay is a JSON object"),
    ("{", "no JSON"),
    ("{}", "lacks replay, variant, seed, cards"),
    ('{"a":' * 20_000, "more|no JSON|signs"),
    ('{"a":' * 2_000, "no JSON|nested"),
    ("ECK-", "check sum|copied"),
    ("ECK-0000", "check sum|copied"),
    ("ECK-AAAA-AAAA", "check sum|copied"),
    ("ECK-AA!A", "sign '!'"),
    ("ECK-" + "A" * 5000, "4096"),
    ("x" * (MAX_BYTES + 1), "at most"),
]


@pytest.mark.parametrize(("text", "said"), BROKEN, ids=range(len(BROKEN)))
def test_broken_texts(text: str, said: str) -> None:
    with pytest.raises(ReplayError, match=said):
        read_replay(text)


CHANGES: list[tuple[dict[str, Any], str]] = [
    ({"replay": 2}, "version 2"),
    ({"replay": True}, "version True"),
    ({"replay": "1"}, "version '1'"),
    ({"seed": -1}, "seed is -1"),
    ({"seed": "1"}, "seed is '1'"),
    ({"seed": 1.0}, "seed is 1.0"),
    ({"seed": 2**63}, "seed"),
    ({"game": None}, "game is None"),
    ({"game": 2**62 + 1}, "game"),
    ({"cards": "R2"}, "cards must be a list"),
    ({"cards": {"R2": 1}}, "card"),
    ({"cards": ["R7"]}, "unknown card 'R7'"),
    ({"cards": [3]}, "unknown card 3"),
    ({"cards": ["R2"] * 274}, "274 cards, but a game has at most 273"),
    ({"cards": None}, "cards"),
    ({"variant": {}, "outcome": "draw"}, "outcome is 'draw'"),
    ({"variant": None}, "variant is None"),
    ({"variant": {"target": 8}}, "target is 8"),
    ({"variant": {"target": None}}, "target must be an integer"),
    ({"variant": {"targt": 4}}, "did you mean 'target'"),
    ({"variant": {"trick_cards": ["3"]}}, "unknown trick card '3'"),
    ({"variant": {"circle_follow": "none"}}, "circle_follow is 'none'"),
    ({"options": []}, "options is"),
    ({"options": {"hands": []}}, "did you mean 'hand'"),
    ({"options": {"hand": ["R2"]}}, "hand has 1 cards"),
    ({"options": {"hand": ["R2"] * 13}}, "R2 13 times"),
    ({"options": {"counter": "X"}}, "counter is 'X'"),
    ({"options": {"trick_cards": {"8": "eck"}}}, "ends the game"),
    ({"options": {"trick_cards": {"3": "gray"}}}, "trick card '3'"),
    ({"options": {"shuffles": 3}}, "shuffles must be a list"),
    ({"eck_env": 3}, "eck_env is 3"),
    ({"extra": 1}, "unknown key 'extra'"),
    ({"outcome": "win"}, "says that the outcome is 'win'"),
]


@pytest.mark.parametrize(("changes", "said"), CHANGES, ids=range(len(CHANGES)))
def test_broken_data(changes: dict[str, Any], said: str) -> None:
    data = {"replay": 1, "variant": {}, "seed": 3, "cards": [], **changes}
    for read in (replay_from_data, lambda data: read_replay(json.dumps(data))):
        with pytest.raises(ReplayError) as caught:
            read(data).check()
        assert said in str(caught.value)


@pytest.mark.parametrize("data", [None, 3, "text", [], [1]])
def test_data_of_another_kind(data: Any) -> None:
    with pytest.raises(ReplayError, match="JSON object"):
        replay_from_data(data)


def test_cards_that_do_not_fit(game: Replay) -> None:
    state = game.start()[0].state_dict()
    absent = next(card for card in NAMES if card not in state["hand"])
    for cards, said in (
        ((absent,), "card 1 of the replay does not fit.*not in your hand"),
        ((*game.cards[:20], "K", "K", "K", "K"), "card 2[1-4] of the replay does not fit"),
        ((*game.cards, "R2"), rf"over \({game.outcome}\) after {len(game.cards)}"),
    ):
        with pytest.raises(ReplayError, match=said):
            Replay(game.variant, game.seed, 0, cards).check()
    other = "loss" if game.outcome == "win" else "win"
    with pytest.raises(ReplayError, match=other):
        Replay(game.variant, game.seed, 0, game.cards, {}, other).check()


def test_a_wrong_sign_is_noticed(game: Replay) -> None:
    """Nearly always: of a million changes one gets past the check sum, and then meets the rules."""
    code = replay_to_code(game)
    generator, missed = Random(1), 0
    for _ in range(3000):
        place = generator.randrange(4, len(code))
        if code[place] == "-":
            continue
        changed = code[:place] + generator.choice("0123456789ABCDEFGHJKMNPQRSTVWXYZ") + code[place + 1 :]
        if changed == code:
            continue
        with contextlib.suppress(ReplayError):
            missed += read_replay(changed) != game
    assert missed == 0


@given(st.text(max_size=200))
def test_no_text_breaks_the_reader(text: str) -> None:
    for full in (text, "ECK-" + text, "{" + text):
        with contextlib.suppress(ReplayError):
            read_replay(full).check()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(NAMES),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["replay", "variant", "seed", "game", "options", "cards", "outcome"]), JSON))
def test_no_data_break_the_reader(data: dict[str, Any]) -> None:
    with contextlib.suppress(ReplayError):
        replay_from_data({"replay": 1, "variant": {}, "seed": 1, "cards": [], **data}).check()


@given(st.lists(st.tuples(st.integers(0, 2**40), st.integers(1, 40)), min_size=1, max_size=80))
def test_no_code_with_a_right_check_sum_breaks_the_reader(parts: list[tuple[int, int]]) -> None:
    packer = Packer()
    packer.add(1, 16)
    for value, bound in parts:
        packer.add(value % bound, bound)
    with contextlib.suppress(ReplayError):
        read_replay(packer.code("ECK")).check()
