"""What a player may see of a game, as plain data: what the engine says, in the terms that front ends show.

Everything comes from the observation, so nothing hidden can be in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from agents.play.words import outcome_words, round_words, taker_words, trick_words, turn_words, why_words
from eck_env.base.outlines import INK, PAPER
from eck_env.eck.cards import (
    BLACK,
    COLOR_LETTERS,
    COLORS,
    NAMES,
    NUM_KINDS,
    NUM_SHAPES,
    SHAPE_DIGITS,
    SHAPES,
    bag_of,
    card_description,
    card_kind,
    card_kinds,
)
from eck_env.eck.infos import why_illegal
from eck_env.eck.observation import SLICES, decode
from eck_env.eck.outlines import CARD_RGB, SHAPE_OUTLINES, SYMBOL_OUTLINES
from eck_env.eck.rules import NO_CARD

_DECODED = ("lead", "leader", "face_down", "face_up", "tied", "tricks_won", "tricks_lost", "trick_cards", "counter",
            "target")  # fmt: skip


def make_view(observation: Any, info: Mapping[str, Any], tied_before: int) -> dict[str, Any]:
    """Return what a player sees.

    Args:
        observation: The flat observation.
        info: The info of the step that led here, or of the reset.
        tied_before: How many tricks were set aside before that step.

    Returns:
        `hand`: a list of cards with `card`, `legal`, and for illegal ones `why`; `lead`, `leader`, `face_down` (sorted
        by kind), `face_up`, `tied`, `tricks_won`, `tricks_lost`, `trick_cards`, `counter`, `target` as in `decode`;
        `prospects`: what a number of tricks, `tricks`, would do in the end (`effects`), for all still possible;
        `outcome` and `reasons`; the last step's `trick` and `round`; and all that in `words`.
    """
    seen = decode(observation)
    over = "outcome" in info
    view: dict[str, Any] = {name: seen[name] for name in _DECODED}
    view["hand"] = [] if over else _hand(seen, np.asarray(info["action_mask"]))
    view["prospects"] = [
        {"tricks": seen["tricks_won"] + more, "effects": effects} for more, effects in enumerate(seen["prospects"])
    ]
    view["outcome"], view["reasons"] = info.get("outcome"), info.get("reasons", [])
    view["trick"], view["round"] = info.get("trick"), info.get("round")
    view["words"] = _words(view, tied_before)
    return view


def tied_tricks(observation: Any) -> int:
    """Return how many tricks are set aside."""
    return int(observation[SLICES["tied"]][0])


def _words(view: Mapping[str, Any], tied_before: int) -> dict[str, str | None]:
    trick, result = view["trick"], view["round"]
    return {
        "turn": None if view["outcome"] else turn_words(view["lead"]),
        "trick": trick and trick_words(trick),
        "taker": trick and taker_words(trick, tied_before),
        "round": result and round_words(result),
        "outcome": view["outcome"] and outcome_words(view["outcome"], view["reasons"]),
    }


def _hand(seen: Mapping[str, Any], mask: Any) -> list[dict[str, Any]]:
    kinds = card_kinds(seen["hand"])
    bag, lead = bag_of(kinds), NO_CARD if seen["lead"] is None else card_kind(seen["lead"])
    return [
        {
            "card": NAMES[kind],
            "legal": bool(mask[kind]),
            "why": None if mask[kind] else why_words(why_illegal(bag, lead, kind), seen["lead"]),
        }
        for kind in kinds
    ]


def describe_cards() -> dict[str, Any]:
    """Return what a front end needs to draw and name the cards."""

    def card(kind: int) -> dict[str, Any]:
        colored = kind < BLACK
        return {
            "name": NAMES[kind],
            "words": card_description(kind),
            "color": COLORS[kind // NUM_SHAPES] if colored else None,
            "shape": SHAPES[kind % NUM_SHAPES] if colored else "circle",
            "digit": SHAPE_DIGITS[kind % NUM_SHAPES] if colored else "",
        }

    return {
        "cards": [card(kind) for kind in range(NUM_KINDS)],
        "colors": [
            {"name": name, "letter": letter, "rgb": CARD_RGB[name], "symbol": SYMBOL_OUTLINES[name]}
            for name, letter in zip(COLORS, COLOR_LETTERS, strict=True)
        ],
        "shapes": SHAPE_OUTLINES,
        "ink": INK,
        "paper": PAPER,
    }
