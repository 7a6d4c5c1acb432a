"""Properties of every state of ECK: cards, tricks, masks, observations; and of what can be done with a state."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eck_env import EckEnv, EckVectorEnv, decode
from eck_helpers import all_variants, choose, pack_of, plain, reshuffled
from game_helpers import play_on
from reference.eck import CARDS, KINDS, kind, settle

CASES = Path(__file__).parent / "cases"
RESHUFFLES: list[dict[str, Any]] = [
    case for case in json.loads((CASES / "eck_rounds.json").read_text("utf-8")) if case["shuffles"]
]

quick = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])

variants = st.sampled_from(all_variants())
seeds = st.one_of(st.integers(0, 2**63 - 1), st.integers(0, 100))
styles = st.sampled_from(["any", "low", "high"])
lengths = st.integers(0, 60)
generators = st.builds(Random, st.integers(0, 2**32))

PUBLIC = (
    "hand", "face_up", "lead", "leader", "tied", "tricks_won", "tricks_lost", "trick_cards", "counter", "round", "game",
    "outcome", "reasons", "over", "reshuffles",
)  # fmt: skip


def advance(env: EckEnv, style: str, length: int, generator: Random) -> None:
    """Play so many steps from here, into the next game if need be, but stop with a game that goes on."""
    for _ in range(length):
        legal = np.flatnonzero(env.action_masks()).tolist()
        if env.step(choose(legal, style, generator))[2]:
            env.reset()


def somewhere(variant: dict[str, Any], seed: int, style: str, length: int, generator: Random) -> EckEnv:
    """Return an environment in the middle of a game."""
    env = EckEnv(**variant)
    env.reset(seed=seed)
    advance(env, style, length, generator)
    return env


def observed(env: EckEnv) -> Any:
    """Return observation and mask as they stand, by way of an environment of the same state."""
    return plain(env.copy().set_state(env.state_dict()))


def future(env: EckEnv, seed: int) -> list[Any]:
    """Return all that happens until the end of this game and in the two games after it, by seeded play."""
    generator = Random(seed)
    records = play_on(env, generator)
    for _ in range(2):
        records.append(plain(env.reset()))
        records += play_on(env, generator)
    return records


# --- Cards, tricks, masks, observations ------------------------------------------------------------------------------


@quick
@given(variants, seeds, styles, generators)
def test_cards_and_tricks_are_conserved(variant: dict[str, Any], seed: int, style: str, generator: Random) -> None:
    env = EckEnv(**variant)
    env.reset(seed=seed)
    played: Counter[str] = Counter()
    terminated = False
    while not terminated:
        state = env.state_dict()
        assert pack_of(state) + played == Counter(CARDS)
        assert state["tricks_won"] + state["tricks_lost"] + state["tied"] + len(state["hand"]) == 13
        assert len(state["hand"]) + len(state["face_down"]) + len(state["face_up"]) > 0
        assert (state["leader"] == "eck") == (state["lead"] is not None)
        assert state["trick_cards"].keys() == set(variant["trick_cards"])
        _, _, terminated, _, info = env.step(choose(np.flatnonzero(env.action_masks()).tolist(), style, generator))
        played += Counter([info["trick"]["lead"], info["trick"]["follow"]])
        if "round" in info:
            assert played.total() == 26
            assert info["round"]["tricks_won"] in range(14)
            played.clear()
    state = env.state_dict()
    assert (state["hand"], state["tied"], state["lead"]) == ([], 0, None)
    assert state["tricks_won"] + state["tricks_lost"] == 13


@quick
@given(variants, seeds, styles, lengths, generators)
def test_mask(variant: dict[str, Any], seed: int, style: str, length: int, generator: Random) -> None:
    """You must follow the suit led if you can: a color, or with ``circle_follow="same"`` a kind of circle too."""
    env = somewhere(variant, seed, style, length, generator)
    state = env.state_dict()
    hand, suit = state["hand"], (state["lead"] or "-")[0]
    asked = [card for card in hand if card[0] == suit and (suit not in "KW" or variant["circle_follow"] == "same")]
    assert {KINDS[action] for action in np.flatnonzero(env.action_masks())} == set(asked or hand)


@quick
@given(variants, seeds, styles, lengths, generators, st.sampled_from(["flat", "dict"]))
def test_decode(
    variant: dict[str, Any], seed: int, style: str, length: int, generator: Random, observation: str
) -> None:
    """Decoding an observation gives the state back as far as the player knows it."""
    env = somewhere({**variant, "observation": observation}, seed, style, length, generator)
    state = env.state_dict()
    known = {key: state[key] for key in PUBLIC if key not in ("round", "game", "outcome", "reasons", "over")}
    del known["reshuffles"]
    to_come = 13 - state["tricks_won"] - state["tricks_lost"]
    expected = known | {
        "face_down": sorted(state["face_down"], key=kind),
        "target": variant["target"],
        "prospects": [
            effects(state["tricks_won"] + more, state["trick_cards"], state["counter"], variant["target"])
            for more in range(to_come + 1)
        ],
    }
    seen, _ = env.set_state(state)
    decoded = decode(seen)
    assert decoded == expected
    assert json.loads(json.dumps(decoded)) == decoded


def effects(tricks: int, trick_cards: dict[str, str], counter: str, target: int) -> list[str]:
    """Return what taking so many tricks does, by the slow reference."""
    end = settle(tricks, trick_cards, counter, target)
    happens = {
        "win": end.outcome == "win",
        "collect": end.collected is not None,
        "fail": end.collected is None,
        "gray": end.turned_gray is not None,
        "lose": end.outcome == "loss",
    }
    return [name for name, is_so in happens.items() if is_so]


@quick
@given(variants, seeds, generators)
def test_decode_at_the_end(variant: dict[str, Any], seed: int, generator: Random) -> None:
    """The last observation of a game shows the round as it ended, and no prospects."""
    env = EckEnv(**variant)
    env.reset(seed=seed)
    play_on(env, generator)
    state = env.state_dict()
    decoded = decode(env.set_state(state)[0])
    assert decoded["prospects"] == []
    assert decoded["trick_cards"] == state["trick_cards"]
    assert decoded["counter"] == state["counter"]
    assert (decoded["hand"], decoded["tricks_won"]) == ([], state["tricks_won"])


@pytest.mark.parametrize("broken", ["shape", "counter", "lead"])
def test_decode_refuses_what_is_no_observation(broken: str) -> None:
    seen: Any = EckEnv().reset(seed=1)[0]
    if broken == "shape":
        seen = np.stack([seen, seen])
    elif broken == "counter":
        seen[184:188] = 1
    else:
        seen[38:76] = 1
    with pytest.raises(ValueError, match=r"259|one-hot"):
        decode(seen)


# --- States ----------------------------------------------------------------------------------------------------------


@quick
@given(variants, seeds, styles, lengths, generators, st.integers(0, 1000))
def test_state_round_trip(
    variant: dict[str, Any], seed: int, style: str, length: int, generator: Random, play: int
) -> None:
    """A state goes through JSON into another environment and has the same future there, later games included."""
    env = somewhere(variant, seed, style, length, generator)
    state = env.state_dict()
    text = json.dumps(state)
    other = EckEnv(**variant)
    assert plain(other.set_state(json.loads(text))) == observed(env)
    assert other.state_dict() == state
    assert json.dumps(other.state_dict()) == text
    assert (other.action_masks() == env.action_masks()).all()
    assert future(other, play) == future(env, play)


@pytest.mark.parametrize("number", range(len(RESHUFFLES)))
@pytest.mark.parametrize("batched", [False, True])
def test_round_trip_with_prescribed_shuffles(number: int, batched: bool) -> None:
    """At every trick of a round with shuffles to come: the same future, whatever the shuffles are called by then."""
    case = RESHUFFLES[number]
    env = EckEnv()
    env.reset(seed=1, options={key: case[key] for key in ("hand", "deck", "shuffles")})
    for played, card in enumerate(case["plays"]):
        state = json.loads(json.dumps(env.state_dict()))
        assert state["shuffles"] == case["shuffles"][state["reshuffles"] :]
        if batched:
            batch = EckVectorEnv(2)
            batch.reset(seed=90)
            batch.set_state(1, state)
            other = batch.copy(1)
        else:
            other = EckEnv()
            other.set_state(state)
        assert other.state_dict() == state
        copied = env.copy()
        for later in case["plays"][played:]:
            one, two = other.step(kind(later)), copied.step(kind(later))
            assert plain(one[4]) == plain(two[4])
            assert other.state_dict() == copied.state_dict()
        assert one[4]["round"]["tricks_won"] == case["you_took"]
        if played in (0, 12):
            assert future(other, 3) == future(copied, 3)
        env.step(kind(card))


@pytest.mark.parametrize("number", range(4))
def test_reshuffle_numbers_survive(number: int) -> None:
    """The next reshuffle of a restored state has the order of its own number, not that of the first one."""
    hand = ["R2", "R3", "R4", "R5", "R6", "R8", "K"]
    rest = [card for card in CARDS if card not in (*hand, "W")][:23]
    env = EckEnv()
    env.reset(seed=12345)
    env.reset()
    cards = {"hand": hand, "face_down": [], "face_up": rest, "lead": None, "leader": "you", "tricks_won": 6}
    state = env.state_dict() | cards | {"round": 3, "reshuffles": number}
    env.set_state(json.loads(json.dumps(state)))
    assert env.state_dict() == state
    order = reshuffled(12345, 1, 3, number, rest)
    trick = env.step(kind("K"))[4]["trick"]
    assert (trick["follow"], trick["taken_by"]) == (order[0], "you")
    assert env.state_dict()["face_down"] == order[1:]
    assert env.state_dict()["reshuffles"] == number + 1


@quick
@given(variants, seeds, styles, lengths, generators, st.integers(0, 1000))
def test_copy_is_independent(
    variant: dict[str, Any], seed: int, style: str, length: int, generator: Random, play: int
) -> None:
    env = somewhere(variant, seed, style, length, generator)
    state = env.state_dict()
    copied, again = env.copy(), env.copy()
    expected = future(copied, play)
    assert env.state_dict() == state
    assert again.state_dict() == state
    assert future(env, play) == expected
    assert again.state_dict() == state
    assert future(again, play) == expected


def test_copy_before_the_first_reset() -> None:
    """A copy of an environment that has drawn no seed yet draws the same one."""
    env = EckEnv()
    env.np_random = np.random.default_rng(5)
    copied = env.copy()
    env.reset()
    copied.reset()
    assert copied.state_dict() == env.state_dict()


# --- Determinizing ---------------------------------------------------------------------------------------------------


@quick
@given(variants, seeds, styles, lengths, generators, st.integers(0, 1000))
def test_determinize_changes_only_what_is_hidden(
    variant: dict[str, Any], seed: int, style: str, length: int, generator: Random, play: int
) -> None:
    env = somewhere(variant, seed, style, length, generator)
    state, seen = env.state_dict(), observed(env)
    same = env.copy()
    same.determinize(np.random.default_rng(play))
    env.determinize(np.random.default_rng(play))
    after = env.state_dict()
    assert after == same.state_dict()
    assert {key: after[key] for key in PUBLIC} == {key: state[key] for key in PUBLIC}
    assert Counter(after["face_down"]) == Counter(state["face_down"])
    assert after["seed"] != state["seed"]
    assert after["shuffles"] == []
    assert observed(env) == seen
    assert after.keys() == state.keys()
    assert 0 <= after["seed"] < 2**63
    assert future(env, play) == future(same, play)


def test_determinize_replaces_the_future() -> None:
    """After it the next round, the next game and a reshuffle come out otherwise than before."""
    env = EckEnv()
    case = RESHUFFLES[0]
    env.reset(seed=1, options={key: case[key] for key in ("hand", "deck", "shuffles")})
    other = env.copy()
    other.determinize(np.random.default_rng(0))
    assert other.state_dict()["shuffles"] == []
    assert other.state_dict()["face_down"] != env.state_dict()["face_down"]
    one, two = future(env, 1), future(other, 1)
    assert one != two
    env.reset()
    other.reset()
    assert env.state_dict()["hand"] != other.state_dict()["hand"]


def test_determinize_draws_every_order_alike() -> None:
    """Each face-down card comes to lie on top equally often."""
    env = EckEnv()
    env.reset(seed=4)
    generator = np.random.default_rng(8)
    tops: Counter[str] = Counter()
    draws, expected = 4200, Counter(env.state_dict()["face_down"])
    for _ in range(draws):
        env.determinize(generator)
        tops[env.state_dict()["face_down"][0]] += 1
    assert tops.keys() == expected.keys()
    for card, count in expected.items():
        assert abs(tops[card] - draws * count / 28) < 5 * (draws * count / 28) ** 0.5
