"""The things that lie on the table, drawn by pygame: cards, backs, trick cards, the counter, and texts.

Sizes are those of a table of 640 x 480 and are multiplied by the scale. A thing is drawn once, several times as large
as it is needed, and reduced, so that its edges are smooth.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from gymnasium.error import DependencyNotInstalled

from eck_env.eck.cards import BLACK, COLORS, NUM_SHAPES, SHAPE_DIGITS, SHAPES
from eck_env.eck.outlines import CARD_RGB, INK, PAPER, SHAPE_OUTLINES, SYMBOL_OUTLINES, Outline, Rgb

if TYPE_CHECKING:
    from pygame import Surface

CARD = (42, 58)
"""Width and height of a card."""
TRICK_CARD = (56, 44)
TILE = (17, 22)
"""Width and height of a card that is shown small."""

FELT: Rgb = (27, 66, 55)
LIGHT: Rgb = (232, 238, 234)
FAINT: Rgb = (142, 172, 160)
GOLD: Rgb = (245, 200, 80)
GRAY: Rgb = (128, 130, 134)
BACK: Rgb = (58, 74, 122)

_FINER = 4
_EDGE: Rgb = (120, 118, 110)
_STATUS_FACES: dict[str, tuple[Rgb, Rgb]] = {
    "colored": ((30, 136, 168), PAPER),
    "gray": ((150, 152, 156), (58, 60, 64)),
    "yours": (GOLD, INK),
    "eck": ((46, 20, 24), (226, 120, 120)),
}
_Made = TypeVar("_Made")


def load_pygame() -> Any:
    """Import pygame, without its greeting.

    Raises:
        DependencyNotInstalled: If it is not there; the message says how to get it.
    """
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame
    except ImportError as error:
        raise DependencyNotInstalled(
            f'pictures need pygame ({error}): pip install "eck-env[render]"; render_mode="ansi" needs nothing'
        ) from error
    return pygame


class Sprites:
    """Makes and keeps what pictures of one scale are put together from.

    Args:
        scale: Pixels for each unit.
    """

    def __init__(self, scale: float) -> None:
        self._pygame = load_pygame()
        self._scale = scale
        self._kept: dict[tuple[Any, ...], Any] = {}

    def pixels(self, length: float) -> int:
        """Return a length or position in pixels."""
        return round(length * self._scale)

    def text(self, text: str, size: float, color: Rgb = LIGHT) -> Surface:
        """Return a line of text; `size` is about the height of its letters with their descenders."""
        made: Surface = self._keep(("text", text, size, color), lambda: self._letters(size)(text, True, color))
        return made

    def card(self, kind: int) -> Surface:
        """Return the face of a card."""

        def paint(sheet: Surface, unit: float) -> None:
            self._plate(sheet, unit, CARD, PAPER, _EDGE)
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

        return self._keep(("card", kind), lambda: self._reduced(CARD, _EDGE, paint))

    def tile(self, kind: int) -> Surface:
        """Return a card as a small tile."""

        def paint(sheet: Surface, unit: float) -> None:
            name = "" if kind >= BLACK else COLORS[kind // NUM_SHAPES]
            face = CARD_RGB[name] if name else INK if kind == BLACK else PAPER
            self._plate(sheet, unit, TILE, face, PAPER if kind <= BLACK else _EDGE, radius=3)
            if not name:
                ring = PAPER if kind == BLACK else INK
                self._pygame.draw.circle(sheet, ring, (unit * 8.5, unit * 11), unit * 4, round(unit * 1.2))
                return
            self._fill(sheet, unit, SYMBOL_OUTLINES[name], (8.5, 6.5), 3.2, PAPER)
            letters = self._letters(10, unit)(SHAPE_DIGITS[kind % NUM_SHAPES], True, PAPER)
            sheet.blit(letters, (unit * 8.5 - letters.get_width() / 2, unit * 11))

        return self._keep(("tile", kind), lambda: self._reduced(TILE, _EDGE, paint))

    def back(self) -> Surface:
        """Return the back of a card."""

        def paint(sheet: Surface, unit: float) -> None:
            self._plate(sheet, unit, CARD, BACK, PAPER)
            for step, color in enumerate((GOLD, BACK)):
                self._fill(sheet, unit, SHAPE_OUTLINES["octagon"], (21, 29), 12 - 3 * step, color)

        return self._keep(("back",), lambda: self._reduced(CARD, PAPER, paint))

    def place(self, label: str) -> Surface:
        """Return an empty place for a card, with a label in it."""

        def paint(sheet: Surface, unit: float) -> None:
            box = self._pygame.Rect(unit, unit, unit * (CARD[0] - 2), unit * (CARD[1] - 2))
            self._pygame.draw.rect(sheet, FAINT, box, max(1, round(unit)), round(unit * 5))
            letters = self._letters(11, unit)(label, True, FAINT)
            sheet.blit(letters, letters.get_rect(center=(unit * CARD[0] / 2, unit * CARD[1] / 2)))

        return self._keep(("place", label), lambda: self._reduced(CARD, FELT, paint))

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

        def paint(sheet: Surface, unit: float) -> None:
            self._plate(sheet, unit, TRICK_CARD, PAPER, _EDGE)
            letters = self._letters(30, unit)(value, True, CARD_RGB["red"] if value == "X" else INK)
            sheet.blit(letters, letters.get_rect(center=(unit * TRICK_CARD[0] / 2, unit * TRICK_CARD[1] / 2)))

        return self._keep(("counter", value), lambda: self._reduced(TRICK_CARD, _EDGE, paint))

    def _keep(self, name: tuple[Any, ...], make: Callable[[], _Made]) -> _Made:
        if name not in self._kept:
            self._kept[name] = make()
        made: _Made = self._kept[name]
        return made

    def _letters(self, size: float, unit: float | None = None) -> Callable[[str, bool, Rgb], Surface]:
        """Return what writes with the font that pygame brings along, so that pictures look the same on every machine.

        No font is kept: whoever quits pygame makes all of them invalid. What they wrote stays.
        """
        height = max(4, round(size * (self._scale if unit is None else unit)))
        self._pygame.font.init()
        write: Callable[[str, bool, Rgb], Surface] = self._pygame.font.Font(None, height).render
        return write

    def _reduced(self, size: tuple[int, int], edge: Rgb, paint: Callable[[Surface, float], None]) -> Surface:
        """Return what `paint` draws on a sheet; `edge` is the color that its edges fade from."""
        width, height = (max(1, self.pixels(length)) for length in size)
        sheet = self._pygame.Surface((width * _FINER, height * _FINER), self._pygame.SRCALPHA)
        sheet.fill((*edge, 0))
        paint(sheet, min(width * _FINER / size[0], height * _FINER / size[1]))
        reduced: Surface = self._pygame.transform.smoothscale(sheet, (width, height))
        return reduced

    def _plate(
        self, sheet: Surface, unit: float, size: tuple[int, int], face: Rgb, edge: Rgb, radius: float = 5
    ) -> None:
        """Fill a rounded card with a thin edge."""
        whole = self._pygame.Rect(0, 0, unit * size[0], unit * size[1])
        self._pygame.draw.rect(sheet, edge, whole, border_radius=round(unit * radius))
        inner = whole.inflate(-2 * unit, -2 * unit)
        self._pygame.draw.rect(sheet, face, inner, border_radius=round(unit * (radius - 1)))

    def _fill(
        self, sheet: Surface, unit: float, outline: Outline, center: tuple[float, float], radius: float, color: Rgb
    ) -> None:
        for polygon in outline:
            points = [(unit * (center[0] + radius * x), unit * (center[1] + radius * y)) for x, y in polygon]
            self._pygame.draw.polygon(sheet, color, points)

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
