"""What the pictures of the cards look like: colors, and outlines as polygons. No drawing library is needed for it.

Both the pictures of `drawing.py` and those of other front ends are made from these. Every outline lies in the square
from -1 to 1, y downward, as a tuple of polygons that are filled together.
"""

from __future__ import annotations

import math

from eck_env.base.outlines import Outline, Polygon, Rgb, points_of, regular
from eck_env.eck.cards import COLORS, SHAPE_DIGITS, SHAPES

CARD_RGB: dict[str, Rgb] = dict(
    zip(
        COLORS,
        ((205, 32, 44), (232, 119, 14), (222, 174, 0), (31, 140, 77), (33, 102, 196), (126, 58, 160)),
        strict=True,
    )
)
"""The six colors of the cards; they differ in lightness as well as in hue, as far as six colors can."""

_CIRCLE_STEPS = 24


def _shape(corners: int) -> Outline:
    """Return the outline of a card's shape; those with an even number of corners lie on a side."""
    if corners == 2:
        return (((-1.0, 0.1), (-1.0, -0.1), (1.0, -0.1), (1.0, 0.1)),)
    return (regular(corners, 0.5 / corners if corners % 2 == 0 else 0.0),)


def _heart(y_scale: float = 1.0) -> Polygon:
    """Return a heart; with a negative scale it stands on its head."""
    curve = []
    for step in range(2 * _CIRCLE_STEPS):
        t = math.tau * step / (2 * _CIRCLE_STEPS)
        y = 13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t)
        curve.append((math.sin(t) ** 3, -y_scale * (y + 2.5) / 15))
    return points_of(curve)


def _star() -> Polygon:
    radii = (1.05, 0.45)
    return points_of(
        (radii[corner % 2] * math.sin(math.pi * corner / 5), -radii[corner % 2] * math.cos(math.pi * corner / 5))
        for corner in range(10)
    )


_STEM: Polygon = ((0.0, 0.0), (0.4, 1.0), (-0.4, 1.0))
_LEAVES = tuple(regular(_CIRCLE_STEPS, 0.0, x, y, 0.45) for x, y in ((0.0, -0.52), (-0.52, 0.18), (0.52, 0.18)))
_DIAMOND: Polygon = ((0.0, -1.0), (0.75, 0.0), (0.0, 1.0), (-0.75, 0.0))
_TRIANGLE: Polygon = ((0.0, -0.9), (0.95, 0.8), (-0.95, 0.8))

SHAPE_OUTLINES: dict[str, Outline] = {
    shape: _shape(int(digit)) for shape, digit in zip(SHAPES, SHAPE_DIGITS, strict=True)
} | {"circle": (regular(2 * _CIRCLE_STEPS),)}
"""The outline of each shape."""

SYMBOL_OUTLINES: dict[str, Outline] = dict(
    zip(
        COLORS,
        ((_heart(),), (_DIAMOND,), (_star(),), (*_LEAVES, _STEM), (_heart(-0.85), _STEM), (_TRIANGLE,)),
        strict=True,
    )
)
"""The outline of each color's symbol, those of `cards.COLOR_SYMBOLS`, for people who cannot tell the colors apart."""
