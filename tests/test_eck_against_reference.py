"""The engine against the slow reference, on every state of random games over all variants."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from eck_env import EckEnv
from eck_helpers import NUM_ACTIONS, EngineSource, all_variants, choose, legal_actions
from reference.eck import KINDS, ReferenceGame

VARIANTS = all_variants()
STYLES = ("any", "any", "low", "high")
QUICK_GAMES = 300
SLOW_GAMES = 10_000


def start_options(generator: Random, variant: dict[str, Any]) -> dict[str, Any]:
    """Return trick cards and counter to start from: mostly those of a new game."""
    if generator.random() < 0.7:
        return {}
    statuses: dict[str, str] = {}
    for name in variant["trick_cards"]:
        free = ["colored"] + ["gray"] * (name != "13/0")
        if list(statuses.values()).count("yours") < variant["target"] - 1:
            free.append("yours")
        statuses[name] = generator.choice(free)
    return {"trick_cards": statuses, "counter": generator.choice("012")}


def compare_state(env: EckEnv, reference: ReferenceGame, source: EngineSource, observation: Any) -> None:
    """Compare everything that can be seen between two plays."""
    state = env.state_dict()
    expected = reference.state()
    assert {key: state[key] for key in expected} == expected
    assert state["reshuffles"] == source.reshuffles
    assert state["over"] == (expected["outcome"] is not None)
    seen = reference.observation()
    if isinstance(observation, dict):
        assert {name: part.tolist() for name, part in observation.items()} == seen
    else:
        assert observation.tolist() == [number for part in seen.values() for number in part]


def compare_game(number: int, generator: Random, variant: dict[str, Any]) -> int:
    """Play one game on both sides, comparing as it goes on; return the number of states."""
    dtype, kind = generator.choice([("int8", "flat"), ("int8", "dict"), ("float32", "flat"), ("float32", "dict")])
    env = EckEnv(**variant, dtype=dtype, observation=kind)
    options = start_options(generator, variant)
    observation, info = env.reset(seed=number * 7919, options=options)
    source = EngineSource(env.state_dict())
    reference = ReferenceGame(source, **variant, start=options.get("trick_cards"), counter=options.get("counter", "0"))
    style = generator.choice(STYLES)
    states, outcome = 1, None
    compare_state(env, reference, source, observation)
    while outcome is None:
        assert legal_actions(info) == reference.legal()
        assert np.flatnonzero(env.action_masks()).tolist() == reference.legal()
        action = choose(reference.legal(), style, generator)
        observation, reward, terminated, truncated, info = env.step(action)
        if "round" in info and not terminated:
            source.state = env.state_dict()
        step = reference.play(KINDS[action])
        outcome = step.outcome
        expected: dict[str, Any] = {"trick": step.trick}
        if step.round is not None:
            expected["round"] = step.round
        if outcome is not None:
            expected |= {"outcome": outcome, "reasons": step.reasons}
        assert {key: part for key, part in info.items() if key != "action_mask"} == expected
        assert reward == {None: 0.0, "win": 1.0, "loss": -1.0}[outcome]
        assert (terminated, truncated) == (outcome is not None, False)
        compare_state(env, reference, source, observation)
        states += 1
    assert info["action_mask"].tolist() == [1] * NUM_ACTIONS
    assert env.state_dict()["reasons"] == step.reasons
    return states


def test_random_games() -> None:
    """300 games, each in another variant."""
    generator = Random(11)
    states = sum(
        compare_game(number, generator, variant)
        for number, variant in enumerate(generator.sample(VARIANTS, QUICK_GAMES))
    )
    assert states > 30 * QUICK_GAMES


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.exhaustive) for part in range(1, 10))])
def test_many_random_games(part: int) -> None:
    """10,000 games; every variant at least eleven times."""
    generator = Random(100 + part)
    for number in range(part, SLOW_GAMES, 10):
        compare_game(number, generator, VARIANTS[number % len(VARIANTS)])


def test_variants_are_all_there_are() -> None:
    assert len(VARIANTS) == 2 * 7 * 2**6
