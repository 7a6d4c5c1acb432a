"""scripts/evaluate.py: the table, the file, and errors that say what to do."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agents.evaluation import FIRST_SEED, evaluate
from agents.random_agent import RandomAgent
from agents.results import load_results, variant_title
from eck_env.eck.variant import REGISTERED
from onnx_helpers import METADATA, policy
from scripts.evaluate import app

ROOT = Path(__file__).resolve().parents[1]


def test_runs_from_the_checkout(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    command = [sys.executable, "scripts/evaluate.py", "random", "--env", "EckBeginner-v0", "--games", "50"]
    done = subprocess.run([*command, "--json", str(path)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "EckBeginner-v0: 50 games, seeds 1073741824 to 1073741873" in done.stdout
    assert "random" in done.stdout
    assert str(path) in done.stdout
    (result,) = load_results(path)
    assert result.games.tobytes() == evaluate(RandomAgent(), "EckBeginner-v0", 50).games.tobytes()
    assert json.loads(path.read_text())["command"] == (
        "python scripts/evaluate.py random --env EckBeginner-v0 --games 50 "
        f"--seed {FIRST_SEED} --processes 1 --batch 1024"
    )


def test_seed_and_batch(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    options = ["--games", "9", "--seed", str(FIRST_SEED + 3), "--batch", "2", "--json", str(path)]
    done = CliRunner().invoke(app, ["random", *options])
    assert done.exit_code == 0, done.output
    (result,) = load_results(path)
    assert result.games.tobytes() == evaluate(RandomAgent(), "Eck-v0", 9, FIRST_SEED + 3).games.tobytes()


def test_all_variants_compared_and_in_markdown(tmp_path: Path) -> None:
    path, markdown = tmp_path / "out.json", tmp_path / "table.md"
    options = ["--env", "all", "--games", "12", "--against", "random", "--json", str(path), "--markdown", str(markdown)]
    done = CliRunner().invoke(app, ["random", "heuristic", "mc:1", *options])
    assert done.exit_code == 0, done.output
    for env in REGISTERED:
        assert f"{env}: 12 games" in done.stdout
    assert done.stdout.count("Differences of win rates on these 12 deals") == 4
    results = load_results(path)
    assert [(result.agent, variant_title(result.variant)) for result in results] == [
        (agent, env) for env in REGISTERED for agent in ("random", "heuristic", "mc:1")
    ]
    text = markdown.read_text()
    assert "| agent | games | ms a decision | Eck-v0 | EckBeginner-v0 | EckHard-v0 | EckExpert-v0 |" in text
    assert text.count("| `heuristic` | `random` |") == 4
    assert "| `mc:1` | `heuristic` |" not in text
    again = CliRunner().invoke(app, ["random", "heuristic", "mc:1", *options, "--resume"])
    assert again.exit_code == 0, again.output
    assert again.stdout == done.stdout
    refused = CliRunner().invoke(app, ["random", "heuristic", *options, "--resume"])
    assert refused.exit_code == 2
    assert "holds another evaluation" in refused.stderr


def test_mistakes_are_found_before_any_game(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["random", "heuristc", "--env", "all", "--json", str(tmp_path / "out.json")])
    assert done.exit_code == 2
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["randm"], "unknown agent 'randm': did you mean 'random'?"),
        (["random", "random"], "agent 'random' is named 2 times"),
        (["none.onnx"], "there is no policy file 'none.onnx'"),
        (["random", "--env", "EckHrd-v0"], "did you mean 'EckHard-v0'?"),
        (["random", "--games", "0"], "the number of games is 0"),
        (["random", "--seed", "17"], "seeds below 1073741824 (2**30) are for training"),
        (["random", "--batch", "-1"], "the batch size is -1"),
        (["random", "--processes", "0"], "the number of processes is 0"),
        (["random", "--env", "Eck-v0", "--env", "Al"], "--env is 'Al'"),
        (["random", "--resume"], "--resume needs --json FILE"),
        (["random", "heuristic", "--against", "randm"], "did you mean 'random'?"),
        (["random", "--markdown", "no/such/folder/out.md"], "there is no folder 'no/such/folder'"),
        (["random", "--json", "no/such/folder/out.json"], "there is no folder 'no/such/folder'"),
        (["random", "--json", "."], "is a folder: name a file"),
        (["random", "--games", "many"], "Invalid value"),
        ([], "Missing argument"),
    ],
)
def test_errors_are_plain(arguments: list[str], message: str) -> None:
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert "Traceback" not in done.output
    assert isinstance(done.exception, SystemExit)


@pytest.mark.parametrize(
    ("keywords", "warning"),
    [
        ({"target": 2}, ""),
        ({"target": 4}, "warning: mine was trained for Eck-v0, and plays EckBeginner-v0"),
        ({"foo": 1}, "warning: mine was trained for another game, and plays EckBeginner-v0"),
    ],
)
def test_says_when_a_policy_plays_what_it_was_not_trained_for(
    tmp_path: Path, keywords: dict[str, int], warning: str
) -> None:
    path = tmp_path / "mine.onnx"
    path.write_bytes(policy(METADATA | {"env_kwargs": json.dumps(keywords)}))
    done = CliRunner().invoke(app, [str(path), "--env", "EckBeginner-v0", "--games", "3"])
    assert done.exit_code == 0, done.output
    assert warning in done.stderr
    assert bool(warning) == ("warning" in done.stderr)
