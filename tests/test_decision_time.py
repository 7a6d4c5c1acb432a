"""The time of single decisions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import typer
from typer.testing import CliRunner

from agents.agent import make_agent
from agents.decision_time import decision_times, main
from agents.evaluation import find_variant
from onnx_helpers import policy


def test_times_of_single_decisions() -> None:
    times = decision_times(make_agent("heuristic"), find_variant("EckBeginner-v0"), 200)
    assert times.shape == (200,)
    assert (times > 0).all()
    assert np.median(times) < 0.01


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "some.onnx").write_bytes(policy())
    app = typer.Typer()
    app.command()(main)
    done = CliRunner().invoke(app, [str(tmp_path / "some.onnx"), "mc:2", "--decisions", "300"])
    assert done.exit_code == 0, done.output
    assert [line.split(":")[0] for line in done.output.splitlines()[1:]] == ["some", "mc"]
    done = CliRunner().invoke(app, ["heuristc"])
    assert (done.exit_code, "did you mean" in done.output) == (2, True)
