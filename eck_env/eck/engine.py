"""The engine of ECK: what a step does beside the rules themselves, and the compiled engine made of both."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eck_env.base.engine import SHORT_EVENT_SIZE, compile_engine
from eck_env.base.starts import draw_start
from eck_env.compiled import rare_rule, rule, spread_bits
from eck_env.eck.cards import DECK_SIZE, NUM_KINDS
from eck_env.eck.observation import SIZE, encode, note_table
from eck_env.eck.rules import (
    BY_ILLEGAL_ACTION,
    COUNTER_LOST,
    LOST,
    NO_CARD,
    PLAYING,
    WON,
    deal_round,
    finish_round,
    legal_kinds,
    play_card,
)

NUM_TRICK_CARD_SETS = 128
VALUES_SHAPE = (COUNTER_LOST, NUM_TRICK_CARD_SETS, NUM_TRICK_CARD_SETS)
"""The table of round values: by counter, set of collected cards, set of gray cards."""

START = np.dtype([("yours", np.int8), ("gray", np.int8), ("counter", np.int8), ("cumulative", np.float64)], align=True)
"""A state that episodes of one round may start from, with the summed-up probability of it and those before it."""

# The columns of an event: what one step did, for the infos. Cards are kinds, trick cards indices; -1 is none.
(LEADER, LEAD, FOLLOW, TAKEN_BY, ROUND_OVER, TRICKS_WON, COLLECTED, TURNED_GRAY, TAKEN_BY_ECK, COUNTER, NUM_TURNED,
 TURNED) = range(SHORT_EVENT_SIZE, 14)  # fmt: skip
EVENT_SIZE = TURNED + DECK_SIZE
NO_TRICK = -1


class Setup(NamedTuple):
    """What the games of a batch are played with.

    Attributes:
        round_episodes: The episode is one round instead of the whole game.
        value_rewards: The reward is the change of the round value at the end of each round, instead of +1 for a win
            and -1 for a loss.
        values: Round values by counter, collected and gray cards, shape `VALUES_SHAPE`, float64; shape (0, 0, 0)
            where they are not needed.
        starts: The states episodes start from, dtype `START`; empty for the start of the game.
        scripts: Prescribed orders of the reshuffles of each game's first round, shape (n, number, 29), int8.
    """

    round_episodes: bool
    value_rewards: bool
    values: NDArray[np.float64]
    starts: NDArray[np.void]
    scripts: NDArray[np.int8]


@rule
def write_mask(game: Any, mask: NDArray[np.int8]) -> None:
    """Write the legal kinds as ones, the others as zeros; all ones when the episode is over."""
    legal = (1 << NUM_KINDS) - 1
    if not game.over:
        legal = legal_kinds(game.hand, game.lead, game.same_circle != 0)
    spread_bits(legal, NUM_KINDS, mask)


@rule
def round_value(game: Any, values: NDArray[np.float64]) -> float:
    """Return the chance to win with trick cards and counter as they lie now, by the table of round values."""
    if game.outcome == WON:
        return 1.0
    if game.outcome == LOST:
        return 0.0
    value: float = values[game.counter, game.yours, game.gray]
    return value


@rare_rule
def clear_game(game: Any, setup: Setup) -> None:
    """Lay the table for the game that seed and number of the record name; nothing is dealt yet."""
    game.round_number = 0
    game.gray, game.yours, game.ecks, game.counter = 0, 0, 0, 0
    game.outcome, game.reasons, game.over, game.misfit = PLAYING, 0, 0, 0
    game.last_lead, game.num_held = NO_CARD, 0
    if setup.starts.shape[0] > 0:
        start = setup.starts[draw_start(game, setup.starts)]
        game.gray, game.yours, game.counter = start["gray"], start["yours"], start["counter"]


@rule
def begin_game(game: Any, setup: Setup) -> None:
    """Start the game that seed and number of the record name, up to ECK's first lead."""
    clear_game(game, setup)
    deal_round(game)
    note_table(game)


@rare_rule
def _play_scripted(game: Any, kind: int, setup: Setup, index: int) -> None:
    play_card(game, kind, setup.scripts[index])


@rule
def _is_legal(game: Any, kind: int) -> bool:
    """Whether a card may be played in a game that is not over."""
    legal = legal_kinds(game.hand, game.lead, game.same_circle != 0)
    return 0 <= kind < NUM_KINDS and (legal >> kind) & 1 != 0


@rule
def take_action(game: Any, kind: int, setup: Setup, index: int) -> float:
    """Play a card, or forfeit the game with an illegal one, and return the reward."""
    before = 0.0
    if setup.value_rewards:
        before = round_value(game, setup.values)
    if not _is_legal(game, kind):
        game.last_lead, game.num_held = NO_CARD, 0
        game.outcome, game.reasons, game.over = LOST, BY_ILLEGAL_ACTION, 1
        return -before if setup.value_rewards else -1.0
    if game.scripted > game.reshuffles:
        _play_scripted(game, kind, setup, index)
    else:
        play_card(game, kind)
    if game.hand != 0:
        return 0.0
    finish_round(game)
    reward = 0.0
    if setup.value_rewards:
        reward = round_value(game, setup.values) - before
    elif game.outcome != PLAYING:
        reward = 1.0 if game.outcome == WON else -1.0
    game.over = game.outcome != PLAYING or setup.round_episodes
    if game.over:
        note_table(game)
    return reward


@rule
def _write_event(game: Any, event: NDArray[np.int8]) -> None:
    """Note what the action just taken did; before the next round is dealt."""
    event[LEADER] = game.last_leader
    event[LEAD] = game.last_lead
    event[FOLLOW] = game.last_follow
    event[TAKEN_BY] = game.last_taker
    event[ROUND_OVER] = game.hand == 0
    event[TRICKS_WON] = game.won
    event[COLLECTED] = game.last_collected
    event[TURNED_GRAY] = game.last_gray
    event[TAKEN_BY_ECK] = game.last_taken
    event[COUNTER] = game.counter
    event[NUM_TURNED] = game.num_held
    for place in range(game.num_held):
        event[TURNED + place] = game.held[place]


@rule
def _clear_event(event: NDArray[np.int8]) -> None:
    """Note that a step did no more than start a game."""
    event[LEAD], event[ROUND_OVER] = NO_TRICK, 0


@rule
def next_round(game: Any) -> None:
    """Deal the next round of a game that goes on, up to ECK's lead."""
    game.round_number += 1
    deal_round(game)
    note_table(game)


@rule
def _deal(game: Any, setup: Setup, index: int) -> None:
    """Deal the round that is due, up to ECK's first lead."""
    deal_round(game)
    note_table(game)


@rule
def _deal_due(game: Any) -> bool:
    """Whether the next round of a game that goes on is due, which counts it."""
    due: bool = game.hand == 0 and not game.over
    if due:
        game.round_number += 1
    return due


ENGINE = compile_engine(
    NUM_KINDS, SIZE, (np.int8, EVENT_SIZE), clear_game=clear_game, deal=_deal, take_action=take_action,
    deal_due=_deal_due, is_legal=_is_legal, write_mask=write_mask, write_event=_write_event, clear_event=_clear_event,
    note=note_table, encode=encode,
)  # fmt: skip
