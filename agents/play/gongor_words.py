"""What happened in a game of Gongor Whist, in words for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eck_env.gongor_whist.cards import NAMES, SUIT_LETTERS, SUITS, card_description, card_number
from eck_env.gongor_whist.variant import FIRST_EDITION, SCORINGS, SHUT_THE_BOX

REASONS = {
    "missed_bid": "a bid was missed",
    "points": "the dummy has more points",
    "max_hands": "there are not 50 points after the last hand",
    "illegal_action": "something illegal was done",
}
_MOVES = {"keep": "keep the trump", "twiddle": "twiddle the trump"}


def move_words(move: str) -> str:
    """Return an action in words, such as ``bid 3``, ``9 of Waves and Wyrms (Darkness)`` or ``keep the trump``."""
    return card_description(card_number(move)) if move in NAMES else _MOVES.get(move, move)


def suit_words(suit: str | None) -> str:
    """Return the name of a trump by its letter; None is no trump."""
    return "no trump" if suit is None else SUITS[SUIT_LETTERS.index(suit)]


def trick_words(trick: Mapping[str, Any]) -> str:
    """Say who played what in a trick, and whether trump was twiddled."""
    text = f"The dummy led {move_words(trick['lead'])}, you played {move_words(trick['follow'])}"
    if trick["trump"] != trick["trump_before"]:
        text += f" and twiddled the trump: {suit_words(trick['trump'])}"
    return text + "."


def taker_words(trick: Mapping[str, Any]) -> str:
    """Say who took a trick."""
    return "You take the trick." if trick["taken_by"] == "you" else "The dummy takes the trick."


def hand_words(hand: Mapping[str, Any], scoring: str) -> str:
    """Say how a hand ended, and what there is now."""
    said = f"You bid {hand['bid']} and took {hand['taken']}"
    made = "the bid is made" if hand["bid"] == hand["taken"] else "the bid is missed"
    you, dummy = points_words(hand["you"]), points_words(hand["dummy"])
    if scoring == SCORINGS[SHUT_THE_BOX]:
        return f"{said}: {made}."
    if scoring == SCORINGS[FIRST_EDITION]:
        return f"{said}: {made}. You have {you}."
    return f"{said}: {made}. You have {you}, the dummy {dummy}."


def points_words(count: int) -> str:
    """Return a number of points in words."""
    return f"{count} point" + ("" if count == 1 else "s")


def outcome_words(outcome: str, reasons: Sequence[str]) -> str:
    """Say how a game ended."""
    if outcome == "loss":
        return f"You lose the game: {' and '.join(REASONS[reason] for reason in reasons)}."
    return "You win the game." if outcome == "win" else "The game is drawn."


def turn_words(seen: Mapping[str, Any]) -> str:
    """Say what is to be done, from what `decode` returns."""
    trump = suit_words(seen["trump"])
    if seen["phase"] == "bid":
        return f"Trump: {trump}. How many tricks will you take? Bid." if seen["trump"] else "There is no trump. Bid."
    if seen["phase"] == "card":
        return f"The dummy leads {move_words(seen['lead'])}. Your turn."
    left = f"{seen['aces_left']} left" if seen["aces_left"] else "none left: it means no trump"
    return f"You play {move_words(seen['played'])}. Keep the trump, {trump}, or twiddle it (Aces: {left})?"


def why_words(why: str, lead: str | None) -> str:
    """Return the engine's reason against an action with the card led in words instead of notation."""
    return why if lead is None else why.replace(f"the dummy led {lead},", f"the dummy led {move_words(lead)},")
