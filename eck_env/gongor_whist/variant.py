"""The variants of Gongor Whist: how hands are scored, how long the Aces last, how many hands there may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from eck_env.checks import choice, integer

SCORINGS = ("shut_the_box", "two_columns", "first_edition")
SHUT_THE_BOX, TWO_COLUMNS, FIRST_EDITION = range(len(SCORINGS))
ACES_LAST = ("game", "pass")
HANDS = 8
"""The hands of a game in which every bid is made once."""
MAX_HANDS, MOST_HANDS = 40, 100
"""The first edition's hands unless a variant says otherwise, and the most that it may say."""


@dataclass(frozen=True)
class Variant:
    """One variant of the game.

    Attributes:
        scoring: ``"shut_the_box"``: a hand whose tricks differ from the bid loses the game; ``"two_columns"``: you and
            the dummy score; ``"first_edition"``: bids may repeat, and 50 points win.
        aces: How long the Aces last: ``"game"``: one pile for all hands; ``"pass"``: a new pile for every pass, and
            another twiddle after the last Ace, which means no trump (rulings a and b).
        max_hands: The hands after which a game ends.
    """

    scoring: str = "shut_the_box"
    aces: str = "game"
    max_hands: int = HANDS


def make_variant(scoring: str = "shut_the_box", aces: str = "game", max_hands: Any = None) -> Variant:
    """Check the keywords of a variant.

    Args:
        scoring: ``"shut_the_box"``, ``"two_columns"`` or ``"first_edition"``.
        aces: ``"game"`` or ``"pass"``.
        max_hands: For the first edition alone: the hands after which a game short of 50 points is lost, 1 to 100;
            None for 40. Under the other scorings there are 8.

    Raises:
        ValueError: If one of them is not allowed; the message says what is.
    """
    scoring = choice(scoring, SCORINGS, "scoring")
    aces = choice(aces, ACES_LAST, "aces")
    if scoring != SCORINGS[FIRST_EDITION]:
        if max_hands not in (None, HANDS):
            raise ValueError(
                f"max_hands is {max_hands!r}, but a game scored by {scoring!r} has {HANDS} hands: leave it"
            )
        return Variant(scoring, aces, HANDS)
    hands = MAX_HANDS if max_hands is None else integer(max_hands, 1, MOST_HANDS, "max_hands")
    return Variant(scoring, aces, hands)


REGISTERED: dict[str, dict[str, Any]] = {
    "GongorWhist-v0": {"scoring": "shut_the_box"},
    "GongorWhistColumns-v0": {"scoring": "two_columns"},
    "GongorWhistFirst-v0": {"scoring": "first_edition"},
}
"""The registered ids and the keywords of their variants."""
