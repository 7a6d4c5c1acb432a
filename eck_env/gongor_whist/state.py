"""The state of one game: its record, and its form in card notation, which is plain data fit for JSON.

`GAME` is the record that the rules work on; an array of them is a batch of games. `state_dict` writes a record in
notation; `loading.py` reads it back.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.base.records import check_generator, flag_names, redraw_seed
from eck_env.batch import advance, mix, shuffle
from eck_env.compiled import rule
from eck_env.gongor_whist.cards import ACES, HAND_SIZE, NAMES, NUM_CARDS, NUM_SUITS, SUIT_LETTERS, card_names, cards_of
from eck_env.gongor_whist.rules import (
    BY_HANDS,
    BY_ILLEGAL_ACTION,
    BY_MISSED_BID,
    BY_POINTS,
    HAND_CARDS,
    NO_BID,
    NO_CARD,
    NUM_BIDS,
)
from eck_env.gongor_whist.variant import ACES_LAST, SCORINGS, Variant

TAKERS = ("you", "dummy")
PHASES = ("bid", "card", "twiddle", "over")
TRUMPS = (*SUIT_LETTERS, None)
OUTCOMES = (None, "win", "loss", "draw")
REASONS = {
    BY_MISSED_BID: "missed_bid",
    BY_POINTS: "points",
    BY_HANDS: "max_hands",
    BY_ILLEGAL_ACTION: "illegal_action",
}
SCRIPT_SIZE = NUM_CARDS + NUM_SUITS
"""A prescribed order of the cards of a pass and one of the Aces of a pile."""

GAME = np.dtype(
    [
        # The key of all randomness: this seed, the number of the game since seeding, the hand (all from 0).
        ("seed", np.int64),
        ("game_number", np.int64),
        ("hand_number", np.int64),
        # Sets of cards (cards.py): your hand, and the cards of this pass's finished tricks.
        ("hand", np.int64),
        ("seen", np.int64),
        ("bids", np.int64),  # the bids still to be made, as a set of bits
        # The cards of the pass (rules.py says where they lie) and the pile of Aces, of which `turned` are face up.
        ("cards", np.int8, NUM_CARDS),
        ("aces", np.int8, NUM_SUITS),
        ("turned", np.int8),
        ("trump", np.int8),
        ("piles", np.int16),  # used in this game
        ("scripted", np.int16),  # how many passes and piles have a prescribed order
        # The hand in play.
        ("phase", np.int8),
        ("lead", np.int8),  # the dummy's card, or NO_CARD
        ("played", np.int8),  # your card while a twiddle is to be decided, or NO_CARD
        ("trump_before", np.int8),  # the trump when it was played
        ("bid", np.int8),
        ("bid_trump", np.int8),  # the trump when it was made
        ("won", np.int8),
        ("lost", np.int8),
        # The game.
        ("you", np.int16),
        ("dummy", np.int16),
        ("scoring", np.int8),
        ("pass_aces", np.int8),
        ("max_hands", np.int8),
        ("outcome", np.int8),
        ("reasons", np.int8),
        ("over", np.int8),
        # The last trick, for those who watch.
        ("last_lead", np.int8),
        ("last_follow", np.int8),
        ("last_taker", np.int8),
        ("last_before", np.int8),
        ("last_trump", np.int8),
        ("decided", np.int8),  # whether the last action decided a trick
    ],
    align=True,
)
"""The record of one game."""


def new_games(count: int, variant: Variant) -> NDArray[np.void]:
    """Return records of this variant, shape (count,), dtype `GAME`; no game has been started yet."""
    games = np.zeros(count, GAME)
    games["scoring"] = SCORINGS.index(variant.scoring)
    games["pass_aces"] = ACES_LAST.index(variant.aces)
    games["max_hands"] = variant.max_hands
    games["lead"] = games["played"] = games["last_lead"] = NO_CARD
    games["bid"] = NO_BID
    return games


@rule
def dummys_place(game: Any) -> int:
    """Return where in the pass the first of the dummy's cards lies that has not been led; all after it are hidden."""
    start = (game.hand_number & 1) * HAND_CARDS + HAND_SIZE
    return int(start + game.won + game.lost + int(game.lead != NO_CARD))


def state_dict(game: Any, scripts: NDArray[np.int8]) -> dict[str, Any]:
    """Return the whole state of a game in card notation, as plain data fit for JSON.

    Args:
        game: The game's record.
        scripts: The prescribed orders of this game's passes and piles, shape (number, 36), int8.
    """
    rest = (int(game.hand_number) % 2 + 1) * HAND_CARDS
    passes = scripts[int(game.hand_number) // 2 + 1 : game.scripted, :NUM_CARDS]
    piles = scripts[game.piles : game.scripted, NUM_CARDS:]
    return {
        "hand": card_names(cards_of(int(game.hand))),
        "dummy": card_names(game.cards[dummys_place(game) : rest].tolist()),
        "rest": card_names(game.cards[rest:].tolist()),
        "seen": card_names(cards_of(int(game.seen))),
        "lead": None if game.lead == NO_CARD else NAMES[game.lead],
        "played": None if game.played == NO_CARD else NAMES[game.played],
        "phase": PHASES[game.phase],
        "trump": TRUMPS[game.trump],
        "aces_seen": [ACES[suit] for suit in game.aces[: game.turned].tolist()],
        "aces": [ACES[suit] for suit in game.aces[game.turned :].tolist()],
        "bid": None if game.bid == NO_BID else int(game.bid),
        "bid_trump": TRUMPS[game.bid_trump],
        "bids_left": [bid for bid in range(NUM_BIDS) if int(game.bids) >> bid & 1],
        "tricks_won": int(game.won),
        "tricks_lost": int(game.lost),
        "you": int(game.you),
        "dummys_points": int(game.dummy),
        "hand_number": int(game.hand_number),
        "game": int(game.game_number),
        "seed": int(game.seed),
        "outcome": OUTCOMES[game.outcome],
        "reasons": flag_names(int(game.reasons), REASONS),
        "over": bool(game.over),
        "piles": int(game.piles),
        "passes": [card_names(order.tolist()) for order in passes if order[0] != NO_CARD],
        "ace_orders": [[ACES[suit] for suit in order.tolist()] for order in piles if order[0] != NO_CARD],
    }


@rule
def redeal(game: Any, key: np.uint64) -> None:
    """Re-draw all hidden cards and all later randomness, by the random stream that starts at `key`.

    Hidden are the dummy's cards that have not been led, those that are not in this hand, and the order of the Aces
    that have not been turned. No card of the pass that has been seen is among them, not even in the back hand.
    """
    key = advance(key)
    shuffle(game.cards, dummys_place(game), NUM_CARDS, key)
    key = advance(mix(key))
    shuffle(game.aces, game.turned, NUM_SUITS, key)
    key = advance(mix(key))
    game.seed = np.int64(mix(key) >> np.uint64(1))
    game.scripted = 0


def shuffle_hidden(game: Any, rng: np.random.Generator) -> None:
    """Re-draw all that the player cannot know, later shuffles included; see `redeal`."""
    check_generator(rng)
    first, turned = dummys_place(game), int(game.turned)
    rng.shuffle(game.cards[first:])
    rng.shuffle(game.aces[turned:])
    redraw_seed(game, rng)
