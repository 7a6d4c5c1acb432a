"""Recorded decisions: positions of an agent's episodes, what it chose in them, and what came of it, in one .npz file.

array         type, shape       meaning
observations  uint8, (n, 48)    flat observations, as few bits for each number as it needs; see `unpack_observations`
masks         uint8, (n, 5)     legal actions, a bit each; see `unpack_masks`
actions       uint8, (n,)       what the agent chose
returns       float32, (n,)     the sum of the rewards from this decision to the end of the episode
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
from eck_env.eck.cards import NUM_KINDS
from eck_env.eck.definition import ECK
from eck_env.eck.observation import FIELDS
from eck_env.files import write_bytes

LAYOUT = layout_of(ECK)
FORMAT = 1
DATA_SUFFIX = ".npz"

_BITS = np.repeat([field.high.bit_length() for field in FIELDS], [field.length for field in FIELDS])
_FIRST_BITS = np.cumsum(_BITS) - _BITS
_NUM_BITS = int(_BITS.sum())
_COLUMNS = np.repeat(np.arange(len(_BITS)), _BITS)
_SHIFTS = (np.arange(_NUM_BITS) - _FIRST_BITS[_COLUMNS]).astype(np.uint8)


class DecisionsError(ValueError):
    """A file that holds no recorded decisions, or none that can be used here; the message says why."""


def pack_observations(observations: NDArray[Any]) -> NDArray[np.uint8]:
    """Return flat observations, shape (n, 259), in as few bits as they need, shape (n, 48)."""
    numbers = np.asarray(observations, np.uint8)
    return np.packbits((numbers[:, _COLUMNS] >> _SHIFTS) & 1, axis=1)


def unpack_observations(packed: NDArray[np.uint8]) -> NDArray[np.int8]:
    """Return the flat observations, shape (n, 259), that `pack_observations` packed."""
    bits = np.unpackbits(packed, axis=1, count=_NUM_BITS) << _SHIFTS
    return np.add.reduceat(bits, _FIRST_BITS, axis=1, dtype=np.uint8).view(np.int8)


def pack_masks(masks: NDArray[Any]) -> NDArray[np.uint8]:
    """Return action masks, shape (n, 38), as bits, shape (n, 5)."""
    return np.packbits(np.asarray(masks) != 0, axis=1)


def unpack_masks(packed: NDArray[np.uint8]) -> NDArray[np.int8]:
    """Return the action masks, shape (n, 38), that `pack_masks` packed."""
    return np.unpackbits(packed, axis=1, count=NUM_KINDS).view(np.int8)


@dataclass(frozen=True, eq=False)
class Decisions:
    """Recorded decisions; the arrays are those of the file.

    Attributes:
        observations: Packed observations.
        masks: Packed action masks.
        actions: The choices.
        returns: The rewards to come.
        seeds: The seeds of the episodes.
        numbers: The numbers of the decisions in their episodes.
    """

    observations: NDArray[np.uint8]
    masks: NDArray[np.uint8]
    actions: NDArray[np.uint8]
    returns: NDArray[np.float32]
    seeds: NDArray[np.uint32]
    numbers: NDArray[np.uint16]

    def __len__(self) -> int:
        return len(self.actions)


_ARRAYS = tuple(Decisions.__dataclass_fields__)


def concatenate(parts: Sequence[Decisions]) -> Decisions:
    """Return the decisions of all parts, one part after another."""
    return Decisions(*(np.concatenate([getattr(part, name) for part in parts]) for name in _ARRAYS))


def save_decisions(path: Path, decisions: Decisions, about: dict[str, Any]) -> None:
    """Write decisions to a file, all of it or nothing; `about`: plain data that say where they come from."""
    data = {"format": FORMAT, "observation_layout": LAYOUT, **about}
    buffer = io.BytesIO()
    arrays = {name: getattr(decisions, name) for name in _ARRAYS}
    np.savez_compressed(buffer, about=np.array(json.dumps(data)), **arrays)
    write_bytes(path, buffer.getvalue())


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
    if stored != (FORMAT, LAYOUT):
        raise DecisionsError(
            f"{path} has format {stored[0]} and the observation layout {stored[1]}, but this program reads format "
            f"{FORMAT} and {LAYOUT}: record the decisions anew"
        )
    return arrays, about
