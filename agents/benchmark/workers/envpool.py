"""Measures EnvPool (C++): leduc hold'em and CartPole, one thread, on actions drawn beforehand."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from agents.benchmark.workers.serve import Row, serve

BATCH = 1024
_STEPS = 200


def cartpole() -> Row:
    """Return CartPole with random actions."""
    env: Any = import_module("envpool").make("CartPole-v1", env_type="gymnasium", num_envs=BATCH, num_threads=1)
    actions = np.random.default_rng(1).integers(0, 2, (_STEPS, BATCH), np.int32)
    env.reset()

    def run() -> int:
        for batch_actions in actions:
            env.step(batch_actions)
        return len(actions) * BATCH

    return Row(run)


def leduc() -> Row:
    """Return leduc hold'em on recorded legal actions; observation, mask and the whole state in the info."""
    module: Any = import_module("envpool")
    make = partial(module.make, "LeducHoldem-v1", env_type="gymnasium", num_envs=BATCH, num_threads=1, seed=1)
    generator = np.random.default_rng(1)
    env = make()
    _, info = env.reset()
    actions = []
    for _ in range(_STEPS):
        mask = info["legal_action_mask"]
        actions.append(np.argmax(mask * (1 - generator.random(mask.shape)), axis=1).astype(np.int32))
        *_, info = env.step(actions[-1])
    used = [env]

    def prepare() -> None:
        used[0] = make()
        used[0].reset()

    def run() -> int:
        for batch_actions in actions:
            used[0].step(batch_actions)
        return len(actions) * BATCH

    return Row(run, prepare)


ROWS = {"cartpole": cartpole, "leduc": leduc}

if __name__ == "__main__":
    serve(ROWS)
