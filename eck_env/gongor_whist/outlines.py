"""What the suits look like: colors, and outlines as polygons. No drawing library is needed for it."""

from __future__ import annotations

import math

from eck_env.base.outlines import Outline, Polygon, Rgb, points_of, regular
from eck_env.gongor_whist.cards import SUITS

SUIT_RGB: dict[str, Rgb] = dict(
    zip(
        SUITS,
        ((92, 88, 168), (226, 150, 0), (20, 120, 190), (36, 138, 62), (190, 40, 48), (110, 84, 60)),
        strict=True,
    )
)
"""The colors of the suits."""

_STEPS = 24


def _moon() -> Polygon:
    """Return a crescent, open to the right."""
    outer = [(-math.sin(t), -math.cos(t)) for t in (math.pi * step / _STEPS for step in range(_STEPS + 1))]
    inner = [(-0.45 * x, y) for x, y in reversed(outer)]
    return points_of((x + 0.35, y) for x, y in outer + [(-x, y) for x, y in inner])


def _sun() -> Polygon:
    radii = (1.0, 0.62)
    angles = ((corner, math.tau * corner / 24) for corner in range(24))
    return points_of((radii[corner % 2] * math.sin(t), -radii[corner % 2] * math.cos(t)) for corner, t in angles)


def _wave(y: float) -> Polygon:
    """Return a wavy band at a height."""
    line = [(-1 + 2 * step / _STEPS, 0.2 * math.sin(math.tau * 1.5 * step / _STEPS)) for step in range(_STEPS + 1)]
    lower = [(x, y + 0.17 + rise) for x, rise in line]
    return points_of([(x, y - 0.17 + rise) for x, rise in line] + lower[::-1])


def _leaf() -> Polygon:
    """Return a pointed leaf that stands upright."""
    side = [(0.62 * math.sin(math.pi * step / _STEPS), -1 + 2 * step / _STEPS) for step in range(_STEPS + 1)]
    return points_of(side + [(-x, y) for x, y in reversed(side)])


def _wyrm() -> Polygon:
    """Return a snake: a thick S whose tail is thin."""
    line = [
        (0.55 * math.sin(math.tau * 0.95 * step / _STEPS), 1 - 2 * step / _STEPS, step) for step in range(_STEPS + 1)
    ]
    right = [(x + 0.1 + 0.24 * step / _STEPS, y) for x, y, step in line]
    left = [(x - 0.1 - 0.24 * step / _STEPS, y) for x, y, step in line]
    return points_of(right + left[::-1])


_DIAMOND: Polygon = ((0.0, -0.55), (0.5, 0.0), (0.0, 0.55), (-0.5, 0.0))

SUIT_OUTLINES: dict[str, Outline] = dict(
    zip(
        SUITS,
        (
            (_moon(),),
            (_sun(),),
            (_wave(-0.55), _wave(0.0), _wave(0.55)),
            (_leaf(),),
            (_wyrm(),),
            (
                *(regular(_STEPS, 0.0, x, y, 0.42) for x, y in ((-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5), (0.5, 0.5))),
                _DIAMOND,
            ),
        ),
        strict=True,
    )
)
"""The outline of each suit, for people who cannot tell the colors apart."""
