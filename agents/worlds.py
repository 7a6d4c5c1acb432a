"""Worlds: what the player cannot know, drawn anew; no search looks at the deck as it lies."""

from __future__ import annotations

from typing import Any

import numpy as np

from eck_env.batch import mix, shuffle
from eck_env.compiled import rule


@rule
def draw_world(game: Any, key: np.uint64) -> None:
    """Draw anew all that the player cannot know: the order of the face-down cards and every later shuffle."""
    game.scripted = 0
    game.seed = np.int64(mix(key) >> np.uint64(1))
    shuffle(game.cards, game.top, game.bottom, mix(key))
