"""What can be done with a state in every game: there and back, copies, and drawing anew what is hidden."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import numpy as np
import pytest

from eck_env.base.env import GameEnv
from eck_helpers import plain
from game_helpers import Kit, over_variants, play_on

MOMENTS = (0, 1, 2, 3, 7, 12, 20, 33)
"""After how many actions a game is looked at."""


def somewhere(kit: Kit, number: int, steps: int, **keywords: Any) -> GameEnv:
    """Return an environment after so many actions, in a later game if one ends before."""
    env: GameEnv = kit.env(**kit.variants[number], **keywords)
    env.reset(seed=41)
    generator = Random(steps)
    for _ in range(steps):
        if play_on(env, generator, 1)[0][2]:
            env.reset()
    return env


def future(env: GameEnv, seed: int) -> list[Any]:
    """Return all that happens until the end of this game and in the one after it, by seeded play."""
    generator = Random(seed)
    records = play_on(env, generator)
    records.append(plain(env.reset()))
    return records + play_on(env, generator)


def observed(env: GameEnv) -> Any:
    """Return observation and mask as they stand, by way of an environment of the same state."""
    return plain(env.copy().set_state(env.state_dict()))


@over_variants
@pytest.mark.parametrize("steps", MOMENTS)
def test_a_state_goes_through_json(kit: Kit, number: int, steps: int) -> None:
    """It has the same future in another environment, later games included."""
    env = somewhere(kit, number, steps)
    state = env.state_dict()
    text = json.dumps(state)
    other = kit.env(**kit.variants[number])
    assert plain(other.set_state(json.loads(text))) == observed(env)
    assert json.dumps(other.state_dict()) == text
    assert (other.action_masks() == env.action_masks()).all()
    assert future(other, steps) == future(env, steps)


@over_variants
@pytest.mark.parametrize("steps", MOMENTS)
def test_a_copy_is_independent(kit: Kit, number: int, steps: int) -> None:
    env = somewhere(kit, number, steps)
    state = env.state_dict()
    copied, again = env.copy(), env.copy()
    expected = future(copied, steps)
    assert env.state_dict() == again.state_dict() == state
    assert future(env, steps) == expected
    assert again.state_dict() == state
    assert future(again, steps) == expected


@over_variants
@pytest.mark.parametrize("steps", MOMENTS)
def test_drawing_anew_changes_only_what_is_hidden(kit: Kit, number: int, steps: int) -> None:
    """What the player sees stays as it is, in words and pictures too; the same generator draws the same."""
    env = somewhere(kit, number, steps, render_mode="ansi")
    state, seen, text = env.state_dict(), observed(env), env.render()
    same = env.copy()
    same.determinize(np.random.default_rng(steps))
    env.determinize(np.random.default_rng(steps))
    after = env.state_dict()
    assert after == same.state_dict()
    assert after.keys() == state.keys()
    assert after["seed"] != state["seed"]
    assert 0 <= after["seed"] < 2**63
    assert observed(env) == seen
    assert env.render() == text
    assert other_orders(kit, number, steps) > 1
    assert future(env, steps) == future(same, steps)


def other_orders(kit: Kit, number: int, steps: int) -> int:
    """Return how many hidden orders several draws give."""
    found = set()
    for seed in range(4):
        env = somewhere(kit, number, steps)
        env.determinize(np.random.default_rng(seed))
        found.add(json.dumps(env.state_dict(), sort_keys=True))
    return len(found)


@over_variants
def test_what_is_no_state_is_refused(kit: Kit, number: int) -> None:
    """And changes nothing."""
    env = somewhere(kit, number, 5)
    state, seen = env.state_dict(), observed(env)
    broken: list[Any] = [None, [], "state", 3, {}, {**state, "extra": 1}, {**state, "seed": -1}, {**state, "game": "1"}]
    broken += [{key: value for key, value in state.items() if key != "seed"}, {**state, "outcome": "wins"}]
    for wrong in broken:
        with pytest.raises((ValueError, TypeError)):
            env.set_state(wrong)
        assert env.state_dict() == state
    assert observed(env) == seen


@over_variants
def test_a_generator_is_asked_for(kit: Kit, number: int) -> None:
    env = somewhere(kit, number, 5)
    state = env.state_dict()
    for wrong in (None, 3, Random(1), np.random.RandomState(1)):
        with pytest.raises((ValueError, TypeError), match="Generator"):
            env.determinize(wrong)  # type: ignore[arg-type]
    assert env.state_dict() == state
