"""A training run from its configuration to the trained policy: what `scripts/train.py` runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat
from torch.utils.tensorboard import SummaryWriter
from tqdm import tqdm

from agents.agent import make_agents
from agents.ppo.callbacks import Keeper, ProgressBar, Schedules, Stopped, StopRequest, stop_on_signals
from agents.ppo.checkpoints import (
    Checkpoint,
    checkpoint_paths,
    damaged_paths,
    newest_checkpoint,
    restore,
    take_weights,
)
from agents.ppo.config import TrainingConfig
from agents.ppo.imitation import check_data, imitate, recording_seconds
from agents.ppo.judge import Judge, OnEvaluation, Report
from agents.ppo.model import make_model
from agents.ppo.run_folder import RunFolder, RunFolderError
from agents.ppo.scaled_rewards import ScaledRewards
from agents.ppo.self_play import Pool, PoolKeeper, SelfPlayVecEnv
from eck_env.adapters.sb3 import GameSb3VecEnv
from eck_env.batch import TRAINING_SEEDS
from eck_env.files import naming


@dataclass(frozen=True)
class Trained:
    """What a run has come to.

    Attributes:
        policy: The policy as the last update left it.
        checkpoint: The newest checkpoint, which holds it.
        steps: Decisions trained on.
        seconds: How long that took, earlier sessions and the recording of imitated decisions included.
        finished: Whether the run is complete; otherwise it was stopped, and can be resumed.
        interrupted: Whether it was stopped by a signal, and not by `on_evaluation`.
    """

    policy: MaskableActorCriticPolicy
    checkpoint: Path
    steps: int
    seconds: float
    finished: bool
    interrupted: bool


def draw_seeds(config: TrainingConfig) -> tuple[int, int]:
    """Return the seed of weights and choices, and the seed of the first game; game slot i has the latter plus i."""
    words = np.random.SeedSequence(config.seed).generate_state(2)
    return int(words[0]), int(words[1]) % (TRAINING_SEEDS - config.num_games)


def make_learner(config: TrainingConfig, folder: RunFolder, resume: bool) -> MaskablePPO:
    """Return the learner of a run, as the run begins.

    What is wrong with a configuration and shows only when it is used shows here, before anything is written.

    Args:
        config: The configuration.
        folder: The folder of the run; it need not exist yet.
        resume: Whether the run is gone on with: then its checkpoints have the weights, if it has any.

    Raises:
        ValueError: If the environment cannot be made, such as for want of round values, or the network to begin with
            or the decisions to imitate do not fit.
        OSError: If a file that the configuration names cannot be read.
    """
    torch.set_num_threads(config.threads)
    model_seed, game_seed = draw_seeds(config)
    environment = config.environment
    kind: Callable[..., GameSb3VecEnv] = ScaledRewards if config.relative else GameSb3VecEnv
    if config.pool is not None:
        fixed = list(make_agents(config.pool.fixed, environment.variant()).values()) if config.pool.fixed else []
        pool = Pool(config, config.pool, fixed)
        kind = partial(SelfPlayVecEnv, pool)
    env = kind(environment.id, config.num_games, **environment.keywords())
    model = make_model(config, env, model_seed)
    if config.pool is not None:
        pool.add(model.policy.state_dict())
    env.seed(game_seed)
    if not (resume and checkpoint_paths(folder.checkpoints)):
        if config.warm_start is not None:
            take_weights(Path(config.warm_start), config, model)
        check_data(config, env.games.settings)
    return model


def train(
    model: MaskablePPO,
    config: TrainingConfig,
    folder: RunFolder,
    resume: bool,
    report: Report,
    show_progress: bool = False,
    on_evaluation: OnEvaluation | None = None,
) -> Trained:
    """Train a policy, or go on with a run that was interrupted at any moment.

    A run that was resumed ends with the same policy, bit for bit, as one left alone.

    Args:
        model: The learner, just made by `make_learner`.
        config: The configuration.
        folder: The folder of the run, claimed.
        resume: Go on from the newest sound checkpoint; from the beginning where there is none yet.
        report: Takes a line for whoever watches.
        show_progress: Show a progress bar.
        on_evaluation: Told of each evaluation of PPO; it can have the run stopped.

    Raises:
        RunFolderError: If all checkpoints to resume from are damaged, or the evaluations are.
        DecisionsError: If the file to imitate holds no decisions, or too few.
        OSError: If a file cannot be written, such as on a full disk.
    """
    checkpoint = _find_checkpoint(folder, report) if resume else None
    if checkpoint is not None:
        restore(checkpoint, model)
        done = f"{checkpoint.imitated:,} decisions imitated" if checkpoint.imitated else f"{checkpoint.steps:,} steps"
        report(f"resuming after {done}")
    _forget_after(checkpoint, folder)
    seconds = checkpoint.run["seconds"] if checkpoint else recording_seconds(config)
    judge = Judge(config, folder, report, seconds, on_evaluation)
    with stop_on_signals(report) as request:
        imitated = checkpoint.imitated if checkpoint else 0
        finished = _imitate(model, config, folder, imitated, judge, request, show_progress)
        finished = finished and _learn(model, config, folder, judge, request, show_progress)
    newest = checkpoint_paths(folder.checkpoints)[0]
    return Trained(model.policy, newest, model.num_timesteps, judge.seconds, finished, request.made)


def _imitate(
    model: MaskablePPO,
    config: TrainingConfig,
    folder: RunFolder,
    done: int,
    judge: Judge,
    request: StopRequest,
    show_progress: bool,
) -> bool:
    """Imitate recorded decisions, unless none are to be imitated or PPO has begun; return whether PPO can begin."""
    if config.imitation is None or model.num_timesteps > 0:
        return True
    if model._last_obs is None:  # the games begin here, for checkpoints hold them
        model._last_obs = model.get_env().reset()  # type: ignore[union-attr, assignment]
        model._last_episode_starts = np.ones(config.num_games, np.bool_)
    writer = _TensorBoard(folder.tensorboard / "imitation", done)
    bar = tqdm(unit=" decisions", unit_scale=True, smoothing=0, dynamic_ncols=True, disable=not show_progress)

    def watch(learned: int, total: int) -> None:
        bar.total = total
        bar.update(learned - bar.n)

    try:
        logger = Logger(str(folder.tensorboard), [writer])
        return imitate(model, config, folder, done, judge, logger, lambda: request.made, watch)
    finally:
        bar.close()
        writer.close()


def _learn(
    model: MaskablePPO,
    config: TrainingConfig,
    folder: RunFolder,
    judge: Judge,
    request: StopRequest,
    show_progress: bool,
) -> bool:
    """Train by PPO; return whether the run is complete."""
    writer = _TensorBoard(folder.tensorboard, model.num_timesteps)
    model.set_logger(Logger(str(folder.tensorboard), [writer]))
    keeper = Keeper(config, folder, request, judge)
    bar = ProgressBar(config, judge) if show_progress else None
    callbacks: list[BaseCallback] = [Schedules(config), keeper, *([bar] if bar else [])]
    env = model.get_env()
    if config.pool is not None and isinstance(env, SelfPlayVecEnv):
        callbacks.insert(0, PoolKeeper(env.pool, config.pool.every_steps))
    try:
        left = max(0, config.total_steps - model.num_timesteps)
        model.learn(left, callbacks, reset_num_timesteps=False)
        keeper.after_update(store=True)
    except Stopped:
        return False
    finally:
        if bar:
            bar.close()
        writer.close()
    return not request.made


def _find_checkpoint(folder: RunFolder, report: Report) -> Checkpoint | None:
    checkpoint = newest_checkpoint(folder.checkpoints, report)
    if checkpoint is None and damaged_paths(folder.checkpoints):
        raise RunFolderError(
            f"no checkpoint in {folder.checkpoints} can be read, all are damaged: begin anew by --force, or put a "
            "sound one there"
        )
    if checkpoint is None:
        report(f"no checkpoint in {folder.checkpoints} yet: starting from the beginning")
    return checkpoint


def _forget_after(checkpoint: Checkpoint | None, folder: RunFolder) -> None:
    """Strike the evaluations after the checkpoint that the run goes on from: they will come again."""
    last = (checkpoint.steps, checkpoint.imitated) if checkpoint else (0, 0)
    evaluations = folder.read_evaluations()
    kept = [entry for entry in evaluations if (entry["steps"], entry.get("imitated", 0)) <= last]
    if kept != evaluations:
        folder.write_evaluations(kept)


class _TensorBoard(TensorBoardOutputFormat):
    """Writes to TensorBoard, which forgets whatever an interrupted session wrote for later steps."""

    def __init__(self, folder: Path, first_step: int) -> None:
        self._folder = folder
        self._is_closed = False
        with naming(folder):
            self.writer = SummaryWriter(str(folder), purge_step=first_step + 1)

    def write(self, *arguments: Any) -> None:
        with naming(self._folder):
            super().write(*arguments)

    def close(self) -> None:
        with naming(self._folder):
            super().close()
