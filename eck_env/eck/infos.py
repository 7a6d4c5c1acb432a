"""What ECK's environments tell of a step, in card notation; and why a card cannot be played."""

from __future__ import annotations

from typing import Any

from eck_env.eck.cards import BLACK, COLORS, NAMES, NUM_KINDS, NUM_SHAPES, bag_count, card_description
from eck_env.eck.engine import (
    COLLECTED,
    COUNTER,
    FOLLOW,
    LEAD,
    LEADER,
    NO_TRICK,
    NUM_TURNED,
    ROUND_OVER,
    TAKEN_BY,
    TAKEN_BY_ECK,
    TRICKS_WON,
    TURNED,
    TURNED_GRAY,
)
from eck_env.eck.rules import COUNTERS, NO_CARD, legal_kinds
from eck_env.eck.state import SIDES
from eck_env.eck.variant import TRICK_CARDS

TAKERS = (*SIDES, "tied")


def told(event: list[int]) -> dict[str, Any]:
    """Return what the info of one step tells of it, outcome and reasons left out.

    Args:
        event: The columns that the engine wrote, as ints.

    Returns:
        `trick`, at the end of a round `round`; nothing after a step that started a game.
    """
    info: dict[str, Any] = {}
    if event[LEAD] != NO_TRICK:
        info["trick"] = {
            "leader": SIDES[event[LEADER]],
            "lead": NAMES[event[LEAD]],
            "follow": NAMES[event[FOLLOW]],
            "taken_by": TAKERS[event[TAKEN_BY]],
            "turned_over": [NAMES[kind] for kind in event[TURNED : TURNED + event[NUM_TURNED]]],
        }
        if event[ROUND_OVER]:
            info["round"] = {
                "tricks_won": event[TRICKS_WON],
                "collected": _trick_card(event[COLLECTED]),
                "turned_gray": _trick_card(event[TURNED_GRAY]),
                "taken_by_eck": _trick_card(event[TAKEN_BY_ECK]),
                "counter": COUNTERS[event[COUNTER]],
            }
    return info


def _trick_card(index: int) -> str | None:
    return None if index == NO_CARD else TRICK_CARDS[index]


def illegal_action_message(game: Any, action: int) -> str:
    """Say which card cannot be played, why, and what is legal."""
    legal = legal_kinds(int(game.hand), int(game.lead), bool(game.same_circle))
    names = ", ".join(NAMES[kind] for kind in range(NUM_KINDS) if legal >> kind & 1)
    card = f"{NAMES[action]} ({card_description(action)})"
    return (
        f"action {action}, the card {card}, is illegal: {why_illegal(game.hand, game.lead, action)}; legal are {names}"
    )


def why_illegal(hand: int, lead: int, action: int) -> str:
    """Say why a card that cannot be played cannot; `hand` is a bag, `lead` the kind that ECK led."""
    hand, lead = int(hand), int(lead)
    if not bag_count(hand, action):
        return "it is not in your hand"
    if lead >= BLACK:
        return f"ECK led {NAMES[lead]}, and you hold a circle of that color"
    return f"ECK led {NAMES[lead]}, and you hold {COLORS[lead // NUM_SHAPES]} cards"


def misfit_message(game: Any) -> str:
    """Say which prescribed reshuffle was not one of the cards that were left, if one was not."""
    if not game.misfit:
        return ""
    return f"shuffles[{game.misfit - 1}] is no order of the cards that are left in the deck at that moment"
