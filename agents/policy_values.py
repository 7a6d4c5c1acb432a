"""What the values of a policy mean: how they become chances to win."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.onnx_agent import OnnxAgent


class ValueScale(NamedTuple):
    """How the values of a policy become chances to win, by the reward that it was trained for.

    Attributes:
        of_game: The reward was +1 for a win of the game and -1 for a loss, instead of the change of the round value.
    """

    of_game: bool

    def chances(self, values: NDArray[np.float32], start: float) -> NDArray[np.float64]:
        """Return the chances to win that values mean; `start` is the round value at the start of the round."""
        chances = (1 + values) / 2 if self.of_game else start + values
        return np.clip(chances, 0, 1).astype(np.float64)


def value_scale(policy: OnnxAgent) -> ValueScale | None:
    """Return how to read a policy's values; None if its file does not say what reward it was trained for."""
    training = _mapping(policy.metadata.get("training"))
    config = _mapping(training.get("config"))
    environment = _mapping(config.get("environment"))
    if not environment or _mapping(config.get("ppo")).get("gamma") != 1:
        return None
    reward = environment.get("reward") or ("round_value" if environment.get("episode") == "round" else "win")
    return ValueScale(of_game=reward == "win")


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
