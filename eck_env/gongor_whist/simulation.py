"""Many whole games of Gongor Whist inside compiled code, played by a compiled player: for statistics.

    from eck_env.gongor_whist.simulation import simulate_games

    if __name__ == "__main__":  # only where processes > 1
        print(simulate_games(1_000_000, "heuristic", processes=2).win_rate)

The game of seed s is what `GongorEnv` deals after `reset(seed=s)`. What comes out depends on seeds, player and variant
alone, not on the number of processes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from eck_env.base.simulation import spread
from eck_env.batch import TRAINING_SEEDS, WON
from eck_env.checks import choice
from eck_env.gongor_whist.engine import plain_setup
from eck_env.gongor_whist.players import PLAYERS
from eck_env.gongor_whist.playouts import play_games
from eck_env.gongor_whist.rules import NUM_BIDS
from eck_env.gongor_whist.state import SCRIPT_SIZE, new_games
from eck_env.gongor_whist.variant import Variant, make_variant

BATCH = 1024
"""Records in use at a time; they stay in the processor's cache."""
SHARE = 16 * BATCH
"""Games that a process is handed at a time."""


@dataclass(frozen=True, eq=False)
class GamesResult:
    """Games that were played to their ends.

    Attributes:
        outcomes: `batch.WON`, `LOST` or `DRAWN`, shape (n,), int8.
        hands: The hands of each game, shape (n,), int32.
        reasons: Why it was lost, flags `rules.BY_...`, shape (n,), int8; 0 for a win or a draw.
        you: Your points at the end, shape (n,), int16.
        dummy: The dummy's, likewise.
    """

    outcomes: NDArray[np.int8]
    hands: NDArray[np.int32]
    reasons: NDArray[np.int8]
    you: NDArray[np.int16]
    dummy: NDArray[np.int16]

    @property
    def win_rate(self) -> float:
        """The share of the games that was won."""
        return float((self.outcomes == WON).mean())


def simulate_games(
    games: int,
    player: str = "random",
    first_seed: int = TRAINING_SEEDS,
    processes: int = 1,
    scoring: str = "shut_the_box",
    aces: str = "game",
    max_hands: int | None = None,
) -> GamesResult:
    """Play whole games.

    Args:
        games: How many; game i is the first one of seed `first_seed` + i.
        player: ``"random"`` or ``"heuristic"``.
        first_seed: The seed of the first game; those from 2**30 up are meant for evaluation.
        processes: Processes to spread them over. With more than 1 the calling program needs the usual
            ``if __name__ == "__main__":``.
        scoring: See `GongorEnv`; so for the last two.
        aces: See `GongorEnv`.
        max_hands: See `GongorEnv`.

    Raises:
        ValueError: If a value is not allowed.
    """
    variant = make_variant(scoring, aces, max_hands)
    play = partial(_play_games, variant=variant, player=PLAYERS[choice(player, tuple(PLAYERS), "player")])
    outcomes, hands, reasons, you, dummy = spread(play, games, "games", first_seed, processes, SHARE)
    return GamesResult(
        outcomes.astype(np.int8), hands, reasons.astype(np.int8), you.astype(np.int16), dummy.astype(np.int16)
    )


def _play_games(share: tuple[int, int], variant: Variant, player: int) -> NDArray[np.int32]:
    """Return outcomes, hands, reasons and points of the games of a share: its first seed and its size."""
    first_seed, count = share
    columns = np.zeros((5, count), np.int32)
    for start in range(0, count, BATCH):
        games = new_games(min(BATCH, count - start), variant)
        games["seed"] = first_seed + start + np.arange(len(games))
        setup = plain_setup(np.zeros((len(games), 0, SCRIPT_SIZE), np.int8))
        play_games(games, player, setup, np.zeros((3, NUM_BIDS), np.int64))
        columns[0, start : start + len(games)] = games["outcome"]
        columns[1, start : start + len(games)] = games["hand_number"] + 1
        for row, name in enumerate(("reasons", "you", "dummy"), 2):
            columns[row, start : start + len(games)] = games[name]
    return columns
