"""Games with the mask inside the observation, for libraries that look for it there: RLlib, Tianshou, TorchRL.

import gymnasium as gym
from eck_env.adapters.masked_observation import MaskedObservation

env = MaskedObservation(gym.make("Eck-v0"), observation_key="obs", mask_key="mask", mask_dtype=bool)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space
from numpy.typing import DTypeLike, NDArray

if TYPE_CHECKING:
    _VectorWrapper = VectorWrapper[Any, Any, Any, Any, Any]
else:
    _VectorWrapper = VectorWrapper  # generic in the latest versions of Gymnasium only

MaskedDict: TypeAlias = dict[str, Any]

OBSERVATION_KEY = "observation"
MASK_KEY = "action_mask"
_INFO_KEY = "action_mask"

ILLEGAL_LOGIT = -1e8
"""In place of the logits of illegal actions: a chance of 0, and other than infinity it leaves the entropy a number."""


class _Masking:
    """Puts an observation and its mask into one dict."""

    def __init__(
        self, space: spaces.Space[Any], actions: Any, observation_key: str, mask_key: str, mask_dtype: DTypeLike
    ) -> None:
        if observation_key == mask_key:
            raise ValueError(f"observation and mask have the same key {mask_key!r}: give them two")
        self._keys = observation_key, mask_key
        self._dtype = np.dtype(mask_dtype)
        if self._dtype.kind not in "biuf":
            raise ValueError(f"mask_dtype is {self._dtype}, but must be bool or a type of numbers")
        self.space = spaces.Dict(
            {observation_key: space, mask_key: spaces.Box(0, 1, (int(actions.n),), self._dtype.type)}
        )

    def join(self, observation: Any, info: dict[str, Any]) -> MaskedDict:
        """Return the dict; the info stays as it is, its arrays are not shared."""
        observation_key, mask_key = self._keys
        return {observation_key: observation, mask_key: info[_INFO_KEY].astype(self._dtype)}


class MaskedObservation(gym.Wrapper[MaskedDict, Any, Any, Any]):
    """Makes the observation a dict that holds the mask too; nothing else changes, and the info still has the mask.

    Args:
        env: A game of this package, wrapped or not.
        observation_key: The key of what was the observation.
        mask_key: The key of the mask, 1 or true for what is legal.
        mask_dtype: The type of the mask.
        keep_info: Whether there are infos; without, they are empty, for libraries that store them as arrays.

    Raises:
        ValueError: If both keys are the same, or the type is none of bool and numbers.
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        observation_key: str = OBSERVATION_KEY,
        mask_key: str = MASK_KEY,
        mask_dtype: DTypeLike = np.int8,
        keep_info: bool = True,
    ) -> None:
        super().__init__(env)
        self._keep_info = keep_info
        self._masking = _Masking(env.observation_space, env.action_space, observation_key, mask_key, mask_dtype)
        self.observation_space = self._masking.space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[MaskedDict, dict[str, Any]]:
        """Start a game; see `GameEnv.reset`."""
        observation, info = self.env.reset(seed=seed, options=options)
        return self._masking.join(observation, info), info if self._keep_info else {}

    def step(self, action: Any) -> tuple[MaskedDict, float, bool, bool, dict[str, Any]]:
        """Take an action; see `GameEnv.step`."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        masked, kept = self._masking.join(observation, info), info if self._keep_info else {}
        return masked, float(reward), terminated, truncated, kept


class MaskedObservationVector(_VectorWrapper):
    """The same for a batch: a vector environment of this package, wrapped or not, or Gymnasium's vectors of games.

    Where the next episode starts in the step that ends one, `info["final_obs"]` holds dicts too.

    Args:
        env: The batch.
        observation_key: As for `MaskedObservation`.
        mask_key: As for `MaskedObservation`.
        mask_dtype: As for `MaskedObservation`.

    Raises:
        ValueError: If both keys are the same, or the type is none of bool and numbers.
    """

    def __init__(
        self,
        env: VectorEnv[Any, Any, Any],
        observation_key: str = OBSERVATION_KEY,
        mask_key: str = MASK_KEY,
        mask_dtype: DTypeLike = np.int8,
    ) -> None:
        super().__init__(env)
        self._masking = _Masking(
            env.single_observation_space, env.single_action_space, observation_key, mask_key, mask_dtype
        )
        self.single_observation_space = self._masking.space
        self.observation_space = batch_space(self._masking.space, self.num_envs)

    @property
    def autoreset_mode(self) -> AutoresetMode:
        """How the batch begins new episodes; some libraries look for it here, others in `metadata`."""
        mode: AutoresetMode = self.metadata["autoreset_mode"]
        return mode

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[MaskedDict, dict[str, Any]]:
        """Start games, from one seed or a list of them; see `GameVectorEnv.reset`."""
        observations, infos = self.env.reset(seed=seed, options=options)
        return self._masking.join(observations, infos), infos

    def step(
        self, actions: Any
    ) -> tuple[MaskedDict, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Take one action in each game; see `GameVectorEnv.step`."""
        observations, rewards, terminated, truncated, infos = self.env.step(actions)
        if "final_obs" in infos:
            infos["final_obs"] = self._final_observations(infos)
        return self._masking.join(observations, infos), rewards, terminated, truncated, infos

    def _final_observations(self, infos: dict[str, Any]) -> NDArray[np.object_]:
        finals = np.empty(self.num_envs, object)
        masks = infos["final_info"][_INFO_KEY]
        for index in np.flatnonzero(infos["_final_obs"]).tolist():
            finals[index] = self._masking.join(infos["final_obs"][index], {_INFO_KEY: masks[index]})
        return finals
