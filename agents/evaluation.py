"""Evaluation: an agent plays games whose deals are fixed by their seeds.

Game g is the first game of seed ``first_seed + g``, so every agent meets the same deals, and the games of two agents
can be compared one by one. What comes out of a game depends on the agent and the seed alone: not on the batch it is
played in, nor on the games before it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from agents.agent import Agent
from agents.results import GAME_RESULT, Result
from eck_env.batch import MAX_SEED, TRAINING_SEEDS
from eck_env.checks import choice, integer, unknown_key
from eck_env.eck.rules import WON
from eck_env.eck.variant import REGISTERED, Variant, make_variant
from eck_env.eck.vector_env import EckVectorEnv

FIRST_SEED = TRAINING_SEEDS
"""The default seed of the first game: the lowest that no training uses."""
BATCH = 1024

Progress = Callable[[int], None]

_NO_GAME = -1


def find_variant(env: str | Mapping[str, Any]) -> Variant:
    """Return the variant that a registered id or the keywords of an environment name.

    Raises:
        ValueError: If there is no such id or keyword, or a value is not allowed.
        TypeError: If a value has the wrong type.
    """
    if isinstance(env, str):
        return make_variant(**REGISTERED[choice(env, tuple(REGISTERED), "the environment")])
    known = tuple(asdict(Variant()))
    for key in env:
        if key not in known:
            raise unknown_key(key, known, "the variant")
    return make_variant(**env)


def check_request(games: int, first_seed: int, batch: int) -> None:
    """Raise ValueError if a number of games, a first seed or a batch size is not allowed."""
    integer(games, 1, MAX_SEED - TRAINING_SEEDS, "the number of games")
    integer(batch, 1, MAX_SEED, "the batch size")
    if integer(first_seed, 0, MAX_SEED, "the first seed") < TRAINING_SEEDS:
        raise ValueError(
            f"the first seed is {first_seed}, but seeds below {TRAINING_SEEDS} (2**30) are for training, where an "
            f"agent may have met their deals: choose one from {TRAINING_SEEDS} up"
        )
    integer(first_seed, TRAINING_SEEDS, MAX_SEED - games, f"the first seed of {games} games")


def evaluate(
    agent: Agent,
    env: str | Mapping[str, Any],
    games: int,
    first_seed: int = FIRST_SEED,
    batch: int = BATCH,
    progress: Progress | None = None,
    name: str | None = None,
) -> Result:
    """Let an agent play games, one for each seed from the first one up.

    Args:
        agent: Who plays.
        env: A registered id, such as ``"Eck-v0"``, or the keywords of a variant: `target`, `trick_cards`,
            `circle_follow`.
        games: How many, at least 1.
        first_seed: The seed of the first game, from 2**30 up.
        batch: How many are played at the same time; it changes the speed and nothing else.
        progress: Called with the number of games that have just ended, every time that some do.
        name: What to call the agent, if not by its own name.

    Raises:
        ValueError: If there is no such environment, or a number is not allowed.
        TypeError: If a keyword of the variant has the wrong type.
    """
    variant = find_variant(env)
    check_request(games, first_seed, batch)
    match = _Match(variant, first_seed, games, min(batch, games))
    match.warm_up(agent)
    start = time.perf_counter()
    while match.ended < games:
        before = match.ended
        match.step(agent)
        if progress is not None and match.ended > before:
            progress(match.ended - before)
    return Result(name or agent.name, variant, first_seed, match.results, time.perf_counter() - start)


class _Match:
    """Plays a list of games in the slots of one environment, which is refilled as games end.

    Slots that no game is left for play on, out of the count and without the agent, until the last game has ended.
    """

    def __init__(self, variant: Variant, first_seed: int, games: int, slots: int) -> None:
        self.results = np.zeros(games, GAME_RESULT)
        self.ended = 0
        self._started = slots
        self._first_seed = first_seed
        self._env = EckVectorEnv(num_envs=slots, autoreset_mode=AutoresetMode.DISABLED, **asdict(variant))
        self._game = np.arange(slots)
        self._keys = np.zeros((slots, 3), np.int64)
        self._keys[:, 0] = first_seed + self._game
        self._begin()

    def _begin(self) -> None:
        self._observations: Any
        self._masks: NDArray[np.int8]
        self._observations, infos = self._env.reset(seed=self._keys[:, 0].tolist())
        self._masks = infos["action_mask"]

    def warm_up(self, agent: Agent) -> None:
        """Have everything compiled or loaded by a decision and a step that do not count."""
        agent.act(self._observations[:1], self._masks[:1], self._keys[:1])
        self._env.step(self._any_legal())
        self._begin()

    def step(self, agent: Agent) -> None:
        """Have the agent decide in all games, note those that end, and start others in their place."""
        playing = self._game != _NO_GAME
        if playing.all():
            actions = agent.act(self._observations, self._masks, self._keys)
        else:
            actions = self._any_legal()
            actions[playing] = agent.act(self._observations[playing], self._masks[playing], self._keys[playing])
        self._observations, _, over, _, infos = self._env.step(actions)
        self._masks = infos["action_mask"]
        self._keys[:, 2] += 1
        if over.any():
            self._note(np.flatnonzero(over & playing))
            self._refill(over)

    def _any_legal(self) -> NDArray[np.int64]:
        actions: NDArray[np.int64] = np.argmax(self._masks, axis=1)
        return actions

    def _note(self, slots: NDArray[np.int64]) -> None:
        rows = self._game[slots]
        self.results["won"][rows] = self._env.outcomes[slots] == WON
        self.results["rounds"][rows] = self._env.round_numbers[slots] + 1
        self.results["reasons"][rows] = self._env.reasons[slots]
        self.results["decisions"][rows] = self._keys[slots, 2]
        self.ended += len(slots)

    def _refill(self, over: NDArray[np.bool_]) -> None:
        seeds: list[int | None] = [None] * len(over)  # None: the next game of the seed the slot has, for idle slots
        for slot in np.flatnonzero(over).tolist():
            self._game[slot] = _NO_GAME
            if self._started < len(self.results):
                self._game[slot] = self._started
                self._keys[slot] = (self._first_seed + self._started, 0, 0)
                seeds[slot] = int(self._keys[slot, 0])
                self._started += 1
        self._observations, infos = self._env.reset(seed=seeds, options={"reset_mask": over})
        self._masks = infos["action_mask"]
