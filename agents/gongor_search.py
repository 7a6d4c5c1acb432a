"""Flat Monte Carlo search in Gongor Whist: the legal actions are judged by playing the hand to its end many times.

Bids, cards and twiddles alike. Before each playout the hidden cards, the Aces that have not been turned and all later
randomness are drawn anew; the actions compared share these worlds. The end of a hand is judged by the table of round
values. A compiled player plays the playouts: the heuristic one, unless another is named, for at random a bid is hardly
ever made.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.agent import Agent, unknown_search
from agents.flat_search import SearchAgent, compile_search
from agents.halving import Budget, parse_budget
from eck_env.checks import choice
from eck_env.compiled import rule
from eck_env.gongor_whist.observation import restore
from eck_env.gongor_whist.players import PLAYERS
from eck_env.gongor_whist.playouts import rate_actions
from eck_env.gongor_whist.round_values import RoundValues, load_round_values
from eck_env.gongor_whist.rules import NUM_ACTIONS, OVER, legal_actions
from eck_env.gongor_whist.state import GAME
from eck_env.gongor_whist.variant import Variant

_NUM_SCRATCH = 2


class Tools(NamedTuple):
    """What the search works with.

    Attributes:
        player: Who plays the playouts: a value of `players.PLAYERS`.
        values: The table of round values.
    """

    player: int
    values: NDArray[np.float64]


@rule
def _read(observation: NDArray[Any], game: Any, tools: Tools, scratch: NDArray[np.void]) -> int:
    """Make a record of a position, and return the legal actions."""
    restore(observation, game)
    return legal_actions(game) if game.phase != OVER else 0


@rule
def _judge(
    game: Any,
    actions: int,
    first: int,
    worlds: int,
    tools: Tools,
    key: np.uint64,
    scratch: NDArray[np.void],
    sums: NDArray[np.float64],
) -> np.uint64:
    return rate_actions(game, actions, worlds, tools.player, tools.values, key, scratch, sums[0])


_SEARCH = compile_search(_read, _judge)


class GongorSearchAgent(SearchAgent):
    """Flat Monte Carlo search.

    Args:
        round_values: What the ends of hands are worth.
        budget: Playouts a legal action, on average, or a time; halving spends them on the better ones.
        player: Who plays the playouts: a name out of `players.PLAYERS`.
    """

    def __init__(self, round_values: RoundValues, budget: Budget = 64, player: str = "heuristic") -> None:
        name = f"mc:{budget}" + ("" if player == "heuristic" else f":{player}")
        tools = Tools(PLAYERS[player], round_values.values)
        games, scratch, sums = np.zeros(1, GAME), np.zeros(_NUM_SCRATCH, GAME), np.zeros((1, NUM_ACTIONS))
        super().__init__(name, _SEARCH, tools, budget, games, scratch, sums)


def make_search(spec: str, variant: Variant) -> Agent:
    """Return the search that ``mc:BUDGET`` or ``mc:BUDGET:PLAYER`` names.

    Raises:
        ValueError: If the text names none, or there is no table of round values for the variant.
    """
    _, amount, player = [*spec.split(":", 2), "heuristic"][:3]
    try:
        budget = parse_budget(amount)
        choice(player, tuple(PLAYERS), "the player of the playouts")
    except ValueError as error:
        known = (
            "mc:64 (playouts for each legal action, played by the heuristic player), mc:100ms (milliseconds a "
            "decision) or mc:64:random"
        )
        raise unknown_search(spec, error, known) from error
    return GongorSearchAgent(load_round_values(variant), budget, player)
