"""The folder of a training run: where its files lie, and how it is made or gone on with."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.ppo.config import TrainingConfig
from agents.ppo.config_files import changed_keys, dump_config, load_config
from eck_env.files import write_text

if sys.platform != "win32":
    import fcntl


class RunFolderError(ValueError):
    """A folder that a run cannot use; the message says what to do."""


@contextmanager
def lock_folder(path: Path) -> Iterator[None]:
    """Keep other processes out of a folder; the system takes the lock back from a process that dies.

    Windows has no such lock.

    Raises:
        RunFolderError: If another process has the folder.
    """
    with (path / ".lock").open("ab") as file:
        if sys.platform != "win32":
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise RunFolderError(
                    f"another process is at work in {path}: wait for it or stop it, or name another folder by --run-dir"
                ) from error
            except OSError:
                pass  # a file system without locks
        yield


@dataclass(frozen=True)
class RunFolder:
    """The folder of a run.

    `config.yaml`, `checkpoints/`, `tensorboard/`, `evaluations.jsonl` (one evaluation a line), `best.zip` (the
    checkpoint with the highest win rate in these), and at the end `results.json` and `policy.onnx` (the policy as the
    last update left it). `.lock` is held by the process that works on the run.
    """

    path: Path

    @property
    def config(self) -> Path:
        """The configuration, defaults written out."""
        return self.path / "config.yaml"

    @property
    def checkpoints(self) -> Path:
        """The folder of the newest checkpoints."""
        return self.path / "checkpoints"

    @property
    def tensorboard(self) -> Path:
        """The folder of TensorBoard's logs."""
        return self.path / "tensorboard"

    @property
    def evaluations(self) -> Path:
        """The evaluations during the training, as JSON, one a line."""
        return self.path / "evaluations.jsonl"

    @property
    def best(self) -> Path:
        """The checkpoint whose evaluation was the best."""
        return self.path / "best.zip"

    @property
    def results(self) -> Path:
        """The final evaluation."""
        return self.path / "results.json"

    @property
    def policy(self) -> Path:
        """The exported policy."""
        return self.path / "policy.onnx"

    @contextmanager
    def claim(self, config: TrainingConfig, resume: bool, force: bool) -> Iterator[None]:
        """Make the folder for a new run, or take over the run in it, and keep other processes out of it meanwhile.

        Raises:
            RunFolderError: If `check` does, or another process has the folder.
            ConfigError: If the configuration in the folder cannot be read.
            OSError: If the folder cannot be written to.
        """
        self.check(config, resume, force)
        self.path.mkdir(parents=True, exist_ok=True)
        with lock_folder(self.path):
            self.check(config, resume, force)  # once more: another process may have been here
            if force:
                self._clear()
            write_text(self.config, dump_config(config))  # first of all files: it is what makes the folder a run
            self.checkpoints.mkdir(exist_ok=True)
            yield

    def check(self, config: TrainingConfig, resume: bool, force: bool) -> None:
        """Check that a new run can be made here, or the run in the folder gone on with.

        Raises:
            RunFolderError: If it holds something and neither is asked for, or the run in it has another configuration.
            ConfigError: If the configuration in the folder cannot be read.
        """
        used = self.path.exists() and (not self.path.is_dir() or any(self._visible()))
        if used and not self.config.is_file():
            raise RunFolderError(f"{self.path} holds no training run, but something else: name another run folder")
        if used and resume:
            self._check_same(config)
        elif used and not force:
            raise RunFolderError(
                f"there is a run in {self.path} already: go on with it by --resume, begin anew in its place by "
                "--force, or name another folder by --run-dir"
            )

    def _visible(self) -> Iterator[Path]:
        """Yield what lies in the folder, hidden files apart, which an interrupted writing may have left."""
        return (path for path in self.path.iterdir() if not path.name.startswith("."))

    def _check_same(self, config: TrainingConfig) -> None:
        changed = changed_keys(load_config(self.config), config)
        if changed:
            raise RunFolderError(
                f"the run in {self.path} was started with another configuration: {', '.join(changed)} differ(s), see "
                f"{self.config}. Resume it with the same, or name another folder by --run-dir"
            )

    def _clear(self) -> None:
        """Delete the files of a run, and nothing else that lies there."""
        shutil.rmtree(self.checkpoints, ignore_errors=True)
        shutil.rmtree(self.tensorboard, ignore_errors=True)
        for path in (self.evaluations, self.best, self.results, self.policy):
            path.unlink(missing_ok=True)

    def read_evaluations(self) -> list[dict[str, Any]]:
        """Return the evaluations during the training.

        Raises:
            RunFolderError: If the file is damaged.
        """
        if not self.evaluations.is_file():
            return []
        lines = self.evaluations.read_bytes().splitlines()
        return [self._read_evaluation(number, line) for number, line in enumerate(lines, 1)]

    def _read_evaluation(self, number: int, line: bytes) -> dict[str, Any]:
        try:
            entry = json.loads(line)
            return {**entry, "steps": int(entry["steps"]), "win_rate": float(entry["win_rate"])}
        except (KeyError, TypeError, ValueError) as error:
            raise RunFolderError(
                f"line {number} of {self.evaluations} is damaged ({type(error).__name__}: {error}): delete the line, "
                "which the training can do without"
            ) from error

    def write_evaluations(self, evaluations: list[dict[str, Any]]) -> None:
        """Write the evaluations during the training, all of them or nothing."""
        write_text(self.evaluations, "".join(json.dumps(evaluation) + "\n" for evaluation in evaluations))
