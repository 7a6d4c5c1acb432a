"""Learning curves out of run folders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from agents.charts import to_png
from agents.ppo.curves import by_label, common_grid, curves_markdown, read_curve
from agents.ppo.learning_charts import curves_chart
from agents.ppo.run_folder import RunFolder, RunFolderError

PNG = b"\x89PNG"


def make_run(path: Path, points: list[tuple[int, float, int]], imitated: int = 0) -> Path:
    """Write evaluations of 100 games: steps, seconds, wins; the first one after imitating, if anything is imitated."""
    path.mkdir()
    entries: list[dict[str, Any]] = [
        {"steps": steps, "training_seconds": seconds, "wins": wins, "games": 100, "win_rate": wins / 100}
        for steps, seconds, wins in points
    ]
    if imitated:
        entries[0]["imitated"] = imitated
    RunFolder(path).write_evaluations(entries)
    return path


def test_a_run(tmp_path: Path) -> None:
    curve = read_curve(str(make_run(tmp_path / "one", [(10, 60, 20), (20, 120, 40)])))
    assert curve.label == "one"
    assert curve.decisions.tolist() == [10, 20]
    assert curve.minutes.tolist() == [1, 2]
    assert curve.win_rates.tolist() == [0.2, 0.4]
    low, high = curve.intervals
    assert (low < curve.win_rates).all()
    assert (high > curve.win_rates).all()


def test_what_was_imitated_counts(tmp_path: Path) -> None:
    run = make_run(tmp_path / "one", [(0, 60, 20), (10, 120, 40)], imitated=500)
    assert read_curve(str(run)).decisions.tolist() == [500, 510]


def test_a_run_that_went_on_from_the_best_of_another(tmp_path: Path) -> None:
    first = make_run(tmp_path / "first", [(10, 60, 20), (20, 120, 40), (30, 180, 30)])
    second = make_run(tmp_path / "second", [(10, 60, 45), (20, 90, 50)])
    curve = read_curve(f"both={first}+{second}")
    assert curve.label == "both"
    assert curve.decisions.tolist() == [10, 20, 30, 40]
    assert curve.minutes.tolist() == [1, 2, 3, 3.5]
    assert curve.wins.tolist() == [20, 40, 45, 50]


def test_no_runs(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match=r"none holds no training run, or one without an evaluation yet"):
        read_curve(str(tmp_path / "none"))
    RunFolder(tmp_path).write_evaluations([{"steps": 3, "win_rate": 0.5}])
    with pytest.raises(RunFolderError, match=r"an evaluation of .* is damaged"):
        read_curve(str(tmp_path))


def test_seeds_are_drawn_together(tmp_path: Path) -> None:
    one = make_run(tmp_path / "a", [(10, 60, 20), (20, 120, 40)])
    two = make_run(tmp_path / "b", [(12, 60, 30), (24, 120, 50)])
    lone = make_run(tmp_path / "c", [(10, 60, 10), (30, 120, 20)])
    groups = by_label([read_curve(text) for text in (f"PPO={one}", str(lone), f"PPO={two}")])
    assert [(label, len(curves)) for label, curves in groups.items()] == [("PPO", 2), ("c", 1)]
    grid = common_grid([curve.decisions for curve in groups["PPO"]])
    assert grid.tolist() == [12, 20]
    assert "| PPO | 2 | 0.0 | 2 | 45.0 % (40.0 - 50.0) |" in curves_markdown(groups)
    figure = curves_chart(groups, "title")
    line = figure.axes[0].get_lines()[0]
    np.testing.assert_allclose(np.asarray(line.get_ydata()), [(24 + 30) / 2, (40 + 30 + 20 * 8 / 12) / 2])
    assert to_png(figure).startswith(PNG)


def test_the_command(tmp_path: Path) -> None:
    from scripts.curves import app

    run = make_run(tmp_path / "one", [(10, 60, 20), (20, 120, 40)])
    out, table = tmp_path / "curves.png", tmp_path / "curves.md"
    done = CliRunner().invoke(app, [str(run), "--out", str(out), "--markdown", str(table)])
    assert done.exit_code == 0, done.output
    assert out.read_bytes().startswith(PNG)
    assert "| one | 1 |" in table.read_text()
    done = CliRunner().invoke(app, [str(tmp_path / "none")])
    assert (done.exit_code, "holds no training run" in done.output) == (2, True)
