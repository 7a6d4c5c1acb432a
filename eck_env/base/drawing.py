"""Tables as pictures of any size: what the painters of every game share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from eck_env.base.render import Tables
from eck_env.base.sprites import CARD, LIGHT, BaseSprites, load_pygame

if TYPE_CHECKING:
    from pygame import Surface

TABLE = (640, 480)
"""The size that positions on the table are given in."""


SpritesT = TypeVar("SpritesT", bound=BaseSprites)


class BasePainter(ABC, Generic[SpritesT]):
    """Paints tables of one size.

    Args:
        width: In pixels; so for the height. The table is scaled to fit and lies in the middle.
        height: See `width`.
        sprites: The class of what pictures of this game are put together from.
    """

    def __init__(self, width: int, height: int, sprites: type[SpritesT]) -> None:
        self._pygame = load_pygame()
        self._size = (width, height)
        scale = min(width / TABLE[0], height / TABLE[1])
        self._sprites = sprites(scale)
        self._offset = tuple(round((side - scale * length) / 2) for side, length in zip(self._size, TABLE, strict=True))
        self._surface: Surface = self._pygame.Surface(self._size)

    @abstractmethod
    def paint(self, game: Any) -> Surface:
        """Return the table of a game's record as a surface, which the next call paints over."""

    def _put(self, sprite: Surface, x: float, y: float) -> None:
        pixels = self._sprites.pixels
        self._surface.blit(sprite, (self._offset[0] + pixels(x), self._offset[1] + pixels(y)))

    def _write(self, text: str, x: float, y: float, size: float = 15, color: Any = LIGHT, align: float = 0) -> None:
        """Write a line; `align` 0 puts its left end at x, 0.5 its middle, 1 its right end."""
        sprite = self._sprites.text(text, size, color)
        left = self._offset[0] + self._sprites.pixels(x) - round(align * sprite.get_width())
        self._surface.blit(sprite, (left, self._offset[1] + self._sprites.pixels(y)))

    def _pile(self, tricks: int, label: str, x: float, y: float, step: float) -> None:
        """Draw tricks taken, a back each, `step` apart, and their number."""
        for place in range(tricks):
            self._put(self._sprites.back(), x + place * step, y)
        if not tricks:
            self._put(self._sprites.place("0"), x, y)
        self._write(f"{label}: {tricks}", x, y + CARD[1] + 5)


def draw_picture(tables: Tables, game: Any, size: tuple[int, int]) -> NDArray[np.uint8]:
    """Return the table of a game as a picture.

    Args:
        tables: How games are shown.
        game: The record of the game.
        size: Width and height in pixels.

    Returns:
        The colors, shape (height, width, 3), uint8; a fresh array.

    Raises:
        DependencyNotInstalled: If pygame is not there.
    """
    surface = tables.get_painter(*size).paint(game)
    data = np.frombuffer(load_pygame().image.tobytes(surface, "RGB"), np.uint8)
    return data.reshape(size[1], size[0], 3).copy()
