"""What pictures of cards are made of, whatever the game: types, two colors, polygons. No drawing library is needed.

Every outline lies in the square from -1 to 1, y downward, as a tuple of polygons that are filled together.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

Rgb = tuple[int, int, int]
Polygon = tuple[tuple[float, float], ...]
Outline = tuple[Polygon, ...]

INK: Rgb = (28, 30, 36)
PAPER: Rgb = (252, 250, 244)


def points_of(points: Iterable[tuple[float, float]]) -> Polygon:
    """Return a polygon with its positions rounded."""
    return tuple((round(x, 4), round(y, 4)) for x, y in points)


def regular(corners: int, turn: float = 0.0, x: float = 0.0, y: float = 0.0, radius: float = 1.0) -> Polygon:
    """Return a regular polygon; its first corner points up, turned clockwise by a share of a full turn."""
    angles = (math.tau * (corner / corners + turn) for corner in range(corners))
    return points_of((x + radius * math.sin(angle), y - radius * math.cos(angle)) for angle in angles)


OCTAGON: Outline = (regular(8, 0.5 / 8),)
