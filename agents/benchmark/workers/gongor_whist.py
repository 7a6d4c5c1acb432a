"""Measures Gongor Whist as ECK is measured: the vector environment, and games played by compiled players."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from agents.benchmark.workers.eck import batch_row
from agents.benchmark.workers.serve import Row, serve
from eck_env import GongorVectorEnv
from eck_env.gongor_whist.players import PLAYERS
from eck_env.gongor_whist.playouts import play_games
from eck_env.gongor_whist.rules import NUM_BIDS
from eck_env.gongor_whist.settings import make_settings
from eck_env.gongor_whist.state import SCRIPT_SIZE, new_games
from eck_env.gongor_whist.variant import SCORINGS

BATCH = 1024


def vector(scoring: str) -> Row:
    """Return the vector environment of a variant: observation, mask, reward, flags, infos with masks, autoreset."""
    return batch_row(GongorVectorEnv(BATCH, scoring=scoring))


def playouts(player: str, scoring: str, games: int) -> Row:
    """Return whole games inside compiled code, dealing included; each block plays other games."""
    settings = make_settings(scoring)
    records = new_games(games, settings.variant)
    setup = settings.setup(np.zeros((games, 0, SCRIPT_SIZE), np.int8))
    seeds = iter(range(2**30, 2**62, games))

    def run() -> int:
        records["seed"] = np.arange(games) + next(seeds)
        hands = np.zeros((3, NUM_BIDS), np.int64)
        play_games(records, PLAYERS[player], setup, hands)
        return int(hands[2].sum())

    return Row(run)


ROWS: dict[str, Callable[[], Any]] = {
    **{f"vector {scoring}": partial(vector, scoring) for scoring in SCORINGS},
    "games random": partial(playouts, "random", "two_columns", 20_000),
    "games heuristic": partial(playouts, "heuristic", "two_columns", 500),
}

if __name__ == "__main__":
    serve(ROWS)
