"""Flat Monte Carlo search."""

from __future__ import annotations

import numpy as np

from agents.evaluation import evaluate
from agents.monte_carlo import MonteCarloAgent
from agents.random_agent import RandomAgent
from eck_env import EckVectorEnv, load_round_values
from eck_env.eck.cards import card_kind
from eck_env.eck.variant import make_variant

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
