"""The replay cases of Gongor Whist against reference, single environment and batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from eck_env import GongorEnv, GongorVectorEnv
from eck_env.gongor_whist.cards import RANKS, SUIT_LETTERS
from eck_env.gongor_whist.rules import beats
from gongor_helpers import CASES, TRICK_CASES, GivenSource, action, case_id, legal_names, variant_of
from reference.gongor_whist import ReferenceGame, winner

REWARDS = {None: 0.0, "win": 1.0, "loss": -1.0, "draw": 0.0}
HAND_KEYS = ("trump", "bid", "taken", "you", "dummy")
"""Of a case's hand, what an info tells at its end."""


def setup(case: dict[str, Any]) -> dict[str, Any]:
    return {key: case[key] for key in ("passes", "ace_orders")}


def told_hands(infos: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the hands that infos tell of, as a case lists them."""
    hands: list[dict[str, Any]] = []
    tricks: list[dict[str, Any]] = []
    for info in infos:
        if "trick" in info:
            tricks.append(info["trick"])
        if "hand" in info:
            assert info["hand"]["number"] == len(hands)
            hands.append({key: info["hand"][key] for key in HAND_KEYS} | {"tricks": tricks})
            tricks = []
    assert not tricks
    return hands


@pytest.mark.parametrize("case", TRICK_CASES, ids=case_id)
def test_the_winner_rule_alone(case: dict[str, Any]) -> None:
    """With cards that no deck has."""

    def rank(card: str) -> int:
        return RANKS.index(card[0])

    def suits(card: str) -> int:
        return sum(1 << SUIT_LETTERS.index(letter) for letter in card[1:])

    lead, follow, trump = case["lead"], case["follow"], case["trump"]
    wins = beats(rank(follow), suits(follow), rank(lead), suits(lead), SUIT_LETTERS.index(trump))
    assert wins is (case["taken_by"] == "you")
    assert winner(lead, follow, trump) == case["taken_by"]


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_reference(case: dict[str, Any]) -> None:
    game = ReferenceGame(GivenSource(case["passes"], case["ace_orders"]), **variant_of(case))
    infos = []
    for name, legal in zip(case["actions"], case["legal"], strict=True):
        assert game.legal() == legal
        step = game.act(name)
        infos.append({key: part for key, part in (("trick", step.trick), ("hand", step.hand)) if part})
    assert told_hands(infos) == case["hands"]
    assert (game.you, game.dummy, game.outcome) == (case["you"], case["dummy"], case["outcome"])


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_single_environment(case: dict[str, Any]) -> None:
    env = GongorEnv(**variant_of(case))
    _, info = env.reset(seed=3, options=setup(case))
    infos = []
    for number, (name, legal) in enumerate(zip(case["actions"], case["legal"], strict=True)):
        assert legal_names(info["action_mask"]) == legal
        _, reward, terminated, truncated, info = env.step(action(name))
        infos.append(info)
        last = number == len(case["actions"]) - 1
        outcome = case["outcome"] if last else None
        assert (reward, terminated, truncated) == (REWARDS[outcome], outcome is not None, False)
    assert told_hands(infos) == case["hands"]
    state = env.state_dict()
    assert (state["you"], state["dummys_points"], state["outcome"]) == (case["you"], case["dummy"], case["outcome"])
    assert info.get("outcome") == case["outcome"]


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_from_state_to_state(case: dict[str, Any]) -> None:
    """Every state of a case, prescribed orders to come included, goes through its notation."""
    env, other = GongorEnv(**variant_of(case)), GongorEnv(**variant_of(case))
    seen, info = env.reset(seed=3, options=setup(case))
    for name in case["actions"]:
        again, told = other.set_state(env.state_dict())
        assert other.state_dict() == env.state_dict()
        assert (again == seen).all()
        assert (told["action_mask"] == info["action_mask"]).all()
        seen, _, _, _, info = env.step(action(name))
        assert (other.step(action(name))[0] == seen).all()
    assert other.state_dict() == env.state_dict()


def test_all_cases_in_one_batch() -> None:
    """Those of one variant, each in a game slot of its own."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for case in CASES:
        groups.setdefault(tuple(sorted(variant_of(case).items())), []).append(case)
    for variant, cases in groups.items():
        count = len(cases)
        env = GongorVectorEnv(count, autoreset_mode="DISABLED", info="full", **dict(variant))
        env.reset(seed=3)
        for index, case in enumerate(cases):
            env.reset(options={"reset_mask": np.arange(count) == index, **setup(case)})
        for number in range(max(len(case["actions"]) for case in cases)):
            masks = env.action_masks()
            actions = np.argmax(masks, axis=1)
            for index, case in enumerate(cases):
                if number < len(case["actions"]):
                    assert legal_names(masks[index]) == case["legal"][number]
                    actions[index] = action(case["actions"][number])
            terminated = env.step(actions)[2]
            for index, case in enumerate(cases):
                if number == len(case["actions"]) - 1:
                    assert terminated[index] == (case["outcome"] is not None)
                    assert env.points[index].tolist() == [case["you"], case["dummy"]]
            if terminated.any():
                env.reset(options={"reset_mask": terminated})


def test_the_cases_cover_every_end() -> None:
    ends = {(case["scoring"], case["outcome"]) for case in CASES}
    assert ends >= {
        ("shut_the_box", "win"), ("shut_the_box", "loss"), ("two_columns", "win"), ("two_columns", "loss"),
        ("two_columns", "draw"), ("first_edition", "win"), ("first_edition", "loss"),
    }  # fmt: skip
    assert TRICK_CASES
