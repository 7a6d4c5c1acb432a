"""Tianshou's PPO with masks.

python scripts/examples/tianshou_ppo.py
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OnPolicyTrainerParams
from tianshou.utils.net.common import Net
from tianshou.utils.net.discrete import DiscreteCritic

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from eck_env.adapters.tianshou import MaskedActor, ObservationOnly, make_tianshou_env
from scripts.examples.judging import ROUNDS, conclude, judge, number_of_steps

GAMES = 64
STEPS_PER_UPDATE = 26 * GAMES  # two rounds

steps = number_of_steps(500_000)
torch.manual_seed(1)
torch.set_num_threads(1)
# An illegal card would raise an error: that the training ends shows that there was none.
envs = DummyVectorEnv([lambda: make_tianshou_env(illegal_action="raise", **ROUNDS)] * GAMES)
envs.seed(1)
actor = MaskedActor(Net(state_shape=259, action_shape=38, hidden_sizes=(256, 256)))
critic = ObservationOnly(DiscreteCritic(preprocess_net=Net(state_shape=259, hidden_sizes=(256, 256))))
policy = DiscreteActorPolicy(actor=actor, action_space=envs.action_space[0], deterministic_eval=True)
ppo = PPO(
    policy=policy, critic=critic, optim=AdamOptimizerFactory(lr=1e-3), gamma=1.0, gae_lambda=0.95, vf_coef=2.0,
    ent_coef=0.005, max_grad_norm=0.5, max_batchsize=4096,
)  # fmt: skip


def choose(observations: Any, masks: Any) -> Any:
    """Return the likeliest actions."""
    with torch.no_grad():
        return policy(Batch(obs=Batch(obs=observations, mask=masks), info=Batch())).act.numpy()


start = judge("start", choose)
ppo.run_training(
    OnPolicyTrainerParams(
        training_collector=Collector(policy, envs, VectorReplayBuffer(STEPS_PER_UPDATE, GAMES)),
        max_epochs=1, epoch_num_steps=steps, collection_step_num_env_steps=STEPS_PER_UPDATE,
        batch_size=512, update_step_num_repetitions=4, verbose=False, show_progress=False,
    )
)  # fmt: skip
conclude(start, judge("end", choose))
