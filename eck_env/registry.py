"""The registered environments of all games: their ids, their classes and their keywords."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import gymnasium as gym

from eck_env.checks import choice, unknown_key
from eck_env.eck import variant as eck
from eck_env.gongor_whist import variant as gongor_whist
from eck_env.numberless import variant as numberless

if TYPE_CHECKING:
    from eck_env.base.env import GameEnv
    from eck_env.base.game import Game
    from eck_env.base.vector_env import GameVectorEnv


class Registered(NamedTuple):
    """What an id stands for; the classes are named as Gymnasium's entry points, and imported when they are needed."""

    env: str
    vector_env: str
    keywords: dict[str, Any]


AnyVariant: TypeAlias = eck.Variant | gongor_whist.Variant | numberless.Variant
"""A variant of any game; its type tells which."""


class _Family(NamedTuple):
    """A game: the module of its variants, and its classes as Gymnasium's entry points."""

    variants: Any
    env: str
    vector_env: str


_FAMILIES = (
    _Family(eck, "eck_env.eck.env:EckEnv", "eck_env.eck.vector_env:EckVectorEnv"),
    _Family(gongor_whist, "eck_env.gongor_whist.env:GongorEnv", "eck_env.gongor_whist.vector_env:GongorVectorEnv"),
    _Family(numberless, "eck_env.numberless.env:NumberlessEnv", "eck_env.numberless.vector_env:NumberlessVectorEnv"),
)

REGISTRY: dict[str, Registered] = {
    env_id: Registered(family.env, family.vector_env, keywords)
    for family in _FAMILIES
    for env_id, keywords in family.variants.REGISTERED.items()
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


def make_batch(variant: AnyVariant, num_envs: int, **keywords: Any) -> GameVectorEnv[Any]:
    """Return a batch of games of a variant; see `make_env`."""
    env: GameVectorEnv[Any] = _load(_family_of(variant).vector_env)(num_envs, **asdict(variant), **keywords)
    return env


def game_of(variant: AnyVariant) -> Game:
    """Return the definition of a variant's game."""
    game: Game = _load(_family_of(variant).env).definition
    return game


def find_variant(env: str | Mapping[str, Any]) -> AnyVariant:
    """Return the variant that a registered id or the keywords of an environment name.

    Args:
        env: An id, or keywords of a variant, which tell by their names of which game it is; no keywords are ECK's
            standard game.

    Raises:
        ValueError: If there is no such id or keyword, or a value is not allowed.
        TypeError: If a value has the wrong type.
    """
    if isinstance(env, str):
        keywords = REGISTRY[choice(env, tuple(REGISTRY), "the environment")].keywords
        family = next(family for family in _FAMILIES if env in family.variants.REGISTERED)
    else:
        keywords = dict(env)
        family = max(_FAMILIES, key=lambda each: len(set(keywords) & set(_known(each))))
        fitting = not set(keywords).isdisjoint(_known(family))
        known = _known(family) if fitting else [name for each in _FAMILIES for name in _known(each)]
        for key in keywords:
            if key not in known:
                raise unknown_key(key, known, "the variant")
    variant: AnyVariant = family.variants.make_variant(**keywords)
    return variant


def id_of(variant: AnyVariant) -> str | None:
    """Return the registered id of a variant, or None if it has none."""
    variants = _family_of(variant).variants
    ids = (env_id for env_id, keywords in variants.REGISTERED.items() if variants.make_variant(**keywords) == variant)
    return next(ids, None)


def standard_of(variant: AnyVariant) -> AnyVariant:
    """Return the variant that a policy for this one is looked for under: the same but for who else plays."""
    standard: AnyVariant = getattr(variant, "standard", variant)
    return standard


def _known(family: _Family) -> list[str]:
    """Return the keywords of a game's variants."""
    return [field.name for field in fields(family.variants.Variant)]


def _family_of(variant: AnyVariant) -> _Family:
    return next(family for family in _FAMILIES if isinstance(variant, family.variants.Variant))


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
