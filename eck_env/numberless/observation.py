"""The observation of the game without numbers: what a seat that remembers the game knows, as small integers.

    cards 0..48 are cards.NAMES; seats are counted from the one that observes, 0, to its left

    slice      name         values  meaning
    0:49       hand         0, 1    your cards; in the draft the hand that you choose from
    49:98      kept         0, 1    the cards that you have kept in the draft; all 0 when it is over
    98:147     pot          0..7    the cards of this round: 1 for the first, 2 for the second, and so on
    147:196    gone         0, 1    the cards of finished rounds
    196:245    played_by    0..7    1 + the seat that played a card in this game; 0 for those not played
    245:294    seen         0..7    1 + the last round of the draft in which you held a hand with this card; 0 for those
                                    you have not seen there
    294:588    lacks        0, 1    for each of the seats 1 to 6, the cards that it cannot hold since it could not fit
    588:591    pattern      0, 1    same background, same foreground, all different; all 0 before the second card
    591:598    turn         0, 1    the seat to move; all 0 after the last round
    598:605    start        0, 1    the seat that starts this round; in the draft, the first round; all 0 after the last
    605:612    collected    0..49   the cards that each seat has collected
    612:619    hand_sizes   0..7    the cards that each seat holds; in the draft, those of the hand it chooses from
    619        drafting     0, 1    whether the draft is going on
    620        draft        0, 1    whether hands are drafted in this game
    621        players      3..7    how many play

`FIELDS` states the same as a table, from which everything else here is derived.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.base.layout import Field, Layout
from eck_env.compiled import lowest_bit, popcount, rule, spread_bits
from eck_env.numberless.cards import ALL_CARDS, HAND_SIZE, NAMES, NUM_CARDS, card_names
from eck_env.numberless.rules import (
    DRAFT,
    NO_CARD,
    NO_PATTERN,
    OVER,
    PLAY,
    PLAYING,
    fits_after,
    pattern_of,
)
from eck_env.numberless.state import PATTERNS
from eck_env.numberless.variant import ANY_SEAT, CALLER, MAX_PLAYERS, MIN_PLAYERS

LAYOUT_VERSION = 1
_OTHERS = MAX_PLAYERS - 1
_PATTERNS = len(PATTERNS) - 1
_SEAT_FLAGS = 2 * MAX_PLAYERS

FIELDS = (
    Field("hand", NUM_CARDS, 1),
    Field("kept", NUM_CARDS, 1),
    Field("pot", NUM_CARDS, MAX_PLAYERS),
    Field("gone", NUM_CARDS, 1),
    Field("played_by", NUM_CARDS, MAX_PLAYERS),
    Field("seen", NUM_CARDS, HAND_SIZE),
    Field("lacks", _OTHERS * NUM_CARDS, 1),
    Field("pattern", _PATTERNS, 1),
    Field("turn", MAX_PLAYERS, 1),
    Field("start", MAX_PLAYERS, 1),
    Field("collected", MAX_PLAYERS, NUM_CARDS),
    Field("hand_sizes", MAX_PLAYERS, HAND_SIZE),
    Field("drafting", 1, 1),
    Field("draft", 1, 1),
    Field("players", 1, MAX_PLAYERS),
)
LAYOUT = Layout("the game without numbers", LAYOUT_VERSION, NAMES, FIELDS)
SLICES = LAYOUT.slices
SIZE = LAYOUT.size
LAYOUT_HASH = LAYOUT.hash

(_HAND, _KEPT, _POT, _GONE, _PLAYED, _SEEN, _LACKS, _PATTERN, _TURN, _START, _COLLECTED, _SIZES, _DRAFTING,
 _DRAFT, _PLAYERS) = (SLICES[field.name].start for field in FIELDS)  # fmt: skip


@rule
def encode(game: Any, out: NDArray[Any]) -> None:
    """Write the observation of the seat that the record shows into `out`, shape (622,), any number type."""
    encode_for(game, int(game.shown), out)


@rule
def encode_for(game: Any, view: int, out: NDArray[Any]) -> None:
    """Write what a seat knows into `out`; see `encode`."""
    count = int(game.num_players)
    spread_bits(game.hands[view], NUM_CARDS, out[_HAND:_KEPT])
    spread_bits(game.kept[view], NUM_CARDS, out[_KEPT:_POT])
    out[_POT:_GONE] = 0
    for place in range(game.pot_size):
        out[_POT + int(game.pot[place])] = place + 1
    spread_bits(game.gone, NUM_CARDS, out[_GONE:_PLAYED])
    if game.phase == DRAFT:
        out[_PLAYED:_SEEN] = 0
        out[_LACKS:_PATTERN] = 0
    else:
        own = view + 1
        for card in range(NUM_CARDS):
            seat = int(game.played_by[card])
            other = seat - own + 1 if seat >= own else seat - own + 1 + count
            out[_PLAYED + card] = other if seat else 0
        for other in range(_OTHERS):
            start = _LACKS + other * NUM_CARDS
            seat = view + 1 + other
            seat -= count if seat >= count else 0
            spread_bits(game.lacks[seat] if other + 1 < count else 0, NUM_CARDS, out[start : start + NUM_CARDS])
    for card in range(NUM_CARDS):
        out[_SEEN + card] = game.seen[view, card]
    spread_bits((1 << int(game.pattern)) >> 1, _PATTERNS, out[_PATTERN:_TURN])
    turn, start = int(game.turn) - view, int(game.start) - view
    turn += count if turn < 0 else 0
    start += count if start < 0 else 0
    seats = 0 if game.phase == OVER else 1 << turn | 1 << (start + MAX_PLAYERS)
    spread_bits(seats, _SEAT_FLAGS, out[_TURN:_COLLECTED])
    for other in range(MAX_PLAYERS):
        seat = view + other
        seat -= count if seat >= count else 0
        there = other < count
        out[_COLLECTED + other] = game.collected[seat] if there else 0
        out[_SIZES + other] = game.held[seat] if there else 0
    out[_DRAFTING] = game.phase == DRAFT
    out[_DRAFT] = game.draft
    out[_PLAYERS] = count


@rule
def _read_bits(row: NDArray[Any], start: int, count: int) -> int:
    bits = 0
    for place in range(count):
        bits |= int(row[start + place] != 0) << place
    return bits


@rule
def restore(row: NDArray[Any], game: Any) -> None:
    """Make a record of what an observation, shape (622,), tells: the inverse of `encode`, as far as the seat knows.

    The seat that observes is seat 0 of the record. What the others hold is left empty; a search deals it
    (`worlds.deal_hidden`) before it plays on. What is not observed (seed, numbers) stays as it is.
    """
    count = int(row[_PLAYERS])
    game.num_players, game.draft, game.start_player = count, int(row[_DRAFT]), ANY_SEAT
    game.watched, game.shown = 0, 0
    for seat in range(MAX_PLAYERS):
        game.players[seat] = CALLER
        game.hands[seat], game.kept[seat], game.lacks[seat] = 0, 0, 0
        game.picks[seat] = NO_CARD
        game.collected[seat], game.held[seat] = int(row[_COLLECTED + seat]), int(row[_SIZES + seat])
    for seat in range(1, count):
        game.lacks[seat] = _read_bits(row, _LACKS + (seat - 1) * NUM_CARDS, NUM_CARDS)
    game.hands[0], game.kept[0] = _read_bits(row, _HAND, NUM_CARDS), _read_bits(row, _KEPT, NUM_CARDS)
    game.gone = _read_bits(row, _GONE, NUM_CARDS)
    turn = _read_bits(row, _TURN, MAX_PLAYERS)
    game.phase = OVER if turn == 0 else DRAFT if row[_DRAFTING] != 0 else PLAY
    game.turn = lowest_bit(turn) if turn else 0
    game.seen[:, :] = 0
    game.drafted[:, :] = NO_CARD
    own = game.kept[0] if game.phase == DRAFT else game.hands[0]
    for card in range(NUM_CARDS):
        game.played_by[card] = int(row[_PLAYED + card])
        game.seen[0, card] = int(row[_SEEN + card])
        if game.played_by[card] == 1:
            own |= 1 << card
        if (own >> card) & 1 and game.seen[0, card] > 0:
            game.drafted[0, game.seen[0, card] - 1] = card
    game.draft_round = popcount(own) if game.draft else 0
    _restore_pot(row, game)
    game.round_number, game.decision, game.log_size, game.last_size, game.scripted = 0, 0, 0, 0, 0
    game.outcome, game.reasons, game.over = PLAYING, 0, game.phase == OVER


@rule
def _restore_pot(row: NDArray[Any], game: Any) -> None:
    game.pot_size, game.pattern = 0, NO_PATTERN
    for card in range(NUM_CARDS):
        place = int(row[_POT + card])
        if place > 0:
            game.pot[place - 1] = card
            game.pot_size += 1
    game.fits = ALL_CARDS
    for place in range(game.pot_size):
        card = int(game.pot[place])
        if place == 1:
            game.pattern = pattern_of(int(game.pot[0]), card)
        game.fits = fits_after(game.fits, game.pattern, int(game.pot[0]), card)
    start = _read_bits(row, _START, MAX_PLAYERS)
    game.start = lowest_bit(start) if start else 0


def decode(observation: NDArray[Any] | Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """Return what one observation says, in notation: the state as far as the seat knows it.

    Args:
        observation: A flat observation, shape (622,), or the dict of its fields.

    Returns:
        `hand`, `kept`, `pot` (in order), `pattern`, `turn`, `start`, `phase`, `draft`, `players`; `played`,
        `collected`, `hand_sizes` and `lacks` by seat, counted from the one that observes; `gone`; `seen`, the hands
        seen in the draft as far as no card of them was seen again later, in order; and `unseen`, the cards never seen.

    Raises:
        ValueError: If the shape is another, or the vector is no observation of this layout.
    """
    values = LAYOUT.read(observation)
    count = values["players"][0]
    if count < MIN_PLAYERS or sum(values["turn"]) > 1 or sum(values["start"]) > 1 or sum(values["pattern"]) > 1:
        raise LAYOUT.not_one_hot(("turn", "start", "pattern"))
    pot = sorted((place, card) for card, place in enumerate(values["pot"]) if place)
    if [place for place, _ in pot] != list(range(1, len(pot) + 1)):
        raise ValueError(
            f"the vector is no observation of {LAYOUT.game}: the places of the pot are not 1 to {len(pot)}"
        )
    lacks = np.reshape(values["lacks"], (_OTHERS, NUM_CARDS))
    seen, played, hand = values["seen"], values["played_by"], values["hand"]
    return {
        "phase": "draft" if values["drafting"][0] else "play" if any(values["turn"]) else "over",
        "draft": bool(values["draft"][0]),
        "players": count,
        "turn": values["turn"].index(1) if any(values["turn"]) else None,
        "start": values["start"].index(1) if any(values["start"]) else None,
        "hand": _names(hand),
        "kept": _names(values["kept"]),
        "pot": card_names(card for _, card in pot),
        "pattern": PATTERNS[values["pattern"].index(1) + 1 if any(values["pattern"]) else 0],
        "gone": _names(values["gone"]),
        "played": [card_names(card for card in range(NUM_CARDS) if played[card] == 1 + seat) for seat in range(count)],
        "collected": values["collected"][:count],
        "hand_sizes": values["hand_sizes"][:count],
        "lacks": [[], *(_names(row.tolist()) for row in lacks[: count - 1])],
        "seen": [card_names(card for card in range(NUM_CARDS) if seen[card] == number) for number in _rounds(seen)],
        "unseen": card_names(card for card in range(NUM_CARDS) if not (seen[card] or played[card] or hand[card])),
    }


def _rounds(seen: list[int]) -> range:
    return range(1, max(seen) + 1)


def _names(flags: list[int]) -> list[str]:
    return card_names(card for card in range(NUM_CARDS) if flags[card])
