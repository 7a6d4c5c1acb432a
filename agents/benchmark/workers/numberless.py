"""Measures the game without numbers: the engine, moved for every seat, and the vector environment of one of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from agents.benchmark.workers import eck
from agents.benchmark.workers.serve import Row, serve
from eck_env import NumberlessVectorEnv
from eck_env.batch import AUTORESET_CODES
from eck_env.numberless.definition import NUMBERLESS
from eck_env.numberless.engine import Setup
from eck_env.numberless.rules import BY_ILLEGAL_ACTION
from eck_env.numberless.variant import make_table

BATCH = 1024


def vector() -> Row:
    """Return the vector environment, in which you decide for one of four seats; your decisions alone are counted."""
    return eck.batch_row(NumberlessVectorEnv(BATCH))


def all_seats() -> Row:
    """Return the compiled call of a step in which whoever is to move decides, all four seats in turn."""
    games = NUMBERLESS.new_games(BATCH, make_table())
    games["seed"] = eck.SEED + np.arange(BATCH)
    setup = Setup(0.0, NUMBERLESS.no_scripts(BATCH))
    outputs = NUMBERLESS.engine.make_outputs(BATCH, np.dtype(np.int8))
    autoreset, generator = AUTORESET_CODES[AutoresetMode.NEXT_STEP], np.random.default_rng(2)
    NUMBERLESS.engine.reset_games(games, np.ones(BATCH, np.bool_), setup, outputs)
    start, actions, decisions = games.copy(), [], 0
    for _ in range(eck.DECISIONS // BATCH):
        actions.append(eck.draw_actions(outputs.masks, generator))
        decisions += BATCH - int(games["over"].sum())
        NUMBERLESS.engine.step_games(games, actions[-1], autoreset, setup, outputs)
        assert not (games["reasons"] & BY_ILLEGAL_ACTION).any()

    def prepare() -> None:
        games[:] = start

    def run() -> int:
        for batch_actions in actions:
            NUMBERLESS.engine.step_games(games, batch_actions, autoreset, setup, outputs)
        return decisions

    return Row(run, prepare)


ROWS: dict[str, Callable[[], Any]] = {"vector": vector, "all seats": all_seats}

if __name__ == "__main__":
    serve(ROWS)
