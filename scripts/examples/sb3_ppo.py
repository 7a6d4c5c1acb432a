"""Stable-Baselines3's PPO without masks: an illegal card forfeits the game, and the policy learns not to play any.

Two things make that learnable in minutes. The policy is linear in the observation, so that the cards that are held and
the color that is led raise their own logits straight away (the value keeps its network). And the first half is learned
without looking ahead (gamma 0): what an illegal card costs, -1 at once, then stands alone against it. In the second
half the rest of the round counts, and the policy learns to play, too.

Masks are worth having still: sb3_maskable_ppo.py wins more after a sixth of the decisions, and never forfeits.

python scripts/examples/sb3_ppo.py
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch
from stable_baselines3 import PPO
from torch.nn import ReLU

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from eck_env.adapters.sb3 import EckSb3VecEnv
from scripts.examples.judging import ROUNDS, conclude, judge, number_of_steps

steps = number_of_steps(2_400_000)
torch.set_num_threads(1)
games = EckSb3VecEnv(256, illegal_action="forfeit", **ROUNDS)


def make_model(gamma: float, learning_rate: float, seed: int) -> PPO:
    """Return a learner whose policy is one linear layer."""
    return PPO(
        "MlpPolicy", games, n_steps=26, batch_size=512, n_epochs=4, learning_rate=learning_rate, gamma=gamma,
        policy_kwargs={"net_arch": {"pi": [], "vf": [128, 128]}, "activation_fn": ReLU}, seed=seed, device="cpu",
    )  # fmt: skip


def choose(observations: Any, masks: Any) -> Any:
    """Return the likeliest actions, legal or not."""
    return model.predict(observations, deterministic=True)[0]


model = make_model(gamma=0.0, learning_rate=3e-3, seed=1)
start = judge("start", choose)
model.learn(steps // 2)
judge("half, without looking ahead", choose)
legal, model = model, make_model(gamma=1.0, learning_rate=3e-4, seed=2)
model.policy.load_state_dict(legal.policy.state_dict())
model.learn(steps // 2)
print(f"training: {games.illegal_actions:,} illegal actions in {2 * model.num_timesteps:,} decisions")
conclude(start, judge("end", choose), masked=False)
