"""The rules of Gongor Whist, each stated once, in the order in which a game meets them.

Plain functions over integers and over the record of one game (`state.GAME`, here always `game`), which numba compiles
into the engine. Rulings a to g settle what the sources leave open; they are named where they apply:

a: how long the Aces last is the variant's choice: one pile for the whole game, or a new one for every pass, where the
   trump goes on from the fore hand to the back hand.
b: with no Ace left there is nothing to twiddle; where piles are renewed, once more is possible and means no trump for
   the rest of the hand, after which the next hand, whichever it is, has a new pile.
c: where no card shares a suit with the lead any card may be played, and wins only as a trump.
d: a hand is judged after its seventh trick, even if its bid has been out of reach for long.
e: in the first edition 50 points win after any hand, the last one that is allowed included.
f: of the six Aces the first is turned at the start, so five twiddles are left.
g: where one bid or card is legal, it still has to be made.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eck_env.batch import DRAWN as DRAWN
from eck_env.batch import LOST as LOST
from eck_env.batch import NO_CARD as NO_CARD
from eck_env.batch import PLAYING as PLAYING
from eck_env.batch import WON as WON
from eck_env.batch import random_key, shuffle
from eck_env.compiled import rare_rule, rule
from eck_env.gongor_whist.cards import (
    CARD_SUITS,
    HAND_SIZE,
    NO_TRUMP,
    NUM_CARDS,
    NUM_SUITS,
    RANK,
    SHARING,
)
from eck_env.gongor_whist.variant import FIRST_EDITION, SHUT_THE_BOX, TWO_COLUMNS

# The actions: a bid is its number, then the cards, then what may follow a card.
NUM_BIDS = HAND_SIZE + 1
FIRST_CARD = NUM_BIDS
KEEP = FIRST_CARD + NUM_CARDS
TWIDDLE = KEEP + 1
NUM_ACTIONS = TWIDDLE + 1

ALL_BIDS = (1 << NUM_BIDS) - 1
NO_BID = -1

# What is to be decided; OVER is the end of the last hand.
BID, CARD, TWIDDLING, OVER = 0, 1, 2, 3

YOU, DUMMY = 0, 1
"""Who takes a trick."""

# Why a game was lost, as flags.
BY_MISSED_BID, BY_POINTS, BY_HANDS, BY_ILLEGAL_ACTION = 1, 2, 4, 8

WINNING_POINTS = 50
"""Of the first edition."""
BACK_HAND_FINE = 2
NOTHING_BID_AND_MADE = HAND_SIZE
"""What a bid of 0 is worth in two columns."""

# Where the cards of a pass lie: yours and the dummy's in the fore hand, then in the back hand, then two that stay out.
HAND_CARDS = 2 * HAND_SIZE
_DEAL, _ACES = 0, 1  # the purposes of a hand's random streams


# --- One trick -------------------------------------------------------------------------------------------------------


@rule
def legal_cards(hand: int, lead: int) -> int:
    """Return the cards that may follow a lead: those that share a suit with it, or any if there are none (ruling c)."""
    following = hand & SHARING[lead]
    return following if following else hand


@rule
def beats(rank: int, suits: int, lead_rank: int, lead_suits: int, trump: int) -> bool:
    """Whether a card wins against the one that was led; suits are sets of bits.

    A card is a trump if either of its suits is. The higher of two trumps wins, and a trump wins against any other
    card; without trumps the card must share a suit with the lead and rank higher.
    """
    is_trump, lead_is_trump = (suits >> trump) & 1, (lead_suits >> trump) & 1
    if is_trump != lead_is_trump:
        return bool(is_trump)
    return rank > lead_rank and (is_trump != 0 or suits & lead_suits != 0)


@rule
def you_take(lead: int, card: int, trump: int) -> bool:
    """Whether your card takes the trick from the dummy's."""
    return beats(RANK[card], CARD_SUITS[card], RANK[lead], CARD_SUITS[lead], trump)


@rule
def can_twiddle(game: Any) -> bool:
    """Whether there is an Ace to be turned, or the twiddle after the last one is still to be had (rulings b and f)."""
    if game.pass_aces:
        return bool(game.trump != NO_TRUMP)
    return bool(game.turned < NUM_SUITS)


@rule
def legal_actions(game: Any) -> int:
    """Return the legal actions of a game that goes on, as a set of bits."""
    if game.phase == BID:
        return int(game.bids)
    if game.phase == CARD:
        return legal_cards(game.hand, game.lead) << FIRST_CARD
    return 1 << KEEP | 1 << TWIDDLE


# --- The course of a game, on its record -----------------------------------------------------------------------------


@rule
def start_game(game: Any) -> None:
    """Set all but the cards as it is before the first hand."""
    game.hand_number, game.piles, game.trump, game.turned = 0, 0, NO_TRUMP, 0
    game.bids = ALL_BIDS
    game.you, game.dummy = 0, 0
    game.outcome, game.reasons, game.over = PLAYING, 0, 0


@rare_rule
def deal_hand(game: Any, scripts: np.ndarray) -> None:
    """Deal the hand that is due: shuffle the cards for a fore hand, and the Aces where their pile is new.

    Args:
        game: The record of the game.
        scripts: Prescribed orders by pass and by pile, shape (number, 36), int8: the 30 cards, then the Aces by suit;
            NO_CARD where they are not prescribed. The first `scripted` of them count.
    """
    back = game.hand_number & 1
    if not back:
        shuffle_cards(game, scripts)
    if game.hand_number == 0 or (game.pass_aces and (not back or game.trump == NO_TRUMP)):
        _shuffle_aces(game, scripts)
    start_hand(game)


@rare_rule
def deal_within(game: Any, scripts: np.ndarray) -> None:
    """Deal a hand in the middle of a game, as its record says: `hand_number`, and how many Aces have been `turned`.

    In a back hand, 14 cards that are out are those of a fore hand, of which nothing else is told.
    """
    turned = game.turned
    shuffle_cards(game, scripts)
    _shuffle_aces(game, scripts)
    game.piles = 1 + (game.hand_number >> 1) * game.pass_aces
    game.turned = turned
    game.trump = game.aces[turned - 1]
    if game.hand_number & 1:
        for place in range(HAND_CARDS):
            game.seen |= 1 << int(game.cards[place])
    start_hand(game)


@rule
def shuffle_cards(game: Any, scripts: np.ndarray) -> None:
    """Shuffle the 30 cards for a pass."""
    for card in range(NUM_CARDS):
        game.cards[card] = card
    shuffle(game.cards, 0, NUM_CARDS, random_key(game.seed, game.game_number, game.hand_number, _DEAL))
    number = game.hand_number >> 1
    if number < game.scripted and scripts[number, 0] != NO_CARD:
        for place in range(NUM_CARDS):
            game.cards[place] = scripts[number, place]
    game.seen = 0


@rule
def _shuffle_aces(game: Any, scripts: np.ndarray) -> None:
    """Shuffle the Aces for a new pile and turn the first one."""
    for suit in range(NUM_SUITS):
        game.aces[suit] = suit
    shuffle(game.aces, 0, NUM_SUITS, random_key(game.seed, game.game_number, game.hand_number, _ACES))
    if game.piles < game.scripted and scripts[game.piles, NUM_CARDS] != NO_CARD:
        for place in range(NUM_SUITS):
            game.aces[place] = scripts[game.piles, NUM_CARDS + place]
    game.piles += 1
    game.trump = game.aces[0]
    game.turned = 1


@rule
def start_hand(game: Any) -> None:
    """Give you the cards of the hand as they lie; the bid is next."""
    start = (game.hand_number & 1) * HAND_CARDS
    game.hand = 0
    for place in range(HAND_SIZE):
        game.hand |= 1 << int(game.cards[start + place])
    game.lead, game.played, game.bid = NO_CARD, NO_CARD, NO_BID
    game.won, game.lost = 0, 0
    game.bid_trump = game.trump
    game.phase = BID


@rule
def lead_card(game: Any) -> None:
    """Let the dummy lead the top card of its hand."""
    game.lead = game.cards[(game.hand_number & 1) * HAND_CARDS + HAND_SIZE + game.won + game.lost]
    game.phase = CARD


@rule
def make_bid(game: Any, bid: int) -> None:
    """Bid; the number is crossed off, except in the first edition."""
    game.bid = bid
    if game.scoring != FIRST_EDITION:
        game.bids &= ~(1 << bid)
    lead_card(game)


@rule
def play_card(game: Any, card: int) -> None:
    """Play a card; where trump can be twiddled, that is decided next, otherwise the trick is."""
    game.hand &= ~(1 << card)
    game.played = card
    game.trump_before = game.trump
    if can_twiddle(game):
        game.phase = TWIDDLING
    else:
        decide_trick(game)


@rule
def twiddle(game: Any) -> None:
    """Turn the next Ace, whose suit is trump from this trick on; after the last one there is no trump (ruling b)."""
    if game.turned < NUM_SUITS:
        game.trump = game.aces[game.turned]
        game.turned += 1
    else:
        game.trump = NO_TRUMP


@rule
def decide_trick(game: Any) -> None:
    """Give the trick to whom it belongs; the dummy leads the next one, or the hand is over."""
    taker = YOU if you_take(game.lead, game.played, game.trump) else DUMMY
    game.won += taker == YOU
    game.lost += taker == DUMMY
    game.seen |= 1 << int(game.lead) | 1 << int(game.played)
    game.last_lead, game.last_follow, game.last_taker = game.lead, game.played, taker
    game.last_before, game.last_trump = game.trump_before, game.trump
    game.lead, game.played = NO_CARD, NO_CARD
    if game.hand != 0:
        lead_card(game)
    else:
        game.phase = OVER


# --- The end of a hand -----------------------------------------------------------------------------------------------


@rule
def your_points(scoring: int, bid: int, taken: int, back: bool) -> int:
    """Return what a hand adds to your points; in shut the box, a hand made is a point."""
    if scoring == SHUT_THE_BOX:
        return 1 if taken == bid else 0
    if scoring == FIRST_EDITION:
        return bid if taken == bid else -taken - (BACK_HAND_FINE if back else 0)
    if bid == 0:
        return NOTHING_BID_AND_MADE if taken == 0 else 0
    return bid if taken >= bid else 0


@rule
def dummys_points(scoring: int, bid: int, taken: int) -> int:
    """Return what a hand adds to the dummy's points: in two columns overtricks, or a bid that was not reached."""
    if scoring != TWO_COLUMNS:
        return 0
    return taken - bid if taken >= bid else bid


@rare_rule
def finish_hand(game: Any) -> None:
    """Score the hand after its seventh trick (ruling d), and settle the game if it is over."""
    bid, taken, back = int(game.bid), int(game.won), game.hand_number & 1 == 1
    game.you += your_points(game.scoring, bid, taken, back)
    game.dummy += dummys_points(game.scoring, bid, taken)
    last = game.hand_number + 1 == game.max_hands
    if game.scoring == SHUT_THE_BOX:
        if taken != bid:
            game.outcome, game.reasons = LOST, BY_MISSED_BID
        elif last:
            game.outcome = WON
    elif game.scoring == FIRST_EDITION:
        if game.you >= WINNING_POINTS:
            game.outcome = WON
        elif last:
            game.outcome, game.reasons = LOST, BY_HANDS
    elif last:
        if game.you > game.dummy:
            game.outcome = WON
        elif game.you < game.dummy:
            game.outcome, game.reasons = LOST, BY_POINTS
        else:
            game.outcome = DRAWN
