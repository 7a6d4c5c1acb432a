"""The networks, the PPO learner around them, and the agent that plays by a network."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import nn

from agents.ppo.config import TrainingConfig
from agents.ppo.gongor_network import TrumpExtractor, TrumpPolicy
from agents.ppo.grid_network import GridExtractor, GridPolicy
from agents.ppo.network import ColorSharedExtractor, ColorSharedPolicy
from agents.ppo.network_config import ColorSharedConfig, GridConfig, TrumpConfig
from agents.ppo.sections import Schedule
from eck_env.adapters.sb3 import GameSb3VecEnv
from eck_env.registry import game_of

ILLEGAL_LOGIT = -1e8
"""In place of the logits of illegal actions; sb3-contrib uses the same."""

_ACTIVATIONS = {"tanh": nn.Tanh, "relu": nn.ReLU}


class Decay:
    """A `Schedule` as Stable-Baselines3 calls it: with the share of the run that is left, from 1 to 0."""

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule

    def __call__(self, progress_remaining: float) -> float:
        """Return the value when this share of the run is left."""
        return self._schedule.at(1.0 - progress_remaining)


def policy_arguments(config: TrainingConfig) -> tuple[type[MaskableActorCriticPolicy], dict[str, Any]]:
    """Return the policy class that a configuration names, and its keywords.

    A policy class must have the parts that `MaskedPolicy` calls, in a form that exports to ONNX.
    """
    if isinstance(config.policy, GridConfig):
        features = config.policy.model_dump(exclude={"network"})
        return GridPolicy, {"features_extractor_class": GridExtractor, "features_extractor_kwargs": features}
    if isinstance(config.policy, ColorSharedConfig | TrumpConfig):
        variant = config.environment.variant_keywords()
        variant.pop("circle_follow", None)  # which the table of round values does not depend on
        features = {
            **variant,
            **config.policy.model_dump(exclude={"network"}),
            "round_values": config.environment.round_values,
        }
        if isinstance(config.policy, TrumpConfig):
            return TrumpPolicy, {
                "features_extractor_class": TrumpExtractor,
                "features_extractor_kwargs": features,
            }
        return ColorSharedPolicy, {
            "features_extractor_class": ColorSharedExtractor,
            "features_extractor_kwargs": features | {"trick_cards": tuple(variant["trick_cards"])},
        }
    network = {"net_arch": list(config.policy.hidden), "activation_fn": _ACTIVATIONS[config.policy.activation]}
    return MaskableActorCriticPolicy, network


def make_model(config: TrainingConfig, env: GameSb3VecEnv, seed: int) -> MaskablePPO:
    """Return a learner with a fresh network; the entropy's weight is set before each update by its schedule."""
    policy, keywords = policy_arguments(config)
    ppo = config.ppo
    return MaskablePPO(
        policy,
        env,
        learning_rate=Decay(ppo.learning_rate),
        n_steps=ppo.steps_per_rollout,
        batch_size=ppo.minibatch_size,
        n_epochs=ppo.epochs,
        gamma=ppo.gamma,
        gae_lambda=ppo.gae_lambda,
        clip_range=ppo.clip_range,
        normalize_advantage=ppo.normalize_advantage,
        ent_coef=ppo.entropy.start,
        vf_coef=ppo.value_weight,
        max_grad_norm=ppo.max_grad_norm,
        target_kl=ppo.target_kl,
        stats_window_size=2 * config.num_games,
        policy_kwargs=keywords,
        seed=seed,
        device="cpu",
    )


def make_policy(config: TrainingConfig) -> MaskableActorCriticPolicy:
    """Return the policy of a configuration with fresh weights, without a learner around it."""
    policy, keywords = policy_arguments(config)
    game = game_of(config.environment.variant())
    actions = spaces.Discrete(game.engine.num_actions)
    return policy(game.layout.make_space("flat", np.int8), actions, lambda _: 0.0, **keywords)


class MaskedPolicy(nn.Module):
    """Observations and action masks to masked logits and values: what is exported, and what plays."""

    def __init__(self, policy: MaskableActorCriticPolicy) -> None:
        super().__init__()
        self.policy = policy
        self.relative = bool(getattr(policy.features_extractor, "relative", False))

    def value_units(self, observation: torch.Tensor) -> torch.Tensor | float:
        """Return in which units the values of observations were learned, shape (n,), or 1."""
        extractor: Any = self.policy.features_extractor
        return extractor.reward_units(observation) if self.relative else 1.0

    def forward(self, observation: torch.Tensor, action_mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return logits, shape (n, number of actions), and values, shape (n,)."""
        features = self.policy.extract_features(observation)
        latent_policy, latent_value = self.policy.mlp_extractor(features)
        logits = self.policy.action_net(latent_policy)
        values = self.policy.value_net(latent_value)
        values = values.squeeze(-1) * self.value_units(observation)
        return torch.where(action_mask == 0, ILLEGAL_LOGIT, logits), values


class PolicyAgent:
    """Plays a network greedily: in each game the action with the highest logit."""

    def __init__(self, policy: MaskableActorCriticPolicy, name: str = "ppo") -> None:
        self.name = name
        self._policy = policy
        self._module = MaskedPolicy(policy)

    def act(self, observations: NDArray[Any], action_masks: NDArray[Any], keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Choose an action in each game; see `agents.agent.Agent.act`."""
        logits, _ = self.logits_and_values(observations, action_masks)
        actions: NDArray[np.int64] = logits.argmax(axis=1)
        return actions

    def logits_and_values(
        self, observations: NDArray[Any], action_masks: NDArray[Any]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return masked logits, shape (n, number of actions), and values, shape (n,)."""
        self._policy.set_training_mode(False)
        with torch.no_grad():
            logits, values = self._module(torch.as_tensor(observations), torch.as_tensor(action_masks))
        return logits.numpy(), values.numpy()
