"""Games whose rewards are divided by what is at stake in the round, or hand.

See `agents.ppo.network.state_scales` for ECK, `agents.ppo.gongor_network.stakes` for Gongor Whist.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from agents.ppo.gongor_network import stakes
from agents.ppo.network import state_scales
from eck_env.adapters.sb3 import GameSb3VecEnv
from eck_env.base.engine import Outputs
from eck_env.base.vector_env import GameVectorEnv, Step
from eck_env.eck.round_values import load_round_values
from eck_env.eck.vector_env import EckVectorEnv
from eck_env.gongor_whist.round_values import load_round_values as load_gongor_values
from eck_env.gongor_whist.rules import NO_BID
from eck_env.gongor_whist.standing import HIGHEST, LOWEST
from eck_env.gongor_whist.variant import FIRST_EDITION, SCORINGS, SHUT_THE_BOX
from eck_env.gongor_whist.vector_env import GongorVectorEnv


class Stakes(Protocol):
    """What is at stake in the rounds that a batch of games plays."""

    def now(self) -> NDArray[np.float64]:
        """Return the stakes of the rounds as they stand, shape (n,); those of games that are over mean nothing."""
        ...


class GongorStakes:
    """What is at stake in the hands that a batch of games of Gongor Whist plays.

    Args:
        games: The batch.
        round_values: The file of its table of round values; None for the shipped one.
    """

    def __init__(self, games: GongorVectorEnv, round_values: str | None) -> None:
        self._games = games
        self._stakes = stakes(load_gongor_values(games.settings.variant, round_values))
        self._scoring = SCORINGS.index(games.settings.variant.scoring)

    def now(self) -> NDArray[np.float64]:
        """Return the stakes of the hands as they stand; see `Stakes`."""
        games = self._games.save_games()
        progress = games["bids"] | np.where(games["bid"] == NO_BID, 0, 1 << games["bid"].clip(0).astype(np.int64))
        if self._scoring == FIRST_EDITION:
            progress = games["hand_number"]
        lead = np.zeros(len(games), np.int64)
        if self._scoring != SHUT_THE_BOX:
            lead = games["you"].astype(np.int64) - games["dummy"]
        place = lead.clip(LOWEST[self._scoring], HIGHEST[self._scoring]) - LOWEST[self._scoring]
        found: NDArray[np.float64] = self._stakes[progress, place]
        return found


class EckStakes:
    """What is at stake in the rounds that a batch of games of ECK plays.

    Args:
        games: The batch.
        round_values: The file of its table of round values; None for the shipped one.
    """

    def __init__(self, games: EckVectorEnv, round_values: str | None) -> None:
        self._games = games
        scales = state_scales(load_round_values(games.settings.variant, round_values))
        self._scales = np.nan_to_num(scales, nan=1.0)

    def now(self) -> NDArray[np.float64]:
        """Return the stakes of the rounds as they stand; see `Stakes`."""
        games = self._games.save_games()
        counter = np.minimum(games["counter"], len(self._scales) - 1)
        stakes: NDArray[np.float64] = self._scales[counter, games["yours"], games["gray"]]
        return stakes


def make_stakes(games: GameVectorEnv[Any], round_values: str | None) -> Stakes:
    """Return what is at stake in a batch of any game."""
    if isinstance(games, EckVectorEnv):
        return EckStakes(games, round_values)
    assert isinstance(games, GongorVectorEnv)
    return GongorStakes(games, round_values)


class ScaledRewards(GameSb3VecEnv):
    """A `GameSb3VecEnv` of rounds with scaled rewards; what `episode` in the infos adds up is not scaled.

    Args:
        env_id: A registered id.
        num_envs: The number of games.
        keywords: Those of the environment; the rewards must be those by round values.
    """

    def __init__(self, env_id: str, num_envs: int, **keywords: Any) -> None:
        super().__init__(env_id, num_envs, **keywords)
        self._stakes = make_stakes(self.games, keywords.get("round_values"))

    def step_wait(self) -> VecEnvStepReturn:
        """Take the actions; return observations, scaled rewards, dones and infos."""
        stakes = self._stakes.now()
        observations, rewards, dones, infos = super().step_wait()
        return observations, (rewards / stakes).astype(np.float32), dones, infos


class ScaledVectorEnv(EckVectorEnv):
    """An `EckVectorEnv` of rounds with scaled rewards; its arguments are the same."""

    def __init__(self, num_envs: int, **keywords: Any) -> None:
        super().__init__(num_envs, **keywords)
        self._stakes = EckStakes(self, keywords.get("round_values"))

    def step(self, actions: Any, out: Outputs | None = None) -> Step:
        """Take one action in each game; see `EckVectorEnv.step`."""
        stakes = self._stakes.now()
        observations, rewards, terminated, truncated, infos = super().step(actions, out)
        return observations, rewards / stakes, terminated, truncated, infos
