"""Games whose rewards are divided by what is at stake in the round: see `agents.ppo.network.state_scales`."""

from __future__ import annotations

from typing import Any

import numpy as np
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from agents.ppo.network import state_scales
from eck_env.adapters.sb3 import EckSb3VecEnv
from eck_env.eck.round_values import load_round_values


class ScaledRewards(EckSb3VecEnv):
    """An `EckSb3VecEnv` of rounds with scaled rewards; what `episode` in the infos adds up is not scaled.

    Args:
        num_envs: The number of games.
        keywords: Those of `EckEnv`; the rewards must be those by round values.
    """

    def __init__(self, num_envs: int, **keywords: Any) -> None:
        super().__init__(num_envs, **keywords)
        table = load_round_values(self.games.settings.variant, keywords.get("round_values"))
        self._scales = state_scales(table)

    def step_wait(self) -> VecEnvStepReturn:
        """Take the actions; return observations, scaled rewards, dones and infos."""
        games = self.games.save_games()
        scales = self._scales[games["counter"], games["yours"], games["gray"]]
        observations, rewards, dones, infos = super().step_wait()
        return observations, (rewards / scales).astype(np.float32), dones, infos
