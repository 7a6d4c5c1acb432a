"""What happened in a game, in words for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from eck_env.eck.cards import HAND_SIZE, card_description, card_kind

if TYPE_CHECKING:
    from agents.play.games import PlayKit

REASONS = {
    "eck_card": "ECK took a trick card",
    "counter": "the counter reached X",
    "illegal_action": "an illegal card was played",
}


def card_words(card: str) -> str:
    """Return the name of a card in words, such as ``blue hexagon``."""
    return card_description(card_kind(card))


def listing(items: Sequence[str]) -> str:
    """Return a list in words."""
    return items[-1] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}" if items else ""


def tricks(count: int) -> str:
    """Return a number of tricks in words."""
    return f"{count} trick" + ("" if count == 1 else "s")


def trick_words(trick: Mapping[str, Any]) -> str:
    """Say who played what in a trick."""
    lead, follow = card_words(trick["lead"]), card_words(trick["follow"])
    if trick["leader"] == "eck":
        return f"ECK led {lead}, you played {follow}."
    passed = listing([card_words(card) for card in trick["turned_over"]])
    return f"You led {lead}. ECK {f'turned over {passed}, then ' if passed else ''}played {follow}."


def taker_words(trick: Mapping[str, Any], tied_before: int) -> str:
    """Say who took a trick; `tied_before` is how many were set aside before it."""
    if trick["taken_by"] == "tied":
        return "The trick is tied."
    aside = f", and {tricks(tied_before)} set aside" if tied_before else ""
    return f"{'You take' if trick['taken_by'] == 'you' else 'ECK takes'} the trick{aside}."


def round_words(result: Mapping[str, Any]) -> str:
    """Say how a round ended."""
    won = result["tricks_won"]
    parts = [f"You took {tricks(won)}, ECK {HAND_SIZE - won}."]
    if result["collected"] is not None:
        parts.append(f"You collect the card {result['collected']}.")
    else:
        parts.append(f"No card for you: the counter shows {result['counter']}.")
    if result["turned_gray"] is not None:
        parts.append(f"ECK's card {result['turned_gray']} turns gray.")
    if result["taken_by_eck"] is not None:
        parts.append(f"ECK takes the gray card {result['taken_by_eck']}.")
    return " ".join(parts)


def outcome_words(outcome: str, reasons: Sequence[str]) -> str:
    """Say how a game ended."""
    if outcome == "win":
        return "You win the game."
    return f"You lose the game: {listing([REASONS[reason] for reason in reasons])}."


def turn_words(lead: str | None) -> str:
    """Say what is to be done; `lead` is the card that ECK led, if it did."""
    return "You lead." if lead is None else f"ECK leads {card_words(lead)}. Your turn."


def why_words(why: str, lead: str | None) -> str:
    """Return the engine's reason against a card with the card led in words instead of notation."""
    return why if lead is None else why.replace(f"ECK led {lead},", f"ECK led {card_words(lead)},")


def advice_words(advice: Mapping[str, Any], kit: PlayKit) -> str:
    """Say what an agent advises, and why, from plain data as `advice_to_data` makes it."""
    agent, card, cards = advice["agent"], advice["card"], advice["cards"]
    is_card, move_words = kit.is_card(card), kit.move_words
    noun = "card" if is_card else "choice"
    if len(cards) == 1:
        return f"{agent}: {move_words(card)} is the only {'card that may be played' if is_card else 'choice'}."
    kind = "chance" if cards[0]["chance"] is not None else "value" if cards[0]["value"] is not None else None
    own = next(entry for entry in cards if entry["card"] == card)
    parts = []
    if kind is not None:
        parts.append(f"{'win chance' if kind == 'chance' else 'value'} {percent(own[kind])}")
        other = max((entry for entry in cards if entry is not own), key=lambda entry: entry[kind])
        parts.append(f"the best other {noun}, {move_words(other['card'])}, has {percent(other[kind])}")
    if advice["choice"] != card:
        parts.append(f"without search it would {'play ' if is_card else ''}{move_words(advice['choice'])}")
    elif 0 < own["probability"] < 0.9995:
        does = "plays this card" if is_card else "decides so"
        parts.append(f"it {does} with probability {percent(own['probability'], 0)}")
    advised = f"{agent} advises {'' if is_card else 'to '}{move_words(card)}"
    return advised + (f": {'; '.join(parts)}." if parts else ".")


def percent(share: float, digits: int = 1) -> str:
    """Return a share as percent; the space between is one that no line ends at."""
    return f"{100 * share:.{digits}f}\N{NO-BREAK SPACE}%"


def advice_to_data(advice: Any, kit: PlayKit) -> dict[str, Any]:
    """Return advice (`coach.Advice`) as plain data, a list of cards and what the agent thinks of each."""
    cards = [
        {
            "card": card,
            "probability": probability,
            "value": advice.values[card] if advice.values else None,
            "chance": advice.chances[card] if advice.chances else None,
        }
        for card, probability in advice.probabilities.items()
    ]
    names = ("agent", "card", "choice", "value", "playouts", "seconds", "note")
    data: dict[str, Any] = {**{name: getattr(advice, name) for name in names}, "cards": cards}
    return {**data, "words": advice_words(data, kit)}
