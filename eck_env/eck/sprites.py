"""The things that lie on ECK's table, drawn by pygame: cards, trick cards, the counter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eck_env.base.outlines import INK, PAPER, Rgb
from eck_env.base.sprites import CARD, EDGE, GOLD, TILE, BaseSprites
from eck_env.eck.cards import BLACK, COLORS, NUM_SHAPES, SHAPE_DIGITS, SHAPES
from eck_env.eck.outlines import CARD_RGB, SHAPE_OUTLINES, SYMBOL_OUTLINES

if TYPE_CHECKING:
    from pygame import Surface

TRICK_CARD = (56, 44)
"""Width and height of a trick card."""

GRAY: Rgb = (128, 130, 134)
_STATUS_FACES: dict[str, tuple[Rgb, Rgb]] = {
    "colored": ((30, 136, 168), PAPER),
    "gray": ((150, 152, 156), (58, 60, 64)),
    "yours": (GOLD, INK),
    "eck": ((46, 20, 24), (226, 120, 120)),
}


class Sprites(BaseSprites):
    """Adds what only ECK has."""

    def card(self, kind: int) -> Surface:
        """Return the face of a card."""

        def paint(sheet: Surface, unit: float) -> None:
            self._plate(sheet, unit, CARD, PAPER, EDGE)
            if kind >= BLACK:
                self._circle(sheet, unit, kind)
                return
            name = COLORS[kind // NUM_SHAPES]
            self._shape(sheet, unit, SHAPES[kind % NUM_SHAPES], CARD_RGB[name])
            for turned in (False, True):
                x, y = (CARD[0] - 8, CARD[1] - 9) if turned else (8, 9)
                self._fill(sheet, unit, SYMBOL_OUTLINES[name], (x, y), 4.6, CARD_RGB[name])
            letters = self._letters(12, unit)(SHAPE_DIGITS[kind % NUM_SHAPES], True, INK)
            sheet.blit(letters, (unit * (CARD[0] - 5) - letters.get_width(), unit * 4))

        return self._keep(("card", kind), lambda: self._reduced(CARD, EDGE, paint))

    def tile(self, kind: int) -> Surface:
        """Return a card as a small tile."""

        def paint(sheet: Surface, unit: float) -> None:
            name = "" if kind >= BLACK else COLORS[kind // NUM_SHAPES]
            face = CARD_RGB[name] if name else INK if kind == BLACK else PAPER
            self._plate(sheet, unit, TILE, face, PAPER if kind <= BLACK else EDGE, radius=3)
            if not name:
                ring = PAPER if kind == BLACK else INK
                self._pygame.draw.circle(sheet, ring, (unit * 8.5, unit * 11), unit * 4, round(unit * 1.2))
                return
            self._fill(sheet, unit, SYMBOL_OUTLINES[name], (8.5, 6.5), 3.2, PAPER)
            letters = self._letters(10, unit)(SHAPE_DIGITS[kind % NUM_SHAPES], True, PAPER)
            sheet.blit(letters, (unit * 8.5 - letters.get_width() / 2, unit * 11))

        return self._keep(("tile", kind), lambda: self._reduced(TILE, EDGE, paint))

    def trick_card(self, name: str, status: str) -> Surface:
        """Return a trick card as it lies: colored, gray, yours or ECK's."""

        def paint(sheet: Surface, unit: float) -> None:
            face, ink = _STATUS_FACES[status]
            self._plate(sheet, unit, TRICK_CARD, face, PAPER)
            if status == "gray":
                self._hatch(sheet, unit)
            letters = self._letters(24, unit)(name, True, ink)
            center = (unit * TRICK_CARD[0] / 2, unit * TRICK_CARD[1] / 2)
            if status == "gray":
                self._pygame.draw.rect(sheet, face, letters.get_rect(center=center).inflate(unit * 8, 0))
            sheet.blit(letters, letters.get_rect(center=center))
            if status == "eck":
                width, (right, low) = round(unit * 3), (TRICK_CARD[0] - 6, TRICK_CARD[1] - 6)
                for left, top in ((6, 6), (right, 6)):
                    start, end = (unit * left, unit * top), (unit * (TRICK_CARD[0] - left), unit * low)
                    self._pygame.draw.line(sheet, ink, start, end, width)

        return self._keep(("trick card", name, status), lambda: self._reduced(TRICK_CARD, PAPER, paint))

    def counter(self, value: str) -> Surface:
        """Return the counter card."""
        return self.label(TRICK_CARD, value, 30, ink=CARD_RGB["red"] if value == "X" else INK)

    def _shape(self, sheet: Surface, unit: float, shape: str, color: Rgb) -> None:
        """Draw a card's shape with a darker rim, so that light colors stand out from the paper as well."""
        rim = (color[0] // 2, color[1] // 2, color[2] // 2)
        center = (CARD[0] / 2, CARD[1] / 2 + 1)
        self._fill(sheet, unit, SHAPE_OUTLINES[shape], center, 15.5, rim)
        if shape == "line":
            return self._fill(sheet, unit, SHAPE_OUTLINES[shape], center, 15, color)
        return self._fill(sheet, unit, SHAPE_OUTLINES[shape], center, 14, color)

    def _circle(self, sheet: Surface, unit: float, kind: int) -> None:
        center = (CARD[0] / 2, CARD[1] / 2)
        self._fill(sheet, unit, SHAPE_OUTLINES["circle"], center, 15, INK)
        if kind != BLACK:
            self._fill(sheet, unit, SHAPE_OUTLINES["circle"], center, 12.5, PAPER)

    def _hatch(self, sheet: Surface, unit: float) -> None:
        """Draw the slanted lines of a gray side, which show without color."""
        width, height = TRICK_CARD
        for start in range(-height, width, 7):
            points = [(x, y) for x in range(2, width - 1) if 2 <= (y := x - start) < height - 1]
            if len(points) > 1:
                ends = [(unit * x, unit * y) for x, y in (points[0], points[-1])]
                self._pygame.draw.line(sheet, GRAY, *ends, max(1, round(unit * 1.2)))
