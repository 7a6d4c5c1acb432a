"""ECK for RLlib's new API stack: a batch of games in each env runner, and a module that plays legal cards only.

from ray.tune.registry import register_env
from eck_env.adapters.rllib import MaskedModule, make_rllib_env

register_env("eck", make_rllib_env)
config = (
    PPOConfig()
    .environment("eck", env_config={"target": 4})
    .env_runners(num_envs_per_env_runner=64, gym_env_vectorize_mode="vector_entry_point")
    .rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedModule))
)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from eck_env.adapters.masked_observation import (
    ILLEGAL_LOGIT,
    MaskedDict,
    MaskedObservation,
    MaskedObservationVector,
)
from eck_env.batch import TRAINING_SEEDS
from eck_env.eck.cards import NUM_KINDS
from eck_env.eck.env import EckEnv
from eck_env.eck.observation import SIZE
from eck_env.eck.vector_env import EckVectorEnv
from eck_env.needed import needed

with needed("ray"):
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
    from ray.rllib.core.rl_module.torch import TorchRLModule
    from torch import Tensor, nn

OBSERVATIONS, ACTION_MASK = "observations", "action_mask"
"""The keys that RLlib's own masking modules read."""
HIDDEN = (256, 256)


def make_rllib_env(
    context: Mapping[str, Any], batch: type[EckVectorEnv] = EckVectorEnv
) -> MaskedObservation | MaskedObservationVector:
    """Return a game, or the batch of games that an env runner with ``"vector_entry_point"`` asks for.

    Args:
        context: The `env_config`: keywords of `EckEnv`. RLlib adds `num_envs` for a batch.
        batch: The class of the batch.

    Raises:
        ValueError: If a keyword has a value that is not allowed.
        TypeError: If a keyword is unknown or has the wrong type.
    """
    keywords = dict(context)
    num_envs = keywords.pop("num_envs", None)
    if num_envs is None:
        return MaskedObservation(EckEnv(**keywords), OBSERVATIONS, ACTION_MASK)
    return _RunnersGames(batch(num_envs, **keywords), OBSERVATIONS, ACTION_MASK)


class _RunnersGames(MaskedObservationVector):
    """Takes RLlib's seeds, which are consecutive numbers for the env runners, and keeps the runners' deals apart."""

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[MaskedDict, dict[str, Any]]:
        """Start games; game i of the env runner that is given seed s has seed s * num_envs + i."""
        if seed is not None:
            seed = seed * self.num_envs % (TRAINING_SEEDS - self.num_envs)
        return super().reset(seed=seed, options=options)


class MaskedModule(TorchRLModule, ValueFunctionAPI):  # type: ignore[misc]
    """A dense network with a policy and a value; `model_config={"hidden": (256, 256)}` sets the layers.

    For another network override `setup` and `logits_and_values`.
    """

    def setup(self) -> None:
        """Make the layers; RLlib calls this."""
        hidden: Sequence[int] = self.model_config.get("hidden", HIDDEN)
        layers = [part for sizes in pairwise((SIZE, *hidden)) for part in (nn.Linear(*sizes), nn.ReLU())]
        self.body = nn.Sequential(*layers)
        self.policy_head = nn.Linear(hidden[-1], NUM_KINDS)
        self.value_head = nn.Linear(hidden[-1], 1)

    def logits_and_values(self, observations: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits, those of illegal actions at -1e8, and values.

        Args:
            observations: Flat observations, shape (n, 259).
            masks: Which actions are legal, bool, shape (n, 38).
        """
        features = self.body(observations.float())
        return self.policy_head(features).masked_fill(~masks, ILLEGAL_LOGIT), self.value_head(features).squeeze(-1)

    def _forward(self, batch: dict[str, Any], **keywords: Any) -> dict[str, Any]:
        logits, values = self._read(batch)
        return {Columns.ACTION_DIST_INPUTS: logits, Columns.EMBEDDINGS: values}

    def _read(self, batch: dict[str, Any]) -> tuple[Tensor, Tensor]:
        seen = batch[Columns.OBS]
        return self.logits_and_values(seen[OBSERVATIONS], seen[ACTION_MASK].bool())

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Tensor:
        """Return the values; RLlib gives back as `embeddings` what the module has found together with the logits."""
        values: Tensor = self._read(batch)[1] if embeddings is None else embeddings
        return values
