"""An evaluation whose results are kept: finished chunks beside a JSON file while it goes on, the file at its end."""

from __future__ import annotations

from pathlib import Path

from agents.chunk_store import ChunkStore, ResumeError, check_request_matches
from agents.contest import Plan, Players, Watch, run
from agents.results import Result, load_results, read_document, save_results

PARTS_SUFFIX = ".parts"


class Keeper:
    """Plays a contest and keeps what is finished.

    Args:
        plan: What is to be played.
        path: The JSON file to write; None to keep nothing.
        resume: Go on with what is there, chunks or the whole results; if nothing is there, begin.

    Raises:
        ResumeError: If another evaluation is there, or one was begun and `resume` is not set.
        ValueError: If `resume` is set without a file, or the file holds no results.
        OSError: If what is there cannot be read.
    """

    def __init__(self, plan: Plan, path: Path | None, resume: bool = False) -> None:
        self._plan = plan
        self._path = path
        self._store = None if path is None else ChunkStore(path.with_name(path.name + PARTS_SUFFIX))
        self._finished: list[Result] | None = None
        if path is None or self._store is None:
            if resume:
                raise ValueError("--resume needs --json FILE: what is to be gone on with lies beside that file")
            return
        if self._store.exists:
            if not resume:
                raise ResumeError(
                    f"{self._store.folder} holds an evaluation that was begun: go on with it by --resume, or remove it"
                )
            self._store.check(plan.request)
        elif resume and path.exists():
            check_request_matches(_request_of(path), plan.request, str(path))
            self._finished = load_results(path)

    def play(
        self, processes: int, batch: int, command: str, watch: Watch | None = None, players: Players | None = None
    ) -> list[Result]:
        """Play what is missing, write the file, and return the results; see `contest.run` for the rest.

        Args:
            processes: How many processes play.
            batch: How many games each plays at the same time.
            command: The command, for the file.
            watch: Told of games that have ended.
            players: Who plays in place of processes on this machine.
        """
        if self._finished is not None:
            return self._finished
        if self._path is None or self._store is None:
            return run(self._plan, processes, batch, None, watch, players)
        if not self._store.exists:
            self._store.begin(self._plan.request)
        results = run(self._plan, processes, batch, self._store, watch, players)
        save_results(self._path, results, command, self._plan.request)
        self._store.remove()
        return results


def _request_of(path: Path) -> dict[str, object]:
    try:
        request: dict[str, object] = read_document(path.read_text(encoding="utf-8")).get("request", {})
        return request
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} holds no results of an evaluation: {error}") from error
