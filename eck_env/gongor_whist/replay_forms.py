"""Replays of Gongor Whist as small JSON files and as short text codes; see `base/replay_forms.py`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eck_env.base.codes import Packer, Unpacker
from eck_env.base.replay_forms import Forms
from eck_env.checks import listed
from eck_env.gongor_whist.cards import ACES, HAND_SIZE, NAMES, NUM_CARDS, NUM_SUITS, ace_suits, card_numbers
from eck_env.gongor_whist.infos import ACTION_NAMES, action_number
from eck_env.gongor_whist.options import SETUP_KEYS
from eck_env.gongor_whist.replay import Replay, ReplayError
from eck_env.gongor_whist.state import OUTCOMES
from eck_env.gongor_whist.variant import ACES_LAST, MOST_HANDS, SCORINGS, Variant, make_variant

MAX_ACTIONS = MOST_HANDS * (1 + 2 * HAND_SIZE)
"""The most actions that a game can take: in each hand a bid, and seven times a card and what becomes of the trump."""
_MOST_ORDERS = MOST_HANDS + 1


def _pack_variant(packer: Packer, variant: Variant) -> None:
    packer.add(SCORINGS.index(variant.scoring), len(SCORINGS))
    packer.add(ACES_LAST.index(variant.aces), len(ACES_LAST))
    packer.add(variant.max_hands - 1, MOST_HANDS)


def _unpack_variant(reader: Unpacker) -> Variant:
    scoring, aces = SCORINGS[reader.take(len(SCORINGS))], ACES_LAST[reader.take(len(ACES_LAST))]
    return make_variant(scoring, aces, reader.take(MOST_HANDS) + 1)


def _pack_options(packer: Packer, options: Mapping[str, Any]) -> None:
    """Pack the options of reset; whether cards are there, and then which; orders by their number."""
    for key in ("hand", "dummy"):
        packer.add(key in options, 2)
        if key in options:
            _pack_order(packer, card_numbers(options[key], key), HAND_SIZE, NUM_CARDS, key)
    passes, piles = options.get("passes", ()), options.get("ace_orders", ())
    packer.number(len(passes))
    for order in passes:
        _pack_order(packer, card_numbers(order, "passes"), NUM_CARDS, NUM_CARDS, "an order of passes")
    packer.number(len(piles))
    for order in piles:
        _pack_order(packer, ace_suits(order, "ace_orders"), NUM_SUITS, NUM_SUITS, "an order of ace_orders")


def _pack_order(packer: Packer, cards: list[int], size: int, bound: int, what: str) -> None:
    if len(cards) != size:
        raise ReplayError(f"{what} has {len(cards)} cards, but must have {size}")
    for card in cards:
        packer.add(card, bound)


def _unpack_options(reader: Unpacker) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for key in ("hand", "dummy"):
        if reader.take(2):
            options[key] = [NAMES[reader.take(NUM_CARDS)] for _ in range(HAND_SIZE)]
    for key, names in (("passes", NAMES), ("ace_orders", ACES)):
        orders = [[names[reader.take(len(names))] for _ in names] for _ in range(reader.number(_MOST_ORDERS))]
        if orders:
            options[key] = orders
    return options


def _read_actions(names: object) -> tuple[str, ...]:
    actions = listed(names, "actions", "['bid 3', '9WY', 'keep']")
    return tuple(ACTION_NAMES[action_number(name)] for name in actions)


FORMS = Forms(
    Replay,
    "GONGOR",
    ACTION_NAMES,
    MAX_ACTIONS,
    OUTCOMES,
    SETUP_KEYS,
    Variant(),
    make_variant,
    _read_actions,
    _pack_variant,
    _unpack_variant,
    _pack_options,
    _unpack_options,
)
