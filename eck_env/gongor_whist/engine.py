"""The engine of Gongor Whist: what a step does beside the rules themselves, and the compiled engine made of both."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eck_env.base.engine import SHORT_EVENT_SIZE, compile_engine
from eck_env.base.starts import draw_start
from eck_env.compiled import rare_rule, rule, spread_bits
from eck_env.gongor_whist.observation import SIZE, encode, note
from eck_env.gongor_whist.rules import (
    BID,
    BY_ILLEGAL_ACTION,
    CARD,
    FIRST_CARD,
    LOST,
    NO_CARD,
    NUM_ACTIONS,
    OVER,
    PLAYING,
    TWIDDLE,
    WINNING_POINTS,
    WON,
    deal_hand,
    deal_within,
    decide_trick,
    finish_hand,
    legal_actions,
    make_bid,
    play_card,
    start_game,
    twiddle,
)
from eck_env.gongor_whist.standing import round_value
from eck_env.gongor_whist.variant import FIRST_EDITION, HANDS, TWO_COLUMNS

# The columns of an event, after those of every game: what one step did, for the infos.
(LEAD, FOLLOW, TRUMP_BEFORE, TRUMP, TAKEN_BY, HAND_OVER, HAND_NUMBER, HAND_TRUMP, BID_MADE, TAKEN, YOUR_POINTS,
 DUMMYS_POINTS) = range(SHORT_EVENT_SIZE, SHORT_EVENT_SIZE + 12)  # fmt: skip
EVENT_SIZE = DUMMYS_POINTS + 1
NO_TRICK = NO_CARD

COLUMNS_UNIT = 35
"""The most points that two columns can give: each bid from 1 to 7, and 7 for a bid of 0."""


BY_OUTCOME, BY_SCORE, BY_VALUE = 0, 1, 2
"""The rewards: +1 and -1 at the end, the change of the points, or that of what the game is worth by a table."""

START = np.dtype(
    [
        ("hand_number", np.int64),
        ("bids", np.int64),
        ("you", np.int16),
        ("dummy", np.int16),
        ("turned", np.int8),
        ("cumulative", np.float64),
    ],
    align=True,
)
"""A state that episodes of one hand may start from, with the summed-up probability of it and those before it."""


class Setup(NamedTuple):
    """What the games of a batch are played with.

    Attributes:
        round_episodes: The episode is one hand instead of the whole game.
        rewards: `BY_OUTCOME`, `BY_SCORE` or `BY_VALUE`.
        values: The table of round values, shape `standing.values_shape`, float64; shape (0, 0, 0) where it is not
            needed.
        starts: The states episodes start from, dtype `START`; empty for the start of the game.
        scripts: Prescribed orders of the cards and the Aces of each game, shape (n, number, 36), int8.
    """

    round_episodes: bool
    rewards: int
    values: NDArray[np.float64]
    starts: NDArray[np.void]
    scripts: NDArray[np.int8]


def plain_setup(scripts: NDArray[np.int8]) -> Setup:
    """Return the set-up of whole games that are won or lost."""
    return Setup(False, BY_OUTCOME, np.zeros((0, 0, 0)), np.zeros(0, START), scripts)


@rule
def _write_mask(game: Any, mask: NDArray[np.int8]) -> None:
    """Write the legal actions as ones, the others as zeros; all ones when the game is over."""
    legal = (1 << NUM_ACTIONS) - 1
    if not game.over:
        legal = legal_actions(game)
    spread_bits(legal, NUM_ACTIONS, mask)


@rule
def is_legal(game: Any, action: int) -> bool:
    """Whether an action is legal in a game that goes on."""
    return 0 <= action < NUM_ACTIONS and (legal_actions(game) >> action) & 1 != 0


@rule
def clear_game(game: Any, setup: Setup) -> None:
    """Lay the table for the game that seed and number of the record name; nothing is dealt yet."""
    start_game(game)
    game.scripted, game.decided = 0, 0
    game.last_lead = NO_CARD
    if setup.starts.shape[0] > 0:
        start = setup.starts[draw_start(game, setup.starts)]
        game.hand_number, game.bids, game.turned = start["hand_number"], start["bids"], start["turned"]
        game.you, game.dummy = start["you"], start["dummy"]


@rule
def deal(game: Any, setup: Setup, index: int) -> None:
    """Deal the hand that is due."""
    if setup.starts.shape[0] > 0:
        deal_within(game, setup.scripts[index])
    else:
        deal_hand(game, setup.scripts[index])


@rule
def act(game: Any, action: int) -> None:
    """Take a legal action: bid, play a card, keep the trump or twiddle it; the hand may be over then."""
    game.decided = 0
    if game.phase == BID:
        make_bid(game, action)
        return
    if game.phase == CARD:
        play_card(game, action - FIRST_CARD)
    else:
        if action == TWIDDLE:
            twiddle(game)
        decide_trick(game)
    game.decided = game.played == NO_CARD


@rare_rule
def _score(game: Any) -> float:
    """Return the points so far on the scale of the rewards."""
    if game.scoring == TWO_COLUMNS:
        return float((game.you - game.dummy) / COLUMNS_UNIT)
    return float(game.you / (WINNING_POINTS if game.scoring == FIRST_EDITION else HANDS))


@rule
def take_action(game: Any, action: int, setup: Setup, index: int) -> float:
    """Take an action, or forfeit the game with an illegal one, and return the reward."""
    before = 0.0
    if setup.rewards == BY_VALUE:
        before = round_value(game, setup.values)
    elif setup.rewards == BY_SCORE:
        before = _score(game)
    if not is_legal(game, action):
        game.decided = 0
        game.outcome, game.reasons, game.over = LOST, BY_ILLEGAL_ACTION, 1
        return -before if setup.rewards == BY_VALUE else -1.0
    act(game, action)
    if game.phase == OVER:
        finish_hand(game)
        game.over = game.outcome != PLAYING or setup.round_episodes
    if setup.rewards == BY_VALUE:
        return round_value(game, setup.values) - before
    if setup.rewards == BY_SCORE:
        return _score(game) - before
    return 1.0 if game.outcome == WON else -1.0 if game.outcome == LOST else 0.0


@rule
def _deal_due(game: Any) -> bool:
    """Whether the next hand of a game that goes on is due, which counts it."""
    due: bool = game.phase == OVER and not game.over
    if due:
        game.hand_number += 1
    return due


@rule
def _write_event(game: Any, event: NDArray[np.int16]) -> None:
    """Note what the action just taken did; before the next hand is dealt."""
    event[LEAD], event[HAND_OVER] = NO_TRICK, 0
    if not game.decided:
        return
    event[LEAD] = game.last_lead
    event[FOLLOW] = game.last_follow
    event[TRUMP_BEFORE] = game.last_before
    event[TRUMP] = game.last_trump
    event[TAKEN_BY] = game.last_taker
    event[HAND_OVER] = game.phase == OVER
    event[HAND_NUMBER] = game.hand_number
    event[HAND_TRUMP] = game.bid_trump
    event[BID_MADE] = game.bid
    event[TAKEN] = game.won
    event[YOUR_POINTS] = game.you
    event[DUMMYS_POINTS] = game.dummy


@rule
def _clear_event(event: NDArray[np.int16]) -> None:
    """Note that a step did no more than start a game."""
    event[LEAD], event[HAND_OVER] = NO_TRICK, 0


ENGINE = compile_engine(
    NUM_ACTIONS, SIZE, (np.int16, EVENT_SIZE), clear_game=clear_game, deal=deal, take_action=take_action,
    deal_due=_deal_due, is_legal=is_legal, write_mask=_write_mask, write_event=_write_event, clear_event=_clear_event,
    note=note, encode=encode,
)  # fmt: skip
