"""The observation of Gongor Whist: what a player who remembers the pass knows, as one vector of small integers.

    cards 0..29 are cards.NAMES; suits are in the order Moons, Suns, Waves, Leaves, Wyrms, Knots

    slice      name         values  meaning
    0:30       hand         0, 1    your cards
    30:60      lead         0, 1    the card that the dummy led; all 0 before you bid
    60:90      played       0, 1    your card, while you decide whether to twiddle; otherwise all 0
    90:120     seen         0, 1    the cards of the tricks of this pass that are finished, yours and the dummy's
    120:127    trump        0, 1    the trump suit, or no trump
    127:133    aces_seen    0, 1    the Aces of the present pile that have been turned, the trump among them
    133        aces_left    0..5    the Aces of the present pile that have not been turned
    134:137    phase        0, 1    what is to be decided: a bid, a card, keep or twiddle; all 0 after the last hand
    137:145    bid          0, 1    what you have bid, 0 to 7; all 0 before
    145:153    bids_left    0, 1    the bids that can still be made
    153        tricks_won   0..7    tricks you have taken in this hand
    154        tricks_lost  0..7    tricks the dummy has taken
    155        points       0..56   your points; in shut the box the hands made; 0 where they are below zero
    156:158    debt         0..99   your points below zero, which the first edition knows: tens and ones
    158        dummy        0..44   the dummy's points
    159        hand_number  0..99   the hands before this one
    160        back         0, 1    whether this is a back hand
    161        max_hands    1..100  the hands after which the game ends
    162:165    scoring      0, 1    shut the box, two columns, first edition
    165        pass_aces    0, 1    whether every pass has a new pile of Aces

`FIELDS` states the same as a table, from which everything else here is derived.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.base.layout import Field, Layout
from eck_env.compiled import lowest_bit, rule, spread_bits
from eck_env.gongor_whist.cards import ACES, ALL_CARDS, HAND_SIZE, NAMES, NUM_CARDS, NUM_SUITS, card_names
from eck_env.gongor_whist.rules import (
    BID,
    CARD,
    HAND_CARDS,
    NO_BID,
    NO_CARD,
    NUM_BIDS,
    OVER,
    PLAYING,
    TWIDDLING,
    WINNING_POINTS,
)
from eck_env.gongor_whist.state import PHASES, TRUMPS
from eck_env.gongor_whist.variant import ACES_LAST, MOST_HANDS, SCORINGS

LAYOUT_VERSION = 1
_PHASES = OVER
_MOST_POINTS = WINNING_POINTS - 1 + HAND_SIZE
_DUMMYS_MOST_POINTS = sum(max(bid, HAND_SIZE - bid) for bid in range(NUM_BIDS))

FIELDS = (
    Field("hand", NUM_CARDS, 1),
    Field("lead", NUM_CARDS, 1),
    Field("played", NUM_CARDS, 1),
    Field("seen", NUM_CARDS, 1),
    Field("trump", NUM_SUITS + 1, 1),
    Field("aces_seen", NUM_SUITS, 1),
    Field("aces_left", 1, NUM_SUITS - 1),
    Field("phase", _PHASES, 1),
    Field("bid", NUM_BIDS, 1),
    Field("bids_left", NUM_BIDS, 1),
    Field("tricks_won", 1, HAND_SIZE),
    Field("tricks_lost", 1, HAND_SIZE),
    Field("points", 1, _MOST_POINTS),
    Field("debt", 2, 99),
    Field("dummy", 1, _DUMMYS_MOST_POINTS),
    Field("hand_number", 1, MOST_HANDS - 1),
    Field("back", 1, 1),
    Field("max_hands", 1, MOST_HANDS),
    Field("scoring", len(SCORINGS), 1),
    Field("pass_aces", 1, 1),
)
LAYOUT = Layout("Gongor Whist", LAYOUT_VERSION, NAMES, FIELDS)
SLICES = LAYOUT.slices
SIZE = LAYOUT.size
LAYOUT_HASH = LAYOUT.hash

(_HAND, _LEAD, _PLAYED, _SEEN, _TRUMP, _ACES, _ACES_LEFT, _PHASE, _BID, _BIDS, _WON, _LOST, _POINTS, _DEBT, _DUMMY,
 _NUMBER, _BACK, _MAX, _SCORING, _PASS) = (SLICES[field.name].start for field in FIELDS)  # fmt: skip
_FLAGS = _ACES_LEFT - _TRUMP
_PHASE_FLAGS = _WON - _PHASE
_SCORING_FLAGS = _PASS + 1 - _SCORING


@rule
def note(game: Any) -> None:
    """Do nothing: all that the observation shows is in the record."""


@rule
def _card_bit(card: int) -> int:
    return 0 if card == NO_CARD else 1 << int(card)


@rule
def encode(game: Any, out: NDArray[Any]) -> None:
    """Write the observation of a game into `out`, shape (166,), any number type."""
    spread_bits(game.hand, NUM_CARDS, out[_HAND:_LEAD])
    spread_bits(_card_bit(game.lead), NUM_CARDS, out[_LEAD:_PLAYED])
    spread_bits(_card_bit(game.played), NUM_CARDS, out[_PLAYED:_SEEN])
    spread_bits(game.seen, NUM_CARDS, out[_SEEN:_TRUMP])
    flags = 1 << int(game.trump)
    for place in range(game.turned):
        flags |= 1 << (_ACES - _TRUMP + int(game.aces[place]))
    spread_bits(flags, _FLAGS, out[_TRUMP:_ACES_LEFT])
    out[_ACES_LEFT] = NUM_SUITS - game.turned
    flags = game.bids << (_BIDS - _PHASE)
    if game.phase != OVER:
        flags |= 1 << int(game.phase)
    if game.bid != NO_BID:
        flags |= 1 << (_BID - _PHASE + int(game.bid))
    spread_bits(flags, _PHASE_FLAGS, out[_PHASE:_WON])
    out[_WON] = game.won
    out[_LOST] = game.lost
    out[_POINTS] = max(game.you, 0)
    debt = max(-game.you, 0)
    out[_DEBT] = debt // 10
    out[_DEBT + 1] = debt % 10
    out[_DUMMY] = game.dummy
    out[_NUMBER] = game.hand_number
    out[_BACK] = game.hand_number & 1
    out[_MAX] = game.max_hands
    spread_bits(1 << int(game.scoring) | int(game.pass_aces) << (_PASS - _SCORING), _SCORING_FLAGS, out[_SCORING:SIZE])


@rule
def _read_bits(row: NDArray[Any], start: int, count: int) -> int:
    bits = 0
    for place in range(count):
        bits |= int(row[start + place] != 0) << place
    return bits


@rule
def _read_card(row: NDArray[Any], start: int) -> int:
    bits = _read_bits(row, start, NUM_CARDS)
    return lowest_bit(bits) if bits else NO_CARD


@rule
def restore(row: NDArray[Any], game: Any) -> None:
    """Make a record of what an observation, shape (166,), tells: the inverse of `encode`, as far as a player knows.

    The hidden cards lie in order, and so do the Aces that have not been turned; a search deals them anew
    (`state.redeal`) before it plays on. What is not observed (seed, numbers, piles) stays as it is.
    """
    game.hand, game.seen = _read_bits(row, _HAND, NUM_CARDS), _read_bits(row, _SEEN, NUM_CARDS)
    game.lead, game.played = _read_card(row, _LEAD), _read_card(row, _PLAYED)
    game.hand_number, game.scripted = int(row[_NUMBER]), 0
    game.won, game.lost = int(row[_WON]), int(row[_LOST])
    place = (game.hand_number & 1) * HAND_CARDS + HAND_SIZE + game.won + game.lost
    if game.lead != NO_CARD:
        game.cards[place] = game.lead
        place += 1
    hidden = ALL_CARDS & ~(game.hand | game.seen | _card_bit(game.lead) | _card_bit(game.played))
    for card in range(NUM_CARDS):
        if (hidden >> card) & 1 and place < NUM_CARDS:
            game.cards[place] = card
            place += 1
    game.trump = lowest_bit(_read_bits(row, _TRUMP, NUM_SUITS + 1))
    _restore_aces(row, game)
    phase, bid = _read_bits(row, _PHASE, _PHASES), _read_bits(row, _BID, NUM_BIDS)
    game.phase = lowest_bit(phase) if phase else OVER
    game.bid = lowest_bit(bid) if bid else NO_BID
    game.bids = _read_bits(row, _BIDS, NUM_BIDS)
    game.you = int(row[_POINTS]) - 10 * int(row[_DEBT]) - int(row[_DEBT + 1])
    game.dummy = int(row[_DUMMY])
    game.max_hands = int(row[_MAX])
    game.scoring = lowest_bit(_read_bits(row, _SCORING, len(SCORINGS)))
    game.pass_aces = int(row[_PASS])
    game.bid_trump, game.trump_before = game.trump, game.trump
    game.outcome, game.reasons, game.over = PLAYING, 0, game.phase == OVER


@rule
def _restore_aces(row: NDArray[Any], game: Any) -> None:
    """Lay the Aces that have been turned first, the trump last of them, and then the others."""
    turned = _read_bits(row, _ACES, NUM_SUITS)
    last = game.trump if game.trump < NUM_SUITS else -1
    game.turned = 0
    for wanted in range(3):
        for suit in range(NUM_SUITS):
            up = (turned >> suit) & 1 != 0
            group = 2 if not up else 1 if suit == last else 0
            if group == wanted:
                game.aces[game.turned] = suit
                game.turned += 1
    game.turned = NUM_SUITS - int(row[_ACES_LEFT])


def decode(observation: NDArray[Any] | Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """Return what one observation says, in notation: the state as far as the player knows it.

    Args:
        observation: A flat observation, shape (166,), or the dict of its fields.

    Returns:
        The keys of `state_dict` that a player knows (the Aces turned sorted by suit), and `aces_left`, `hidden` (the
        cards of the pass that have not been seen, sorted), `scoring`, `aces_last` and `max_hands`.

    Raises:
        ValueError: If the shape is another, or the vector is no observation of this layout.
    """
    values = LAYOUT.read(observation)
    one_hot = {name: _only_one(values[name]) for name in ("lead", "played", "trump", "phase", "bid", "scoring")}
    if one_hot["trump"] is None or one_hot["scoring"] is None:
        raise LAYOUT.not_one_hot(("trump", "scoring"))
    lead, played, phase = one_hot["lead"], one_hot["played"], one_hot["phase"]
    known = [sum(values[name][card] for name in ("hand", "lead", "played", "seen")) for card in range(NUM_CARDS)]
    return {
        "hand": _names(values["hand"]),
        "lead": None if lead is None else NAMES[lead],
        "played": None if played is None else NAMES[played],
        "seen": _names(values["seen"]),
        "hidden": card_names(card for card in range(NUM_CARDS) if not known[card]),
        "trump": TRUMPS[one_hot["trump"]],
        "aces_seen": [ACES[suit] for suit in np.flatnonzero(values["aces_seen"])],
        "aces_left": values["aces_left"][0],
        "phase": PHASES[OVER if phase is None else phase],
        "bid": one_hot["bid"],
        "bids_left": [bid for bid in range(NUM_BIDS) if values["bids_left"][bid]],
        "tricks_won": values["tricks_won"][0],
        "tricks_lost": values["tricks_lost"][0],
        "you": values["points"][0] - 10 * values["debt"][0] - values["debt"][1],
        "dummys_points": values["dummy"][0],
        "hand_number": values["hand_number"][0],
        "scoring": SCORINGS[one_hot["scoring"]],
        "aces_last": ACES_LAST[values["pass_aces"][0]],
        "max_hands": values["max_hands"][0],
    }


def _only_one(flags: list[int]) -> int | None:
    """Return the place of the only 1, or None if there is none; ValueError if there are more."""
    if sum(flags) > 1:
        raise ValueError(f"the vector is no observation of {LAYOUT.game}: a field has two where it can have one")
    return flags.index(1) if any(flags) else None


def _names(flags: list[int]) -> list[str]:
    return card_names(card for card in range(NUM_CARDS) if flags[card])


assert tuple(range(len(PHASES))) == (BID, CARD, TWIDDLING, OVER)
