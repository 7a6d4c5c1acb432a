"""Ablations: their files, their runs and their table."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from agents.ppo.ablation import load_ablation
from agents.ppo.config_files import ConfigError, dump_config
from ppo_helpers import tiny

ROOT = Path(__file__).resolve().parents[1]


def write(tmp_path: Path, **changes: object) -> Path:
    base = tmp_path / "base.yaml"
    base.write_text(dump_config(tiny(tmp_path, updates=2)))
    rows = {"as it is": [], "wider, too": ["policy={network: mlp, hidden: [16]}"]}
    path = tmp_path / "ablation.yaml"
    path.write_text(yaml.safe_dump({"base": str(base), "set": ["final.games=20"], "rows": rows} | changes))
    return path


def test_the_shipped_one_is_sound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    ablation = load_ablation(ROOT / "configs" / "ablations" / "eck.yaml")
    assert len({ablation.folder(Path("runs"), name, None) for name in ablation.rows}) == len(ablation.rows) >= 5


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rows": {}}, "rows by name"),
        ({"more": 1}, "must have the keys base, set, rows"),
        ({"set": "ppo.epochs=4"}, "must be a list"),
        ({"rows": {"bad": ["ppo.epoch=4"]}}, "epoch"),
    ],
)
def test_errors(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_ablation(write(tmp_path, **changes))


def test_rows_are_trained_once_and_compared(tmp_path: Path) -> None:
    path, out = write(tmp_path), tmp_path / "out"
    command = [sys.executable, str(ROOT / "scripts" / "ablation.py"), str(path), "--out", str(out), "--seed", "1"]
    first = subprocess.run([*command, "--seed", "2"], capture_output=True, text=True, check=False)
    assert first.returncode == 0, first.stderr
    lines = first.stdout.splitlines()
    assert [line.split("|")[1].strip() for line in lines[2:]] == ["as it is", "wider, too"]
    assert all(line.split("|")[2].count("%") == 2 for line in lines[2:])
    assert sorted(folder.name for folder in out.iterdir()) == [
        "as_it_is_1", "as_it_is_2", "wider_too_1", "wider_too_2",
    ]  # fmt: skip
    again = subprocess.run([*command, "--seed", "2"], capture_output=True, text=True, check=False)
    assert (again.stdout, again.stderr) == (first.stdout, "")
