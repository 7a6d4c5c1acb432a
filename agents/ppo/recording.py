"""Recording the decisions of any agent, over processes, so that a recording goes on where it was when it is killed.

Each episode is the first one of its seed, so what is recorded depends on the agent and the seeds alone: not on how the
episodes are cut into chunks, nor on who plays them.
"""

from __future__ import annotations

import functools
import hashlib
import json
import shutil
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from agents.agent import Agent, make_agent
from agents.ppo.config import EnvironmentConfig
from agents.ppo.decisions import (
    DATA_SUFFIX,
    Decisions,
    Packing,
    concatenate,
    load_about,
    load_decisions,
    save_decisions,
)
from agents.results import versions
from agents.workers import Workers, result_of
from eck_env.base.vector_env import GameVectorEnv
from eck_env.batch import TRAINING_SEEDS
from eck_env.checks import integer
from eck_env.files import write_text
from eck_env.registry import AnyVariant, make_vector_env

PARTS_SUFFIX = ".parts"
_REQUEST = "request.json"

_CONSIDERED = 25.0
"""By how much a policy's logit may be less than the highest for a search with the policy to be asked about the card."""
_FAR = 0.02
"""The regret of the other cards, on top of that of the worst one that was judged: they are out of the question."""

Watch = Callable[[int], None]
"""Told of how many episodes have just been recorded."""


@runtime_checkable
class Searcher(Protocol):
    """An agent that can say what it thinks each legal action worth."""

    def judge(self, observation: NDArray[Any], mask: NDArray[np.bool_], key: list[int]) -> NDArray[np.float64]:
        """Return the worth of each legal action; see `flat_search.SearchAgent.judge`."""
        ...


@dataclass(frozen=True)
class Recording:
    """What is to be recorded.

    Attributes:
        agent: The text that names the agent; see `make_agent`.
        environment: What it plays: the variant, what an episode is, and its rewards.
        episodes: How many.
        first_seed: The seed of the first episode; the others follow. All are below 2**30.
        chunk: Episodes that are played together, and written at a time: what a kill costs each process.
        regrets: Whether the agent, a search, is asked what each legal action is worth, and plays the best one; all are
            given the same number of playouts then, and none is spared by halving. A search with a policy is asked
            about the actions that are near the policy's choice.
        after: Decisions of each episode that are played before the first one that is recorded. A search with a policy
            leaves these to the policy.
    """

    agent: str
    environment: EnvironmentConfig
    episodes: int
    first_seed: int = 0
    chunk: int = 256
    regrets: bool = False
    after: int = 0

    def check(self) -> None:
        """Raise ValueError or OSError if this cannot be recorded."""
        integer(self.episodes, 1, TRAINING_SEEDS, "the number of episodes")
        integer(self.first_seed, 0, TRAINING_SEEDS - 1, "the first seed")
        integer(self.chunk, 1, TRAINING_SEEDS, "the number of episodes in a chunk")
        integer(self.after, 0, TRAINING_SEEDS, "the number of decisions before the first one that is recorded")
        if self.first_seed + self.episodes > TRAINING_SEEDS:
            raise ValueError(
                f"{self.episodes} episodes from seed {self.first_seed} on would reach the seeds from {TRAINING_SEEDS} "
                "(2**30) up, which are for evaluation: choose a lower first seed"
            )
        agent = make_agent(self.agent, self.environment.variant())
        observations, infos = _make_games(self.environment, 1).reset(seed=0)
        if self.regrets:
            if not isinstance(agent, Searcher):
                raise ValueError(
                    f"the agent is {self.agent!r}, but only a search, such as mc:64, can say what each action is worth"
                )
            _judge(agent, observations, infos["action_mask"], np.zeros((1, 3), np.int64))

    def about(self) -> dict[str, Any]:
        """Return what the decisions depend on, as plain data fit for JSON."""
        settings: Any = _make_games(self.environment, 1).settings
        return {
            "agent": self.agent,
            "agent_file": _file_stamp(self.agent),
            "variant": self.environment.variant_keywords(),
            "episode": settings.episode,
            "reward": settings.reward,
            "round_values": self.environment.round_values,
            "episodes": self.episodes,
            "first_seed": self.first_seed,
            "regrets": self.regrets,
            "after": self.after,
            "versions": versions(),
        }


@dataclass(frozen=True)
class Chunk:
    """Episodes of a recording that are played together: `count` of them from the seed `first` on."""

    recording: Recording
    first: int
    count: int

    def __str__(self) -> str:
        return f"{self.recording.agent}, seeds {self.first} to {self.first + self.count - 1}"


def record_chunk(chunk: Chunk) -> tuple[Decisions, float]:
    """Play the episodes of a chunk; return all decisions in them, and how many seconds it took."""
    start = time.perf_counter()
    recording = chunk.recording
    env = _make_games(recording.environment, chunk.count)
    packing = Packing(env.definition)
    agent = _agent(recording.agent, env.settings.variant)
    opening = getattr(agent, "policy", agent)
    seeds = np.arange(chunk.first, chunk.first + chunk.count)
    observations, infos = env.reset(seed=seeds.tolist())
    playing = np.ones(chunk.count, np.bool_)
    rewards: list[NDArray[np.float64]] = []
    seen: list[tuple[NDArray[Any], ...]] = []
    while playing.any():
        slots = np.flatnonzero(playing)
        masks = infos["action_mask"]
        keys = np.zeros((len(slots), 3), np.int64)
        keys[:, 0], keys[:, 2] = seeds[slots], len(rewards)
        actions = np.argmax(masks, axis=1)  # games whose episode is over play on, out of the count
        position = observations[slots], masks[slots]
        regrets = np.zeros((len(slots), masks.shape[1] if recording.regrets else 0), np.float16)
        if len(rewards) < recording.after:
            actions[slots] = opening.act(*position, keys)
        elif recording.regrets:
            actions[slots], regrets = _judge(agent, *position, keys)
        else:
            actions[slots] = agent.act(*position, keys)
        kept = slice(None if len(rewards) >= recording.after else 0)
        packed = packing.pack_observations(position[0][kept]), packing.pack_masks(position[1][kept])
        seen.append((slots[kept], *packed, actions[slots][kept], regrets[kept]))
        observations, reward, over, _, infos = env.step(actions)
        rewards.append(np.where(playing, reward, 0.0))
        playing &= ~over
    returns = np.cumsum(np.array(rewards)[::-1], axis=0)[::-1]
    return _by_episode(seen, returns, seeds), time.perf_counter() - start


def _judge(
    agent: Any, observations: NDArray[Any], masks: NDArray[Any], keys: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float16]]:
    """Return the best action in each position, as a search judges them, and by how much all legal ones are worse."""
    legal = asked = masks != 0
    if hasattr(agent, "policy"):
        logits, _ = agent.policy.logits_and_values(observations, masks)
        asked = legal & (logits >= logits.max(axis=1, keepdims=True) - _CONSIDERED)
    rows = zip(observations, asked, keys.tolist(), strict=True)
    judged = [agent.judge(*row) if np.count_nonzero(row[1]) > 1 else row[1] for row in rows]
    worths = np.where(asked, np.array(judged), -np.inf)
    regrets = np.where(asked, worths.max(axis=1, keepdims=True) - worths, 0.0)
    regrets = np.where(legal & ~asked, regrets.max(axis=1, keepdims=True) + _FAR, regrets)
    return worths.argmax(axis=1), regrets.astype(np.float16)


def _make_games(environment: EnvironmentConfig, count: int) -> GameVectorEnv[Any]:
    return make_vector_env(environment.id, count, autoreset_mode=AutoresetMode.NEXT_STEP, **environment.keywords())


def _by_episode(
    seen: list[tuple[NDArray[Any], ...]], returns: NDArray[np.float64], seeds: NDArray[np.int64]
) -> Decisions:
    """Return what was seen step by step, in the order of the episodes."""
    slots, observations, masks, actions, regrets = (np.concatenate(part) for part in zip(*seen, strict=True))
    numbers = np.repeat(np.arange(len(seen)), [len(step[0]) for step in seen])
    order = np.argsort(slots, kind="stable")
    slots, numbers = slots[order], numbers[order]
    return Decisions(
        observations[order],
        masks[order],
        actions[order].astype(np.uint8),
        returns[numbers, slots].astype(np.float32),
        regrets[order],
        seeds[slots].astype(np.uint32),
        numbers.astype(np.uint16),
    )


class Recorder:
    """Plays a recording and keeps what is finished: chunks in FILE.parts while it goes on, FILE at its end.

    Args:
        recording: What is to be recorded.
        path: The file to write.
        resume: Go on with what is there, parts or the whole; if nothing is there, begin.

    Raises:
        ValueError: If it cannot be recorded, or something is there that is not to be gone on with.
        OSError: If a file cannot be read.
    """

    def __init__(self, recording: Recording, path: Path, resume: bool = False) -> None:
        if path.suffix != DATA_SUFFIX:
            raise ValueError(f"the file to write is {str(path)!r}, but must end in {DATA_SUFFIX}")
        recording.check()
        self._recording, self._path = recording, path
        self._about = recording.about()
        self._parts = path.with_name(path.name + PARTS_SUFFIX)
        if self._parts.exists() and not resume:
            raise ValueError(f"{self._parts} holds a recording that was begun: go on with it by --resume, or remove it")
        self._finished = path.exists()
        if self._finished and not resume:
            raise ValueError(f"{path} is there already: name another file by --out, or remove it")
        if self._finished:
            self._check_same(load_about(path), self._about, path)
        elif self._parts.exists():
            self._check_same(self._stored_request(), self._request, self._parts)

    def record(self, processes: int, watch: Watch) -> int:
        """Play what is missing, write the file, and return how many decisions it holds.

        Raises:
            WorkerError: If episodes could not be played.
            ValueError: If a chunk on disk is damaged, or no episode has a decision to record.
            OSError: If a file cannot be written.
        """
        if self._finished:
            watch(self._recording.episodes)
            return len(load_decisions(self._path))
        self._parts.mkdir(parents=True, exist_ok=True)
        write_text(self._parts / _REQUEST, json.dumps(self._request, indent=2) + "\n")
        for chunk in self._chunks():
            if self._part(chunk).exists():
                watch(chunk.count)
        for chunk, (decisions, seconds) in self._play(processes):
            save_decisions(self._part(chunk), decisions, self._about | {"seconds": seconds})
            watch(chunk.count)
        parts = [self._part(chunk) for chunk in self._chunks()]
        whole = concatenate([load_decisions(part) for part in parts])
        if not len(whole):
            shutil.rmtree(self._parts)
            raise ValueError(
                f"--after is {self._recording.after}, but none of the {self._recording.episodes} episodes has more "
                "decisions than that: choose a smaller number"
            )
        seconds = sum(load_about(part)["seconds"] for part in parts)
        save_decisions(self._path, whole, self._about | {"seconds": seconds})
        shutil.rmtree(self._parts)
        return len(whole)

    @property
    def _request(self) -> dict[str, Any]:
        return {**self._about, "chunk": self._recording.chunk}

    def _chunks(self) -> Iterator[Chunk]:
        first, size = self._recording.first_seed, self._recording.chunk
        stop = first + self._recording.episodes
        return (Chunk(self._recording, seed, min(size, stop - seed)) for seed in range(first, stop, size))

    def _part(self, chunk: Chunk) -> Path:
        return self._parts / f"{chunk.first:010}{DATA_SUFFIX}"

    def _play(self, processes: int) -> Iterator[tuple[Chunk, tuple[Decisions, float]]]:
        """Yield the chunks that are missing as they are finished; each process has one that waits for it."""
        missing = (chunk for chunk in self._chunks() if not self._part(chunk).exists())
        running: dict[Future[tuple[Decisions, float]], Chunk] = {}
        with Workers(processes) as workers:
            while True:
                while len(running) < (2 * processes if processes > 1 else 1) and (chunk := next(missing, None)):
                    running[workers.call(record_chunk, chunk)] = chunk
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    chunk = running.pop(future)
                    yield chunk, result_of(future, chunk)

    def _stored_request(self) -> dict[str, Any]:
        path = self._parts / _REQUEST
        try:
            return dict(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, TypeError, ValueError) as error:
            raise ValueError(f"{path} is damaged ({error}): remove {self._parts} and begin anew") from error

    @staticmethod
    def _check_same(stored: dict[str, Any], wanted: dict[str, Any], where: Path) -> None:
        changed = [key for key in wanted if stored.get(key) != wanted[key]]
        if changed:
            raise ValueError(
                f"{where} holds another recording: {', '.join(changed)} differ(s). Ask for the same one, name another "
                "file by --out, or remove it"
            )


@functools.cache
def _agent(spec: str, variant: AnyVariant) -> Agent:
    """Return an agent that a process needs for chunk after chunk."""
    return make_agent(spec, variant)


def _file_stamp(spec: str) -> str | None:
    """Return a hash of the files that the text of an agent names, if any."""
    parts = spec.split(":")
    texts = (":".join(parts[start:stop]) for start in range(len(parts)) for stop in range(start + 1, len(parts) + 1))
    files = [Path(text) for text in texts if Path(text).is_file()]
    if not files:
        return None
    return hashlib.blake2b(b"".join(file.read_bytes() for file in files), digest_size=8).hexdigest()
