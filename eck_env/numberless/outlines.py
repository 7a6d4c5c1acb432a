"""What the cards look like: colors of the backgrounds, and outlines of the figures as polygons."""

from __future__ import annotations

import math

from eck_env.base.outlines import Outline, Rgb, points_of, regular
from eck_env.numberless.cards import BACKGROUNDS, FOREGROUNDS

BACKGROUND_RGB: dict[str, Rgb] = dict(
    zip(
        BACKGROUNDS,
        ((205, 52, 56), (236, 138, 40), (236, 208, 70), (70, 160, 90), (64, 124, 214), (146, 92, 190), (240, 240, 236)),
        strict=True,
    )
)
"""The colors of the backgrounds."""

_STEPS = 24
_BELL = points_of(
    [(-0.9, 0.6), (-0.6, 0.3), (-0.5, -0.3)]
    + [(-0.5 * math.cos(t), -0.4 - 0.5 * math.sin(t)) for t in (math.pi * step / 12 for step in range(13))]
    + [(0.5, -0.3), (0.6, 0.3), (0.9, 0.6)]
)
_EGG = points_of(
    (0.7 * math.sin(t) * (1 - 0.18 * math.cos(t)), -0.95 * math.cos(t))
    for t in (math.tau * step / _STEPS for step in range(_STEPS))
)
_FIGURES: tuple[Outline, ...] = (
    (  # anchor: ring, stock, shank, arms
        regular(_STEPS, 0.0, 0.0, -0.75, 0.25),
        ((-0.5, -0.45), (0.5, -0.45), (0.5, -0.25), (-0.5, -0.25)),
        ((-0.12, -0.6), (0.12, -0.6), (0.12, 0.9), (-0.12, 0.9)),
        ((-0.9, 0.2), (-0.65, 0.2), (-0.45, 0.65), (0.0, 0.8), (0.45, 0.65), (0.65, 0.2), (0.9, 0.2), (0.6, 0.9),
         (0.0, 1.0), (-0.6, 0.9)),
    ),
    (_BELL, regular(_STEPS, 0.0, 0.0, 0.75, 0.22)),
    (((-0.9, 0.7), (-0.9, -0.6), (-0.45, 0.0), (0.0, -0.9), (0.45, 0.0), (0.9, -0.6), (0.9, 0.7)),),
    (
        ((-0.8, -0.5), (0.8, -0.5), (0.8, 0.8), (-0.8, 0.8)),
        ((-0.8, -0.6), (-0.7, -0.95), (-0.55, -0.95), (-0.2, -0.6)),
        ((0.8, -0.6), (0.7, -0.95), (0.55, -0.95), (0.2, -0.6)),
    ),
    (_EGG,),
    (
        ((0.0, -1.0), (0.5, -0.3), (-0.5, -0.3)),
        ((0.0, -0.6), (0.7, 0.2), (-0.7, 0.2)),
        ((0.0, -0.1), (0.9, 0.7), (-0.9, 0.7)),
        ((-0.15, 0.7), (0.15, 0.7), (0.15, 1.0), (-0.15, 1.0)),
    ),
    (
        ((-0.9, -0.9), (0.9, -0.9), (0.9, -0.55), (-0.9, -0.55)),
        ((-0.8, -0.55), (-0.45, -0.55), (-0.45, 0.95), (-0.8, 0.95)),
        ((0.45, -0.55), (0.8, -0.55), (0.8, 0.95), (0.45, 0.95)),
        ((-0.12, -0.55), (0.12, -0.55), (0.12, 0.95), (-0.12, 0.95)),
    ),
)  # fmt: skip

FIGURE_OUTLINES: dict[str, Outline] = dict(zip(FOREGROUNDS, _FIGURES, strict=True))
"""The outline of each figure."""
