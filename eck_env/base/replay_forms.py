"""Replays as small JSON files and as short text codes: written, read, and refused where something is not right.

A JSON file holds one object, here one of ECK::

    {"replay": 1, "eck_env": "0.1.0", "variant": {"target": 4, "trick_cards": ["2", "4"], "circle_follow": "any"},
     "seed": 7, "game": 0, "options": {"counter": "1"}, "cards": ["R2", "K"], "outcome": "win"}

of which `eck_env`, `game`, `options` and `outcome` may be left out; `outcome` is null for a game that goes on. Gongor
Whist has `actions` in place of `cards`, the game without numbers `choices`, those of all seats.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from eck_env.base.codes import Packer, Unpacker, either, start_of
from eck_env.base.replay import BaseReplay, ReplayError
from eck_env.batch import MAX_SEED
from eck_env.checks import integer, unknown_key
from eck_env.files import write_text

VERSION = 1
"""The version of both forms, JSON and code."""
MAX_BYTES = 65_536
"""The largest file that is read."""

_MAX_GAME = 2**62
_MAX_VERSIONS = 16
R = TypeVar("R", bound=BaseReplay)


@dataclass(frozen=True)
class Forms(Generic[R]):
    """The forms of one game's replays.

    Attributes:
        replay: The class of its replays.
        prefix: What its codes start with.
        names: What its actions are called, by number.
        most: The most actions that a game can take.
        outcomes: How games end; None is one of them.
        option_keys: The keys of the options of reset.
        standard: A variant, for the names of its fields.
        make_variant: Returns the variant of these keywords; ValueError or TypeError if one is not allowed.
        read_moves: Returns the actions that plain data name; ValueError or TypeError if they do not.
        pack_variant: Adds a variant to a code.
        unpack_variant: Reads it.
        pack_options: Adds options of reset, of which there are some, to a code.
        unpack_options: Reads them.
    """

    replay: type[R]
    prefix: str
    names: Sequence[str]
    most: int
    outcomes: tuple[str | None, ...]
    option_keys: Sequence[str]
    standard: Any
    make_variant: Callable[..., Any]
    read_moves: Callable[[object], tuple[str, ...]]
    pack_variant: Callable[[Packer, Any], None]
    unpack_variant: Callable[[Unpacker], Any]
    pack_options: Callable[[Packer, Mapping[str, Any]], None]
    unpack_options: Callable[[Unpacker], dict[str, Any]]

    @property
    def _moves(self) -> str:
        return self.replay.moves_name

    @property
    def variant_keys(self) -> tuple[str, ...]:
        """The keys of a variant."""
        return tuple(asdict(self.standard))

    # --- Writing -----------------------------------------------------------------------------------------------------

    def to_data(self, replay: R) -> dict[str, Any]:
        """Return plain data, fit for JSON."""
        from eck_env import __version__

        variant = {key: list(value) if isinstance(value, tuple) else value for key, value in _fields(replay.variant)}
        return {
            "replay": VERSION,
            "eck_env": __version__,
            "variant": variant,
            "seed": replay.seed,
            "game": replay.game,
            **({"options": dict(replay.options)} if replay.options else {}),
            self._moves: list(replay.moves),
            "outcome": replay.outcome,
        }

    def to_json(self, replay: R) -> str:
        """Return the text of a JSON file."""
        return json.dumps(self.to_data(replay)) + "\n"

    def save(self, path: str | Path, replay: R) -> None:
        """Write a JSON file, all of it or nothing."""
        write_text(Path(path), self.to_json(replay))

    def to_code(self, replay: R) -> str:
        """Return a short text code; the outcome is not in it, for the actions say it."""
        packer = Packer()
        packer.add(VERSION, _MAX_VERSIONS)
        self.pack_variant(packer, replay.variant)
        packer.number(replay.seed)
        packer.number(replay.game)
        packer.number(len(replay.moves))
        for move in replay.moves:
            packer.add(replay.number_of(move), len(self.names))
        packer.add(bool(replay.options), 2)
        if replay.options:
            self.pack_options(packer, replay.options)
        return packer.code(self.prefix)

    # --- Reading -----------------------------------------------------------------------------------------------------

    def read(self, text: str) -> R:
        """Return the replay that a text says, a code or the contents of a JSON file; its actions are not checked yet.

        Raises:
            ReplayError: If it is neither.
        """
        check_text(text, (self.prefix,))
        if is_json(text):
            return self.from_data(read_json(text))
        try:
            return self._from_code(text.strip())
        except ReplayError:
            raise
        except ValueError as error:
            raise ReplayError(str(error)) from error

    def load(self, source: str | Path) -> R:
        """Return the replay of a file or, where the text is one, of a code; its actions are not checked yet.

        Raises:
            ReplayError: If it is no replay.
            OSError: If the file cannot be read.
        """
        return load_text(source, (self.prefix,), self.read)

    def from_data(self, data: object) -> R:
        """Return the replay of plain data, as `to_data` makes it; its actions are not checked yet.

        Raises:
            ReplayError: If something is missing, unknown, or not as it must be.
        """
        try:
            return self._from_data(data)
        except ReplayError:
            raise
        except (ValueError, TypeError) as error:
            raise ReplayError(f"the replay is refused: {error}") from error

    def _from_data(self, data: object) -> R:
        keys = ("replay", "eck_env", "variant", "seed", "game", "options", self._moves, "outcome")
        if not isinstance(data, dict):
            raise ReplayError("a replay is a JSON object with the keys " + ", ".join(keys))
        for key in data:
            if key not in keys:
                raise unknown_key(key, keys, "the replay")
        missing = [key for key in ("replay", "variant", "seed", self._moves) if key not in data]
        if missing:
            raise ReplayError(f"the replay lacks {', '.join(missing)}")
        _check_version(data["replay"])
        if not isinstance(data.get("eck_env", ""), str):
            raise ReplayError(f"eck_env is {data['eck_env']!r}, but must be the version of eck_env, a text")
        moves = self.read_moves(data[self._moves])
        if len(moves) > self.most:
            unit = self.replay.unit
            raise ReplayError(f"the replay has {len(moves)} {unit}s, but a game has at most {self.most}")
        outcome = data.get("outcome")
        if outcome not in self.outcomes:
            allowed = ", ".join(repr(name) for name in self.outcomes if name is not None)
            raise ReplayError(f"outcome is {outcome!r}, but must be one of {allowed} and null")
        return self._made(
            self._variant_of(data["variant"]),
            integer(data["seed"], 0, MAX_SEED, "seed"),
            integer(data.get("game", 0), 0, _MAX_GAME, "game"),
            moves,
            self._options_of(data.get("options", {})),
            outcome,
        )

    def _made(self, *values: Any) -> R:
        return self.replay(*values)

    def _variant_of(self, data: object) -> Any:
        if not isinstance(data, dict):
            raise ReplayError(
                f"variant is {data!r}, but must be an object with the keys {', '.join(self.variant_keys)}"
            )
        for key in data:
            if key not in self.variant_keys:
                raise unknown_key(key, self.variant_keys, "the variant")
        return self.make_variant(**data)

    def _options_of(self, data: object) -> dict[str, Any]:
        """Return options of reset with known keys; whether they fit is checked when the game is started."""
        if not isinstance(data, dict):
            raise ReplayError(
                f"options is {data!r}, but must be an object with keys out of {', '.join(self.option_keys)}"
            )
        for key in data:
            if key not in self.option_keys:
                raise unknown_key(key, self.option_keys, "the options")
        return dict(data)

    def _from_code(self, code: str) -> R:
        reader = Unpacker(code, self.prefix)
        _check_version(reader.take(_MAX_VERSIONS))
        variant = self.unpack_variant(reader)
        seed, game = reader.number(MAX_SEED), reader.number(_MAX_GAME)
        moves = tuple(self.names[reader.take(len(self.names))] for _ in range(reader.number(self.most)))
        options = self.unpack_options(reader) if reader.take(2) else {}
        reader.finish()
        return self._made(variant, seed, game, moves, options)


def _fields(variant: Any) -> list[tuple[str, Any]]:
    return list(asdict(variant).items())


def check_text(text: object, prefixes: Sequence[str]) -> None:
    """Raise ReplayError if something cannot be a replay: no text, too long, or neither JSON nor a code."""
    if not isinstance(text, str) or not text.strip():
        raise ReplayError(
            f"there is no replay: give a code, which starts with {either(prefixes)}, or the contents of a replay file"
        )
    if len(text) > MAX_BYTES:
        raise ReplayError(f"the replay has {len(text)} signs, but those of games have at most {MAX_BYTES}")
    if not is_json(text):
        try:
            start_of(text.strip(), prefixes)
        except ValueError as error:
            raise ReplayError(str(error)) from error


def is_json(text: str) -> bool:
    """Return whether a text is meant as JSON: an object, or a list, which is no replay."""
    return text.lstrip().startswith(("{", "["))


def read_json(text: str) -> dict[str, Any]:
    """Return the object of a JSON text; ReplayError if it is none."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ReplayError(f"the replay is no JSON: {error}") from error
    if not isinstance(data, dict):
        raise ReplayError("this is no replay: a replay is a JSON object in braces, and this is a list")
    return data


def load_text(source: str | Path, prefixes: Sequence[str], read: Callable[[str], R]) -> R:
    """Return what a reader makes of a file's contents, or of the text itself where that is a code.

    Raises:
        ReplayError: If it is no replay.
        OSError: If the file cannot be read.
    """
    if isinstance(source, str):
        text = source.strip().upper()
        if not text or text.startswith(tuple(f"{prefix}-" for prefix in prefixes)):
            return read(source)
    path = Path(source)
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    try:
        return read(data.decode())
    except UnicodeDecodeError as error:
        raise ReplayError(f"{path} is no text file, as a replay is") from error
    except ReplayError as error:
        raise ReplayError(f"{path}: {error}") from error


def _check_version(version: object) -> None:
    if version != VERSION or isinstance(version, bool):
        raise ReplayError(f"the replay is of version {version!r}, but this eck_env reads {VERSION}")
