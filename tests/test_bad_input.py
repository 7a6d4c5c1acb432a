"""Bad input gets an error that names the value and what is allowed, and changes nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

from eck_env import EckEnv, EckVectorEnv
from eck_env.base.env import GameEnv
from eck_helpers import plain
from game_helpers import ECK, Kit, over_games, play_on
from reference.eck import ALL, CARDS

HAND, DECK = CARDS[:13], CARDS[13:]


def refused(use: Callable[[], Any], *parts: str) -> None:
    """Check that the call is refused with a ValueError or TypeError whose message has all these parts."""
    with pytest.raises((ValueError, TypeError)) as error:
        use()
    for part in parts:
        assert part in str(error.value)


def snapshot(env: GameEnv) -> Any:
    """Return all that can be told of an environment, its next game included."""
    copied = env.copy()
    copied.reset()
    return env.state_dict(), plain(env.action_masks()), copied.state_dict()


def in_play(kit: Kit = ECK, **keywords: Any) -> Any:
    """Return an environment in the middle of a game; ECK's in its second round."""
    env = kit.env(**keywords)
    env.reset(seed=17)
    play_on(env, Random(1), 16 if kit is ECK else 6)
    return env


# --- Keywords --------------------------------------------------------------------------------------------------------

KEYWORDS: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    ({"target": 8}, ("target", "8", "1 to 7")),
    ({"target": 0}, ("target", "0", "1 to 7")),
    ({"target": -1}, ("target", "-1", "1 to 7")),
    ({"target": 1.5}, ("target", "1.5", "1 to 7")),
    ({"target": 4.0}, ("target", "4.0", "integer")),
    ({"target": True}, ("target", "True", "1 to 7")),
    ({"target": "4"}, ("target", "'4'", "1 to 7")),
    ({"target": None}, ("target", "None", "1 to 7")),
    ({"target": 3, "trick_cards": ("2", "4")}, ("target", "3", "2 trick card(s)")),
    ({"target": 1, "trick_cards": ()}, ("target", "1", "0 trick card(s)")),
    ({"trick_cards": ("2", "4", "5", "6")}, ("'5'", "13/0")),
    ({"trick_cards": ("2", "4", "13", "6")}, ("'13'", "13/0")),
    ({"trick_cards": (2, 4, 6, 8)}, ("2", "as strings")),
    ({"trick_cards": ("2", "2", "4", "6", "8")}, ("'2'", "2 times")),
    ({"trick_cards": "2468"}, ("trick_cards", "'2468'", "list")),
    ({"trick_cards": "13/0", "target": 1}, ("trick_cards", "'13/0'", "list")),
    ({"trick_cards": 4}, ("trick_cards", "4", "list")),
    ({"circle_follow": "sme"}, ("circle_follow", "'sme'", "'same'")),
    ({"circle_follow": None}, ("circle_follow", "None", "'same'")),
    ({"reward": "wins"}, ("reward", "'wins'", "did you mean 'win'")),
    ({"reward": 1}, ("reward", "1", "'win'")),
    ({"episode": "match"}, ("episode", "'match'", "'game'", "'round'")),
]
SHARED_KEYWORDS: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    ({"observation": "plane"}, ("observation", "'plane'", "'flat'", "'dict'")),
    ({"observation": None}, ("observation", "None", "'flat'")),
    ({"dtype": "int16"}, ("dtype", "'int16'", "'int8'", "'float32'")),
    ({"dtype": np.int8}, ("dtype", "'int8'", "'float32'")),
    ({"illegal_action": "forfiet"}, ("illegal_action", "'forfiet'", "did you mean 'forfeit'")),
    ({"illegal_action": True}, ("illegal_action", "True", "'raise'")),
    ({"render_mode": "human2"}, ("render_mode", "'human2'", "'ansi'")),
    ({"render_mode": 1}, ("render_mode", "1", "'ansi'")),
]
VECTOR_KEYWORDS: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    ({"num_envs": 0}, ("num_envs", "0")),
    ({"num_envs": -2}, ("num_envs", "-2")),
    ({"num_envs": 2.0}, ("num_envs", "2.0")),
    ({"num_envs": True}, ("num_envs", "True")),
    ({"num_envs": "3"}, ("num_envs", "'3'")),
    ({"autoreset_mode": "NEXT"}, ("autoreset_mode", "'NEXT'", "NEXT_STEP", "SAME_STEP", "DISABLED")),
    ({"autoreset_mode": None}, ("autoreset_mode", "None", "NEXT_STEP")),
    ({"info": "all"}, ("info", "'all'", "'mask'", "'full'")),
]


@pytest.mark.parametrize(("keywords", "parts"), KEYWORDS, ids=lambda value: str(value)[:50])
def test_keywords(keywords: dict[str, Any], parts: tuple[str, ...]) -> None:
    refused(lambda: EckEnv(**keywords), *parts)
    refused(lambda: EckVectorEnv(3, **keywords), *parts)


@over_games
@pytest.mark.parametrize(("keywords", "parts"), SHARED_KEYWORDS, ids=lambda value: str(value)[:50])
def test_keywords_of_every_game(kit: Kit, keywords: dict[str, Any], parts: tuple[str, ...]) -> None:
    refused(lambda: kit.env(**keywords), *parts)
    refused(lambda: kit.vector_env(3, **keywords), *parts)


@over_games
@pytest.mark.parametrize(("keywords", "parts"), VECTOR_KEYWORDS, ids=lambda value: str(value)[:50])
def test_keywords_of_the_vector_environment(kit: Kit, keywords: dict[str, Any], parts: tuple[str, ...]) -> None:
    refused(lambda: kit.vector_env(**keywords), *parts)


@over_games
def test_what_was_refused_can_be_closed(kit: Kit) -> None:
    """Gymnasium 1.1 closes a vector environment when it is deleted, also one that was never made."""
    kit.vector_env.__new__(kit.vector_env).close_extras()


# --- Seeds and options -----------------------------------------------------------------------------------------------


@over_games
@pytest.mark.parametrize("seed", [-1, -(2**40), 2**63, 2**64, 1.0, 1.5, "1", True, [1], np.float64(2)])
def test_seeds(kit: Kit, seed: Any) -> None:
    env = in_play(kit)
    before = snapshot(env)
    refused(lambda: env.reset(seed=seed), "seed", str(seed))
    assert snapshot(env) == before
    batch = kit.vector_env(3)
    batch.reset(seed=4)
    states = [batch.state_dict(index) for index in range(3)]
    for seeds in (seed, [0, seed, None]):
        if seeds != [1]:
            refused(lambda seeds=seeds: batch.reset(seed=seeds), "seed")  # type: ignore[misc]
    refused(lambda: batch.reset(seed=[1, 2]), "seeds", "2", "3")
    assert [batch.state_dict(index) for index in range(3)] == states


def swapped(cards: list[str], place: int, card: str) -> list[str]:
    return [*cards[:place], card, *cards[place + 1 :]]


OPTIONS: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    ({"hands": HAND}, ("'hands'", "did you mean 'hand'", "deck")),
    ({"seed": 3}, ("'seed'", "hand")),
    ({"reset_maks": 3}, ("'reset_maks'",)),
    ({"hand": HAND[:12]}, ("hand", "12", "13")),
    ({"hand": [*HAND, DECK[0]]}, ("hand", "14", "13")),
    ({"hand": []}, ("hand", "0", "13")),
    ({"deck": []}, ("deck", "0", "29")),
    ({"deck": DECK[:28]}, ("deck", "28", "29")),
    ({"hand": swapped(HAND, 0, "Q7")}, ("'Q7'", "R2")),
    ({"hand": swapped(HAND, 0, "r2")}, ("'r2'", "R2")),
    ({"hand": swapped(HAND, 0, "R7")}, ("'R7'", "2, 3, 4, 5, 6, 8")),
    ({"hand": [*HAND[:12], 12]}, ("12", "R2")),
    ({"hand": [*HAND[:12], None]}, ("None", "R2")),
    ({"hand": swapped(HAND, 0, HAND[1])}, (HAND[1], "2 times")),
    ({"hand": HAND, "deck": swapped(DECK, 0, HAND[1])}, (HAND[1], "2 times")),
    ({"deck": swapped(DECK, 0, "K")}, ("K", "4 times")),
    ({"hand": " ".join(HAND)}, ("list", "the text")),
    ({"hand": 13}, ("13", "list")),
    ({"counter": "X"}, ("counter", "'X'", "'0'", "'2'")),
    ({"counter": 1}, ("counter", "1", "'1'")),
    ({"counter": "3"}, ("counter", "'3'", "'2'")),
    ({"counter": None}, ("counter", "None")),
    ({"trick_cards": {"3": "gray"}}, ("'3'", "13/0")),
    ({"trick_cards": {8: "gray"}}, ("8", "13/0")),
    ({"trick_cards": {"8": "grey"}}, ("'8'", "'grey'", "'gray'")),
    ({"trick_cards": {"8": "eck"}}, ("eck",)),
    ({"trick_cards": {"13/0": "gray"}}, ("13/0", "gray")),
    ({"trick_cards": dict.fromkeys(ALL[:4], "yours")}, ("4", "win")),
    ({"trick_cards": ["8"]}, ("trick_cards", "['8']")),
    ({"trick_cards": None}, ("trick_cards", "None")),
    ({"shuffles": "R2"}, ("shuffles", "list")),
    ({"shuffles": ["R2", "R3"]}, ("shuffles", "list")),
    ({"shuffles": 3}, ("shuffles", "3")),
    ({"shuffles": [3]}, ("3", "list")),
    ({"shuffles": [["R2", "R2"]]}, ("shuffles[0]", "R2", "2 times")),
    ({"shuffles": [["R2"], ["R9"]]}, ("'R9'",)),
    ({"shuffles": [CARDS[:30]]}, ("shuffles[0]", "30", "29")),
]


@pytest.mark.parametrize(("options", "parts"), OPTIONS, ids=lambda value: str(value)[:50])
def test_options(options: dict[str, Any], parts: tuple[str, ...]) -> None:
    env = in_play()
    before = snapshot(env)
    refused(lambda: env.reset(seed=8, options=options), *parts)
    assert snapshot(env) == before
    refused(lambda: env.reset(options=options), *parts)
    assert snapshot(env) == before
    env.step(int(np.argmax(env.action_masks())))
    batch = EckVectorEnv(3)
    batch.reset(seed=4)
    states, masks = [batch.state_dict(index) for index in range(3)], batch.action_masks()
    refused(lambda: batch.reset(seed=8, options=options), *parts)
    assert [batch.state_dict(index) for index in range(3)] == states
    assert (batch.action_masks() == masks).all()


@over_games
@pytest.mark.parametrize("mask", [[True, False, True], np.array([1, 0, 1]), np.array([True]), np.zeros(3, bool), "all"])
def test_reset_masks(kit: Kit, mask: Any) -> None:
    batch = kit.vector_env(3, autoreset_mode="DISABLED")
    batch.reset(seed=4)
    states = [batch.state_dict(index) for index in range(3)]
    refused(lambda: batch.reset(options={"reset_mask": mask}), "reset_mask")
    assert [batch.state_dict(index) for index in range(3)] == states


@over_games
def test_options_that_no_game_has(kit: Kit) -> None:
    env = in_play(kit)
    before = snapshot(env)
    wrong: list[Any] = [{"seed": 3}, {"reset_maks": 3}, {3: 4}, {"hnad": []}]
    for options in wrong:
        refused(lambda options=options: env.reset(seed=8, options=options), repr(next(iter(options))))  # type: ignore[misc]
    assert snapshot(env) == before


@over_games
def test_a_failed_first_reset_leaves_no_game(kit: Kit) -> None:
    env = kit.env()
    refused(lambda: env.reset(seed=3, options={"cuonter": "X"}), "'cuonter'")
    with pytest.raises(Exception, match="reset"):
        env.state_dict()


WRONG_ORDERS = {
    "too few": lambda order: order[1:],
    "too many": lambda order: [*order, "R2"],
    "another card": lambda order: ["R2", *order[1:]],
}


def before_a_reshuffle() -> dict[str, Any]:
    """Return a state in which you lead a circle, and every card of ECK's deck is face up."""
    hand = ["R2", "R3", "R4", "R5", "R6", "R8", "K"]
    rest = [card for card in CARDS if card not in (*hand, "W")][:23]
    cards = {"hand": hand, "face_down": [], "face_up": rest, "lead": None, "leader": "you", "tricks_won": 6}
    state: dict[str, Any] = in_play().state_dict()
    return state | {"tricks_lost": 0, "tied": 0, "reshuffles": 0} | cards


@pytest.mark.parametrize("wrong", WRONG_ORDERS.values(), ids=WRONG_ORDERS.keys())
def test_shuffles_that_do_not_fit_the_cards_left(wrong: Callable[[list[str]], list[str]]) -> None:
    """They are found out when it comes to the shuffle; the card has then not been played."""
    state = before_a_reshuffle()
    state["shuffles"] = [wrong(list(state["face_up"]))]
    env = EckEnv()
    env.set_state(state)
    state, mask = env.state_dict(), env.action_masks()
    for _ in range(2):
        refused(lambda: env.step(36), "shuffles[0]")
        assert env.state_dict() == state
        assert (env.action_masks() == mask).all()
    batch = EckVectorEnv(3)
    batch.reset(seed=4)
    batch.set_state(1, state)
    states, masks = [batch.state_dict(index) for index in range(3)], batch.action_masks()
    actions = np.argmax(masks, axis=1)
    actions[1] = 36
    refused(lambda: batch.step(actions), "shuffles[0]", "game 1")
    assert [batch.state_dict(index) for index in range(3)] == states
    assert (batch.action_masks() == masks).all()


# --- Actions and arrays ----------------------------------------------------------------------------------------------

ACTIONS = [
    -1,
    "one too many",
    99,
    1.0,
    2.5,
    "R2",
    None,
    [1],
    np.float64(3.0),
    np.array([1, 2]),
    np.array([]),
    np.array([1.0]),
    True,
]


@over_games
@pytest.mark.parametrize("illegal_action", ["forfeit", "raise"])
@pytest.mark.parametrize("action", ACTIONS, ids=repr)
def test_actions(kit: Kit, action: Any, illegal_action: str) -> None:
    """What is no action at all is an error, not a forfeit."""
    env = in_play(kit, illegal_action=illegal_action)
    before = snapshot(env)
    wrong = kit.num_actions if isinstance(action, str) and action == "one too many" else action
    refused(lambda: env.step(wrong), "action", str(kit.num_actions - 1))
    assert snapshot(env) == before


BATCH_ACTIONS = [
    3, [1, 2], [[1, 2, 3]], [1.0, 2.0, 3.0], ["R2", "R3", "R4"], [True, False, True], None, [0, 99, 0], [0, -1, 0],
    np.array([0, 2**64 - 1, 0], np.uint64), np.zeros((3, 1), int),
]  # fmt: skip


@over_games
@pytest.mark.parametrize("illegal_action", ["forfeit", "raise"])
@pytest.mark.parametrize("actions", BATCH_ACTIONS, ids=repr)
def test_actions_of_a_batch(kit: Kit, actions: Any, illegal_action: str) -> None:
    batch = kit.vector_env(3, illegal_action=illegal_action)
    batch.reset(seed=4)
    states = [batch.state_dict(index) for index in range(3)]
    refused(lambda: batch.step(actions), "action")
    assert [batch.state_dict(index) for index in range(3)] == states


@over_games
def test_out_arrays_that_do_not_fit(kit: Kit) -> None:
    size = kit.size
    for out in (np.zeros(size - 1, np.int8), np.zeros(size), np.zeros((1, size), np.int8), [0] * size):
        env = in_play(kit)
        before = snapshot(env)
        action = int(np.argmax(env.action_masks()))
        refused(lambda env=env, action=action, out=out: env.step(action, out=out), "out", str(size))  # type: ignore[misc]
        assert snapshot(env) == before
        refused(lambda env=env, out=out: env.reset(out=out), "out", str(size))  # type: ignore[misc]
        assert snapshot(env) == before


def test_messages_are_short() -> None:
    for keywords, _ in KEYWORDS:
        with pytest.raises((ValueError, TypeError)) as error:
            EckEnv(**keywords)
        assert re.fullmatch(r".{10,300}", str(error.value))
