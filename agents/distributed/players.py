"""Playing chunks of games as tasks of a Ray cluster: in place of `agents.workers.Workers` in a contest."""

from __future__ import annotations

from concurrent.futures import Future
from types import TracebackType
from typing import Any

import ray

from agents.distributed.cluster import LOCAL, connect
from agents.evaluation import Played
from agents.workers import Chunk, play_chunk

RETRIES = 3
"""How often a chunk is played again when the process or machine that plays it dies."""


class RayPlayers:
    """A context manager that joins a cluster and leaves it at the end; games that are then still played are given up.

    The text that names an agent is read where it plays: a policy's file must lie there under the same path.

    Args:
        tasks: How many chunks are played at the same time.
        address: See `cluster.connect`.
    """

    def __init__(self, tasks: int, address: str = LOCAL) -> None:
        self.processes = tasks
        self._address = address
        self._play: Any = None

    def __enter__(self) -> RayPlayers:
        connect(self._address, self.processes)
        self._play = ray.remote(num_cpus=1, max_retries=RETRIES)(play_chunk)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        ray.shutdown()

    def submit(self, chunk: Chunk) -> Future[Played]:
        """Have a chunk played; the future gives its games."""
        played: Future[Played] = Future()
        self._play.remote(chunk).future().add_done_callback(lambda told: _pass_on(told, played))
        return played


def _pass_on(told: Future[Played], played: Future[Played]) -> None:
    """Give on what Ray tells, errors as they were raised where the chunk was played."""
    error = told.exception()
    if error is None:
        played.set_result(told.result())
    else:
        played.set_exception(getattr(error, "cause", None) or error)
