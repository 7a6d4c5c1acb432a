"""The random agent: legal, uniform, and a function of its keys alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.agent import Agent, make_agent
from agents.evaluation import evaluate
from agents.random_agent import RandomAgent, choose_uniformly
from eck_env.eck.cards import NUM_KINDS

COUNT = 40_000


def some_masks(count: int) -> NDArray[np.int8]:
    rng = np.random.default_rng(3)
    masks = (rng.random((count, NUM_KINDS)) < rng.random((count, 1))).astype(np.int8)
    masks[np.arange(count), rng.integers(NUM_KINDS, size=count)] = 1
    return masks


def some_keys(count: int, column: int) -> NDArray[np.int64]:
    """Keys that differ in one column alone."""
    keys = np.tile(np.array([2**30 + 5, 0, 7], np.int64), (count, 1))
    keys[:, column] += np.arange(count)
    return keys


def test_is_an_agent() -> None:
    assert isinstance(make_agent("random"), RandomAgent)
    assert isinstance(RandomAgent(), Agent)
    assert RandomAgent().name == "random"


@pytest.mark.parametrize("dtype", [np.int8, np.bool_])
def test_plays_legal_kinds(dtype: type) -> None:
    masks: NDArray[Any] = some_masks(COUNT).astype(dtype)
    actions = RandomAgent().act(np.zeros((COUNT, 259), np.int8), masks, some_keys(COUNT, 0))
    assert actions.shape == (COUNT,)
    assert actions.dtype == np.int64
    assert masks[np.arange(COUNT), actions].all()


def test_forced_plays() -> None:
    masks: NDArray[np.int8] = np.eye(NUM_KINDS, dtype=np.int8)
    assert choose_uniformly(masks, some_keys(NUM_KINDS, 0)).tolist() == list(range(NUM_KINDS))


@pytest.mark.parametrize("column", [0, 1, 2])
@pytest.mark.parametrize("legal", [[0, 37], [3, 4, 20, 36, 37], list(range(NUM_KINDS))])
def test_is_uniform_along_each_part_of_the_key(column: int, legal: list[int]) -> None:
    masks = np.zeros((COUNT, NUM_KINDS), np.int8)
    masks[:, legal] = 1
    actions = choose_uniformly(masks, some_keys(COUNT, column))
    counts = np.bincount(actions, minlength=NUM_KINDS)
    expected = COUNT / len(legal)
    freedom = len(legal) - 1
    chi_square = ((counts[legal] - expected) ** 2 / expected).sum()
    assert counts.sum() == counts[legal].sum()
    assert abs(chi_square - freedom) < 4 * np.sqrt(2 * freedom)
    # Neighbours are as independent as they are uniform.
    share = float((actions[1:] == actions[:-1]).mean())
    rate = 1 / len(legal)
    assert abs(share - rate) < 4 * np.sqrt(rate * (1 - rate) / COUNT)


def test_choices_depend_neither_on_the_batch_nor_on_its_order() -> None:
    count = 500
    masks, keys = some_masks(count), some_keys(count, 0)
    whole = choose_uniformly(masks, keys)
    one_by_one = [int(choose_uniformly(masks[i : i + 1], keys[i : i + 1])[0]) for i in range(count)]
    assert whole.tolist() == one_by_one
    order = np.random.default_rng(1).permutation(count)
    assert (choose_uniformly(masks[order], keys[order]) == whole[order]).all()


def test_large_seeds() -> None:
    keys = np.array([[2**63 - 1, 0, 0], [0, 2**63 - 1, 2**63 - 1]], np.int64)
    masks = some_masks(2)
    assert masks[[0, 1], choose_uniformly(masks, keys)].all()


def test_leaves_the_global_generator_alone() -> None:
    np.random.seed(8)  # noqa: NPY002
    choose_uniformly(some_masks(10), some_keys(10, 0))
    assert np.random.random() == np.random.RandomState(8).random()  # noqa: NPY002


def test_wins_about_as_often_as_two_other_simulators_say() -> None:
    result = evaluate(RandomAgent(), "Eck-v0", 10_000)
    low, high = result.interval
    assert low < 0.135 < high
    assert abs(result.rounds_per_game - 5.3) < 0.1
    assert result.summary()["illegal_actions"] == 0


@pytest.mark.slow
def test_win_rate_over_many_games() -> None:
    result = evaluate(RandomAgent(), "Eck-v0", 200_000)
    assert abs(result.win_rate - 0.135) <= 0.0025
    assert result.summary()["illegal_actions"] == 0
