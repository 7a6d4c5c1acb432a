"""What a seat cannot know, drawn anew: who holds which card, consistent with all that the seat has seen.

A *slot* is a card that a seat takes in the draft, or is dealt: 7 for each seat. What the seat that observes knows puts
every slot into a group: the slots of a hand between two of its looks at it, group 1 + the round of the earlier look,
hold just the cards that were there at the earlier look and not at the later; all slots that it never had a look at,
group 0, hold cards that it has never seen. A card that was played lies in a slot of the seat that played it, and the
cards that a seat still holds are none of those that it cannot hold, since it once could not fit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eck_env.base.records import check_generator, redraw_seed
from eck_env.batch import advance, below
from eck_env.compiled import entry_point, lowest_bit, popcount, rule
from eck_env.numberless.cards import HAND_SIZE, NUM_CARDS
from eck_env.numberless.rules import DRAFT, NO_CARD
from eck_env.numberless.variant import MAX_PLAYERS

NOBODY = -1
NUM_SLOTS = MAX_PLAYERS * HAND_SIZE


class Table(NamedTuple):
    """Room to work in.

    Attributes:
        slots: The cards by seat and round of the draft, or place in the deal, shape (7, 7), int8.
        seats: The seat of each slot of a group, shape (49,), int8.
        rounds: So for its round.
        allowed: The cards that may lie in each slot of a group, as sets, shape (49,), int64.
        given: The card of each slot of a group, shape (49,), int8.
        came_from: For the search of exchanges: the slot that each slot was reached from, shape (49,), int8.
        queue: For the same, the slots to go on from, shape (49,), int8.
    """

    slots: NDArray[np.int8]
    seats: NDArray[np.int8]
    rounds: NDArray[np.int8]
    allowed: NDArray[np.int64]
    given: NDArray[np.int8]
    came_from: NDArray[np.int8]
    queue: NDArray[np.int8]


def make_table() -> Table:
    """Return a table to work with."""
    places = [np.zeros(NUM_SLOTS, np.int8) for _ in range(5)]
    return Table(
        np.zeros((MAX_PLAYERS, HAND_SIZE), np.int8), places[0], places[1], np.zeros(NUM_SLOTS, np.int64), *places[2:]
    )


@rule
def _group_of(game: Any, viewer: int, seat: int, round_: int) -> int:
    """Return the group of a slot."""
    if not game.draft:
        return 0
    count = int(game.num_players)
    first = (viewer - seat + round_) % count  # the round in which the viewer first holds this hand
    last = min(round_, game.draft_round if game.draft_round < HAND_SIZE else HAND_SIZE - 1)
    if first > last:
        return 0
    return 1 + int(last) - (int(last) - first) % count


@rule
def _random_card(cards: int, key: np.uint64) -> int:
    for _ in range(below(key, popcount(cards))):
        cards &= cards - 1
    return lowest_bit(cards)


@rule
def _exchange(table: Table, slot: int, filled: int, free: int) -> int:
    """Make room for a slot whose cards have all been given away, by a chain of exchanges.

    Returns:
        The card that was taken from the free ones, or NO_CARD if there is no such chain.
    """
    reached, first, last = 0, 0, 1
    table.queue[0] = slot
    table.came_from[slot] = slot
    while first < last:
        at = int(table.queue[first])
        first += 1
        for other in range(filled):
            if (reached >> other) & 1 or not (table.allowed[at] >> int(table.given[other])) & 1:
                continue
            reached |= 1 << other
            table.came_from[other] = at
            table.queue[last] = other
            last += 1
            if table.allowed[other] & free:
                card = lowest_bit(table.allowed[other] & free)
                moved = card
                while other != slot:
                    old = int(table.given[other])
                    table.given[other] = moved
                    moved = old
                    other = int(table.came_from[other])
                table.given[slot] = moved
                return card
    return NO_CARD


@rule
def _fill_group(table: Table, count: int, cards: int, key: np.uint64) -> np.uint64:
    """Give each of the slots a card that may lie there; those with the fewest choices come first."""
    for slot in range(count):
        fewest, best = NUM_CARDS + 1, slot
        for other in range(slot, count):
            choices = popcount(table.allowed[other])
            if choices < fewest:
                fewest, best = choices, other
        table.seats[slot], table.seats[best] = table.seats[best], table.seats[slot]
        table.rounds[slot], table.rounds[best] = table.rounds[best], table.rounds[slot]
        table.allowed[slot], table.allowed[best] = table.allowed[best], table.allowed[slot]
        key = advance(key)
        possible = int(table.allowed[slot] & cards)
        card = _random_card(possible, key) if possible else _exchange(table, slot, slot, cards)
        if not possible and card != NO_CARD:
            cards &= ~(1 << card)
            continue
        if card == NO_CARD:  # the observation contradicts itself
            card = _random_card(cards, key)
        table.given[slot] = card
        cards &= ~(1 << card)
    for slot in range(count):
        table.slots[table.seats[slot], table.rounds[slot]] = table.given[slot]
    return key


@rule
def deal_hidden(game: Any, viewer: int, key: np.uint64, table: Table) -> np.uint64:
    """Draw anew what the other seats hold, have kept and have chosen, by the random stream that starts at `key`.

    The viewer is the seat to move: of another seat to move it would be known that it has a card that fits.
    What the other seats have seen in the draft is not drawn: see `note_views`.

    Returns:
        The state of the random stream.
    """
    count = int(game.num_players)
    table.slots[:, :] = NO_CARD
    own = int(game.hands[viewer])
    if game.draft:
        for round_ in range(game.draft_round):
            table.slots[viewer, round_] = game.drafted[viewer, round_]
            own |= 1 << int(game.drafted[viewer, round_])
    played = 0
    for card in range(NUM_CARDS):
        if game.played_by[card] == viewer + 1:
            own |= 1 << card
        elif game.played_by[card] > 0:
            played |= 1 << card
    drafting = game.phase == DRAFT
    if drafting:
        own &= ~int(game.hands[viewer])
    for group in range(HAND_SIZE + 1 if game.draft else 1):
        cards = 0
        for card in range(NUM_CARDS):
            if game.seen[viewer, card] == group:
                cards |= 1 << card
        cards &= ~own
        # Cards that were played come first: each fills a slot of the seat that played it.
        for seat in range(count):
            laid = 0
            for card in range(NUM_CARDS):
                if (cards & played) >> card & 1 and game.played_by[card] == seat + 1:
                    laid |= 1 << card
            for round_ in range(HAND_SIZE):
                if laid and table.slots[seat, round_] == NO_CARD and _is_open(game, viewer, seat, round_, group):
                    table.slots[seat, round_] = lowest_bit(laid)
                    laid &= laid - 1
        cards &= ~played
        slots = 0
        for seat in range(count):
            for round_ in range(HAND_SIZE):
                if table.slots[seat, round_] == NO_CARD and _is_open(game, viewer, seat, round_, group):
                    table.seats[slots], table.rounds[slots] = seat, round_
                    table.allowed[slots] = cards & ~int(game.lacks[seat])
                    slots += 1
        key = _fill_group(table, slots, cards, key)
    _lay_cards(game, viewer, table)
    return key


@rule
def _is_open(game: Any, viewer: int, seat: int, round_: int, group: int) -> bool:
    """Whether a slot is one of a group whose card the viewer cannot know."""
    if seat == viewer and (not game.draft or round_ < game.draft_round):
        return False
    return _group_of(game, viewer, seat, round_) == group


@rule
def _lay_cards(game: Any, viewer: int, table: Table) -> None:
    """Write the slots into the record."""
    count = int(game.num_players)
    drafting = game.phase == DRAFT
    for seat in range(count):
        if drafting:
            game.picks[seat] = NO_CARD
        if seat != viewer:
            if drafting or not game.draft:
                game.kept[seat] = 0
            game.hands[seat] = 0
    if drafting:
        for seat in range(count):
            for round_ in range(HAND_SIZE):
                card = int(table.slots[seat, round_])
                if round_ < game.draft_round:
                    game.drafted[seat, round_] = card
                    game.kept[seat] |= 1 << card
                    continue
                holder = (seat - round_ + game.draft_round) % count
                game.hands[holder] |= 1 << card
        game.turn = viewer
        return
    for seat in range(count):
        for round_ in range(HAND_SIZE):
            card = int(table.slots[seat, round_])
            if seat != viewer and game.played_by[card] == 0:
                game.hands[seat] |= 1 << card
            if game.draft:
                game.drafted[seat, round_] = card


@rule
def note_views(game: Any, viewer: int) -> None:
    """Let the other seats have seen in the draft what the record says of it."""
    count = int(game.num_players)
    if not game.draft:
        return
    for seat in range(count):
        if seat == viewer:
            continue
        for card in range(NUM_CARDS):
            game.seen[seat, card] = 0
        for round_ in range(min(int(game.draft_round), HAND_SIZE - 1) + 1):
            for later in range(round_, HAND_SIZE):
                if later < game.draft_round:
                    card = int(game.drafted[(seat - round_ + later) % count, later])
                    game.seen[seat, card] = round_ + 1
            if game.draft_round < HAND_SIZE:
                held = int(game.hands[(seat - round_ + game.draft_round) % count])
                while held:
                    game.seen[seat, lowest_bit(held)] = round_ + 1
                    held &= held - 1


@entry_point
def deal_hidden_of(games: NDArray[np.void], viewer: int, key: np.uint64, table: Table) -> None:
    """Draw anew, in the first game, what a seat cannot know, the views of the others included."""
    deal_hidden(games[0], viewer, key, table)
    note_views(games[0], viewer)


@entry_point
def remember_draft(games: NDArray[np.void]) -> None:
    """Let all seats of the first game have seen in the draft what the record says of it."""
    note_views(games[0], NOBODY)


def shuffle_hidden(game: Any, rng: np.random.Generator) -> None:
    """Re-draw all that the seat which is shown cannot know, and all later randomness; see `deal_hidden`."""
    check_generator(rng)
    games = np.zeros(1, game.dtype)
    games[0] = game
    deal_hidden_of(games, int(game.shown), np.uint64(rng.integers(2**63)), make_table())
    redraw_seed(games.view(np.recarray)[0], rng)
    for name in game.dtype.names:
        game[name] = games[0][name]
