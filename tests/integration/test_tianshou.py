"""ECK in Tianshou."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("tianshou", reason="Tianshou is not installed: make test-integrations runs this where it is")

import torch
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.utils.net.common import Net
from tianshou.utils.net.discrete import DiscreteCritic

from eck_env.adapters.tianshou import MaskedActor, ObservationOnly, make_tianshou_env
from integration_helpers import run_example

pytestmark = pytest.mark.integration


def test_a_policy_with_the_masking_actor_plays_legal_cards_only() -> None:
    """An illegal card would raise an error."""
    envs = DummyVectorEnv([lambda: make_tianshou_env(target=2, illegal_action="raise")] * 4)
    envs.seed(1)
    actor = MaskedActor(Net(state_shape=259, action_shape=38, hidden_sizes=(16,)))
    policy = DiscreteActorPolicy(actor=actor, action_space=envs.action_space[0])
    collector = Collector(policy, envs, VectorReplayBuffer(1000, 4))
    collector.reset()
    assert collector.collect(n_step=400).n_collected_steps == 400
    batch, _ = collector.buffer.sample(0)
    assert batch.obs.mask[np.arange(len(batch)), batch.act].all()
    critic = ObservationOnly(DiscreteCritic(preprocess_net=Net(state_shape=259, hidden_sizes=(16,))))
    assert critic(batch.obs).shape == (len(batch), 1)
    logits, _ = actor(batch.obs)
    distribution: Any = torch.distributions.Categorical(logits=logits)
    assert torch.isfinite(distribution.entropy()).all()


@pytest.mark.parametrize("name", ["tianshou_ppo", "tianshou_dqn"])
def test_the_example_learns(name: str) -> None:
    run_example(name)
