"""The layout of a game's observation: a table of fields, from which slices, spaces and hashes are derived."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray


class Field(NamedTuple):
    """One field of the observation: its name, how many numbers it has, and the highest of their values."""

    name: str
    length: int
    high: int


@dataclass(frozen=True)
class Layout:
    """The layout of the observations of one game.

    Attributes:
        game: The name of the game.
        version: The version of the layout.
        names: The notation of the cards.
        fields: The fields in their order.
    """

    game: str
    version: int
    names: tuple[str, ...]
    fields: tuple[Field, ...]

    @cached_property
    def slices(self) -> dict[str, slice]:
        """The place of each field in the flat observation."""
        ends: list[int] = np.cumsum([field.length for field in self.fields]).tolist()
        return {field.name: slice(end - field.length, end) for field, end in zip(self.fields, ends, strict=True)}

    @cached_property
    def size(self) -> int:
        """How many numbers the flat observation has."""
        return sum(field.length for field in self.fields)

    @cached_property
    def hash(self) -> str:
        """A hash that changes with the layout; exported policies hold it."""
        told = repr((self.version, self.names, self.fields))
        return hashlib.blake2b(told.encode(), digest_size=8).hexdigest()

    def make_space(self, kind: str, dtype: Any) -> spaces.Space[Any]:
        """Return the observation space: a flat Box for ``"flat"``, a Dict of the fields for ``"dict"``."""
        if kind == "dict":
            return spaces.Dict({field.name: spaces.Box(0, field.high, (field.length,), dtype) for field in self.fields})
        high = self.highs().astype(dtype)
        return spaces.Box(np.zeros_like(high), high, dtype=dtype)

    def highs(self) -> NDArray[Any]:
        """Return the highest value of each number of the flat observation."""
        return np.repeat([field.high for field in self.fields], [field.length for field in self.fields])

    def split(self, flat: NDArray[Any]) -> dict[str, NDArray[Any]]:
        """Return the fields of flat observations, shape (..., size), as views by name."""
        return {name: flat[..., place] for name, place in self.slices.items()}

    def join(self, fields: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
        """Return the flat observations, shape (..., size), of fields by name: the inverse of `split`."""
        return np.concatenate([np.asarray(fields[field.name]) for field in self.fields], axis=-1)

    def read(self, observation: NDArray[Any] | Mapping[str, NDArray[Any]]) -> dict[str, list[int]]:
        """Return the numbers of one observation by field.

        Args:
            observation: A flat observation, or the dict of its fields.

        Raises:
            ValueError: If the shape is another, or the vector is no observation of this layout.
        """
        if isinstance(observation, Mapping):
            missing = [field.name for field in self.fields if field.name not in observation]
            if missing:
                raise ValueError(f"the observation lacks {', '.join(missing)}")
            observation = self.join(observation)
        flat = np.asarray(observation)
        if flat.shape != (self.size,):
            raise ValueError(f"an observation has shape ({self.size},), not {flat.shape}: decode one game at a time")
        if not ((flat >= 0) & (flat <= self.highs())).all():
            raise ValueError(f"the vector is no observation of {self.game}: a number in it is out of its range")
        return {name: part.astype(int).tolist() for name, part in self.split(flat).items()}

    def not_one_hot(self, names: Sequence[str]) -> ValueError:
        """Return the error for fields that must have a single 1."""
        return ValueError(f"the vector is no observation of {self.game}: {' and '.join(names)} must be one-hot")


def share_bounds(space: spaces.Space[Any]) -> None:
    """Let all games share one row of the bounds of a batched space, which would take a kilobyte a game otherwise."""
    if isinstance(space, spaces.Dict):
        for part in space.values():
            share_bounds(part)
    elif isinstance(space, spaces.Box):
        for name in ("low", "high", "bounded_below", "bounded_above"):
            rows = getattr(space, name)
            setattr(space, name, np.broadcast_to(rows[:1].copy(), rows.shape))
