"""The last tricks of a round by expectimax: the best of your cards, the mean over what ECK may turn up.

Which card ECK leads next is tried card by card. What it turns over when it follows is sampled, over worlds that the
cards compared share. The last trick is settled by its chances.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.halving import best_card
from agents.worlds import draw_world
from eck_env.batch import advance, mix, shuffle
from eck_env.compiled import entry_point, lowest_bit, rule
from eck_env.eck.cards import HAND_SIZE, bag_kinds
from eck_env.eck.players import trick_chances
from eck_env.eck.rules import NO_CARD, YOU, eck_answers, legal_kinds, play_card

MAX_CARDS = 4
"""With so many cards in hand or fewer, a decision is left to expectimax; its cost grows steeply with each card."""
EXACT_CARDS = 3
"""With so many cards in hand or fewer, playouts end in expectimax too, of which a decision needs many."""
NUM_RECORDS = MAX_CARDS + 1
"""The position, and one for each card that is left."""

_WORLDS = 12  # at each of your leads within the search

Worth = Callable[[NDArray[np.void], int, NDArray[np.float64], np.uint64, NDArray[np.float64]], float]


@rule
def cards_left(game: Any) -> int:
    """Return how many cards you hold."""
    return HAND_SIZE - int(game.won + game.lost + game.tied)


@rule
def worth_of_1(
    games: NDArray[np.void], level: int, worths: NDArray[np.float64], key: np.uint64, sums: NDArray[np.float64]
) -> float:
    """Return what a position with one card left is worth, by the chances of the last trick; see `_with_one_more`."""
    game = games[level]
    kind = lowest_bit(bag_kinds(game.hand))
    deck = game.face_down
    if not bag_kinds(deck) & eck_answers(kind):
        deck = game.face_up
    take, tie, _ = trick_chances(kind, game.lead, deck)
    if game.lead == NO_CARD:
        take += tie  # a tied last trick goes to its leader
    worth: float = take * worths[game.won + game.tied + 1] + (1.0 - take) * worths[game.won]
    return worth


def _with_one_more(rest_worth: Worth) -> Worth:
    """Return the function for positions with one card more, out of one for the rest; compiled code has no recursion.

    It returns what the position in the record `level` is worth if the rest of the round is played as well as can be.
    The records and the rows of `sums` from there on are overwritten; `worths`, shape (14,), says what each count of
    tricks is worth; `key` is the state of a random stream.
    """

    @rule
    def worth(
        games: NDArray[np.void], level: int, worths: NDArray[np.float64], key: np.uint64, sums: NDArray[np.float64]
    ) -> float:
        game, child, row = games[level], games[level + 1], sums[level]
        legal = legal_kinds(game.hand, game.lead, game.same_circle != 0)
        listed = game.lead != NO_CARD and game.top < game.bottom  # what may come is known card by card
        row[:] = 0.0
        rest = legal
        while listed and rest:
            kind = lowest_bit(rest)
            rest &= rest - 1
            count = 0
            for place in range(game.top, game.bottom):
                games[level + 1] = games[level]
                child.cards[child.top], child.cards[place] = child.cards[place], child.cards[child.top]
                play_card(child, kind)
                row[kind] += rest_worth(games, level + 1, worths, key, sums)
                count += 1
                if child.leader == YOU:
                    break  # ECK has turned up no card
            row[kind] /= count
        for _ in range(0 if listed else _WORLDS):
            key = advance(key)
            rest = legal
            while rest:
                kind = lowest_bit(rest)
                rest &= rest - 1
                games[level + 1] = games[level]
                draw_world(child, key)
                play_card(child, kind)
                row[kind] += rest_worth(games, level + 1, worths, mix(~key), sums) / _WORLDS
        best: float = row[best_card(legal, row)]
        return best

    return worth


worth_of_2 = _with_one_more(worth_of_1)
worth_of_3 = _with_one_more(worth_of_2)


@rule
def judge_last_cards(
    games: NDArray[np.void],
    cards: int,
    first: int,
    worlds: int,
    worths: NDArray[np.float64],
    key: np.uint64,
    sums: NDArray[np.float64],
) -> np.uint64:
    """Add to the first row of `sums` what the position in the first record is worth after each card, over worlds.

    Args:
        games: The position, with 2 to `MAX_CARDS` cards left, and further records, `NUM_RECORDS` in all, which are
            overwritten.
        cards: The kinds to judge, a set of bits.
        first: The number of the first world: if ECK leads, the card it leads next is another one in each world.
        worlds: How many worlds.
        worths: What each count of tricks is worth at the end of the round, shape (14,).
        key: The state of the random stream.
        sums: A row of 38 numbers for each record; the first is added to, the others are overwritten.

    Returns:
        The state of the random stream afterwards.
    """
    game, child = games[0], games[1]
    left = cards_left(game)
    for world in range(first, first + worlds):
        key = advance(key)
        rest = cards
        while rest:
            kind = lowest_bit(rest)
            rest &= rest - 1
            games[1] = games[0]
            draw_world(child, key)
            if game.lead != NO_CARD and game.top < game.bottom:
                child.cards[:] = game.cards
                place = game.top + world % (game.bottom - game.top)
                child.cards[game.top], child.cards[place] = child.cards[place], child.cards[game.top]
                shuffle(child.cards, game.top + 1, game.bottom, mix(key))
            play_card(child, kind)
            if left == 2:
                sums[0, kind] += worth_of_1(games, 1, worths, key, sums)
            elif left == 3:
                sums[0, kind] += worth_of_2(games, 1, worths, mix(~key), sums)
            else:
                sums[0, kind] += worth_of_3(games, 1, worths, mix(~key), sums)
    return key


@entry_point
def judge_endgame(
    games: NDArray[np.void], cards: int, first: int, worlds: int, worths: NDArray[np.float64], key: np.uint64,
    sums: NDArray[np.float64],
) -> np.uint64:  # fmt: skip
    """As `judge_last_cards`, for Python to call."""
    return judge_last_cards(games, cards, first, worlds, worths, key, sums)


@entry_point
def finish_exactly(
    playouts: NDArray[np.void], worths: NDArray[np.float64], games: NDArray[np.void], sums: NDArray[np.float64],
    judged: NDArray[np.float64],
) -> None:  # fmt: skip
    """Note what each playout is worth that has at most `EXACT_CARDS` left, shape (n,); the others keep their numbers.

    `games` and `sums` are overwritten; see `judge_last_cards`.
    """
    for index in range(playouts.shape[0]):
        left = cards_left(playouts[index])
        games[0] = playouts[index]
        if left == 0:
            judged[index] = worths[playouts[index].won]
        elif left == 1:
            judged[index] = worth_of_1(games, 0, worths, np.uint64(0), sums)
        elif left == 2:
            judged[index] = worth_of_2(games, 0, worths, mix(np.uint64(playouts[index].seed)), sums)
        elif left == 3:
            judged[index] = worth_of_3(games, 0, worths, mix(np.uint64(playouts[index].seed)), sums)
