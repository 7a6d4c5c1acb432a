"""The table of the game without numbers for people to look at: as text here, as a picture by `drawing.py`.

Shown is what the seat that is shown knows; the others' cards and choices are not.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from eck_env.base.records import flag_names
from eck_env.base.render import Tables, paint
from eck_env.numberless.cards import BACKGROUND_LETTERS, NAMES, cards_of
from eck_env.numberless.rules import BUST, DRAFT, OVER, PLAYING, count_of
from eck_env.numberless.state import OUTCOMES, PATTERNS, REASONS

# Colors of terminals with 256 of them. Each text says the same without.
_CODES = dict(
    zip(
        BACKGROUND_LETTERS,
        ("38;5;203", "38;5;208", "38;5;221", "38;5;77", "38;5;75", "38;5;141", "38;5;255"),
        strict=True,
    )
)


def draw_text(game: Any, color: bool = False) -> str:
    """Return the table as text, a line for each area of it.

    Args:
        game: The record of the game (`state.GAME`).
        color: Paint cards with a terminal's colors; they read the same without.
    """
    view = int(game.shown)
    lines = [f"round {game.round_number + 1:<6} {_phase(game)}"]
    for seat in range(int(game.num_players)):
        marks = [
            name for name, place in (("starts", game.start), ("to move", game.turn)) if place == seat and not game.over
        ]
        you = "you" if seat == view else f"seat {seat}"
        cards = game.held[seat]
        tail = f", {' and '.join(marks)}" if marks else ""
        lines.append(
            f"{you:<12} {cards} in hand, {game.collected[seat]} collected, counts {count_of(game, seat)}{tail}"
        )
    lines += [
        f"last round   {last_round(game, color)}",
        f"gone         {_cards(cards_of(int(game.gone)), color)}",
        f"pot          {_cards(game.pot[: game.pot_size].tolist(), color)}{_pattern(game)}",
    ]
    if game.phase == DRAFT:
        lines.append(f"kept         {_cards(cards_of(int(game.kept[view])), color)}")
    label = "choose from" if game.phase == DRAFT else "your hand"
    lines += [f"now          {status(game)}", f"{label:<12} {_cards(cards_of(int(game.hands[view])), color)}"]
    return "\n".join(lines) + "\n"


def paint_card(card: int, color: bool = True) -> str:
    """Return a card's notation in the color of its background."""
    name = NAMES[card]
    return paint(name, _CODES[name[1]], color)


def _cards(cards: Iterable[int], color: bool) -> str:
    return " ".join(paint_card(int(card), color) for card in cards) or "-"


def _phase(game: Any) -> str:
    if game.phase == DRAFT:
        return f"draft, pick {game.draft_round + 1} of 7"
    return "over" if game.phase == OVER else "play"


def _pattern(game: Any) -> str:
    return f"    {PATTERNS[game.pattern]}" if game.pattern else ""


def last_round(game: Any, color: bool = False) -> str:
    """Return what happened in the last finished round, as text."""
    if game.last_size == 0:
        return "-"
    who = "you" if game.last_taker == game.shown else f"seat {game.last_taker}"
    why = "could not fit" if game.last_reason == BUST else "played second, all fitted"
    pot = _cards(game.last_pot[: game.last_size].tolist(), color)
    return f"{pot}, {PATTERNS[game.last_pattern]}, taken by {who} ({why})"


def status(game: Any) -> str:
    """Return what is to be done now, or how the game ended, as text."""
    if game.outcome != PLAYING:
        reasons = ", ".join(flag_names(int(game.reasons), REASONS))
        return f"game over: {OUTCOMES[game.outcome]}" + (f" ({reasons})" if reasons else "")
    return "choose a card to keep" if game.phase == DRAFT else "play a card"


def _get_painter(width: int, height: int) -> Any:
    from eck_env.numberless.drawing import get_painter  # which needs pygame

    return get_painter(width, height)


TABLES = Tables("The game without numbers", draw_text, _get_painter)
