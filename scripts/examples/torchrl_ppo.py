"""TorchRL's PPO with masks, over the batch engine.

python scripts/examples/torchrl_ppo.py
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch
from tensordict import TensorDict
from torch.nn.utils import clip_grad_norm_
from torchrl.collectors import Collector
from torchrl.envs import ExplorationType, set_exploration_type
from torchrl.modules import MLP, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from eck_env.adapters.torchrl import make_actor, make_torchrl_env
from scripts.examples.judging import ROUNDS, conclude, judge, number_of_steps

GAMES = 128
STEPS_PER_UPDATE = 26 * GAMES  # two rounds

steps = number_of_steps(400_000)
torch.manual_seed(1)
torch.set_num_threads(1)
# An illegal card would raise an error: that the training ends shows that there was none.
env = make_torchrl_env(GAMES, illegal_action="raise", **ROUNDS)
env.set_seed(1)
actor = make_actor(MLP(in_features=259, out_features=38, num_cells=[256, 256], activation_class=torch.nn.ReLU))
critic = ValueOperator(MLP(in_features=259, out_features=1, num_cells=[256, 256], activation_class=torch.nn.ReLU))
loss = ClipPPOLoss(actor, critic, clip_epsilon=0.2, entropy_coeff=0.005, critic_coeff=2.0, normalize_advantage=True)
advantages = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)


def choose(observations: Any, masks: Any) -> Any:
    """Return the likeliest actions."""
    seen = {"observation": torch.as_tensor(observations, dtype=torch.float32), "action_mask": torch.as_tensor(masks)}
    with torch.no_grad(), set_exploration_type(ExplorationType.DETERMINISTIC):
        return actor(TensorDict(seen, [len(observations)]))["action"].numpy()


start = judge("start", choose)
updates = max(1, steps // STEPS_PER_UPDATE)
frames = {"frames_per_batch": STEPS_PER_UPDATE, "total_frames": updates * STEPS_PER_UPDATE}
for batch in Collector(env, actor, auto_register_policy_transforms=False, **frames):  # nothing recurrent in the actor
    with torch.no_grad():
        advantages(batch)
    decisions = batch.reshape(-1)
    for _ in range(4):
        for chosen in torch.split(torch.randperm(len(decisions)), 512):
            losses = loss(decisions[chosen])
            optimizer.zero_grad()
            (losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]).backward()
            clip_grad_norm_(loss.parameters(), 0.5)
            optimizer.step()
conclude(start, judge("end", choose))
