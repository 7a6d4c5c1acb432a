"""The engine of ECK: many games at once, reset, stepped and observed inside compiled code.

`reset_games` and `step_games` are what the environments call, the single one with a batch of one. They write into
arrays of the caller's and allocate nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eck_env.batch import SAME_STEP, mix, random_key
from eck_env.compiled import borrowed, entry_point, rare_rule, rule, spread_bits
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

_START_PURPOSE = -1  # the random stream that draws the start of an episode

# The columns of an event: what one step did, for the infos. Cards are kinds, trick cards indices; -1 is none.
(OUTCOME, REASONS, LEADER, LEAD, FOLLOW, TAKEN_BY, ROUND_OVER, TRICKS_WON, COLLECTED, TURNED_GRAY, TAKEN_BY_ECK,
 COUNTER, NUM_TURNED, TURNED) = range(14)  # fmt: skip
SHORT_EVENT_SIZE = REASONS + 1
"""Columns of an event that tells no more than how games end."""
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


class Outputs(NamedTuple):
    """The arrays that the engine writes to, for n games.

    Attributes:
        observations: Shape (n, 259), int8 or float32.
        masks: Legal actions, shape (n, 38), int8; all ones where the episode is over.
        rewards: Shape (n,), float64.
        terminated: Shape (n,), bool.
        events: What the step did, shape (n, 42), int8; see the columns above. With shape (n, 2) only how games end.
        final_observations: With autoreset in the same step: the last observations of the episodes that ended, shape
            (n, 259); otherwise shape (0, 259).
    """

    observations: NDArray[Any]
    masks: NDArray[np.int8]
    rewards: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    events: NDArray[np.int8]
    final_observations: NDArray[Any]


def make_outputs(count: int, dtype: Any, final: bool = False) -> Outputs:
    """Return fresh output arrays for this many games."""
    return Outputs(
        np.zeros((count, SIZE), dtype),
        np.zeros((count, NUM_KINDS), np.int8),
        np.zeros(count, np.float64),
        np.zeros(count, np.bool_),
        np.full((count, EVENT_SIZE), NO_TRICK, np.int8),
        np.zeros((count if final else 0, SIZE), dtype),
    )


def check_outputs(out: Outputs | None, forms: Mapping[str, tuple[tuple[int, ...], np.dtype[Any]]]) -> None:
    """Raise ValueError if the engine could not write to a caller's arrays; None stands for fresh ones.

    Args:
        out: The arrays.
        forms: Shape and dtype that each must have, by name.
    """
    if out is None:
        return
    if not isinstance(out, Outputs):
        raise ValueError(f"out must be what make_outputs() returns, not {type(out).__name__!r}")
    for name, (shape, dtype) in forms.items():
        given: Any = getattr(out, name)
        fits = isinstance(given, np.ndarray) and given.shape == shape and given.dtype == dtype
        if not fits or not given.flags.c_contiguous or not given.flags.writeable:
            raise ValueError(
                f"out.{name} must be a contiguous, writable array of {dtype} and shape {shape}: make_outputs() gives "
                "such arrays"
            )


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


@rule
def _find_start(starts: NDArray[np.void], drawn: float) -> int:
    """Return the place of the first start whose cumulative probability is above a number from 0 to 1.

    NumPy's searchsorted finds the same, but takes a second to compile.
    """
    low, high = 0, starts.shape[0] - 1
    while low < high:
        middle = (low + high) // 2
        if starts[middle].cumulative > drawn:
            high = middle
        else:
            low = middle + 1
    return low


@rare_rule
def clear_game(game: Any, setup: Setup) -> None:
    """Lay the table for the game that seed and number of the record name; nothing is dealt yet."""
    game.round_number = 0
    game.gray, game.yours, game.ecks, game.counter = 0, 0, 0, 0
    game.outcome, game.reasons, game.over, game.misfit = PLAYING, 0, 0, 0
    game.last_lead, game.num_held = NO_CARD, 0
    if setup.starts.shape[0] > 0:
        bits = mix(random_key(game.seed, game.game_number, 0, _START_PURPOSE)) >> np.uint64(11)
        start = setup.starts[_find_start(setup.starts, np.float64(bits) / 2.0**53)]
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
def take_action(game: Any, kind: int, setup: Setup, index: int) -> float:
    """Play a card, or forfeit the game with an illegal one, and return the reward."""
    before = 0.0
    if setup.value_rewards:
        before = round_value(game, setup.values)
    legal = legal_kinds(game.hand, game.lead, game.same_circle != 0)
    if kind < 0 or kind >= NUM_KINDS or not (legal >> kind) & 1:
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
def write_event(game: Any, event: NDArray[np.int8]) -> None:
    """Note what the action just taken did; before the next round is dealt."""
    event[OUTCOME] = game.outcome
    event[REASONS] = game.reasons
    if event.shape[0] == SHORT_EVENT_SIZE:
        return
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
def _write_empty_event(event: NDArray[np.int8]) -> None:
    """Note that a step did no more than start a game."""
    event[OUTCOME] = PLAYING
    if event.shape[0] > SHORT_EVENT_SIZE:
        event[LEAD], event[ROUND_OVER] = NO_TRICK, 0


@rule
def next_round(game: Any) -> None:
    """Deal the next round of a game that goes on, up to ECK's lead."""
    game.round_number += 1
    deal_round(game)
    note_table(game)


@rule
def take_step(game: Any, kind: int, begin: bool, setup: Setup, index: int, event: NDArray[np.int8]) -> float:
    """Take one action in a game, deal where due, and return the reward.

    With `begin` the game that the record names is started instead; a game that is over starts the next one.
    """
    reward = 0.0
    if begin or game.over:
        _write_empty_event(event)
        game.game_number += 0 if begin else 1
        clear_game(game, setup)
        deal = True
    else:
        reward = take_action(game, kind, setup, index)
        write_event(game, event)
        deal = game.hand == 0 and not game.over
        if deal:
            game.round_number += 1
    if deal:
        deal_round(game)
        note_table(game)
    return reward


@entry_point
def reset_games(games: NDArray[np.void], chosen: NDArray[np.bool_], setup: Setup, outputs: Outputs) -> None:
    """Start the game named by seed and number in each chosen record, and write its observation and mask."""
    games, setup, outputs = borrowed(games), borrowed(setup), borrowed(outputs)
    for index in range(games.shape[0]):
        if chosen[index]:
            begin_game(games[index], setup)
            encode(games[index], outputs.observations[index])
            write_mask(games[index], outputs.masks[index])


@entry_point
def observe_games(games: NDArray[np.void], outputs: Outputs) -> None:
    """Write the observations and masks of games as they stand."""
    games, outputs = borrowed(games), borrowed(outputs)
    for index in range(games.shape[0]):
        note_table(games[index])
        encode(games[index], outputs.observations[index])
        write_mask(games[index], outputs.masks[index])


@rule
def _first_impossible(games: NDArray[np.void], actions: NDArray[np.int64]) -> int:
    fit = True
    for index in range(actions.shape[0]):
        fit &= 0 <= actions[index] < NUM_KINDS
    if not fit:
        for index in range(actions.shape[0]):
            if not (games[index].over or 0 <= actions[index] < NUM_KINDS):
                return index
    return -1


@entry_point
def step_games(
    games: NDArray[np.void], actions: NDArray[np.int64], autoreset: int, setup: Setup, outputs: Outputs
) -> int:
    """Take one action in each game, deal and reset where due, and write everything that follows.

    A game whose episode is over starts the next one, whatever its action, with reward 0 (autoreset in the next step).
    Nothing moves if an action is none at all in a game that is not over.

    Args:
        games: Records, shape (n,), dtype `state.GAME`.
        actions: Kinds, shape (n,), int64; an illegal one forfeits the game.
        autoreset: A code of `batch.AUTORESET_CODES`.
        setup: What is played.
        outputs: The arrays to write to.

    Returns:
        The index of the first game whose action is no number of a kind, or -1.
    """
    games, actions, setup, outputs = borrowed(games), borrowed(actions), borrowed(setup), borrowed(outputs)
    impossible = _first_impossible(games, actions)
    if impossible >= 0:
        return impossible
    for index in range(games.shape[0]):
        game = games[index]
        outputs.rewards[index] = take_step(game, actions[index], False, setup, index, outputs.events[index])
        outputs.terminated[index] = game.over
        if game.over and autoreset == SAME_STEP:
            encode(game, outputs.final_observations[index])
            game.game_number += 1
            begin_game(game, setup)
        encode(game, outputs.observations[index])
        write_mask(game, outputs.masks[index])
    return -1


def make_row(dtype: Any) -> NDArray[np.void]:
    """Return one record, shape (1,), of what a single environment shows: one array is quicker to hand over than six."""
    fields = [("observation", dtype, SIZE), ("mask", np.int8, NUM_KINDS), ("event", np.int8, EVENT_SIZE)]
    return np.zeros(1, np.dtype(fields, align=True))


BEGIN, SHOW = -1, -2
"""In place of an action for `step_game`: start the game that the record names; show it as it stands."""


@entry_point
def step_game(games: NDArray[np.void], action: int, setup: Setup, rows: NDArray[np.void]) -> float:
    """Take one action in the only game of a batch, write what follows to its row, and return the reward.

    It also starts and shows a game: one function is compiled sooner than two.
    """
    games, setup, rows = borrowed(games), borrowed(setup), borrowed(rows)
    game, row = games[0], rows[0]
    reward = 0.0
    if action == SHOW:
        note_table(game)
    else:
        reward = take_step(game, action, action == BEGIN, setup, 0, row.event)
    encode(game, row.observation)
    write_mask(game, row.mask)
    return reward


@entry_point
def write_masks(games: NDArray[np.void], masks: NDArray[np.int8]) -> None:
    """Write the legal actions of all games, shape (n, 38)."""
    games, masks = borrowed(games), borrowed(masks)
    for index in range(games.shape[0]):
        write_mask(games[index], masks[index])


@entry_point
def first_illegal(games: NDArray[np.void], actions: NDArray[np.int64]) -> int:
    """Return the index of the first game in which the action is illegal, or -1; games that are over have none."""
    for index in range(games.shape[0]):
        game = games[index]
        kind = actions[index]
        legal = legal_kinds(game.hand, game.lead, game.same_circle != 0)
        if not game.over and (kind < 0 or kind >= NUM_KINDS or not (legal >> kind) & 1):
            return index
    return -1
