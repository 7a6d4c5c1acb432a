"""skrl's PPO with masks, over the batch engine.

python scripts/examples/skrl_ppo.py
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch
from skrl.agents.torch.ppo import PPO, PPO_CFG
from skrl.memories.torch import RandomMemory
from skrl.trainers.torch import SequentialTrainer
from skrl.utils import set_seed
from torch import nn

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from eck_env.adapters.skrl import MaskedPolicy, Value, make_skrl_env
from scripts.examples.judging import ROUNDS, conclude, judge, number_of_steps

GAMES = 128
ROLLOUT = 26  # two rounds

steps = number_of_steps(400_000)
set_seed(1)
torch.set_num_threads(1)
# An illegal card would raise an error: that the training ends shows that there was none.
env = make_skrl_env(GAMES, illegal_action="raise", **ROUNDS)


def network(outputs: int) -> nn.Module:
    """Return a dense network."""
    return nn.Sequential(nn.Linear(259, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, outputs))


policy = MaskedPolicy(env, network(38))
ppo = PPO(
    models={"policy": policy, "value": Value(env, network(1))},
    memory=RandomMemory(memory_size=ROLLOUT, num_envs=GAMES, device=env.device),
    observation_space=env.observation_space,
    action_space=env.action_space,
    device=env.device,
    cfg=PPO_CFG(
        rollouts=ROLLOUT, learning_epochs=4, mini_batches=6, discount_factor=1.0, learning_rate=1e-3,
        entropy_loss_scale=0.005, value_loss_scale=2.0,
        experiment={"write_interval": 0, "checkpoint_interval": 0},
    ),
)  # fmt: skip


def choose(observations: Any, masks: Any) -> Any:
    """Return the likeliest actions."""
    with torch.no_grad():  # skrl's flat tensor has the parts in the order of their names: the mask comes first
        flat = torch.cat([torch.as_tensor(masks).float(), torch.as_tensor(observations).float()], 1)
        return policy.compute({"observations": flat})[0].argmax(1).numpy()


start = judge("start", choose)
trainer = {"timesteps": max(ROLLOUT, steps // GAMES), "headless": True, "disable_progressbar": True}
SequentialTrainer(env=env, agents=ppo, cfg=trainer).train()
conclude(start, judge("end", choose))
