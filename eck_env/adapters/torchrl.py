"""ECK for TorchRL: environments whose random actions are legal, and an actor that plays legal cards only.

from eck_env.adapters.torchrl import make_actor, make_torchrl_env

env = make_torchrl_env(256, target=4)
actor = make_actor(torch.nn.Linear(259, 38))
env.rollout(100, actor, break_when_any_done=False)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from eck_env.adapters.masked_observation import (
    ILLEGAL_LOGIT,
    MASK_KEY,
    OBSERVATION_KEY,
    MaskedObservation,
    MaskedObservationVector,
)
from eck_env.eck.env import EckEnv
from eck_env.eck.vector_env import EckVectorEnv
from eck_env.needed import needed

with needed("torchrl"):
    from tensordict.nn import TensorDictModule
    from torch import nn
    from torchrl.envs import ActionMask, GymWrapper, TransformedEnv
    from torchrl.modules import MaskedCategorical, ProbabilisticActor


def make_torchrl_env(num_envs: int | None = None, **keywords: Any) -> TransformedEnv:
    """Return one game, or with a number a batch of games, with the entries `observation` and `action_mask`.

    Args:
        num_envs: The number of games, the environment's batch size; None for one game without a batch dimension.
        keywords: Those of `EckEnv`; the observation is float32 unless they say otherwise.

    Raises:
        ValueError: If a keyword has a value that is not allowed.
        TypeError: If a keyword is unknown or has the wrong type.
    """
    keywords = {"dtype": "float32"} | keywords
    inner: MaskedObservation | MaskedObservationVector
    if num_envs is None:
        inner = MaskedObservation(EckEnv(**keywords), mask_dtype=np.bool_)
    else:
        batch = EckVectorEnv(num_envs, autoreset_mode=AutoresetMode.DISABLED, **keywords)  # TorchRL resets by itself
        inner = MaskedObservationVector(batch, mask_dtype=np.bool_)
    return TransformedEnv(GymWrapper(inner, categorical_action_encoding=True), ActionMask(mask_key=MASK_KEY))


def make_actor(network: nn.Module) -> ProbabilisticActor:
    """Return an actor that draws from the legal actions.

    Args:
        network: Gives logits, shape (..., 38), for observations.
    """
    return ProbabilisticActor(
        TensorDictModule(network, in_keys=[OBSERVATION_KEY], out_keys=["logits"]),
        in_keys={"logits": "logits", "mask": MASK_KEY},
        distribution_class=MaskedCategorical,
        distribution_kwargs={"neg_inf": ILLEGAL_LOGIT},
        return_log_prob=True,
    )
