"""Measures the card games of RLCard and of PettingZoo (which wraps RLCard's), one step at a time from Python."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from agents.benchmark.workers.serve import Row, serve

RLCARD = ("blackjack", "leduc-holdem", "limit-holdem", "uno", "gin-rummy")
PETTINGZOO = ("leduc_holdem_v4", "texas_holdem_v4", "texas_holdem_no_limit_v6")
_RECORDED = 1500


def rlcard_game(name: str) -> Row:
    """Return whole games on recorded legal actions; each step returns the next player's observation and mask."""
    env: Any = import_module("rlcard").make(name, config={"seed": 1})
    generator = random.Random(1)
    games: list[list[int]] = []
    while sum(map(len, games)) < _RECORDED:
        state, _ = env.reset()
        games.append([])
        while not env.is_over():
            games[-1].append(generator.choice(list(state["legal_actions"])))
            state, _ = env.step(games[-1][-1])

    def run() -> int:
        for actions in games:
            env.reset()
            for action in actions:
                env.step(action)
        return sum(map(len, games))

    return Row(run, lambda: env.seed(1))


def pettingzoo_game(name: str) -> Row:
    """Return whole games on recorded legal actions: `last` (observation with mask) and `step` for each player."""
    env: Any = import_module(f"pettingzoo.classic.{name}").env()
    generator = random.Random(1)
    games: list[list[int | None]] = []
    while sum(map(len, games)) < _RECORDED:
        env.reset(seed=len(games))
        games.append([])
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            mask = observation["action_mask"]
            over = terminated or truncated
            games[-1].append(None if over else generator.choice([int(action) for action in mask.nonzero()[0]]))
            env.step(games[-1][-1])

    def run() -> int:
        for seed, actions in enumerate(games):
            env.reset(seed=seed)
            for action in actions:
                env.last()
                env.step(action)
        return sum(action is not None for actions in games for action in actions)

    return Row(run)


ROWS: dict[str, Callable[[], Row]] = {f"rlcard {name}": partial(rlcard_game, name) for name in RLCARD}
ROWS |= {f"pettingzoo {name}": partial(pettingzoo_game, name) for name in PETTINGZOO}

if __name__ == "__main__":
    serve(ROWS)
