"""The cards of Gongor Whist, the basic Decktet: suits, notation, sets of cards as integers.

A *card* is an integer from 0 to 29: the ranks from 2 to Crown in order, within a rank by the first of its suits. So
cards 3 (r - 2) to 3 (r - 2) + 2 have rank r, each with two suits; cards 24 to 29 are the Crowns, with one suit each.
The six Aces, one a suit, are never dealt; they are integers as suits are.

In notation a card is a rank, ``2`` to ``9`` or ``C``, and its suits: ``9WY``, ``CK``; Aces are ``AM`` and so on. A set
of cards is an integer with a bit for each card.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from eck_env.checks import listed

SUITS = ("Moons", "Suns", "Waves", "Leaves", "Wyrms", "Knots")
SUIT_LETTERS = "MSWLYK"
SUIT_SYMBOLS = "☾☼≈♣§∞"
"""One symbol a suit, for people who cannot tell the colors apart."""
NUM_SUITS = len(SUITS)
NO_TRUMP = NUM_SUITS
"""In place of a suit: there is no trump."""

RANKS = "23456789C"
CARDS = (
    ("2MK", "Author"), ("2SY", "Desert"), ("2WL", "Origin"),
    ("3MW", "Journey"), ("3SK", "Painter"), ("3LY", "Savage"),
    ("4MS", "Mountain"), ("4WL", "Sailor"), ("4YK", "Battle"),
    ("5ML", "Forest"), ("5SW", "Discovery"), ("5YK", "Soldier"),
    ("6MW", "Lunatic"), ("6SY", "Penitent"), ("6LK", "Market"),
    ("7ML", "Chance Meeting"), ("7SK", "Castle"), ("7WY", "Cave"),
    ("8MS", "Diplomat"), ("8WL", "Mill"), ("8YK", "Betrayal"),
    ("9MS", "Pact"), ("9WY", "Darkness"), ("9LK", "Merchant"),
    ("CM", "Huntress"), ("CS", "Bard"), ("CW", "Sea"), ("CL", "End"), ("CY", "Calamity"), ("CK", "Windfall"),
)  # fmt: skip
"""Notation and name of every card that is dealt, in the order of their numbers."""

NAMES = tuple(notation for notation, _ in CARDS)
NUM_CARDS = len(NAMES)
ACES = tuple("A" + letter for letter in SUIT_LETTERS)
HAND_SIZE = 7
ALL_CARDS = (1 << NUM_CARDS) - 1

RANK = np.array([RANKS.index(name[0]) for name in NAMES], np.int64)
"""The rank of each card, 0 for a 2 to 8 for a Crown."""
CARD_SUITS = np.array([sum(1 << SUIT_LETTERS.index(letter) for letter in name[1:]) for name in NAMES], np.int64)
"""The suits of each card, as a set of bits."""
SUIT_CARDS = np.array([sum(1 << card for card in range(NUM_CARDS) if CARD_SUITS[card] >> suit & 1)
                       for suit in range(NUM_SUITS)] + [0], np.int64)  # fmt: skip
"""The cards of each suit, as sets; the last set, that of no trump, is empty."""
SHARING = np.array([sum(1 << other for other in range(NUM_CARDS) if CARD_SUITS[card] & CARD_SUITS[other])
                    for card in range(NUM_CARDS)], np.int64)  # fmt: skip
"""The cards that share a suit with each card, as sets."""

_NUMBERS = {name: card for card, name in enumerate(NAMES)}


def card_number(name: object) -> int:
    """Return the number of the card with this notation.

    Raises:
        ValueError: If there is no such card.
    """
    card = _NUMBERS.get(name) if isinstance(name, str) else None
    if card is None:
        raise ValueError(f"unknown card {name!r}: write a rank and its suits, one of {' '.join(NAMES)}")
    return card


def card_numbers(names: object, what: str = "cards") -> list[int]:
    """Return the numbers of cards given in notation.

    Raises:
        ValueError: If one of them is unknown, or is there twice; `what` names the list in the message.
    """
    cards = [card_number(name) for name in listed(names, what, "['9WY', 'CK']")]
    check_once([NAMES[card] for card in cards], what)
    return cards


def ace_suits(names: object, what: str) -> list[int]:
    """Return the suits of Aces given in notation; raises ValueError as `card_numbers` does."""
    aces = listed(names, what, "['AM', 'AK']")
    for ace in aces:
        if ace not in ACES:
            raise ValueError(f"unknown Ace {ace!r} in {what}: they are {' '.join(ACES)}")
    check_once(aces, what)
    return [ACES.index(ace) for ace in aces]


def check_once(names: Sequence[str], what: str) -> None:
    """Raise ValueError if a card occurs twice; `what` names the list in the message."""
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{what} has {name} {names.count(name)} times, but there is one of each card")


def card_names(cards: Iterable[int]) -> list[str]:
    """Return the notation of cards."""
    return [NAMES[card] for card in cards]


def card_description(card: int) -> str:
    """Return the card's name in words, such as ``Crown of Knots (Windfall)`` or ``9 of Waves and Wyrms (Darkness)``."""
    name, title = CARDS[card]
    suits = " and ".join(SUITS[SUIT_LETTERS.index(letter)] for letter in name[1:])
    return f"{'Crown' if name[0] == 'C' else name[0]} of {suits} ({title})"


def cards_of(bits: int) -> list[int]:
    """Return the cards of a set, in order."""
    return [card for card in range(NUM_CARDS) if bits >> card & 1]


def set_of(cards: Iterable[int]) -> int:
    """Return the set of these cards."""
    return sum(1 << card for card in set(cards))
