"""eck_env: reinforcement-learning environments of trick-taking card games: ECK, Gongor Whist, and one without numbers.

Importing the package registers `Eck-v0`, `EckBeginner-v0`, `EckHard-v0` and `EckExpert-v0`, `GongorWhist-v0`,
`GongorWhistColumns-v0` and `GongorWhistFirst-v0`, and `Numberless-v0`, with Gymnasium. The engines, and numba with
them, are imported when they are first needed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from eck_env.registry import register_all

if TYPE_CHECKING:
    from eck_env.base.infos import IllegalActionError
    from eck_env.decoding import decode
    from eck_env.eck.env import EckEnv
    from eck_env.eck.round_values import RoundValues, load_round_values
    from eck_env.eck.simulation import GamesResult, simulate_games, simulate_rounds
    from eck_env.eck.vector_env import EckVectorEnv
    from eck_env.gongor_whist.env import GongorEnv
    from eck_env.gongor_whist.vector_env import GongorVectorEnv
    from eck_env.numberless.env import NumberlessEnv
    from eck_env.numberless.vector_env import NumberlessVectorEnv

__version__ = "0.1.0"

_HOMES = {
    "EckEnv": "eck_env.eck.env",
    "EckVectorEnv": "eck_env.eck.vector_env",
    "GamesResult": "eck_env.eck.simulation",
    "GongorEnv": "eck_env.gongor_whist.env",
    "GongorVectorEnv": "eck_env.gongor_whist.vector_env",
    "IllegalActionError": "eck_env.base.infos",
    "NumberlessEnv": "eck_env.numberless.env",
    "NumberlessVectorEnv": "eck_env.numberless.vector_env",
    "RoundValues": "eck_env.eck.round_values",
    "decode": "eck_env.decoding",
    "load_round_values": "eck_env.eck.round_values",
    "simulate_games": "eck_env.eck.simulation",
    "simulate_rounds": "eck_env.eck.simulation",
}

__all__ = [
    "EckEnv",
    "EckVectorEnv",
    "GamesResult",
    "GongorEnv",
    "GongorVectorEnv",
    "IllegalActionError",
    "NumberlessEnv",
    "NumberlessVectorEnv",
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


register_all()
