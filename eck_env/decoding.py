"""An observation of any game in words: which game it is of follows from its length or its fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.base.layout import Layout
from eck_env.eck.definition import ECK
from eck_env.gongor_whist.definition import GONGOR_WHIST
from eck_env.numberless.definition import NUMBERLESS

_GAMES = (ECK, GONGOR_WHIST, NUMBERLESS)


def decode(observation: NDArray[Any] | Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """Return what one observation says, in card notation; the `observation.py` of its game says more.

    Args:
        observation: A flat observation of one game, or the dict of its fields.

    Raises:
        ValueError: If it is no observation of any game.
    """
    for game in _GAMES:
        if _fits(observation, game.layout):
            return game.decode(observation)
    if isinstance(observation, Mapping):
        given = f"has the fields {', '.join(map(str, observation))}"
    else:
        given = f"has shape {np.shape(observation)}"
    shapes = ", ".join(f"({game.layout.size},) in {game.layout.game}" for game in _GAMES)
    raise ValueError(
        f"the observation {given}, but must have shape {shapes}, or the fields of one: decode one game at a time"
    )


def _fits(observation: NDArray[Any] | Mapping[str, NDArray[Any]], layout: Layout) -> bool:
    if isinstance(observation, Mapping):
        return all(field.name in observation for field in layout.fields)
    return np.shape(observation) == (layout.size,)
