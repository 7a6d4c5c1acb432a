"""ECK for skrl: the batch engine as skrl's environment, and models that part observations from masks.

from eck_env.adapters.skrl import MaskedPolicy, Value, make_skrl_env

env = make_skrl_env(256, target=4)
models = {"policy": MaskedPolicy(env, nn.Linear(259, 38)), "value": Value(env, nn.Linear(259, 1))}

skrl hands its models observation and mask as one flat tensor. Its preprocessors would scale the mask too: use none.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from eck_env.adapters.masked_observation import ILLEGAL_LOGIT, MASK_KEY, OBSERVATION_KEY, MaskedObservationVector
from eck_env.eck.vector_env import EckVectorEnv
from eck_env.needed import needed

with needed("skrl"):
    from skrl.envs.wrappers.torch import wrap_env
    from skrl.models.torch import CategoricalMixin, DeterministicMixin, Model
    from skrl.utils.spaces.torch import unflatten_tensorized_space
    from torch import Tensor, nn


def make_skrl_env(num_envs: int, **keywords: Any) -> Any:
    """Return a batch of games, wrapped as skrl wants it.

    Args:
        num_envs: The number of games.
        keywords: Those of `EckEnv`; the observation is float32 unless they say otherwise.

    Raises:
        ValueError: If a keyword has a value that is not allowed.
        TypeError: If a keyword is unknown or has the wrong type.
    """
    games = EckVectorEnv(num_envs, autoreset_mode=AutoresetMode.SAME_STEP, **({"dtype": "float32"} | keywords))
    return wrap_env(MaskedObservationVector(games, mask_dtype=np.float32), wrapper="gymnasium", verbose=False)


class _Parting(Model):  # type: ignore[misc]
    """A model around a network that reads flat observations."""

    def __init__(self, env: Any, network: nn.Module) -> None:
        super().__init__(observation_space=env.observation_space, action_space=env.action_space, device=env.device)
        self.network = network.to(self.device)

    def _part(self, inputs: dict[str, Any]) -> tuple[Tensor, Tensor]:
        """Return observations, shape (n, 259), and masks, bool, shape (n, 38)."""
        parts = unflatten_tensorized_space(self.observation_space, inputs["observations"])
        return parts[OBSERVATION_KEY], parts[MASK_KEY] != 0


class MaskedPolicy(CategoricalMixin, _Parting):  # type: ignore[misc]
    """Draws from the legal actions.

    Args:
        env: What `make_skrl_env` returned.
        network: Gives logits, shape (n, 38), for observations, shape (n, 259).
    """

    def __init__(self, env: Any, network: nn.Module) -> None:
        _Parting.__init__(self, env, network)
        CategoricalMixin.__init__(self)

    def compute(self, inputs: dict[str, Any], role: str = "") -> tuple[Tensor, dict[str, Any]]:
        """Return the logits, those of illegal actions at -1e8."""
        observations, masks = self._part(inputs)
        return self.network(observations).masked_fill(~masks, ILLEGAL_LOGIT), {}


class Value(DeterministicMixin, _Parting):  # type: ignore[misc]
    """The value of a position.

    Args:
        env: What `make_skrl_env` returned.
        network: Gives values, shape (n, 1), for observations, shape (n, 259).
    """

    def __init__(self, env: Any, network: nn.Module) -> None:
        _Parting.__init__(self, env, network)
        DeterministicMixin.__init__(self)

    def compute(self, inputs: dict[str, Any], role: str = "") -> tuple[Tensor, dict[str, Any]]:
        """Return the values."""
        return self.network(self._part(inputs)[0]), {}
