"""Many whole games or rounds inside compiled code, played by a compiled player: for statistics, on several cores.

    import eck_env

    if __name__ == "__main__":  # only where processes > 1
        print(eck_env.simulate_games(1_000_000, "random", processes=2).win_rate)

The game of seed s is what `EckEnv` deals after `reset(seed=s)`. What comes out depends on seeds, player and variant
alone, not on the number of processes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.base.simulation import spread
from eck_env.batch import TRAINING_SEEDS
from eck_env.checks import choice, unknown_key
from eck_env.eck.cards import DECK_SIZE, HAND_SIZE
from eck_env.eck.engine import START, Setup
from eck_env.eck.options import set_table
from eck_env.eck.players import PLAYERS
from eck_env.eck.playouts import play_games, play_rounds
from eck_env.eck.rules import WON
from eck_env.eck.state import new_games, record
from eck_env.eck.variant import Variant, make_variant

BATCH = 1024
"""Records in use at a time; they stay in the processor's cache."""
SHARE = 64 * BATCH
"""Games that a process is handed at a time."""

_TABLE_KEYS = ("trick_cards", "counter")


@dataclass(frozen=True, eq=False)
class GamesResult:
    """Games that were played to their ends.

    Attributes:
        outcomes: `rules.WON` or `rules.LOST`, shape (n,), int8.
        rounds: The rounds of each game, shape (n,), int32.
        reasons: Why it was lost, flags `rules.BY_...`, shape (n,), int8; 0 for a win.
    """

    outcomes: NDArray[np.int8]
    rounds: NDArray[np.int32]
    reasons: NDArray[np.int8]

    @property
    def win_rate(self) -> float:
        """The share of the games that was won."""
        return float((self.outcomes == WON).mean())

    @property
    def decisions(self) -> int:
        """The cards played in all games together."""
        return HAND_SIZE * int(self.rounds.sum())


def simulate_games(
    games: int,
    player: str = "random",
    first_seed: int = TRAINING_SEEDS,
    processes: int = 1,
    target: int = 4,
    trick_cards: Sequence[str] | None = None,
    circle_follow: str = "any",
) -> GamesResult:
    """Play whole games.

    Args:
        games: How many; game i is the first one of seed `first_seed` + i.
        player: ``"random"`` or ``"heuristic"``.
        first_seed: The seed of the first game; those from 2**30 up are meant for evaluation.
        processes: Processes to spread them over. With more than 1 the calling program needs the usual
            ``if __name__ == "__main__":``.
        target: See `EckEnv`; so for the last two.
        trick_cards: See `EckEnv`.
        circle_follow: See `EckEnv`.

    Raises:
        ValueError: If a value is not allowed.
        TypeError: If `target` is not an integer.
    """
    variant = make_variant(target, trick_cards, circle_follow)
    play = partial(_play_games, variant=variant, player=PLAYERS[choice(player, tuple(PLAYERS), "player")])
    outcomes, rounds, reasons = spread(play, games, "games", first_seed, processes, SHARE)
    return GamesResult(outcomes.astype(np.int8), rounds, reasons.astype(np.int8))


def simulate_rounds(
    rounds: int,
    player: str = "random",
    first_seed: int = TRAINING_SEEDS,
    processes: int = 1,
    table: Mapping[str, Any] | None = None,
    target: int = 4,
    trick_cards: Sequence[str] | None = None,
    circle_follow: str = "any",
) -> NDArray[np.int8]:
    """Play single rounds, all from the same trick cards and counter, and return the tricks you took in each.

    Args:
        rounds: How many; round i is the first one of seed `first_seed` + i.
        player: ``"random"`` or ``"heuristic"``.
        first_seed: The seed of the first round; those from 2**30 up are meant for evaluation.
        processes: As for `simulate_games`.
        table: What lies on the table, as in the options of `EckEnv.reset`, such as
            ``{"trick_cards": {"8": "gray"}, "counter": "1"}``; what is left out is as at the start of a game.
        target: See `EckEnv`; so for the last two.
        trick_cards: See `EckEnv`.
        circle_follow: See `EckEnv`.

    Returns:
        Tricks taken, 0 to 13, shape (rounds,), int8.

    Raises:
        ValueError: If a value is not allowed.
        TypeError: If `target` is not an integer.
    """
    games = new_games(1, make_variant(target, trick_cards, circle_follow))
    for key in table or {}:
        if key not in _TABLE_KEYS:
            raise unknown_key(key, _TABLE_KEYS, "table")
    set_table(record(games, 0), table or {})
    play = partial(_play_rounds, start=games, player=PLAYERS[choice(player, tuple(PLAYERS), "player")])
    columns = spread(play, rounds, "rounds", first_seed, processes, SHARE)
    tricks: NDArray[np.int8] = columns[0].astype(np.int8)
    return tricks


def _play_games(share: tuple[int, int], variant: Variant, player: int) -> NDArray[np.int32]:
    """Return outcomes, rounds and reasons of the games of a share: its first seed and its size."""
    first_seed, count = share
    columns = np.zeros((3, count), np.int32)
    for start in range(0, count, BATCH):
        games = new_games(min(BATCH, count - start), variant)
        games["seed"] = first_seed + start + np.arange(len(games))
        play_games(games, player, _plain_setup(len(games)))
        columns[:, start : start + len(games)] = games["outcome"], games["round_number"] + 1, games["reasons"]
    return columns


def _play_rounds(share: tuple[int, int], start: NDArray[np.void], player: int) -> NDArray[np.int32]:
    """Return the tricks of the rounds of a share, as its only column."""
    first_seed, count = share
    column = np.zeros((1, count), np.int32)
    for begin in range(0, count, BATCH):
        games = np.repeat(start, min(BATCH, count - begin))
        games["seed"] = first_seed + begin + np.arange(len(games))
        games["round_number"] = -1  # play_rounds deals the round after this one
        tricks = np.zeros(len(games), np.int64)
        play_rounds(games, player, tricks)
        column[0, begin : begin + len(games)] = tricks
    return column


def _plain_setup(count: int) -> Setup:
    """Return the set-up of plain games: no table of round values, no prescribed starts or reshuffles."""
    no_scripts = np.zeros((count, 0, DECK_SIZE), np.int8)
    return Setup(False, False, np.zeros((0, 0, 0)), np.zeros(0, START), no_scripts)
