"""Flat Monte Carlo search in the game without numbers: playouts to the end over what is hidden, drawn anew.

Each world is consistent with what the seat knows: the hands that it saw in the draft and its picks, the cards played
and by whom, and what others cannot hold since they could not fit (`eck_env/numberless/worlds.py`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.agent import Agent, unknown_search
from agents.flat_search import SearchAgent, compile_search
from agents.halving import Budget, parse_budget
from eck_env.batch import mix
from eck_env.compiled import lowest_bit, rule
from eck_env.numberless.cards import NUM_CARDS
from eck_env.numberless.engine import act
from eck_env.numberless.observation import restore
from eck_env.numberless.playouts import finish_game
from eck_env.numberless.rules import legal_cards, margin_of, reward_of
from eck_env.numberless.state import GAME
from eck_env.numberless.variant import PLAYERS, YOUR_SEAT, Variant
from eck_env.numberless.worlds import Table, deal_hidden, make_table

_WORLD, _PLAYOUT = 0, 1  # the scratch records
_CARD_WORTH = 0.15
"""What a card less counts where the search is to play well: it tells cards apart with fewer playouts."""


class Tools(NamedTuple):
    """What the search works with.

    Attributes:
        player: Who plays the playouts, a value of `variant.PLAYERS`.
        card_worth: What a card less than the others counts beside the share of the win.
        table: Room to draw worlds in.
    """

    player: int
    card_worth: float
    table: Table


@rule
def _read(observation: NDArray[Any], game: Any, tools: Tools, scratch: NDArray[np.void]) -> int:
    restore(observation, game)
    return 0 if game.over else legal_cards(game)


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
    """Judge cards by playouts; all of them in the same worlds, with the same random numbers."""
    for _ in range(worlds):
        scratch[_WORLD] = game
        key = deal_hidden(scratch[_WORLD], YOUR_SEAT, key, tools.table)
        rest = actions
        while rest:
            card = lowest_bit(rest)
            rest &= rest - 1
            scratch[_PLAYOUT] = scratch[_WORLD]
            playout = scratch[_PLAYOUT]
            act(playout, card)
            finish_game(playout, tools.player, mix(~key))
            sums[0, card] += reward_of(playout, YOUR_SEAT) + tools.card_worth * margin_of(playout, YOUR_SEAT)
    return key


_SEARCH = compile_search(_read, _judge)


class NumberlessSearchAgent(SearchAgent):
    """Flat Monte Carlo search.

    Args:
        budget: Playouts a legal card, on average, or a time; halving spends them on the better ones.
        player: Who plays the playouts: a name out of `variant.PLAYERS`.
        card_worth: What a card less than the others counts beside the share of the win.

    Attributes:
        player: Who plays the playouts.
    """

    def __init__(self, budget: Budget = 64, player: str = "random", card_worth: float = _CARD_WORTH) -> None:
        name = f"mc:{budget}" + ("" if player == "random" else f":{player}")
        tools = Tools(PLAYERS[player], card_worth, make_table())
        super().__init__(name, _SEARCH, tools, budget, np.zeros(1, GAME), np.zeros(2, GAME), np.zeros((1, NUM_CARDS)))
        self.player = player


def make_search(spec: str, variant: Variant) -> Agent:
    """Return the search that a text names; see `agents.agent.make_agent`.

    Raises:
        ValueError: If it names none.
    """
    _, amount, player = [*spec.split(":", 2), "random"][:3]
    try:
        budget = parse_budget(amount)
        if player not in PLAYERS:
            raise ValueError(f"{player!r} plays no playouts, but {' and '.join(PLAYERS)} do")
    except ValueError as error:
        raise unknown_search(
            spec,
            error,
            "mc:64 (playouts for each legal card, played at random), mc:100ms (milliseconds a decision) or "
            "mc:64:heuristic (played by the heuristic player)",
        ) from error
    return NumberlessSearchAgent(budget, player)
