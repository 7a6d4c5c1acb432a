"""What the library has to say goes through `logging`, once, and never through `warnings`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from eck_env.base.infos import announce_forfeit
from game_helpers import Kit, over_games

FORFEITS = """
import numpy as np
from eck_env import EckEnv
for seed in range(3):
    env = EckEnv()
    env.reset(seed=seed)
    env.step(int(np.argmin(env.action_masks())))
"""


def run(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program whose compiled code is kept in this folder, with warnings as errors."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@over_games
@pytest.mark.parametrize("kind", ["single", "mask", "full"])
def test_a_forfeit_is_told_once(kit: Kit, kind: str, caplog: pytest.LogCaptureFixture) -> None:
    announce_forfeit.cache_clear()
    for seed in range(3):
        if kind == "single":
            env = kit.env()
            env.reset(seed=seed)
            env.step(int(np.argmin(env.action_masks())))
        else:
            batch = kit.vector_env(2, info=kind)
            batch.reset(seed=seed)
            batch.step(np.argmin(batch.action_masks(), axis=1))
    records = [record for record in caplog.records if "illegal" in record.getMessage()]
    assert len(records) == 1
    assert records[0].name == "eck_env"
    assert "\n" not in records[0].getMessage()
    assert "action_mask" in records[0].getMessage()


def test_compiling_is_told_once_a_machine(tmp_path: Path) -> None:
    """The first process compiles and says so in one line; the second one finds the compiled code."""
    first, second = run(FORFEITS, tmp_path), run(FORFEITS, tmp_path)
    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    assert first.stdout == second.stdout == ""
    lines = first.stderr.splitlines()
    assert len(lines) == 2
    assert "compiling" in lines[0]
    assert "illegal action" in lines[1]
    assert second.stderr.splitlines() == lines[1:]
    assert list(tmp_path.rglob("*.nbi"))
