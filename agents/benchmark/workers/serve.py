"""What every worker shares: rows that are prepared once, and measured each time the benchmark asks.

A request is a line of JSON on the standard input, ``{"row": "...", "seconds": 1.0}``; the answer is one on the
standard output: ``{"decisions": n, "cpu": s, "wall": s, "part": s}``, or ``{"error": "..."}``.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


def nothing() -> None:
    """Prepare nothing."""


def no_part() -> float:
    """Return the time of a part that is not measured."""
    return 0.0


@dataclass(frozen=True)
class Row:
    """Something to measure.

    Attributes:
        run: Plays a block of some ten milliseconds or more, which is timed, and returns the decisions in it.
        prepare: Called before each block, and not timed.
        part: Returns the seconds (wall) that a part of the last block took.
    """

    run: Callable[[], int]
    prepare: Callable[[], None] = nothing
    part: Callable[[], float] = no_part


def measure(row: Row, seconds: float) -> dict[str, float]:
    """Play blocks for this long at least, and return their decisions and times."""
    decisions, cpu, wall, part = 0, 0.0, 0.0, 0.0
    while wall < seconds:
        row.prepare()
        wall_start, cpu_start = time.perf_counter(), time.process_time()
        decisions += row.run()
        cpu += time.process_time() - cpu_start
        wall += time.perf_counter() - wall_start
        part += row.part()
    return {"decisions": decisions, "cpu": cpu, "wall": wall, "part": part}


def serve(makers: Mapping[str, Callable[[], Row]]) -> None:
    """Answer requests until the input ends.

    Args:
        makers: A function for each row that prepares it; called at the first request, whose first block warms up.
    """
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # libraries may print what they like
    rows: dict[str, Row] = {}
    for line in sys.stdin:
        request = json.loads(line)
        name = request["row"]
        try:
            if name not in rows:
                rows[name] = makers[name]()
                measure(rows[name], 0.0001)
            answer: Mapping[str, object] = measure(rows[name], request["seconds"])
        except Exception as error:  # told to the benchmark, which shows it in the row's place
            answer = {"error": f"{type(error).__name__}: {error}".splitlines()[0]}
        answers.write(json.dumps(answer) + "\n")
