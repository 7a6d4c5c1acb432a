"""The table of Gongor Whist for people to look at: as text here, as a picture by `drawing.py`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from eck_env.base.records import flag_names
from eck_env.base.render import Tables, paint
from eck_env.gongor_whist.cards import (
    ACES,
    HAND_SIZE,
    NAMES,
    NO_TRUMP,
    NUM_SUITS,
    SUIT_LETTERS,
    SUIT_SYMBOLS,
    SUITS,
    cards_of,
)
from eck_env.gongor_whist.rules import BID, CARD, NO_BID, NO_CARD, NUM_BIDS, PLAYING, TWIDDLING
from eck_env.gongor_whist.state import OUTCOMES, REASONS
from eck_env.gongor_whist.variant import FIRST_EDITION, SCORINGS, SHUT_THE_BOX

# Colors of terminals with 256 of them. Each text says the same without.
_SUIT_CODES = ("38;5;111", "38;5;221", "38;5;44", "38;5;77", "38;5;203", "38;5;252")
_TAKERS = ("you", "the dummy")


def draw_text(game: Any, color: bool = False) -> str:
    """Return the table as text, a line for each area of it.

    Args:
        game: The record of the game (`state.GAME`).
        color: Paint cards and Aces with a terminal's colors; they read the same without.
    """
    seen = [ACES[suit] for suit in game.aces[: game.turned].tolist()]
    left = HAND_SIZE - int(game.won) - int(game.lost) - (game.lead != NO_CARD)
    side = "back" if game.hand_number & 1 else "fore"
    lines = [
        f"trump        {_trump(int(game.trump), color)}    Aces turned: "
        f"{' '.join(paint(ace, _SUIT_CODES[ACES.index(ace)], color) for ace in seen)}, {NUM_SUITS - game.turned} left",
        f"scoring      {SCORINGS[game.scoring].replace('_', ' ')}: {_score(game)}",
        f"hand {game.hand_number + 1:<7} {side} hand, of {game.max_hands}; bids left: {_bids(game)}",
        f"bid          {'-' if game.bid == NO_BID else game.bid}    you {game.won}, the dummy {game.lost}",
        f"seen         {_cards(cards_of(int(game.seen)), color)}",
        f"last trick   {_last_trick(game, color)}",
        f"dummy        {left} cards{'' if game.lead == NO_CARD else f', leads {_cards([game.lead], color)}'}",
        f"now          {_to_do(game, color)}",
        f"your hand    {_cards(cards_of(int(game.hand)), color)}",
    ]
    return "\n".join(lines) + "\n"


def paint_card(card: int, color: bool = True) -> str:
    """Return a card's notation, each of its suits in its color."""
    name = NAMES[card]
    suits = (paint(letter, _SUIT_CODES[SUIT_LETTERS.index(letter)], color) for letter in name[1:])
    return name[0] + "".join(suits)


def _cards(cards: Iterable[int], color: bool) -> str:
    return " ".join(paint_card(int(card), color) for card in cards) or "-"


def _trump(trump: int, color: bool) -> str:
    if trump == NO_TRUMP:
        return "none"
    return paint(f"{SUIT_SYMBOLS[trump]} {SUITS[trump]} ({SUIT_LETTERS[trump]})", _SUIT_CODES[trump], color)


def _score(game: Any) -> str:
    if game.scoring == SHUT_THE_BOX:
        return f"{game.you} hands made"
    return f"you {game.you}" + ("" if game.scoring == FIRST_EDITION else f", the dummy {game.dummy}")


def _bids(game: Any) -> str:
    return " ".join(str(bid) for bid in range(NUM_BIDS) if int(game.bids) >> bid & 1) or "-"


def _last_trick(game: Any, color: bool) -> str:
    if game.last_lead == NO_CARD:
        return "-"
    text = f"the dummy {_cards([game.last_lead], color)}, you {_cards([game.last_follow], color)}"
    if game.last_trump != game.last_before:
        text += f", trump twiddled to {_trump(int(game.last_trump), color)}"
    return text + f", taken by {_TAKERS[game.last_taker]}"


def _to_do(game: Any, color: bool) -> str:
    if game.outcome != PLAYING:
        reasons = ", ".join(flag_names(int(game.reasons), REASONS))
        return f"game over: {OUTCOMES[game.outcome]}" + (f" ({reasons})" if reasons else "")
    if game.phase == TWIDDLING:
        return f"you played {_cards([game.played], color)}: keep the trump or twiddle it"
    return {BID: "bid", CARD: "play a card"}[int(game.phase)]


def _get_painter(width: int, height: int) -> Any:
    from eck_env.gongor_whist.drawing import get_painter  # which needs pygame

    return get_painter(width, height)


TABLES = Tables("Gongor Whist", draw_text, _get_painter)
