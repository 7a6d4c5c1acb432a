"""The adapters as a whole: each imports one library and nothing else."""

from __future__ import annotations

import ast
import importlib
import re
import runpy
import sys
from pathlib import Path

import pytest

import eck_env.adapters
from scripts.examples.judging import number_of_steps

ADAPTERS = sorted(path for path in Path(eck_env.adapters.__file__).parent.glob("*.py") if path.stem != "__init__")
COMMON = {*sys.stdlib_module_names, "eck_env", "gymnasium", "numpy"}
LIBRARIES = {
    "masked_observation": set(),
    "rllib": {"ray", "torch"},
    "sb3": {"stable_baselines3"},
    "skrl": {"skrl", "torch"},
    "tianshou": {"tianshou", "torch"},
    "torchrl": {"torchrl", "tensordict", "torch"},
}


def imported(path: Path) -> set[str]:
    """Return the modules that a file imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


@pytest.mark.parametrize("path", ADAPTERS, ids=lambda path: path.stem)
def test_an_adapter_imports_its_own_library_alone(path: Path) -> None:
    names = imported(path)
    assert {name.partition(".")[0] for name in names} - COMMON == LIBRARIES[path.stem]
    adapters = {name for name in names if name.startswith("eck_env.adapters.")}
    assert adapters <= {"eck_env.adapters.masked_observation"}


MODULES = [
    ("adapters.rllib", "ray", "scripts/examples/requirements/rllib.txt"),
    ("adapters.sb3", "stable_baselines3", "'.[train]'"),
    ("adapters.skrl", "skrl", "scripts/examples/requirements/skrl.txt"),
    ("adapters.tianshou", "tianshou", "scripts/examples/requirements/tianshou.txt"),
    ("adapters.torchrl", "torchrl", "scripts/examples/requirements/torchrl.txt"),
    ("numberless.numberless_v0", "pettingzoo", "'.[pettingzoo]'"),
    ("numberless.aec", "pettingzoo", "'.[pettingzoo]'"),
]


@pytest.mark.parametrize(("module", "library", "requirement"), MODULES)
def test_a_missing_library_is_said_with_what_to_install(
    module: str, library: str, requirement: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith(f"{library}.")]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, library, None)
    for name in ("eck_env.numberless.aec", f"eck_env.{module}"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises(ModuleNotFoundError, match=f"needs {library}; .*pip install .*{re.escape(requirement)}"):
        importlib.import_module(f"eck_env.{module}")
    path = Path(__file__).parents[1] / requirement
    assert requirement.startswith("'.[") or path.is_file()


@pytest.mark.parametrize("steps", ["0", "-5", "many", "1.5"])
def test_an_example_refuses_numbers_of_steps(
    steps: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["example.py", "--steps", steps])
    with pytest.raises(SystemExit):
        number_of_steps(1000)
    assert f"argument --steps: '{steps}' must be a whole number from 1 up" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["total_steps", "num_envs", "minibatch_size", "judge_every"])
def test_the_example_in_one_file_refuses_numbers_below_1(
    option: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch", reason="the example needs PyTorch")
    path = Path(__file__).parents[1] / "scripts" / "examples" / "cleanrl_style_ppo.py"
    monkeypatch.setattr(sys, "argv", [str(path), f"--{option}", "0"])
    monkeypatch.setattr(sys, "path", list(sys.path))
    with pytest.raises(SystemExit):
        runpy.run_path(str(path))
    assert f"argument --{option}: '0' must be a whole number from 1 up" in capsys.readouterr().err
