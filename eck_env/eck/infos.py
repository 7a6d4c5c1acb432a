"""What the environments tell beside observation and reward: the info of a step, in card notation; and errors."""

from __future__ import annotations

import functools
import logging
from typing import Any

import numpy as np

from eck_env.eck.cards import BLACK, COLORS, NAMES, NUM_KINDS, NUM_SHAPES, bag_count, card_description
from eck_env.eck.engine import (
    COLLECTED,
    COUNTER,
    FOLLOW,
    LEAD,
    LEADER,
    NO_TRICK,
    NUM_TURNED,
    OUTCOME,
    REASONS,
    ROUND_OVER,
    TAKEN_BY,
    TAKEN_BY_ECK,
    TRICKS_WON,
    TURNED,
    TURNED_GRAY,
)
from eck_env.eck.rules import BY_ILLEGAL_ACTION, COUNTERS, NO_CARD, PLAYING, legal_kinds
from eck_env.eck.state import OUTCOMES, SIDES, reason_names
from eck_env.eck.variant import TRICK_CARDS

logger = logging.getLogger("eck_env")

TAKERS = (*SIDES, "tied")


class IllegalActionError(ValueError):
    """An action that the rules do not allow, where the environment was made with ``illegal_action="raise"``."""


def step_info(event: list[int]) -> dict[str, Any]:
    """Return the info of one step, the mask left out.

    Args:
        event: The columns that the engine wrote, as ints.

    Returns:
        `trick`, at the end of a round `round`, at the end of a game `outcome` and `reasons`, after an illegal action
        `illegal_action`; nothing after a step that started a game.
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
    if event[OUTCOME] != PLAYING:
        info["outcome"] = OUTCOMES[event[OUTCOME]]
        info["reasons"] = reason_names(event[REASONS])
        if event[REASONS] & BY_ILLEGAL_ACTION:
            info["illegal_action"] = True
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


def as_action(action: Any, what: str = "action") -> int:
    """Return an action as an int; ValueError if it is no action of the space at all."""
    if isinstance(action, np.ndarray) and action.ndim == 0:
        action = action[()]
    if isinstance(action, bool) or not isinstance(action, int | np.integer) or not 0 <= action < NUM_KINDS:
        raise ValueError(f"{what} is {action!r}, but must be an integer from 0 to {NUM_KINDS - 1}: a card kind")
    return int(action)


@functools.cache
def announce_forfeit() -> None:
    """Say in one line of the log, once a process, that an illegal action lost a game."""
    logger.warning(
        'eck_env: an illegal action lost the game (illegal_action="forfeit"); choose among the ones of '
        'info["action_mask"], or make the environment with illegal_action="raise" to find the mistake'
    )
