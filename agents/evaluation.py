"""Evaluation: an agent plays games whose deals are fixed by their seeds.

Game g is the first game of seed ``first_seed + g``, so every agent meets the same deals, and the games of two agents
can be compared one by one. What comes out of a game depends on the agent and the seed alone: not on the batch it is
played in, nor on the games before it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from agents.agent import Agent
from agents.results import NO_ROUND, Result, result_class
from eck_env.batch import MAX_SEED, TRAINING_SEEDS, WON
from eck_env.checks import integer
from eck_env.registry import AnyVariant, make_batch
from eck_env.registry import find_variant as find_variant

FIRST_SEED = TRAINING_SEEDS
"""The default seed of the first game: the lowest that no training uses."""
BATCH = 1024

Progress = Callable[[int], None]

_NO_GAME = -1


@dataclass(frozen=True, eq=False)
class Played:
    """Games that were played, in the order of their seeds.

    Attributes:
        games: Shape (n,), dtype `Result.game_dtype`.
        seconds: How long they took, environment included.
        agent_seconds: The processor time of the agent's decisions.
    """

    games: NDArray[np.void]
    seconds: float
    agent_seconds: float

    def result(self, agent: str, variant: AnyVariant, first_seed: int) -> Result:
        """Return the games as the result of an agent."""
        return result_class(variant)(agent, variant, first_seed, self.games, self.seconds, self.agent_seconds)


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
        env: A registered id, such as ``"Eck-v0"``, or the keywords of a variant; see `registry.find_variant`.
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
    warm_up(agent, variant, first_seed)
    played = play(agent, variant, first_seed, games, batch, progress)
    return played.result(name or agent.name, variant, first_seed)


def warm_up(agent: Agent, variant: AnyVariant, seed: int) -> None:
    """Have everything compiled or loaded by a decision and a step that do not count."""
    env = make_batch(variant, 1, autoreset_mode=AutoresetMode.DISABLED)
    observations, infos = env.reset(seed=seed)
    env.step(agent.act(observations, infos["action_mask"], np.array([[seed, 0, 0]])))


def play(
    agent: Agent, variant: AnyVariant, first_seed: int, games: int, batch: int, progress: Progress | None = None
) -> Played:
    """As `evaluate`, of arguments that have been checked, without the warm-up."""
    start = time.perf_counter()
    match = _Match(variant, first_seed, games, min(batch, games))
    while match.ended < games:
        before = match.ended
        match.step(agent)
        if progress is not None and match.ended > before:
            progress(match.ended - before)
    return Played(match.results, time.perf_counter() - start, match.agent_seconds)


def empty_games(count: int, variant: AnyVariant) -> NDArray[np.void]:
    """Return the results of so many games of which nothing is known yet."""
    games = np.zeros(count, result_class(variant).game_dtype(variant))
    for name in games.dtype.names or ():
        if games[name].ndim > 1:
            games[name] = NO_ROUND
    return games


class _Match:
    """Plays a list of games in the slots of one environment, which is refilled as games end.

    Slots that no game is left for play on, out of the count and without the agent, until the last game has ended.
    """

    def __init__(self, variant: AnyVariant, first_seed: int, games: int, slots: int) -> None:
        self._kind = result_class(variant)
        self.results = empty_games(games, variant)
        self.ended = 0
        self.agent_seconds = 0.0
        self._started = slots
        self._first_seed = first_seed
        self._env = make_batch(variant, slots, autoreset_mode=AutoresetMode.DISABLED)
        self._outputs = self._env.make_outputs()
        self._game = np.arange(slots)
        self._keys = np.zeros((slots, 3), np.int64)
        self._keys[:, 0] = first_seed + self._game
        self._env.reset(seed=self._keys[:, 0].tolist(), out=self._outputs)

    def step(self, agent: Agent) -> None:
        """Have the agent decide in all games, note what ends, and start others in the place of finished games."""
        playing = self._game != _NO_GAME
        if playing.all():
            actions = self._ask(agent, slice(None))
        else:
            actions = np.argmax(self._outputs.masks, axis=1)
            actions[playing] = self._ask(agent, playing)
        self._env.step(actions, out=self._outputs)
        self._keys[:, 2] += 1
        self._note_rounds(np.flatnonzero((self._outputs.events[:, self._kind.ROUND_OVER] == 1) & playing))
        over = self._outputs.terminated
        if over.any():
            self._note_games(np.flatnonzero(over & playing))
            self._refill(over.copy())

    def _ask(self, agent: Agent, slots: Any) -> NDArray[np.int64]:
        observations, masks, keys = self._outputs.observations[slots], self._outputs.masks[slots], self._keys[slots]
        # Processor time: other work on the same cores, such as other processes of this evaluation, does not count.
        start = time.process_time()
        actions = agent.act(observations, masks, keys)
        self.agent_seconds += time.process_time() - start
        return actions

    def _note_rounds(self, slots: NDArray[np.intp]) -> None:
        rows = self._game[slots]
        self._kind.note_rounds(self.results, rows, self._outputs.events[slots])
        self.results["rounds"][rows] += 1

    def _note_games(self, slots: NDArray[np.intp]) -> None:
        rows = self._game[slots]
        self.results["won"][rows] = self._env.outcomes[slots] == WON
        reasons = self._env.reasons[slots]
        self.results["rounds"][rows] += reasons & self._env.definition.illegal_action != 0  # it has ended a round, too
        self.results["reasons"][rows] = reasons
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
        self._env.reset(seed=seeds, options={"reset_mask": over}, out=self._outputs)
