"""Evaluation: the same deals for every agent, whatever the batch; figures, files and tables."""

from __future__ import annotations

import json
from collections import defaultdict
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from rich.console import Console

from agents import agent as agent_module
from agents.agent import Agent, make_agent, make_agents
from agents.evaluation import FIRST_SEED, evaluate, find_variant
from agents.random_agent import RandomAgent
from agents.results import (
    GAME_RESULT,
    Result,
    load_results,
    results_from_json,
    results_table,
    results_to_json,
    save_results,
    variant_title,
    wilson_interval,
)
from eck_env.eck.cards import NUM_KINDS
from eck_env.eck.env import EckEnv
from eck_env.eck.rules import BY_COUNTER, BY_ECK_CARD, BY_ILLEGAL_ACTION
from eck_env.eck.variant import REGISTERED, Variant, make_variant

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


def play_alone(keywords: dict[str, Any], seed: int) -> tuple[bool, int, int, int]:
    """Play the lowest legal kinds in the single environment; return what an evaluation notes of a game."""
    env = EckEnv(**keywords)
    _, info = env.reset(seed=seed)
    rounds = decisions = 0
    over = False
    while not over:
        _, _, over, _, info = env.step(int(np.argmax(info["action_mask"])))
        rounds += "round" in info
        decisions += 1
    return info["outcome"] == "win", rounds, sum(FLAGS[reason] for reason in info["reasons"]), decisions


def make_result(agent: str = "someone", first_seed: int = FIRST_SEED, variant: Variant = Variant(4)) -> Result:  # noqa: B008
    games = np.array(
        [(True, 5, 0, 65), (False, 4, BY_COUNTER, 52), (False, 6, BY_COUNTER | BY_ECK_CARD, 78),
         (False, 2, BY_ECK_CARD, 26), (False, 1, BY_ILLEGAL_ACTION, 3)],
        GAME_RESULT,
    )  # fmt: skip
    return Result(agent, variant, first_seed, games, 0.5)


# --- The interval ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [  # Newcombe, "Two-sided confidence intervals for the single proportion", 1998, table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_interval_of_the_literature(successes: int, trials: int, low: float, high: float) -> None:
    assert wilson_interval(successes, trials) == pytest.approx((low, high), abs=5e-5)
    mirrored = wilson_interval(trials - successes, trials)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=5e-5)


def test_wilson_interval_ends_where_the_score_test_rejects() -> None:
    for bound in wilson_interval(270, 2000):
        assert abs(0.135 - bound) == pytest.approx(1.959964 * (bound * (1 - bound) / 2000) ** 0.5, rel=1e-6)
    assert wilson_interval(5, 5)[1] == 1.0
    narrow, wide = wilson_interval(5, 10, 0.5), wilson_interval(5, 10, 0.99)
    assert wide[0] < narrow[0] < 0.5 < narrow[1] < wide[1]


@pytest.mark.parametrize(("successes", "trials"), [(0, 0), (3, 2), (-1, 5)])
def test_wilson_interval_of_nonsense(successes: int, trials: int) -> None:
    with pytest.raises(ValueError, match="there must be a trial"):
        wilson_interval(successes, trials)


# --- Playing ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keywords", [{"target": 1}, KEYWORDS])
def test_games_are_those_of_the_single_environment(keywords: dict[str, Any]) -> None:
    result = evaluate(FirstLegalAgent(), keywords, games=25, batch=4)
    expected = [play_alone(keywords, FIRST_SEED + game) for game in range(25)]
    assert [tuple(game) for game in result.games.tolist()] == expected
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


def test_json_round_trip(tmp_path: Path) -> None:
    played = evaluate(RandomAgent(), KEYWORDS, 20)
    results = [played, Result("Ä [1, 2]", played.variant, played.first_seed, played.games[::-1], 1.5)]
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
    assert document["environment"] == "Eck-v0"
    assert document["variant"]["target"] == 4
    assert (document["first_seed"], document["games"]) == (FIRST_SEED, 5)
    assert document["results"][0]["summary"]["win_rate"] == 0.2
    assert document["results"][0]["per_game"]["rounds"] == [5, 4, 6, 2, 1]
    assert '"rounds": [5, 4, 6, 2, 1]' in text


@pytest.mark.parametrize(
    "text",
    ["", "no JSON", "[]", "{}", '{"format": 99}', results_to_json([make_result()], "").replace("[5, 4,", "[4,")],
)
def test_files_that_are_no_results(text: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no results of an evaluation"):
        results_from_json(text)
    (tmp_path / "broken.json").write_text(text)
    with pytest.raises(ValueError, match=r"broken\.json"):
        load_results(tmp_path / "broken.json")


@pytest.mark.parametrize("other", [make_result("b", FIRST_SEED + 1), make_result("b", variant=Variant(5))])
def test_results_of_other_deals_do_not_share_a_table(other: Result) -> None:
    with pytest.raises(ValueError, match="same variant"):
        results_to_json([make_result("a"), other], "")
    with pytest.raises(ValueError, match="same variant"):
        results_table([make_result("a"), other])


@pytest.mark.parametrize("width", [80, 120])
def test_table_on_the_screen(width: int) -> None:
    console = Console(width=width, record=True, file=StringIO())
    console.print(results_table([make_result("random"), make_result("runs/[bold]/policy.onnx")]))
    text = console.export_text()
    for shown in ("Eck-v0: 5 games, seeds 1073741824 to 1073741828", "random", "20.0%", "3.6 - 62.4%", "3.60", "40.0%",
                  "448", "runs/[bold]/policy.onnx" if width > 80 else "runs/[bold"):  # fmt: skip
        assert shown in text
    assert "…" not in text


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

    monkeypatch.setattr(agent_module, "_make_policy", make_policy)
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
