"""The cards of ECK: kinds, names, notation, and sets of cards as integers.

A *kind* is an integer: ``6 * color + shape`` for the 36 colored cards, then black circle and white circle. There is
one card of every colored kind and three of each circle: 38 kinds, 42 cards. The kind is also the action that plays it.

In notation a colored card is a color letter and the number of corners (``R2`` ... ``P8``), the circles are ``K`` and
``W``. A *bag* is a multiset of cards in one integer: a bit for each colored kind, two bits for the number of black
circles, two for the white ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from eck_env.checks import listed
from eck_env.compiled import rule

COLORS = ("red", "orange", "yellow", "green", "blue", "purple")
COLOR_LETTERS = "ROYGBP"
COLOR_SYMBOLS = "♥◆★♣♠▲"
"""One symbol a color, for people who cannot tell the colors apart."""
SHAPES = ("line", "triangle", "square", "pentagon", "hexagon", "octagon")
SHAPE_DIGITS = "234568"
"""The number of corners, weakest shape first."""

NUM_SHAPES = len(SHAPES)
BLACK = len(COLORS) * NUM_SHAPES
WHITE = BLACK + 1
NUM_KINDS = WHITE + 1
CIRCLE_COPIES = 3
COPIES = (*(1,) * BLACK, CIRCLE_COPIES, CIRCLE_COPIES)
PACK = np.repeat(np.arange(NUM_KINDS, dtype=np.int8), COPIES)
"""The 42 cards of the game by kind, in order; shape (42,), int8."""

PACK_SIZE = len(PACK)
HAND_SIZE = 13
DECK_SIZE = PACK_SIZE - HAND_SIZE

NAMES = (*(letter + digit for letter in COLOR_LETTERS for digit in SHAPE_DIGITS), "K", "W")
_KINDS = {name: kind for kind, name in enumerate(NAMES)}

COLOR_BITS = (1 << NUM_SHAPES) - 1
COLORED_BITS = (1 << BLACK) - 1
COPY_BITS = 3


def card_kind(name: object) -> int:
    """Return the kind of the card with this notation.

    Raises:
        ValueError: If there is no such card.
    """
    kind = _KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise ValueError(
            f"unknown card {name!r}: write a color letter out of {', '.join(COLOR_LETTERS)} and a number of corners "
            f"out of {', '.join(SHAPE_DIGITS)}, such as 'R2' or 'P8', or 'K' (black circle) or 'W' (white circle)"
        )
    return kind


def card_kinds(names: object) -> list[int]:
    """Return the kinds of cards given in notation; raises ValueError as `card_kind` does."""
    return [card_kind(name) for name in listed(names, "cards", "['R2', 'K']")]


def card_names(kinds: Iterable[int]) -> list[str]:
    """Return the notation of cards given by kind."""
    return [NAMES[kind] for kind in kinds]


def card_description(kind: int) -> str:
    """Return the card's name in words, such as ``red line`` or ``black circle``."""
    if kind >= BLACK:
        return "black circle" if kind == BLACK else "white circle"
    return f"{COLORS[kind // NUM_SHAPES]} {SHAPES[kind % NUM_SHAPES]}"


def check_copies(kinds: Sequence[int], what: str) -> None:
    """Raise ValueError if a card occurs more often than the game has it; `what` names the list in the message."""
    for kind in sorted(set(kinds)):
        count = kinds.count(kind)
        if count > COPIES[kind]:
            raise ValueError(
                f"{what} has {NAMES[kind]} {count} times, but the game has it {COPIES[kind]} time(s): "
                "every other card must be one that is not listed yet"
            )


@rule
def bag_shift(kind: int) -> int:
    """Return the position of a kind's count in a bag."""
    return int(kind) + int(kind == WHITE)  # plain integers: NumPy's would overflow when bags are built from them


@rule
def bag_count(bag: int, kind: int) -> int:
    """Return how many cards of this kind are in the bag."""
    width = COPY_BITS if kind >= BLACK else 1
    return (bag >> bag_shift(kind)) & width


@rule
def bag_kinds(bag: int) -> int:
    """Return the kinds in the bag as a set of bits: bit k for kind k."""
    kinds = bag & COLORED_BITS
    if bag_count(bag, BLACK):
        kinds |= 1 << BLACK
    if bag_count(bag, WHITE):
        kinds |= 1 << WHITE
    return kinds


def bag_of(kinds: Iterable[int]) -> int:
    """Return the bag of these cards."""
    return sum(1 << bag_shift(kind) for kind in kinds)


def bag_list(bag: int) -> list[int]:
    """Return the cards in the bag by kind, sorted."""
    return [kind for kind in range(NUM_KINDS) for _ in range(bag_count(bag, kind))]
