"""A training configuration as RLlib's PPO (new API stack), with the networks of `agents.ppo`."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import torch
from ray.rllib.algorithms.ppo import PPO, PPOConfig
from ray.rllib.core import DEFAULT_MODULE_ID
from ray.rllib.core.rl_module import RLModuleSpec
from ray.tune.registry import register_env
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import Tensor

from agents.ppo.config import TrainingConfig
from agents.ppo.model import MaskedPolicy, make_policy
from agents.ppo.network_config import ColorSharedConfig
from agents.ppo.scaled_rewards import ScaledVectorEnv
from agents.ppo.sections import Schedule
from eck_env.adapters.rllib import MaskedModule, make_rllib_env
from eck_env.eck.variant import Variant
from eck_env.eck.vector_env import EckVectorEnv

_ENV = "eck"
_PARAMETERS = "masked.policy."


class PolicyModule(MaskedModule):
    """The network that a configuration names, read from `model_config["training"]`."""

    def setup(self) -> None:
        """Make the network; RLlib calls this."""
        config = TrainingConfig.model_validate(self.model_config["training"])
        torch.set_num_threads(config.threads)
        self.masked = MaskedPolicy(make_policy(config))

    def logits_and_values(self, observations: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Return masked logits, shape (n, 38), and values in units of the rewards, shape (n,)."""
        logits, values = self.masked(observations, masks)
        return logits, values / self.masked.value_units(observations)


def make_learner(config: TrainingConfig, runners: int) -> PPO:
    """Return the learner of a run with its env runners, each with an even share of the games.

    An env runner that dies is started anew, and the others go on meanwhile.

    Args:
        config: The configuration.
        runners: How many processes play; 0: the learner's own.

    Raises:
        ValueError: If the configuration asks for something that RLlib's PPO does not do, or the games cannot be shared.
    """
    if not isinstance(config.environment.variant(), Variant):
        raise ValueError(f"environment.id is {config.environment.id}, but training on Ray is for the ids of ECK")
    sharing = max(runners, 1)
    if config.num_games % sharing:
        raise ValueError(f"{config.num_games} games cannot be shared evenly by {runners} env runners: set num_games")
    unused = {"warm_start": config.warm_start, "imitation": config.imitation, "ppo.target_kl": config.ppo.target_kl}
    for name, value in unused.items():
        if value is not None:
            raise ValueError(f"{name} is {value!r}, but training on Ray has no such thing: set it to null")
    if not config.ppo.normalize_advantage:
        raise ValueError(
            "ppo.normalize_advantage is False, but RLlib's PPO always normalizes advantages: set it to true"
        )
    scaled = isinstance(config.policy, ColorSharedConfig) and config.policy.relative
    register_env(_ENV, partial(make_rllib_env, batch=ScaledVectorEnv if scaled else EckVectorEnv))
    ppo = config.ppo
    learner = (
        PPOConfig()
        .environment(_ENV, env_config={**config.environment.keywords(), "illegal_action": "raise"})
        .env_runners(
            num_env_runners=runners,
            num_envs_per_env_runner=config.num_games // sharing,
            gym_env_vectorize_mode="vector_entry_point",
            rollout_fragment_length=ppo.steps_per_rollout,
        )
        .rl_module(
            rl_module_spec=RLModuleSpec(
                module_class=PolicyModule, model_config={"training": config.model_dump(mode="json")}
            )
        )
        .training(
            train_batch_size_per_learner=config.rollout_size,
            minibatch_size=ppo.minibatch_size,
            num_epochs=ppo.epochs,
            lr=_schedule(ppo.learning_rate, config.total_steps),
            entropy_coeff=_schedule(ppo.entropy, config.total_steps),
            gamma=ppo.gamma,
            lambda_=ppo.gae_lambda,
            clip_param=ppo.clip_range,
            vf_loss_coeff=ppo.value_weight,
            vf_clip_param=math.inf,
            use_kl_loss=False,
            grad_clip=ppo.max_grad_norm,
            grad_clip_by="global_norm",
        )
        .learners(num_learners=0)
        .fault_tolerance(restart_failed_env_runners=True)
        .debugging(seed=config.seed, log_level="ERROR")
    )
    return learner.build_algo()


def _schedule(schedule: Schedule, steps: int) -> Any:
    """Return a schedule in RLlib's form: values at numbers of steps, with straight lines between them."""
    return [[0, schedule.at(0.0)], [steps, schedule.at(1.0)]]


def policy_of(learner: PPO, config: TrainingConfig) -> MaskableActorCriticPolicy:
    """Return the policy as the last update left it."""
    weights = learner.learner_group.get_weights([DEFAULT_MODULE_ID])[DEFAULT_MODULE_ID]
    policy = make_policy(config)
    policy.load_state_dict({name.removeprefix(_PARAMETERS): torch.as_tensor(value) for name, value in weights.items()})
    policy.set_training_mode(False)
    return policy
