"""The things that lie on Gongor Whist's table, drawn by pygame: cards and Aces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eck_env.base.outlines import INK, PAPER
from eck_env.base.sprites import CARD, EDGE, TILE, BaseSprites
from eck_env.gongor_whist.cards import NAMES, SUIT_LETTERS, SUITS
from eck_env.gongor_whist.outlines import SUIT_OUTLINES, SUIT_RGB

if TYPE_CHECKING:
    from pygame import Surface

_RANK_TEXTS = {"C": "Cr", "A": "A"}


class Sprites(BaseSprites):
    """Adds what only Gongor Whist has."""

    def card(self, card: int) -> Surface:
        """Return the face of a card that is dealt."""
        return self._face(NAMES[card])

    def ace(self, suit: int) -> Surface:
        """Return the face of an Ace."""
        return self._face("A" + SUIT_LETTERS[suit])

    def tile(self, card: int) -> Surface:
        """Return a card as a small tile."""
        name = NAMES[card]
        suits = [SUITS[SUIT_LETTERS.index(letter)] for letter in name[1:]]

        def paint(sheet: Surface, unit: float) -> None:
            self._plate(sheet, unit, TILE, PAPER, EDGE, radius=3)
            letters = self._letters(11, unit)(name[0], True, INK)
            sheet.blit(letters, (unit * TILE[0] / 2 - letters.get_width() / 2, unit * 1.5))
            for place, suit in enumerate(suits):
                center = (TILE[0] * (2 * place + 1) / (2 * len(suits)), 15.5)
                self._fill(sheet, unit, SUIT_OUTLINES[suit], center, 3.4, SUIT_RGB[suit])

        return self._keep(("tile", name), lambda: self._reduced(TILE, EDGE, paint))

    def _face(self, name: str) -> Surface:
        """Return a card with its rank, and each of its suits in a color and a shape of its own."""
        suits = [SUITS[SUIT_LETTERS.index(letter)] for letter in name[1:]]

        def paint(sheet: Surface, unit: float) -> None:
            self._plate(sheet, unit, CARD, PAPER, EDGE)
            letters = self._letters(18, unit)(_RANK_TEXTS.get(name[0], name[0]), True, INK)
            sheet.blit(letters, (unit * 5, unit * 4))
            centers = ((21, 36),) if len(suits) == 1 else ((15, 28), (27, 45))
            for suit, center in zip(suits, centers, strict=True):
                radius = 11.0 if len(suits) == 1 else 8.5
                self._fill(sheet, unit, SUIT_OUTLINES[suit], center, radius, SUIT_RGB[suit])

        return self._keep(("card", name), lambda: self._reduced(CARD, EDGE, paint))
