"""ECK as agents and evaluations see it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from agents.games import GameKit
from agents.results import NO_ROUND, SHARED_FIELDS, Result
from eck_env.eck.cards import HAND_SIZE
from eck_env.eck.engine import COLLECTED, ROUND_OVER, TRICKS_WON
from eck_env.eck.rules import BY_COUNTER, BY_ECK_CARD, BY_ILLEGAL_ACTION, COUNTER_LOST, NO_CARD
from eck_env.eck.variant import NUM_TRICK_CARDS, TRICK_CARDS, Variant

if TYPE_CHECKING:
    from agents.agent import Agent

MAX_ROUNDS = NUM_TRICK_CARDS * COUNTER_LOST
"""The most rounds that a game can have: every card is collected, or the game lost, after failed rounds in a row."""

GAME_RESULT = np.dtype(
    [
        *SHARED_FIELDS,
        ("collected", np.int8),  # the trick cards, a set of bits in the order of `TRICK_CARDS`
        ("tricks", np.int8, MAX_ROUNDS),  # those taken in each round that was played to its end, then `NO_ROUND`
    ]
)
"""One game."""


class EckResult(Result):
    """The games of one agent at ECK."""

    ROUND_OVER = ROUND_OVER
    MOST_A_ROUND = HAND_SIZE
    # A round may lose a game by the counter and by ECK's card at once.
    ENDINGS: ClassVar[Mapping[str, int]] = {
        "won": 0,
        "counter": BY_COUNTER,
        "ECK's card": BY_ECK_CARD,
        "both": BY_COUNTER | BY_ECK_CARD,
        "illegal action": BY_ILLEGAL_ACTION,
    }

    @staticmethod
    def game_dtype(variant: Any) -> np.dtype[Any]:
        """Return the type of one game; see `Result.game_dtype`."""
        return GAME_RESULT

    @staticmethod
    def note_rounds(games: NDArray[np.void], rows: NDArray[np.intp], events: NDArray[Any]) -> None:
        """Note what the engine told of rounds that ended; see `Result.note_rounds`."""
        games["tricks"][rows, games["rounds"][rows]] = events[:, TRICKS_WON]
        collected = events[:, COLLECTED]
        games["collected"][rows] |= np.where(collected == NO_CARD, 0, 1 << collected.clip(0)).astype(np.int8)

    @property
    def tricks(self) -> NDArray[np.int64]:
        """In how many rounds 0 to 13 tricks were taken, shape (14,)."""
        played = self.games["tricks"][self.games["tricks"] != NO_ROUND]
        return np.bincount(played, minlength=HAND_SIZE + 1)

    @property
    def collected(self) -> dict[str, int]:
        """In how many games each trick card laid out was collected, by name."""
        return {
            name: int(np.count_nonzero(self.games["collected"] >> TRICK_CARDS.index(name) & 1))
            for name in self.variant.trick_cards
        }

    def columns(self) -> list[tuple[str, str]]:
        """Return the figures of this game for a table; see `Result.columns`."""
        count = len(self.games)
        return [
            ("rounds\na game", f"{self.rounds_per_game:.2f}"),
            ("lost by\ncounter", f"{self.count_reason(BY_COUNTER) / count:.1%}"),
            ("by ECK's\ncard", f"{self.count_reason(BY_ECK_CARD) / count:.1%}"),
        ]

    def own_summary(self) -> dict[str, Any]:
        """Return the figures of this game as plain data."""
        return {
            "lost_by_counter": self.count_reason(BY_COUNTER),
            "lost_by_eck_card": self.count_reason(BY_ECK_CARD),
            "tricks": self.tricks.tolist(),
            "collected": self.collected,
        }

    @staticmethod
    def table_note() -> str:
        """Return what is to be said below a table."""
        return "A game may be lost by both."


def _make_heuristic() -> Agent:
    from agents.heuristic import HeuristicAgent

    return HeuristicAgent()


def _make_search(spec: str, variant: Variant) -> Agent:
    from agents.agent import POLICY_SUFFIX, make_policy, unknown_search
    from agents.halving import Milliseconds, parse_budget
    from agents.monte_carlo import MonteCarloAgent
    from agents.policy_search import PolicySearchAgent
    from eck_env.eck.players import PLAYERS
    from eck_env.eck.round_values import load_round_values

    _, amount, player = [*spec.split(":", 2), "random"][:3]
    searching, colon, policy = player.partition(":")
    if not (colon and policy.endswith(POLICY_SUFFIX) and searching.removesuffix("ms").isdecimal()):
        searching, policy = player, player  # a path may hold colons
    try:
        budget = parse_budget(amount)
        named = searching in PLAYERS or searching.endswith(POLICY_SUFFIX)
        inner = 0 if named else parse_budget(searching)
        if isinstance(inner, Milliseconds):
            raise ValueError(f"the search that plays the playouts takes a number of playouts, not {searching}")
    except ValueError as error:
        raise unknown_search(
            spec,
            error,
            "mc:64 (playouts for each legal card, played at random) or mc:100ms (milliseconds a decision), "
            "mc:64:heuristic, mc:40:16 (played by a search with 16), mc:64:policy.onnx (played by a policy) or "
            "mc:64:24:policy.onnx (by both together)",
        ) from error
    values = load_round_values(variant)
    if policy.endswith(POLICY_SUFFIX):
        return PolicySearchAgent(make_policy(Path(policy)), values, budget, variant.same_circle, inner=inner)
    return MonteCarloAgent(values, budget, "random" if inner else player, inner, variant.same_circle)


def _pictures(groups: Any) -> list[Any]:
    from agents.games import eck_report

    return eck_report.pictures(groups)


def _share_tables(group: Any) -> list[Any]:
    from agents.games import eck_report

    return eck_report.share_tables(group)


KIT = GameKit(EckResult, _make_heuristic, _make_search, _pictures, _share_tables)
