"""What several of the tests of Gongor Whist share: variants, cases, and the engine's cards for the slow reference."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from eck_env import GongorEnv
from eck_env.batch import random_key, shuffle
from eck_env.gongor_whist.round_values import RoundValues
from eck_env.gongor_whist.variant import make_variant
from reference.gongor_whist import ACES, ACTIONS, PACK, SCORINGS

NUM_ACTIONS = 40
FLAT_SIZE = 166
VARIANTS: list[dict[str, Any]] = [
    {"scoring": scoring, "aces": aces} for scoring in SCORINGS for aces in ("game", "pass")
]
_DEAL, _ACES = 0, 1  # the purposes of a hand's random streams

_ALL: list[dict[str, Any]] = json.loads((Path(__file__).parent / "cases" / "gongor_hands.json").read_text("utf-8"))
TRICK_CASES = [case for case in _ALL if "actions" not in case]
CASES = [case for case in _ALL if "actions" in case]


def case_id(case: Mapping[str, Any]) -> str:
    """Return a name of a case for pytest."""
    return f"{_ALL.index(dict(case))}-{case['case'].replace(':', '').replace(' ', '-')}"


def variant_of(case: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keywords of a case."""
    return {key: case[key] for key in ("scoring", "aces", "max_hands") if key in case}


def action(name: str) -> int:
    """Return the number of an action."""
    return ACTIONS.index(name)


def legal_names(mask: Any) -> list[str]:
    """Return the names of the legal actions."""
    return [ACTIONS[number] for number in np.flatnonzero(mask)]


def shuffled(things: Sequence[str], seed: int, game: int, hand: int, purpose: int) -> list[str]:
    """Return the order that a shuffle gives these: keyed by nothing but seed, game, hand and purpose."""
    order = np.arange(len(things), dtype=np.int8)
    with np.errstate(over="ignore"):
        shuffle(order, 0, len(things), random_key(seed, game, hand, purpose))
    return [things[place] for place in order.tolist()]


class EngineSource:
    """Gives the reference the orders that the engine has, by their key."""

    def __init__(self, seed: int, game: int = 0) -> None:
        self.seed, self.game = seed, game

    def deal(self, hand: int) -> list[str]:
        """Return the engine's deal."""
        return shuffled(PACK, self.seed, self.game, hand, _DEAL)

    def pile(self, hand: int) -> list[str]:
        """Return the engine's pile of Aces."""
        return shuffled(ACES, self.seed, self.game, hand, _ACES)


class GivenSource:
    """Gives the reference the orders of a case, one after the other."""

    def __init__(self, passes: Sequence[Sequence[str]], ace_orders: Sequence[Sequence[str]]) -> None:
        self.passes, self.piles = iter(passes), iter(ace_orders)

    def deal(self, hand: int) -> list[str]:
        """Return the next deal."""
        return list(next(self.passes))

    def pile(self, hand: int) -> list[str]:
        """Return the next pile."""
        return list(next(self.piles))


def choose(legal: Sequence[int], state: Mapping[str, Any], style: str, generator: Random) -> int:
    """Choose a legal action: anything; or by a style that makes other games likely.

    ``made`` bids what it is likely to take and plays for it, so that games go on; ``twiddle`` twiddles much, ``keep``
    seldom.
    """
    if state["phase"] == "twiddle":
        chance = {"any": 0.5, "made": 0.15, "twiddle": 0.9, "keep": 0.05}[style]
        return action("twiddle" if generator.random() < chance else "keep")
    if style == "made" and state["phase"] == "bid":
        return min(legal, key=lambda bid: (abs(bid - 3), bid))
    if style == "made" and state["bid"] is not None:
        order = sorted(legal)
        return order[-1] if state["tricks_won"] < state["bid"] else order[0]
    return generator.choice(list(legal))


def new_game(seed: int, **keywords: Any) -> tuple[GongorEnv, dict[str, Any]]:
    """Return an environment with a game of this seed, and the info of its reset."""
    env = GongorEnv(**keywords)
    return env, env.reset(seed=seed)[1]


def made_up_values(scoring: str = "shut_the_box", aces: str = "game", max_hands: int | None = None) -> RoundValues:
    """Return a table of round values out of thin air: every entry another, none of them 0 or 1."""
    variant = make_variant(scoring, aces, max_hands)
    shape = (
        (variant.max_hands, 100, 6) if scoring == "first_edition" else (256, 80 if scoring == "two_columns" else 1, 6)
    )
    values = (1 + np.arange(np.prod(shape))).reshape(shape) / (np.prod(shape) + 2)
    visits = np.zeros(shape)
    zero = {"shut_the_box": 0, "two_columns": 44, "first_edition": 50}[scoring]
    first = 0 if scoring == "first_edition" else 255
    visits[first, zero, 5] = 1.0
    if scoring != "first_edition":
        visits[0b00001111, zero, 2], visits[0b01110000, zero, 1] = 2.0, 1.0
    return RoundValues(variant, values, np.ones(shape), visits)


def table_value(values: RoundValues, state: Mapping[str, Any]) -> float:
    """Return the entry of a table for the start of the hand that a state in notation is in, read off apart.

    The Aces are those that are left now.
    """
    scoring = values.variant.scoring
    left = list(state["bids_left"])
    if state["bid"] is not None and scoring != "first_edition":
        left.append(state["bid"])
    lead = state["you"] - state["dummys_points"]
    place = {"shut_the_box": 0, "two_columns": lead + 44, "first_edition": max(lead, -50) + 50}[scoring]
    progress = state["hand_number"] if scoring == "first_edition" else sum(1 << bid for bid in left)
    return float(values.values[progress, place, len(state["aces"])])
