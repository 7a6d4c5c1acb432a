"""`python -m eck_env`."""

from __future__ import annotations

import pytest

import eck_env
from eck_env.__main__ import main
from eck_env.registry import REGISTRY


def test_it_prints_version_ids_and_a_game(capsys: pytest.CaptureFixture[str]) -> None:
    main()
    shown = capsys.readouterr().out
    assert f"eck_env {eck_env.__version__}" in shown
    assert all(f"  {env_id}: " in shown for env_id in REGISTRY)
    assert "round 1: " in shown
    assert shown.rstrip().endswith(("win", "loss"))
    assert len(shown.splitlines()) < 60
