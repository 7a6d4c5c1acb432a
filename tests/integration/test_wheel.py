"""The wheel: it builds, and installed alone it works on each Python that there is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHONS = ("3.11", "3.12", "3.13")
OWN = {"eck-env", "gymnasium", "numpy", "numba"}
INDIRECT = {"llvmlite", "cloudpickle", "farama-notifications", "typing_extensions"}
"""What these need."""
SMOKE_TEST = """
import sys
import gymnasium as gym, numpy as np, eck_env
from eck_env.adapters.masked_observation import MaskedObservation
env = MaskedObservation(gym.make("Eck-v0"))
observation, info = env.reset(seed=1)
over = False
while not over:
    observation, reward, over, _, info = env.step(np.argmax(observation["action_mask"]))
assert reward in (-1.0, 1.0) and info["outcome"] in ("win", "loss")
games = gym.make_vec("EckBeginner-v0", num_envs=16, vectorization_mode="vector_entry_point", episode="round")
games.reset(seed=1)
assert 0.5 < eck_env.simulate_games(2000, "random", target=2).win_rate < 0.7
assert "torch" not in sys.modules
"""

pytestmark = pytest.mark.integration


def python_of(version: str) -> str | None:
    """Return a Python of this version, if the machine has one."""
    if sys.version.startswith(f"{version}."):
        return sys.executable
    own = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    return str(own[-1]) if own else shutil.which(f"python{version}")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    copy = folder / "source"  # so that nothing is left in the checkout
    copy.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    shutil.copytree(ROOT / "eck_env", copy / "eck_env", ignore=shutil.ignore_patterns("__pycache__"))
    run(sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(copy))
    (built,) = folder.glob("*.whl")
    return built


def run(*command: str, cwd: Path | None = None) -> str:
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd, env=plain)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("version", PYTHONS)
def test_the_wheel_works_alone(version: str, wheel: Path, tmp_path: Path) -> None:
    base = python_of(version)
    if base is None:
        pytest.skip(f"there is no Python {version} on this machine")
    run(base, "-m", "venv", str(tmp_path / "venv"))
    python = str(tmp_path / "venv" / "bin" / "python")
    run(python, "-m", "pip", "install", "--quiet", str(wheel))
    listed = run(python, "-m", "pip", "list", "--format=freeze").lower().split()
    assert {line.partition("==")[0] for line in listed} - {"pip", "setuptools"} <= OWN | INDIRECT
    shown = run(python, "-m", "eck_env", cwd=tmp_path)
    assert "Eck-v0" in shown
    assert f"Python {version}." in shown
    run(python, "-W", "error", "-c", SMOKE_TEST, cwd=tmp_path)
