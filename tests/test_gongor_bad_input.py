"""Keywords, options and states of Gongor Whist that cannot be are refused with what is wrong, and change nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from eck_env import GongorEnv, GongorVectorEnv
from eck_env.gongor_whist.observation import decode
from gongor_helpers import action
from reference.gongor_whist import ACES, PACK

HAND, DUMMY = PACK[:7], PACK[7:14]
MISSING = ...  # a value with a name of its own, as ids of tests must be equal in all processes


def refused(use: Any, parts: tuple[str, ...]) -> None:
    with pytest.raises((ValueError, TypeError)) as error:
        use()
    for part in parts:
        assert part in str(error.value)
    assert len(str(error.value)) < 400


# --- Keywords and options --------------------------------------------------------------------------------------------

KEYWORDS: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    ({"scoring": "shut_box"}, ("scoring", "'shut_box'", "did you mean 'shut_the_box'")),
    ({"scoring": 1}, ("scoring", "1", "two_columns")),
    ({"scoring": None}, ("scoring", "None")),
    ({"aces": "round"}, ("aces", "'round'", "'game'", "'pass'")),
    ({"aces": True}, ("aces", "True")),
    ({"max_hands": 9}, ("max_hands", "9", "8 hands")),
    ({"scoring": "two_columns", "max_hands": 7}, ("max_hands", "7", "two_columns")),
    ({"scoring": "first_edition", "max_hands": 0}, ("max_hands", "0", "1 to 100")),
    ({"scoring": "first_edition", "max_hands": 101}, ("max_hands", "101", "1 to 100")),
    ({"scoring": "first_edition", "max_hands": 8.0}, ("max_hands", "8.0", "integer")),
    ({"scoring": "first_edition", "max_hands": "8"}, ("max_hands", "'8'")),
    ({"scoring": "first_edition", "max_hands": True}, ("max_hands", "True")),
    ({"reward": "points"}, ("reward", "'points'", "'win'", "'score'")),
    ({"reward": 1}, ("reward", "1", "'win'")),
]


@pytest.mark.parametrize(("keywords", "parts"), KEYWORDS, ids=lambda value: str(value)[:50])
def test_keywords(keywords: dict[str, Any], parts: tuple[str, ...]) -> None:
    refused(lambda: GongorEnv(**keywords), parts)
    refused(lambda: GongorVectorEnv(3, **keywords), parts)


OPTIONS: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    ({"hands": HAND}, ("'hands'", "did you mean 'hand'")),
    ({"deck": HAND}, ("'deck'", "passes")),
    ({"hand": HAND[:6]}, ("hand", "6", "7")),
    ({"hand": []}, ("hand", "0", "7")),
    ({"dummy": [*DUMMY, HAND[0]]}, ("dummy", "8", "7")),
    ({"hand": [*HAND[:6], "R2"]}, ("'R2'", "9WY")),
    ({"hand": [*HAND[:6], "9yw"]}, ("'9yw'",)),
    ({"hand": [*HAND[:6], "AM"]}, ("'AM'",)),
    ({"hand": [*HAND[:6], 3]}, ("3",)),
    ({"hand": [*HAND[:6], HAND[0]]}, (HAND[0], "2 times")),
    ({"hand": HAND, "dummy": [*DUMMY[:6], HAND[0]]}, (HAND[0], "2 times", "together")),
    ({"hand": " ".join(HAND)}, ("the text", "list")),
    ({"hand": 7}, ("7", "list")),
    ({"passes": [PACK[:29]]}, ("passes[0]", "29", "30")),
    ({"passes": [PACK, PACK[:28]]}, ("passes[1]", "28")),
    ({"passes": [[*PACK[:29], PACK[0]]]}, (PACK[0], "2 times")),
    ({"passes": PACK}, ("list",)),
    ({"passes": [PACK] * 102}, ("passes", "102", "101")),
    ({"passes": [PACK], "hand": HAND}, ("passes", "either")),
    ({"ace_orders": [ACES[:5]]}, ("ace_orders[0]", "5", "6")),
    ({"ace_orders": [[*ACES[:5], "AM"]]}, ("AM", "2 times")),
    ({"ace_orders": [[*ACES[:5], "9WY"]]}, ("'9WY'", "AM")),
    ({"ace_orders": ACES}, ("list",)),
]


@pytest.mark.parametrize(("options", "parts"), OPTIONS, ids=lambda value: str(value)[:50])
def test_options(options: dict[str, Any], parts: tuple[str, ...]) -> None:
    env = GongorEnv()
    env.reset(seed=17)
    env.step(action("bid 3"))
    before = env.state_dict()
    refused(lambda: env.reset(seed=8, options=options), parts)
    refused(lambda: env.reset(options=options), parts)
    assert env.state_dict() == before
    batch = GongorVectorEnv(3)
    batch.reset(seed=4)
    states = [batch.state_dict(index) for index in range(3)]
    refused(lambda: batch.reset(seed=8, options=options), parts)
    assert [batch.state_dict(index) for index in range(3)] == states


# --- States ----------------------------------------------------------------------------------------------------------


def played(variant: dict[str, Any], steps: int) -> dict[str, Any]:
    """Return the state after so many steps, each the last legal action: high bids, high cards, twiddles."""
    env = GongorEnv(**variant)
    env.reset(seed=17)
    for _ in range(steps):
        env.step(int(np.flatnonzero(env.action_masks())[-1]))
    return env.state_dict()


COLUMNS: dict[str, Any] = {"scoring": "two_columns"}
BASE = played(COLUMNS, 5)
"""In the first hand: two tricks are over, and a card is to be played."""

BROKEN: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    *(
        ({key: MISSING}, (key,))
        for key in BASE
        if key not in ("bid_trump", "reasons", "over", "piles", "passes", "ace_orders")
    ),
    ({"hands": []}, ("'hands'", "hand")),
    ({"hand": BASE["hand"][1:]}, ("hand",)),
    ({"hand": [*BASE["hand"][1:], BASE["dummy"][0]]}, (BASE["dummy"][0], "2 times")),
    ({"hand": [*BASE["hand"][1:], "Z9"]}, ("'Z9'",)),
    ({"hand": None}, ("None", "list")),
    ({"dummy": BASE["dummy"][1:]}, ("dummy",)),
    ({"rest": BASE["rest"][1:]}, ("rest",)),
    ({"seen": BASE["seen"][1:]}, ("seen",)),
    ({"lead": None}, ("dummy",)),
    ({"lead": "R2"}, ("'R2'",)),
    ({"played": BASE["hand"][0]}, (BASE["hand"][0], "2 times")),
    ({"phase": "play"}, ("phase", "'play'", "'card'")),
    ({"phase": "bid"}, ("phase 'bid'", "lead")),
    ({"phase": "twiddle"}, ("phase 'twiddle'",)),
    ({"phase": "over"}, ("phase 'over'",)),
    ({"trump": "X"}, ("trump", "'X'")),
    ({"trump": None}, ("trump", "last Ace turned")),
    ({"aces_seen": []}, ("aces_seen",)),
    ({"aces": BASE["aces"][1:]}, ("all 6 Aces",)),
    ({"aces": [*BASE["aces"][1:], BASE["aces_seen"][0]]}, (BASE["aces_seen"][0], "2 times")),
    ({"aces_seen": BASE["aces_seen"][::-1]}, ("trump",)),
    ({"bid": 8}, ("bid", "8")),
    ({"bid": "3"}, ("bid", "'3'")),
    ({"bid": None}, ("bids_left", "bid None")),
    ({"bids_left": [0, 1]}, ("bids_left", "hand_number 0")),
    ({"bids_left": [*BASE["bids_left"][1:], BASE["bid"]]}, ("bids_left",)),
    ({"bids_left": [0, 0, 1, 2, 3, 4, 5]}, ("bids_left", "0 2 times")),
    ({"tricks_won": 8}, ("tricks_won", "8", "0 to 7")),
    ({"tricks_lost": -1}, ("tricks_lost", "-1")),
    ({"tricks_won": BASE["tricks_won"] + 1}, ("hand",)),
    ({"you": -1}, ("you", "-1")),
    ({"dummys_points": 99}, ("dummys_points", "99")),
    ({"you": 7}, ("you is 7", "after 0 hands")),
    ({"dummys_points": 3}, ("dummys_points 3", "the dummy 0 to 0")),
    ({"hand_number": 8}, ("hand_number", "8", "0 to 7")),
    ({"hand_number": 1}, ("bids_left",)),
    ({"seed": -1}, ("seed", "-1")),
    ({"seed": 2**63}, ("seed",)),
    ({"game": 1.0}, ("game", "1.0")),
    ({"piles": 2}, ("piles", "2")),
    ({"outcome": "won"}, ("outcome", "'won'", "'win'")),
    ({"outcome": "win"}, ("over",)),
    ({"outcome": "win", "over": True}, ("outcome 'win'",)),
    ({"outcome": "draw", "over": True}, ("outcome 'draw'",)),
    ({"outcome": "loss", "reasons": ["points"], "over": True}, ("reasons",)),
    ({"outcome": "loss", "reasons": ["bad luck"], "over": True}, ("'bad luck'",)),
    ({"over": True}, ("over is True",)),
    ({"over": 0}, ("over is 0",)),
    ({"reasons": ["points"]}, ("reasons",)),
    ({"passes": [PACK[:29]]}, ("passes[0]",)),
    ({"ace_orders": [ACES[:5]]}, ("ace_orders[0]",)),
]


@pytest.mark.parametrize(("changes", "parts"), BROKEN, ids=lambda value: str(value)[:50])
def test_broken_states(changes: dict[str, Any], parts: tuple[str, ...]) -> None:
    state = {key: value for key, value in {**BASE, **changes}.items() if value is not MISSING}
    env = GongorEnv(**COLUMNS)
    env.reset(seed=3)
    before = env.state_dict()
    refused(lambda: env.set_state(state), parts)
    assert env.state_dict() == before
    batch = GongorVectorEnv(2, **COLUMNS)
    batch.reset(seed=4)
    states = [batch.state_dict(index) for index in range(2)]
    refused(lambda: batch.set_state(1, state), parts)
    assert [batch.state_dict(index) for index in range(2)] == states


@pytest.mark.parametrize("key", ["bid_trump", "reasons", "over", "piles", "passes", "ace_orders"])
def test_keys_that_may_be_missing(key: str) -> None:
    env = GongorEnv(**COLUMNS)
    env.set_state({name: value for name, value in BASE.items() if name != key})
    assert {**env.state_dict(), "bid_trump": None} == {**BASE, "bid_trump": None}


def test_states_of_another_variant() -> None:
    first = played({"scoring": "first_edition"}, 17)
    assert first["hand_number"] == 1
    refused(lambda: GongorEnv(**COLUMNS).set_state(first), ("you is",))
    refused(lambda: GongorEnv(scoring="first_edition").set_state(BASE), ("bids_left", "every bid is left"))
    lost = played({"scoring": "shut_the_box"}, 13)
    assert lost["outcome"] == "loss"
    refused(lambda: GongorEnv(**COLUMNS).set_state(lost), ("reasons",))


@pytest.mark.parametrize("broken", ["shape", "lead", "trump"])
def test_decode_refuses_what_is_no_observation(broken: str) -> None:
    seen: Any = GongorEnv().reset(seed=1)[0]
    if broken == "shape":
        seen = np.stack([seen, seen])
    elif broken == "lead":
        seen[30:32] = 1
    else:
        seen[120:127] = 0
    with pytest.raises(ValueError, match=r"166|no observation|one-hot"):
        decode(seen)
