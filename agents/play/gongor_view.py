"""What a player may see of a game of Gongor Whist, as plain data, as `view.py` has it for ECK."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from agents.play.gongor_words import (
    hand_words,
    move_words,
    outcome_words,
    taker_words,
    trick_words,
    turn_words,
    why_words,
)
from eck_env.gongor_whist.cards import (
    ACES,
    CARDS,
    NAMES,
    SUIT_LETTERS,
    SUIT_SYMBOLS,
    SUITS,
    card_description,
    card_number,
    set_of,
)
from eck_env.gongor_whist.infos import ACTION_NAMES, action_number, why_illegal
from eck_env.gongor_whist.observation import decode
from eck_env.gongor_whist.outlines import SUIT_OUTLINES, SUIT_RGB
from eck_env.gongor_whist.rules import NO_CARD, NUM_BIDS, WINNING_POINTS
from eck_env.gongor_whist.state import PHASES
from eck_env.gongor_whist.variant import HANDS

_DECODED = ("lead", "played", "seen", "hidden", "trump", "aces_seen", "aces_left", "phase", "bid", "bids_left",
            "tricks_won", "tricks_lost", "you", "dummys_points", "hand_number", "scoring", "aces_last",
            "max_hands")  # fmt: skip
_BIDS, _TWIDDLES = ACTION_NAMES[:NUM_BIDS], ACTION_NAMES[-2:]


def make_view(observation: Any, info: Mapping[str, Any], before: Any = None) -> dict[str, Any]:
    """Return what a player sees.

    Args:
        observation: The flat observation.
        info: The info of the step that led here, or of the reset.
        before: The observation before that step; nothing in this game depends on it.

    Returns:
        `hand`: a list of cards with `card`, `legal`, and for illegal ones `why`; `choices`: the bids, or keep and
        twiddle, where these are to be decided, in the same form with `label`; `score`: names and numbers; what
        `decode` says under the same names; `outcome` and `reasons`; the last step's `trick`, and as `round` the hand
        that ended with it; and all that in `words`.
    """
    seen = decode(observation)
    over = "outcome" in info
    view: dict[str, Any] = {"game": "gongor_whist", **{name: seen[name] for name in _DECODED}}
    view["hand"] = [] if over else _moves(seen["hand"], seen, info)
    view["choices"] = [] if over else _choices(seen, info)
    view["score"] = _score(seen)
    view["outcome"], view["reasons"] = info.get("outcome"), info.get("reasons", [])
    view["trick"], view["round"] = info.get("trick"), info.get("hand")
    trick, hand = view["trick"], view["round"]
    view["words"] = {
        "turn": None if over else turn_words(seen),
        "trick": trick and trick_words(trick),
        "taker": trick and taker_words(trick),
        "round": hand and hand_words(hand, seen["scoring"]),
        "outcome": (over and outcome_words(view["outcome"], view["reasons"])) or None,
    }
    return view


def _moves(names: list[str], seen: Mapping[str, Any], info: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return actions with whether they are legal, and why not."""
    mask = np.asarray(info["action_mask"])
    game = SimpleNamespace(
        phase=PHASES.index(seen["phase"]),
        hand=set_of(card_number(card) for card in seen["hand"]),
        bid=seen["bid"],
        lead=NO_CARD if seen["lead"] is None else card_number(seen["lead"]),
        played=NO_CARD if seen["played"] is None else card_number(seen["played"]),
    )
    moves = []
    for name in names:
        number = action_number(name)
        legal = bool(mask[number])
        why = None if legal else why_words(why_illegal(game, number), seen["lead"])
        moves.append({"card": name, "legal": legal, "why": why})
    return moves


def _choices(seen: Mapping[str, Any], info: Mapping[str, Any]) -> list[dict[str, Any]]:
    if seen["phase"] == "card":
        return []
    bids = seen["phase"] == "bid"
    moves = _moves(list(_BIDS if bids else _TWIDDLES), seen, info)
    for move in moves:
        words = move_words(move["card"])
        move["label"] = move["card"].removeprefix("bid ") if bids else words[0].upper() + words[1:]
    return moves


def _score(seen: Mapping[str, Any]) -> list[list[Any]]:
    """Return what the game is about, as names and texts."""
    if seen["scoring"] == "shut_the_box":
        return [["Hands made", f"{seen['you']} of {HANDS}"]]
    if seen["scoring"] == "first_edition":
        return [["Your points", f"{seen['you']} of {WINNING_POINTS}"]]
    return [["Your points", str(seen["you"])], ["The dummy's", str(seen["dummys_points"])]]


def describe_cards() -> dict[str, Any]:
    """Return what a front end needs to draw and name the cards, the Aces and the other actions."""
    cards = [(name, card_description(card_number(name))) for name, _ in CARDS]
    aces = [(ace, f"Ace of {SUITS[SUIT_LETTERS.index(ace[1])]}") for ace in ACES]
    return {
        "cards": [
            {"name": name, "words": words, "rank": name[0], "suits": [SUITS[SUIT_LETTERS.index(s)] for s in name[1:]]}
            for name, words in (*cards, *aces)
        ],
        "moves": [{"name": name, "words": move_words(name)} for name in ACTION_NAMES if name not in NAMES],
        "suits": [
            {"name": name, "letter": letter, "sign": sign, "rgb": SUIT_RGB[name], "symbol": SUIT_OUTLINES[name]}
            for name, letter, sign in zip(SUITS, SUIT_LETTERS, SUIT_SYMBOLS, strict=True)
        ],
    }
