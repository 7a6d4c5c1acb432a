"""What seat 0 may see of the game without numbers, as plain data, as `view.py` has it for ECK."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from agents.play.numberless_words import (
    card_words,
    opening_words,
    outcome_words,
    pattern_words,
    play_words,
    pot_words,
    turn_words,
    why_words,
)
from eck_env.numberless.cards import (
    BACKGROUND_LETTERS,
    BACKGROUNDS,
    FOREGROUNDS,
    NAMES,
    NUM_KINDS,
    card_number,
    card_numbers,
    set_of,
)
from eck_env.numberless.infos import why_illegal
from eck_env.numberless.observation import decode
from eck_env.numberless.outlines import BACKGROUND_RGB, FIGURE_OUTLINES
from eck_env.numberless.state import PATTERNS, PHASES
from eck_env.numberless.variant import YOUR_SEAT

_DECODED = ("phase", "draft", "players", "turn", "start", "kept", "pattern", "gone", "played", "collected",
            "hand_sizes", "lacks", "seen", "unseen")  # fmt: skip


def make_view(observation: Any, info: Mapping[str, Any], before: Any = None) -> dict[str, Any]:
    """Return what the player at seat 0 sees.

    Args:
        observation: The flat observation.
        info: The info of the step that led here, or of the reset.
        before: The observation before that step; None after a reset, or where what happened is not asked for.

    Returns:
        `hand`: a list of cards with `card`, `legal`, and for illegal ones `why`; `pot`: its cards in order, with `card`
        and `seat`; `pick`: the number of the pick in the draft, or None; `counts`: the cards that count, by seat;
        `events`: what happened since the decision before, in order: cards played (`seat`, `card`) and pots taken
        (`taker`, `reason`, `cards`), each in `words`; what `decode` says under the same names; `outcome` and `reasons`;
        and all that in `words`.
    """
    seen = decode(observation)
    over = "outcome" in info
    view: dict[str, Any] = {"game": "numberless", **{name: seen[name] for name in _DECODED}}
    view["pick"] = seen["pick"] = len(seen["kept"]) + 1 if seen["phase"] == "draft" else None
    view["hand"] = [] if over else _hand(seen, info)
    count, start = seen["players"], seen["start"] or 0
    view["pot"] = [{"card": card, "seat": (start + place) % count} for place, card in enumerate(seen["pot"])]
    view["counts"] = [taken + held for taken, held in zip(seen["collected"], seen["hand_sizes"], strict=True)]
    view["events"] = [] if before is None else _events(info, len(decode(before)["pot"]))
    view["outcome"], view["reasons"] = info.get("outcome"), info.get("reasons", [])
    view["words"] = {
        "turn": None if over else turn_words(seen),
        "pattern": pattern_words(seen["pattern"], seen["pot"][0]) if seen["pattern"] else None,
        "trick": " ".join(event["words"] for event in view["events"]) or opening_words(seen),
        "taker": None,
        "round": None,
        "outcome": outcome_words(view["outcome"], view["counts"]) if over else None,
    }
    return view


def rounds_ended(observation: Any, info: Mapping[str, Any], before: Any = None) -> int:
    """Return how many rounds ended in the step that led here, or before your first decision.

    In these each seat that took a pot started the next round, so that none has taken two.
    """
    if before is None:
        return sum(taken > 0 for taken in decode(observation)["collected"])
    return len(info.get("rounds", ()))


def _hand(seen: Mapping[str, Any], info: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the cards to choose from with whether they are legal, and why not."""
    mask = np.asarray(info["action_mask"])
    game = SimpleNamespace(
        phase=PHASES.index(seen["phase"]),
        turn=YOUR_SEAT,
        hands=[set_of(card_numbers(seen["hand"]))],
        pot=np.array(card_numbers(seen["pot"]), np.int8),
        pot_size=len(seen["pot"]),
        pattern=PATTERNS.index(seen["pattern"]),
    )
    hand = []
    for name in seen["hand"]:
        number = card_number(name)
        legal = bool(mask[number])
        hand.append({"card": name, "legal": legal, "why": None if legal else _why(game, number, seen["pot"])})
    return hand


def _why(game: Any, number: int, pot: list[str]) -> str:
    return why_words(why_illegal(game, number), pot)


def _events(info: Mapping[str, Any], lay: int) -> list[dict[str, Any]]:
    """Return what happened in a step, in order; `lay` is how many cards lay in the pot before."""
    events: list[dict[str, Any]] = []
    rounds = list(info.get("rounds", ()))
    for seat, card in info.get("plays", ()):
        events.append({"seat": seat, "card": card, "words": play_words(seat, card)})
        lay += 1
        if rounds and lay == rounds[0]["cards"]:
            ended = rounds.pop(0)
            events.append({**ended, "words": pot_words(ended["taker"], ended["reason"], ended["cards"])})
            lay = 0
    return events


def describe_cards() -> dict[str, Any]:
    """Return what a front end needs to draw and name the cards."""
    return {
        "cards": [
            {
                "name": name,
                "words": card_words(name),
                "figure": FOREGROUNDS[number // NUM_KINDS],
                "color": BACKGROUNDS[number % NUM_KINDS],
            }
            for number, name in enumerate(NAMES)
        ],
        "figures": FIGURE_OUTLINES,
        "colors": [
            {"name": name, "letter": letter, "rgb": BACKGROUND_RGB[name]}
            for name, letter in zip(BACKGROUNDS, BACKGROUND_LETTERS, strict=True)
        ],
    }
