"""Search by playouts, whatever the game: the loop over positions, and the agent around it.

A game adds two rules: one that reads a position, and one that judges actions over a number of worlds. The playouts are
spent by sequential halving (`halving.py`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.halving import Budget, Milliseconds, better_half, halve, num_stages, playouts_of, stage_worlds
from eck_env.batch import random_key
from eck_env.compiled import entry_point, lowest_bit, rule

SEARCH_PURPOSE = 2**33
"""The random stream of searches."""
_AT_ONCE = 1000
"""Over how many worlds a single call of compiled code compares actions, which no Ctrl-C can interrupt."""

JudgeActions = Callable[[Any, int, int, int, Any, np.uint64, NDArray[np.void], NDArray[np.float64]], np.uint64]


@rule
def legal_bits(mask: NDArray[np.bool_]) -> int:
    """Return the legal actions as a set of bits."""
    legal = 0
    for action in range(mask.shape[0]):
        if mask[action]:
            legal |= 1 << action
    return legal


def compile_choices(choose: Callable[[NDArray[Any], int, Any], int]) -> Callable[..., None]:
    """Return the compiled loop of a player that draws no random numbers: `(observations, masks, scratch, actions)`.

    Args:
        choose: A rule, `(observation, legal, game)`: return an action out of a set of bits, or -1 in a game that is
            over, where any will do; `game` is a record to work with.
    """

    @entry_point
    def choose_all(
        observations: NDArray[Any], masks: NDArray[np.bool_], scratch: NDArray[np.void], actions: NDArray[np.int64]
    ) -> None:
        for index in range(observations.shape[0]):
            action = choose(observations[index], legal_bits(masks[index]), scratch[0])
            if action >= 0:
                actions[index] = action

    return choose_all


def compile_halving(judge: JudgeActions) -> Callable[..., int]:
    """Return the rule that searches a position: `(game, legal, playouts, tools, key, scratch, sums)`.

    It returns the action that search plays with a budget of `playouts` times the number of legal ones; a forced one
    costs nothing. For `judge` see `compile_search`.
    """

    @rule
    def search_action(
        game: Any,
        legal: int,
        playouts: int,
        tools: Any,
        key: np.uint64,
        scratch: NDArray[np.void],
        sums: NDArray[np.float64],
    ) -> int:
        actions, worlds_before = legal, 0
        sums[0] = 0.0
        for _ in range(num_stages(legal)):
            worlds = stage_worlds(actions, legal, playouts)
            key = judge(game, actions, worlds_before, worlds, tools, key, scratch, sums)
            worlds_before += worlds
            actions = better_half(actions, sums[0])
        return lowest_bit(actions)

    return search_action


class Search(NamedTuple):
    """The compiled search of a game.

    Attributes:
        search_all: `(observations, masks, keys, playouts, tools, games, scratch, sums, actions)`: choose an action in
            each position.
        find_legal: `(observation, mask, tools, games, scratch)`: return the legal actions, as a set of bits; none in a
            game that is over.
        judge_actions: `(observation, actions, first, worlds, tools, key, games, scratch, sums)`: add to the first row
            of `sums` what so many worlds say of each action, and return the state of the random stream.
    """

    search_all: Callable[..., None]
    find_legal: Callable[..., int]
    judge_actions: Callable[..., np.uint64]


def compile_search(read: Callable[[NDArray[Any], Any, Any, NDArray[np.void]], int], judge: JudgeActions) -> Search:
    """Return the search of a game, compiled from its rules.

    Args:
        read: `(observation, game, tools, scratch)`: make a record of what the player knows, and return the actions
            that can be taken in it, as a set of bits; none in a game that is over.
        judge: `(game, actions, first, worlds, tools, key, scratch, sums)`: add to the first row of `sums` what each
            action, of a set of bits, comes to over so many worlds, after the `first` ones, and return the state of the
            random stream. The game stays as it is; nothing it holds of hidden cards may matter.
    """
    search_action = compile_halving(judge)

    @entry_point
    def search_all(
        observations: NDArray[Any],
        masks: NDArray[np.bool_],
        keys: NDArray[np.int64],
        playouts: int,
        tools: Any,
        games: NDArray[np.void],
        scratch: NDArray[np.void],
        sums: NDArray[np.float64],
        actions: NDArray[np.int64],
    ) -> None:
        game = games[0]
        for index in range(observations.shape[0]):
            legal = legal_bits(masks[index]) & read(observations[index], game, tools, scratch)
            key = random_key(keys[index, 0], keys[index, 1], keys[index, 2], SEARCH_PURPOSE)
            if legal != 0:  # else the game is over, and any action will do
                actions[index] = search_action(game, legal, playouts, tools, key, scratch, sums)

    @entry_point
    def find_legal(
        observation: NDArray[Any],
        mask: NDArray[np.bool_],
        tools: Any,
        games: NDArray[np.void],
        scratch: NDArray[np.void],
    ) -> int:
        return legal_bits(mask) & read(observation, games[0], tools, scratch)

    @entry_point
    def judge_actions(
        observation: NDArray[Any],
        actions: int,
        first: int,
        worlds: int,
        tools: Any,
        key: np.uint64,
        games: NDArray[np.void],
        scratch: NDArray[np.void],
        sums: NDArray[np.float64],
    ) -> np.uint64:
        game = games[0]
        read(observation, game, tools, scratch)
        return judge(game, actions, first, worlds, tools, key, scratch, sums)

    return Search(search_all, find_legal, judge_actions)


class SearchAgent:
    """Plays by a search.

    Args:
        name: What tables and files call it.
        search: The compiled search of the game.
        tools: What its rules work with.
        budget: Playouts a legal action, on average, or a time; halving spends them on the better ones.
        games: One record to work with.
        scratch: The records that the search's rules need.
        sums: The sums that they need, shape (rows, actions); the first row tells the actions apart.
    """

    def __init__(
        self,
        name: str,
        search: Search,
        tools: Any,
        budget: Budget,
        games: NDArray[np.void],
        scratch: NDArray[np.void],
        sums: NDArray[np.float64],
    ) -> None:
        self.name = name
        self._search, self._tools, self._budget = search, tools, budget
        self._games, self._scratch, self._sums = games, scratch, sums

    def act(self, observations: NDArray[Any], action_masks: NDArray[Any], keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Choose an action in each game; see `Agent.act`."""
        masks = np.asarray(action_masks, np.bool_)
        if isinstance(self._budget, Milliseconds) or self._budget > _AT_ONCE:
            rows = zip(observations, masks, keys.tolist(), strict=True)
            return np.array([self._choose(*row) for row in rows], np.int64).reshape(len(observations))
        actions = np.zeros(len(observations), np.int64)
        self._search.search_all(
            observations, masks, keys, self._budget, self._tools, self._games, self._scratch, self._sums, actions
        )
        return actions

    def judge(
        self, observation: NDArray[Any], mask: NDArray[np.bool_], key: list[int], worlds: int | None = None
    ) -> NDArray[np.float64]:
        """Return what so many playouts give each legal action, shape (number of actions,); 0 for the others.

        All are given the same number of playouts, other than in `act`; by default that of the budget.
        """
        worlds = playouts_of(self._budget) if worlds is None else worlds
        self._sums[:] = 0.0
        self._judge(observation, legal_bits(mask), 0, worlds, _start_key(key))
        means: NDArray[np.float64] = self._sums[0] / worlds
        return means

    def _choose(self, observation: NDArray[Any], mask: NDArray[np.bool_], key: list[int]) -> int:
        """Choose an action part by part: in the time that the budget gives, or as `search_all` does."""
        start = time.perf_counter()
        legal = int(self._search.find_legal(observation, mask, self._tools, self._games, self._scratch))
        if legal.bit_count() <= 1:
            return lowest_bit(legal) if legal else 0
        self._sums[:] = 0.0
        stream, done = _start_key(key), 0

        def judge(actions: int, worlds: int) -> None:
            nonlocal stream, done
            stream = self._judge(observation, actions, done, worlds, stream)
            done += worlds

        return halve(legal, self._budget, judge, self._sums[0], start)

    def _judge(self, observation: NDArray[Any], actions: int, first: int, worlds: int, key: np.uint64) -> np.uint64:
        for begun in range(first, first + worlds, _AT_ONCE):
            part = min(_AT_ONCE, first + worlds - begun)
            key = np.uint64(
                self._search.judge_actions(
                    observation, actions, begun, part, self._tools, key, self._games, self._scratch, self._sums
                )
            )
        return key


def _start_key(key: list[int]) -> np.uint64:
    """Return the start of the random stream of a decision."""
    with np.errstate(over="ignore"):
        return random_key(key[0], key[1], key[2], SEARCH_PURPOSE)
