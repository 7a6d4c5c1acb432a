"""Self-play in the game without numbers: a learner at seat 0 against a pool of its earlier policies at the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback

from agents.agent import Agent
from agents.onnx_agent import draw
from agents.ppo.config import PoolConfig, TrainingConfig
from agents.ppo.model import PolicyAgent, make_policy
from eck_env.adapters.sb3 import GameSb3VecEnv
from eck_env.base.env import Observation
from eck_env.batch import mix, random_key

_POOL_PURPOSE = 2**34
"""The random stream that says which policy a game is played against."""


class Snapshot:
    """An earlier policy of a run; it plays each action with the probability that it gives it."""

    def __init__(self, policy: MaskableActorCriticPolicy) -> None:
        self.name = "snapshot"
        self.policy = policy
        self._agent = PolicyAgent(policy)

    def act(self, observations: NDArray[Any], action_masks: NDArray[Any], keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Choose an action in each game; see `agents.agent.Agent.act`."""
        logits, _ = self._agent.logits_and_values(observations, action_masks)
        return draw(logits, keys)


class Pool:
    """Plays at the other seats: each game against one policy of the pool, which its deal and number name.

    Args:
        config: The configuration of the run.
        fixed: The agents that stay in the pool, beside the snapshots.
    """

    def __init__(self, config: TrainingConfig, pool: PoolConfig, fixed: list[Agent]) -> None:
        self.name = "pool"
        self._config, self._pool = config, pool
        self._fixed = fixed
        self.snapshots: list[Snapshot] = []
        self.taken = 0

    def add(self, state: dict[str, Any]) -> None:
        """Take in a policy, given by its weights; beyond the size of the pool, an older one goes.

        The newest stays, and so do older ones, the more thinly the older they are.
        """
        policy = make_policy(self._config)
        policy.load_state_dict(state)
        policy.set_training_mode(False)
        self.snapshots.append(Snapshot(policy))
        self.taken += 1
        if len(self.snapshots) > self._pool.size:
            del self.snapshots[self.taken % (self._pool.size - 1) if self._pool.size > 1 else 0]

    def act(self, observations: NDArray[Any], action_masks: NDArray[Any], keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Choose an action in each game; see `agents.agent.Agent.act`."""
        actions = np.zeros(len(keys), np.int64)
        members = self._members(keys)
        players: list[Any] = [*self._fixed, *self.snapshots]
        for number in np.unique(members).tolist():
            rows = members == number
            actions[rows] = players[number].act(observations[rows], action_masks[rows], keys[rows])
        return actions

    def _members(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of the player of each game: a fixed one, the newest snapshot, or any earlier one."""
        with np.errstate(over="ignore"):
            seeds: Any
            games: Any
            seeds, games = keys[:, :2].T
            bits: Any = mix(random_key(seeds, games, 0, _POOL_PURPOSE))  # plain arithmetic, so it takes arrays as well
        heights = (bits >> np.uint64(11)).astype(np.float64) / 2.0**53
        fixed, snapshots = len(self._fixed), len(self.snapshots)
        share = self._pool.fixed_share if fixed else 0.0
        newest = share + (1.0 - share) * self._pool.newest_share
        members = np.full(len(keys), fixed + snapshots - 1, np.int64)
        if fixed:
            chosen = heights < share
            members[chosen] = (heights[chosen] / share * fixed).astype(np.int64)
        older = heights >= newest
        if snapshots > 1:
            places = (heights[older] - newest) / (1.0 - newest) * (snapshots - 1)
            members[older] = fixed + places.astype(np.int64)
        return members


class SelfPlayVecEnv(GameSb3VecEnv):
    """A batch of games against a pool, which is stored and restored with them.

    Args:
        pool: Who plays at the other seats.
        env_id: See `GameSb3VecEnv`; so for the others.
        num_envs: The number of games.
        keywords: Those of the environment.
    """

    def __init__(self, pool: Pool, env_id: str, num_envs: int, **keywords: Any) -> None:
        super().__init__(env_id, num_envs, **keywords | {"opponents": pool})
        self.pool = pool

    def save_games(self) -> dict[str, NDArray[Any]]:
        """Return everything about the games and the pool as arrays; `load_games` takes it."""
        arrays = super().save_games() | {"pool_taken": np.array(self.pool.taken)}
        for place, snapshot in enumerate(self.pool.snapshots):
            for name, tensor in snapshot.policy.state_dict().items():
                arrays[f"pool/{place}/{name}"] = tensor.numpy()
        return arrays

    def load_games(self, arrays: dict[str, NDArray[Any]]) -> Observation:
        """Restore what `save_games` returned, and return the observations."""
        states: dict[int, dict[str, Any]] = {}
        for key, array in arrays.items():
            if key.startswith("pool/"):
                _, place, name = key.split("/", 2)
                states.setdefault(int(place), {})[name] = torch.from_numpy(array)
        self.pool.snapshots.clear()
        for _, state in sorted(states.items()):
            self.pool.add(state)
        self.pool.taken = int(arrays["pool_taken"])
        return super().load_games(arrays)


class PoolKeeper(BaseCallback):
    """Takes the policy into the pool each time that an update has passed the mark."""

    def __init__(self, pool: Pool, every_steps: int) -> None:
        super().__init__()
        self._pool, self._every = pool, every_steps

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        if self.model.num_timesteps // self._every >= self._pool.taken:
            self._pool.add(self.model.policy.state_dict())
