"""The replay cases of the game without numbers against reference, PettingZoo environment and single-agent view."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from eck_env import NumberlessEnv, NumberlessVectorEnv
from eck_env.numberless.aec import NumberlessAECEnv
from numberless_helpers import CASES, case_actions, case_env, case_id, legal_names, names
from reference.numberless import ReferenceGame, pattern

over_cases = pytest.mark.parametrize("case", CASES, ids=case_id)


def expected_rounds(case: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the ends of the rounds as infos tell of them."""
    return [{"taker": one["taker"], "reason": one["reason"], "cards": len(one["pot"])} for one in case["rounds"]]


@over_cases
def test_reference(case: dict[str, Any]) -> None:
    game = ReferenceGame(names(case["deal"]), case["players"], case["draft"], case["start_player"])
    rounds = []
    for seat, card, legal in case_actions(case):
        assert (game.turn, game.legal()) == (seat, names(legal))
        if game.phase == "play" and not game.history:
            assert [sorted(player.hand) for player in game.players] == [sorted(names(hand)) for hand in case["hands"]]
        step = game.act(names([card])[0])
        rounds += [step.round] if step.round else []
    assert game.phase == "over"
    assert rounds == expected_rounds(case)
    assert game.counts() == case["counts"]
    assert game.rewards() == pytest.approx(case["rewards"], abs=1e-12)


@over_cases
def test_environment(case: dict[str, Any]) -> None:
    env = case_env(case)
    rounds, starts, plays = [], [], []
    for number, (seat, card, legal) in enumerate(case_actions(case)):
        assert env.agent_selection == f"player_{seat}"
        state = env.state_dict()
        if state["phase"] == "play" and not any(state["played"]):
            assert state["hands"] == [names(hand) for hand in case["hands"]]
        if state["phase"] == "play" and not state["pot"]:
            starts.append(state["start"])
        observed, _, terminated, truncated, info = env.last()
        assert observed is not None
        assert legal_names(observed["action_mask"]) == names(legal)
        assert (observed["action_mask"] == info["action_mask"]).all()
        assert (terminated, truncated) == (False, False)
        env.step(card)
        told = env.infos["player_0"]
        rounds += told.get("rounds", [])
        plays += told.get("plays", [])
        assert all(env.terminations.values()) == (number == len(case_actions(case)) - 1)
    assert rounds == expected_rounds(case)
    assert starts == [one["start"] for one in case["rounds"]]
    assert plays == [[seat, names([card])[0]] for one in case["rounds"] for seat, card, _ in one["plays"]]
    assert list(env.rewards.values()) == pytest.approx(case["rewards"], abs=1e-12)
    state = env.state_dict()
    assert state["collected"] == case["collected"]
    assert [len(hand) for hand in state["hands"]] == case["in_hand"]
    assert state["last_round"]["pot"] == names(case["rounds"][-1]["pot"])


@over_cases
def test_patterns(case: dict[str, Any]) -> None:
    """The pattern of the pot is told by state and observation."""
    env = case_env(case)
    steps = iter(case_actions(case))
    for _ in range(sum(len(part) for part in case["picks"])):
        env.step(next(steps)[1])
    for one in case["rounds"]:
        for place in range(len(one["plays"])):
            if place >= 2:
                assert env.state_dict()["pattern"] == one["pattern"]
            env.step(next(steps)[1])
        assert pattern(*names(one["pot"][:2])) == one["pattern"]
        assert env.state_dict()["last_round"]["pattern"] == one["pattern"]


@over_cases
def test_from_state_to_state(case: dict[str, Any]) -> None:
    """Every state of a case goes through its notation, what the seats remember included."""
    env = case_env(case)
    other = NumberlessAECEnv(case["players"], case["draft"], case["start_player"])
    for seat, card, _ in case_actions(case):
        other.set_state(env.state_dict())
        assert other.state_dict() == env.state_dict()
        for agent in env.possible_agents:
            assert (other.observe(agent)["observation"] == env.observe(agent)["observation"]).all()
        assert other.agent_selection == f"player_{seat}"
        env.step(card)
        other.step(card)
        assert other.state_dict() == env.state_dict()
    assert other.rewards == env.rewards


class Scripted:
    """Plays the cards of a case at the other seats; it finds its place by the number of the decision."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.steps = case_actions(case)

    def act(self, observations: Any, action_masks: Any, keys: Any) -> Any:
        return np.array([self.steps[key[2]][1] for key in keys.tolist()])


@over_cases
def test_single_agent_views(case: dict[str, Any]) -> None:
    """You at seat 0, the case's players at the others; single and in a batch."""
    keywords = {"num_players": case["players"], "draft": case["draft"], "start_player": case["start_player"]}
    env = NumberlessEnv(**keywords, opponents=Scripted(case))
    batch = NumberlessVectorEnv(2, "DISABLED", **keywords, opponents=[Scripted(case)] * (case["players"] - 1))
    _, info = env.reset(seed=3, options={"deal": names(case["deal"])})
    _, infos = batch.reset(seed=3, options={"deal": names(case["deal"])})
    own = [(card, legal) for seat, card, legal in case_actions(case) if seat == 0]
    for number, (card, legal) in enumerate(own):
        assert legal_names(info["action_mask"]) == legal_names(infos["action_mask"][1]) == names(legal)
        _, reward, terminated, _, info = env.step(card)
        _, rewards, ended, _, infos = batch.step(np.array([card, card]))
        assert terminated == ended.all() == ended.any() == (number == len(own) - 1)
        assert rewards.tolist() == [reward, reward]
    assert reward == pytest.approx(case["rewards"][0], abs=1e-12)
    won = 0 in case["winners"]
    assert info["outcome"] == ("loss" if not won else "win" if len(case["winners"]) == 1 else "shared win")
    assert info["reasons"] == ([] if won else ["more_cards"])
    assert batch.counts.tolist() == [case["counts"]] * 2


def test_the_cases_cover_what_there_is() -> None:
    rounds = [(one["pattern"], one["reason"]) for case in CASES for one in case["rounds"]]
    assert len(set(rounds)) == 6
    assert {(case["players"], case["draft"]) for case in CASES} >= {(n, True) for n in range(3, 8)}
    assert {len(case["winners"]) for case in CASES} >= {1, 2, 3, 4, 5}


@over_cases
def test_cards_may_be_given_as_actions(case: dict[str, Any]) -> None:
    named = case_env(case)
    numbered = NumberlessAECEnv(case["players"], case["draft"], case["start_player"])
    numbered.reset(seed=3, options={"deal": case["deal"]})
    assert numbered.state_dict() == named.state_dict()


@pytest.mark.parametrize("card", [-1, 49, True, 3.0, None])
def test_what_is_no_action_is_no_card(card: object) -> None:
    env = NumberlessAECEnv()
    with pytest.raises(ValueError, match=r"unknown card .* or the action, 0 to 48"):
        env.reset(seed=3, options={"deal": [*range(48), card]})
