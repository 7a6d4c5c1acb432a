"""Contests: the same results whoever plays which games; kept and gone on with; errors and interruptions."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Future
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from agents import contest as contest_module
from agents.agent import make_agent
from agents.chunk_store import ChunkStore, ResumeError
from agents.contest import Contest, Plan, run
from agents.evaluation import FIRST_SEED, Played, evaluate, find_variant
from agents.keeping import Keeper
from agents.results import load_results
from agents.workers import Chunk, WorkerError, Workers, play_chunk
from eck_env.eck.variant import REGISTERED, make_variant

ROOT = Path(__file__).resolve().parents[1]
AGENTS = ("random", "heuristic", "mc:3", "mc:2:1")
BEGINNER, STANDARD = make_variant(2), make_variant(4)
SMALL = Contest(AGENTS, (BEGINNER, STANDARD), 60)


class FailingWorkers(Workers):
    """Plays a number of chunks and is interrupted then."""

    def __init__(self, chunks: int) -> None:
        super().__init__(1)
        self._left = chunks

    def submit(self, chunk: Chunk) -> Future[Played]:
        self._left -= 1
        if self._left < 0:
            raise KeyboardInterrupt
        return super().submit(chunk)


def games_of(plan: Plan, **keywords: Any) -> list[bytes]:
    return [result.games.tobytes() for result in run(plan, **keywords)]


def test_results_are_the_same_whoever_plays_which_games(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan(SMALL)
    names = [(entry.name, entry.variant) for entry in plan.entries]
    assert names == [(name, variant) for variant in (BEGINNER, STANDARD) for name in AGENTS]
    expected = [
        evaluate(make_agent(entry.spec, entry.variant), asdict(entry.variant), 60).games.tobytes()
        for entry in plan.entries
    ]
    told: list[int] = [0] * len(plan.entries)

    def watch(place: int, games: int) -> None:
        told[place] += games

    assert games_of(plan, batch=7, watch=watch) == expected
    assert told == [60] * len(plan.entries)
    monkeypatch.setattr(contest_module, "CHUNK_SECONDS", 0.02)
    assert games_of(plan, batch=3) == expected
    assert games_of(plan, processes=3) == expected


def test_variants_of_ones_own_and_shares_of_time() -> None:
    variant = find_variant({"target": 1, "trick_cards": ("2", "4"), "circle_follow": "same"})
    (result,) = run(Plan(Contest(("random",), (variant,), 20, FIRST_SEED + 5)), processes=2)
    expected = evaluate(make_agent("random"), {"target": 1, "trick_cards": ("2", "4"), "circle_follow": "same"}, 20,
                        FIRST_SEED + 5)  # fmt: skip
    assert result.games.tobytes() == expected.games.tobytes()
    assert 0 < result.agent_seconds < result.seconds


@pytest.mark.parametrize("chunks", [0, 1, 5])
def test_goes_on_where_it_was(chunks: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupted after some chunks, it plays only what is missing, and ends with the same file."""
    plan, path = Plan(SMALL), tmp_path / "results.json"
    monkeypatch.setattr(contest_module, "Workers", lambda processes: FailingWorkers(chunks))
    with pytest.raises(KeyboardInterrupt):
        Keeper(plan, path).play(1, 1024, "the command")
    assert not path.exists()
    folder = tmp_path / "results.json.parts"
    assert len(list(folder.iterdir())) == 1 + chunks
    kept = sum(len(chunk.played.games) for chunk in ChunkStore(folder).load([entry.variant for entry in plan.entries]))
    with pytest.raises(ResumeError, match="go on with it by --resume"):
        Keeper(plan, path)
    played: list[Chunk] = []

    def play_noted(chunk: Chunk, *rest: Any) -> Played:
        played.append(chunk)
        return play_chunk(chunk, *rest)

    monkeypatch.setattr(contest_module, "Workers", Workers)
    monkeypatch.setattr("agents.workers.play_chunk", play_noted)
    results = Keeper(Plan(SMALL), path, resume=True).play(1, 5, "the command")
    assert sum(chunk.games for chunk in played) == 60 * len(plan.entries) - kept
    assert [result.games.tobytes() for result in results] == games_of(plan)
    assert list(tmp_path.iterdir()) == [path]
    again = Keeper(plan, path, resume=True).play(1, 1, "")
    assert [result.summary() for result in again] == [result.summary() for result in results]
    assert json.loads(path.read_text())["command"] == "the command"


def test_finished_results_are_replaced_without_resume(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text("old")
    with pytest.raises(ValueError, match="holds no results"):
        Keeper(Plan(SMALL), path, resume=True)
    Keeper(Plan(Contest(("random",), (BEGINNER,), 3)), path).play(1, 1, "")
    assert len(load_results(path)[0].games) == 3


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (
            Contest(AGENTS, (BEGINNER,), 60),
            r'variants: \["EckBeginner-v0", "Eck-v0"\] there, \["EckBeginner-v0"\] here',
        ),
        (Contest(AGENTS, (BEGINNER, STANDARD), 61), "games: 60 there, 61 here"),
        (Contest(AGENTS, (BEGINNER, STANDARD), 60, FIRST_SEED + 1), "first_seed: 1073741824 there, 1073741825 here"),
        (Contest(AGENTS[:3], (BEGINNER, STANDARD), 60), "agents: .*nothing here"),
    ],
)
def test_another_evaluation_is_refused(other: Contest, message: str, tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    ChunkStore(tmp_path / "results.json.parts").begin(Plan(SMALL).request)
    with pytest.raises(ResumeError, match=f"holds another evaluation .*{message}"):
        Keeper(Plan(other), path, resume=True)
    small = Contest(AGENTS[:1], SMALL.variants, 3)
    finished = tmp_path / "finished.json"
    Keeper(Plan(small), finished).play(1, 9, "")
    with pytest.raises(ResumeError, match=r"finished\.json holds another evaluation"):
        Keeper(Plan(other), finished, resume=True)


def test_other_versions_code_and_policies_are_refused(tmp_path: Path) -> None:
    from onnx_helpers import policy

    file = tmp_path / "policy.onnx"
    file.write_bytes(policy())
    contest = Contest((str(file), "mc:2"), (STANDARD,), 10)
    store = ChunkStore(tmp_path / "parts")
    request = Plan(contest).request
    store.begin(request)
    store.check(Plan(contest).request)
    file.write_bytes(policy({"note": "another", **_metadata()}))
    with pytest.raises(ResumeError, match=r"code and files of .*policy\.onnx: "):
        store.check(Plan(contest).request)
    for key, part, message in (
        ("version of", "numpy", "version of numpy"),
        ("code and files of", "mc:2", "code and files of mc:2"),
        ("code and files of", "eck_env", "code and files of eck_env"),
    ):
        changed = request | {key: request[key] | {part: "9.9"}}
        with pytest.raises(ResumeError, match=f'{message}: .* there, "9.9" here'):
            store.check(changed)


def _metadata() -> dict[str, str]:
    from onnx_helpers import METADATA

    return METADATA


def test_damaged_stores(tmp_path: Path) -> None:
    store = ChunkStore(tmp_path / "parts")
    plan = Plan(Contest(("random",), (BEGINNER,), 10))
    store.begin(plan.request)
    run(plan, store=store)
    (chunk, *_) = sorted(store.folder.glob("0*.json"))
    text = chunk.read_text()
    for damage in (text[:50], "{}", text.replace('"tricks": "', '"tricks": "z')):
        chunk.write_text(damage)
        with pytest.raises(ResumeError, match="remove it, and its games are played anew"):
            run(plan, store=store)
    chunk.unlink()
    assert len(run(plan, store=store)[0].games) == 10
    (store.folder / "request.json").write_text("{")
    with pytest.raises(ResumeError, match="begin anew"):
        store.check(plan.request)


@pytest.mark.parametrize(
    ("contest", "keywords", "message"),
    [
        (Contest((), (BEGINNER,), 5), {}, "no agent is named"),
        (Contest(("random",), (), 5), {}, "one or more variants"),
        (Contest(("random",), (BEGINNER, BEGINNER), 5), {}, "each named once"),
        (Contest(("randm",), (BEGINNER,), 5), {}, "did you mean 'random'"),
        (Contest(("mc:4",), (BEGINNER, make_variant(5)), 5), {}, "no round values are shipped for target 5"),
        (Contest(("random",), (BEGINNER,), 0), {}, "the number of games is 0"),
        (Contest(("random",), (BEGINNER,), 5, 3), {}, "are for training"),
        (Contest(("random",), (BEGINNER,), 5), {"processes": 0}, "the number of processes is 0"),
        (Contest(("random",), (BEGINNER,), 5), {"batch": 0}, "the batch size is 0"),
    ],
)
def test_bad_contests(contest: Contest, keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        run(Plan(contest), **keywords)


# --- Workers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("processes", [1, 2])
def test_an_agent_that_fails(processes: int, tmp_path: Path) -> None:
    """The file of a policy is gone when a worker needs it."""
    from onnx_helpers import policy

    file = tmp_path / "policy.onnx"
    file.write_bytes(policy())
    plan = Plan(Contest(("random", str(file)), (BEGINNER,), 50))
    file.unlink()
    with pytest.raises(WorkerError, match=r"policy\.onnx on EckBeginner-v0, seeds \d+ to \d+: FileNotFoundError"):
        run(plan, processes)


def test_a_worker_that_dies() -> None:
    plan = Plan(Contest(("mc:4",), (STANDARD,), 10**6))
    killed: list[int] = []

    def kill(place: int, games: int) -> None:
        if not killed:
            import multiprocessing

            killed.extend(child.pid or 0 for child in multiprocessing.active_children())
            os.kill(killed[0], signal.SIGKILL)

    with pytest.raises(WorkerError, match="ended abruptly"):
        run(plan, 2, watch=kill)
    assert all(gone(pid) for pid in killed)


def gone(pid: int) -> bool:
    """Whether a process has ended, waiting a little for it."""
    for _ in range(200):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


def children(pid: int) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return [int(line) for line in found.stdout.split()]


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGKILL])
def test_the_command_is_stopped_and_goes_on(stop: signal.Signals, tmp_path: Path) -> None:
    """No process is left behind, no chunk is lost, and the table is the one of an evaluation left alone."""
    path = tmp_path / "results.json"
    arguments = ["mc:16", "--env", "EckBeginner-v0", "--processes", "2", "--games", "6000", "--json", str(path)]
    command = [sys.executable, "scripts/evaluate.py", *arguments]
    folder = tmp_path / "results.json.parts"
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        deadline = time.monotonic() + 120
        while len(list(folder.glob("0*.json"))) < 3:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
        workers = children(process.pid)
        assert len(workers) >= 2
        if stop == signal.SIGINT:
            os.killpg(process.pid, stop)  # as a terminal does
        else:
            process.kill()
        assert process.stderr is not None
        said = process.stderr.read()
    if stop == signal.SIGINT:
        assert process.returncode == 130
        assert "finished games are kept, go on by: python scripts/evaluate.py mc:16" in said
        assert "Traceback" not in said
    assert all(gone(pid) for pid in workers)
    kept = sum(len(chunk.played.games) for chunk in ChunkStore(folder).load([BEGINNER]))
    assert 0 < kept < 6000
    done = subprocess.run([*command, "--resume"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (result,) = load_results(path)
    assert result.games.tobytes() == evaluate(make_agent("mc:16", BEGINNER), "EckBeginner-v0", 6000).games.tobytes()
    assert not folder.exists()


def test_all_variants_have_round_values() -> None:
    assert [len(run(Plan(Contest(("mc:1",), (find_variant(env),), 2)))) for env in REGISTERED] == [1, 1, 1, 1]


def test_the_policies_of_all_variants_go_by_one_name() -> None:
    names = ("random", "pretrained", "mc:2:pretrained")
    plan = Plan(Contest(names, (BEGINNER, STANDARD), 1))
    assert [entry.name for entry in plan.entries] == [*names, *names]
    assert len({entry.spec for entry in plan.entries}) == 5
