"""`eck_env.decode` knows the game of an observation by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from eck_env import decode
from eck_env.registry import REGISTRY, make_env


@pytest.mark.parametrize("observation", ["flat", "dict"])
@pytest.mark.parametrize("env_id", REGISTRY)
def test_every_game(env_id: str, observation: str) -> None:
    env = make_env(env_id, observation=observation)
    seen = env.reset(seed=1)[0]
    assert decode(seen) == env.definition.decode(seen)


@pytest.mark.parametrize("seen", [np.zeros(5, np.int8), np.zeros((2, 259), np.int8), {"hand": np.zeros(38)}, 3])
def test_what_is_of_no_game(seen: Any) -> None:
    with pytest.raises(ValueError, match=r"must have shape \(259,\).*\(166,\).*\(622,\)"):
        decode(seen)
