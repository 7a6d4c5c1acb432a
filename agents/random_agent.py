"""The random agent: any legal kind of card, each as likely as the others."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.batch import random_key

_PURPOSE = 2**32
"""The random stream of choices; the purposes of the engine's own streams are small numbers."""


def choose_uniformly(action_masks: NDArray[Any], keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Draw a legal action in each game, which its key alone decides.

    Args:
        action_masks: Shape (n, 38), int8 or bool, with at least one legal action in each row.
        keys: As `Agent.act` takes them, shape (n, 3).

    Returns:
        Actions, shape (n,).
    """
    legal = np.cumsum(action_masks, axis=1, dtype=np.int8)
    seeds, games, decisions = keys.T
    bits: Any = random_key(seeds, games, decisions, _PURPOSE)  # plain arithmetic, so it takes arrays as well
    drawn = (bits % legal[:, -1].astype(np.uint64)).astype(np.int8)
    actions: NDArray[np.int64] = np.argmax(legal > drawn[:, np.newaxis], axis=1)
    return actions


class RandomAgent:
    """Plays legal kinds of cards at random, drawn from the keys; three equal circles are one kind."""

    name = "random"

    def act(self, observations: NDArray[Any], action_masks: NDArray[Any], keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Choose an action in each game; see `Agent.act`."""
        return choose_uniformly(action_masks, keys)
