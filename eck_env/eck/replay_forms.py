"""Replays as small JSON files and as short text codes: written, read, and refused where something is not right.

A JSON file holds one object::

    {"replay": 1, "eck_env": "0.1.0", "variant": {"target": 4, "trick_cards": ["2", "4"], "circle_follow": "any"},
     "seed": 7, "game": 0, "options": {"counter": "1"}, "cards": ["R2", "K"], "outcome": "win"}

of which `eck_env`, `game`, `options` and `outcome` may be left out; `outcome` is null for a game that goes on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from eck_env.batch import MAX_SEED
from eck_env.checks import integer, unknown_key
from eck_env.eck.cards import DECK_SIZE, HAND_SIZE, NAMES, NUM_KINDS, card_kind, card_kinds
from eck_env.eck.codes import PREFIX, Packer, Unpacker
from eck_env.eck.loading import MAX_RESHUFFLES
from eck_env.eck.options import SETUP_KEYS
from eck_env.eck.replay import Replay, ReplayError, variant_keywords
from eck_env.eck.rules import COUNTER_LOST, COUNTERS
from eck_env.eck.state import OUTCOMES, STATUSES
from eck_env.eck.variant import CIRCLE_FOLLOW, NUM_TRICK_CARDS, TRICK_CARDS, Variant, make_variant
from eck_env.files import write_text

VERSION = 1
"""The version of both forms, JSON and code."""
MAX_CARDS = NUM_TRICK_CARDS * COUNTER_LOST * HAND_SIZE
"""The most cards that a game can take: a card is collected, or the game lost, after at most three rounds."""
MAX_BYTES = 65_536
"""The largest file that is read."""

_KEYS = ("replay", "eck_env", "variant", "seed", "game", "options", "cards", "outcome")
_REQUIRED = ("replay", "variant", "seed", "cards")
_VARIANT_KEYS = tuple(variant_keywords(Variant()))
_MAX_GAME = 2**62
_MAX_VERSIONS = 16


def replay_to_data(replay: Replay) -> dict[str, Any]:
    """Return plain data, fit for JSON."""
    from eck_env import __version__

    return {
        "replay": VERSION,
        "eck_env": __version__,
        "variant": {**variant_keywords(replay.variant), "trick_cards": list(replay.variant.trick_cards)},
        "seed": replay.seed,
        "game": replay.game,
        **({"options": dict(replay.options)} if replay.options else {}),
        "cards": list(replay.cards),
        "outcome": replay.outcome,
    }


def replay_to_json(replay: Replay) -> str:
    """Return the text of a JSON file."""
    return json.dumps(replay_to_data(replay)) + "\n"


def save_replay(path: str | Path, replay: Replay) -> None:
    """Write a JSON file, all of it or nothing."""
    write_text(Path(path), replay_to_json(replay))


def replay_to_code(replay: Replay) -> str:
    """Return a short text code; the outcome is not in it, for the cards say it."""
    packer = Packer()
    packer.add(VERSION, _MAX_VERSIONS)
    packer.add(replay.variant.target - 1, NUM_TRICK_CARDS)
    packer.add(replay.variant.laid_bits, 1 << NUM_TRICK_CARDS)
    packer.add(CIRCLE_FOLLOW.index(replay.variant.circle_follow), len(CIRCLE_FOLLOW))
    packer.number(replay.seed)
    packer.number(replay.game)
    packer.number(len(replay.cards))
    for card in replay.cards:
        packer.add(card_kind(card), NUM_KINDS)
    packer.add(bool(replay.options), 2)
    if replay.options:
        _pack_options(packer, replay.options)
    return packer.code()


# --- Reading ---------------------------------------------------------------------------------------------------------


def read_replay(text: str) -> Replay:
    """Return the replay that a text says, a code or the contents of a JSON file; its cards are not checked yet.

    Raises:
        ReplayError: If it is neither.
    """
    if not isinstance(text, str) or not text.strip():
        raise ReplayError("there is no replay: give a code, which starts with ECK-, or the contents of a replay file")
    if len(text) > MAX_BYTES:
        raise ReplayError(f"the replay has {len(text)} signs, but those of games have at most {MAX_BYTES}")
    if text.lstrip().startswith("{"):
        return _from_json(text)
    try:
        return _from_code(text.strip())
    except ReplayError:
        raise
    except ValueError as error:
        raise ReplayError(str(error)) from error


def load_replay(source: str | Path) -> Replay:
    """Return the replay of a file or, where the text is one, of a code; its cards are not checked yet.

    Raises:
        ReplayError: If it is no replay.
        OSError: If the file cannot be read.
    """
    if isinstance(source, str) and (not source.strip() or source.strip().upper().startswith(f"{PREFIX}-")):
        return read_replay(source)
    path = Path(source)
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    try:
        return read_replay(data.decode())
    except UnicodeDecodeError as error:
        raise ReplayError(f"{path} is no text file, as a replay is") from error
    except ReplayError as error:
        raise ReplayError(f"{path}: {error}") from error


def replay_from_data(data: object) -> Replay:
    """Return the replay of plain data, as `replay_to_data` makes it; its cards are not checked yet.

    Raises:
        ReplayError: If something is missing, unknown, or not as it must be.
    """
    try:
        return _from_data(data)
    except ReplayError:
        raise
    except (ValueError, TypeError) as error:
        raise ReplayError(f"the replay is refused: {error}") from error


def _from_json(text: str) -> Replay:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ReplayError(f"the replay is no JSON: {error}") from error
    return replay_from_data(data)


def _from_data(data: object) -> Replay:
    if not isinstance(data, dict):
        raise ReplayError("a replay is a JSON object with the keys " + ", ".join(_KEYS))
    for key in data:
        if key not in _KEYS:
            raise unknown_key(key, _KEYS, "the replay")
    missing = [key for key in _REQUIRED if key not in data]
    if missing:
        raise ReplayError(f"the replay lacks {', '.join(missing)}")
    _check_version(data["replay"])
    if not isinstance(data.get("eck_env", ""), str):
        raise ReplayError(f"eck_env is {data['eck_env']!r}, but must be the version of eck_env, a text")
    cards = card_kinds(data["cards"])
    _check_length(len(cards))
    outcome = data.get("outcome")
    if outcome not in OUTCOMES:
        raise ReplayError(f"outcome is {outcome!r}, but must be one of 'win', 'loss' and null")
    return Replay(
        _variant_of(data["variant"]),
        integer(data["seed"], 0, MAX_SEED, "seed"),
        integer(data.get("game", 0), 0, _MAX_GAME, "game"),
        tuple(NAMES[kind] for kind in cards),
        _options_of(data.get("options", {})),
        outcome,
    )


def _check_version(version: object) -> None:
    if version != VERSION or isinstance(version, bool):
        raise ReplayError(f"the replay is of version {version!r}, but this eck_env reads {VERSION}")


def _check_length(count: int) -> None:
    if count > MAX_CARDS:
        raise ReplayError(f"the replay has {count} cards, but a game has at most {MAX_CARDS}")


def _variant_of(data: object) -> Variant:
    if not isinstance(data, dict):
        raise ReplayError(f"variant is {data!r}, but must be an object with the keys {', '.join(_VARIANT_KEYS)}")
    for key in data:
        if key not in _VARIANT_KEYS:
            raise unknown_key(key, _VARIANT_KEYS, "the variant")
    return make_variant(**data)


def _options_of(data: object) -> dict[str, Any]:
    """Return options of reset with known keys; whether they fit is checked when the game is started."""
    if not isinstance(data, dict):
        raise ReplayError(f"options is {data!r}, but must be an object with keys out of {', '.join(SETUP_KEYS)}")
    for key in data:
        if key not in SETUP_KEYS:
            raise unknown_key(key, SETUP_KEYS, "the options")
    return dict(data)


def _from_code(code: str) -> Replay:
    reader = Unpacker(code)
    _check_version(reader.take(_MAX_VERSIONS))
    target = reader.take(NUM_TRICK_CARDS) + 1
    laid = reader.take(1 << NUM_TRICK_CARDS)
    follow = CIRCLE_FOLLOW[reader.take(len(CIRCLE_FOLLOW))]
    variant = make_variant(target, [name for place, name in enumerate(TRICK_CARDS) if laid >> place & 1], follow)
    seed, game = reader.number(MAX_SEED), reader.number(_MAX_GAME)
    cards = tuple(NAMES[reader.take(NUM_KINDS)] for _ in range(reader.number(MAX_CARDS)))
    options = _unpack_options(reader) if reader.take(2) else {}
    reader.finish()
    return Replay(variant, seed, game, cards, options)


def _pack_options(packer: Packer, options: Mapping[str, Any]) -> None:
    """Pack the options of reset; whether they are there, and then what they are."""
    for key, size in (("hand", HAND_SIZE), ("deck", DECK_SIZE)):
        packer.add(key in options, 2)
        if key in options:
            kinds = card_kinds(options[key])
            if len(kinds) != size:
                raise ReplayError(f"{key} has {len(kinds)} cards, but must have {size}")
            for kind in kinds:
                packer.add(kind, NUM_KINDS)
    statuses = options.get("trick_cards", {})
    packer.add("trick_cards" in options, 2)
    if "trick_cards" in options:
        for name in TRICK_CARDS:
            packer.add(1 + STATUSES.index(statuses[name]) if name in statuses else 0, 1 + len(STATUSES))
    packer.add(1 + COUNTERS.index(options["counter"]) if "counter" in options else 0, 1 + len(COUNTERS))
    orders = options.get("shuffles", ())
    packer.number(len(orders))
    for order in orders:
        packer.number(len(order))
        for kind in card_kinds(order):
            packer.add(kind, NUM_KINDS)


def _unpack_options(reader: Unpacker) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for key, size in (("hand", HAND_SIZE), ("deck", DECK_SIZE)):
        if reader.take(2):
            options[key] = [NAMES[reader.take(NUM_KINDS)] for _ in range(size)]
    if reader.take(2):
        statuses = [reader.take(1 + len(STATUSES)) for _ in TRICK_CARDS]
        options["trick_cards"] = {
            name: STATUSES[status - 1] for name, status in zip(TRICK_CARDS, statuses, strict=True) if status
        }
    counter = reader.take(1 + len(COUNTERS))
    if counter:
        options["counter"] = COUNTERS[counter - 1]
    orders = [
        [NAMES[reader.take(NUM_KINDS)] for _ in range(reader.number(DECK_SIZE))]
        for _ in range(reader.number(MAX_RESHUFFLES))
    ]
    if orders:
        options["shuffles"] = orders
    return options
