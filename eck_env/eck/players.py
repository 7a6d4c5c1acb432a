"""Compiled players of ECK: random, and a heuristic one that plays by the advice of a good human player.

They decide from what a player knows: bags of cards (`cards.py`), the tricks so far, and what each count of tricks
would do at the end of the round. Playouts call them on the record of a game, agents on decoded observations.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.batch import below
from eck_env.compiled import lowest_bit, popcount, rule
from eck_env.eck.cards import BLACK, HAND_SIZE, NUM_KINDS, NUM_SHAPES, WHITE, bag_count, bag_shift
from eck_env.eck.rules import COLLECT, GRAY, LOSE, NO_CARD, WIN, eck_answers, leader_wins

RANDOM, HEURISTIC = 0, 1
"""The players that compiled code can be told to use."""

PLAYERS = {"random": RANDOM, "heuristic": HEURISTIC}

# What the heuristic player thinks of the end of a round, with a win as 1.
_WORTH_COLLECT = 0.5
_WORTH_FAIL = -0.1
_WORTH_GRAY = -0.1
_WORTH_LOSE = -0.8
# How many tricks it expects of a card it still holds, and how far it can steer away from what it expects.
_TRICKS_BLACK, _TRICKS_WHITE = 0.85, 0.12
_TRICKS_SHAPE = (0.12, 0.2, 0.3, 0.42, 0.55, 0.75)
_SPREAD = 0.62
_CIRCLE_KEPT = 0.02


@rule
def random_card(legal: int, key: np.uint64) -> int:
    """Return one of the legal kinds, all equally likely; the random number is that of the stream's state `key`."""
    for _ in range(below(key, popcount(legal))):
        legal &= legal - 1
    return lowest_bit(legal)


@rule
def count_worth(effect: int) -> float:
    """Return what an end of a round is worth to the heuristic player, from its flags (`rules.round_effect`)."""
    if effect & WIN:
        return 1.0
    if effect & LOSE:
        return _WORTH_LOSE
    if effect & COLLECT:
        return _WORTH_COLLECT
    return _WORTH_FAIL + (_WORTH_GRAY if effect & GRAY else 0.0)


@rule
def expected_tricks(hand: int) -> float:
    """Return how many tricks the cards of a hand take on average, by a rule of thumb a card."""
    tricks = _TRICKS_BLACK * bag_count(hand, BLACK) + _TRICKS_WHITE * bag_count(hand, WHITE)
    colored = hand & ((1 << BLACK) - 1)
    while colored:
        tricks += _TRICKS_SHAPE[lowest_bit(colored) % NUM_SHAPES]
        colored &= colored - 1
    return tricks


@rule
def position_worth(effects: NDArray[np.int8], won: int, to_come: int, expected: float, cards_left: int) -> float:
    """Return what a position is worth: the best count that can still be steered to, less the dangers around it.

    Args:
        effects: What each count of tricks does, flags, shape (14,).
        won: Tricks taken.
        to_come: Tricks still to be taken by either side, those set aside included.
        expected: Tricks to come that are expected to be won.
        cards_left: Cards in the hand after this trick: the fewer, the less can be steered.
    """
    if cards_left == 0:
        return count_worth(effects[won])
    spread = _SPREAD * math.sqrt(cards_left)
    best, danger, total = 0.0, 0.0, 0.0
    for more in range(to_come + 1):
        distance = (more - expected) / spread
        likely = math.exp(-0.5 * distance * distance)
        worth = count_worth(effects[won + more])
        total += likely
        if worth > 0.0:
            best = max(best, worth * likely)
        else:
            danger += worth * likely
    return best + danger / total


@rule
def heuristic_card(
    hand: int, face_down: int, face_up: int, lead: int, won: int, lost: int, tied: int, effects: Any, legal: int
) -> int:
    """Return the legal card after which the round looks best.

    It weighs for every card how likely the trick is won, lost or tied (known for sure when following; when leading,
    by the cards that ECK may answer with), and what the position is worth in each case.

    Args:
        hand: The cards held, a bag.
        face_down: ECK's face-down cards, a bag.
        face_up: The cards face up under ECK's deck, a bag.
        lead: The card ECK led, or NO_CARD.
        won: Tricks taken.
        lost: Tricks ECK has taken.
        tied: Tricks set aside.
        effects: What each count of tricks does, flags, shape (14,).
        legal: The legal kinds, a set of bits.
    """
    best_kind, best_worth = NO_CARD, -1e9
    while legal:
        kind = lowest_bit(legal)
        legal &= legal - 1
        rest = hand - (1 << bag_shift(kind))
        take, tie, give = trick_chances(kind, lead, face_down if face_down else face_up)
        worth = _CIRCLE_KEPT * (bag_count(rest, BLACK) + bag_count(rest, WHITE))
        cards_left = HAND_SIZE - won - lost - tied - 1
        expected = expected_tricks(rest)
        stake = 1 + tied
        if cards_left == 0:  # a tied last trick goes to its leader
            if lead == NO_CARD:
                take, tie = take + tie, 0.0
            else:
                give, tie = give + tie, 0.0
        if take > 0.0:
            worth += take * position_worth(effects, won + stake, cards_left, expected, cards_left)
        if give > 0.0:
            worth += give * position_worth(effects, won, cards_left, expected, cards_left)
        if tie > 0.0:
            share = expected + stake * expected / max(cards_left, 1)
            worth += tie * position_worth(effects, won, cards_left + stake, share, cards_left)
        if worth > best_worth:
            best_kind, best_worth = kind, worth
    return best_kind


@rule
def trick_chances(kind: int, lead: int, deck: int) -> tuple[float, float, float]:
    """Return the chances that playing this card takes, ties and gives away the trick.

    Args:
        kind: The card to play.
        lead: The card ECK led, or NO_CARD if you lead.
        deck: The cards that ECK may answer a lead of yours with, a bag; their order is unknown.
    """
    if lead != NO_CARD:
        result = leader_wins(lead, kind)
        return (1.0 if result < 0 else 0.0), (1.0 if result == 0 else 0.0), (1.0 if result > 0 else 0.0)
    answers = eck_answers(kind)
    won, tied, total = 0, 0, 0
    for other in range(NUM_KINDS):
        if (answers >> other) & 1:
            count = bag_count(deck, other)
            result = leader_wins(kind, other)
            won += count if result > 0 else 0
            tied += count if result == 0 else 0
            total += count
    if total == 0:
        return 1.0, 0.0, 0.0
    return won / total, tied / total, (total - won - tied) / total
