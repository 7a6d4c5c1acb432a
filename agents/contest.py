"""A contest: agents play the same deals of one or more variants, over processes, and it can go on after a kill.

What comes out does not depend on how the games are cut into chunks, nor on who plays them.
"""

from __future__ import annotations

import hashlib
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

import numpy as np

from agents.agent import Agent, make_agents, resolve
from agents.chunk_store import ChunkStore, StoredChunk
from agents.evaluation import BATCH, FIRST_SEED, Played, check_request, empty_games
from agents.results import Result, variant_title, versions
from agents.workers import Chunk, Workers, check_processes, result_of
from eck_env.compiled import source_stamp
from eck_env.registry import AnyVariant

CHUNK_SECONDS = 10.0
"""About how long a chunk takes: what a kill may cost."""
_MIN_SECONDS = 0.25  # below that, handing out chunks would cost more than it balances
_FIRST_CHUNK = 2  # games, until the speed of an agent is known
_GROWTH = 16  # how many times more games than the chunks before a chunk may have


class Players(Protocol):
    """Who plays chunks: `Workers`, or others with the same methods.

    Attributes:
        processes: How many chunks they play at the same time.
    """

    processes: int

    def __enter__(self) -> Players: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...

    def submit(self, chunk: Chunk) -> Future[Played]:
        """Have a chunk played; the future gives its games."""
        ...


Watch = Callable[[int, int], None]
"""Told of the place of an agent and variant in the contest, and of how many games have just ended."""


@dataclass(frozen=True)
class Contest:
    """What is to be played.

    Attributes:
        agents: The texts that name the agents; see `make_agent`.
        variants: The variants.
        games: How many games each agent plays of each variant.
        first_seed: The seed of the first game; the others follow.
    """

    agents: tuple[str, ...]
    variants: tuple[AnyVariant, ...]
    games: int
    first_seed: int = FIRST_SEED


@dataclass(frozen=True)
class Entry:
    """An agent on a variant.

    Attributes:
        spec: The text that names the agent.
        name: What to call the agent.
        variant: What it plays.
    """

    spec: str
    name: str
    variant: AnyVariant


class Plan:
    """A contest that has been checked: every agent could be made.

    Attributes:
        contest: What is to be played.
        entries: Every agent on every variant, the variants one after another.
        request: All that the results depend on, as plain data fit for JSON.

    Raises:
        ValueError: If the contest asks for something that there is not, or for the same thing twice.
        FileNotFoundError: If a file of an agent is missing.
    """

    def __init__(self, contest: Contest) -> None:
        check_request(contest.games, contest.first_seed, 1)
        if not contest.variants or len(set(contest.variants)) < len(contest.variants):
            raise ValueError("a contest needs one or more variants, each named once")
        self.contest = contest
        self.entries: list[Entry] = []
        stamps: dict[str, str] = {}
        for variant in contest.variants:
            specs = [resolve(spec, variant) for spec in contest.agents]
            made = make_agents(specs, variant)
            for text, spec, (name, agent) in zip(contest.agents, specs, made.items(), strict=True):
                # What has another file for each variant goes by one name, so that tables show it in one row.
                self.entries.append(Entry(spec, name if spec == text else text, variant))
                stamps[spec] = _agent_stamp(spec, agent)
        self.request: dict[str, Any] = {
            "agents": list(contest.agents),
            "variants": [variant_title(variant) for variant in contest.variants],
            "first_seed": contest.first_seed,
            "games": contest.games,
            "code and files of": {"eck_env": _engine_stamp(), **stamps},
            "version of": versions(),
        }


def run(
    plan: Plan,
    processes: int = 1,
    batch: int = BATCH,
    store: ChunkStore | None = None,
    watch: Watch | None = None,
    players: Players | None = None,
) -> list[Result]:
    """Play a contest and return the results, in the order of the plan's entries.

    Args:
        plan: What is to be played.
        processes: How many processes play; they change the speed and nothing else.
        batch: How many games each plays at the same time, likewise.
        store: Where finished chunks are kept, begun for this plan; those that it holds are not played again.
        watch: Told of games that have ended.
        players: Who plays in place of processes on this machine.

    Raises:
        ValueError: If a number is not allowed.
        WorkerError: If games could not be played.
        ResumeError: If the store is damaged.
        OSError: If a chunk cannot be written.
    """
    contest = plan.contest
    check_request(contest.games, contest.first_seed, batch)
    check_processes(processes)
    ledgers = [_Ledger(contest.games, entry.variant) for entry in plan.entries]
    for kept in store.load([entry.variant for entry in plan.entries]) if store is not None else ():
        ledgers[kept.entry].note(kept.first, kept.played)
        _tell(watch, kept.entry, kept.played)
    with Workers(processes) if players is None else players as workers:
        for chunk in _play(plan, ledgers, workers, batch):
            if store is not None:
                store.save(chunk)
            _tell(watch, chunk.entry, chunk.played)
    return [
        ledger.played.result(entry.name, entry.variant, contest.first_seed)
        for entry, ledger in zip(plan.entries, ledgers, strict=True)
    ]


def _tell(watch: Watch | None, entry: int, played: Played) -> None:
    if watch is not None:
        watch(entry, len(played.games))


def _play(plan: Plan, ledgers: Sequence[_Ledger], workers: Players, batch: int) -> Iterator[StoredChunk]:
    """Hand out the games that are missing, and yield chunks as they are finished."""
    running: dict[Future[Played], tuple[int, int, Chunk]] = {}
    while True:
        while len(running) < workers.processes and (place := _next_entry(ledgers)) is not None:
            first, games = ledgers[place].take(workers.processes)
            entry = plan.entries[place]
            chunk = Chunk(entry.spec, entry.variant, plan.contest.first_seed + first, games, batch)
            running[workers.submit(chunk)] = (place, first, chunk)
        if not running:
            return
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            place, first, chunk = running.pop(future)
            played = result_of(future, chunk)
            ledgers[place].note(first, played)
            yield StoredChunk(place, first, played)


def _next_entry(ledgers: Sequence[_Ledger]) -> int | None:
    return next((place for place, ledger in enumerate(ledgers) if ledger.left), None)


class _Ledger:
    """Keeps the games of one entry: which are played, and which somebody has been given to play."""

    def __init__(self, games: int, variant: AnyVariant) -> None:
        self.games = empty_games(games, variant)
        self.seconds = self.agent_seconds = 0.0
        self._given = np.zeros(games, np.bool_)
        self._largest = 0
        self._pace = math.inf  # seconds a game

    @property
    def left(self) -> int:
        """How many games nobody has been given yet."""
        return int(np.count_nonzero(~self._given))

    @property
    def played(self) -> Played:
        """What has been played."""
        return Played(self.games, self.seconds, self.agent_seconds)

    def take(self, processes: int) -> tuple[int, int]:
        """Give out games: the place of the first, and how many."""
        first = int(np.argmin(self._given))
        taken = np.flatnonzero(self._given[first:])
        free = int(taken[0]) if len(taken) else len(self._given) - first
        count = min(self._size(processes), free)
        self._given[first : first + count] = True
        return first, count

    def _size(self, processes: int) -> int:
        """Return how many games make a chunk: some seconds' worth, and fewer towards the end."""
        if not self._largest:
            return _FIRST_CHUNK
        wanted = min(CHUNK_SECONDS / self._pace, _GROWTH * self._largest)
        if processes > 1:
            wanted = min(wanted, max(self.left / (2 * processes), _MIN_SECONDS / self._pace))
        return max(1, int(wanted))

    def note(self, first: int, played: Played) -> None:
        """Note games that have been played."""
        count = len(played.games)
        self.games[first : first + count] = played.games
        self._given[first : first + count] = True
        self.seconds += played.seconds
        self.agent_seconds += played.agent_seconds
        if count >= self._largest:
            self._largest, self._pace = count, max(played.seconds, 1e-9) / count


# --- What the results depend on --------------------------------------------------------------------------------------


def _agent_stamp(spec: str, agent: Agent) -> str:
    """Return a hash of the code of an agent and of the files that its text names."""
    digest = hashlib.blake2b(digest_size=8)
    for path in _source_files(type(agent).__module__):
        digest.update(path.read_bytes())
    parts = spec.split(":")
    for named in (":".join(parts[start:]) for start in range(len(parts))):
        if Path(named).is_file():
            digest.update(Path(named).read_bytes())
    return digest.hexdigest()


def _source_files(module: str) -> list[Path]:
    """Return the file of a module, and of all modules of this package that it takes something from."""
    own = f"{__package__}."
    found: set[str] = set()
    new = {module}
    while new:
        name = new.pop()
        found.add(name)
        sources = {getattr(value, "__module__", None) for value in vars(sys.modules[name]).values()}
        new |= {source for source in sources if isinstance(source, str) and source.startswith(own)} - found
    files = (getattr(sys.modules[name], "__file__", None) for name in sorted(found))
    return [Path(file) for file in files if file]


def _engine_stamp() -> str:
    """Return a hash of the code of eck_env and of its tables of round values."""
    import eck_env

    digest = hashlib.blake2b(source_stamp().encode(), digest_size=8)
    for path in sorted(Path(eck_env.__file__).parent.rglob("*.npz")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
