"""Heuristic agents: they play by the advice that a good human player would give (`players.py` of each game)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.flat_search import compile_choices
from eck_env.compiled import rule
from eck_env.eck import observation as eck_observation
from eck_env.eck.cards import bag_kinds
from eck_env.eck.players import HEURISTIC
from eck_env.eck.playouts import choose_card
from eck_env.eck.state import GAME as ECK_GAME
from eck_env.gongor_whist import observation as gongor_observation
from eck_env.gongor_whist.players import heuristic_action
from eck_env.gongor_whist.rules import OVER
from eck_env.gongor_whist.state import GAME as GONGOR_GAME
from eck_env.numberless import observation as numberless_observation
from eck_env.numberless.players import heuristic_card
from eck_env.numberless.state import GAME as NUMBERLESS_GAME


@rule
def _choose_in_eck(observation: NDArray[Any], legal: int, game: Any) -> int:
    eck_observation.restore(observation, game)
    legal &= bag_kinds(game.hand)
    return choose_card(game, legal, HEURISTIC, np.uint64(0)) if legal != 0 else -1


@rule
def _choose_in_gongor(observation: NDArray[Any], legal: int, game: Any) -> int:
    gongor_observation.restore(observation, game)
    return heuristic_action(game) if game.phase != OVER else -1


@rule
def _choose_in_numberless(observation: NDArray[Any], legal: int, game: Any) -> int:
    numberless_observation.restore(observation, game)
    return heuristic_card(game) if not game.over else -1


class CompiledAgent:
    """Plays as a compiled player does that draws no random numbers.

    Args:
        choose: The compiled loop over positions; see `compile_choices`.
        dtype: The type of a game's record.
    """

    name = "heuristic"

    def __init__(self, choose: Callable[..., None], dtype: np.dtype[Any]) -> None:
        self._choose, self._scratch = choose, np.zeros(1, dtype)

    def act(self, observations: NDArray[Any], action_masks: NDArray[Any], keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Choose an action in each game; see `Agent.act`."""
        actions = np.zeros(len(observations), np.int64)
        self._choose(observations, np.asarray(action_masks, np.bool_), self._scratch, actions)
        return actions


_IN_ECK, _IN_GONGOR = compile_choices(_choose_in_eck), compile_choices(_choose_in_gongor)
_IN_NUMBERLESS = compile_choices(_choose_in_numberless)


class HeuristicAgent(CompiledAgent):
    """In ECK: weighs for every legal card what the trick and the round are likely to bring, and plays the best."""

    def __init__(self) -> None:
        super().__init__(_IN_ECK, ECK_GAME)


class GongorHeuristicAgent(CompiledAgent):
    """In Gongor Whist: bids by strength, plays to make the bid, and twiddles where that is likely to help."""

    def __init__(self) -> None:
        super().__init__(_IN_GONGOR, GONGOR_GAME)


class NumberlessHeuristicAgent(CompiledAgent):
    """In the game without numbers: keeps its hand flexible; second, it avoids patterns that all are likely to fit."""

    def __init__(self) -> None:
        super().__init__(_IN_NUMBERLESS, NUMBERLESS_GAME)
