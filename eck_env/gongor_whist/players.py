"""Compiled players of Gongor Whist: random, and a heuristic one that bids by strength and plays to make its bid.

They decide from the record of a game, by what a player knows of it: the hand, the cards seen, the lead, the Aces
turned, bids and tricks. Playouts call them on the games they play, agents on records restored from observations.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from eck_env.batch import below
from eck_env.compiled import lowest_bit, popcount, rule
from eck_env.gongor_whist.cards import ALL_CARDS, CARD_SUITS, HAND_SIZE, NO_TRUMP, NUM_CARDS, NUM_SUITS, RANK
from eck_env.gongor_whist.rules import (
    BID,
    CARD,
    FIRST_CARD,
    KEEP,
    NO_CARD,
    NUM_BIDS,
    TWIDDLE,
    beats,
    dummys_points,
    legal_actions,
    you_take,
    your_points,
)
from eck_env.gongor_whist.variant import FIRST_EDITION, SHUT_THE_BOX

RANDOM, HEURISTIC = 0, 1
"""The players that compiled code can be told to use."""

PLAYERS = {"random": RANDOM, "heuristic": HEURISTIC}

BEATEN = np.array(
    [
        [
            sum(
                1 << lead
                for lead in range(NUM_CARDS)
                if lead != card and beats(RANK[card], CARD_SUITS[card], RANK[lead], CARD_SUITS[lead], trump)
            )
            for card in range(NUM_CARDS)
        ]
        for trump in range(NUM_SUITS + 1)
    ],
    np.int64,
)
"""The leads that each card beats, as sets, by trump."""

# How many tricks a hand takes when it is played for its bid: so many to begin with, and so many for each trick that
# its cards take on average of the leads that may come. And how far off that is, with so many tricks to come.
_TRICKS_START, _TRICKS_SLOPE = 0.0, 1.0
_VARIANCE_START, _VARIANCE_SLOPE = 0.15, 0.22
_LEVEL_OF_CERTAINTY = 0.9  # the chance of the likeliest number of tricks, for the bid
_USUAL_TRICKS, _USUAL_VARIANCE = 3.4, 1.4  # of hands, before the bid
_WORTH_OF_ACES = 0.03  # what a twiddle must gain at least, where Aces are few
_PASS_WORTH_OF_ACES = 0.0


@rule
def random_action(legal: int, key: np.uint64) -> int:
    """Return one of the legal actions, all equally likely; the random number is that of the stream's state `key`."""
    for _ in range(below(key, popcount(legal))):
        legal &= legal - 1
    return lowest_bit(legal)


@rule
def unseen_cards(game: Any) -> int:
    """Return the cards of the pass that the player has not seen, as a set: leads to come, and cards that stay out."""
    unseen = ALL_CARDS & ~(game.hand | game.seen)
    if game.lead != NO_CARD:
        unseen &= ~(1 << int(game.lead))
    if game.played != NO_CARD:
        unseen &= ~(1 << int(game.played))
    return int(unseen)


@rule
def expected_tricks(hand: int, unseen: int, trump: int) -> float:
    """Return how many tricks the cards of a hand take, each judged by the leads that it beats."""
    beaten, cards = 0, 0
    while hand:
        card = lowest_bit(hand)
        hand &= hand - 1
        beaten += popcount(unseen & BEATEN[trump, card])
        cards += 1
    if cards == 0:
        return 0.0
    return _TRICKS_START * cards / HAND_SIZE + _TRICKS_SLOPE * beaten / popcount(unseen)


@rule
def chance_to_take(wanted: int, cards: int, expected: float) -> float:
    """Return a measure of the chance to take just so many tricks with the cards left; 1 is certainty."""
    if wanted < 0 or wanted > cards:
        return 0.0
    if cards == 0:
        return 1.0
    distance = wanted - expected
    return math.exp(-0.5 * distance * distance / (_VARIANCE_START + _VARIANCE_SLOPE * cards))


@rule
def heuristic_bid(game: Any) -> int:
    """Return the bid that promises most: in shut the box and two columns compared with what it usually does."""
    expected = expected_tricks(game.hand, unseen_cards(game), game.trump)
    back = game.hand_number & 1 == 1
    best, best_worth = -1, -1e9
    for bid in range(NUM_BIDS):
        if (game.bids >> bid) & 1:
            chance = _LEVEL_OF_CERTAINTY * chance_to_take(bid, HAND_SIZE, expected)
            usual = _LEVEL_OF_CERTAINTY * _usual_chance(bid)
            if game.scoring == SHUT_THE_BOX:
                worth = math.log(max(chance, 1e-9)) - math.log(usual)
            else:
                near = min(int(expected + 0.5), HAND_SIZE)
                if near == bid:
                    near = bid + 1 if expected > bid or bid == 0 else bid - 1
                made = float(your_points(game.scoring, bid, bid, back))
                missed = float(your_points(game.scoring, bid, near, back) - dummys_points(game.scoring, bid, near))
                worth = chance * made + (1.0 - chance) * missed
                if game.scoring != FIRST_EDITION:
                    worth -= usual * made
            if worth > best_worth:
                best, best_worth = bid, worth
    return best


@rule
def _usual_chance(bid: int) -> float:
    """Return what `chance_to_take` says of a bid on average over all hands."""
    distance = bid - _USUAL_TRICKS
    variance = _VARIANCE_START + _VARIANCE_SLOPE * HAND_SIZE
    both = variance + _USUAL_VARIANCE
    return math.sqrt(variance / both) * math.exp(-0.5 * distance * distance / both)


@rule
def _worth_after(game: Any, card: int, trump: int, rest: int, unseen: int, cards: int) -> float:
    """Return the chance to make the bid once this card has answered the lead under this trump."""
    won = game.won + (1 if you_take(game.lead, card, trump) else 0)
    return chance_to_take(game.bid - won, cards, expected_tricks(rest, unseen, trump))


@rule
def _worth_of_twiddling(game: Any, card: int, rest: int, unseen: int, cards: int) -> float:
    """Return the same if trump is twiddled, on average over the Aces that may come."""
    if game.turned == NUM_SUITS:
        return _worth_after(game, card, NO_TRUMP, rest, unseen, cards)
    turned = 0
    for place in range(game.turned):
        turned |= 1 << int(game.aces[place])
    total = 0.0
    for suit in range(NUM_SUITS):
        if not (turned >> suit) & 1:
            total += _worth_after(game, card, suit, rest, unseen, cards)
    return float(total / (NUM_SUITS - game.turned))


@rule
def _worth_of_aces(game: Any) -> float:
    return _PASS_WORTH_OF_ACES if game.pass_aces else _WORTH_OF_ACES


@rule
def heuristic_card(game: Any) -> int:
    """Return the legal card after which the bid is likeliest to be made, with a twiddle where that is better."""
    cards = HAND_SIZE - game.won - game.lost - 1
    unseen = unseen_cards(game)
    legal = legal_actions(game) >> FIRST_CARD
    best, best_worth = NO_CARD, -1.0
    while legal:
        card = lowest_bit(legal)
        legal &= legal - 1
        rest = game.hand & ~(1 << card)
        worth = _worth_after(game, card, game.trump, rest, unseen, cards)
        if game.turned < NUM_SUITS:
            other = _worth_of_twiddling(game, card, rest, unseen, cards) - _worth_of_aces(game)
            worth = max(worth, other)
        if worth > best_worth:
            best, best_worth = card, worth
    return best


@rule
def heuristic_action(game: Any) -> int:
    """Return what the heuristic player does: it plays by what its rest of the hand is likely to take."""
    if game.phase == BID:
        return heuristic_bid(game)
    if game.phase == CARD:
        return FIRST_CARD + heuristic_card(game)
    cards = HAND_SIZE - game.won - game.lost - 1
    unseen = unseen_cards(game)
    keep = _worth_after(game, game.played, game.trump, game.hand, unseen, cards)
    other = _worth_of_twiddling(game, game.played, game.hand, unseen, cards)
    return TWIDDLE if other - _worth_of_aces(game) > keep else KEEP
