"""ECK in TorchRL."""

from __future__ import annotations

import pytest

pytest.importorskip("torchrl", reason="TorchRL is not installed: make test-integrations runs this where it is")

import torch
from torchrl.envs import check_env_specs

from eck_env.adapters.torchrl import make_actor, make_torchrl_env
from integration_helpers import run_example

pytestmark = pytest.mark.integration


@pytest.mark.parametrize("games", [None, 5])
def test_the_environment_is_sound_and_only_legal_cards_are_played(games: int | None) -> None:
    """An illegal card would raise an error."""
    env = make_torchrl_env(games, target=2, illegal_action="raise")
    check_env_specs(env)
    for policy in (None, make_actor(torch.nn.Linear(259, 38))):
        played = env.rollout(120, policy, break_when_any_done=False)
        assert played["next", "done"].any()
        assert played["action_mask"].gather(-1, played["action"].unsqueeze(-1)).all()
        assert set(played["next", "reward"].unique().tolist()) <= {-1.0, 0.0, 1.0}


def test_the_entropy_is_a_number() -> None:
    env = make_torchrl_env(3, target=2)
    distribution = make_actor(torch.nn.Linear(259, 38)).get_dist(env.reset())
    assert torch.isfinite(distribution.entropy()).all()


def test_the_example_learns() -> None:
    run_example("torchrl_ppo")
