"""States that cannot be are refused by `set_state`, with what is wrong; nothing has then changed."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from eck_env import EckEnv, EckVectorEnv
from eck_helpers import last_trick, plain
from game_helpers import play_on
from reference.eck import CARDS

KEYS = (
    "hand", "face_down", "face_up", "lead", "leader", "tied", "tricks_won", "tricks_lost", "trick_cards", "counter",
    "round", "game", "seed", "outcome",
)  # fmt: skip
MISSING = object()


def base() -> dict[str, Any]:
    """Return a state in the middle of a round; you have taken some tricks, and ECK leads."""
    env = EckEnv()
    env.reset(seed=17)
    generator = Random(1)
    while True:
        play_on(env, generator, 1)
        state = env.state_dict()
        if state["lead"] is not None and state["tricks_won"] >= 2 and state["face_up"] and not state["tied"]:
            return state


BASE = base()
STATUSES = BASE["trick_cards"]
OTHER = next(card for card in BASE["face_down"] if card not in ("K", "W"))

BROKEN: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    *(({key: MISSING}, (key,)) for key in KEYS),
    ({"hands": []}, ("'hands'", "hand")),
    ({"extra": 1}, ("'extra'",)),
    # Cards
    ({"hand": BASE["hand"][1:]}, ("hand",)),
    ({"hand": []}, ("hand",)),
    ({"hand": None}, ("None", "list")),
    ({"hand": "".join(BASE["hand"])}, ("the text", "list")),
    ({"hand": [*BASE["hand"][1:], "Z9"]}, ("'Z9'",)),
    ({"hand": [*BASE["hand"][1:], 5]}, ("5",)),
    ({"hand": [*BASE["hand"][1:], OTHER]}, (OTHER, "2 times")),
    ({"hand": ["K"] * len(BASE["hand"])}, ("K",)),
    ({"face_down": BASE["face_down"][1:]}, ("face_down",)),
    ({"face_down": [*BASE["face_down"], BASE["hand"][0]]}, (BASE["hand"][0],)),
    ({"face_down": 3}, ("3", "list")),
    ({"face_up": BASE["face_up"][1:]}, ("face_up",)),
    ({"face_up": None}, ("None", "list")),
    ({"face_up": [*BASE["face_up"][1:], "W", "W", "W", "W"]}, ("W",)),
    ({"lead": None}, ("lead",)),
    ({"lead": "R7"}, ("'R7'",)),
    ({"lead": 3}, ("3",)),
    ({"lead": OTHER}, (OTHER, "2 times")),
    ({"leader": "you"}, ("lead", "'you'")),
    ({"leader": "ECK"}, ("leader", "'ECK'", "'eck'")),
    ({"leader": 1}, ("leader", "1", "'eck'")),
    ({"leader": None}, ("leader", "None")),
    # Counts
    ({"tied": -1}, ("tied", "-1")),
    ({"tied": 1}, ("13",)),
    ({"tied": 14}, ("tied", "14")),
    ({"tied": 0.0}, ("tied", "0.0")),
    ({"tied": False}, ("tied", "False")),
    ({"tricks_won": BASE["tricks_won"] + 1}, ("13",)),
    ({"tricks_won": -1}, ("tricks_won", "-1")),
    ({"tricks_won": 14}, ("tricks_won", "14")),
    ({"tricks_won": "2"}, ("tricks_won", "'2'")),
    ({"tricks_lost": 20}, ("tricks_lost", "20")),
    ({"tricks_lost": None}, ("tricks_lost", "None")),
    # The table
    ({"trick_cards": {name: status for name, status in STATUSES.items() if name != "8"}}, ("8",)),
    ({"trick_cards": {**STATUSES, "3": "colored"}}, ("'3'",)),
    ({"trick_cards": {**STATUSES, "8": "grey"}}, ("'8'", "'grey'", "'gray'")),
    ({"trick_cards": {**STATUSES, "8": None}}, ("'8'", "None")),
    ({"trick_cards": {**STATUSES, "13/0": "gray"}}, ("13/0",)),
    ({"trick_cards": {**STATUSES, "8": "eck"}}, ("loss",)),
    ({"trick_cards": dict.fromkeys(STATUSES, "yours")}, ("win",)),
    ({"trick_cards": list(STATUSES)}, ("trick_cards",)),
    ({"trick_cards": None}, ("trick_cards", "None")),
    ({"counter": "X"}, ("loss",)),
    ({"counter": 0}, ("counter", "0", "'0'")),
    ({"counter": "4"}, ("counter", "'4'", "'X'")),
    ({"counter": None}, ("counter", "None")),
    # Numbers
    ({"round": -1}, ("round", "-1")),
    ({"round": 1.0}, ("round", "1.0")),
    ({"game": -1}, ("game", "-1")),
    ({"game": "0"}, ("game", "'0'")),
    ({"game": 2**63}, ("game", str(2**63))),
    ({"seed": -5}, ("seed", "-5")),
    ({"seed": 2**63}, ("seed", str(2**63))),
    ({"seed": 1.5}, ("seed", "1.5")),
    ({"seed": None}, ("seed", "None")),
    ({"reshuffles": -1}, ("reshuffles", "-1")),
    ({"reshuffles": 1000}, ("reshuffles", "1000")),
    ({"reshuffles": "1"}, ("reshuffles", "'1'")),
    # How it stands
    ({"outcome": "draw"}, ("outcome", "'draw'", "'win'", "'loss'")),
    ({"outcome": "win"}, ("win",)),
    ({"outcome": "loss", "reasons": [], "over": True}, ("reasons",)),
    ({"outcome": "loss", "reasons": ["counter"], "over": True}, ("reasons", "counter")),
    ({"outcome": "loss", "reasons": ["bad luck"], "over": True}, ("'bad luck'", "'counter'")),
    ({"outcome": "loss", "reasons": ["illegal_action"], "over": False}, ("over", "False")),
    ({"reasons": ["counter"]}, ("reasons", "counter")),
    ({"reasons": "counter"}, ("reason",)),
    ({"reasons": None}, ("reason", "None")),
    ({"over": True}, ("over",)),
    ({"over": "no"}, ("over", "'no'")),
    ({"over": None}, ("over", "None")),
    ({"shuffles": "R2"}, ("shuffles", "list")),
    ({"shuffles": [["R2", "R2"]]}, ("shuffles[0]", "R2")),
    ({"shuffles": [["R9"]]}, ("'R9'",)),
    ({"shuffles": None}, ("shuffles", "None")),
]


def broken(changes: dict[str, Any]) -> dict[str, Any]:
    state = {**BASE, **changes}
    return {key: value for key, value in state.items() if value is not MISSING}


def identify(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {'missing' if part is MISSING else part}" for key, part in value.items())[:60]
    return "-"


@pytest.mark.parametrize(("changes", "parts"), BROKEN, ids=identify)
def test_broken_states(changes: dict[str, Any], parts: tuple[str, ...]) -> None:
    env, batch = EckEnv(), EckVectorEnv(2)
    env.reset(seed=3)
    batch.reset(seed=3)
    before, mask = env.state_dict(), env.action_masks()
    with pytest.raises((ValueError, TypeError)) as error:
        env.set_state(broken(changes))
    for part in parts:
        assert part in str(error.value)
    assert env.state_dict() == before
    assert (env.action_masks() == mask).all()
    with pytest.raises((ValueError, TypeError)):
        batch.set_state(1, broken(changes))
    assert batch.state_dict(0) == before
    assert (batch.action_masks()[0] == mask).all()
    env.step(int(np.argmax(mask)))


@pytest.mark.parametrize("state", [None, [], "state", 3])
def test_no_states_at_all(state: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="state"):
        EckEnv().set_state(state)


def test_states_of_another_variant() -> None:
    """Other trick cards are refused by name."""
    with pytest.raises(ValueError, match="'6' is not laid out"):
        EckEnv(target=2, trick_cards=("2", "4")).set_state(BASE)
    state = {**BASE, "trick_cards": {"2": "colored", "4": "colored"}}
    with pytest.raises(ValueError, match="6"):
        EckEnv().set_state(state)


def finished(**changes: Any) -> dict[str, Any]:
    """Return the state after the last trick of a game lost by the counter, changed."""
    env = EckEnv()
    env.reset(seed=3)
    state, action = last_trick(env.state_dict(), 7)
    env.set_state({**state, "counter": "2"})
    env.step(action)
    return {**env.state_dict(), **changes}


IMPOSSIBLE: dict[str, dict[str, Any]] = {
    "over and lost by no cause": finished(outcome=None, reasons=[], over=False),
    "lost by the counter that shows 2": finished(counter="2"),
    "lost by the counter, but not said so": finished(reasons=["eck_card"]),
    "an illegal action without a hand": finished(counter="2", reasons=["illegal_action"]),
    "won without the cards": finished(outcome="win", reasons=[], counter="0"),
    "ECK leads a trick after the last": finished(leader="eck", lead="K"),
    "tricks set aside after the last": finished(tied=1, tricks_won=6),
    "13/0 taken by ECK": finished(trick_cards={**STATUSES, "13/0": "eck"}, reasons=["eck_card", "counter"]),
    "two cards taken by ECK": finished(
        trick_cards={**STATUSES, "8": "eck", "6": "eck"}, reasons=["eck_card", "counter"]
    ),
    "lost in the middle of a round": {**BASE, "counter": "X", "outcome": "loss", "reasons": ["counter"], "over": True},
    "you lead the first trick": {
        **BASE, "hand": CARDS[:13], "face_down": CARDS[13:], "face_up": [], "lead": None, "leader": "you",
        "tied": 0, "tricks_won": 0, "tricks_lost": 0,
    },
    "won in the middle of a round": {
        **BASE, "trick_cards": dict.fromkeys(STATUSES, "yours"), "outcome": "win", "over": True,
    },
}  # fmt: skip


@pytest.mark.parametrize("state", IMPOSSIBLE.values(), ids=IMPOSSIBLE.keys())
def test_impossible_states(state: dict[str, Any]) -> None:
    env = EckEnv()
    env.reset(seed=3)
    before = env.state_dict()
    with pytest.raises(ValueError, match=r"."):
        env.set_state(state)
    assert env.state_dict() == before


@pytest.mark.parametrize(
    "keys", [("reasons", "over", "reshuffles", "shuffles"), ("over",), ("shuffles",), ("reasons",)]
)
def test_keys_that_may_be_missing(keys: tuple[str, ...]) -> None:
    """A state of the documented keys alone is whole enough to play on."""
    for state in (BASE, finished()):
        env, twin = EckEnv(), EckEnv()
        reduced = {key: value for key, value in state.items() if key not in keys}
        assert plain(env.set_state(reduced)) == plain(twin.set_state(state))
        assert env.state_dict() == {**state, "reshuffles": env.state_dict()["reshuffles"]}
