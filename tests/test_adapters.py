"""The adapters as a whole: each imports one library and nothing else."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

import eck_env.adapters

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
