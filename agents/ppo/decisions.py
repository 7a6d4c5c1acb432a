"""Recorded decisions: positions of an agent's episodes, what it chose in them, and what came of it, in one .npz file.

array         type, shape       meaning
observations  uint8, (n, 48)    flat observations, as few bits for each number as it needs; see `unpack_observations`
masks         uint8, (n, 5)     legal actions, a bit each; see `unpack_masks`
actions       uint8, (n,)       what the agent chose
returns       float32, (n,)     the sum of the rewards from this decision to the end of the episode
regrets       float16, (n, 38)  by how much each legal action is worse than the best one, as the agent judges, 0 for the
                                others; (n, 0) if it was not asked
seeds         uint32, (n,)      the seed of the episode, which is the first one of it
numbers       uint16, (n,)      the number of the decision in the episode, from 0
about         text              JSON: who decided, what was played, versions, how many seconds it took (of all
                                processes added up)

The episodes come in the order of their seeds, the decisions of each in the order they were made in. Forced decisions,
those with one legal action, are among them: they teach the value. No part of the file is pickled.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.onnx_agent import layout_of
from eck_env.base.game import Game
from eck_env.files import write_bytes
from eck_env.registry import find_variant, game_of

FORMAT = 2
DATA_SUFFIX = ".npz"


class DecisionsError(ValueError):
    """A file that holds no recorded decisions, or none that can be used here; the message says why."""


class Packing:
    """How the observations and masks of a game are packed into as few bits as they need.

    Args:
        game: The game.
    """

    def __init__(self, game: Game) -> None:
        fields = game.layout.fields
        bits = np.repeat([field.high.bit_length() for field in fields], [field.length for field in fields])
        self._first_bits = np.cumsum(bits) - bits
        self._columns = np.repeat(np.arange(len(bits)), bits)
        self._shifts = (np.arange(int(bits.sum())) - self._first_bits[self._columns]).astype(np.uint8)
        self._actions = game.engine.num_actions

    def pack_observations(self, observations: NDArray[Any]) -> NDArray[np.uint8]:
        """Return flat observations, shape (n, size), in as few bits as they need; of ECK shape (n, 48)."""
        numbers = np.asarray(observations, np.uint8)
        return np.packbits((numbers[:, self._columns] >> self._shifts) & 1, axis=1)

    def unpack_observations(self, packed: NDArray[np.uint8]) -> NDArray[np.int8]:
        """Return the flat observations that `pack_observations` packed."""
        bits = np.unpackbits(packed, axis=1, count=len(self._shifts)) << self._shifts
        return np.add.reduceat(bits, self._first_bits, axis=1, dtype=np.uint8).view(np.int8)

    def pack_masks(self, masks: NDArray[Any]) -> NDArray[np.uint8]:
        """Return action masks, shape (n, number of actions), as bits."""
        return np.packbits(np.asarray(masks) != 0, axis=1)

    def unpack_masks(self, packed: NDArray[np.uint8]) -> NDArray[np.int8]:
        """Return the action masks that `pack_masks` packed."""
        return np.unpackbits(packed, axis=1, count=self._actions).view(np.int8)


@dataclass(frozen=True, eq=False)
class Decisions:
    """Recorded decisions; the arrays are those of the file.

    Attributes:
        observations: Packed observations.
        masks: Packed action masks.
        actions: The choices.
        returns: The rewards to come.
        regrets: What the actions are worth less than the best one.
        seeds: The seeds of the episodes.
        numbers: The numbers of the decisions in their episodes.
    """

    observations: NDArray[np.uint8]
    masks: NDArray[np.uint8]
    actions: NDArray[np.uint8]
    returns: NDArray[np.float32]
    regrets: NDArray[np.float16]
    seeds: NDArray[np.uint32]
    numbers: NDArray[np.uint16]

    def __len__(self) -> int:
        return len(self.actions)


_ARRAYS = tuple(Decisions.__dataclass_fields__)


def concatenate(parts: Sequence[Decisions]) -> Decisions:
    """Return the decisions of all parts, one part after another."""
    return Decisions(*(np.concatenate([getattr(part, name) for part in parts]) for name in _ARRAYS))


def save_decisions(path: Path, decisions: Decisions, about: dict[str, Any]) -> None:
    """Write decisions to a file, all of it or nothing.

    Args:
        path: The file.
        decisions: The decisions.
        about: Plain data that say where they come from; `variant` has the keywords of what was played.
    """
    data = {"format": FORMAT, "observation_layout": _layout(about), **about}
    buffer = io.BytesIO()
    arrays = {name: getattr(decisions, name) for name in _ARRAYS}
    np.savez_compressed(buffer, about=np.array(json.dumps(data)), **arrays)
    write_bytes(path, buffer.getvalue())


def _layout(about: dict[str, Any]) -> dict[str, Any]:
    """Return what names the layout of the observations of the game that decisions are of."""
    return layout_of(game_of(find_variant(about.get("variant", {}))))


def load_about(path: Path) -> dict[str, Any]:
    """Return what a file of decisions says about itself; the decisions are not read.

    Raises:
        DecisionsError: If it is no such file, or of another format or layout of observations.
        OSError: If it cannot be read.
    """
    return _read(path, ())[1]


def load_decisions(path: Path) -> Decisions:
    """Return the decisions in a file; raises as `load_about` does."""
    arrays, _ = _read(path, _ARRAYS)
    sizes = {len(array) for array in arrays.values()}
    if len(sizes) > 1:
        raise DecisionsError(f"{path} is damaged: its arrays have different lengths; record the decisions anew")
    return Decisions(**arrays)


def _read(path: Path, names: Sequence[str]) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as members:
            about = json.loads(str(members["about"]))
            arrays = {name: members[name] for name in names}
        stored = about["format"], about["observation_layout"]
    except (AttributeError, EOFError, KeyError, TypeError, ValueError, zipfile.BadZipFile) as error:
        raise DecisionsError(
            f"{path} holds no recorded decisions, or is damaged ({error}): scripts/record.py records some"
        ) from error
    wanted = _layout(about)
    if stored != (FORMAT, wanted):
        raise DecisionsError(
            f"{path} has format {stored[0]} and the observation layout {stored[1]}, but this program reads format "
            f"{FORMAT} and {wanted}: record the decisions anew"
        )
    return arrays, about
