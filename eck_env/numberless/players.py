"""Compiled players of the game without numbers: random, and a heuristic one.

They decide from the record of a game, by what the seat to move knows: its hand, the pot, the cards gone, hand sizes,
and what others cannot hold. Playouts call them on the games they play, agents on records restored from observations.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eck_env.batch import below, random_key
from eck_env.compiled import lowest_bit, popcount, rare_rule, rule
from eck_env.numberless.cards import (
    ALL_CARDS,
    SAME_BACKGROUND,
    SAME_FOREGROUND,
)
from eck_env.numberless.rules import (
    DIFFERENT_PATTERN,
    DRAFT,
    fits_after,
    legal_cards,
    next_seat,
    pattern_of,
)
from eck_env.numberless.variant import HEURISTIC

_PLAYER_PURPOSE = 2**32  # the random streams of compiled players

_SPARE, _MOST_SPARE = 0.25, 2
"""What a card counts for that is not the only one of its kind in a hand, compared with the only one; how many do."""
_RISK = 10.0
"""What a card in the pot that one may have to take weighs, in cards that a hand may fit."""
_SHRINK = 0.6
"""The share of the cards that still fit after one more seat, where all must be different."""


@rule
def random_card(legal: int, key: np.uint64) -> int:
    """Return one of the legal cards, all equally likely; the random number is that of the stream's state `key`."""
    for _ in range(below(key, popcount(legal))):
        legal &= legal - 1
    return lowest_bit(legal)


@rule
def worth_of_kind(held: int, out: int) -> float:
    """Return what the cards of a kind in a hand are worth: they fit its pattern, the likelier the more are out.

    Args:
        held: How many cards of the kind the hand has.
        out: How many the others may play.
    """
    if held == 0:
        return 0.0
    return out * (1.0 + _SPARE * min(held - 1, _MOST_SPARE))


@rule
def worth_of_card(rest: int, card: int, out: int) -> float:
    """Return what a card adds to how well the rest of a hand can fit the patterns to come.

    Args:
        rest: The other cards of the hand, as a set.
        card: The card.
        out: The cards that the others may play, as a set.
    """
    worth = 0.0
    for same in (SAME_BACKGROUND[card], SAME_FOREGROUND[card]):
        held, others = popcount(rest & same), popcount(out & same)
        worth += worth_of_kind(held + 1, others) - worth_of_kind(held, others)
    return worth


@rule
def chance_all_fit(game: Any, fits: int, pattern: int, out: int) -> float:
    """Return how likely it is that all seats after the next can fit, by the cards that they may hold.

    Args:
        game: The record; the seat to move has just played.
        fits: The cards that fit now, as a set.
        pattern: The pattern.
        out: The cards that the others may hold, as a set.
    """
    total = popcount(out)
    chance, shrink = 1.0, 1.0
    seat = next_seat(game, game.turn)
    while seat != game.start:
        possible = popcount(out & fits & ~int(game.lacks[seat])) * shrink
        none = 1.0
        for _ in range(game.held[seat]):
            none *= max(0.0, 1.0 - possible / max(total, 1))
        chance *= 1.0 - none
        shrink *= _SHRINK if pattern == DIFFERENT_PATTERN else 1.0 - 1.0 / max(popcount(out & fits), 1)
        seat = next_seat(game, seat)
    return chance


@rare_rule
def heuristic_card(game: Any) -> int:
    """Return the card that leaves the most flexible hand; second, it avoids patterns that all are likely to fit."""
    seat = int(game.turn)
    legal = legal_cards(game)
    drafting = game.phase == DRAFT
    rest = int(game.kept[seat] if drafting else game.hands[seat])
    out = ALL_CARDS & ~(rest | int(game.gone))
    for place in range(game.pot_size):
        out &= ~(1 << int(game.pot[place]))
    best, best_worth = -1, -1e9
    while legal:
        card = lowest_bit(legal)
        legal &= legal - 1
        worth = worth_of_card(rest & ~(1 << card), card, out & ~(1 << card))
        if not drafting:
            worth = -worth
        if game.pot_size == 1:
            first = int(game.pot[0])
            pattern = pattern_of(first, card)
            fits = fits_after(int(game.fits), pattern, first, card)
            worth -= _RISK * game.num_players * chance_all_fit(game, fits, pattern, out)
        if worth > best_worth:
            best, best_worth = card, worth
    return best


@rule
def choose_card(game: Any, player: int, key: np.uint64) -> int:
    """Return the card that a compiled player chooses for the seat to move."""
    if player == HEURISTIC:
        return heuristic_card(game)
    return random_card(legal_cards(game), key)


@rule
def player_key(game: Any) -> np.uint64:
    """Return the random stream of a decision of a compiled player; it depends on no other decision."""
    return random_key(game.seed, game.game_number, game.decision, _PLAYER_PURPOSE)
