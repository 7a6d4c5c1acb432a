"""ECK in skrl."""

from __future__ import annotations

import pytest

pytest.importorskip("skrl", reason="skrl is not installed: make test-integrations runs this where it is")

import torch

from eck_env.adapters.skrl import MaskedPolicy, Value, make_skrl_env
from integration_helpers import run_example

pytestmark = pytest.mark.integration


def test_the_policy_plays_legal_cards_only() -> None:
    """An illegal card would raise an error."""
    env = make_skrl_env(6, target=2, illegal_action="raise")
    policy, value = MaskedPolicy(env, torch.nn.Linear(259, 38)), Value(env, torch.nn.Linear(259, 1))
    observations, _ = env.reset()
    ends = 0
    for _ in range(60):
        actions, outputs = policy.act({"observations": observations}, role="policy")
        assert outputs["log_prob"].isfinite().all()
        assert policy.get_entropy().isfinite().all()
        assert value.act({"observations": observations}, role="value")[0].shape == (6, 1)
        observations, rewards, ended, _, _ = env.step(actions)
        assert (rewards[~ended] == 0).all()
        ends += int(ended.sum())
    assert ends


def test_the_example_learns() -> None:
    run_example("skrl_ppo")
