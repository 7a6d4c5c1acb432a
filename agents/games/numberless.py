"""The game without numbers as agents and evaluations see it: you at seat 0 against the variant's opponents.

How agents fare against each other at one table is told by `agents.cross_table`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from agents.games import GameKit
from agents.measures import Measure
from agents.results import SHARED_FIELDS, Result
from eck_env.numberless.cards import NUM_CARDS
from eck_env.numberless.engine import COUNTS, ENDED, NO_SEAT, ROUNDS
from eck_env.numberless.rules import BY_CARDS, BY_ILLEGAL_ACTION
from eck_env.numberless.variant import MAX_PLAYERS, YOUR_SEAT, Variant

if TYPE_CHECKING:
    from agents.agent import Agent

_SHARES = 420
"""A win is counted in so many parts, which 1 to 7 winners can share."""


class NumberlessResult(Result):
    """The games of one agent; to the evaluation a game is one round, for a step may hold several of its rounds."""

    ROUND_OVER = ENDED
    MOST_A_ROUND = 0
    ENDINGS: ClassVar[Mapping[str, int]] = {
        "won": 0,
        "shared": 0,
        "more cards": BY_CARDS,
        "illegal action": BY_ILLEGAL_ACTION,
    }

    @staticmethod
    def game_dtype(variant: Any) -> np.dtype[Any]:
        """Return the type of one game; see `Result.game_dtype`."""
        # The share of the win in parts of `_SHARES`, and the cards that counted against you.
        return np.dtype([*SHARED_FIELDS, ("share", np.int16), ("cards", np.int8)])

    @staticmethod
    def note_rounds(games: NDArray[np.void], rows: NDArray[np.intp], events: NDArray[Any]) -> None:
        """Note how games ended; see `Result.note_rounds`."""
        counts = events[:, COUNTS : COUNTS + MAX_PLAYERS].astype(np.int64)
        counts[counts == NO_SEAT] = NUM_CARDS + 1
        games["rounds"][rows] = events[:, ROUNDS] - 1  # the evaluation counts the last one
        games["cards"][rows] = counts[:, YOUR_SEAT]
        lowest = counts.min(axis=1)
        winners = (counts == lowest[:, np.newaxis]).sum(axis=1)
        games["share"][rows] = np.where(counts[:, YOUR_SEAT] == lowest, _SHARES // winners, 0)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The share of the wins, and the cards at the end; see `Result.measures`."""
        games = self.games
        share = Measure("share of wins", games["share"].astype(np.int64), np.full(len(games), _SHARES), percent=True)
        cards = Measure("cards", games["cards"].astype(np.int64), np.ones(len(games), np.int64), more_is_better=False)
        return share, cards

    def columns(self) -> list[tuple[str, str]]:
        """Return the figures of this game for a table; see `Result.columns`."""
        return [("rounds\na game", f"{self.rounds_per_game:.2f}"), ("shared", f"{self.shared / len(self.games):.1%}")]

    @property
    def shared(self) -> int:
        """Games whose win was shared."""
        return self.endings["shared"]

    def own_summary(self) -> dict[str, Any]:
        """Return the figures of this game as plain data."""
        return {
            "shared": self.shared,
            **{
                measure.name.replace(" ", "_"): {"value": measure.value, "interval": list(measure.interval)}
                for measure in self.measures
            },
        }


def _make_heuristic() -> Agent:
    from agents.heuristic import NumberlessHeuristicAgent

    return NumberlessHeuristicAgent()


def _make_search(spec: str, variant: Variant) -> Agent:
    from agents.numberless_search import make_search

    return make_search(spec, variant)


def _nothing(groups: Any) -> list[Any]:
    """Return that a report has no pictures or tables of this game beside those of every game."""
    return []


KIT = GameKit(NumberlessResult, _make_heuristic, _make_search, _nothing, _nothing)
