"""What the shared environments need to know of a game: one object a game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.base.engine import Engine
from eck_env.base.layout import Layout
from eck_env.base.records import flag_names
from eck_env.base.render import Tables
from eck_env.base.scripts import no_scripts


@dataclass(frozen=True)
class Game:
    """A game as the environments see it; `record` stands for a record of one game, dtype `dtype`.

    Attributes:
        name: The name of the game.
        action: What an action is, for messages about numbers that are none.
        dtype: The type of a game's record. It has the fields `seed`, `game_number`, `outcome`, `reasons`, `over`
            and `scripted`.
        layout: The layout of the observations.
        engine: The compiled engine.
        script_length: The cards of a prescribed shuffle.
        outcomes: The names of the outcomes by number; that of a game that goes on is None.
        reasons: The names of the reasons why a game was lost, by flag, the highest flag last.
        illegal_action: The flag of the reason that is an illegal action.
        new_games: `(count, variant)`: return records in which no game has been started.
        state_dict: `(record, scripts)`: return the whole state in notation; `scripts` are those of this game.
        load_state: `(state, variant)`: return a batch of one game with a state, and its prescribed shuffles.
        apply_options: `(record, options)`: set up a game that has just been dealt, and return its prescribed shuffles.
        shuffle_hidden: `(record, rng)`: re-draw all that the player cannot know.
        decode: `(observation)`: return what one observation says, in notation.
        told: `(event)`: return what the info of a step tells of it, outcome and reasons left out.
        illegal_action_message: `(record, action)`: say why an action is illegal, and what is legal.
        tables: How games are shown.
        misfit_message: `(record)`: say which prescribed shuffle did not fit the cards that were left, or return an
            empty text; None for games whose prescribed shuffles always fit.
    """

    name: str
    action: str
    dtype: np.dtype[Any]
    layout: Layout
    engine: Engine
    script_length: int
    outcomes: tuple[str | None, ...]
    reasons: Mapping[int, str]
    illegal_action: int
    new_games: Callable[[int, Any], NDArray[np.void]]
    state_dict: Callable[[Any, NDArray[np.int8]], dict[str, Any]]
    load_state: Callable[[Mapping[str, Any], Any], tuple[NDArray[np.void], NDArray[np.int8]]]
    apply_options: Callable[[Any, Mapping[str, Any]], NDArray[np.int8]]
    shuffle_hidden: Callable[[Any, np.random.Generator], None]
    decode: Callable[[NDArray[Any] | Mapping[str, NDArray[Any]]], dict[str, Any]]
    told: Callable[[list[int]], dict[str, Any]]
    illegal_action_message: Callable[[Any, int], str]
    tables: Tables
    misfit_message: Callable[[Any], str] | None = None

    @cached_property
    def reason_lists(self) -> list[list[str]]:
        """The names of all combinations of reasons, by their flags."""
        return [flag_names(flags, self.reasons) for flags in range(2 * max(self.reasons))]

    def no_scripts(self, count: int) -> NDArray[np.int8]:
        """Return the prescribed shuffles of a batch that has none."""
        return no_scripts(count, self.script_length)
