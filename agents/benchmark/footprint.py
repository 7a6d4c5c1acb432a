"""Start-up, memory, and the cost of very many games: what a rate does not show. Each in a fresh process."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any

from agents.benchmark.peers import ROOT

_IMPORT = """
import json, time
import gymnasium, numba
start = time.process_time()
import eck_env
light = time.process_time() - start
import eck_env.eck.env, eck_env.eck.vector_env
print(json.dumps({"import": light, "import_engine": time.process_time() - start}))
"""

_START = """
import json, time
import gymnasium
imported, cpu = time.perf_counter(), time.process_time()
import eck_env
env = gymnasium.make("Eck-v0")
_, info = env.reset(seed=1)
env.step(env.action_space.sample(info["action_mask"]))
print(json.dumps({"wall": time.perf_counter() - imported, "cpu": time.process_time() - cpu}))
"""

_MEMORY = """
import json, sys, tracemalloc
import numpy as np
from eck_env import EckVectorEnv
games, dtype = 20_000, sys.argv[1]
def make():
    env = EckVectorEnv(games, dtype=dtype)
    return env
def play(env, out):
    _, infos = env.reset(seed=1, out=out)
    for _ in range(3):
        actions = np.argmax(infos["action_mask"], axis=1)
        _, _, _, _, infos = env.step(actions, out=out)
warm = EckVectorEnv(2, dtype=dtype)
play(warm, warm.make_outputs())
tracemalloc.start()
env = make()
created = tracemalloc.get_traced_memory()[0]
out = env.make_outputs()
arrays = tracemalloc.get_traced_memory()[0] - created
play(env, out)
print(json.dumps({"bytes": (tracemalloc.get_traced_memory()[0] - arrays) / games}))
"""

_LONG = """
import json, sys, time
from eck_env import simulate_games
games, share = int(sys.argv[1]), int(sys.argv[1]) // 10
simulate_games(1000)
costs = []
for done in range(0, games, share):
    start = time.process_time()
    decisions = simulate_games(share, first_seed=2**30 + done).decisions
    costs.append((time.process_time() - start) / decisions)
print(json.dumps({"games": games, "first": costs[0], "last": costs[-1], "ratio": max(costs[-1], costs[0]) / costs[0]}))
"""


def _program(text: str, *arguments: str, **variables: str) -> dict[str, Any]:
    """Run a program in a process of its own and return the JSON that it prints last."""
    done = subprocess.run(
        [sys.executable, "-c", text, *arguments],
        cwd=ROOT, env={**os.environ, **variables}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer | {"log": done.stderr.strip()}


def _spread(values: list[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def measure_footprint(repeats: int, games: int, tell: Callable[[str], None] = lambda line: None) -> dict[str, Any]:
    """Return start-up times in seconds, bytes a game, and the cost per decision of the first and the last games.

    Args:
        repeats: How often the start-up is measured.
        games: How many games are played in a row for the last.
        tell: Takes a line on what is being measured.
    """
    tell("start-up")
    imports = [_program(_IMPORT) for _ in range(repeats)]
    cold, warm = [], []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as folder:
            cold.append(_program(_START, NUMBA_CACHE_DIR=folder))
            warm += [_program(_START, NUMBA_CACHE_DIR=folder) for _ in range(2)]
    tell("memory")
    memory = {dtype: _program(_MEMORY, dtype)["bytes"] for dtype in ("int8", "float32")}
    tell(f"{games:,} games in a row")
    return {
        "import": _spread([one["import"] for one in imports]),
        "import_with_engine": _spread([one["import_engine"] for one in imports]),
        "cold_start": _spread([one["wall"] for one in cold]),
        "cold_start_cpu": _spread([one["cpu"] for one in cold]),
        "cold_start_says": cold[0]["log"],
        "warm_start": _spread([one["wall"] for one in warm]),
        "warm_start_cpu": _spread([one["cpu"] for one in warm]),
        "bytes_per_game": memory,
        "long_run": {name: value for name, value in _program(_LONG, str(games)).items() if name != "log"},
    }
