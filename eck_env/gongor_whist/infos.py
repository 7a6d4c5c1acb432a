"""What Gongor Whist's environments tell of a step, in card notation; and why an action is illegal."""

from __future__ import annotations

from typing import Any

from eck_env.gongor_whist.cards import NAMES, card_description
from eck_env.gongor_whist.engine import (
    BID_MADE,
    DUMMYS_POINTS,
    FOLLOW,
    HAND_NUMBER,
    HAND_OVER,
    HAND_TRUMP,
    LEAD,
    NO_TRICK,
    TAKEN,
    TAKEN_BY,
    TRUMP,
    TRUMP_BEFORE,
    YOUR_POINTS,
)
from eck_env.gongor_whist.rules import BID, CARD, FIRST_CARD, KEEP, NUM_ACTIONS, NUM_BIDS, TWIDDLE, legal_actions
from eck_env.gongor_whist.state import TAKERS, TRUMPS

ACTION_NAMES = (*(f"bid {bid}" for bid in range(NUM_BIDS)), *NAMES, "keep", "twiddle")
"""What each action is called."""

_NUMBERS = {name: action for action, name in enumerate(ACTION_NAMES)}


def action_number(name: object) -> int:
    """Return the action with this name, such as ``bid 3``, ``9WY``, ``keep`` or ``twiddle``.

    Raises:
        ValueError: If there is no such action.
    """
    if name not in _NUMBERS:
        raise ValueError(f"unknown action {name!r}: there are {', '.join(ACTION_NAMES)}")
    return _NUMBERS[str(name)]


def told(event: list[int]) -> dict[str, Any]:
    """Return what the info of one step tells of it, outcome and reasons left out.

    Args:
        event: The columns that the engine wrote, as ints.

    Returns:
        `trick` where a trick was decided, `hand` at the end of a hand; nothing after bids, cards that leave a twiddle
        to be decided, and steps that started a game.
    """
    info: dict[str, Any] = {}
    if event[LEAD] != NO_TRICK:
        info["trick"] = {
            "lead": NAMES[event[LEAD]],
            "follow": NAMES[event[FOLLOW]],
            "trump_before": TRUMPS[event[TRUMP_BEFORE]],
            "trump": TRUMPS[event[TRUMP]],
            "taken_by": TAKERS[event[TAKEN_BY]],
        }
        if event[HAND_OVER]:
            info["hand"] = {
                "number": event[HAND_NUMBER],
                "trump": TRUMPS[event[HAND_TRUMP]],
                "bid": event[BID_MADE],
                "taken": event[TAKEN],
                "you": event[YOUR_POINTS],
                "dummy": event[DUMMYS_POINTS],
            }
    return info


def illegal_action_message(game: Any, action: int) -> str:
    """Say which action cannot be taken, why, and what is legal."""
    legal = legal_actions(game)
    names = ", ".join(ACTION_NAMES[number] for number in range(NUM_ACTIONS) if legal >> number & 1)
    name = ACTION_NAMES[action]
    if FIRST_CARD <= action < KEEP:
        name = f"the card {name} ({card_description(action - FIRST_CARD)})"
    return f"action {action}, {name}, is illegal: {why_illegal(game, action)}; legal are {names}"


def why_illegal(game: Any, action: int) -> str:
    """Say why an illegal action is illegal."""
    if game.phase == BID:
        return "this bid has been made already" if action < NUM_BIDS else "you have to bid first"
    if game.phase != CARD:
        return f"your card {NAMES[game.played]} is played, and you keep the trump or twiddle it"
    if action < NUM_BIDS:
        return f"you have bid {game.bid} in this hand"
    if action in (KEEP, TWIDDLE):
        return "you play a card first"
    if not int(game.hand) >> action - FIRST_CARD & 1:
        return "it is not in your hand"
    return f"the dummy led {NAMES[game.lead]}, and you hold cards that share a suit with it"
