"""Results made by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agents.evaluation import FIRST_SEED
from agents.games.eck import GAME_RESULT, MAX_ROUNDS, EckResult
from agents.results import NO_ROUND
from eck_env.eck.rules import BY_COUNTER, BY_ECK_CARD, BY_ILLEGAL_ACTION
from eck_env.eck.variant import Variant

FIVE = (
    (True, 5, 0, 65, 0b1111, (2, 4, 5, 6, 8)),
    (False, 4, BY_COUNTER, 52, 0b1, (2, 3, 5, 13)),
    (False, 6, BY_COUNTER | BY_ECK_CARD, 78, 0b1000000, (0, 3, 3, 3, 7, 9)),
    (False, 2, BY_ECK_CARD, 26, 0, (3, 3)),
    (False, 1, BY_ILLEGAL_ACTION, 3, 0, ()),
)


def make_result(
    agent: str = "someone",
    first_seed: int = FIRST_SEED,
    variant: Variant = Variant(4),  # noqa: B008
    games: Sequence[tuple[bool, int, int, int, int, tuple[int, ...]]] = FIVE,
) -> EckResult:
    """Return five games, or others: won, rounds, reasons, decisions, collected, tricks of the rounds."""
    rows = [(*game[:5], (*game[5], *[NO_ROUND] * (MAX_ROUNDS - len(game[5])))) for game in games]
    return EckResult(agent, variant, first_seed, np.array(rows, GAME_RESULT), 0.5, 0.112)
