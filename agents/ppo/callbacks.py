"""What happens around the updates of a run: evaluations, checkpoints, schedules, and what is shown and logged.

All of it happens between two updates, so that a checkpoint is a state from which the run can go on exactly.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import safe_mean
from tqdm import tqdm

from agents.ppo.checkpoints import checkpoint_path, prune, save_checkpoint
from agents.ppo.config import TrainingConfig
from agents.ppo.judge import Judge, Report
from agents.ppo.run_folder import RunFolder


class StopRequest:
    """Whether somebody wants the run to end after the present update."""

    def __init__(self) -> None:
        self.made = False


class Stopped(Exception):  # noqa: N818  (it is no error)
    """Ends the learner's loop after a `StopRequest`, between two updates."""


@contextmanager
def stop_on_signals(report: Report) -> Iterator[StopRequest]:
    """Turn the first Ctrl-C or SIGTERM into a `StopRequest`; a second one ends the program as usual."""
    request = StopRequest()
    previous: dict[int, Any] = {}

    def restore_handlers() -> None:
        for number, handler in previous.items():
            signal.signal(number, handler)

    def note(number: int, frame: Any) -> None:
        restore_handlers()
        request.made = True
        report("stopping after this update, with a checkpoint (once more to stop at once, without)")

    if threading.current_thread() is threading.main_thread():
        previous |= {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield request
    finally:
        restore_handlers()


class Schedules(BaseCallback):
    """Sets the weight of the entropy before each update; the learner itself does so with the learning rate."""

    def __init__(self, config: TrainingConfig) -> None:
        super().__init__()
        self._config = config

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        learner: Any = self.model
        learner.ent_coef = self._config.ppo.entropy.at(learner.num_timesteps / self._config.total_steps)
        self.logger.record("train/entropy_weight", learner.ent_coef)
        self.logger.record("rollout/illegal_actions", learner.get_env().illegal_actions)


class Keeper(BaseCallback):
    """Evaluates the policy and stores checkpoints when an update has passed their marks, or a stop is wanted.

    Args:
        config: The configuration of the run.
        folder: Its folder.
        request: Whether to stop.
        judge: Who evaluates.
    """

    def __init__(self, config: TrainingConfig, folder: RunFolder, request: StopRequest, judge: Judge) -> None:
        super().__init__()
        self.model: Any  # a MaskablePPO, which has more to it than a BaseAlgorithm
        self._config = config
        self._folder = folder
        self._request = request
        self._judge = judge
        self._done_until = 0

    def _on_training_start(self) -> None:
        self._done_until = self.model.num_timesteps

    def _on_rollout_start(self) -> None:
        self.after_update(store=False)
        if self._stop_wanted:
            raise Stopped

    def _on_step(self) -> bool:
        return True

    @property
    def _stop_wanted(self) -> bool:
        return self._request.made or self._judge.wants_stop

    def after_update(self, store: bool) -> None:
        """Do what is due now, once after each update; with `store`, a checkpoint is due in any case."""
        steps = self.model.num_timesteps
        updated = steps > self._done_until
        self._done_until = steps
        stop_at_once = self._request.made
        if updated and self._passed(self._config.evaluation.every_steps):
            self._judge.evaluate(self.model, self.logger)
        store |= stop_at_once or self._judge.wants_stop
        if store or (updated and self._passed(self._config.checkpoints.every_steps)):
            path = checkpoint_path(self._folder.checkpoints, steps)
            save_checkpoint(path, self.model, self._config, self._judge.seconds)
            prune(self._folder.checkpoints, self._config.checkpoints.keep)

    def _passed(self, every: int) -> bool:
        """Whether the last update has passed a multiple of this many steps."""
        steps: int = self.model.num_timesteps
        return steps // every > (steps - self._config.rollout_size) // every


class ProgressBar(BaseCallback):
    """Shows the steps, their rate, the win rate last measured and the mean reward of the last episodes."""

    def __init__(self, config: TrainingConfig, judge: Judge) -> None:
        super().__init__()
        self._total = -(-config.total_steps // config.rollout_size) * config.rollout_size
        self._judge = judge
        self._bar: Any = None

    def _on_training_start(self) -> None:
        steps = self.model.num_timesteps
        self._bar = tqdm(
            total=self._total, initial=steps, unit=" steps", unit_scale=True, smoothing=0, dynamic_ncols=True
        )

    def _on_step(self) -> bool:
        self._bar.update(self.training_env.num_envs)
        return True

    def _on_rollout_end(self) -> None:
        rewards = [episode["r"] for episode in self.model.ep_info_buffer or ()]
        shown = {"reward": f"{safe_mean(rewards):+.3f}"} if rewards else {}
        if self._judge.win_rate is not None:
            shown["win rate"] = f"{self._judge.win_rate:.1%}"
        self._bar.set_postfix(shown)

    def close(self) -> None:
        """Leave the bar as it stands."""
        if self._bar is not None:
            self._bar.close()
