"""The benchmark: what it measures, how it deals with libraries that are missing, and what it shows."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from agents.benchmark import peers
from agents.benchmark.catalog import ENTRIES, OURS, PEERS, QUICK, Entry
from agents.benchmark.report import checks_table, draw, rates_table, to_json, to_markdown
from agents.benchmark.run import Measured, Worker, WorkerError, run_all
from agents.benchmark.targets import MAIN, check_targets
from agents.benchmark.workers import eck, gongor_whist, numberless
from agents.benchmark.workers.serve import Row, measure

SCRIPT = peers.ROOT / "scripts" / "benchmark.py"
RUN = {
    "date": "2026-01-01",
    "cpu": "a CPU",
    "core": 1,
    "repeats": 3,
    "seconds_each": 1.0,
    "command": "python scripts/benchmark.py",
    "versions": {"numpy": "2.4.6"},
}
FOOTPRINT: dict[str, Any] = {
    "import": {"median": 0.1},
    "cold_start": {"median": 7.0},
    "cold_start_cpu": {"median": 5.0},
    "warm_start": {"median": 0.5},
    "warm_start_cpu": {"median": 0.4},
    "bytes_per_game": {"int8": 600.0},
    "long_run": {"games": 1000, "first": 1.0, "last": 1.1, "ratio": 1.1},
}


def made_up(rates: dict[str, float], problems: dict[str, str] | None = None) -> list[Measured]:
    """Return rows with these decisions per second, a tenth more and less in the other runs."""
    rows = []
    for entry in ENTRIES:
        if entry.key in rates:
            samples = [
                {"decisions": rates[entry.key] * factor, "cpu": 1.0, "wall": 2.0, "part": 0.4}
                for factor in (0.9, 1.1, 1.0)
            ]
            rows.append(Measured(entry, samples))
        elif problems and entry.key in problems:
            rows.append(Measured(entry, problem=problems[entry.key]))
    return rows


def test_every_row_has_a_worker_and_a_key_of_its_own() -> None:
    keys = [entry.key for entry in ENTRIES]
    assert len(set(keys)) == len(keys)
    assert set(keys) >= QUICK
    assert MAIN in QUICK
    folder = Path(eck.__file__).parent
    for entry in ENTRIES:
        assert (folder / f"{entry.worker}.py").is_file()
        assert entry.worker in (*OURS, *PEERS, "gymnasium")
    for worker in (eck, gongor_whist, numberless):
        name = worker.__name__.rpartition(".")[2]
        assert {entry.row for entry in ENTRIES if entry.worker == name} == set(worker.ROWS)
    for peer in PEERS:
        lines = (peers.REQUIREMENTS / f"{peer}.txt").read_text(encoding="utf-8").split()
        assert lines
        assert all("==" in line for line in lines)


def test_blocks_are_played_until_the_time_is_over() -> None:
    calls: list[int] = []
    row = Row(lambda: len(calls), lambda: calls.append(1), lambda: 0.5)
    found = measure(row, 0.001)
    assert found["decisions"] == len(calls) * (len(calls) + 1) / 2
    assert found["part"] == 0.5 * len(calls)
    assert found["wall"] >= 0.001


@pytest.mark.parametrize(("batch", "own_arrays", "first_game"), [(1, False, 0), (16, True, 0), (16, False, eck.FAR)])
def test_vector_row_counts_decisions_alone(
    batch: int, own_arrays: bool, first_game: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The steps in which the next games are dealt are no decisions; that no action is illegal the row asserts."""
    monkeypatch.setattr(eck, "DECISIONS", 200 * batch)
    monkeypatch.setattr(eck, "_SINGLE", 50)
    row = eck.vector(batch, "int8", own_arrays, first_game)
    row.prepare()
    decisions = row.run()
    row.prepare()
    assert row.run() == decisions
    assert 200 * batch * 0.95 < decisions < 200 * batch


def test_rows_of_gongor_whist_count_decisions_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eck, "DECISIONS", 40 * gongor_whist.BATCH)
    row = gongor_whist.vector("shut_the_box")
    row.prepare()
    assert 40 * gongor_whist.BATCH * 0.9 < row.run() < 40 * gongor_whist.BATCH
    games = 50
    decisions = gongor_whist.playouts("random", "two_columns", games).run()
    assert 8 * 8 * games < decisions < 8 * 15 * games  # eight hands of a bid, seven cards, and twiddles while there are


@pytest.mark.parametrize("name", numberless.ROWS)
def test_rows_of_the_game_without_numbers_count_decisions_alone(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eck, "DECISIONS", 80 * numberless.BATCH)
    row: Row = numberless.ROWS[name]()
    row.prepare()
    decisions = row.run()
    row.prepare()
    assert row.run() == decisions
    assert 80 * numberless.BATCH * 0.85 < decisions < 80 * numberless.BATCH


def test_drawn_actions_are_legal_and_all_there() -> None:
    mask = np.zeros((4000, 38), np.int8)
    mask[:, [3, 9, 37]] = 1
    counts = np.bincount(eck.draw_actions(mask, np.random.default_rng(1)), minlength=38)
    assert counts.sum() == counts[[3, 9, 37]].sum()
    assert counts[[3, 9, 37]].min() > 1200


def test_a_worker_measures_and_tells_its_errors() -> None:
    worker = Worker("gymnasium")
    try:
        found = worker.measure("cartpole", 0.01)
        assert found["decisions"] > 0
        assert found["cpu"] > 0
        with pytest.raises(WorkerError, match="KeyError: 'nothing'"):
            worker.measure("nothing", 0.01)
        assert worker.measure("cartpole", 0.01)["decisions"] > 0
    finally:
        worker.close()


def test_what_cannot_be_measured_is_said_and_stops_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "FOLDER", tmp_path)
    (tmp_path / "pgx").mkdir()
    (tmp_path / "pgx" / ".failed").write_text("no such package", encoding="utf-8")
    rows = run_all(
        [
            Entry("open_spiel", "spades Python", "not set up", ""),
            Entry("pgx", "leduc 256", "failed", ""),
            Entry("no_such_worker", "row", "a worker that dies", ""),
            Entry("gymnasium", "cartpole", "sound", ""),
        ],
        repeats=2,
        seconds=0.01,
    )
    assert [row.problem is None for row in rows] == [False, False, False, True]
    assert "make benchmark" in str(rows[0].problem)
    assert rows[1].problem == "not installed: no such package"
    assert "no_such_worker" in str(rows[2].problem)
    assert len(rows[3].samples) == 2


def test_a_library_that_cannot_be_installed_leaves_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "FOLDER", tmp_path / "environments")
    monkeypatch.setattr(peers, "REQUIREMENTS", tmp_path)
    (tmp_path / "pgx.txt").write_text("--no-index\neck-no-such-package==1.0\n", encoding="utf-8")
    reason = peers.install("pgx")
    assert reason is not None
    assert "eck-no-such-package" in reason
    assert "\n" not in reason
    assert peers.problem_of("pgx") == f"not installed: {reason}"
    (tmp_path / "pgx.txt").write_text("", encoding="utf-8")
    assert peers.install("pgx") is None
    assert peers.problem_of("pgx") is None


def test_targets_are_met_missed_or_not_measured() -> None:
    rates = {
        MAIN: 6e6,
        "eck: single": 100e3,
        "open_spiel: spades C++ games": 2e6,
        "pgx: leduc 256": 1e6,
        "pgx: leduc 4096": 3e6,
        "training: rollout": 50e3,
    }
    checks = {one.what: one for one in check_targets(made_up(rates), FOOTPRINT)}

    def find(text: str) -> Any:
        (found,) = [one for what, one in checks.items() if text in what]
        return found

    assert (find("1,024 games, int8").value, find("1,024 games, int8").met) == (6e6, True)
    assert (find("C++ random simulation").value, find("C++ random simulation").met) == (3.0, True)
    assert (find("Pgx").value, find("Pgx").met) == (2.0, False)
    assert find("gym.make").met is False
    assert (find("tripletriad").value, find("tripletriad").met) == (None, None)
    assert (find("SB3 adapter").value, find("SB3 adapter").met) == (0.2, True)
    assert find("256 to 16,384").met is None
    assert (find("cold cache, wall").met, find("cold cache, CPU").met, find("from the cache, wall").met) == (
        False,
        True,
        True,
    )
    assert find("memory a game").met is True


def test_tables_json_and_picture(tmp_path: Path) -> None:
    problem = "not installed: make benchmark sets it up"
    measured = made_up({MAIN: 6e6, "eck: single": 150e3, "training: rollout": 60e3}, {"pgx: leduc 256": problem})
    checks = check_targets(measured, FOOTPRINT)
    console = Console(width=200, record=True)
    with console.capture() as capture:
        console.print(rates_table(RUN, measured))
        console.print(checks_table(checks))
    lines = to_markdown(to_json(RUN, measured, FOOTPRINT, checks)).splitlines()
    assert any("tripletriad" in line and "not measured" in line and line.endswith("| - |") for line in lines)
    assert any("gym.make" in line and line.endswith("| met |") for line in lines)
    text = capture.get()
    for part in ("6,000,000", "5.40M - 6.60M", "3,000,000", "40.0 x", problem, "adapter 20.0%", "MISSED", "a CPU"):
        assert part in text
    data = json.loads(to_json(RUN, measured, FOOTPRINT, checks))
    assert data["rows"][0]["ours_to_it"] == pytest.approx(40)
    assert [row["problem"] for row in data["rows"]].count(problem) == 1
    assert len(data["targets"]) == len(checks)
    draw(tmp_path / "picture.png", RUN, measured)
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


def run_script(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, check=False, timeout=300
    )


def test_script_measures_what_it_is_asked_to(tmp_path: Path) -> None:
    path = tmp_path / "new" / "figures.json"
    done = run_script("--quick", "--only", "gymnasium", "--repeats", "2", "--json", str(path))
    assert done.returncode == 0, done.stderr
    assert "Gymnasium vector CartPole" in done.stdout
    assert "not measured" in done.stdout
    data = json.loads(path.read_text(encoding="utf-8"))
    assert [len(row["runs_per_cpu_second"]) for row in data["rows"]] == [2]
    assert data["versions"]["gymnasium"]


@pytest.mark.parametrize(
    ("arguments", "message"), [(["--only", "chess"], "no row has such a name"), (["--core", "4096"], "--core is 4096")]
)
def test_script_refuses_bad_options(arguments: list[str], message: str) -> None:
    done = run_script(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_markdown_has_every_row_and_target() -> None:
    run = {
        "cpu": "a processor", "date": "today", "repeats": 3, "seconds_each": 1.0, "command": "python x",
        "versions": {"numpy": "2"},
        "rows": [
            {"label": "ours", "inside": "all", "decisions_per_cpu_second": 2e6, "ours_to_it": 1.0, "problem": None,
             "runs_per_cpu_second": [2e6, 1e6, 3e6]},
            {"label": "theirs", "inside": "all", "decisions_per_cpu_second": None, "ours_to_it": None,
             "problem": "not installed", "runs_per_cpu_second": []},
        ],
        "targets": [{"what": "speed", "value": 2e6, "limit": 3e6, "at_least": True, "met": False}],
    }  # fmt: skip
    text = to_markdown(json.dumps(run))
    assert "| ours | 2,000,000 | 1.00M - 3.00M | 1.0 x | all |" in text
    assert "| theirs | - | - | - | not installed |" in text
    assert "| speed | 2e+06 | >= 3e+06 | MISSED |" in text
