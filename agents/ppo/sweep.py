"""A search for good hyperparameters: many short runs, the hopeless ones cut short, the values chosen by Optuna.

The folder of a sweep holds `sweep.yaml`, `study.db` (Optuna's storage), `trials/` (the folder of each run), and after
each trial `table.md`, `best.yaml` (a configuration to train with) and `sweep.png`. Which values a trial tries follows
from the seed and the trials before it, so a sweep that was interrupted goes on as if it had not been.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import optuna
import yaml
from optuna.trial import FrozenTrial, TrialState
from pydantic import Field, model_validator

from agents.evaluation import evaluate
from agents.ppo.config import TrainingConfig
from agents.ppo.config_files import dump_config, load_config, parse_section, read_yaml
from agents.ppo.run_folder import RunFolder, RunFolderError, lock_folder
from agents.ppo.sections import Number, Section, Whole
from eck_env.files import write_text

Report = Callable[[str], None]

DONE = (TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL)
_NAME = "sweep"
_EARLY_EVALUATIONS = 1
"""So many evaluations of a run are too early to cut it short."""


class Dimension(Section):
    """The values that one key may take: a range, or some to choose from."""

    low: Number | None = None
    """The lowest value."""
    high: Number | None = None
    """The highest value."""
    log: bool = False
    """Whether the range is searched by ratios instead of differences."""
    whole: bool = False
    """Whether only whole numbers are taken."""
    choices: Annotated[list[int | float | str | bool | None], Field(min_length=1)] | None = None
    """In place of a range: the values to choose from."""

    @model_validator(mode="after")
    def _check_kind(self) -> Dimension:
        ranged = self.low is not None and self.high is not None and self.low < self.high
        if (self.choices is None) != ranged or (self.choices is not None and (self.low, self.high) != (None, None)):
            raise ValueError("must have either low and high, the first below the second, or choices")
        if self.log and self.low is not None and self.low <= 0:
            raise ValueError(f"low is {self.low}, but a range that is searched by ratios must begin above 0")
        return self

    def suggest(self, trial: optuna.Trial, key: str) -> Any:
        """Return the value that a trial is to try."""
        if self.choices is not None:
            return trial.suggest_categorical(key, self.choices)
        assert self.low is not None
        assert self.high is not None
        if self.whole:
            return trial.suggest_int(key, int(self.low), int(self.high), log=self.log)
        return trial.suggest_float(key, self.low, self.high, log=self.log)

    def examples(self) -> list[Any]:
        """Return all choices, or both ends of the range."""
        ends = [self.low, self.high] if self.choices is None else self.choices
        return [int(end) for end in ends if end is not None] if self.whole else list(ends)

    def holds(self, value: Any) -> bool:
        """Return whether a value is one of these."""
        if self.choices is not None:
            return value in self.choices
        assert self.low is not None
        assert self.high is not None
        return isinstance(value, int | float) and self.low <= value <= self.high


class SweepConfig(Section):
    """A sweep."""

    base: str
    """The configuration of a run that all trials share, but for what follows."""
    total_steps: Annotated[Whole, Field(ge=1)]
    """In place of the base's: decisions of a trial. Schedules that fall end with it."""
    trials: Annotated[Whole, Field(ge=1)]
    """How many; the first one tries the base's own values."""
    startup_trials: Annotated[Whole, Field(ge=1)] = 8
    """So many trials are drawn at random, and run to their ends, before those before them are learned from."""
    seed: Annotated[Whole, Field(ge=0, lt=2**32)] = 0
    """What the values are drawn by."""
    space: Annotated[dict[str, Dimension], Field(min_length=1)]
    """The keys, as paths such as ppo.epochs, and what values they may take."""

    def training(self, values: dict[str, Any], total_steps: int | None = None) -> TrainingConfig:
        """Return the configuration of a run with values for the keys of the space."""
        steps = self.total_steps if total_steps is None else total_steps
        given = {**values, "total_steps": steps}
        return load_config(Path(self.base), [f"{key}={json.dumps(value)}" for key, value in given.items()])


def load_sweep(path: Path) -> SweepConfig:
    """Return the sweep in a YAML file, checked as far as it can be before it runs.

    Raises:
        ConfigError: If the file is no sweep, or a key of the space or a value is none of a training run.
        OSError: If a file cannot be read.
    """
    config = parse_section(SweepConfig, read_yaml(path), str(path))
    for key, dimension in config.space.items():
        for value in dimension.examples():
            config.training({key: value})
    return config


@dataclass(frozen=True)
class Outcome:
    """What has come of a trial.

    Attributes:
        number: Its number.
        state: ``complete``, ``pruned`` (cut short) or ``fail``.
        win_rate: The last one measured; None if none was.
        steps: Decisions trained on when it was measured.
        minutes: How long the run took.
        values: What it tried.
    """

    number: int
    state: str
    win_rate: float | None
    steps: int
    minutes: float
    values: dict[str, Any]


def outcome(trial: FrozenTrial, keys: Sequence[str]) -> Outcome:
    """Return what has come of a trial; `keys`: those of the space, whose order its storage does not keep."""
    last = max(trial.intermediate_values, default=0)
    rate = trial.value if trial.state == TrialState.COMPLETE else trial.intermediate_values.get(last)
    steps = trial.user_attrs.get("steps", last)
    values = {key: trial.params[key] for key in keys}
    return Outcome(trial.number, trial.state.name.lower(), rate, steps, trial.user_attrs.get("minutes", 0.0), values)


class Sweep:
    """A sweep in a folder.

    Args:
        config: What is searched.
        folder: Where; made if need be.
        resume: Go on with the sweep in the folder; if there is none, begin.
        report: Takes a line for whoever watches.

    Raises:
        RunFolderError: If the folder holds a sweep and `resume` is not set, or another sweep.
        OSError: If the folder cannot be written to.
    """

    def __init__(self, config: SweepConfig, folder: Path, resume: bool, report: Report) -> None:
        self.config, self.folder, self._report = config, folder, report
        stored = folder / "sweep.yaml"
        if stored.exists() and not resume:
            raise RunFolderError(f"there is a sweep in {folder} already: go on with it by --resume, or name another")
        if stored.exists():
            self._check_same(stored)
        elif folder.exists() and any(path.name != ".lock" for path in folder.iterdir()):
            raise RunFolderError(f"{folder} holds no sweep, but something else: name another folder")
        folder.mkdir(parents=True, exist_ok=True)
        write_text(stored, yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False))
        self.best = folder / "best.yaml"

    def run(self) -> list[Outcome]:
        """Run the trials that are missing, and return what came of all of them, the best first.

        Raises:
            KeyboardInterrupt: If it was stopped; the trial under way goes on when the sweep is resumed.
            RunFolderError: If another process is at work on the sweep.
            OSError: If a file cannot be written.
        """
        with lock_folder(self.folder):
            study = self._study()
            while len(study.get_trials(deepcopy=False, states=DONE)) < self.config.trials:
                self._run_trial(study, self._next_trial(study))
                self._write(study)
            return self.outcomes(study)

    def outcomes(self, study: optuna.Study) -> list[Outcome]:
        """Return what has come of the trials, the best first; those cut short come after those that were not."""
        keys = tuple(self.config.space)
        found = [outcome(trial, keys) for trial in study.get_trials(deepcopy=False, states=DONE)]
        order = {"complete": 0, "pruned": 1, "fail": 2}
        return sorted(found, key=lambda one: (order[one.state], -(one.win_rate or 0.0)))

    def _study(self) -> optuna.Study:
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        pruner = optuna.pruners.MedianPruner(self.config.startup_trials, n_warmup_steps=0,
                                             n_min_trials=min(4, self.config.startup_trials))  # fmt: skip
        storage = f"sqlite:///{(self.folder / 'study.db').resolve()}"
        study = optuna.create_study(
            storage=storage, study_name=_NAME, pruner=pruner, direction="maximize", load_if_exists=True
        )
        if not study.get_trials(deepcopy=False):
            own = self.config.training({}).model_dump()
            values = {key: _value_at(own, key) for key in self.config.space}
            if all(dimension.holds(values[key]) for key, dimension in self.config.space.items()):
                study.enqueue_trial(values)
        return study

    def _next_trial(self, study: optuna.Study) -> optuna.Trial:
        """Return the trial that was interrupted, or a new one."""
        running = study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))
        if running:
            return optuna.Trial(study, running[0]._trial_id)
        number = len(study.get_trials(deepcopy=False, states=(*DONE, TrialState.RUNNING)))
        # A sampler for each trial: what it draws does not depend on what the present process has drawn before.
        study.sampler = optuna.samplers.TPESampler(
            seed=self.config.seed + number, n_startup_trials=self.config.startup_trials
        )
        return study.ask()

    def _run_trial(self, study: optuna.Study, trial: optuna.Trial) -> None:
        values = {key: dimension.suggest(trial, key) for key, dimension in self.config.space.items()}
        said = ", ".join(f"{key} {_short(value)}" for key, value in values.items())
        self._report(f"trial {trial.number} of {self.config.trials}: {said}")
        try:
            self._train(study, trial, values)
        except ValueError as error:  # values that do not go together, or weights that have become infinite
            study.tell(trial, state=TrialState.FAIL)
            self._report(f"trial {trial.number} failed: {error}")

    def _train(self, study: optuna.Study, trial: optuna.Trial, values: dict[str, Any]) -> None:
        from agents.ppo.model import PolicyAgent
        from agents.ppo.training import make_learner, train

        config = self.config.training(values)
        run = RunFolder(self.folder / "trials" / f"{trial.number:04}")
        resume = run.config.is_file()
        told = set(study.get_trials(deepcopy=False)[trial.number].intermediate_values)

        def on_evaluation(steps: int, win_rate: float) -> bool:
            if steps not in told:  # those since the checkpoint come again when a trial is gone on with
                trial.report(win_rate, steps)
            return len(run.read_evaluations()) > _EARLY_EVALUATIONS and trial.should_prune()

        learner = make_learner(config, run, resume)
        with run.claim(config, resume=True, force=False):
            trained = train(learner, config, run, resume, lambda line: None, on_evaluation=on_evaluation)
        trial.set_user_attr("steps", trained.steps)
        trial.set_user_attr("minutes", round(trained.seconds / 60, 1))
        if trained.interrupted:
            raise KeyboardInterrupt
        if not trained.finished:
            study.tell(trial, state=TrialState.PRUNED)
            self._report(f"trial {trial.number}: cut short after {trained.steps:,} steps")
            return
        settings = config.evaluation
        keywords = config.environment.variant_keywords()
        result = evaluate(PolicyAgent(trained.policy), keywords, settings.games, settings.first_seed)
        study.tell(trial, result.win_rate)
        self._report(f"trial {trial.number}: win rate {result.win_rate:.1%}")

    def _write(self, study: optuna.Study) -> None:
        """Write table, picture and the best configuration, as they stand after a trial."""
        from agents.charts import to_png
        from agents.ppo.learning_charts import sweep_chart
        from eck_env.files import write_bytes

        outcomes = self.outcomes(study)
        write_text(self.folder / "table.md", sweep_markdown(outcomes))
        if outcomes[0].state != "complete":
            return
        write_bytes(self.folder / "sweep.png", to_png(sweep_chart(outcomes, self.config.space)))
        base = load_config(Path(self.config.base))
        best = self.config.training(outcomes[0].values, base.total_steps)
        head = (
            f"# The best of {len(outcomes)} trials of {self.config.total_steps:,} decisions: {self.config.base} with\n"
        )
        chosen = "".join(f"#   {key}: {_short(value)}\n" for key, value in outcomes[0].values.items())
        write_text(self.best, head + chosen + dump_config(best))

    def _check_same(self, stored: Path) -> None:
        old = parse_section(SweepConfig, read_yaml(stored), str(stored))
        changed = [
            key
            for key in SweepConfig.model_fields
            if key != "trials" and getattr(old, key) != getattr(self.config, key)
        ]
        if changed:
            raise RunFolderError(
                f"the sweep in {self.folder} was begun with another {', '.join(changed)}: go on with the same, or name "
                "another folder"
            )


def sweep_markdown(outcomes: list[Outcome]) -> str:
    """Return the trials as a table in Markdown."""
    keys = list(dict.fromkeys(key for one in outcomes for key in one.values))
    lines = ["| trial | state | win rate | steps | minutes | " + " | ".join(keys) + " |"]
    lines.append("|---" * (5 + len(keys)) + "|")
    for one in outcomes:
        rate = "-" if one.win_rate is None else f"{one.win_rate:.1%}"
        cells = [str(one.number), one.state, rate, f"{one.steps:,}", f"{one.minutes:.1f}"]
        lines.append("| " + " | ".join([*cells, *(_short(one.values.get(key)) for key in keys)]) + " |")
    return "\n".join(lines) + "\n"


def _short(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _value_at(data: Any, path: str) -> Any:
    """Return the value at a path such as ppo.epochs; None where there is none."""
    for key in path.split("."):
        data = data.get(key) if isinstance(data, dict) else None
    return data
