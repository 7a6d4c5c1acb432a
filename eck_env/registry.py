"""The registered environments of all games: their ids, their classes and their keywords."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import gymnasium as gym

from eck_env.checks import choice
from eck_env.eck import variant as eck
from eck_env.gongor_whist import variant as gongor_whist

if TYPE_CHECKING:
    from eck_env.base.env import GameEnv
    from eck_env.base.vector_env import GameVectorEnv


class Registered(NamedTuple):
    """What an id stands for; the classes are named as Gymnasium's entry points, and imported when they are needed."""

    env: str
    vector_env: str
    keywords: dict[str, Any]


REGISTRY: dict[str, Registered] = {
    **{
        env_id: Registered("eck_env.eck.env:EckEnv", "eck_env.eck.vector_env:EckVectorEnv", keywords)
        for env_id, keywords in eck.REGISTERED.items()
    },
    **{
        env_id: Registered(
            "eck_env.gongor_whist.env:GongorEnv", "eck_env.gongor_whist.vector_env:GongorVectorEnv", keywords
        )
        for env_id, keywords in gongor_whist.REGISTERED.items()
    },
}


def make_env(env_id: str, **keywords: Any) -> GameEnv:
    """Return a single environment without any wrapper; keywords go before those that the id stands for.

    Raises:
        ValueError: If there is no such id, or a keyword has a value that is not allowed.
    """
    found = REGISTRY[choice(env_id, tuple(REGISTRY), "the id")]
    env: GameEnv = _load(found.env)(**(found.keywords | keywords))
    return env


def make_vector_env(env_id: str, num_envs: int, **keywords: Any) -> GameVectorEnv[Any]:
    """Return a batch of games; see `make_env`."""
    found = REGISTRY[choice(env_id, tuple(REGISTRY), "the id")]
    env: GameVectorEnv[Any] = _load(found.vector_env)(num_envs, **(found.keywords | keywords))
    return env


def _load(entry_point: str) -> Any:
    module, name = entry_point.split(":")
    return getattr(import_module(module), name)


def register_all() -> None:
    """Register all of them with Gymnasium."""
    for env_id, (env, vector_env, keywords) in REGISTRY.items():
        if env_id not in gym.registry:
            gym.register(
                env_id, entry_point=env, vector_entry_point=vector_env, kwargs=dict(keywords), order_enforce=True
            )
