"""Flat and nested Monte Carlo search."""

from __future__ import annotations

import numpy as np
import pytest

from agents.agent import make_agent
from agents.evaluation import evaluate
from agents.halving import Milliseconds
from agents.monte_carlo import MonteCarloAgent
from agents.random_agent import RandomAgent
from eck_env import EckVectorEnv, load_round_values
from eck_env.eck.cards import card_kind
from eck_env.eck.variant import make_variant
from search_helpers import check_time

VALUES = load_round_values(make_variant(2))


def test_search_is_far_ahead_of_random_play() -> None:
    search = evaluate(MonteCarloAgent(VALUES, 16), "EckBeginner-v0", 300)
    random = evaluate(RandomAgent(), "EckBeginner-v0", 300)
    assert search.interval[0] > random.interval[1] + 0.05


def test_choices_depend_on_neither_batch_nor_hidden_order() -> None:
    env = EckVectorEnv(12, target=2)
    observations, info = env.reset(seed=2**30)
    masks, keys = info["action_mask"], np.stack([np.arange(12)] * 3, axis=1)
    agent = MonteCarloAgent(VALUES, 8)
    together = agent.act(observations, masks, keys)
    alone = [int(agent.act(observations[i : i + 1], masks[i : i + 1], keys[i : i + 1])[0]) for i in range(12)]
    assert together.tolist() == alone
    assert masks[np.arange(12), together].all()


def test_sees_what_decides_the_last_tricks() -> None:
    """Two tricks to go, 5 taken: R8 takes the sixth now, and R2 hardly ever takes a seventh."""
    env = EckVectorEnv(1, target=2)
    env.reset(seed=2**30)
    state = env.state_dict(0)
    deck = ["G2", "G3", "B4"]
    others = [card for card in state["face_down"] if card not in (*deck, "R8", "R2", "R5")]
    face_down = deck + others[: 29 - 1 - 11 - len(deck)]
    state |= {"hand": ["R2", "R8"], "face_down": face_down, "lead": "R5", "leader": "eck", "tricks_won": 5}
    state |= {"tricks_lost": 6, "tied": 0, "face_up": []}
    observations, info = env.set_state(0, state)
    choices = {
        int(MonteCarloAgent(VALUES, 64).act(observations, info["action_mask"], np.array([[0, 0, number]]))[0])
        for number in range(5)
    }
    assert choices == {card_kind("R8")}


@pytest.mark.parametrize("spec", ["mc:2ms", "mc:2ms:2", "mc:1.5ms:heuristic"])
def test_search_by_the_clock(spec: str) -> None:
    result = evaluate(make_agent(spec, make_variant(2)), "EckBeginner-v0", 20)
    assert result.agent == spec
    assert result.summary()["illegal_actions"] == 0
    assert result.win_rate > 0.5


def test_time_is_kept_on_average_and_forced_cards_take_none() -> None:
    env = EckVectorEnv(20, target=2)
    observations, info = env.reset(seed=2**30)
    agent, masks = MonteCarloAgent(VALUES, Milliseconds(10)), info["action_mask"]
    keys = np.stack([np.arange(20)] * 3, axis=1)
    check_time(agent, 10, observations, masks, keys)


def test_what_it_judges_depends_on_the_key_and_not_on_what_was_judged_before() -> None:
    env = EckVectorEnv(1, target=2)
    observations, info = env.reset(seed=2**30)
    mask = info["action_mask"][0] != 0
    for agent in (
        MonteCarloAgent(VALUES, 8),
        MonteCarloAgent(VALUES, Milliseconds(1)),
        MonteCarloAgent(VALUES, 2, inner=1),
    ):
        first = agent.judge(observations[0], mask, [5, 0, 0], 4)
        agent.act(observations, info["action_mask"], np.array([[1, 2, 3]]))
        assert agent.judge(observations[0], mask, [5, 0, 0], 4).tolist() == first.tolist()
        assert (first[~mask] == 0).all()
        assert ((first[mask] > 0) & (first[mask] <= 1)).all()
