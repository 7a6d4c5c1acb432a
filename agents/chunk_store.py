"""The finished chunks of an evaluation on disk, so that it goes on where it was when it is killed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.evaluation import Played
from agents.results import compact_json, games_from_data, games_to_data
from eck_env.files import write_text
from eck_env.registry import AnyVariant

_REQUEST = "request.json"


class ResumeError(ValueError):
    """What is on disk is not the evaluation to go on with; the message says what to do."""


@dataclass(frozen=True)
class StoredChunk:
    """Games that were played.

    Attributes:
        entry: Which agent on which variant: its place in the evaluation.
        first: The place of the first game.
        played: The games.
    """

    entry: int
    first: int
    played: Played


class ChunkStore:
    """A folder with a file for each finished chunk, and one that says what was asked for.

    Args:
        folder: It need not exist.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def exists(self) -> bool:
        """Whether an evaluation was begun here."""
        return (self.folder / _REQUEST).is_file()

    def begin(self, request: Mapping[str, Any]) -> None:
        """Make the folder.

        Args:
            request: All that the games depend on, as plain data.
        """
        self.folder.mkdir(exist_ok=True)
        write_text(self.folder / _REQUEST, json.dumps(request, indent=2) + "\n")

    def check(self, request: Mapping[str, Any]) -> None:
        """Raise ResumeError if what was begun here is not what is asked for."""
        path = self.folder / _REQUEST
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ResumeError(f"{path} is damaged ({error}): remove {self.folder} and begin anew") from error
        check_request_matches(stored, request, str(self.folder))

    def save(self, chunk: StoredChunk) -> None:
        """Write a chunk, all of it or nothing."""
        played = chunk.played
        data = {
            "entry": chunk.entry,
            "first": chunk.first,
            "seconds": played.seconds,
            "agent_seconds": played.agent_seconds,
            "games": games_to_data(played.games),
        }
        write_text(self.folder / f"{chunk.entry:03}-{chunk.first:09}.json", compact_json(data))

    def load(self, variants: Sequence[AnyVariant]) -> list[StoredChunk]:
        """Return all chunks.

        Args:
            variants: What is played in each place of the evaluation.

        Raises:
            ResumeError: If a file is damaged.
        """
        return [_read_chunk(path, variants) for path in sorted(self.folder.glob("*-*.json"))]

    def remove(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder)


def _read_chunk(path: Path, variants: Sequence[AnyVariant]) -> StoredChunk:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        variant = variants[data["entry"]]
        played = Played(games_from_data(data["games"], variant), data["seconds"], data["agent_seconds"])
        return StoredChunk(data["entry"], data["first"], played)
    except (AttributeError, LookupError, TypeError, ValueError, OverflowError) as error:
        raise ResumeError(f"{path} is damaged ({error}): remove it, and its games are played anew") from error


def check_request_matches(stored: Mapping[str, Any], request: Mapping[str, Any], where: str) -> None:
    """Raise ResumeError if two requests differ; the message names everything that does."""
    differences = _differences(stored, json.loads(json.dumps(request)))
    if differences:
        raise ResumeError(
            f"{where} holds another evaluation ({'; '.join(differences)}): ask for the same one, name another file, or "
            f"remove {where} and begin anew"
        )


def _differences(stored: Mapping[str, Any], wanted: Mapping[str, Any], prefix: str = "") -> list[str]:
    """Say what differs, as deep inside as it can be told."""
    said = []
    for key in dict.fromkeys([*stored, *wanted]):
        there, now = stored.get(key), wanted.get(key)
        if isinstance(there, dict) and isinstance(now, dict):
            said += _differences(there, now, f"{prefix}{key} ")
        elif there != now:
            said.append(f"{prefix}{key}: {_short(there)} there, {_short(now)} here")
    return said


def _short(value: Any) -> str:
    return "nothing" if value is None else json.dumps(value, ensure_ascii=False)
