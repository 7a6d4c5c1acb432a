"""Tianshou's DQN, which reads masks by itself.

python scripts/examples/tianshou_dqn.py
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from eck_env.adapters.tianshou import make_tianshou_env
from scripts.examples.judging import ROUNDS, conclude, judge, number_of_steps

GAMES = 64

steps = number_of_steps(300_000)
np.random.seed(1)  # noqa: NPY002  (Tianshou draws its random actions there)
torch.manual_seed(1)
torch.set_num_threads(1)
# An illegal card would raise an error: that the training ends shows that there was none.
envs = DummyVectorEnv([lambda: make_tianshou_env(illegal_action="raise", **ROUNDS)] * GAMES)
envs.seed(1)
policy = DiscreteQLearningPolicy(
    model=Net(state_shape=259, action_shape=38, hidden_sizes=(256, 256)), action_space=envs.action_space[0],
    eps_training=0.1,
)  # fmt: skip
dqn = DQN(policy=policy, optim=AdamOptimizerFactory(lr=5e-4), gamma=1.0, target_update_freq=500, is_double=True)


def choose(observations: Any, masks: Any) -> Any:
    """Return the actions of the highest values."""
    with torch.no_grad():
        return policy(Batch(obs=Batch(obs=observations, mask=masks), info=Batch())).act


start = judge("start", choose)
dqn.run_training(
    OffPolicyTrainerParams(
        training_collector=Collector(policy, envs, VectorReplayBuffer(100_000, GAMES), exploration_noise=True),
        max_epochs=1, epoch_num_steps=steps, collection_step_num_env_steps=16 * GAMES, batch_size=256,
        update_step_num_gradient_steps_per_sample=1 / 16, verbose=False, show_progress=False,
    )
)  # fmt: skip
conclude(start, judge("end", choose))
