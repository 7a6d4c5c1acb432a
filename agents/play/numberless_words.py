"""What happened in the game without numbers, in words for people; you sit at seat 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.play.words import listing
from eck_env.numberless.cards import (
    BACKGROUNDS,
    FOREGROUNDS,
    HAND_SIZE,
    NUM_KINDS,
    card_description,
    card_number,
)
from eck_env.numberless.state import PATTERNS, TAKE_REASONS
from eck_env.numberless.variant import YOUR_SEAT

_BACKGROUND, _FOREGROUND = PATTERNS[1], PATTERNS[2]
_BUST = TAKE_REASONS[0]


def card_words(card: str) -> str:
    """Return the name of a card in words, such as ``anchor on red``."""
    return card_description(card_number(card))


def cards(count: int) -> str:
    """Return a number of cards in words."""
    return f"{count} card" + ("" if count == 1 else "s")


def seat_words(seat: int) -> str:
    """Return what a seat is called within a sentence."""
    return "you" if seat == YOUR_SEAT else f"seat {seat}"


def play_words(seat: int, card: str) -> str:
    """Say that a seat plays a card."""
    return f"{_doing(seat, 'play')} {card_words(card)}."


def pot_words(taker: int, reason: str, count: int) -> str:
    """Say who takes the pot, and why."""
    if reason == _BUST:
        return f"{_capital(seat_words(taker))} cannot fit and {_verb(taker, 'take')} {_all(count)}."
    return f"All fit: {seat_words(taker)} played second and {_verb(taker, 'take')} {_all(count)}."


def opening_words(seen: Mapping[str, Any]) -> str | None:
    """Say who took pots before your first card, from what `decode` returns; None if nobody did, or you have played."""
    taken = [f"{seat_words(seat)} took {cards(count)}" for seat, count in enumerate(seen["collected"]) if count]
    return f"Before your first card {listing(taken)}." if taken and not seen["played"][YOUR_SEAT] else None


def pattern_words(pattern: str, first: str) -> str:
    """Return what a pattern asks for, such as ``same background, red``; `first` is the first card of the pot."""
    figure, color = divmod(card_number(first), NUM_KINDS)
    if pattern == _BACKGROUND:
        return f"{pattern}, {BACKGROUNDS[color]}"
    return f"{pattern}, {FOREGROUNDS[figure]}" if pattern == _FOREGROUND else pattern


def turn_words(seen: Mapping[str, Any]) -> str:
    """Say what you are to do, from what `decode` returns and the number of the pick, `pick`."""
    if seen["phase"] == "draft":
        if seen["pick"] == HAND_SIZE:
            return f"Pick {HAND_SIZE} of {HAND_SIZE}: the last card is yours."
        return f"Pick {seen['pick']} of {HAND_SIZE}: keep a card; the others go to seat 1."
    pot = seen["pot"]
    if not pot:
        return "You start the round: play any card."
    led = f"{_capital(seat_words(seen['start']))} led {card_words(pot[0])}"
    if len(pot) == 1:
        return f"{led}. Play any card: the pattern is fixed by it."
    return f"The pattern is {pattern_words(seen['pattern'], pot[0])}: play a card that fits."


def why_words(why: str, pot: Sequence[str]) -> str:
    """Return the engine's reason against a card with the cards of the pot in words instead of notation."""
    return why.replace(f"the pot, {', '.join(pot)},", f"the pot, {listing([card_words(card) for card in pot])},")


def outcome_words(outcome: str, counts: Sequence[int]) -> str:
    """Say how a game ended, from the cards that count against each seat."""
    own, lowest = counts[YOUR_SEAT], min(counts)
    if outcome == "win":
        return f"You win the game: {cards(own)}, and the others have {listing([str(count) for count in counts[1:]])}."
    winners = [seat for seat, count in enumerate(counts) if count == lowest and seat != YOUR_SEAT]
    names = listing([seat_words(seat) for seat in winners])
    if outcome == "shared win":
        return f"You share the win with {names}: {cards(own)} each."
    wins = f"{_capital(names)} {'wins' if len(winners) == 1 else 'share the win'} with {cards(lowest)}"
    return f"You lose the game with {cards(own)}. {wins}."


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _verb(seat: int, verb: str) -> str:
    return verb if seat == YOUR_SEAT else f"{verb}s"


def _doing(seat: int, verb: str) -> str:
    return f"{_capital(seat_words(seat))} {_verb(seat, verb)}"


def _all(count: int) -> str:
    return "the card" if count == 1 else f"the {count} cards"
