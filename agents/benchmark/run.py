"""Runs the workers: every row several times, in turn with the others, so that a slow moment hits all alike."""

from __future__ import annotations

import json
import os
import select
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

from agents.benchmark.catalog import PEERS, Entry
from agents.benchmark.peers import ROOT, problem_of, python_of

PATIENCE = 300.0
"""Seconds after which a worker is given up; the first request of a row may have to compile."""


class WorkerError(RuntimeError):
    """A row could not be measured; the message says why in one line."""


class Worker:
    """A process that measures the rows of one library."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._process: subprocess.Popen[str] | None = None
        self._errors: IO[str] | None = None

    def measure(self, row: str, seconds: float) -> dict[str, float]:
        """Return decisions and times of a row; WorkerError if it cannot be measured."""
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        line = ""
        try:
            process.stdin.write(json.dumps({"row": row, "seconds": seconds}) + "\n")
            process.stdin.flush()
            if select.select([process.stdout], [], [], PATIENCE)[0]:
                line = process.stdout.readline()
        except OSError:
            pass
        if not line:
            raise WorkerError(self._last_words())
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise WorkerError(answer["error"])
        return answer

    def _start(self) -> subprocess.Popen[str]:
        problem = problem_of(self._name) if self._name in PEERS else None
        if problem is not None:
            raise WorkerError(problem)
        python = str(python_of(self._name)) if self._name in PEERS else sys.executable
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115  (closed with the worker)
        self._process = subprocess.Popen(
            [python, "-m", f"agents.benchmark.workers.{self._name}"],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        return self._process

    def _last_words(self) -> str:
        """End the process and return the last line of what it said."""
        assert self._process is not None
        assert self._errors is not None
        self._process.kill()
        self._process.wait()
        self._errors.seek(0)
        lines = [line.strip() for line in self._errors.read().splitlines() if line.strip()]
        self.close()
        return lines[-1][:200] if lines else "the worker gave no answer"

    def close(self) -> None:
        """End the process."""
        if self._process is not None and self._errors is not None:
            self._process.kill()
            self._process.communicate()
            self._errors.close()
            self._process = self._errors = None


@dataclass
class Measured:
    """The figures of a row.

    Attributes:
        entry: What was measured.
        samples: Decisions, CPU seconds, wall seconds, and seconds of the part, of each run.
        problem: Why there are none, in one line.
    """

    entry: Entry
    samples: list[dict[str, float]] = field(default_factory=list)
    problem: str | None = None

    def rates(self, clock: str = "cpu") -> list[float]:
        """Return the decisions per second of each run, by the clock ``"cpu"`` or ``"wall"``."""
        return [sample["decisions"] / sample[clock] for sample in self.samples]

    @property
    def rate(self) -> float | None:
        """The median of the decisions per CPU-second."""
        return statistics.median(self.rates()) if self.samples else None

    @property
    def part(self) -> float | None:
        """The median share of the wall time that the part took."""
        return statistics.median(sample["part"] / sample["wall"] for sample in self.samples) if self.samples else None


def pin(core: int | None) -> int:
    """Keep this process and those it starts on one core, the last one by default, and return it."""
    allowed = sorted(os.sched_getaffinity(0))
    if core is not None and core not in allowed:
        raise ValueError(f"--core is {core}, but must be one of {', '.join(map(str, allowed))}")
    chosen = allowed[-1] if core is None else core
    os.sched_setaffinity(0, {chosen})
    return chosen


def run_all(
    entries: Sequence[Entry], repeats: int, seconds: float, tell: Callable[[str], None] = lambda line: None
) -> list[Measured]:
    """Measure rows.

    Args:
        entries: What to measure.
        repeats: How often each.
        seconds: How long each time, at least.
        tell: Takes the label of each row that is being measured.
    """
    workers = {entry.worker: Worker(entry.worker) for entry in entries}
    measured = [Measured(entry) for entry in entries]
    try:
        for _ in range(repeats):
            for row in measured:
                if row.problem is None:
                    tell(row.entry.label)
                    _measure(row, workers[row.entry.worker], seconds)
    finally:
        for worker in workers.values():
            worker.close()
    return measured


def _measure(row: Measured, worker: Worker, seconds: float) -> None:
    try:
        row.samples.append(worker.measure(row.entry.row, seconds))
    except WorkerError as error:
        row.samples, row.problem = [], str(error)
