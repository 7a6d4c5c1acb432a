"""The engine of Gongor Whist against the slow reference, on every state of random games over all variants."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from eck_env import GongorEnv
from gongor_helpers import NUM_ACTIONS, VARIANTS, EngineSource, choose, legal_names
from reference.gongor_whist import ACTIONS, ReferenceGame

STYLES = ("any", "made", "made", "twiddle", "keep")
QUICK_GAMES = 240
SLOW_GAMES = 10_000
REWARDS = {None: 0.0, "win": 1.0, "loss": -1.0, "draw": 0.0}


def compare_state(env: GongorEnv, reference: ReferenceGame, observation: Any) -> None:
    """Compare everything that can be seen between two actions."""
    state, expected = env.state_dict(), reference.state()
    assert {key: state[key] for key in expected} == expected
    seen = reference.observation()
    if isinstance(observation, dict):
        assert {name: part.tolist() for name, part in observation.items()} == seen
    else:
        assert observation.tolist() == [number for part in seen.values() for number in part]


def compare_game(number: int, generator: Random, variant: dict[str, Any]) -> dict[str, Any]:
    """Play one game on both sides, comparing as it goes on; return what was met in it."""
    dtype, kind = generator.choice([("int8", "flat"), ("int8", "dict"), ("float32", "flat"), ("float32", "dict")])
    if variant["scoring"] == "first_edition":
        variant = variant | {"max_hands": generator.choice([1, 5, 12, 40, 100])}
    env = GongorEnv(**variant, dtype=dtype, observation=kind)
    seed, game = number * 7919, 0
    observation, info = env.reset(seed=seed)
    if number % 5 == 0:
        observation, info = env.reset()
        game = 1
    reference = ReferenceGame(EngineSource(seed, game), **variant)
    style = generator.choice(STYLES)
    states, outcome, no_trump = 1, None, False
    compare_state(env, reference, observation)
    while outcome is None:
        legal = reference.legal()
        assert legal_names(info["action_mask"]) == legal
        assert legal_names(env.action_masks()) == legal
        action = choose([ACTIONS.index(name) for name in legal], reference.state(), style, generator)
        observation, reward, terminated, truncated, info = env.step(action)
        step = reference.act(ACTIONS[action])
        outcome = step.outcome
        expected: dict[str, Any] = {}
        if step.trick is not None:
            expected["trick"] = step.trick
            no_trump |= step.trick["trump"] is None
        if step.hand is not None:
            expected["hand"] = step.hand
        if outcome is not None:
            expected |= {"outcome": outcome, "reasons": step.reasons}
        assert {key: part for key, part in info.items() if key != "action_mask"} == expected
        assert reward == REWARDS[outcome]
        assert (terminated, truncated) == (outcome is not None, False)
        compare_state(env, reference, observation)
        states += 1
    assert info["action_mask"].tolist() == [1] * NUM_ACTIONS
    return {"states": states, "outcome": outcome, "hands": reference.number + 1, "no trump": no_trump}


def test_random_games() -> None:
    """Some games of each variant; together they meet what there is to be met."""
    generator = Random(11)
    met = [compare_game(number, generator, VARIANTS[number % len(VARIANTS)]) for number in range(QUICK_GAMES)]
    assert sum(one["states"] for one in met) > 50 * QUICK_GAMES
    assert {one["outcome"] for one in met} >= {"win", "loss"}
    assert any(one["no trump"] for one in met)
    assert max(one["hands"] for one in met) == 100


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.exhaustive) for part in range(1, 10))])
def test_many_random_games(part: int) -> None:
    """10,000 games over all scorings and both lives of the Aces."""
    generator = Random(100 + part)
    for number in range(part, SLOW_GAMES, 10):
        compare_game(number, generator, VARIANTS[number // 10 % len(VARIANTS)])


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: "-".join(variant.values()))
def test_rewards_by_score(variant: dict[str, Any]) -> None:
    """They add up to the points, as shares of what there is to be had."""
    unit = {"shut_the_box": 8, "two_columns": 35, "first_edition": 50}[variant["scoring"]]
    generator = Random(5)
    env = GongorEnv(**variant, reward="score")
    for seed in range(10):
        _, info = env.reset(seed=seed)
        total, terminated = 0.0, False
        while not terminated:
            legal = np.flatnonzero(info["action_mask"]).tolist()
            _, reward, terminated, _, info = env.step(choose(legal, env.state_dict(), "made", generator))
            assert reward == 0.0 or "hand" in info
            total += reward
        assert total == pytest.approx((info["hand"]["you"] - info["hand"]["dummy"]) / unit)
