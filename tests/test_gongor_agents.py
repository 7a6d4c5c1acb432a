"""Agents of Gongor Whist and their evaluation: what is noted of games, and that it depends on nothing else."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from agents.agent import Agent, make_agent
from agents.contest import Contest, Plan, run
from agents.evaluation import FIRST_SEED, evaluate
from agents.games.gongor_whist import GongorResult
from agents.report import write_report
from agents.results import NO_ROUND, Result, load_results, results_from_json, results_to_json, variant_title
from agents.tables import results_markdown
from eck_env import GongorEnv
from eck_env.eck.variant import make_variant as make_eck_variant
from eck_env.gongor_whist import simulation
from eck_env.gongor_whist.engine import plain_setup
from eck_env.gongor_whist.players import HEURISTIC
from eck_env.gongor_whist.playouts import play_games
from eck_env.gongor_whist.rules import NUM_BIDS
from eck_env.gongor_whist.state import OUTCOMES, REASONS, SCRIPT_SIZE, new_games
from eck_env.gongor_whist.variant import REGISTERED, Variant, make_variant
from eck_env.registry import find_variant, id_of
from gongor_helpers import VARIANTS
from scripts.evaluate import app
from scripts.report import app as report_app

GAMES = 40
KEYWORDS = [*VARIANTS, {"scoring": "first_edition", "max_hands": 3}]
FLAGS = {name: flag for flag, name in REASONS.items()}


class CheatingAgent:
    """Plays the lowest legal action, and an illegal one at its sixth decision of games with an even seed."""

    name = "cheat"

    def act(self, observations: Any, action_masks: Any, keys: Any) -> Any:
        cheats = (keys[:, 0] % 2 == 0) & (keys[:, 2] == 5)
        return np.where(cheats, np.argmin(action_masks, axis=1), np.argmax(action_masks, axis=1))


def play_one(agent: Agent, keywords: dict[str, Any], seed: int) -> dict[str, Any]:
    """Let an agent play one game in the single environment, and note what the infos tell."""
    env = GongorEnv(**keywords)
    observation, info = env.reset(seed=seed)
    hands: list[dict[str, Any]] = []
    decisions, over = 0, False
    while not over:
        key = np.array([[seed, 0, decisions]])
        action = agent.act(observation[None], info["action_mask"][None], key)[0]
        observation, _, over, _, info = env.step(action)
        decisions += 1
        if "hand" in info:
            hands.append(info["hand"])
    forfeit = "illegal_action" in info
    return {
        "won": info["outcome"] == "win",
        "rounds": len(hands) + forfeit,
        "reasons": sum(FLAGS[reason] for reason in info["reasons"]),
        "decisions": decisions,
        "you": hands[-1]["you"] if hands else 0,
        "dummy": hands[-1]["dummy"] if hands else 0,
        "bids": [hand["bid"] for hand in hands],
        "taken": [hand["taken"] for hand in hands],
    }


@pytest.mark.parametrize("keywords", KEYWORDS, ids=str)
@pytest.mark.parametrize("name", ["random", "heuristic", "cheat"])
def test_what_is_noted_is_what_the_environment_tells(name: str, keywords: dict[str, Any]) -> None:
    variant = make_variant(**keywords)
    agent = CheatingAgent() if name == "cheat" else make_agent(name, variant)
    result = evaluate(agent, keywords, 8, batch=3)
    assert isinstance(result, GongorResult)
    for number, game in enumerate(result.games):
        told = play_one(agent, keywords, FIRST_SEED + number)
        for field in ("won", "rounds", "reasons", "decisions", "you", "dummy"):
            assert game[field] == told[field], field
        for field in ("bids", "taken"):
            assert game[field][game[field] != NO_ROUND].tolist() == told[field]
    assert sum(result.endings.values()) == 8
    assert result.illegal_actions == (4 if name == "cheat" else 0)


def test_the_heuristic_agent_is_the_compiled_player() -> None:
    for variant in (make_variant(scoring, aces) for scoring, aces in (pair.values() for pair in VARIANTS)):
        result = evaluate(make_agent("heuristic", variant), asdict(variant), GAMES)
        games, hands = new_games(GAMES, variant), np.zeros((3, NUM_BIDS), np.int64)
        games["seed"] = FIRST_SEED + np.arange(GAMES)
        play_games(games, HEURISTIC, plain_setup(np.zeros((GAMES, 0, SCRIPT_SIZE), np.int8)), hands)
        assert isinstance(result, GongorResult)
        assert (result.hands == hands[:2]).all()
        assert result.decisions == hands[2].sum()
        assert (result.games["you"] == games["you"]).all()
        assert (result.games["won"] == (games["outcome"] == OUTCOMES.index("win"))).all()


def test_measures_by_scoring() -> None:
    names = {
        env_id: [
            measure.name for measure in evaluate(make_agent("heuristic", find_variant(env_id)), env_id, 5).measures
        ]
        for env_id in REGISTERED
    }
    assert names == {
        "GongorWhist-v0": ["bids made"],
        "GongorWhistColumns-v0": ["points ahead", "bids made"],
        "GongorWhistFirst-v0": ["hands needed", "bids made"],
    }


def make_result(scoring: str, games: list[tuple[Any, ...]]) -> GongorResult:
    """Return games made by hand: won, rounds, reasons, decisions, you, dummy, bids, taken."""
    variant = make_variant(scoring)
    filled = [
        (*game[:6], *((*numbers, *[NO_ROUND] * (variant.max_hands - len(numbers))) for numbers in game[6:]))
        for game in games
    ]
    return GongorResult("a", variant, FIRST_SEED, np.array(filled, GongorResult.game_dtype(variant)), 1.0, 0.5)


def test_measures_of_games_made_by_hand() -> None:
    box = make_result("shut_the_box", [(False, 2, 1, 30, 1, 0, (3, 2), (3, 4)), (False, 1, 1, 15, 0, 0, (0,), (1,))])
    assert box.measures[0].value == pytest.approx(1 / 3)
    assert box.hands.tolist() == [[0, 0, 0, 1, 0, 0, 0, 0], [1, 0, 1, 1, 0, 0, 0, 0]]
    first = make_result("first_edition", [(True, 12, 0, 150, 51, 0, (), ()), (False, 40, 4, 600, -9, 0, (), ())])
    assert first.measures[0].value == 26
    assert first.score == -26
    columns = make_result("two_columns", [(False, 8, 0, 99, 20, 20, (), ()), (True, 8, 0, 99, 30, 5, (), ())])
    assert columns.measures[0].value == 12.5
    assert (columns.drawn, columns.score) == (1, 0.5)
    assert columns.endings == {"won": 1, "drawn": 1, "missed bid": 0, "points": 0, "hands": 0, "illegal action": 0}


def test_both_games_in_one_contest_whoever_plays() -> None:
    variants = (make_eck_variant(2), make_variant("first_edition", "pass", 5))
    plan = Plan(Contest(("random", "heuristic"), variants, 30))
    expected = [result.games.tobytes() for result in run(plan)]
    assert [result.games.tobytes() for result in run(plan, processes=2, batch=7)] == expected
    assert [type(result).__name__ for result in run(plan)] == ["EckResult"] * 2 + ["GongorResult"] * 2


@pytest.mark.parametrize("keywords", KEYWORDS, ids=str)
def test_json_round_trip(keywords: dict[str, Any]) -> None:
    result = evaluate(make_agent("heuristic", make_variant(**keywords)), keywords, 9)
    (again,) = results_from_json(results_to_json([result], "the command"))
    assert (again.variant, again.games.dtype) == (result.variant, result.games.dtype)
    assert again.games.tobytes() == result.games.tobytes()
    assert again.summary() == result.summary()
    broken = results_to_json([result], "").replace('"taken": "', '"taken": "8')
    with pytest.raises(ValueError, match="no results of an evaluation"):
        results_from_json(broken)


def test_variants_and_their_ids() -> None:
    assert [id_of(find_variant(env_id)) for env_id in REGISTERED] == list(REGISTERED)
    assert id_of(Variant("two_columns", "pass")) is None
    assert variant_title(Variant("two_columns", "pass")) == "scoring two_columns, aces pass, max_hands 8"
    assert find_variant({"aces": "pass"}) == Variant("shut_the_box", "pass")
    with pytest.raises(ValueError, match=r"unknown key 'target' in the variant.*known are scoring, aces, max_hands"):
        find_variant({"scoring": "two_columns", "aces": "pass", "target": 4})
    with pytest.raises(ValueError, match="did you mean 'GongorWhist-v0'"):
        find_variant("GongorWist-v0")


def test_the_command_takes_ids_in_a_row(tmp_path: Path) -> None:
    path, markdown = tmp_path / "out.json", tmp_path / "out.md"
    words = ["random", "heuristic", "--env", *REGISTERED, "--games", "60", "--json", str(path)]
    done = CliRunner().invoke(app, [*words, "--markdown", str(markdown)])
    assert done.exit_code == 0, done.output
    for env_id in REGISTERED:
        assert f"{env_id}: 60 games" in done.stdout
    results = load_results(path)
    assert [(result.agent, variant_title(result.variant)) for result in results] == [
        (agent, env_id) for env_id in REGISTERED for agent in ("random", "heuristic")
    ]
    assert json.loads(path.read_text())["command"].count("--env") == 3
    text = markdown.read_text()
    assert "| GongorWhistFirst-v0 | GongorWhistFirst-v0: hands needed | GongorWhistFirst-v0: bids made |" in text
    assert "| GongorWhist-v0 | `random` | `heuristic` | bids made | -" in text
    again = CliRunner().invoke(app, [*words, "--markdown", str(markdown), "--resume"])
    assert again.stdout == done.stdout


def test_the_report_has_a_part_for_each_game(tmp_path: Path) -> None:
    results: list[Result] = []
    for env_id in ("EckBeginner-v0", *REGISTERED):
        results += [evaluate(make_agent(name, find_variant(env_id)), env_id, 30) for name in ("random", "heuristic")]
    files = write_report(results, tmp_path / "report")
    names = {file.name for file in files}
    assert {"strength.png", "tricks.png", "gongor_bids.png", "gongor_measures.png", "gongor_endings.png"} <= names
    page = files[0].read_text(encoding="utf-8")
    assert "GongorWhist-v0: hands in which this bid was made" in page
    assert "EckBeginner-v0: rounds with this many tricks" in page
    (tmp_path / "a.json").write_text(results_to_json(results, "the command"))
    done = CliRunner().invoke(report_app, [str(tmp_path / "a.json"), "--out", str(tmp_path / "again")])
    assert done.exit_code == 0, done.output
    assert results_markdown(results).count("\n| `") == 2


def test_simulated_games_are_those_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    keywords: dict[str, Any] = {"scoring": "two_columns", "aces": "pass"}
    whole = simulation.simulate_games(300, "heuristic", **keywords)
    result = evaluate(make_agent("heuristic", make_variant(**keywords)), keywords, 300)
    assert (whole.outcomes == OUTCOMES.index("win")).tolist() == result.games["won"].tolist()
    assert whole.hands.tolist() == result.games["rounds"].tolist()
    for name in ("reasons", "you", "dummy"):
        assert getattr(whole, name).tolist() == result.games[name].tolist()
    monkeypatch.setattr(simulation, "SHARE", 70)
    for processes in (1, 2):
        again = simulation.simulate_games(300, "heuristic", processes=processes, **keywords)
        assert (again.you == whole.you).all()
        assert again.win_rate == whole.win_rate == result.win_rate
    with pytest.raises(ValueError, match="player is 'me'"):
        simulation.simulate_games(3, "me")
