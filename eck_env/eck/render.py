"""The table of ECK for people to look at; as text."""

from __future__ import annotations

from typing import Any

from eck_env.eck.cards import BLACK, COLORS, NAMES, NUM_SHAPES, bag_list, card_names
from eck_env.eck.rules import COUNTERS, NO_CARD, PLAYING
from eck_env.eck.state import OUTCOMES, SIDES, reason_names, trick_card_statuses

RENDER_MODES = ("ansi",)
_MARKS = {"colored": "{}", "gray": "({})", "yours": "[{}]", "eck": "x{}x"}
_NAMES = {"you": "you", "eck": "ECK", "tied": "nobody, tied"}


def check_render_mode(mode: str | None) -> str | None:
    """Return the render mode if there is such a one; ValueError names those there are."""
    if mode is not None and mode not in RENDER_MODES:
        raise ValueError(f"render_mode is {mode!r}, but must be None or one of {', '.join(map(repr, RENDER_MODES))}")
    return mode


def draw_text(game: Any) -> str:
    """Return the table as text, a line for each area of it.

    Args:
        game: The record of the game (`state.GAME`).
    """
    statuses = trick_card_statuses(int(game.laid), int(game.gray), int(game.yours), int(game.ecks))
    cards = "  ".join(_MARKS[status].format(name) for name, status in statuses.items())
    face_up = _cards(card_names(bag_list(int(game.face_up))))
    lines = [
        f"trick cards  {cards}    target {game.target}   (gray) [yours] xECK'sx",
        f"counter      {COUNTERS[game.counter]}",
        f"round {game.round_number + 1:<6} you {game.won}, ECK {game.lost}, tied {game.tied}",
        f"ECK's deck   {game.bottom - game.top} face down; face up below: {face_up}",
        f"last trick   {_last_trick(game)}",
        f"this trick   {_lead(game)}",
        f"your hand    {_hand(int(game.hand))}",
    ]
    return "\n".join(lines) + "\n"


def _cards(names: list[str]) -> str:
    return " ".join(names) if names else "-"


def _last_trick(game: Any) -> str:
    if game.last_lead == NO_CARD:
        return "-"
    sides = [_NAMES[SIDES[game.last_leader]], _NAMES[SIDES[1 - game.last_leader]]]
    taker = _NAMES[(*SIDES, "tied")[game.last_taker]]
    text = f"{sides[0]} {NAMES[game.last_lead]}, {sides[1]} {NAMES[game.last_follow]}, taken by {taker}"
    if game.num_held:
        text += f"; passed over: {_cards(card_names(game.held[: game.num_held].tolist()))}"
    return text


def _lead(game: Any) -> str:
    if game.outcome != PLAYING:
        reasons = ", ".join(reason_names(int(game.reasons)))
        return f"game over: {OUTCOMES[game.outcome]}" + (f" ({reasons})" if reasons else "")
    if game.over:
        return "the round is over"
    return f"ECK leads {NAMES[game.lead]}" if game.lead != NO_CARD else "you lead"


def _hand(hand: int) -> str:
    """Return the hand by color, the circles last."""
    kinds = bag_list(hand)
    groups = [[kind for kind in kinds if kind < BLACK and kind // NUM_SHAPES == color] for color in range(len(COLORS))]
    groups.append([kind for kind in kinds if kind >= BLACK])
    return "   ".join(_cards(card_names(group)) for group in groups if group) or "-"
