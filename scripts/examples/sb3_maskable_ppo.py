"""sb3-contrib's MaskablePPO over the batch engine.

python scripts/examples/sb3_maskable_ppo.py
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch
from sb3_contrib import MaskablePPO

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from eck_env.adapters.sb3 import EckSb3VecEnv
from scripts.examples.judging import ROUNDS, conclude, judge, number_of_steps

steps = number_of_steps(400_000)
torch.set_num_threads(1)
# An illegal card would raise an error: that the training ends shows that there was none.
games = EckSb3VecEnv(256, illegal_action="raise", **ROUNDS)
model = MaskablePPO(
    "MlpPolicy", games, n_steps=26, batch_size=512, n_epochs=4, learning_rate=1e-3, gamma=1.0, ent_coef=0.005,
    vf_coef=2.0, policy_kwargs={"net_arch": [128, 128]}, seed=1, device="cpu",
)  # fmt: skip


def choose(observations: Any, masks: Any) -> Any:
    """Return the likeliest actions."""
    return model.predict(observations, action_masks=masks, deterministic=True)[0]


start = judge("start", choose)
model.learn(steps)
conclude(start, judge("end", choose))
