"""Evaluations of a policy while it learns: the points of its learning curve, and the best of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger

from agents.evaluation import evaluate
from agents.ppo.checkpoints import save_checkpoint
from agents.ppo.config import TrainingConfig
from agents.ppo.model import PolicyAgent
from agents.ppo.run_folder import RunFolder

Report = Callable[[str], None]
OnEvaluation = Callable[[int, float], bool]
"""Told of the steps and the win rate of an evaluation; true: the run has been seen enough of, and is to stop."""

LOGGED = ("win_rate", "rounds_per_game", "lost_by_counter", "lost_by_eck_card", "drawn", "illegal_actions")
"""The figures of an evaluation that go to TensorBoard, where the game has them, beside `Result.score`."""


def score_of(evaluation: Mapping[str, Any]) -> float:
    """Return by what an evaluation that was noted is told from others: more is better; see `Result.score`."""
    return float(evaluation.get("score", evaluation["win_rate"]))


class Judge:
    """Evaluates the policy of a run, notes the result, and keeps the best policy; it also has the run's clock.

    Args:
        config: The configuration of the run.
        folder: Its folder.
        report: Takes a line for whoever watches.
        seconds: How long the run has been trained before, the recording of imitated decisions included.
        on_evaluation: Told of each evaluation.

    Attributes:
        win_rate: The last one that was measured.
        wants_stop: Whether `on_evaluation` wants the run to stop.
    """

    def __init__(
        self,
        config: TrainingConfig,
        folder: RunFolder,
        report: Report,
        seconds: float,
        on_evaluation: OnEvaluation | None = None,
    ) -> None:
        self._config, self._folder, self._report = config, folder, report
        self._start = time.monotonic() - seconds
        self._on_evaluation = on_evaluation
        evaluations = folder.read_evaluations()
        self.win_rate: float | None = evaluations[-1]["win_rate"] if evaluations else None
        self.wants_stop = False

    @property
    def seconds(self) -> float:
        """How long the run has been trained, earlier sessions included."""
        return time.monotonic() - self._start

    def evaluate(self, model: MaskablePPO, logger: Logger, imitated: int = 0) -> None:
        """Evaluate the policy and note the result.

        Args:
            model: The learner.
            logger: Where the figures go to.
            imitated: Recorded decisions that have been learned from, before the first step of PPO.
        """
        settings = self._config.evaluation
        agent = PolicyAgent(model.policy)
        result = evaluate(agent, self._config.environment.variant_keywords(), settings.games, settings.first_seed)
        summary = result.summary()
        for name, number in summary.items():
            if name in LOGGED:
                logger.record(f"eval/{name}", number)
        logger.record("eval/score", result.score)
        steps = model.num_timesteps
        logger.dump(imitated or steps)
        earlier = self._folder.read_evaluations()
        entry: dict[str, Any] = {"steps": steps, "training_seconds": round(self.seconds, 1), **summary}
        if result.measures:
            entry["score"] = result.score
        if imitated:
            entry["imitated"] = imitated
        self._folder.write_evaluations([*earlier, entry])
        self.win_rate = result.win_rate
        if all(result.score > score_of(evaluation) for evaluation in earlier):
            save_checkpoint(self._folder.best, model, self._config, self.seconds, imitated)
        low, high = result.interval
        done = f"{imitated:,} decisions imitated" if imitated else f"{steps:,} steps"
        measured = "".join(f", {each.name} {each.show(each.value)}" for each in result.measures)
        self._report(f"{done}: win rate {result.win_rate:.1%} ({low:.1%} - {high:.1%}){measured}")
        if self._on_evaluation is not None and not imitated:
            self.wants_stop |= self._on_evaluation(steps, result.win_rate)
