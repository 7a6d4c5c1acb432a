"""The cards of the game without numbers: foregrounds, backgrounds, notation, sets of cards as integers.

A *card* is an integer from 0 to 48: 7 times its foreground plus its background; each pair of these is one card. In
notation a card is the letter of its foreground, a figure, and that of its background, a color: ``AR`` is an anchor on
red. A set of cards is an integer with a bit for each card.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from eck_env.checks import listed

FOREGROUNDS = ("anchor", "bell", "crown", "drum", "egg", "fir", "gate")
BACKGROUNDS = ("red", "orange", "yellow", "green", "blue", "purple", "white")
FOREGROUND_LETTERS = "ABCDEFG"
BACKGROUND_LETTERS = "ROYGBPW"
NUM_KINDS = len(FOREGROUNDS)
"""There are as many foregrounds as backgrounds."""

NUM_CARDS = NUM_KINDS * NUM_KINDS
HAND_SIZE = 7
NAMES = tuple(figure + color for figure in FOREGROUND_LETTERS for color in BACKGROUND_LETTERS)
ALL_CARDS = (1 << NUM_CARDS) - 1

FOREGROUND = np.arange(NUM_CARDS) // NUM_KINDS
BACKGROUND = np.arange(NUM_CARDS) % NUM_KINDS


def set_of(cards: Iterable[int]) -> int:
    """Return the set of these cards."""
    return sum(1 << int(card) for card in set(cards))


def cards_of(bits: int) -> list[int]:
    """Return the cards of a set, in order."""
    return [card for card in range(NUM_CARDS) if bits >> card & 1]


def _sets(kinds: np.ndarray) -> np.ndarray:
    """Return for each card the set of those that are of the same kind."""
    return np.array([set_of(np.flatnonzero(kinds == kinds[card]).tolist()) for card in range(NUM_CARDS)], np.int64)


SAME_FOREGROUND = _sets(FOREGROUND)
"""The cards with the foreground of each card, itself included, as sets."""
SAME_BACKGROUND = _sets(BACKGROUND)
DIFFERENT = ALL_CARDS & ~(SAME_FOREGROUND | SAME_BACKGROUND)
"""The cards that share neither foreground nor background with each card, as sets."""

_NUMBERS = {name: card for card, name in enumerate(NAMES)}


def card_number(name: object) -> int:
    """Return the number of the card with this notation, or of the action that is given in place of it.

    Raises:
        ValueError: If there is no such card.
    """
    if isinstance(name, int | np.integer) and not isinstance(name, bool) and 0 <= name < NUM_CARDS:
        return int(name)
    card = _NUMBERS.get(name) if isinstance(name, str) else None
    if card is None:
        raise ValueError(
            f"unknown card {name!r}: write the letter of a foreground, {FOREGROUND_LETTERS}, and that of a background, "
            f"{BACKGROUND_LETTERS}, such as 'AR', or the action, 0 to {NUM_CARDS - 1}"
        )
    return card


def card_numbers(names: object, what: str = "cards") -> list[int]:
    """Return the numbers of cards given in notation.

    Raises:
        ValueError: If one of them is unknown, or is there twice; `what` names the list in the message.
    """
    cards = [card_number(name) for name in listed(names, what, "['AR', 'GW']")]
    check_once([NAMES[card] for card in cards], what)
    return cards


def check_once(names: Sequence[str], what: str) -> None:
    """Raise ValueError if a card occurs twice; `what` names the list in the message."""
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{what} has {name} {names.count(name)} times, but there is one of each card")


def card_names(cards: Iterable[int]) -> list[str]:
    """Return the notation of cards."""
    return [NAMES[card] for card in cards]


def card_description(card: int) -> str:
    """Return the card's name in words, such as ``anchor on red``."""
    return f"{FOREGROUNDS[card // NUM_KINDS]} on {BACKGROUNDS[card % NUM_KINDS]}"
