"""Start-up and the cache of compiled code: light to import, usable where nothing can be written, and never stale."""

from __future__ import annotations

import ctypes
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

import eck_env

PACKAGE = Path(eck_env.__file__).parent
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1  # of Linux

IMPORT = """
import time, gymnasium, numba
start = time.process_time()
import eck_env
print(time.process_time() - start)
"""

PLAY = """
import eck_env, gymnasium
env = gymnasium.make("Eck-v0")
_, info = env.reset(seed=1)
_, _, _, _, info = env.step(int(info["action_mask"].argmax()))
print(eck_env.__file__, info["trick"]["taken_by"], info["trick"]["follow"])
"""

GAMES = """
import eck_env, numpy as np
env = eck_env.EckEnv()
total = np.zeros(259, np.int64)
for seed in range(20):
    _, info = env.reset(seed=seed)
    for _ in range(13):
        observation, _, terminated, _, info = env.step(int(info["action_mask"].argmax()))
        total += observation
        if terminated:
            break
print(total.tolist())
"""


def obey_rights() -> None:
    """Give up the right of root's to write where the rights of a file say otherwise; others never had it."""
    if os.getuid() == 0 and ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0):
        raise PermissionError("root cannot give up its rights here")


def run(program: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a program with the copy of the package that lies in this folder, as a user whom rights of files bind."""
    environment = {name: value for name, value in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "PYTHONPATH")}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=folder,
        env={**environment, "PYTHONPATH": str(folder), **variables},
        preexec_fn=obey_rights,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


linux = pytest.mark.skipif(sys.platform != "linux", reason="needs the rights of Linux")


def copy_package(folder: Path) -> Path:
    """Copy the package without anything compiled into a folder, and return the copy."""
    copy = folder / "eck_env"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def test_import_costs_little() -> None:
    """Under 0.2 s of CPU beyond gymnasium and numba; the least of five, as others may be at work on the machine."""
    costs = [float(run(IMPORT, PACKAGE.parent).stdout) for _ in range(5)]
    assert min(costs) < 0.2, statistics.median(costs)


def test_a_changed_rule_reaches_the_compiled_code(tmp_path: Path) -> None:
    """A warm cache must not serve what was compiled from a rule as it was.

    Both rules lie in other files than the entry points, which is what numba by itself does not notice.
    """
    copy = copy_package(tmp_path)
    first, warm = run(GAMES, tmp_path), run(GAMES, tmp_path)
    assert (first.returncode, warm.returncode) == (0, 0), first.stderr + warm.stderr
    assert first.stdout == warm.stdout
    assert "compiling" in first.stderr
    assert warm.stderr == ""
    seen = {first.stdout}
    for file, old, new in (
        ("eck/rules.py", "return 1 if lead > follow else -1", "return -1 if lead > follow else 1"),
        ("batch.py", "key = mix(np.uint64(seed) + _GOLDEN)", "key = mix(np.uint64(seed) - _GOLDEN)"),
    ):
        source = copy / file
        text = source.read_text(encoding="utf-8")
        assert text.count(old) == 1
        source.write_text(text.replace(old, new), encoding="utf-8")
        changed = run(GAMES, tmp_path)
        assert changed.returncode == 0, changed.stderr
        assert changed.stdout not in seen
        seen.add(changed.stdout)


def read_only_copy(folder: Path) -> Path:
    """Copy the package to where nothing can be written, and return the folder it lies in."""
    place = folder / "site"
    copy = copy_package(place)
    for path in [place, copy, *copy.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    return place


@linux
def test_read_only_installation_uses_the_cache_folder_of_the_user(tmp_path: Path) -> None:
    place, home = read_only_copy(tmp_path), tmp_path / "home"
    home.mkdir()
    first = run(PLAY, place, HOME=str(home), XDG_CACHE_HOME="")
    second = run(PLAY, place, HOME=str(home), XDG_CACHE_HOME="")
    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    assert first.stdout == second.stdout
    assert first.stdout.startswith(str(place))
    assert first.stderr.count("\n") == 1
    assert "compiling" in first.stderr
    assert second.stderr == ""
    assert list((home / ".cache").rglob("*.nbi"))
    assert not list(place.rglob("*.nb*"))


@linux
def test_it_works_where_nothing_can_be_written(tmp_path: Path) -> None:
    place = read_only_copy(tmp_path)
    done = run(PLAY, place, HOME=str(place / "home"), XDG_CACHE_HOME="")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(place))
    assert "compiling" in done.stderr


@pytest.mark.parametrize(("ending", "content"), [("nbi", b""), ("nbc", b"no machine code")])
def test_a_damaged_cache_heals(tmp_path: Path, ending: str, content: bytes) -> None:
    copy_package(tmp_path)
    cache = tmp_path / "cache"
    run(PLAY, tmp_path, NUMBA_CACHE_DIR=str(cache))
    files = list(cache.rglob(f"*.{ending}"))
    assert files
    for file in files:
        file.write_bytes(content)
    again = run(PLAY, tmp_path, NUMBA_CACHE_DIR=str(cache))
    assert again.returncode == 0, again.stderr
    assert "compiling" in again.stderr
    healed = run(PLAY, tmp_path, NUMBA_CACHE_DIR=str(cache))
    assert (healed.returncode, healed.stderr) == (0, "")


def test_the_compiler_is_needed(tmp_path: Path) -> None:
    copy_package(tmp_path)
    refused = run(PLAY, tmp_path, NUMBA_DISABLE_JIT="1")
    assert "unset NUMBA_DISABLE_JIT" in refused.stderr
