"""Gongor Whist as agents and evaluations see it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from agents.games import GameKit
from agents.measures import Measure, of_games
from agents.results import NO_ROUND, SHARED_FIELDS, Result
from eck_env.gongor_whist.cards import HAND_SIZE
from eck_env.gongor_whist.engine import BID_MADE, DUMMYS_POINTS, HAND_OVER, TAKEN, YOUR_POINTS
from eck_env.gongor_whist.rules import BY_HANDS, BY_ILLEGAL_ACTION, BY_MISSED_BID, BY_POINTS, NUM_BIDS
from eck_env.gongor_whist.variant import FIRST_EDITION, SCORINGS, TWO_COLUMNS, Variant

if TYPE_CHECKING:
    from agents.agent import Agent


class GongorResult(Result):
    """The games of one agent at Gongor Whist; its rounds are hands."""

    ROUND_OVER = HAND_OVER
    MOST_A_ROUND = HAND_SIZE
    ENDINGS: ClassVar[Mapping[str, int]] = {
        "won": 0,
        "drawn": 0,
        "missed bid": BY_MISSED_BID,
        "points": BY_POINTS,
        "hands": BY_HANDS,
        "illegal action": BY_ILLEGAL_ACTION,
    }

    @staticmethod
    def game_dtype(variant: Any) -> np.dtype[Any]:
        """Return the type of one game; see `Result.game_dtype`."""
        return np.dtype(
            [
                *SHARED_FIELDS,
                ("you", np.int16),  # points at the end
                ("dummy", np.int16),
                ("bids", np.int8, variant.max_hands),  # of each hand that was played to its end, then `NO_ROUND`
                ("taken", np.int8, variant.max_hands),  # the tricks that were taken in it
            ]
        )

    @staticmethod
    def note_rounds(games: NDArray[np.void], rows: NDArray[np.intp], events: NDArray[Any]) -> None:
        """Note what the engine told of hands that ended; see `Result.note_rounds`."""
        games["bids"][rows, games["rounds"][rows]] = events[:, BID_MADE]
        games["taken"][rows, games["rounds"][rows]] = events[:, TAKEN]
        games["you"][rows] = events[:, YOUR_POINTS]
        games["dummy"][rows] = events[:, DUMMYS_POINTS]

    @property
    def hands(self) -> NDArray[np.int64]:
        """By bid, how often it was made (first row) and how often it was bid (second row), shape (2, 8)."""
        bids, taken = self.games["bids"], self.games["taken"]
        counts = [np.bincount(bids[(bids == taken) & (bids != NO_ROUND)], minlength=NUM_BIDS)]
        counts.append(np.bincount(bids[bids != NO_ROUND], minlength=NUM_BIDS))
        return np.array(counts)

    @property
    def drawn(self) -> int:
        """Games that neither side won."""
        return self.endings["drawn"]

    @property
    def hands_needed(self) -> NDArray[np.int64]:
        """The hands that each game took to be won, shape (n,); for one that was not won, the most that are allowed."""
        return np.where(self.games["won"], self.games["rounds"], self.variant.max_hands).astype(np.int64)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What tells agents apart beside the win rate, by scoring; see `Result.measures`.

        Everywhere the share of the bids that were made; in two columns before it the points more than the dummy's, in
        the first edition the hands needed.
        """
        bids, taken = self.games["bids"], self.games["taken"]
        bid = bids != NO_ROUND
        made = Measure("bids made", (bid & (bids == taken)).sum(1), bid.sum(1), percent=True)
        scoring = SCORINGS.index(self.variant.scoring)
        if scoring == TWO_COLUMNS:
            lead = self.games["you"].astype(np.int64) - self.games["dummy"]
            return of_games("points ahead", lead), made
        if scoring == FIRST_EDITION:
            return of_games("hands needed", self.hands_needed, more_is_better=False), made
        return (made,)

    @property
    def score(self) -> float:
        """In two columns the win rate tells the better policy, elsewhere the first measure."""
        return self.win_rate if self.variant.scoring == SCORINGS[TWO_COLUMNS] else super().score

    def columns(self) -> list[tuple[str, str]]:
        """Return the figures of this game for a table; see `Result.columns`."""
        found = [("hands\na game", f"{self.rounds_per_game:.2f}")]
        if self.variant.scoring == SCORINGS[TWO_COLUMNS]:
            found.append(("drawn", f"{self.drawn / len(self.games):.1%}"))
        return found

    def own_summary(self) -> dict[str, Any]:
        """Return the figures of this game as plain data."""
        made, bid = self.hands.tolist()
        return {
            "drawn": self.drawn,
            **{
                measure.name.replace(" ", "_"): {"value": measure.value, "interval": list(measure.interval)}
                for measure in self.measures
            },
            "bids_made_by_bid": made,
            "bids_by_bid": bid,
        }


def _make_heuristic() -> Agent:
    from agents.heuristic import GongorHeuristicAgent

    return GongorHeuristicAgent()


def _make_search(spec: str, variant: Variant) -> Agent:
    from agents.gongor_search import make_search

    return make_search(spec, variant)


def _pictures(groups: Any) -> list[Any]:
    from agents.games import gongor_report

    return gongor_report.pictures(groups)


def _share_tables(group: Any) -> list[Any]:
    from agents.games import gongor_report

    return gongor_report.share_tables(group)


KIT = GameKit(GongorResult, _make_heuristic, _make_search, _pictures, _share_tables)
