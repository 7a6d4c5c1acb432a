"""Whole games and rounds inside compiled code: equal to the environments', and to themselves over any processes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eck_env
from agents.heuristic import HeuristicAgent
from eck_env import EckEnv, simulate_games, simulate_rounds
from eck_env.eck import simulation
from eck_env.eck.rules import LOST, WON
from test_statistics import TRICKS

HARD = {"target": 3, "trick_cards": ("2", "4", "12", "13/0")}
KEYS = np.zeros((1, 3), np.int64)


def play_env(seed: int, options: dict[str, Any] | None, until: str, **keywords: Any) -> tuple[dict[str, Any], int]:
    """Let the heuristic agent, which draws no random numbers, play one game until an info has this key."""
    env, agent, rounds = EckEnv(**keywords), HeuristicAgent(), 0
    observation, info = env.reset(seed=seed, options=options)
    while until not in info:
        action = agent.act(observation[np.newaxis], info["action_mask"][np.newaxis], KEYS)[0]
        observation, _, _, _, info = env.step(action)
        rounds += "round" in info
    return info, rounds


@pytest.mark.parametrize("keywords", [{}, HARD, {"target": 7, "circle_follow": "same"}])
def test_games_are_those_of_the_environment(keywords: dict[str, Any]) -> None:
    result = simulate_games(12, "heuristic", first_seed=77, **keywords)
    for index in range(12):
        info, rounds = play_env(77 + index, None, "outcome", **keywords)
        assert result.outcomes[index] == (WON if info["outcome"] == "win" else LOST)
        assert result.rounds[index] == rounds
        assert (result.reasons[index] == 0) == (info["outcome"] == "win")


@pytest.mark.parametrize("table", [{}, {"trick_cards": {"8": "gray", "6": "yours"}, "counter": "2"}])
def test_rounds_are_those_of_the_environment(table: dict[str, Any]) -> None:
    tricks = simulate_rounds(12, "heuristic", first_seed=5, table=table)
    assert tricks.tolist() == [play_env(5 + index, table, "round")[0]["round"]["tricks_won"] for index in range(12)]


def test_the_table_matters_to_those_who_look_at_it() -> None:
    gray = {"trick_cards": dict.fromkeys(("2", "4", "6", "8", "10", "12"), "gray"), "counter": "2"}
    assert (simulate_rounds(500, "random") == simulate_rounds(500, "random", table=gray)).all()
    assert (simulate_rounds(500, "heuristic") != simulate_rounds(500, "heuristic", table=gray)).any()


def test_processes_and_shares_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, rounds = simulate_games(3000, target=2), simulate_rounds(3000)
    monkeypatch.setattr(simulation, "SHARE", 701)
    monkeypatch.setattr(simulation, "BATCH", 64)
    for processes in (1, 2):
        again = simulate_games(3000, target=2, processes=processes)
        for name in ("outcomes", "rounds", "reasons"):
            assert (getattr(again, name) == getattr(whole, name)).all()
        assert (simulate_rounds(3000, processes=processes) == rounds).all()


def test_seeds_name_the_games() -> None:
    whole, part = simulate_games(300), simulate_games(100, first_seed=2**30 + 200)
    assert (whole.outcomes[200:] == part.outcomes).all()
    assert (whole.rounds[200:] == part.rounds).all()


@pytest.mark.parametrize(
    ("player", "target", "games", "rate", "slack"),
    [("random", 4, 20_000, 13.5, 1.0), ("random", 2, 20_000, 59.2, 1.5), ("heuristic", 4, 2_000, 34, 4)],
)
def test_win_rates(player: str, target: int, games: int, rate: float, slack: float) -> None:
    result = simulate_games(games, player, target=target)
    assert 100 * result.win_rate == pytest.approx(rate, abs=slack)
    assert (result.outcomes == WON).sum() == (result.reasons == 0).sum()
    assert result.decisions == 13 * result.rounds.sum()
    if (player, target) == ("random", 4):
        assert result.rounds.mean() == pytest.approx(5.3, abs=0.1)


def test_tricks_of_random_play() -> None:
    """The compiled random player takes each legal kind equally often, the reference figures each card: 0.1 apart."""
    shares = 100 * np.bincount(simulate_rounds(200_000), minlength=14) / 200_000
    for share, expected in zip(shares, TRICKS, strict=True):
        assert share == pytest.approx(expected, abs=0.25)


@pytest.mark.slow
def test_millions_of_rounds_and_games_on_two_cores() -> None:
    shares = 100 * np.bincount(simulate_rounds(2_000_000, processes=2), minlength=14) / 2_000_000
    for share, expected in zip(shares, TRICKS, strict=True):
        assert share == pytest.approx(expected, abs=0.15)
    assert 100 * simulate_games(1_000_000, processes=2).win_rate == pytest.approx(13.5, abs=0.2)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"games": 0}, "games is 0"),
        ({"games": 1.5}, "games is 1.5"),
        ({"player": "heuristc"}, "did you mean 'heuristic'"),
        ({"first_seed": -1}, "first_seed is -1"),
        ({"processes": 0}, "processes is 0"),
        ({"target": 8}, "target is 8"),
    ],
)
def test_bad_games_are_refused(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        simulate_games(**{"games": 10} | keywords)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"trickcards": {}}, "did you mean 'trick_cards'"),
        ({"trick_cards": {"3": "gray"}}, "3"),
        ({"counter": "X"}, "counter"),
        ({"trick_cards": dict.fromkeys(("2", "4", "6", "8"), "yours")}, "win the game already"),
        ({"trick_cards": {"2": "eck"}}, "ends the game"),
    ],
)
def test_bad_tables_are_refused(table: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        simulate_rounds(10, table=table)


def test_public_names() -> None:
    assert eck_env.simulate_games is simulation.simulate_games
    assert {"simulate_games", "simulate_rounds", "GamesResult"} <= set(eck_env.__all__)
