"""The keywords that the environments of every game take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.checks import choice

OBSERVATIONS = ("flat", "dict")
DTYPES = ("int8", "float32")
ILLEGAL_ACTIONS = ("forfeit", "raise")


@dataclass(frozen=True, kw_only=True)
class BaseSettings:
    """How an environment is set up; a game adds its own.

    Attributes:
        variant: What is played.
        observation: ``"flat"``: one vector; ``"dict"``: the same by name.
        dtype: That of the observations.
        reward: The name of the rewards.
        illegal_action: ``"forfeit"``: an illegal action loses the game; ``"raise"``: it raises IllegalActionError.
    """

    variant: Any
    observation: str
    dtype: np.dtype[Any]
    reward: str
    illegal_action: str

    @property
    def whole_games(self) -> bool:
        """Whether an episode is a whole game."""
        return True

    @property
    def has_agents(self) -> bool:
        """Whether others than the engine play along, who may fail."""
        return False

    def check_value(self, game: Any) -> None:
        """Raise ValueError if a game cannot be played with these settings from the state that its record has."""

    def setup(self, scripts: NDArray[np.int8]) -> Any:
        """Return what the engine plays with; `scripts` are the prescribed shuffles of the batch."""
        raise NotImplementedError


def common_settings(observation: str, dtype: str, illegal_action: str) -> dict[str, Any]:
    """Check the keywords that all games share, and return them as `BaseSettings` has them.

    Raises:
        ValueError: If a value is not allowed; the message says which are.
    """
    return {
        "observation": choice(observation, OBSERVATIONS, "observation"),
        "dtype": np.dtype(choice(dtype, DTYPES, "dtype")),
        "illegal_action": choice(illegal_action, ILLEGAL_ACTIONS, "illegal_action"),
    }
