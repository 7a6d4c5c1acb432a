"""The variants of ECK (ruling l): how many trick cards win, which are laid out, what must follow a circle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from eck_env.checks import listed

TRICK_CARDS = ("2", "4", "6", "8", "10", "12", "13/0")
NUM_TRICK_CARDS = len(TRICK_CARDS)
CIRCLE_FOLLOW = ("any", "same")


@dataclass(frozen=True)
class Variant:
    """One variant of the game.

    Attributes:
        target: How many trick cards must be collected to win, 1 to 7.
        trick_cards: The names of the trick cards laid out, in the order of `TRICK_CARDS`.
        circle_follow: ``"any"``: any card may follow a circle that ECK leads; ``"same"``: a circle of that color
            must be played if held (ruling a).
    """

    target: int = 4
    trick_cards: tuple[str, ...] = TRICK_CARDS
    circle_follow: str = "any"

    @property
    def laid_bits(self) -> int:
        """The trick cards laid out, as a set of bits in the order of `TRICK_CARDS`."""
        return sum(1 << TRICK_CARDS.index(name) for name in self.trick_cards)

    @property
    def same_circle(self) -> bool:
        """Whether a circle must be followed by one of its color."""
        return self.circle_follow == "same"


def make_variant(target: Any = 4, trick_cards: Sequence[str] | None = None, circle_follow: str = "any") -> Variant:
    """Check the keywords of a variant.

    Args:
        target: Trick cards needed, 1 to 7 and at most as many as are laid out.
        trick_cards: Names of the trick cards laid out, such as ``("2", "4", "13/0")``; None for all seven.
        circle_follow: ``"any"`` or ``"same"``.

    Raises:
        ValueError: If one of them is not allowed; the message says what is.
        TypeError: If `target` is not an integer.
    """
    if isinstance(target, bool) or not hasattr(target, "__index__"):
        raise TypeError(f"target must be an integer from 1 to {NUM_TRICK_CARDS}, not {target!r}")
    target = int(target)
    names = listed(TRICK_CARDS if trick_cards is None else trick_cards, "trick_cards", "('2', '13/0')")
    for name in names:
        if name not in TRICK_CARDS:
            raise ValueError(f"unknown trick card {name!r}: choose out of {', '.join(TRICK_CARDS)}, as strings")
        if names.count(name) > 1:
            raise ValueError(f"trick card {name!r} is named {names.count(name)} times: name each card once")
    if not 1 <= target <= NUM_TRICK_CARDS:
        raise ValueError(f"target is {target}, but must be 1 to {NUM_TRICK_CARDS}: the trick cards needed to win")
    if target > len(names):
        raise ValueError(
            f"target is {target}, but only {len(names)} trick card(s) are laid out ({', '.join(names)}): "
            "lay out more or lower the target"
        )
    if circle_follow not in CIRCLE_FOLLOW:
        raise ValueError(f"circle_follow is {circle_follow!r}, but must be 'any' or 'same'")
    return Variant(target, tuple(name for name in TRICK_CARDS if name in names), circle_follow)


REGISTERED: dict[str, dict[str, Any]] = {
    "Eck-v0": {"target": 4},
    "EckBeginner-v0": {"target": 2},
    "EckHard-v0": {"target": 3, "trick_cards": ("2", "4", "12", "13/0")},
    "EckExpert-v0": {"target": 7},
}
"""The registered ids and the keywords of their variants."""
