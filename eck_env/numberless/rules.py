"""The rules of the game without numbers, each stated once, in the order in which a game meets them.

Plain functions over integers and over the record of one game (`state.GAME`, here always `game`), which numba compiles
into the engine. Rulings a to g settle what the draft of the game leaves open; they are named where they apply:

a: the first start player is the variant's choice: a seat, or one drawn by the seed.
b: equal lowest counts share the win.
c: seats draft in order from 0, all before any hand is passed; left of a seat is the next one; the seventh pick is a
   decision with one legal card.
d: rewards are zero-sum around the mean: a sole winner of n gets 1 - 1/n, the others -1/n.
e: an illegal action ends the game.
f: every card played was seen by all, and a seat remembers the hands that it passed on.
g: a round takes at least two cards out of the hands, so a game has 7 to 3n + 1 rounds.
"""

from __future__ import annotations

from typing import Any

from eck_env.batch import DRAWN as DRAWN
from eck_env.batch import LOST as LOST
from eck_env.batch import NO_CARD as NO_CARD
from eck_env.batch import PLAYING as PLAYING
from eck_env.batch import WON as WON
from eck_env.batch import below, random_key, shuffle
from eck_env.compiled import lowest_bit, rare_rule, rule
from eck_env.numberless.cards import (
    ALL_CARDS,
    DIFFERENT,
    HAND_SIZE,
    NUM_CARDS,
    SAME_BACKGROUND,
    SAME_FOREGROUND,
)
from eck_env.numberless.variant import ANY_SEAT

# What is to be decided: which card of the hand that was passed is kept, or which card is played.
DRAFT, PLAY, OVER = 0, 1, 2

# The pattern that the first two cards of a round fix.
NO_PATTERN, BACKGROUND_PATTERN, FOREGROUND_PATTERN, DIFFERENT_PATTERN = 0, 1, 2, 3

# Why a seat takes the pot.
BUST, SECOND_PLAYER = 0, 1

# Why a game was lost, as flags.
BY_CARDS, BY_ILLEGAL_ACTION = 1, 2

_DEAL, _START = 0, 1  # the purposes of a game's random streams


# --- Cards that fit --------------------------------------------------------------------------------------------------


@rule
def pattern_of(first: int, second: int) -> int:
    """Return the pattern that the first two cards of a round fix; exactly one holds, as every card is unique."""
    if (SAME_BACKGROUND[first] >> second) & 1:
        return BACKGROUND_PATTERN
    if (SAME_FOREGROUND[first] >> second) & 1:
        return FOREGROUND_PATTERN
    return DIFFERENT_PATTERN


@rule
def fits_after(fits: int, pattern: int, first: int, card: int) -> int:
    """Return the cards that can be added to the pot after one more card, as a set.

    Args:
        fits: The cards that fitted before.
        pattern: The pattern, with this card.
        first: The first card of the pot, which this one may be.
        card: The card.
    """
    fits &= ~(1 << card)
    if pattern == NO_PATTERN:
        return fits
    if pattern == BACKGROUND_PATTERN:
        return int(fits & SAME_BACKGROUND[first])
    if pattern == FOREGROUND_PATTERN:
        return int(fits & SAME_FOREGROUND[first])
    return int(fits & DIFFERENT[first] & DIFFERENT[card])


@rule
def next_seat(game: Any, seat: int) -> int:
    """Return the seat to the left."""
    return 0 if seat + 1 == game.num_players else seat + 1


@rule
def legal_cards(game: Any) -> int:
    """Return the cards that the seat to move may take or play, as a set; a game that goes on has at least one."""
    hand = game.hands[game.turn]
    return int(hand if game.phase == DRAFT else hand & game.fits)


# --- The deal and the draft ------------------------------------------------------------------------------------------


@rare_rule
def start_game(game: Any) -> None:
    """Set all but the cards as it is before the deal; the first start player is known from now on (ruling a)."""
    for seat in range(HAND_SIZE):
        game.hands[seat], game.kept[seat], game.lacks[seat] = 0, 0, 0
        game.picks[seat], game.collected[seat], game.held[seat] = NO_CARD, 0, 0
    for card in range(NUM_CARDS):
        game.played_by[card] = 0
    game.seen[:, :] = 0
    game.drafted[:, :] = NO_CARD
    game.gone, game.round_number, game.decision, game.draft_round = 0, 0, 0, 0
    game.pot_size, game.pattern, game.fits, game.turn = 0, NO_PATTERN, ALL_CARDS, 0
    game.start = game.start_player
    if game.start == ANY_SEAT:
        game.start = below(random_key(game.seed, game.game_number, 0, _START), game.num_players)
    game.last_size, game.last_taker = 0, 0
    game.outcome, game.reasons, game.over = PLAYING, 0, 0


@rare_rule
def deal_cards(game: Any) -> None:
    """Shuffle the 49 cards and deal 7 to each seat; the rest is set aside."""
    for card in range(NUM_CARDS):
        game.deck[card] = card
    shuffle(game.deck, 0, NUM_CARDS, random_key(game.seed, game.game_number, 0, _DEAL))
    deal_deck(game)


@rule
def deal_deck(game: Any) -> None:
    """Deal the deck as it lies: the first 7 cards to seat 0, the next 7 to seat 1, and so on."""
    for place in range(game.num_players * HAND_SIZE):
        game.hands[place // HAND_SIZE] |= 1 << int(game.deck[place])
        game.held[place // HAND_SIZE] += 1
    if game.draft:
        game.phase = DRAFT
        game.turn = 0
        note_hands(game)
    else:
        begin_play(game)


@rule
def note_hands(game: Any) -> None:
    """Let every seat remember the hand that it holds in this round of the draft (ruling f)."""
    for seat in range(game.num_players):
        hand = game.hands[seat]
        while hand:
            game.seen[seat, lowest_bit(hand)] = game.draft_round + 1
            hand &= hand - 1


@rule
def pick_card(game: Any, card: int) -> None:
    """Choose the card to keep; when all have chosen, the hands are passed (ruling c)."""
    game.picks[game.turn] = card
    seat = game.turn
    for _ in range(game.num_players - 1):
        seat = next_seat(game, seat)
        if game.picks[seat] == NO_CARD:
            game.turn = seat
            return
    pass_hands(game)


@rare_rule
def pass_hands(game: Any) -> None:
    """Keep the cards that were chosen, and pass the other cards to the left; after the seventh pick play begins."""
    for seat in range(game.num_players):
        card = game.picks[seat]
        game.drafted[seat, game.draft_round] = card
        game.picks[seat] = NO_CARD
        game.kept[seat] |= 1 << int(card)
        game.hands[seat] &= ~(1 << int(card))
        game.held[seat] -= 1
    passed = game.hands[game.num_players - 1]
    for seat in range(game.num_players):
        held = game.hands[seat]
        game.hands[seat] = passed
        passed = held
    game.draft_round += 1
    if game.draft_round < HAND_SIZE:
        game.turn = 0
        note_hands(game)
        return
    for seat in range(game.num_players):
        game.hands[seat], game.kept[seat], game.held[seat] = game.kept[seat], 0, HAND_SIZE
    begin_play(game)


# --- Rounds ----------------------------------------------------------------------------------------------------------


@rule
def begin_play(game: Any) -> None:
    """Start the first round."""
    game.phase = PLAY
    start_round(game, game.start)


@rule
def start_round(game: Any, seat: int) -> None:
    """Let a seat play first, any card."""
    game.start, game.turn = seat, seat
    game.pot_size, game.pattern, game.fits = 0, NO_PATTERN, ALL_CARDS


@rule
def play_card(game: Any, card: int) -> None:
    """Play a card to the pot, and give the pot away if the round is over."""
    seat, place = int(game.turn), int(game.pot_size)
    game.hands[seat] &= ~(1 << card)
    game.held[seat] -= 1
    game.played_by[card] = seat + 1
    game.pot[place] = card
    game.pot_size = place + 1
    if place == 1:
        game.pattern = pattern_of(int(game.pot[0]), card)
    game.fits = fits_after(game.fits, game.pattern, int(game.pot[0]), card)
    if game.pot_size == game.num_players:
        take_pot(game, next_seat(game, game.start), SECOND_PLAYER)
        return
    game.turn = next_seat(game, seat)
    if game.hands[game.turn] & game.fits == 0:
        game.lacks[game.turn] |= game.fits
        take_pot(game, game.turn, BUST)


@rare_rule
def take_pot(game: Any, taker: int, reason: int) -> None:
    """Give a seat the cards of the pot, face down; it starts the next round, unless a hand is empty."""
    game.collected[taker] += game.pot_size
    for place in range(game.pot_size):
        game.last_pot[place] = game.pot[place]
        game.gone |= 1 << int(game.pot[place])
    game.last_size, game.last_start, game.last_pattern = game.pot_size, game.start, game.pattern
    game.last_taker, game.last_reason = taker, reason
    game.round_number += 1
    ended = False
    for seat in range(game.num_players):
        ended |= game.held[seat] == 0
    start_round(game, taker)
    if ended:
        game.phase = OVER
        game.over = 1


# --- The end of a game -----------------------------------------------------------------------------------------------


@rule
def count_of(game: Any, seat: int) -> int:
    """Return the cards that count against a seat: those collected and those in hand."""
    return int(game.collected[seat]) + int(game.held[seat])


@rule
def reward_of(game: Any, seat: int) -> float:
    """Return the reward of a seat in a game that has been played to its end (rulings b and d)."""
    own, winners, lowest = count_of(game, seat), 0, NUM_CARDS + 1
    for other in range(game.num_players):
        count = count_of(game, other)
        if count < lowest:
            lowest, winners = count, 0
        winners += count == lowest
    share = 1.0 / int(game.num_players)
    return 1.0 / winners - share if own == lowest else -share


@rule
def margin_of(game: Any, seat: int) -> float:
    """Return how many cards fewer than the mean of all seats count against a seat."""
    total = 0
    for other in range(game.num_players):
        total += count_of(game, other)
    return total / int(game.num_players) - count_of(game, seat)


@rare_rule
def settle(game: Any, seat: int) -> None:
    """Note how a game that has been played to its end has ended for a seat."""
    reward = reward_of(game, seat)
    if reward < 0.0:
        game.outcome, game.reasons = LOST, BY_CARDS
    else:
        sole = reward > 0.75 - 1.0 / game.num_players
        game.outcome = WON if sole else DRAWN
