"""The observation of ECK: what a player who remembers the round knows, as one vector of small integers.

    kinds 0..37 are cards.NAMES; cards.py explains them

    slice      name         values  meaning
    0:38       hand         0..3    your cards, a count a kind
    38:76      lead         0, 1    the card ECK led; all 0 when you lead
    76:114     face_down    0..3    ECK's face-down cards, a count a kind; only their order is hidden
    114:152    face_up      0..3    the cards face up under ECK's deck, a count a kind
    152        tricks_won   0..13   tricks you have taken this round
    153        tricks_lost  0..13   tricks ECK has taken this round
    154        tied         0..13   tricks set aside, for whoever takes the next one
    155        leader       0, 1    who leads this trick: 0 you, 1 ECK
    156:184    trick_cards  0, 1    for each of 2, 4, 6, 8, 10, 12, 13/0: colored, gray, yours, ECK's; all 0: not there
    184:188    counter      0, 1    one of 0, 1, 2, X
    188        target       1..7    trick cards that win the game
    189:259    prospects    0, 1    for each k from 0 to 13: what taking k more of the tricks still to come (those set
                                    aside included) does at the end of the round: win the game, collect a card, fail,
                                    turn a card gray, lose the game; all 0 where k is more than the tricks to come

`FIELDS` states the same as a table, from which everything else here is derived.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.base.layout import Field, Layout
from eck_env.compiled import rare_rule, rule, spread_bits
from eck_env.eck.cards import BLACK, HAND_SIZE, NAMES, NUM_KINDS, bag_count, bag_shift, card_names
from eck_env.eck.rules import COUNTERS, NO_CARD, foresee
from eck_env.eck.state import SIDES, STATUSES
from eck_env.eck.variant import NUM_TRICK_CARDS, TRICK_CARDS

LAYOUT_VERSION = 1
NUM_FLAGS = 5
"""Flags a count: the five lowest effects of `rules.round_effect`: WIN, COLLECT, FAIL, GRAY, LOSE."""


FIELDS = (
    Field("hand", NUM_KINDS, 3),
    Field("lead", NUM_KINDS, 1),
    Field("face_down", NUM_KINDS, 3),
    Field("face_up", NUM_KINDS, 3),
    Field("tricks_won", 1, HAND_SIZE),
    Field("tricks_lost", 1, HAND_SIZE),
    Field("tied", 1, HAND_SIZE),
    Field("leader", 1, 1),
    Field("trick_cards", NUM_TRICK_CARDS * len(STATUSES), 1),
    Field("counter", len(COUNTERS), 1),
    Field("target", 1, NUM_TRICK_CARDS),
    Field("prospects", (HAND_SIZE + 1) * NUM_FLAGS, 1),
)
LAYOUT = Layout("ECK", LAYOUT_VERSION, NAMES, FIELDS)
SLICES = LAYOUT.slices
SIZE = LAYOUT.size
LAYOUT_HASH = LAYOUT.hash

_HAND, _LEAD, _DOWN, _UP, _WON, _LOST, _TIED, _LEADER, _CARDS, _COUNTER, _TARGET, _PROSPECTS = (
    SLICES[field.name].start for field in FIELDS
)
_NUM_STATUSES = len(STATUSES)
_NUM_COUNTERS = len(COUNTERS)
_TABLE_BITS = _TARGET - _CARDS
_ROW_BITS = (1 << NUM_FLAGS) - 1
_HALF_ROWS = (HAND_SIZE + 1) // 2
_HALF_BITS = _HALF_ROWS * NUM_FLAGS


@rule
def _write_bag(bag: int, out: NDArray[Any]) -> None:
    spread_bits(bag, BLACK, out)
    for kind in range(BLACK, NUM_KINDS):
        out[kind] = bag_count(bag, kind)


@rare_rule
def note_table(game: Any) -> None:
    """Note in the record what its observations show of trick cards, counter, target and the counts of tricks.

    Must be called whenever these have changed, before `encode`.
    """
    gray, yours, ecks = game.gray, game.yours, game.ecks
    colored = game.laid & ~(gray | yours | ecks)
    table = 1 << (_COUNTER - _CARDS + game.counter)
    for card in range(NUM_TRICK_CARDS):
        place = card * _NUM_STATUSES
        table |= ((colored >> card) & 1) << place | ((gray >> card) & 1) << (place + 1)
        table |= ((yours >> card) & 1) << (place + 2) | ((ecks >> card) & 1) << (place + 3)
    game.table = table
    game.low_prospects, game.high_prospects = 0, 0
    for row in range(_HALF_ROWS):
        game.low_prospects |= (game.effects[row] & _ROW_BITS) << (row * NUM_FLAGS)
        game.high_prospects |= (game.effects[row + _HALF_ROWS] & _ROW_BITS) << (row * NUM_FLAGS)


@rule
def _write_prospects(game: Any, to_come: int, out: NDArray[Any]) -> None:
    """Write the flags of the counts from `won` on, as many as there are tricks to come; two words hold them all."""
    start, stop = game.won * NUM_FLAGS, (to_come + 1) * NUM_FLAGS if to_come else 0
    low, high = game.low_prospects, game.high_prospects
    if start < _HALF_BITS:
        low, high = (low >> start) | (high << (_HALF_BITS - start)), high >> start
    else:
        low, high = high >> (start - _HALF_BITS), 0
    low &= (1 << min(stop, _HALF_BITS)) - 1
    high &= (1 << max(stop - _HALF_BITS, 0)) - 1
    spread_bits(low, _HALF_BITS, out[:_HALF_BITS])
    spread_bits(high, _HALF_BITS, out[_HALF_BITS:])


@rule
def encode(game: Any, out: NDArray[Any]) -> None:
    """Write the observation of a game into `out`, shape (259,), any number type; see `note_table`."""
    out[_LEAD : _LEAD + NUM_KINDS] = 0
    _write_bag(game.hand, out[_HAND : _HAND + NUM_KINDS])
    _write_bag(game.face_down, out[_DOWN : _DOWN + NUM_KINDS])
    _write_bag(game.face_up, out[_UP : _UP + NUM_KINDS])
    if game.lead != NO_CARD:
        out[_LEAD + game.lead] = 1
    won, lost = game.won, game.lost
    out[_WON] = won
    out[_LOST] = lost
    out[_TIED] = game.tied
    out[_LEADER] = game.leader
    spread_bits(game.table, _TABLE_BITS, out[_CARDS:_TARGET])
    out[_TARGET] = game.target
    _write_prospects(game, HAND_SIZE - won - lost, out[_PROSPECTS:SIZE])


@rule
def restore(row: NDArray[Any], game: Any) -> None:
    """Make a record of what an observation, shape (259,), tells: the inverse of `encode`, as far as a player knows.

    The face-down cards lie sorted by kind; a search shuffles them before it plays on. What is not observed (seed,
    numbers, ``same_circle``) stays as it is.
    """
    game.hand, game.face_down, game.face_up, game.lead = 0, 0, 0, NO_CARD
    game.top, game.bottom, game.scripted = 0, 0, 0
    for kind in range(NUM_KINDS):
        unit = 1 << bag_shift(kind)
        game.hand += unit * int(row[_HAND + kind])
        game.face_up += unit * int(row[_UP + kind])
        for _ in range(int(row[_DOWN + kind])):
            game.face_down += unit
            game.cards[game.bottom] = kind
            game.bottom += 1
        if row[_LEAD + kind]:
            game.lead = kind
    game.won, game.lost, game.tied = int(row[_WON]), int(row[_LOST]), int(row[_TIED])
    game.leader = int(row[_LEADER])
    game.laid, game.gray, game.yours, game.ecks = 0, 0, 0, 0
    for card in range(NUM_TRICK_CARDS):
        place = _CARDS + card * _NUM_STATUSES
        bit = 1 << card
        game.laid |= bit if row[place] or row[place + 1] or row[place + 2] or row[place + 3] else 0
        game.gray |= bit if row[place + 1] else 0
        game.yours |= bit if row[place + 2] else 0
        game.ecks |= bit if row[place + 3] else 0
    for value in range(_NUM_COUNTERS):
        if row[_COUNTER + value]:
            game.counter = value
    game.target = int(row[_TARGET])
    game.outcome, game.reasons, game.over = 0, 0, game.hand == 0
    foresee(game)
    note_table(game)


def decode(observation: NDArray[Any] | Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """Return what one observation says, in card notation: the state as far as the player knows it.

    Args:
        observation: A flat observation, shape (259,), or the dict of its fields.

    Returns:
        The keys of `state_dict` that a player knows (face-down cards sorted by kind instead of in order), `target`,
        and `prospects`: for every count k of further tricks, from 0, the list of what it does.

    Raises:
        ValueError: If the shape is another, or the vector is no observation of this layout.
    """
    values: dict[str, Any] = LAYOUT.read(observation)
    for name in ("hand", "lead", "face_down", "face_up"):
        values[name] = card_names(kind for kind, count in enumerate(values[name]) for _ in range(count))
    statuses = {}
    for index, name in enumerate(TRICK_CARDS):
        flags = values["trick_cards"][index * _NUM_STATUSES : (index + 1) * _NUM_STATUSES]
        if any(flags):
            statuses[name] = STATUSES[flags.index(1)]
    if sum(values["counter"]) != 1 or len(values["lead"]) > 1:
        raise LAYOUT.not_one_hot(("counter", "lead"))
    won, lost = values["tricks_won"][0], values["tricks_lost"][0]
    to_come = HAND_SIZE - won - lost
    rows = np.reshape(values["prospects"], (-1, NUM_FLAGS))[: to_come + 1 if to_come else 0]
    return {
        "hand": values["hand"],
        "face_down": values["face_down"],
        "face_up": values["face_up"],
        "lead": values["lead"][0] if values["lead"] else None,
        "leader": SIDES[values["leader"][0]],
        "tied": values["tied"][0],
        "tricks_won": won,
        "tricks_lost": lost,
        "trick_cards": statuses,
        "counter": COUNTERS[values["counter"].index(1)],
        "target": values["target"][0],
        "prospects": [[PROSPECT_NAMES[flag] for flag in np.flatnonzero(row)] for row in rows],
    }


PROSPECT_NAMES = ("win", "collect", "fail", "gray", "lose")
assert len(PROSPECT_NAMES) == NUM_FLAGS
