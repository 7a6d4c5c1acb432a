"""What several of the tests of the game without numbers share: cases, deals, and games by all seats."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from eck_env.batch import below, random_key, shuffle
from eck_env.numberless.aec import NumberlessAECEnv
from reference.numberless import PACK

NUM_ACTIONS = 49
FLAT_SIZE = 622
VARIANTS = [(players, draft) for players in range(3, 8) for draft in (True, False)]
_DEAL, _START = 0, 1  # the purposes of a game's random streams

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "cases" / "numberless_games.json").read_text("utf-8"))


def case_id(case: Mapping[str, Any]) -> str:
    """Return a name of a case for pytest."""
    return f"{CASES.index(dict(case))}-{case['players']}-players-{'draft' if case['draft'] else 'dealt'}"


def names(cards: Any) -> list[str]:
    """Return the notation of cards given as numbers."""
    return [PACK[card] for card in cards]


def together(parts: Any) -> list[str]:
    """Return the cards of several lists in one."""
    return [card for part in parts for card in part]


def legal_names(mask: Any) -> list[str]:
    """Return the notation of the legal cards."""
    return names(np.flatnonzero(mask).tolist())


def dealt(seed: int, game: int = 0) -> list[str]:
    """Return the deck that a seed deals: keyed by nothing but seed and game."""
    order = np.arange(NUM_ACTIONS, dtype=np.int8)
    with np.errstate(over="ignore"):
        shuffle(order, 0, NUM_ACTIONS, random_key(seed, game, 0, _DEAL))
    return names(order.tolist())


def drawn_start(seed: int, game: int, players: int) -> int:
    """Return the start player that a seed draws."""
    with np.errstate(over="ignore"):
        return below(random_key(seed, game, 0, _START), players)


def case_env(case: Mapping[str, Any], **keywords: Any) -> NumberlessAECEnv:
    """Return an environment with the game of a case, before the first decision."""
    env = NumberlessAECEnv(case["players"], case["draft"], case["start_player"], **keywords)
    env.reset(seed=3, options={"deal": names(case["deal"])})
    return env


def case_actions(case: Mapping[str, Any]) -> list[tuple[int, int, list[int]]]:
    """Return all decisions of a case in order: seat, card, legal cards."""
    steps = [step for part in case["picks"] for step in part]
    steps += [step for part in case["rounds"] for step in part["plays"]]
    return [(seat, card, legal) for seat, card, legal in steps]
