"""What the environments of the game without numbers tell of a step, in card notation; and why an action is illegal."""

from __future__ import annotations

from typing import Any

from eck_env.numberless.cards import NAMES, card_description, card_names, cards_of
from eck_env.numberless.engine import LOG, LOGGED, POT_TAKEN
from eck_env.numberless.rules import DRAFT, legal_cards
from eck_env.numberless.state import PATTERNS, TAKE_REASONS


def told(event: list[int]) -> dict[str, Any]:
    """Return what the info of one step tells of it, outcome and reasons left out.

    Args:
        event: The columns that the engine wrote, as ints.

    Returns:
        `plays` where cards were played: seat and card of each, in order, the caller's and those after it; `rounds`
        where rounds ended: who took how many cards and why, in order. Nothing in the draft.
    """
    plays, rounds = [], []
    for entry in event[LOG : LOG + event[LOGGED]]:
        if entry < POT_TAKEN:
            plays.append([entry // 64, NAMES[entry % 64]])
        else:
            seat, reason, cards = (entry - POT_TAKEN) // 64, entry // 8 % 8, entry % 8
            rounds.append({"taker": seat, "reason": TAKE_REASONS[reason], "cards": cards})
    return {key: part for key, part in (("plays", plays), ("rounds", rounds)) if part}


def illegal_action_message(game: Any, action: int) -> str:
    """Say which card cannot be played, why, and what is legal."""
    legal = card_names(cards_of(int(legal_cards(game))))
    return (
        f"action {action}, the card {NAMES[action]} ({card_description(action)}), is illegal: "
        f"{why_illegal(game, action)}; legal are {', '.join(legal)}"
    )


def why_illegal(game: Any, action: int) -> str:
    """Say why an illegal card is illegal."""
    if not int(game.hands[game.turn]) >> action & 1:
        return "it is not in the hand to choose from" if game.phase == DRAFT else "it is not in the hand"
    cards = ", ".join(card_names(game.pot[: game.pot_size].tolist()))
    return f"the pot, {cards}, asks for {PATTERNS[game.pattern]}"
