"""Records of games, whatever the game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.batch import MAX_SEED
from eck_env.checks import unknown_key

MAX_NUMBER = 2**62
"""The highest number of a game, and of a round in it, that states may have."""


def record(games: NDArray[np.void], index: int) -> Any:
    """Return one game as a record with attributes, which shares its memory with the batch."""
    return games.view(np.recarray)[index]


def flag_names(flags: int, names: Mapping[int, str]) -> list[str]:
    """Return the names of the flags that are set."""
    return [name for flag, name in names.items() if flags & flag]


def redraw_seed(game: Any, rng: np.random.Generator) -> None:
    """Re-draw the key of all later randomness of a game, and forget its prescribed shuffles."""
    game.seed = rng.integers(MAX_SEED, endpoint=True)
    game.scripted = 0


def check_generator(rng: Any) -> None:
    """Raise TypeError if it is no random generator of NumPy's."""
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng must be a numpy.random.Generator, such as numpy.random.default_rng(1), not {rng!r}")


def check_keys(state: Any, required: Sequence[str], optional: Sequence[str]) -> None:
    """Raise ValueError if it is no mapping with the keys of a state."""
    if not isinstance(state, Mapping):
        raise ValueError(f"a state is a dict as state_dict() returns it, not {type(state).__name__}")
    known = (*required, *optional)
    for key in state:
        if key not in known:
            raise unknown_key(key, known, "the state")
    missing = [key for key in required if key not in state]
    if missing:
        raise ValueError(f"the state lacks {', '.join(missing)}: give all of {', '.join(required)}")
