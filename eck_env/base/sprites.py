"""What the pictures of every game are put together from, drawn by pygame: texts, backs, places, plates.

Sizes are those of a table of 640 x 480 and are multiplied by the scale. A thing is drawn once, several times as large
as it is needed, and reduced, so that its edges are smooth.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from gymnasium.error import DependencyNotInstalled

from eck_env.base.outlines import INK, OCTAGON, PAPER, Outline, Rgb

if TYPE_CHECKING:
    from pygame import Surface

CARD = (42, 58)
"""Width and height of a card."""
TILE = (17, 22)
"""Width and height of a card that is shown small."""

FELT: Rgb = (27, 66, 55)
LIGHT: Rgb = (232, 238, 234)
FAINT: Rgb = (142, 172, 160)
GOLD: Rgb = (245, 200, 80)
BACK: Rgb = (58, 74, 122)
EDGE: Rgb = (120, 118, 110)

_FINER = 4
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


class BaseSprites:
    """Makes and keeps what pictures of one scale are put together from; a game adds its own.

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

    def back(self) -> Surface:
        """Return the back of a card."""

        def paint(sheet: Surface, unit: float) -> None:
            self._plate(sheet, unit, CARD, BACK, PAPER)
            for step, color in enumerate((GOLD, BACK)):
                self._fill(sheet, unit, OCTAGON, (21, 29), 12 - 3 * step, color)

        return self._keep(("back",), lambda: self._reduced(CARD, PAPER, paint))

    def place(self, label: str) -> Surface:
        """Return an empty place for a card, with a label in it."""

        def paint(sheet: Surface, unit: float) -> None:
            box = self._pygame.Rect(unit, unit, unit * (CARD[0] - 2), unit * (CARD[1] - 2))
            self._pygame.draw.rect(sheet, FAINT, box, max(1, round(unit)), round(unit * 5))
            letters = self._letters(11, unit)(label, True, FAINT)
            sheet.blit(letters, letters.get_rect(center=(unit * CARD[0] / 2, unit * CARD[1] / 2)))

        return self._keep(("place", label), lambda: self._reduced(CARD, FELT, paint))

    def label(
        self, size: tuple[int, int], text: str, height: float, face: Rgb = PAPER, edge: Rgb = EDGE, ink: Rgb = INK
    ) -> Surface:
        """Return a plate with a text in its middle; `height` is about that of the letters."""

        def paint(sheet: Surface, unit: float) -> None:
            self._plate(sheet, unit, size, face, edge)
            letters = self._letters(height, unit)(text, True, ink)
            sheet.blit(letters, letters.get_rect(center=(unit * size[0] / 2, unit * size[1] / 2)))

        name = ("label", size, text, height, face, edge, ink)
        return self._keep(name, lambda: self._reduced(size, edge, paint))

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
