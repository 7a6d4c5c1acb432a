"""Measures MaskablePPO over the adapter: rollouts, and whole training updates; 256 games, two layers of 128."""

from __future__ import annotations

import time
from typing import Any

import torch
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from agents.benchmark.workers.serve import Row, serve
from agents.ppo.config_files import parse_config
from agents.ppo.model import make_model
from eck_env.adapters.sb3 import EckSb3VecEnv

GAMES = 256
_CONFIG = {
    "num_games": GAMES,
    "total_steps": 10**9,
    "environment": {"id": "Eck-v0"},
    "policy": {"network": "mlp", "hidden": [128, 128]},
    "ppo": {"steps_per_rollout": 39, "minibatch_size": 2496, "epochs": 3},
}


class TimedVecEnv(EckSb3VecEnv):
    """Adds up the seconds (wall) spent in the adapter."""

    spent = 0.0

    def step_wait(self) -> VecEnvStepReturn:
        """Take the actions; see `EckSb3VecEnv`."""
        start = time.perf_counter()
        result = super().step_wait()
        self.spent += time.perf_counter() - start
        return result

    def env_method(self, *args: Any, **kwargs: Any) -> list[Any]:
        """Call a method for each game; see `EckSb3VecEnv`."""
        start = time.perf_counter()
        result = super().env_method(*args, **kwargs)
        self.spent += time.perf_counter() - start
        return result


def learner(training: bool) -> Row:
    """Return a learner's rollouts, or its rollouts and updates; the part is the adapter's."""
    torch.set_num_threads(1)
    config = parse_config(_CONFIG, "the benchmark's configuration")
    env = TimedVecEnv(GAMES, **config.environment.keywords())
    env.seed(1)
    model: Any = make_model(config, env, 1)
    _, callback = model._setup_learn(10**9, None)

    def prepare() -> None:
        env.spent = 0.0

    def run() -> int:
        model.collect_rollouts(env, callback, model.rollout_buffer, model.n_steps, use_masking=True)
        if training:
            model.train()
        return int(model.n_steps) * GAMES

    return Row(run, prepare, lambda: env.spent)


ROWS = {"rollout": lambda: learner(False), "training": lambda: learner(True)}

if __name__ == "__main__":
    serve(ROWS)
