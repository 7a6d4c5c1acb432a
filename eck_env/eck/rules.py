"""The rules of ECK, each stated once, in the order in which a game meets them.

Plain functions over integers and over the record of one game (`state.GAME`, here always `game`), which numba compiles
into the engine. Rulings a to l settle what the rulebook leaves open; they are named where they apply:

a: any card may follow a circle, unless the variant says ``circle_follow="same"``.
b: nothing in ECK's whole deck matches your lead: its cards are shuffled and the top one is played, and loses.
c: a search that runs into the face-up cards shuffles these alone; what the search turned over stays out.
d: the deck is shuffled at the moment a face-up card has to be drawn, and not before.
e: a tied last trick goes to its leader, with all that was set aside.
f: ECK never takes or turns the card 13/0.
g, k: a count whose card is collected already, or not laid out, is a failed round.
h: a count of ECK's whose card you have is nothing to ECK.
i: ECK's card and the counter can end a game in the same round; both reasons hold.
j: you take 1: ECK takes 12, a count like any other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eck_env.batch import LOST as LOST
from eck_env.batch import NO_CARD as NO_CARD
from eck_env.batch import PLAYING as PLAYING
from eck_env.batch import WON as WON
from eck_env.batch import random_key, shuffle
from eck_env.compiled import popcount, rare_rule, rule
from eck_env.eck.cards import (
    BLACK,
    COLOR_BITS,
    HAND_SIZE,
    NUM_KINDS,
    NUM_SHAPES,
    PACK,
    PACK_SIZE,
    WHITE,
    bag_count,
    bag_kinds,
    bag_of,
    bag_shift,
)

YOU, ECK, TIED = 0, 1, 2
"""Who leads or takes a trick; a tied trick is set aside."""

COUNTERS = ("0", "1", "2", "X")
COUNTER_LOST = len(COUNTERS) - 1
THIRTEEN_OR_ZERO = 6
"""The index of the trick card 13/0; card n has index n / 2 - 1."""

# What the end of a round does, as flags; the first five are shown to the player for every count still possible.
WIN, COLLECT, FAIL, GRAY, LOSE, ECK_CARD, COUNTER_X = 1, 2, 4, 8, 16, 32, 64

# Why a game was lost (flags).
BY_ECK_CARD, BY_COUNTER, BY_ILLEGAL_ACTION = 1, 2, 4

_EVERY_SHAPE = sum(1 << (color * NUM_SHAPES) for color in range(BLACK // NUM_SHAPES))
_EVERY_KIND = (1 << NUM_KINDS) - 1
_EVERY_CIRCLE = (1 << BLACK) | (1 << WHITE)
_ALL_CARDS = bag_of(PACK.tolist())
_DEAL, _FIRST_RESHUFFLE = 0, 1  # the purposes of a round's random streams


# --- One trick -------------------------------------------------------------------------------------------------------


@rule
def legal_kinds(hand: int, lead: int, same_circle: bool) -> int:
    """Return the kinds you may play, as a set of bits.

    You lead any card. You follow a colored lead with its color if you hold one, else with anything; you follow a
    circle with anything (ruling a), or with a circle of its color if held and the variant asks for it.
    """
    following = 0
    if 0 <= lead < BLACK:
        following = hand & (COLOR_BITS << (lead // NUM_SHAPES * NUM_SHAPES))
    elif lead >= BLACK and same_circle and bag_count(hand, lead) > 0:
        following = 1 << lead
    return following if following else bag_kinds(hand)


@rule
def eck_answers(lead: int) -> int:
    """Return the kinds that ECK may follow your lead with: same color, same shape or a circle; anything on a circle."""
    if lead >= BLACK:
        return _EVERY_KIND
    color = COLOR_BITS << (lead // NUM_SHAPES * NUM_SHAPES)
    shape = _EVERY_SHAPE << (lead % NUM_SHAPES)
    return color | shape | _EVERY_CIRCLE


@rule
def leader_wins(lead: int, follow: int) -> int:
    """Compare the two cards of a trick: 1 if the leader's card takes it, -1 if the follower's, 0 if they tie."""
    if lead >= BLACK or follow >= BLACK:
        if lead == follow:
            return 0
        if lead >= BLACK and follow >= BLACK:
            return 1 if lead == WHITE else -1
        if lead >= BLACK:
            return 1 if lead == BLACK else -1
        return -1 if follow == BLACK else 1
    if lead // NUM_SHAPES == follow // NUM_SHAPES:
        return 1 if lead > follow else -1
    return 0 if lead % NUM_SHAPES == follow % NUM_SHAPES else 1


@rule
def trick_taker(leader: int, lead: int, follow: int) -> int:
    """Return who takes a trick: YOU, ECK or TIED."""
    result = leader_wins(lead, follow)
    if result == 0:
        return TIED
    return leader if result > 0 else 1 - leader


# --- The end of a round ----------------------------------------------------------------------------------------------


@rule
def your_card(tricks: int) -> int:
    """Return the index of the trick card for this many tricks of yours, or NO_CARD."""
    if tricks == 0 or tricks == HAND_SIZE:
        return THIRTEEN_OR_ZERO
    return tricks // 2 - 1 if tricks % 2 == 0 else NO_CARD


@rule
def eck_card(tricks: int) -> int:
    """Return the index of the trick card for this many tricks of ECK's, or NO_CARD; never 13/0 (ruling f)."""
    return tricks // 2 - 1 if tricks % 2 == 0 and tricks > 0 else NO_CARD


@rule
def round_effect(tricks: int, laid: int, gray: int, yours: int, counter: int, target: int) -> int:
    """Return what the end of a round does when you took this many tricks, as flags.

    Args:
        tricks: The tricks you took, 0 to 13; ECK took the others.
        laid: The trick cards laid out, as a set of bits; `gray` and `yours` likewise.
        gray: Those showing their gray side.
        yours: Those you have collected.
        counter: Failed rounds in a row before this one.
        target: The collected cards that win.
    """
    card = your_card(tricks)
    open_cards = laid & ~yours
    if card != NO_CARD and (open_cards >> card) & 1:
        return COLLECT | (WIN if popcount(yours) + 1 >= target else 0)
    effect = FAIL
    card = eck_card(HAND_SIZE - tricks)
    if card != NO_CARD and (open_cards >> card) & 1:
        effect |= (LOSE | ECK_CARD) if (gray >> card) & 1 else GRAY
    if counter + 1 == COUNTER_LOST:
        effect |= LOSE | COUNTER_X
    return effect


# --- The course of a round, on the record of a game ------------------------------------------------------------------


@rare_rule
def deal_round(game: Any) -> None:
    """Shuffle all 42 cards for a new round: 13 to you, 29 face down to ECK."""
    for place in range(PACK_SIZE):
        game.cards[place] = PACK[place]
    shuffle(game.cards, 0, PACK_SIZE, random_key(game.seed, game.game_number, game.round_number, _DEAL))
    start_round(game)


@rule
def start_round(game: Any) -> None:
    """Start a round with the 42 cards as they lie: your hand first, then ECK's deck, whose top card it leads."""
    game.hand = 0
    game.face_up = 0
    for place in range(HAND_SIZE):
        game.hand += 1 << bag_shift(game.cards[place])
    game.face_down = _ALL_CARDS - game.hand
    game.lead = game.cards[HAND_SIZE]
    game.face_down -= 1 << bag_shift(game.lead)
    game.top = HAND_SIZE + 1
    game.bottom = PACK_SIZE
    game.reshuffles = 0
    game.scripted = 0
    game.tied = 0
    game.won = 0
    game.lost = 0
    game.leader = ECK
    foresee(game)


@rule
def foresee(game: Any) -> None:
    """Note what the end of this round would do for every count of tricks."""
    for tricks in range(HAND_SIZE + 1):
        game.effects[tricks] = round_effect(tricks, game.laid, game.gray, game.yours, game.counter, game.target)


@rare_rule
def reshuffle(game: Any, scripts: np.ndarray | None = None) -> None:
    """Turn the face-up cards, all that is left of the deck, face down and shuffle them (rulings c and d)."""
    size = 0
    for kind in range(NUM_KINDS):
        for _ in range(bag_count(game.face_up, kind)):
            game.cards[size] = kind
            size += 1
    number = game.reshuffles
    shuffle(game.cards, 0, size, random_key(game.seed, game.game_number, game.round_number, _FIRST_RESHUFFLE + number))
    if scripts is not None and number < game.scripted:
        _follow_script(game, scripts[number], size)
    game.reshuffles += 1
    game.face_down = game.face_up
    game.face_up = 0
    game.top = 0
    game.bottom = size


@rule
def _follow_script(game: Any, script: np.ndarray, size: int) -> None:
    """Lay the cards in a prescribed order (given kinds, then NO_CARD); mark the game if they are not these cards."""
    bag = 0
    length = 0
    while length < script.shape[0] and script[length] != NO_CARD:
        bag += 1 << bag_shift(script[length])
        length += 1
    if length != size or bag != game.face_up:
        game.misfit = game.reshuffles + 1
        return
    for place in range(size):
        game.cards[place] = script[place]


@rule
def draw(game: Any, scripts: np.ndarray | None = None) -> int:
    """Take the top card of ECK's deck, after a shuffle if that card lies face up."""
    if game.top == game.bottom:
        reshuffle(game, scripts)
    kind: int = game.cards[game.top]
    game.top += 1
    game.face_down -= 1 << bag_shift(kind)
    return kind


@rule
def search(game: Any, lead: int, scripts: np.ndarray | None = None) -> int:
    """Turn over ECK's cards until one may follow your lead, and return that one.

    The others lie in the hold area meanwhile and go face up under the deck afterwards.
    """
    answers = eck_answers(lead)
    held = 0
    bag = 0
    while True:
        if game.face_down == 0 and game.face_up == 0:
            game.face_up = bag  # nothing matches: all cards are shuffled, and the top one loses (ruling b)
            bag = 0
            answers = _EVERY_KIND
        kind = draw(game, scripts)
        if (answers >> kind) & 1:
            break
        game.held[held] = kind
        held += 1
        bag += 1 << bag_shift(kind)
    game.num_held = held
    game.face_up += bag
    return kind


@rule
def play_card(game: Any, kind: int, scripts: np.ndarray | None = None) -> None:
    """Play a legal card of yours and finish the trick; at the end ECK leads the next one if it is its turn.

    Args:
        game: The record of the game.
        kind: The card to play.
        scripts: Prescribed orders of this round's reshuffles, shape (number, 29), int8, filled up with NO_CARD; None
            for none.
    """
    game.hand -= 1 << bag_shift(kind)
    game.num_held = 0
    leader = game.leader
    if leader == ECK:
        lead, follow = game.lead, kind
    else:
        lead = kind
        follow = search(game, lead, scripts)
    taker = trick_taker(leader, lead, follow)
    game.last_leader, game.last_lead, game.last_follow, game.last_taker = leader, lead, follow, taker
    game.lead = NO_CARD
    if taker == TIED and game.hand == 0:
        taker = leader  # ruling e
        game.last_taker = taker
    if taker == TIED:
        game.tied += 1
    else:
        tricks = 1 + game.tied
        game.tied = 0
        game.leader = taker
        if taker == YOU:
            game.won += tricks
        else:
            game.lost += tricks
    if game.hand != 0 and game.leader == ECK:
        game.lead = draw(game, scripts)


@rare_rule
def finish_round(game: Any) -> None:
    """Settle the trick cards and the counter after the 13th trick, and the game if that ends it."""
    effect = game.effects[game.won]
    game.last_collected, game.last_gray, game.last_taken = NO_CARD, NO_CARD, NO_CARD
    if effect & COLLECT:
        game.last_collected = your_card(game.won)
        game.yours |= 1 << game.last_collected
        game.gray &= ~game.yours
        game.counter = 0
    if effect & FAIL:
        game.counter += 1
    if effect & GRAY:
        game.last_gray = eck_card(game.lost)
        game.gray |= 1 << game.last_gray
    if effect & ECK_CARD:
        game.last_taken = eck_card(game.lost)
        game.gray &= ~(1 << game.last_taken)
        game.ecks |= 1 << game.last_taken
        game.reasons |= BY_ECK_CARD
    if effect & COUNTER_X:
        game.reasons |= BY_COUNTER
    if effect & WIN:
        game.outcome = WON
    elif effect & LOSE:
        game.outcome = LOST
