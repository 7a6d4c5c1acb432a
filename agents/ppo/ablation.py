"""Ablations: variations of one training run, and the table of what became of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agents.intervals import wilson_interval
from agents.ppo.config_files import ConfigError, load_config, read_yaml
from agents.ppo.run_folder import RunFolder
from agents.results import Result, load_results

_KEYS = ("base", "set", "rows")


@dataclass(frozen=True)
class Ablation:
    """Variations of a run.

    Attributes:
        base: The configuration that they vary.
        common: What is set in all of them, as texts such as ``"total_steps=3_000_000"``.
        rows: What each of them sets besides, by name.
    """

    base: str
    common: list[str]
    rows: dict[str, list[str]]

    def settings(self, name: str) -> list[str]:
        """Return all that a row sets, the row's own last."""
        return [*self.common, *self.rows[name]]

    def folder(self, out: Path, name: str, seed: int | None) -> Path:
        """Return the folder of a row's run."""
        words = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
        return out / (words if seed is None else f"{words}_{seed}")

    def complete(self, folder: Path) -> bool:
        """Return whether the run in a folder is at its end, evaluated and exported."""
        return RunFolder(folder).results.exists()


def load_ablation(path: Path) -> Ablation:
    """Return the ablation that a YAML file describes; every row is checked.

    Raises:
        ConfigError: If the file, or the configuration of a row, is none.
        OSError: If a file cannot be read.
    """
    data = read_yaml(path)
    if set(data) != set(_KEYS) or not isinstance(data["rows"], dict) or not data["rows"]:
        raise ConfigError(f"{path} must have the keys {', '.join(_KEYS)}, and rows by name")
    lists = [data["set"], *data["rows"].values()]
    if not all(isinstance(one, list) and all(isinstance(text, str) for text in one) for one in lists):
        raise ConfigError(f"{path}: what a row sets must be a list of texts such as ppo.epochs=4")
    ablation = Ablation(str(data["base"]), data["set"], data["rows"])
    for name in ablation.rows:
        load_config(Path(ablation.base), ablation.settings(name))
    return ablation


def ablation_markdown(ablation: Ablation, out: Path, seeds: Sequence[int | None]) -> str:
    """Return what the policies after the last decisions won, as a table in Markdown; the interval is of all seeds.

    Args:
        ablation: The variations.
        out: The folder of the runs, which are complete.
        seeds: The seeds of each row.

    Raises:
        ResultsError: If the results of a run are damaged.
        OSError: If they cannot be read.
    """
    lines = ["| | games won | 95% interval |", "|---|---|---|"]
    for name in ablation.rows:
        results = [_policy_result(RunFolder(ablation.folder(out, name, seed)).results) for seed in seeds]
        rates = " · ".join(f"{result.win_rate:.1%}" for result in results)
        wins, games = (sum(counts) for counts in zip(*((r.wins, len(r.games)) for r in results), strict=True))
        low, high = wilson_interval(wins, games)
        lines.append(f"| {name} | {rates} | {100 * low:.1f} - {high:.1%} |")
    return "\n".join(lines).replace("%", " %") + "\n"


def _policy_result(path: Path) -> Result:
    return load_results(path)[0]
