"""The games for Stable-Baselines3 and sb3-contrib: a `VecEnv` over the compiled batch engine.

from sb3_contrib import MaskablePPO
from eck_env.adapters.sb3 import EckSb3VecEnv, GameSb3VecEnv

model = MaskablePPO("MlpPolicy", EckSb3VecEnv(256, target=4))
model = MaskablePPO("MlpPolicy", GameSb3VecEnv("GongorWhist-v0", 256, reward="score"))
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from eck_env.base.env import Observation
from eck_env.batch import TRAINING_SEEDS
from eck_env.needed import needed
from eck_env.registry import make_vector_env

with needed("stable_baselines3"):
    from stable_baselines3.common.vec_env import VecEnv
    from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

_SLOT_METHODS = ("state_dict", "copy", "determinize")
"""Methods of a batch that take a game's index first."""


class GameSb3VecEnv(VecEnv):
    """A batch of games as Stable-Baselines3 wants it; slot i, seeded s, plays as the single environment seeded s + i.

    Episodes restart in the step that ends them. The info of such a step has `terminal_observation`, `episode` (`r`
    reward, `l` length, `t` seconds since the start, as SB3's Monitor has them) and, where a game and not just a round
    ended, `outcome`, `reasons` and after an illegal action `illegal_action`; where the episode is a whole game also
    `is_success`, which a shared win in the game without numbers is not. Other infos are empty.
    ``env_method("action_masks")`` gives what MaskablePPO asks for.

    Args:
        env_id: A registered id, such as ``"GongorWhist-v0"``.
        num_envs: The number of games.
        keywords: Those of the environment; they go before those that the id stands for.

    Attributes:
        games: The batch.
        illegal_actions: How many illegal actions there have been.

    Raises:
        ValueError: If a keyword has a value that is not allowed.
        TypeError: If a keyword is unknown or has the wrong type.
    """

    def __init__(self, env_id: str, num_envs: int, **keywords: Any) -> None:
        fixed = [name for name in ("autoreset_mode", "info") if name in keywords]
        if fixed:
            raise TypeError(f"{fixed[0]} cannot be chosen: Stable-Baselines3 needs what this adapter sets")
        self.games = make_vector_env(env_id, num_envs, autoreset_mode=AutoresetMode.SAME_STEP, **keywords)
        super().__init__(num_envs, self.games.single_observation_space, self.games.single_action_space)
        self.illegal_actions = 0
        self._whole_games = self.games.settings.whole_games
        self._actions: NDArray[Any] = np.zeros(num_envs, np.int64)
        self._returns = np.zeros(num_envs)
        self._lengths = np.zeros(num_envs, np.int64)
        self._start = time.monotonic()
        self._started = False

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Seed the games from the next reset on: game slot i with seed + i; without a seed, one is drawn."""
        if seed is None:
            seed = int(np.random.default_rng().integers(TRAINING_SEEDS - self.num_envs))
        return super().seed(seed)

    def reset(self) -> Observation:
        """Start the games that the seeds name, or without seeds the next ones, and return the observations.

        Options given before by `set_options`, for each game its own, are those of the environment's `reset`.

        Raises:
            ValueError: If a seed or an option is not allowed; all games go on as they stand, and the options are gone.
        """
        before = self.games.save_games()
        try:
            observations = self._start_games()
        except ValueError:
            if self._started:
                self.games.load_games(before)
            self._reset_options()
            raise
        self._returns[:] = 0.0
        self._lengths[:] = 0
        self._started = True
        self._reset_seeds()
        self._reset_options()
        return observations

    def _start_games(self) -> Observation:
        observations: Observation = {}
        plain = np.array([not options for options in self._options])
        if plain.any():
            observations, _ = self.games.reset(seed=self._seeds, options={"reset_mask": plain})
        for index in np.flatnonzero(~plain):
            one = {"reset_mask": np.arange(self.num_envs) == index, **self._options[index]}
            observations, _ = self.games.reset(seed=self._seeds, options=one)
        return observations

    def set_options(self, options: list[dict[str, Any]] | dict[str, Any] | None = None) -> None:
        """Set what the next reset gets as options: a dict for all games, or a list with one for each.

        Raises:
            ValueError: If the list has another length.
        """
        if isinstance(options, list) and len(options) != self.num_envs:
            raise ValueError(
                f"options has {len(options)} entries, but there are {self.num_envs} games: give one for each"
            )
        super().set_options(options)

    def step_async(self, actions: NDArray[Any]) -> None:
        """Take note of the actions, shape (n,)."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Take the actions; return observations, rewards, dones and infos."""
        observations, rewards, dones, _, batch_infos = self.games.step(self._actions)
        self._returns += rewards
        self._lengths += 1
        # A dict for every game, as SB3 and its wrappers may write into them.
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if dones.any():
            self._tell_ends(infos, np.flatnonzero(dones), batch_infos)
        return observations, rewards.astype(np.float32), dones, infos

    def _tell_ends(self, infos: list[dict[str, Any]], ended: NDArray[np.intp], batch_infos: dict[str, Any]) -> None:
        """Write the infos of the games whose episodes have ended."""
        seconds = round(time.monotonic() - self._start, 6)
        observations, finals = batch_infos["final_obs"], batch_infos["final_info"]
        decided = finals.get("_outcome")
        illegal = finals.get("illegal_action")
        for index, reward, length in zip(
            ended.tolist(), self._returns[ended].tolist(), self._lengths[ended].tolist(), strict=True
        ):
            info = infos[index]
            info["terminal_observation"] = observations[index]
            info["TimeLimit.truncated"] = False
            info["episode"] = {"r": reward, "l": length, "t": seconds}
            if decided is not None and decided[index]:
                info["outcome"], info["reasons"] = finals["outcome"][index], list(finals["reasons"][index])
                if self._whole_games:
                    info["is_success"] = info["outcome"] == "win"
                if illegal is not None and illegal[index]:
                    info["illegal_action"] = True
                    self.illegal_actions += 1
        self._returns[ended] = 0.0
        self._lengths[ended] = 0

    def render(self, mode: str | None = None) -> Any:
        """Return what the batch's `render` returns: a text or picture of each game, by the render mode."""
        return self.games.render()

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute of the batch (`GameVectorEnv`) for each game."""
        single = attr_name in ("observation_space", "action_space")
        value = getattr(self.games, f"single_{attr_name}" if single else attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of the batch, which all games share.

        Raises:
            ValueError: If it is to be set for some games only.
        """
        if len(set(self._get_indices(indices))) != self.num_envs:
            raise ValueError(f"all games share the attribute {attr_name!r}: leave indices out to set it for all")
        setattr(self.games, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method for each game: `action_masks`, `state_dict`, `copy` or `determinize`.

        Raises:
            AttributeError: If it is none of these.
        """
        if method_name == "action_masks":
            masks = self.games.action_masks()
            return list(masks if indices is None else masks[list(self._get_indices(indices))])
        if method_name not in _SLOT_METHODS:
            known = ", ".join(("action_masks", *_SLOT_METHODS))
            raise AttributeError(f"a game of this batch has no method {method_name!r}: there are {known}")
        method = getattr(self.games, method_name)
        return [method(index, *method_args, **method_kwargs) for index in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type[gym.Wrapper], indices: VecEnvIndices = None) -> list[bool]:
        """Return False for each game: there are no wrappers."""
        return [False for _ in self._get_indices(indices)]

    def save_games(self) -> dict[str, NDArray[Any]]:
        """Return everything about the games as they stand, as arrays; `load_games` takes it."""
        return {"games": self.games.save_games(), "returns": self._returns.copy(), "lengths": self._lengths.copy()}

    def load_games(self, arrays: dict[str, NDArray[Any]]) -> Observation:
        """Restore what `save_games` returned, future deals included, and return the observations.

        Raises:
            ValueError: If the arrays are of another number of games or of another version of the engine.
        """
        for name in ("games", "returns", "lengths"):
            if name not in arrays or np.shape(arrays[name]) != np.shape(arrays["games"]):
                raise ValueError(f"arrays must be what save_games() returned: {name!r} is missing or of another length")
        observations, _ = self.games.load_games(arrays["games"])
        self._started = True
        self._returns[:] = arrays["returns"]
        self._lengths[:] = arrays["lengths"]
        return observations


class EckSb3VecEnv(GameSb3VecEnv):
    """A batch of games of ECK; see `GameSb3VecEnv`.

    Args:
        num_envs: The number of games.
        keywords: Those of `EckEnv`.
    """

    def __init__(self, num_envs: int, **keywords: Any) -> None:
        super().__init__("Eck-v0", num_envs, **keywords)
