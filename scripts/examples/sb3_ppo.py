"""Stable-Baselines3's PPO without masks: an illegal card forfeits the game, and the policy learns not to play any.

It learns to last longer: it wins 4 % of the games after the training and none before, but 94 % still end by an illegal
card. The masks of sb3_maskable_ppo.py are worth having: with them even random play wins 60 %.

python scripts/examples/sb3_ppo.py
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch
from stable_baselines3 import PPO

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from eck_env.adapters.sb3 import EckSb3VecEnv
from scripts.examples.judging import ROUNDS, conclude, judge, number_of_steps

steps = number_of_steps(600_000)
torch.set_num_threads(1)
games = EckSb3VecEnv(256, illegal_action="forfeit", **ROUNDS)
# Discounting makes a late illegal card cost less than an early one; without it only a round to its end would tell them
# apart.
model = PPO(
    "MlpPolicy", games, n_steps=26, batch_size=512, n_epochs=4, learning_rate=1e-3, gamma=0.9,
    policy_kwargs={"net_arch": [128, 128]}, seed=1, device="cpu",
)  # fmt: skip


def choose(observations: Any, masks: Any) -> Any:
    """Return the likeliest actions, legal or not."""
    return model.predict(observations, deterministic=True)[0]


start = judge("start", choose)
model.learn(steps)
print(f"training: {games.illegal_actions:,} illegal actions in {model.num_timesteps:,} decisions")
conclude(start, judge("end", choose), masked=False)
