"""The rules of Gongor Whist one by one, and each ruling from a to h, by scripted hands.

The replay cases (`cases/gongor_hands.json`, the article's worked example among them) have whole games.
"""

from __future__ import annotations

from typing import Any

import pytest

from eck_env import GongorEnv
from eck_env.gongor_whist.cards import NAMES, card_number, cards_of, set_of
from eck_env.gongor_whist.observation import decode
from eck_env.gongor_whist.rules import beats, dummys_points, legal_cards, you_take, your_points
from eck_env.gongor_whist.variant import SCORINGS
from gongor_helpers import action, legal_names
from reference.gongor_whist import PACK

HAND = ["2SY", "3SK", "4MS", "5SW", "6SY", "8MS", "CS"]
DUMMY = ["9LK", "6LK", "4WL", "8WL", "CL", "2WL", "5ML"]
PASS = [*HAND, *DUMMY, *(card for card in PACK if card not in HAND + DUMMY)]
"""Few of your cards share a suit with the dummy's, so that in most tricks any may be played, and only a trump takes."""
ACES = ["AM", "AW", "AL", "AY", "AK", "AS"]


def start(aces: str = "game", scoring: str = "two_columns", order: list[str] | None = None, **more: Any) -> GongorEnv:
    """Return a game of this pass, with Aces in this order."""
    env = GongorEnv(scoring=scoring, aces=aces, illegal_action="raise", **more)
    piles = [order or ACES] * 5
    env.reset(seed=1, options={"passes": [PASS] * 4, "ace_orders": piles})
    return env


def legal(env: GongorEnv) -> list[str]:
    return legal_names(env.action_masks())


def do(env: GongorEnv, *names: str) -> dict[str, Any]:
    """Take actions and return the last info."""
    for name in names:
        info = env.step(action(name))[4]
    return info


def play_hand(env: GongorEnv, bid: int, twiddles: int = 0) -> dict[str, Any]:
    """Bid, play the first legal card each time, twiddle so often from the start, and return the last info."""
    info = do(env, f"bid {bid}")
    while "hand" not in info:
        choices = legal(env)
        if choices != ["keep", "twiddle"]:
            info = do(env, choices[0])
        else:
            info = do(env, "twiddle" if twiddles > 0 else "keep")
            twiddles -= 1
    return info


# --- The rules of a trick --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lead", "card", "trump", "yours"),
    [
        ("5SW", "6SY", "M", True),  # a higher card that shares a suit
        ("5SW", "4MS", "K", False),  # a lower one
        ("5SW", "9LK", "M", False),  # a higher one that shares none
        ("5SW", "2MK", "M", True),  # a trump beats what is none
        ("5SW", "2MK", "K", True),  # by either of its suits
        ("4MS", "8MS", "S", True),  # of two trumps the higher
        ("8MS", "4MS", "S", False),
        ("3MW", "9MS", "W", False),  # the dummy's trump beats a higher card that follows suit
        ("2MK", "2SY", "L", False),  # equal ranks share no suit
        ("2MK", "2SY", "S", True),  # but one may be a trump
        ("CM", "9MS", "M", False),  # a Crown is the highest
        ("9MS", "CM", "S", False),  # and still no trump
        ("9MS", "CM", None, True),  # with no trump at all
    ],
)
def test_who_takes_a_trick(lead: str, card: str, trump: str | None, yours: bool) -> None:
    suit = 6 if trump is None else "MSWLYK".index(trump)
    assert bool(you_take(card_number(lead), card_number(card), suit)) is yours


def test_what_may_be_played_is_what_shares_a_suit() -> None:
    """Whatever the trump is: it plays no part in that."""
    hand = set_of(map(card_number, HAND))
    names = [NAMES[card] for card in cards_of(legal_cards(hand, card_number("9WY")))]
    assert names == ["2SY", "5SW", "6SY"]
    assert legal_cards(hand, card_number("9LK")) == set_of([card_number("3SK")])
    assert not beats(5, 0b001, 4, 0b110, 3)


# --- Scoring ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bid", range(8))
@pytest.mark.parametrize("taken", range(8))
def test_points(bid: int, taken: int) -> None:
    shut, columns, first = range(len(SCORINGS))
    assert your_points(shut, bid, taken, False) == (1 if bid == taken else 0)
    assert dummys_points(shut, bid, taken) == dummys_points(first, bid, taken) == 0
    fine = {False: 0, True: 2}
    for back in (False, True):
        assert your_points(first, bid, taken, back) == (bid if bid == taken else -taken - fine[back])
        if bid == 0:
            expected = (7, 0) if taken == 0 else (0, taken)
        elif taken < bid:
            expected = (0, bid)
        else:
            expected = (bid, taken - bid)
        assert (your_points(columns, bid, taken, back), dummys_points(columns, bid, taken)) == expected


def test_each_bid_is_made_once_but_in_the_first_edition() -> None:
    for scoring, left in (("two_columns", 7), ("first_edition", 8)):
        env = start(scoring=scoring)
        play_hand(env, 0)
        assert len(legal(env)) == left
        assert ("bid 0" in legal(env)) == (left == 8)


# --- Rulings ---------------------------------------------------------------------------------------------------------


def test_a_one_pile_of_aces_for_the_game() -> None:
    env = start("game")
    play_hand(env, 0, twiddles=2)
    assert env.state_dict()["trump"] == "L"
    play_hand(env, 1)
    assert env.state_dict()["trump"] == "L"  # in the next pass, too
    assert env.state_dict()["aces_seen"] == ["AM", "AW", "AL"]


def test_a_a_new_pile_for_every_pass() -> None:
    env = start("pass")
    play_hand(env, 0, twiddles=2)
    assert env.state_dict()["trump"] == "L"  # the trump goes on to the back hand
    assert env.state_dict()["aces_seen"] == ["AM", "AW", "AL"]
    play_hand(env, 1)
    assert env.state_dict()["trump"] == "M"
    assert env.state_dict()["aces_seen"] == ["AM"]


def test_b_and_f_five_twiddles_and_no_more_with_one_pile() -> None:
    env = start("game")
    do(env, "bid 0")
    for _ in range(5):
        do(env, legal(env)[0])
        assert legal(env) == ["keep", "twiddle"]
        do(env, "twiddle")
    assert env.state_dict()["trump"] == "S"
    do(env, legal(env)[0])
    assert env.state_dict()["phase"] == "card"  # the trick was decided without the question
    assert env.state_dict()["tricks_won"] + env.state_dict()["tricks_lost"] == 6
    for bid in range(1, 8):  # and so for the rest of the game; the trump stays
        while env.state_dict()["phase"] != "bid":
            do(env, legal(env)[0])
        assert env.state_dict()["trump"] == "S"
        do(env, f"bid {bid}")


def test_b_and_f_a_sixth_twiddle_means_no_trump_with_new_piles() -> None:
    env = start("pass")
    info = do(env, "bid 0")
    for _ in range(6):
        info = do(env, legal(env)[0], "twiddle")
    assert info["trick"]["trump"] is None
    assert info["trick"]["taken_by"] == "dummy"
    assert env.state_dict()["trump"] is None
    do(env, legal(env)[0])  # with no trump there is nothing to twiddle
    state = env.state_dict()
    assert (state["hand_number"], state["phase"]) == (1, "bid")
    assert (state["trump"], state["aces_seen"]) == ("M", ["AM"])  # the back hand has a new pile


def test_c_any_card_where_none_shares_a_suit_and_only_a_trump_takes() -> None:
    for trump, taker in (("AS", "you"), ("AM", "dummy")):
        env = start(order=[trump, *(ace for ace in ACES if ace != trump)])
        state = env.state_dict()
        assert state["dummy"][0] == "9LK"
        do(env, "bid 0", "3SK", "keep")  # the only card that shares a suit with 9LK: Knots
        do(env, "2SY", "keep")  # none shares one with 6LK now
        assert env.state_dict()["lead"] == "4WL"
        assert legal(env) == ["5SW"]
        do(env, "5SW", "keep")
        assert len(legal(env)) == 4
        assert do(env, "6SY", "keep")["trick"]["taken_by"] == taker


def test_d_a_hand_is_judged_after_its_seventh_trick() -> None:
    """Although a bid of 7 is out of reach with the first trick lost."""
    env = start(scoring="shut_the_box")
    info = do(env, "bid 7", "3SK", "keep")
    assert info["trick"]["taken_by"] == "dummy"
    for number in range(6):
        assert "outcome" not in info
        info = do(env, legal(env)[0], "keep")
        assert info["trick"], number
    assert (info["outcome"], info["reasons"]) == ("loss", ["missed_bid"])


def near_the_end(you: int, bid: int, taken: int, hand_number: int, max_hands: int) -> GongorEnv:
    """Return a game of the first edition before the last trick of a hand, which the dummy takes."""
    env = start(scoring="first_edition", max_hands=max_hands)
    do(env, f"bid {bid}")
    for _ in range(6):
        do(env, legal(env)[0], "keep")
    state = env.state_dict()
    back = hand_number % 2
    rest, seen = state["rest"], state["seen"]
    env.set_state(
        {
            **state,
            "you": you,
            "tricks_won": taken,
            "tricks_lost": 6 - taken,
            "hand_number": hand_number,
            "rest": rest[14 * back :],
            "seen": seen + rest[: 14 * back],
        }
    )
    return env


@pytest.mark.parametrize(
    ("you", "hand_number", "max_hands", "outcome"),
    [
        (47, 8, 12, "win"),
        (48, 8, 12, "win"),
        (46, 8, 12, None),
        (47, 7, 8, "win"),
        (46, 7, 8, "loss"),
        (47, 8, 9, "win"),
    ],
)
def test_e_fifty_points_win_after_any_hand_the_last_included(
    you: int, hand_number: int, max_hands: int, outcome: str | None
) -> None:
    env = near_the_end(you, 3, 3, hand_number, max_hands)
    info = do(env, legal(env)[0], "keep")
    assert info["trick"]["taken_by"] == "dummy"
    assert info["hand"]["you"] == you + 3
    assert info.get("outcome") == outcome
    assert info.get("reasons", []) == (["max_hands"] if outcome == "loss" else [])


def test_g_a_forced_bid_and_a_forced_card_are_decisions() -> None:
    env = start("game")
    for bid in range(7):
        play_hand(env, bid, twiddles=5 if bid == 0 else 0)
    assert legal(env) == ["bid 7"]
    do(env, "bid 7")
    for left in range(7, 1, -1):
        assert len(env.state_dict()["hand"]) == left
        do(env, legal(env)[0])
    assert legal(env) == env.state_dict()["hand"]
    info = do(env, legal(env)[0])
    assert info["outcome"] in ("win", "loss", "draw")


def test_h_the_cards_of_the_fore_hand_are_known_to_be_out() -> None:
    env = start()
    play_hand(env, 0)
    seen = decode(env.set_state(env.state_dict())[0])
    assert sorted(seen["seen"]) == sorted(HAND + DUMMY)
    assert sorted(seen["hidden"]) == sorted(set(PASS[14:]) - set(seen["hand"]))
    assert len(seen["hidden"]) == 9
    play_hand(env, 1)
    assert decode(env.set_state(env.state_dict())[0])["seen"] == []  # shuffled again
