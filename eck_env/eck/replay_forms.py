"""Replays of ECK as small JSON files and as short text codes; see `base/replay_forms.py`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eck_env.base.codes import Packer, Unpacker
from eck_env.base.replay_forms import MAX_BYTES as MAX_BYTES
from eck_env.base.replay_forms import Forms
from eck_env.eck.cards import DECK_SIZE, HAND_SIZE, NAMES, NUM_KINDS, card_kinds
from eck_env.eck.loading import MAX_RESHUFFLES
from eck_env.eck.options import SETUP_KEYS
from eck_env.eck.replay import Replay, ReplayError
from eck_env.eck.rules import COUNTER_LOST, COUNTERS
from eck_env.eck.state import OUTCOMES, STATUSES
from eck_env.eck.variant import CIRCLE_FOLLOW, NUM_TRICK_CARDS, TRICK_CARDS, Variant, make_variant

MAX_CARDS = NUM_TRICK_CARDS * COUNTER_LOST * HAND_SIZE
"""The most cards that a game can take: a card is collected, or the game lost, after at most three rounds."""


def _pack_variant(packer: Packer, variant: Variant) -> None:
    packer.add(variant.target - 1, NUM_TRICK_CARDS)
    packer.add(variant.laid_bits, 1 << NUM_TRICK_CARDS)
    packer.add(CIRCLE_FOLLOW.index(variant.circle_follow), len(CIRCLE_FOLLOW))


def _unpack_variant(reader: Unpacker) -> Variant:
    target = reader.take(NUM_TRICK_CARDS) + 1
    laid = reader.take(1 << NUM_TRICK_CARDS)
    follow = CIRCLE_FOLLOW[reader.take(len(CIRCLE_FOLLOW))]
    return make_variant(target, [name for place, name in enumerate(TRICK_CARDS) if laid >> place & 1], follow)


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


FORMS = Forms(
    Replay,
    "ECK",
    NAMES,
    MAX_CARDS,
    OUTCOMES,
    SETUP_KEYS,
    Variant(),
    make_variant,
    lambda names: tuple(NAMES[kind] for kind in card_kinds(names)),
    _pack_variant,
    _unpack_variant,
    _pack_options,
    _unpack_options,
)

replay_to_data = FORMS.to_data
replay_to_json = FORMS.to_json
save_replay = FORMS.save
replay_to_code = FORMS.to_code
read_replay = FORMS.read
load_replay = FORMS.load
replay_from_data = FORMS.from_data
