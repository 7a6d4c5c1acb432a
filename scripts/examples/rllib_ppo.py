"""RLlib's PPO (new API stack) with masks, over the batch engine.

python scripts/examples/rllib_ppo.py
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module import RLModuleSpec
from ray.tune.registry import register_env

from eck_env.adapters.rllib import ACTION_MASK, OBSERVATIONS, MaskedModule, make_rllib_env
from scripts.examples.judging import ROUNDS, conclude, judge, number_of_steps

GAMES = 64
STEPS_PER_UPDATE = 52 * GAMES  # four rounds

steps = number_of_steps(250_000)
register_env("eck", make_rllib_env)
config = (
    PPOConfig()
    # An illegal card would raise an error: that the training ends shows that there was none.
    .environment("eck", env_config={"illegal_action": "raise", **ROUNDS})
    .env_runners(num_env_runners=0, num_envs_per_env_runner=GAMES, gym_env_vectorize_mode="vector_entry_point")
    .rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedModule))
    .training(
        train_batch_size_per_learner=STEPS_PER_UPDATE, minibatch_size=512, num_epochs=4, lr=1e-3, gamma=1.0,
        lambda_=0.95, entropy_coeff=0.005, vf_loss_coeff=2.0, use_kl_loss=False, clip_param=0.2, grad_clip=0.5,
    )
    .debugging(seed=1, log_level="ERROR")
)  # fmt: skip
ray.init("local", num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
ppo = config.build_algo()


def choose(observations: Any, masks: Any) -> Any:
    """Return the likeliest actions."""
    seen = {OBSERVATIONS: torch.as_tensor(observations), ACTION_MASK: torch.as_tensor(masks)}
    with torch.no_grad():
        return ppo.get_module().forward_inference({Columns.OBS: seen})[Columns.ACTION_DIST_INPUTS].argmax(1).numpy()


start = judge("start", choose)
for _ in range(max(1, steps // STEPS_PER_UPDATE)):
    ppo.train()
end = judge("end", choose)
ppo.stop()
conclude(start, end)
