"""The replay cases against the environments: rounds from given cards, and games from given counts of tricks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eck_env import EckEnv, EckVectorEnv
from eck_helpers import NUM_ACTIONS, last_trick, legal_actions
from reference.eck import ALL, KINDS, kind

CASES = Path(__file__).parent / "cases"
ROUNDS: list[dict[str, Any]] = json.loads((CASES / "eck_rounds.json").read_text("utf-8"))
GAMES: list[dict[str, Any]] = json.loads((CASES / "eck_games.json").read_text("utf-8"))
TRICK_KEYS = ("leader", "lead", "follow", "taken_by")


def round_id(case: dict[str, Any]) -> str:
    return f"{ROUNDS.index(case)}-{case['case'].replace(':', '').replace(' ', '-')}"


def game_id(case: dict[str, Any]) -> str:
    return f"{GAMES.index(case)}-target-{case['target']}-{'-'.join(map(str, case['results']))}"


def setup(case: dict[str, Any]) -> dict[str, Any]:
    return {key: case[key] for key in ("hand", "deck", "shuffles")}


def variant(case: dict[str, Any]) -> dict[str, Any]:
    return {"target": case["target"], "trick_cards": case["trick_cards"]}


def legal_kinds(trick: dict[str, Any]) -> list[int]:
    return [kind(card) for card in trick["legal"]]


# --- Rounds ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", ROUNDS, ids=round_id)
def test_round(case: dict[str, Any]) -> None:
    env = EckEnv()
    _, info = env.reset(seed=3, options=setup(case))
    state = env.state_dict()
    assert sorted(state["hand"]) == sorted(case["hand"])
    assert [state["lead"], *state["face_down"]] == case["deck"]
    assert state["shuffles"] == case["shuffles"]
    for number, (card, expected) in enumerate(zip(case["plays"], case["tricks"], strict=True)):
        assert legal_actions(info) == legal_kinds(expected)
        before = env.state_dict()
        _, reward, terminated, _, info = env.step(kind(card))
        assert {key: info["trick"][key] for key in TRICK_KEYS} == {key: expected[key] for key in TRICK_KEYS}
        assert info["trick"]["turned_over"] == passed_over(before, info["trick"], case["shuffles"])
        assert (reward, terminated) == (0.0, False)
        assert ("round" in info) == (number == len(case["plays"]) - 1)
    assert info["round"]["tricks_won"] == case["you_took"]
    after = env.state_dict()
    assert (after["round"], after["shuffles"], after["reshuffles"]) == (1, [], 0)


def passed_over(before: dict[str, Any], trick: dict[str, Any], shuffles: list[list[str]]) -> list[str]:
    """Return the cards that lay above the one ECK followed with; the case's next shuffle comes when they run out."""
    if trick["leader"] == "eck" or trick["lead"] in ("K", "W"):
        return []
    order: list[str] = list(before["face_down"])
    if trick["follow"] not in order:
        order += shuffles[before["reshuffles"]] if before["face_up"] else []
    fits = [card[0] == trick["lead"][0] or card[1:] == trick["lead"][1:] or card in "KW" for card in order]
    return order[: fits.index(True)] if any(fits) else order


def test_all_rounds_in_one_batch() -> None:
    """Each game slot of the vector environment plays another case, with its own shuffles."""
    count = len(ROUNDS)
    env = EckVectorEnv(count, autoreset_mode="DISABLED", info="full")
    env.reset(seed=3)
    for index, case in enumerate(ROUNDS):
        chosen = np.arange(count) == index
        _, infos = env.reset(options={"reset_mask": chosen, **setup(case)})
        assert infos["_action_mask"].tolist() == chosen.tolist()
    masks = env.action_masks()
    for number in range(13):
        for index, case in enumerate(ROUNDS):
            assert np.flatnonzero(masks[index]).tolist() == legal_kinds(case["tricks"][number])
        _, rewards, terminated, _, infos = env.step(np.array([kind(case["plays"][number]) for case in ROUNDS]))
        assert not rewards.any()
        assert not terminated.any()
        for index, case in enumerate(ROUNDS):
            for key in TRICK_KEYS:
                assert infos["trick"][key][index] == case["tricks"][number][key]
        masks = env.action_masks()
    assert infos["round"]["tricks_won"].tolist() == [case["you_took"] for case in ROUNDS]


@pytest.mark.parametrize("mode", ["NEXT_STEP", "SAME_STEP"])
@pytest.mark.parametrize("case", ROUNDS[::5], ids=round_id)
def test_round_in_every_slot(case: dict[str, Any], mode: str) -> None:
    """Options without a mask go to all slots alike."""
    env = EckVectorEnv(3, autoreset_mode=mode, info="full")
    env.reset(seed=8, options=setup(case))
    for card, expected in zip(case["plays"], case["tricks"], strict=True):
        assert [np.flatnonzero(mask).tolist() for mask in env.action_masks()] == [legal_kinds(expected)] * 3
        infos = env.step(np.full(3, kind(card)))[4]
        assert [infos["trick"]["taken_by"][index] for index in range(3)] == [expected["taken_by"]] * 3
    assert infos["round"]["tricks_won"].tolist() == [case["you_took"]] * 3


# --- Games -----------------------------------------------------------------------------------------------------------


def check_end(info: dict[str, Any], state: dict[str, Any], expected: dict[str, Any], before: dict[str, Any]) -> None:
    """Compare the end of a round with the case: the table afterwards, and what the info says of the change."""
    assert state["trick_cards"] == expected["trick_cards"]
    assert state["counter"] == info["round"]["counter"] == expected["counter"]
    assert state["outcome"] == info.get("outcome") == expected["outcome"]
    assert state["reasons"] == info.get("reasons", []) == expected["reasons"]
    assert ("outcome" in info) == ("reasons" in info) == (expected["outcome"] is not None)
    assert "illegal_action" not in info
    changes = {"collected": "yours", "turned_gray": "gray", "taken_by_eck": "eck"}
    for key, status in changes.items():
        now = [name for name, is_now in expected["trick_cards"].items() if is_now == status]
        new = [name for name in now if before["trick_cards"][name] != status]
        assert info["round"][key] == (new[0] if new else None)


@pytest.mark.parametrize("case", GAMES, ids=game_id)
def test_game(case: dict[str, Any]) -> None:
    env = EckEnv(**variant(case))
    env.reset(seed=5)
    for number, (tricks, expected) in enumerate(zip(case["results"], case["after"], strict=True)):
        before, action = last_trick(env.state_dict(), tricks)
        env.set_state(before)
        _, reward, terminated, truncated, info = env.step(action)
        assert info["round"]["tricks_won"] == tricks
        check_end(info, env.state_dict(), expected, before)
        assert (terminated, truncated) == (expected["outcome"] is not None, False)
        assert reward == {None: 0.0, "win": 1.0, "loss": -1.0}[expected["outcome"]]
        if terminated:
            assert info["action_mask"].tolist() == [1] * NUM_ACTIONS
            assert number == len(case["results"]) - 1
        else:
            assert env.state_dict()["round"] == number + 1
            assert len(env.state_dict()["hand"]) == 13


@pytest.mark.parametrize("case", GAMES, ids=game_id)
def test_game_in_a_batch(case: dict[str, Any]) -> None:
    """One slot plays the case, its neighbours play something else."""
    env = EckVectorEnv(3, autoreset_mode="DISABLED", info="full", **variant(case))
    env.reset(seed=5)
    for tricks, expected in zip(case["results"], case["after"], strict=True):
        before, action = last_trick(env.state_dict(1), tricks)
        env.set_state(1, before)
        actions = np.argmax(env.action_masks(), axis=1)
        actions[1] = action
        _, rewards, terminated, _, infos = env.step(actions)
        info = {"round": {key: infos["round"][key][1] for key in infos["round"]}}
        if "outcome" in infos:
            info |= {key: infos[key][1] for key in ("outcome", "reasons")}
        check_end(info, env.state_dict(1), expected, before)
        assert terminated.tolist() == [False, expected["outcome"] is not None, False]
        assert rewards[1] == {None: 0.0, "win": 1.0, "loss": -1.0}[expected["outcome"]]


def test_the_cases_cover_every_end() -> None:
    """Both outcomes, each reason and both together occur among the games."""
    ends = {(case["after"][-1]["outcome"], *case["after"][-1]["reasons"]) for case in GAMES}
    assert ends >= {("win",), ("loss", "counter"), ("loss", "eck_card")}
    assert {tuple(case["trick_cards"]) == ALL for case in GAMES} == {True, False}
    assert len(KINDS) == NUM_ACTIONS
