"""The table of ECK for people to look at: as text here, as a picture by `drawing.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eck_env.base.records import flag_names
from eck_env.base.render import Tables, paint
from eck_env.eck.cards import BLACK, COLORS, NAMES, NUM_SHAPES, bag_list, card_kinds
from eck_env.eck.rules import COUNTERS, NO_CARD, PLAYING
from eck_env.eck.state import OUTCOMES, REASONS, SIDES, trick_card_statuses

_MARKS = {"colored": "{}", "gray": "({})", "yours": "[{}]", "eck": "x{}x"}
_NAMES = {"you": "you", "eck": "ECK", "tied": "nobody, tied"}
# Colors of terminals with 256 of them. Each text says the same without.
_CARD_CODES = dict(zip(COLORS, ("38;5;203", "38;5;215", "38;5;227", "38;5;77", "38;5;75", "38;5;177"), strict=True))
_CIRCLE_CODES = ("48;5;16;38;5;255", "48;5;255;38;5;16")
_STATUS_CODES = {"colored": "38;5;44", "gray": "38;5;245", "yours": "1;38;5;220", "eck": "38;5;160"}


def paint_card(name: str, color: bool = True) -> str:
    """Return a card's notation in its color."""
    kind = card_kinds([name])[0]
    code = _CIRCLE_CODES[kind - BLACK] if kind >= BLACK else _CARD_CODES[COLORS[kind // NUM_SHAPES]]
    return paint(name, code, color)


def draw_text(game: Any, color: bool = False) -> str:
    """Return the table as text, a line for each area of it.

    Args:
        game: The record of the game (`state.GAME`).
        color: Paint cards and trick cards with a terminal's colors; they read the same without.
    """
    statuses = trick_card_statuses(int(game.laid), int(game.gray), int(game.yours), int(game.ecks))
    marks = (paint(_MARKS[status].format(name), _STATUS_CODES[status], color) for name, status in statuses.items())
    face_up = _cards(bag_list(int(game.face_up)), color)
    lines = [
        f"trick cards  {'  '.join(marks)}    target {game.target}   (gray) [yours] xECK'sx",
        f"counter      {COUNTERS[game.counter]}",
        f"round {game.round_number + 1:<6} you {game.won}, ECK {game.lost}, tied {game.tied}",
        f"ECK's deck   {game.bottom - game.top} face down; face up below: {face_up}",
        f"last trick   {_last_trick(game, color)}",
        f"this trick   {_lead(game, color)}",
        f"your hand    {_hand(int(game.hand), color)}",
    ]
    return "\n".join(lines) + "\n"


def _cards(kinds: Sequence[int], color: bool) -> str:
    return " ".join(paint_card(NAMES[kind], color) for kind in kinds) if kinds else "-"


def _last_trick(game: Any, color: bool) -> str:
    if game.last_lead == NO_CARD:
        return "-"
    leader, follower = (_NAMES[side] for side in (SIDES[game.last_leader], SIDES[1 - game.last_leader]))
    lead, follow = (_cards([card], color) for card in (game.last_lead, game.last_follow))
    text = f"{leader} {lead}, {follower} {follow}, taken by {_NAMES[(*SIDES, 'tied')[game.last_taker]]}"
    if game.num_held:
        text += f"; passed over: {_cards(game.held[: game.num_held].tolist(), color)}"
    return text


def _lead(game: Any, color: bool) -> str:
    if game.outcome != PLAYING:
        reasons = ", ".join(flag_names(int(game.reasons), REASONS))
        return f"game over: {OUTCOMES[game.outcome]}" + (f" ({reasons})" if reasons else "")
    if game.over:
        return "the round is over"
    return f"ECK leads {_cards([game.lead], color)}" if game.lead != NO_CARD else "you lead"


def _hand(hand: int, color: bool) -> str:
    """Return the hand by color, the circles last."""
    kinds = bag_list(hand)
    groups = [[kind for kind in kinds if kind < BLACK and kind // NUM_SHAPES == place] for place in range(len(COLORS))]
    groups.append([kind for kind in kinds if kind >= BLACK])
    return "   ".join(_cards(group, color) for group in groups if group) or "-"


def _get_painter(width: int, height: int) -> Any:
    from eck_env.eck.drawing import get_painter  # which needs pygame

    return get_painter(width, height)


TABLES = Tables("ECK", draw_text, _get_painter)
