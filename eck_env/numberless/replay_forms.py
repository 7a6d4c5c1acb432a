"""Replays of the game without numbers as small JSON files and as short text codes; see `base/replay_forms.py`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eck_env.base.codes import Packer, Unpacker
from eck_env.base.replay_forms import Forms
from eck_env.checks import listed
from eck_env.numberless.cards import HAND_SIZE, NAMES, NUM_CARDS, card_number, card_numbers
from eck_env.numberless.options import SETUP_KEYS
from eck_env.numberless.replay import Replay, ReplayError
from eck_env.numberless.state import OUTCOMES
from eck_env.numberless.variant import (
    MAX_NAME,
    MAX_PLAYERS,
    MIN_PLAYERS,
    NAME_SIGNS,
    PLAYERS,
    Variant,
    make_table,
    name_opponents,
)

MAX_CHOICES = 2 * MAX_PLAYERS * HAND_SIZE
"""The most choices of a game: every card is kept by a seat in the draft, and then played."""

_COUNTS = MAX_PLAYERS - MIN_PLAYERS + 1
_STARTS = MAX_PLAYERS + 1
_SAME, _OTHER = 0, 1 + len(PLAYERS)  # how a name is packed: as the one before, by its number, or spelled
_NAMED = tuple(PLAYERS)


def make_variant(num_players: Any = 4, draft: Any = True, start_player: Any = 0, opponents: Any = _NAMED[0]) -> Variant:
    """Check the variant of a replay: as `variant.make_variant`, but the opponents are names, whoever they stand for.

    Raises:
        ValueError: If a value is not allowed; the message says what is.
    """
    return name_opponents(make_table(num_players, draft, start_player), opponents)


def _pack_variant(packer: Packer, variant: Variant) -> None:
    packer.add(variant.num_players - MIN_PLAYERS, _COUNTS)
    packer.add(variant.draft, 2)
    packer.add(0 if variant.start_player is None else 1 + variant.start_player, _STARTS)
    before = _NAMED[0]
    for name in variant.opponents or ():
        kind = _SAME if name == before else 1 + _NAMED.index(name) if name in _NAMED else _OTHER
        packer.add(kind, 1 + _OTHER)
        if kind == _OTHER:
            packer.add(len(name) - 1, MAX_NAME)
            for sign in name:
                packer.add(NAME_SIGNS.index(sign), len(NAME_SIGNS))
        before = name


def _unpack_variant(reader: Unpacker) -> Variant:
    count, draft, start = reader.take(_COUNTS) + MIN_PLAYERS, bool(reader.take(2)), reader.take(_STARTS)
    names = [_NAMED[0]]
    for _ in range(count - 1):
        kind = reader.take(1 + _OTHER)
        if kind == _SAME:
            names.append(names[-1])
        elif kind == _OTHER:
            names.append("".join(NAME_SIGNS[reader.take(len(NAME_SIGNS))] for _ in range(reader.take(MAX_NAME) + 1)))
        else:
            names.append(_NAMED[kind - 1])
    return make_variant(count, draft, start - 1 if start else None, names[1:])


def _pack_options(packer: Packer, options: Mapping[str, Any]) -> None:
    """Pack the options of reset: whether cards are there, and then which."""
    packer.add("deal" in options, 2)
    if "deal" in options:
        _pack_cards(packer, options["deal"], NUM_CARDS, "deal")
    packer.add("hands" in options, 2)
    if "hands" in options:
        hands = listed(options["hands"], "hands", "a list with a hand for each seat")
        packer.add(len(hands), _STARTS)
        for seat, hand in enumerate(hands):
            packer.add(hand is not None, 2)
            if hand is not None:
                _pack_cards(packer, hand, HAND_SIZE, f"hands[{seat}]")
    packer.add(1 + options["start_player"] if "start_player" in options else 0, _STARTS)


def _pack_cards(packer: Packer, names: object, size: int, what: str) -> None:
    cards = card_numbers(names, what)
    if len(cards) != size:
        raise ReplayError(f"{what} has {len(cards)} cards, but must have {size}")
    for card in cards:
        packer.add(card, NUM_CARDS)


def _unpack_options(reader: Unpacker) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if reader.take(2):
        options["deal"] = _unpack_cards(reader, NUM_CARDS)
    if reader.take(2):
        options["hands"] = [
            _unpack_cards(reader, HAND_SIZE) if reader.take(2) else None for _ in range(reader.take(_STARTS))
        ]
    start = reader.take(_STARTS)
    if start:
        options["start_player"] = start - 1
    return options


def _unpack_cards(reader: Unpacker, size: int) -> list[str]:
    return [NAMES[reader.take(NUM_CARDS)] for _ in range(size)]


def _read_choices(names: object) -> tuple[str, ...]:
    return tuple(NAMES[card_number(name)] for name in listed(names, "choices", "['AR', 'GW']"))


FORMS = Forms(
    Replay,
    "NUMBERLESS",
    NAMES,
    MAX_CHOICES,
    OUTCOMES,
    SETUP_KEYS,
    Variant(),
    make_variant,
    _read_choices,
    _pack_variant,
    _unpack_variant,
    _pack_options,
    _unpack_options,
)
