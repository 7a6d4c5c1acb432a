"""Measures Gymnasium's own vector environment of CartPole (NumPy), on actions drawn beforehand."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from agents.benchmark.workers.serve import Row, serve

BATCH = 1024
_STEPS = 200


def cartpole() -> Row:
    """Return CartPole with random actions."""
    gym: Any = import_module("gymnasium")
    env = gym.make_vec("CartPole-v1", num_envs=BATCH, vectorization_mode="vector_entry_point")
    actions = np.random.default_rng(1).integers(0, 2, (_STEPS, BATCH))
    env.reset(seed=1)

    def run() -> int:
        for batch_actions in actions:
            env.step(batch_actions)
        return len(actions) * BATCH

    return Row(run)


ROWS = {"cartpole": cartpole}

if __name__ == "__main__":
    serve(ROWS)
