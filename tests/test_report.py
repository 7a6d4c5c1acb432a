"""The report: pictures, one page that needs nothing beside itself, and the Markdown table."""

from __future__ import annotations

import struct
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from agents import charts
from agents.evaluation import evaluate
from agents.games.eck import EckResult
from agents.games.eck_report import by_collected
from agents.heuristic import HeuristicAgent
from agents.random_agent import RandomAgent
from agents.report import write_report
from agents.results import save_results
from eck_env import load_round_values
from eck_env.eck.variant import REGISTERED, Variant, make_variant
from results_helpers import make_result
from scripts.report import app

PICTURES = ("strength", "tricks", "collected", "endings", "round_values")


class Page(HTMLParser):
    """Notes what a page consists of, and whether everything that is opened is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.cells: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("img", "meta"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("td", "th"):
            self.cells.append(data)


@pytest.fixture(scope="module")
def played() -> list[EckResult]:
    agents = (RandomAgent(), HeuristicAgent())
    results = [evaluate(agent, env, 40) for env in REGISTERED for agent in agents]
    return [result for result in results if isinstance(result, EckResult)]


@pytest.fixture(scope="module")
def folder(played: list[EckResult], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "new"
    files = write_report(played, path, ["python scripts/evaluate.py <random> & co"])
    assert files[0] == path / "index.html"
    assert sorted(files) == sorted(path.iterdir())
    return path


def test_pictures(folder: Path) -> None:
    assert sorted(file.stem for file in folder.glob("*.png")) == sorted(PICTURES)
    for file in folder.glob("*.png"):
        data = file.read_bytes()
        width, height = struct.unpack(">II", data[16:24])
        assert data.startswith(b"\x89PNG")
        assert width == charts.DPI * 9
        assert 300 < height < 3000


def test_the_page_stands_alone_and_is_accessible(folder: Path, played: list[EckResult]) -> None:
    text = (folder / "index.html").read_text(encoding="utf-8")
    page = Page(text)
    assert not page.open
    assert "http" not in text
    assert ("html", {"lang": "en"}) in page.tags
    images = [attributes for tag, attributes in page.tags if tag == "img"]
    assert len(images) == len(PICTURES)
    for attributes in images:
        assert (attributes["src"] or "").startswith("data:image/png;base64,")
        assert len(attributes["alt"] or "") > 50
    assert {tag for tag, _ in page.tags} & {"script", "link", "iframe", "object"} == set()
    assert all("scope" in attributes for tag, attributes in page.tags if tag == "th")
    assert "python scripts/evaluate.py &lt;random&gt; &amp; co" in text
    for result in played:
        assert f"{result.win_rate:.1%}" in page.cells
        assert f"{100 * result.tricks[6] / result.tricks.sum():.1f}" in page.cells


def test_an_agent_twice_and_nothing_at_all(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="several results of 'someone' for Eck-v0"):
        write_report([make_result(), make_result(first_seed=2**30 + 7)], tmp_path)
    with pytest.raises(ValueError, match="no results"):
        write_report([], tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_variant_without_round_values_and_odd_names(tmp_path: Path) -> None:
    variant = make_variant(1, ("2", "8"))
    files = write_report([make_result("a <b> & $c$_{x", variant=variant)], tmp_path)
    assert "round_values.png" not in [file.name for file in files]
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert not Page(text).open
    assert "a &lt;b&gt; &amp; $c$_{x" in text


def test_means_of_round_values() -> None:
    table = load_round_values(Variant(4))
    places, means, lows, highs = by_collected(table, 0)
    assert places.tolist() == [0, 1, 2, 3]
    assert means[0] == pytest.approx(100 * table.values[0, 0, 0])
    assert (lows <= means).all()
    assert (means <= highs).all()
    assert (np.diff(means) > 0).all()


def test_the_command(played: list[EckResult], tmp_path: Path) -> None:
    save_results(tmp_path / "a.json", played[:2], "command a")
    save_results(tmp_path / "b.json", played[2:], "command b")
    out, table = tmp_path / "report", tmp_path / "table.md"
    arguments = [str(tmp_path / "a.json"), str(tmp_path / "b.json"), "--out", str(out), "--markdown", str(table)]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    written = [out / "index.html", *(out / f"{name}.png" for name in PICTURES), table]
    assert done.stdout.splitlines() == [str(file) for file in written]
    text = (out / "index.html").read_text(encoding="utf-8")
    assert "command a" in text
    assert "command b" in text
    assert table.read_text().count("\n| `") == 2
    for arguments, message in (
        (["none.json"], "none.json"),
        ([str(table)], "no results of an evaluation"),
        ([str(tmp_path / "a.json"), "--out", str(table)], str(table)),
    ):
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code == 2
        assert message in done.stderr
        assert "Traceback" not in done.output


def test_searches_that_differ_in_their_budget_alone_are_joined() -> None:
    names = [
        "mc:64",
        "random",
        "mc:8:16",
        "a+search:8",
        "mc:400",
        "mc:100ms:16",
        "a+search:32",
        "a+search:60:24",
        "mc:1:h",
    ]
    joined = [
        [result.agent for result in alike] for alike in charts.searches_alike([make_result(name) for name in names])
    ]
    assert joined == [["mc:64", "mc:400"], ["mc:8:16", "mc:100ms:16"], ["a+search:8", "a+search:32"]]
