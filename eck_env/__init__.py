"""eck_env: the reinforcement-learning environment of ECK, a solo trick-taking card game.

Importing the package registers `Eck-v0`, `EckBeginner-v0`, `EckHard-v0` and `EckExpert-v0` with Gymnasium. The engine,
and numba with it, is imported when it is first needed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import gymnasium as gym

from eck_env.eck.variant import REGISTERED

if TYPE_CHECKING:
    from eck_env.base.infos import IllegalActionError
    from eck_env.eck.env import EckEnv
    from eck_env.eck.observation import decode
    from eck_env.eck.round_values import RoundValues, load_round_values
    from eck_env.eck.simulation import GamesResult, simulate_games, simulate_rounds
    from eck_env.eck.vector_env import EckVectorEnv

__version__ = "0.1.0"

_HOMES = {
    "EckEnv": "eck_env.eck.env",
    "EckVectorEnv": "eck_env.eck.vector_env",
    "GamesResult": "eck_env.eck.simulation",
    "IllegalActionError": "eck_env.base.infos",
    "RoundValues": "eck_env.eck.round_values",
    "decode": "eck_env.eck.observation",
    "load_round_values": "eck_env.eck.round_values",
    "simulate_games": "eck_env.eck.simulation",
    "simulate_rounds": "eck_env.eck.simulation",
}

__all__ = [
    "EckEnv",
    "EckVectorEnv",
    "GamesResult",
    "IllegalActionError",
    "RoundValues",
    "__version__",
    "decode",
    "load_round_values",
    "simulate_games",
    "simulate_rounds",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that importing the package stays cheap."""
    if name not in _HOMES:
        raise AttributeError(f"module 'eck_env' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def _register() -> None:
    for env_id, keywords in REGISTERED.items():
        if env_id not in gym.registry:
            gym.register(
                env_id,
                entry_point="eck_env.eck.env:EckEnv",
                vector_entry_point="eck_env.eck.vector_env:EckVectorEnv",
                kwargs=dict(keywords),
                order_enforce=True,
            )


_register()
