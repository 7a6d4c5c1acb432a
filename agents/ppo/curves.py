"""Learning curves out of run folders: how many games a policy won in the evaluations while it learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.intervals import wilson_interval
from agents.ppo.run_folder import RunFolder, RunFolderError

FOLLOWED_BY = "+"
LABELLED = "="


@dataclass(frozen=True, eq=False)
class Curve:
    """The evaluations of a run, or of runs of which each went on from the best policy of the one before.

    Attributes:
        label: What to call it; runs that differ in their seeds share one.
        decisions: Decisions learned from before each evaluation, those imitated included.
        minutes: How long that took.
        wins: Games won.
        games: Games played.
    """

    label: str
    decisions: NDArray[np.float64]
    minutes: NDArray[np.float64]
    wins: NDArray[np.int64]
    games: NDArray[np.int64]

    @property
    def win_rates(self) -> NDArray[np.float64]:
        """The share of games won."""
        return self.wins / self.games

    @property
    def intervals(self) -> NDArray[np.float64]:
        """The 95 % intervals of the win rates, shape (2, n)."""
        pairs = zip(self.wins.tolist(), self.games.tolist(), strict=True)
        return np.array([wilson_interval(wins, games) for wins, games in pairs]).T


def read_curve(text: str) -> Curve:
    """Return the curve that a text names.

    Args:
        text: ``FOLDER``; ``FOLDER+FOLDER``, the second of which began with the best policy of the first; either with
            a label before it: ``LABEL=FOLDER``. Without one, the label is the name of the last folder.

    Raises:
        RunFolderError: If there is no run, or nothing was evaluated yet.
    """
    label, separator, named = text.partition(LABELLED)
    folders = [Path(part) for part in (named if separator else text).split(FOLLOWED_BY)]
    points: list[tuple[float, float, int, int]] = []
    decisions, seconds = 0.0, 0.0
    for folder in folders:
        entries = _entries(folder)
        points = [point for point in points if point[0] <= decisions]
        points += [(decisions + at, seconds + took, wins, games) for at, took, wins, games in entries]
        best = max(entries, key=lambda entry: entry[2] / entry[3])
        decisions, seconds = decisions + best[0], seconds + best[1]
    at, took, wins, games = (np.array(column) for column in zip(*points, strict=True))
    return Curve(label if separator else folders[-1].name, at, took / 60, wins, games)


def _entries(folder: Path) -> list[tuple[float, float, int, int]]:
    """Return the evaluations of a run: decisions learned from, seconds, games won, games."""
    evaluations = RunFolder(folder).read_evaluations()
    if not evaluations:
        raise RunFolderError(f"{folder} holds no training run, or one without an evaluation yet")
    imitated = max(entry.get("imitated", 0) for entry in evaluations)
    try:
        return [_entry(entry, imitated) for entry in evaluations]
    except (KeyError, TypeError) as error:
        raise RunFolderError(f"an evaluation of {folder} is damaged ({type(error).__name__}: {error})") from error


def _entry(entry: dict[str, Any], imitated: int) -> tuple[float, float, int, int]:
    decisions = entry.get("imitated") or entry["steps"] + imitated
    return float(decisions), *itemgetter("training_seconds", "wins", "games")(entry)


def by_label(curves: Sequence[Curve]) -> dict[str, list[Curve]]:
    """Return the curves by their labels, in the order of the first ones."""
    groups: dict[str, list[Curve]] = {}
    for curve in curves:
        groups.setdefault(curve.label, []).append(curve)
    return groups


def common_grid(places: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return all places, of several curves, that lie between the ends of every one of them."""
    low, high = max(one[0] for one in places), min(one[-1] for one in places)
    merged: NDArray[np.float64] = np.unique(np.concatenate(places))
    return np.asarray(merged[(merged >= low) & (merged <= high)])


def curves_markdown(groups: dict[str, list[Curve]]) -> str:
    """Return where the curves end as a table in Markdown."""
    lines = [
        "| run | seeds | decisions (millions) | minutes | last win rate | best win rate |",
        "|---|---|---|---|---|---|",
    ]
    for label, curves in groups.items():
        ends = [100 * curve.win_rates[-1] for curve in curves]
        best = [100 * curve.win_rates.max() for curve in curves]
        decisions = max(curve.decisions[-1] for curve in curves) / 1e6
        minutes = max(curve.minutes[-1] for curve in curves)
        lines.append(
            f"| {label} | {len(curves)} | {decisions:.1f} | {minutes:.0f} | {_spread(ends)} | {_spread(best)} |"
        )
    return "\n".join(lines) + "\n"


def _spread(rates: Sequence[float]) -> str:
    if len(rates) == 1:
        return f"{rates[0]:.1f} %"
    return f"{np.mean(rates):.1f} % ({min(rates):.1f} - {max(rates):.1f})"
