"""Advice: by any agent, within the time chosen, from what a player knows alone; and the rating of replays."""

from __future__ import annotations

import math
import time
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from agents.agent import make_agent
from agents.coach import MAX_SECONDS, Advice, rate, summary_of
from agents.eck_coach import Coach
from eck_env import EckEnv
from eck_env.eck.cards import NAMES
from eck_env.eck.replay import RecordReplay, Replay, ReplayError
from eck_env.eck.variant import Variant, make_variant
from eck_helpers import legal_actions

POLICY = str(Path(__file__).resolve().parents[1] / "agents" / "pretrained" / "Eck-v0.onnx")
STANDARD = Variant()
UNKNOWN = make_variant(2, ("4", "8"))
"""A variant that no table of round values is shipped for."""
SPECS = ("random", "heuristic", "mc:8", "mc:8:heuristic", "mc:2:2", POLICY, f"mc:2:{POLICY}")


def positions(seed: int, count: int) -> list[tuple[Any, Any, tuple[int, int, int]]]:
    """Return positions of random play in which there is a choice."""
    env, generator = EckEnv(), Random(seed)
    observation, info = env.reset(seed=seed)
    found: list[tuple[Any, Any, tuple[int, int, int]]] = []
    number = 0
    while len(found) < count:
        legal = legal_actions(info)
        if len(legal) > 1 and generator.random() < 0.3:
            found.append((observation, info["action_mask"], (seed, 0, number)))
        observation, _, terminated, _, info = env.step(generator.choice(legal))
        number += 1
        if terminated:
            observation, info = env.reset()
    return found


def check(advice: Advice, mask: Any) -> None:
    legal = {NAMES[kind] for kind in np.flatnonzero(mask)}
    assert set(advice.probabilities) == legal
    assert math.isclose(sum(advice.probabilities.values()), 1, abs_tol=1e-6)
    assert {advice.card, advice.choice} <= legal
    for scores in (advice.values, advice.chances):
        assert scores is None or (set(scores) == legal and all(0 <= score <= 1 for score in scores.values()))
    assert all(cost is None or cost >= 0 for cost in map(advice.cost, legal))


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: str(spec).replace(POLICY, "policy"))
@pytest.mark.parametrize("seconds", [0, 0.02])
def test_advice_of_any_agent(spec: str, seconds: float) -> None:
    coach, agent = Coach(spec, STANDARD), make_agent(spec, STANDARD)
    coach.warm_up()
    for observation, mask, key in positions(3, 5):
        advice = coach.advise(observation, mask, key, seconds)
        check(advice, mask)
        own = agent.act(observation[None], mask[None], np.array([key]))[0]
        assert advice.choice == NAMES[own]
        assert (advice.chances is not None) == (seconds > 0)
        assert (advice.playouts > 0) == (seconds > 0)
        assert advice.note is None
        if seconds:
            assert advice.chances is not None
            assert advice.chances[advice.card] == max(advice.chances.values())
        else:
            assert advice.card == advice.choice


def test_a_policy_says_probabilities_and_values() -> None:
    coach = Coach(POLICY, STANDARD)
    errors = []
    for observation, mask, key in positions(5, 20):
        advice = coach.advise(observation, mask, key)
        assert advice.probabilities[advice.choice] == max(advice.probabilities.values())
        assert advice.values is not None
        assert advice.value is not None
        # What the network sees now and what it sees a trick later agree, on average over what it would play.
        ahead = sum(advice.values[card] * share for card, share in advice.probabilities.items())
        errors.append(abs(ahead - advice.value))
    assert np.mean(errors) < 0.08


def test_values_and_search_agree() -> None:
    """The network's look ahead and playouts by the same policy see about the same chances, card by card."""
    coach = Coach(POLICY, STANDARD)
    coach.warm_up()
    values: list[float] = []
    chances: list[float] = []
    for observation, mask, key in positions(7, 25):
        advice = coach.advise(observation, mask, key, 0.2)
        assert advice.values is not None
        assert advice.chances is not None
        values += advice.values.values()
        chances += [advice.chances[card] for card in advice.values]
    assert abs(np.mean(values) - np.mean(chances)) < 0.05
    assert np.corrcoef(values, chances)[0, 1] > 0.8


def test_advice_depends_on_what_a_player_knows_alone() -> None:
    coach = Coach(POLICY, STANDARD)
    observation, mask, key = positions(9, 1)[0]
    first, again = (coach.advise(observation, mask, key) for _ in range(2))
    assert first._replace(seconds=0) == again._replace(seconds=0)


def test_the_shipped_policy_advises_within_100_ms() -> None:
    coach = Coach(POLICY, STANDARD)
    coach.warm_up()
    for observation, mask, key in positions(11, 20):
        start = time.process_time()
        coach.advise(observation, mask, key)
        assert time.process_time() - start < 0.1


@pytest.mark.parametrize("spec", ["mc:64", "mc:40:16", POLICY], ids=["flat", "nested", "policy"])
def test_search_keeps_to_its_time(spec: str) -> None:
    coach = Coach(spec, STANDARD)
    coach.warm_up()
    observation, mask, key = max(positions(13, 20), key=lambda position: int(position[1].sum()))
    advice = coach.advise(observation, mask, key, 0.3)
    assert 0.1 < advice.seconds < 2  # the machine may be busy with other things
    assert advice.playouts > 10


def test_a_forced_card_costs_nothing() -> None:
    env = EckEnv()
    observation, info = env.reset(seed=3)
    generator = Random(1)
    while len(legal_actions(info)) > 1:
        observation, _, _, _, info = env.step(generator.choice(legal_actions(info)))
    coach = Coach("mc:8", STANDARD)
    advice = coach.advise(observation, info["action_mask"], (3, 0, 1), 5.0)
    assert advice.seconds < 1
    assert advice.chances is None
    assert advice.cost(advice.card) == 0
    assert advice.cost("nonsense") == 0


def test_a_variant_without_a_table() -> None:
    for spec in ("random", "heuristic", POLICY):
        coach = Coach(spec, UNKNOWN)
        coach.warm_up()
        assert not coach.can_search
        env = EckEnv(target=2, trick_cards=("4", "8"))
        observation, info = env.reset(seed=1)
        advice = coach.advise(observation, info["action_mask"], (1, 0, 0), 0.1)
        check(advice, info["action_mask"])
        assert (advice.values, advice.chances) == (None, None)
        assert advice.note is not None
        assert "round_value_iteration" in advice.note
        assert ("trained for Eck-v0" in advice.note) == (spec == POLICY)
    with pytest.raises(ValueError, match="round values"):
        Coach("mc:8", UNKNOWN)


def test_a_policy_of_another_variant_says_so() -> None:
    env = EckEnv(target=2)
    observation, info = env.reset(seed=1)
    advice = Coach(POLICY, make_variant(2)).advise(observation, info["action_mask"], (1, 0, 0))
    assert advice.note is not None
    assert "trained for Eck-v0, and plays EckBeginner-v0" in advice.note
    assert advice.values is not None


@pytest.mark.parametrize("seconds", [-1, MAX_SECONDS + 1, math.nan])
def test_times_that_are_refused(seconds: float) -> None:
    env = EckEnv()
    observation, info = env.reset(seed=1)
    with pytest.raises(ValueError, match="seconds"):
        Coach("random", STANDARD).advise(observation, info["action_mask"], (1, 0, 0), seconds)


def test_agents_that_there_are_not(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="did you mean 'random'"):
        Coach("randm", STANDARD)
    with pytest.raises(FileNotFoundError):
        Coach(str(tmp_path / "none.onnx"), STANDARD)


# --- Rating ----------------------------------------------------------------------------------------------------------


def play(spec: str, seed: int) -> Replay:
    env, agent = RecordReplay(EckEnv()), make_agent(spec)
    observation, info = env.reset(seed=seed)
    terminated, number = False, 0
    while not terminated:
        key = np.array([[seed, 0, number]])
        action = agent.act(observation[None], info["action_mask"][None], key)[0]
        observation, _, terminated, _, info = env.step(action)
        number += 1
    return env.replay


def test_rating_of_the_policy_by_itself() -> None:
    coach, replay = Coach(POLICY, STANDARD), play(POLICY, 1)
    rated = list(rate(replay, coach))
    assert [entry.number for entry in rated] == list(range(len(replay.cards)))
    assert [entry.card for entry in rated] == list(replay.cards)
    assert all(entry.card == entry.advice.card for entry in rated)
    figures = summary_of(rated)
    assert figures["as_advised"] == figures["decisions"] > 10


def test_rating_tells_good_play_from_bad() -> None:
    coach = Coach(POLICY, STANDARD)
    costs = {}
    for spec in ("random", POLICY):
        figures = [summary_of(list(rate(play(spec, seed), coach))) for seed in range(3)]
        costs[spec] = sum(entry["cost"] for entry in figures) / sum(entry["decisions"] for entry in figures)
    assert costs[POLICY] < costs["random"] / 2


def test_rating_without_scores() -> None:
    rated = list(rate(play("random", 2), Coach("heuristic", STANDARD)))
    figures = summary_of(rated)
    assert figures["worst"] is None
    assert figures["cost"] is None
    assert summary_of([]) == {"decisions": 0, "as_advised": 0, "cost": None, "worst": None}


def test_rating_of_a_replay_that_does_not_fit() -> None:
    with pytest.raises(ReplayError, match="card 1"):
        list(rate(Replay(STANDARD, 1, 0, ("K", "K", "K", "K")), Coach("random", STANDARD)))
