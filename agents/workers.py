"""Playing chunks of games, and whatever else is done in chunks, here or in processes of their own.

A worker process makes its agents itself, out of their texts. It uses one thread, leaves Ctrl-C to the process that
started it, and ends with it, however that one ends.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import wait as wait_for
from types import TracebackType
from typing import TypeVar

from agents.agent import Agent, make_agent
from agents.evaluation import Played, play, warm_up
from agents.results import variant_title
from eck_env.checks import integer
from eck_env.registry import AnyVariant

Job = TypeVar("Job")
Outcome = TypeVar("Outcome")

MAX_PROCESSES = 1024
THREADS = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
}
"""The environment that keeps the numeric libraries of a worker to one thread; they read it when they are loaded."""


class WorkerError(RuntimeError):
    """A job, such as games, could not be done; the message says which, and why."""


@dataclass(frozen=True)
class Chunk:
    """Games that are played in one go.

    Attributes:
        agent: The text that names the agent; see `make_agent`.
        variant: What is played.
        first_seed: The seed of the first game.
        games: How many there are.
        batch: How many are played at the same time.
    """

    agent: str
    variant: AnyVariant
    first_seed: int
    games: int
    batch: int

    def __str__(self) -> str:
        last = self.first_seed + self.games - 1
        return f"{self.agent} on {variant_title(self.variant)}, seeds {self.first_seed} to {last}"


Agents = dict[tuple[str, AnyVariant], Agent]
"""Agents that have been made, and have made a decision that does not count."""

_AGENTS: Agents = {}
"""Those of a worker process."""


def play_chunk(chunk: Chunk, agents: Agents = _AGENTS) -> Played:
    """Play the games of a chunk, with an agent that is made if it is not among those that have been."""
    key = chunk.agent, chunk.variant
    if key not in agents:
        agent = make_agent(*key)
        warm_up(agent, chunk.variant, chunk.first_seed)
        agents[key] = agent
    return play(agents[key], chunk.variant, chunk.first_seed, chunk.games, chunk.batch)


def check_processes(processes: int) -> None:
    """Raise ValueError if this is no number of processes that can play."""
    integer(processes, 1, MAX_PROCESSES, "the number of processes")


class Workers:
    """Plays chunks in a number of processes; with one, in this very process.

    A context manager: left by an exception, it ends the processes at once.
    """

    def __init__(self, processes: int) -> None:
        self.processes = processes
        self._pool: ProcessPoolExecutor | None = None
        self._others: list[multiprocessing.process.BaseProcess] = []
        self._agents: Agents = {}

    def __enter__(self) -> Workers:
        if self.processes > 1:
            self._others = list(multiprocessing.active_children())
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self.processes, context, _prepare)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._pool is None:
            return
        if kind is not None:
            for process in multiprocessing.active_children():
                if process not in self._others:
                    process.terminate()
        self._pool.shutdown(cancel_futures=True)

    def submit(self, chunk: Chunk) -> Future[Played]:
        """Have a chunk played; `result_of` the future are its games."""
        return self.call(play_chunk if self._pool else lambda one: play_chunk(one, self._agents), chunk)

    def call(self, function: Callable[[Job], Outcome], job: Job) -> Future[Outcome]:
        """Have a function of a module called with a job, whose text says what it is about; see `result_of`."""
        if self._pool is None:
            return _call_here(function, job)
        try:
            with _environment(THREADS), _interrupts_held():  # a process may be started here and inherits both
                return self._pool.submit(function, job)
        except BrokenProcessPool as error:
            raise _broken(job) from error


def _call_here(function: Callable[[Job], Outcome], job: Job) -> Future[Outcome]:
    future: Future[Outcome] = Future()
    try:
        future.set_result(function(job))
    except Exception as error:
        future.set_exception(error)
    return future


def result_of(future: Future[Outcome], job: object) -> Outcome:
    """Return what came of a job, such as the games of a chunk.

    Raises:
        WorkerError: If it could not be done.
    """
    try:
        return future.result()
    except BrokenProcessPool as error:
        raise _broken(job) from error
    except Exception as error:
        raise WorkerError(f"{job}: {type(error).__name__}: {error}") from error


def _broken(job: object) -> WorkerError:
    return WorkerError(
        f"{job}: a worker process has ended abruptly; if the memory ran out, use fewer processes or a smaller batch"
    )


@contextmanager
def _environment(variables: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back for a moment; processes started meanwhile never hear of it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _prepare() -> None:
    """Make a process a worker; it runs there before anything else."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None
    threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait_for([sentinel])
    os._exit(1)
