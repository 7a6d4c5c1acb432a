"""Games whose rewards are divided by what is at stake in the round: see `agents.ppo.network.state_scales`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from agents.ppo.network import state_scales
from eck_env.adapters.sb3 import EckSb3VecEnv
from eck_env.base.engine import Outputs
from eck_env.base.vector_env import Step
from eck_env.eck.round_values import load_round_values
from eck_env.eck.vector_env import EckVectorEnv


class Stakes:
    """What is at stake in the rounds that a batch of games plays.

    Args:
        games: The batch.
        round_values: The file of its table of round values; None for the shipped one.
    """

    def __init__(self, games: EckVectorEnv, round_values: str | None) -> None:
        self._games = games
        scales = state_scales(load_round_values(games.settings.variant, round_values))
        self._scales = np.nan_to_num(scales, nan=1.0)

    def now(self) -> NDArray[np.float64]:
        """Return the stakes of the rounds as they stand, shape (n,); those of games that are over mean nothing."""
        games = self._games.save_games()
        counter = np.minimum(games["counter"], len(self._scales) - 1)
        stakes: NDArray[np.float64] = self._scales[counter, games["yours"], games["gray"]]
        return stakes


class ScaledRewards(EckSb3VecEnv):
    """An `EckSb3VecEnv` of rounds with scaled rewards; what `episode` in the infos adds up is not scaled.

    Args:
        num_envs: The number of games.
        keywords: Those of `EckEnv`; the rewards must be those by round values.
    """

    def __init__(self, num_envs: int, **keywords: Any) -> None:
        super().__init__(num_envs, **keywords)
        self._stakes = Stakes(self.games, keywords.get("round_values"))

    def step_wait(self) -> VecEnvStepReturn:
        """Take the actions; return observations, scaled rewards, dones and infos."""
        stakes = self._stakes.now()
        observations, rewards, dones, infos = super().step_wait()
        return observations, (rewards / stakes).astype(np.float32), dones, infos


class ScaledVectorEnv(EckVectorEnv):
    """An `EckVectorEnv` of rounds with scaled rewards; its arguments are the same."""

    def __init__(self, num_envs: int, **keywords: Any) -> None:
        super().__init__(num_envs, **keywords)
        self._stakes = Stakes(self, keywords.get("round_values"))

    def step(self, actions: Any, out: Outputs | None = None) -> Step:
        """Take one action in each game; see `EckVectorEnv.step`."""
        stakes = self._stakes.now()
        observations, rewards, terminated, truncated, infos = super().step(actions, out)
        return observations, rewards / stakes, terminated, truncated, infos
