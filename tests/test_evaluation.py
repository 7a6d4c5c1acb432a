"""Evaluation: the same deals for every agent, whatever the batch; figures, files and tables."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agents import agent as agent_module
from agents.agent import Agent, make_agent, make_agents
from agents.comparison import compare
from agents.evaluation import FIRST_SEED, evaluate, find_variant
from agents.games.eck import GAME_RESULT, MAX_ROUNDS, EckResult
from agents.intervals import wilson_interval
from agents.random_agent import RandomAgent
from agents.results import (
    NO_ROUND,
    Result,
    by_deals,
    load_results,
    results_from_json,
    results_to_json,
    save_results,
    variant_title,
)
from agents.tables import results_table
from eck_env.eck.cards import NUM_KINDS
from eck_env.eck.env import EckEnv
from eck_env.eck.rules import BY_COUNTER, BY_ECK_CARD, BY_ILLEGAL_ACTION
from eck_env.eck.variant import REGISTERED, TRICK_CARDS, Variant, make_variant
from results_helpers import make_result

KEYWORDS: dict[str, Any] = {"target": 2, "trick_cards": ("2", "4", "6"), "circle_follow": "same"}
FLAGS = {"eck_card": BY_ECK_CARD, "counter": BY_COUNTER, "illegal_action": BY_ILLEGAL_ACTION}


def lowest_legal(masks: NDArray[Any]) -> NDArray[np.int64]:
    actions: NDArray[np.int64] = np.argmax(masks, axis=1)
    return actions


class FirstLegalAgent:
    """Plays the lowest legal kind, and notes what it was asked."""

    def __init__(self, name: str = "first") -> None:
        self.name = name
        self.asked: dict[int, list[int]] = defaultdict(list)
        self.deals: dict[int, bytes] = {}

    def act(self, observations: NDArray[Any], action_masks: NDArray[Any], keys: NDArray[np.int64]) -> NDArray[np.int64]:
        for observation, (seed, game, decision) in zip(observations, keys.tolist(), strict=True):
            assert game == 0
            self.asked[seed].append(decision)
            if decision == 0:
                self.deals[seed] = observation.tobytes()
        return lowest_legal(action_masks)


class LastLegalAgent(FirstLegalAgent):
    """Plays the highest legal kind."""

    def act(self, observations: NDArray[Any], action_masks: NDArray[Any], keys: NDArray[np.int64]) -> NDArray[np.int64]:
        super().act(observations, action_masks, keys)
        return NUM_KINDS - 1 - lowest_legal(action_masks[:, ::-1])


class CheatingAgent:
    """Plays an illegal card at its fourth decision of every game with an even seed."""

    name = "cheat"

    def act(self, observations: NDArray[Any], action_masks: NDArray[Any], keys: NDArray[np.int64]) -> NDArray[np.int64]:
        cheats = (keys[:, 0] % 2 == 0) & (keys[:, 2] == 3)
        return np.where(cheats, lowest_legal(action_masks == 0), lowest_legal(action_masks))


def play_alone(keywords: dict[str, Any], seed: int) -> tuple[bool, int, int, int, set[str], list[int]]:
    """Play the lowest legal kinds in the single environment; return what an evaluation notes of a game."""
    env = EckEnv(**keywords)
    _, info = env.reset(seed=seed)
    decisions = 0
    rounds = []
    over = False
    while not over:
        _, _, over, _, info = env.step(int(np.argmax(info["action_mask"])))
        decisions += 1
        if "round" in info:
            rounds.append(info["round"])
    reasons = sum(FLAGS[reason] for reason in info["reasons"])
    collected = {told["collected"] for told in rounds} - {None}
    tricks = [told["tricks_won"] for told in rounds]
    return info["outcome"] == "win", len(rounds), reasons, decisions, collected, tricks


def as_told(game: Any) -> tuple[bool, int, int, int, set[str], list[int]]:
    """Return what an evaluation noted of a game, in the words of the single environment."""
    won, rounds, reasons, decisions, collected, tricks = game
    names = {name for index, name in enumerate(TRICK_CARDS) if collected >> index & 1}
    return won, rounds, reasons, decisions, names, [count for count in tricks if count != NO_ROUND]


# --- Playing ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keywords", [{"target": 1}, KEYWORDS])
def test_games_are_those_of_the_single_environment(keywords: dict[str, Any]) -> None:
    result = evaluate(FirstLegalAgent(), keywords, games=25, batch=4)
    expected = [play_alone(keywords, FIRST_SEED + game) for game in range(25)]
    assert [as_told(game) for game in result.games.tolist()] == expected
    assert result.win_rate == sum(game[0] for game in expected) / 25
    assert result.decisions == sum(game[3] for game in expected)


@pytest.mark.parametrize("env", list(REGISTERED))
def test_games_do_not_depend_on_the_batch(env: str) -> None:
    one, seven, many = (evaluate(RandomAgent(), env, 60, FIRST_SEED + 99, batch) for batch in (1, 7, 256))
    assert one.games.tobytes() == seven.games.tobytes() == many.games.tobytes()
    assert one.variant == Variant(**{"trick_cards": Variant().trick_cards} | REGISTERED[env])
    assert 0 < one.decisions == many.decisions


def test_games_do_not_depend_on_those_before() -> None:
    whole = evaluate(RandomAgent(), "Eck-v0", 40, FIRST_SEED, batch=8)
    tail = evaluate(RandomAgent(), "Eck-v0", 30, FIRST_SEED + 10, batch=8)
    assert whole.games[10:].tobytes() == tail.games.tobytes()


def test_every_agent_meets_the_same_deals_and_every_decision_once() -> None:
    first, last = FirstLegalAgent("first"), LastLegalAgent("last")
    results = [evaluate(first, "Eck-v0", 30, batch=7), evaluate(last, "Eck-v0", 30, batch=3)]
    assert first.deals == last.deals
    assert len(set(first.deals.values())) == 30
    assert results[0].games.tobytes() != results[1].games.tobytes()
    for agent, result in zip((first, last), results, strict=True):
        assert sorted(agent.asked) == list(range(FIRST_SEED, FIRST_SEED + 30))
        assert agent.asked[FIRST_SEED].pop(0) == 0  # the one decision that does not count, before the clock starts
        for game, decisions in enumerate(result.games["decisions"].tolist()):
            assert agent.asked[FIRST_SEED + game] == list(range(decisions))


def test_progress_tells_of_every_game() -> None:
    told: list[int] = []
    evaluate(RandomAgent(), "EckBeginner-v0", 50, batch=16, progress=told.append)
    assert sum(told) == 50
    assert min(told) > 0


def test_illegal_actions_are_counted() -> None:
    result = evaluate(CheatingAgent(), "EckExpert-v0", 20, batch=6)
    cheated = result.games["reasons"] == BY_ILLEGAL_ACTION
    assert cheated.tolist() == [game % 2 == 0 for game in range(20)]
    assert (result.games["decisions"][cheated] == 4).all()
    assert not result.games["won"][cheated].any()
    assert (result.games["rounds"][cheated] == 1).all()
    assert (result.games["tricks"][cheated] == NO_ROUND).all()
    assert result.summary()["illegal_actions"] == 10


def test_names() -> None:
    assert evaluate(RandomAgent(), "Eck-v0", 1).agent == "random"
    assert evaluate(RandomAgent(), "Eck-v0", 1, name="another").agent == "another"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"env": "Ekc-v0"}, "did you mean 'Eck-v0'"),
        ({"env": {"taget": 4}}, "did you mean 'target'"),
        ({"env": {"episode": "round"}}, "known are target, trick_cards, circle_follow"),
        ({"env": {"target": 8}}, "must be 1 to 7"),
        ({"games": 0}, "the number of games is 0"),
        ({"games": 2.5}, "the number of games is 2.5"),
        ({"first_seed": 5}, "are for training"),
        ({"first_seed": -5}, "must be an integer from 0"),
        ({"first_seed": 2**63 - 1}, "the first seed of 10 games"),
        ({"batch": 0}, "the batch size is 0"),
    ],
)
def test_bad_requests(changed: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"env": "Eck-v0", "games": 10} | changed
    with pytest.raises(ValueError, match=message):
        evaluate(RandomAgent(), **arguments)


def test_the_last_seeds_there_are() -> None:
    assert len(evaluate(RandomAgent(), "Eck-v0", 3, 2**63 - 4, batch=2).games) == 3


# --- Figures, files, tables ------------------------------------------------------------------------------------------


def test_summary() -> None:
    summary = make_result().summary()
    assert summary["games"] == 5
    assert summary["wins"] == 1
    assert summary["win_rate"] == 0.2
    assert summary["win_rate_interval"] == list(wilson_interval(1, 5))
    assert summary["rounds_per_game"] == 3.6
    assert summary["lost_by_counter"] == 2
    assert summary["lost_by_eck_card"] == 2  # one of them by both
    assert summary["illegal_actions"] == 1
    assert summary["decisions"] == 224
    assert summary["decisions_per_second"] == 448
    assert summary["ms_per_decision"] == pytest.approx(0.5)
    assert summary["tricks"] == [1, 0, 2, 6, 1, 2, 1, 1, 1, 1, 0, 0, 0, 1]
    assert summary["collected"] == {"2": 2, "4": 1, "6": 1, "8": 1, "10": 0, "12": 0, "13/0": 1}
    assert make_result().endings == {"won": 1, "counter": 1, "ECK's card": 1, "both": 1, "illegal action": 1}


def test_time_of_the_agent() -> None:
    class Slow(FirstLegalAgent):
        def act(self, *given: Any) -> NDArray[np.int64]:
            start = time.process_time()
            while time.process_time() < start + 0.002:
                pass
            return super().act(*given)

    result = evaluate(Slow(), "EckBeginner-v0", 4, batch=1)
    assert 2.0 <= result.ms_per_decision < 2.5
    assert result.seconds > result.agent_seconds


def test_the_longest_games_there_are_fit() -> None:
    """Seven cards with two failed rounds before each: 21 rounds."""
    assert MAX_ROUNDS == 21
    longest = (True, 21, 0, 273, 0b1111111, (1,) * 21)
    result = make_result(games=[longest])
    (again,) = results_from_json(results_to_json([result], ""))
    assert again.games.tobytes() == result.games.tobytes()


def test_json_round_trip(tmp_path: Path) -> None:
    played = evaluate(RandomAgent(), KEYWORDS, 20)
    other = evaluate(RandomAgent(), "EckExpert-v0", 7)
    results = [played, EckResult("Ä [1, 2]", played.variant, played.first_seed, played.games[::-1], 1.5, 0.5), other]
    path = tmp_path / "out.json"
    path.write_text("old")
    save_results(path, results, "the command")
    assert list(tmp_path.iterdir()) == [path]
    for before, after in zip(results, load_results(path), strict=True):
        assert (after.agent, after.variant, after.first_seed) == (before.agent, before.variant, before.first_seed)
        assert after.games.dtype == GAME_RESULT
        assert after.games.tobytes() == before.games.tobytes()
        assert after.summary() == before.summary()


def test_json_for_machines() -> None:
    text = results_to_json([make_result()], "python scripts/evaluate.py someone")
    document = json.loads(text)
    assert document["command"] == "python scripts/evaluate.py someone"
    assert {"eck_env", "numpy", "gymnasium", "python"} <= set(document["versions"])
    (group,) = document["evaluations"]
    assert group["environment"] == "Eck-v0"
    assert group["variant"]["target"] == 4
    assert (group["first_seed"], group["games"]) == (FIRST_SEED, 5)
    assert group["results"][0]["summary"]["win_rate"] == 0.2
    assert group["results"][0]["per_game"]["rounds"] == [5, 4, 6, 2, 1]
    assert group["results"][0]["per_game"]["tricks"] == "24568 235d 033379 33 -"
    assert '"rounds": [5, 4, 6, 2, 1]' in text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no JSON",
        "[]",
        "{}",
        '{"format": 1}',
        results_to_json([make_result()], "").replace("[5, 4,", "[4,"),
        results_to_json([make_result()], "").replace('"24568 235d', '"24568235d'),
        results_to_json([make_result()], "").replace("235d", "235e"),
        results_to_json([make_result()], "").replace("235d", 22 * "2"),
        results_to_json([make_result()], "").replace("[5, 4,", "[5, 9999999999999,"),
    ],
)
def test_files_that_are_no_results(text: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no results of an evaluation"):
        results_from_json(text)
    (tmp_path / "broken.json").write_text(text)
    with pytest.raises(ValueError, match=r"broken\.json"):
        load_results(tmp_path / "broken.json")


@pytest.mark.parametrize("other", [make_result("b", FIRST_SEED + 1), make_result("b", variant=Variant(5))])
def test_results_of_other_deals_do_not_share_a_table(other: Result) -> None:
    groups = by_deals([make_result("a"), other, make_result("c")])
    assert [[result.agent for result in group] for group in groups] == [["a", "c"], ["b"]]
    with pytest.raises(ValueError, match="same variant"):
        results_table([make_result("a"), other])
    with pytest.raises(ValueError, match="same variant"):
        compare(make_result("a"), other)


def test_titles_of_variants() -> None:
    assert [variant_title(find_variant(env)) for env in REGISTERED] == list(REGISTERED)
    assert variant_title(find_variant({})) == "Eck-v0"
    assert variant_title(find_variant(KEYWORDS)) == "target 2, trick cards 2 4 6, circle_follow same"


# --- Agents by name --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("randm", "unknown agent 'randm': did you mean 'random'"),
        ("Heuristics", "did you mean 'heuristic'"),
        ("mc:", "write mc:64"),
        ("mc:0", "write mc:64"),
        ("mc:64:0", "write mc:64"),
        ("mc:64:nobody", "write mc:64"),
        ("mc:6.4", "write mc:64"),
        ("runs/model.zip", "scripts/export.py makes one"),
        ("", "known are random, heuristic"),
    ],
)
def test_unknown_agents(spec: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_agent(spec)


def test_missing_policy_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"there is no policy file .*none\.onnx"):
        make_agent(str(tmp_path / "none.onnx"))


def test_names_in_a_table_are_unique(monkeypatch: pytest.MonkeyPatch) -> None:
    def make_policy(path: Path) -> Agent:  # it needs no file
        return FirstLegalAgent(path.stem)

    monkeypatch.setattr(agent_module, "make_policy", make_policy)
    names = list(make_agents(["random", "a/policy.onnx", "b/policy.onnx", "c/best.onnx"]))
    assert names == ["random", "a/policy.onnx", "b/policy.onnx", "best"]
    with pytest.raises(ValueError, match="'random' is named 2 times"):
        make_agents(["random", "a/policy.onnx", "random"])
    with pytest.raises(ValueError, match="no agent is named"):
        make_agents([])


@pytest.mark.parametrize("spec", ["mc:4", "mc:3:heuristic", "mc:3:2"])
def test_searches_by_name(spec: str) -> None:
    variant = make_variant(2)
    agent = make_agent(spec, variant)
    assert agent.name == spec
    assert evaluate(agent, "EckBeginner-v0", 20).win_rate > 0.5


def test_a_search_needs_round_values_of_the_variant() -> None:
    with pytest.raises(ValueError, match="no round values are shipped for target 5"):
        make_agent("mc:4", make_variant(5))
