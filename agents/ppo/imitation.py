"""Learning from recorded decisions: to choose as the agent did that made them, and to expect what came of them.

The order of the decisions follows from the seed and the number of the pass alone, so that an interrupted run goes on
where it was. A share of the decisions is held out, to see how well the policy has learned what it has not seen.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.logger import Logger
from torch import Tensor, nn

from agents.ppo.checkpoints import checkpoint_path, save_checkpoint
from agents.ppo.config import ImitationConfig, TrainingConfig
from agents.ppo.decisions import DecisionsError, Packing, load_about, load_decisions
from agents.ppo.judge import Judge
from agents.ppo.model import MaskedPolicy
from agents.ppo.run_folder import RunFolder
from eck_env.registry import game_of

_HELD_OUT = 50
"""One of so many decisions is held out: the last ones, which belong to episodes of their own."""

Watch = Callable[[int], None]
"""Told of how many decisions have been learned from since the last time."""


class Lessons:
    """The recorded decisions as tensors, and who learns from them.

    Args:
        config: The configuration of the run, with a section `imitation`.
        policy: Who learns; with its own optimizer.

    Raises:
        DecisionsError: If the file holds no decisions, or too few.
        OSError: If it cannot be read.
    """

    def __init__(self, config: TrainingConfig, policy: MaskableActorCriticPolicy) -> None:
        assert config.imitation is not None
        self._settings: ImitationConfig = config.imitation
        self._seed, self._max_grad_norm = config.seed, config.ppo.max_grad_norm
        self._policy, self._module = policy, MaskedPolicy(policy)
        self._packing = Packing(game_of(config.environment.variant()))
        self._data = load_decisions(Path(self._settings.data))
        self._size = self._settings.minibatch_size
        self._count = len(self._data) - len(self._data) // _HELD_OUT
        if self._count == len(self._data) or self._count < self._size:
            raise DecisionsError(
                f"{self._settings.data} holds {len(self._data)} decisions, too few to hold out one of {_HELD_OUT} and "
                f"fill a minibatch of {self._size}: record more, or choose a smaller imitation.minibatch_size"
            )
        self._batches = self._count // self._size  # of a pass; what is left over comes in another one
        self.total = self._batches * self._size * self._settings.epochs
        self._pass = -1
        self._order: NDArray[np.int64] = np.zeros(0, np.int64)

    def learn(self, done: int) -> int:
        """Learn from the minibatch that follows after so many decisions, and return its size."""
        number, batch = divmod(done // self._size, self._batches)
        if number != self._pass:
            self._pass = number
            self._order = np.random.default_rng([self._seed, number]).permutation(self._count)
        rows = self._order[batch * self._size : (batch + 1) * self._size]
        optimizer = self._policy.optimizer
        for group in optimizer.param_groups:
            group["lr"] = self._settings.learning_rate.at(done / self.total)
        self._policy.set_training_mode(True)
        choice_loss, value_loss, _ = self._losses(rows)
        loss = choice_loss + self._settings.value_weight * value_loss
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self._policy.parameters(), self._max_grad_norm)
        optimizer.step()
        return len(rows)

    def test(self, logger: Logger) -> None:
        """Record how well the policy does on the decisions that are held out."""
        rows = np.arange(self._count, len(self._data))
        self._policy.set_training_mode(False)
        with torch.no_grad():
            parts = [self._losses(rows[start : start + self._size]) for start in range(0, len(rows), self._size)]
        sizes = torch.tensor([len(rows[start : start + self._size]) for start in range(0, len(rows), self._size)])
        names = ("choice_loss", "value_loss", "agreement")
        for name, values in zip(names, zip(*parts, strict=True), strict=True):
            logger.record(f"imitation/{name}", float((torch.stack(values) * sizes).sum() / len(rows)))

    def _losses(self, rows: NDArray[np.int64]) -> tuple[Tensor, Tensor, Tensor]:
        """Return the loss of the choices, the squared error of the value, and the share of equal choices.

        The loss of the choices is their cross entropy, or what the policy is expected to lose by its choice: linear in
        the worths that the search found, so that their noise averages out over the positions.
        """
        data = self._data
        actions = torch.from_numpy(data.actions[rows].astype(np.int64))
        observations = torch.from_numpy(self._packing.unpack_observations(data.observations[rows]))
        logits, values = self._module(observations, torch.from_numpy(self._packing.unpack_masks(data.masks[rows])))
        units = self._module.value_units(observations)
        errors = (values - torch.from_numpy(data.returns[rows])) / units
        agreement = (logits.argmax(1) == actions).float().mean()
        logits = logits / self._settings.temperature
        if self._settings.learn == "choices":
            choice_loss = nn.functional.cross_entropy(logits, actions)
        else:
            regrets = torch.from_numpy(data.regrets[rows].astype(np.float32))
            choice_loss = ((logits.softmax(1) * regrets).sum(1) / units).mean()
        return choice_loss, errors.square().mean(), agreement


def recording_seconds(config: TrainingConfig) -> float:
    """Return how long the recording of the decisions took that a run imitates; 0 for a run that imitates none."""
    return 0.0 if config.imitation is None else float(load_about(Path(config.imitation.data)).get("seconds", 0.0))


def check_data(config: TrainingConfig, settings: Any) -> None:
    """Check that the recorded decisions are those of the run's game.

    Args:
        config: The configuration of the run.
        settings: Those of its environment.

    Raises:
        DecisionsError: If they are not, or the file holds none.
        OSError: If it cannot be read.
    """
    if config.imitation is None:
        return
    about = load_about(Path(config.imitation.data))
    own: dict[str, Any] = {"variant": config.environment.variant_keywords()}
    if config.imitation.learn == "regrets":
        own |= {"regrets": True}
    if config.imitation.value_weight > 0:
        own |= {"episode": settings.episode, "reward": settings.reward}
    for name, value in own.items():
        if about.get(name) != value:
            raise DecisionsError(
                f"{config.imitation.data} was recorded with the {name} {about.get(name)}, but the run has {value}: "
                "record decisions with the configuration of the run"
            )


def imitate(
    model: MaskablePPO,
    config: TrainingConfig,
    folder: RunFolder,
    done: int,
    judge: Judge,
    logger: Logger,
    stop_wanted: Callable[[], bool],
    watch: Callable[[int, int], None],
) -> bool:
    """Have a learner imitate the recorded decisions of a run, with evaluations and checkpoints.

    Args:
        model: The learner, before its first step of PPO; its games have begun.
        config: The configuration, with a section `imitation`.
        folder: The folder of the run.
        done: Decisions that it has learned from already.
        judge: Who evaluates.
        logger: Where figures go to.
        stop_wanted: Whether to stop; asked after each minibatch.
        watch: Told of the decisions learned from, and of how many there are to be.

    Returns:
        Whether it was finished; otherwise a checkpoint says how far it came.

    Raises:
        DecisionsError: If the file holds no decisions, or too few.
        OSError: If a file cannot be read or written.
    """
    lessons = Lessons(config, model.policy)
    path = checkpoint_path(folder.checkpoints, 0)
    while done < lessons.total:
        before = done
        done += lessons.learn(done)
        finished, stopping = done == lessons.total, stop_wanted()
        watch(done, lessons.total)
        if finished:
            model.policy.optimizer.state.clear()  # PPO begins with an optimizer of its own
        if finished or done // config.evaluation.every_steps > before // config.evaluation.every_steps:
            lessons.test(logger)
            judge.evaluate(model, logger, done)
        if finished or stopping or done // config.checkpoints.every_steps > before // config.checkpoints.every_steps:
            save_checkpoint(path, model, config, judge.seconds, done)
        if stopping and not finished:
            return False
    return True
