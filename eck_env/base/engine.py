"""The engine of every game: many games at once, reset, stepped and observed inside compiled code.

`compile_engine` makes a game's engine out of its rules. What it compiles writes into arrays of the caller's and
allocates nothing; the environments call it, the single one with a batch of one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eck_env.batch import PLAYING, SAME_STEP
from eck_env.compiled import borrowed, entry_point, rule

# The first columns of an event, in every game: what one step did. A short event has no others.
OUTCOME, REASONS = 0, 1
SHORT_EVENT_SIZE = REASONS + 1
"""Columns of an event that tells no more than how games end."""

BEGIN, SHOW = -1, -2
"""In place of an action for `step_game`: start the game that the record names; show it as it stands."""


class Outputs(NamedTuple):
    """The arrays that the engine writes to, for n games.

    Attributes:
        observations: Shape (n, size of an observation), int8 or float32.
        masks: Legal actions, shape (n, number of actions), int8; all ones where the episode is over.
        rewards: Shape (n,), float64.
        terminated: Shape (n,), bool.
        events: What the step did, shape (n, columns of an event); with shape (n, 2) only how games end.
        final_observations: With autoreset in the same step: the last observations of the episodes that ended, shaped
            as the observations; otherwise with no rows.
    """

    observations: NDArray[Any]
    masks: NDArray[np.int8]
    rewards: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    events: NDArray[Any]
    final_observations: NDArray[Any]


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


@dataclass(frozen=True)
class Engine:
    """The compiled engine of a game, and the forms of its arrays.

    Attributes:
        num_actions: How many actions there are.
        observation_size: How many numbers an observation has.
        event_form: Type and number of the columns of an event.
        reset_games: `(games, chosen, setup, outputs)`: start the game named by seed and number in each chosen record.
        observe_games: `(games, outputs)`: write the observations and masks of games as they stand.
        step_games: `(games, actions, autoreset, setup, outputs)`: take one action in each game, deal and reset where
            due, and write everything that follows. A game whose episode is over starts the next one, whatever its
            action, with reward 0 (autoreset in the next step). Returns the index of the first game whose action is no
            number of an action, or -1; nothing has moved then.
        step_game: `(games, action, setup, rows)`: take one action in the only game of a batch, write what follows to
            its row, and return the reward; `BEGIN` and `SHOW` in place of an action start and show a game.
        write_masks: `(games, masks)`: write the legal actions of all games.
        first_illegal: `(games, actions)`: return the index of the first game in which the action is illegal, or -1;
            games that are over have none.
    """

    num_actions: int
    observation_size: int
    event_form: tuple[Any, int]
    reset_games: Callable[[NDArray[np.void], NDArray[np.bool_], Any, Outputs], None]
    observe_games: Callable[[NDArray[np.void], Outputs], None]
    step_games: Callable[[NDArray[np.void], NDArray[np.int64], int, Any, Outputs], int]
    step_game: Callable[[NDArray[np.void], int, Any, NDArray[np.void]], float]
    write_masks: Callable[[NDArray[np.void], NDArray[np.int8]], None]
    first_illegal: Callable[[NDArray[np.void], NDArray[np.int64]], int]

    def make_outputs(self, count: int, dtype: Any, final: bool = False) -> Outputs:
        """Return fresh output arrays for this many games."""
        kind, columns = self.event_form
        return Outputs(
            np.zeros((count, self.observation_size), dtype),
            np.zeros((count, self.num_actions), np.int8),
            np.zeros(count, np.float64),
            np.zeros(count, np.bool_),
            np.full((count, columns), -1, kind),
            np.zeros((count if final else 0, self.observation_size), dtype),
        )

    def make_row(self, dtype: Any) -> NDArray[np.void]:
        """Return one record of what a single environment shows: one array is quicker to hand over than six."""
        fields = [
            ("observation", dtype, self.observation_size), ("mask", np.int8, self.num_actions),
            ("event", *self.event_form),
        ]  # fmt: skip
        return np.zeros(1, np.dtype(fields, align=True))


@rule
def _take_step(
    game: Any, action: int, begin: bool, setup: Any, index: int, event: NDArray[Any],
    clear_game: Any, deal: Any, take_action: Any, deal_due: Any, write_event: Any, clear_event: Any,
) -> float:  # fmt: skip
    """Take one action in a game, deal where due, and return the reward.

    With `begin` the game that the record names is started instead; a game that is over starts the next one.
    """
    reward = 0.0
    if begin or game.over:
        event[OUTCOME] = PLAYING
        if event.shape[0] > SHORT_EVENT_SIZE:
            clear_event(event)
        game.game_number += 0 if begin else 1
        clear_game(game, setup)
        due = True
    else:
        reward = take_action(game, action, setup, index)
        event[OUTCOME] = game.outcome
        event[REASONS] = game.reasons
        if event.shape[0] > SHORT_EVENT_SIZE:
            write_event(game, event)
        due = deal_due(game)
    if due:
        deal(game, setup, index)
    return reward


def compile_engine(
    num_actions: int,
    observation_size: int,
    event_form: tuple[Any, int],
    clear_game: Callable[[Any, Any], None],
    deal: Callable[[Any, Any, int], None],
    take_action: Callable[[Any, int, Any, int], float],
    deal_due: Callable[[Any], bool],
    is_legal: Callable[[Any, int], bool],
    write_mask: Callable[[Any, NDArray[np.int8]], None],
    write_event: Callable[[Any, NDArray[Any]], None],
    clear_event: Callable[[NDArray[Any]], None],
    note: Callable[[Any], None],
    encode: Callable[[Any, NDArray[Any]], None],
) -> Engine:
    """Return the engine of a game, compiled from its rules, which are functions decorated with `rule`.

    Args:
        num_actions: How many actions there are.
        observation_size: How many numbers an observation has.
        event_form: Type and number of the columns of an event.
        clear_game: `(game, setup)`: lay the table for the game that seed and number of the record name; deal nothing.
        deal: `(game, setup, index)`: deal the round, or hand, that is due, up to the first decision.
        take_action: `(game, action, setup, index)`: take an action, or forfeit the game by an illegal one, and return
            the reward; it sets `over` where the episode ends.
        deal_due: `(game)`: whether the next deal of a game that goes on is due after an action; counts it if so.
        is_legal: `(game, action)`: whether the action is legal in a game that is not over.
        write_mask: `(game, mask)`: write the legal actions as ones; all ones when the episode is over.
        write_event: `(game, event)`: note what the action just taken did, from the third column on.
        clear_event: `(event)`: note that a step did no more than start a game.
        note: `(game)`: note in the record what `encode` needs, of a record that was loaded.
        encode: `(game, row)`: write the observation.
    """

    @entry_point
    def reset_games(games: NDArray[np.void], chosen: NDArray[np.bool_], setup: Any, outputs: Outputs) -> None:
        games, setup, outputs = borrowed(games), borrowed(setup), borrowed(outputs)
        for index in range(games.shape[0]):
            if chosen[index]:
                clear_game(games[index], setup)
                deal(games[index], setup, index)
                encode(games[index], outputs.observations[index])
                write_mask(games[index], outputs.masks[index])

    @entry_point
    def observe_games(games: NDArray[np.void], outputs: Outputs) -> None:
        games, outputs = borrowed(games), borrowed(outputs)
        for index in range(games.shape[0]):
            note(games[index])
            encode(games[index], outputs.observations[index])
            write_mask(games[index], outputs.masks[index])

    @entry_point
    def step_games(
        games: NDArray[np.void], actions: NDArray[np.int64], autoreset: int, setup: Any, outputs: Outputs
    ) -> int:
        games, actions, setup, outputs = borrowed(games), borrowed(actions), borrowed(setup), borrowed(outputs)
        fit = True
        for index in range(actions.shape[0]):
            fit &= 0 <= actions[index] < num_actions
        if not fit:
            for index in range(actions.shape[0]):
                if not (games[index].over or 0 <= actions[index] < num_actions):
                    return index
        for index in range(games.shape[0]):
            game = games[index]
            outputs.rewards[index] = _take_step(
                game, actions[index], False, setup, index, outputs.events[index],
                clear_game, deal, take_action, deal_due, write_event, clear_event,
            )  # fmt: skip
            outputs.terminated[index] = game.over
            if game.over and autoreset == SAME_STEP:
                encode(game, outputs.final_observations[index])
                game.game_number += 1
                clear_game(game, setup)
                deal(game, setup, index)
            encode(game, outputs.observations[index])
            write_mask(game, outputs.masks[index])
        return -1

    @entry_point
    def step_game(games: NDArray[np.void], action: int, setup: Any, rows: NDArray[np.void]) -> float:
        # One function for three uses: it is compiled sooner than three.
        games, setup, rows = borrowed(games), borrowed(setup), borrowed(rows)
        game, row = games[0], rows[0]
        reward = 0.0
        if action == SHOW:
            note(game)
        else:
            reward = _take_step(
                game, action, action == BEGIN, setup, 0, row.event,
                clear_game, deal, take_action, deal_due, write_event, clear_event,
            )  # fmt: skip
        encode(game, row.observation)
        write_mask(game, row.mask)
        return reward

    @entry_point
    def write_masks(games: NDArray[np.void], masks: NDArray[np.int8]) -> None:
        games, masks = borrowed(games), borrowed(masks)
        for index in range(games.shape[0]):
            write_mask(games[index], masks[index])

    @entry_point
    def first_illegal(games: NDArray[np.void], actions: NDArray[np.int64]) -> int:
        for index in range(games.shape[0]):
            if not games[index].over and not is_legal(games[index], actions[index]):
                return index
        return -1

    return Engine(
        num_actions, observation_size, event_form,
        reset_games, observe_games, step_games, step_game, write_masks, first_illegal,
    )  # fmt: skip
