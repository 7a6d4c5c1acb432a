"""The table in a terminal, and the command lines: whole games, words that are not known, files that are not there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agents.eck_coach import Coach
from agents.play.terminal import TerminalGame, show_rating, show_replay
from eck_env.eck.cards import NAMES
from eck_env.eck.replay import Replay
from eck_env.eck.replay_forms import load_replay, read_replay, replay_to_code
from eck_env.eck.variant import Variant, make_variant
from play_helpers import Typist

ROOT = Path(__file__).resolve().parents[1]
POLICY = str(ROOT / "agents" / "pretrained" / "Eck-v0.onnx")
EASY = Replay(make_variant(1), 4)


def type_in(*lines: str, coach: Coach | None = None, advising: bool = False) -> Typist:
    typist = Typist(lines)
    TerminalGame(EASY, typist.console(), coach, advising=advising).play()
    return typist


def lines_of_a_game(deal: Replay) -> list[str]:
    """Return the cards of a game in which always the first legal card is played."""
    env, _, info = deal.start()
    cards = []
    while "outcome" not in info:
        action = int(info["action_mask"].argmax())
        cards.append(NAMES[action])
        _, _, _, _, info = env.step(action)
    return cards


def test_a_whole_game() -> None:
    cards = lines_of_a_game(EASY)
    typist = Typist([card.lower() for card in cards])
    replay = TerminalGame(EASY, typist.console()).play()
    assert replay.moves == tuple(cards)
    assert replay.check().outcome == replay.outcome is not None
    assert "The round is over. You took" in typist.text
    assert f"You {'win' if replay.outcome == 'win' else 'lose'} the game" in typist.text
    assert "\x1b" not in typist.text


@pytest.mark.parametrize(
    ("line", "said"),
    [("help", "Other words"), ("?", "Other words"), ("B9", "'B9' is no card"), ("quti", "did you mean 'quit'"),
     ("coach", "there is no coach"), ("save", "needs the name"), ("save /no/such/folder/x", "not saved: "),
     ("memory", "face down: "), ("code", "deal: ECK-"), ("", "your hand")],
)  # fmt: skip
def test_words(line: str, said: str) -> None:
    assert said in type_in(line).text


def test_an_illegal_card_changes_nothing() -> None:
    held = EASY.start()[0].state_dict()["hand"]
    absent = next(card for card in NAMES if card not in held)
    typist = Typist([absent, "code", "quit", "R2"])
    assert TerminalGame(EASY, typist.console()).play().moves == ()
    assert "is illegal: it is not in your hand; legal are" in typist.text
    assert typist.lines == ["R2"]


def test_saving(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    first = lines_of_a_game(EASY)[0]
    assert f"saved: {path}" in type_in(first, f"save {path}").text
    assert load_replay(path).check().cards == (first,)


def test_coach() -> None:
    coach = Coach(POLICY, EASY.variant)
    assert "Eck-v0" in type_in(coach=coach, advising=True).text
    silent = type_in("coach", "coach", coach=coach)
    assert "advice is on" in silent.text
    assert "advice is off" in silent.text
    assert "was trained for Eck-v0" in silent.text


def test_watching() -> None:
    typist = Typist([])
    replay = TerminalGame(EASY, typist.console(color=True), Coach("heuristic", EASY.variant)).watch(1.0)
    assert replay.check().outcome is not None
    assert "heuristic advises" in typist.text


def test_ctrl_c_while_an_agent_thinks_keeps_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    coach = Coach("heuristic", EASY.variant)
    advise, asked = coach.advise, iter(range(100))

    def interrupted(*arguments: Any) -> Any:
        if next(asked) == 2:
            raise KeyboardInterrupt
        return advise(*arguments)

    monkeypatch.setattr(coach, "advise", interrupted)
    assert len(TerminalGame(EASY, Typist([]).console(), coach).watch(0.0).moves) == 2
    asked = iter(range(100))
    typist = Typist(lines_of_a_game(EASY))
    assert len(TerminalGame(EASY, typist.console(), coach, advising=True).play().moves) == 2


def test_a_replay() -> None:
    cards = lines_of_a_game(EASY)
    replay = Replay(EASY.variant, EASY.seed, 0, tuple(cards)).check()
    typist = Typist([])
    show_replay(replay, typist.console(), delay=0.0)
    assert typist.text.count("played: ") == len(cards)
    assert "the game" in typist.shown[-1]
    stepping = Typist(["", "", "q"])
    show_replay(replay, stepping.console())
    assert stepping.text.count("played: ") == 3
    rating = Typist([])
    show_rating(replay, rating.console(), Coach("heuristic", replay.variant), 0)
    assert "decisions as heuristic would decide" in rating.shown[-1]


def test_rating_with_costs() -> None:
    deal = Replay(Variant(), 4)
    cards = lines_of_a_game(deal)
    typist = Typist([])
    show_rating(Replay(Variant(), 4, 0, tuple(cards)), typist.console(), Coach(POLICY, Variant()), 0)
    assert "the choices cost" in typist.shown[-1]
    assert "most of it card" in typist.shown[-1]
    assert any("costs" in line for line in typist.shown[:-1])


# --- Command lines ---------------------------------------------------------------------------------------------------


def run(script: str, *arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "NO_COLOR")}
    return subprocess.run(
        [sys.executable, str(ROOT / "scripts" / script), *arguments],
        input=typed, capture_output=True, text=True, check=False, cwd=ROOT, timeout=300, env=environment,
    )  # fmt: skip


def test_script_plays_and_saves(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    cards = lines_of_a_game(EASY)
    ran = run("play.py", "--target", "1", "--seed", "4", "--save", str(path), typed="\n".join(cards))
    assert ran.returncode == 0, ran.stderr
    replay = load_replay(path).check()
    assert replay.cards == tuple(cards)
    assert f"game: {replay_to_code(replay)}" in ran.stdout
    again = run("play.py", "--code", replay_to_code(EASY), typed="quit\n")
    assert again.stdout.splitlines()[6:13] == ran.stdout.splitlines()[6:13]
    looked = run("play.py", "--replay", str(path), "--delay", "0")
    assert looked.stdout.count("played: ") == len(cards)


def test_script_watches() -> None:
    ran = run("play.py", "--env", "EckBeginner-v0", "--watch", "heuristic", "--delay", "0")
    assert ran.returncode == 0, ran.stderr
    assert read_replay(ran.stdout.split("\ngame: ")[-1].split()[0]).check().outcome is not None


@pytest.mark.parametrize(
    ("script", "arguments", "said"),
    [("play.py", ["--env", "Eck"], "the environment is 'Eck'"), ("play.py", ["--target", "9"], "target is 9"),
     ("play.py", ["--trick-cards", "2,3"], "unknown trick card '3'"), ("play.py", ["--seed", "-1"], "--seed is -1"),
     ("play.py", ["--circle-follow", "no"], "circle_follow is 'no'"),
     ("play.py", ["--code", "ECK-00"], "not copied right"),
     ("play.py", ["--coach", "nobody"], "unknown agent 'nobody'"),
     ("play.py", ["--rate", "random"], "--rate goes with"),
     ("play.py", ["--coach", "random", "--watch", "random"], "one of the two"),
     ("play.py", ["--replay", "none.json"], "none.json"), ("play.py", ["--watch", "none.onnx"], "none.onnx"),
     ("play.py", ["--watch", "heuristic", "--seconds", "99", "--delay", "0"], "from 0 to 30"),
     ("play.py", ["--coach", "heuristic", "--seconds", "-1"], "--seconds is -1.0 seconds, but must be from 0 to 30"),
     ("play.py", ["--coach", "heuristic", "--seconds", "nan"], "--seconds is nan"),
     ("play.py", ["--save", "no/such/folder/game.json"], "there is no folder"),
     ("play.py", ["--save", "tests"], "is a folder"), ("play.py", ["--code", ""], "there is no replay"),
     ("play.py", ["--replay", ""], "there is no replay"), ("play.py", ["--delay", "-1"], "--delay is -1.0"),
     ("play.py", ["--watch", "random", "--delay", "nan"], "--delay is nan"),
     ("play.py", ["--aces", "pass"], "--aces is nothing of Eck-v0, which takes --target"),
     ("play.py", ["--env", "GongorWhist-v0", "--target", "3"], "--target is nothing of GongorWhist-v0"),
     ("play.py", ["--env", "GongorWhist-v0", "--max-hands", "3"], "max_hands is 3"),
     ("play.py", ["--env", "Numberless-v0", "--num-players", "8"], "num_players is 8, but must be an integer from 3"),
     ("play.py", ["--env", "Numberless-v0", "--start-player", "4"], "start_player is 4"),
     ("play.py", ["--env", "Numberless-v0", "--start-player", "me"], "--start-player is 'me', but must be"),
     ("play.py", ["--env", "Numberless-v0", "--opponents", "heuristc"], "did you mean 'heuristic'?"),
     ("play.py", ["--env", "Numberless-v0", "--opponents", "random,random"], "2 entries, but there are 3 other seats"),
     ("play.py", ["--env", "Numberless-v0", "--opponents", "none.onnx"], "no policy file 'none.onnx'"),
     ("play.py", ["--opponents", "random"], "--opponents is nothing of ECK, which is played alone"),
     ("play.py", ["--env", "Numberless-v0", "--code", replay_to_code(EASY)], "the replay is one of ECK, but --env is"),
     ("serve.py", ["--agent", "nobody"], "unknown agent 'nobody'"),
     ("serve.py", ["--host", "no.such.host.invalid"], "error: ")],
)  # fmt: skip
def test_scripts_say_what_is_wrong(script: str, arguments: list[str], said: str) -> None:
    ran = run(script, *arguments)
    assert ran.returncode == 2
    assert said in ran.stderr
    assert "Traceback" not in ran.stderr
    assert not ran.stdout  # before a table is shown


def test_scripts_refuse_a_broken_replay(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    path.write_text(json.dumps({"replay": 1, "variant": {}, "seed": 4, "cards": ["K", "K", "K", "K"]}))
    ran = run("play.py", "--replay", str(path))
    assert ran.returncode == 2
    assert "does not fit the rules" in ran.stderr


def test_a_missing_policy_is_no_matter_of_the_port() -> None:
    ran = run("serve.py", "--agent", "none.onnx")
    assert ran.returncode == 2
    assert "no policy file 'none.onnx'" in ran.stderr
    assert "port" not in ran.stderr.replace("export", "")


def test_the_port_is_taken() -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ran = run("serve.py", "--port", str(taken.getsockname()[1]))
    assert ran.returncode == 2
    assert "--port 0" in ran.stderr


def test_pictures_without_a_browser(tmp_path: Path) -> None:
    """The picture of the table is a PNG file that other libraries read, and shows the table."""
    from PIL import Image

    import scripts.pictures as pictures

    data = pictures.table_picture()
    (tmp_path / "table.png").write_bytes(data)
    with Image.open(tmp_path / "table.png") as image:
        assert image.size == pictures.TABLE_SIZE
        image.load()
        assert len(image.getcolors(10**6) or []) > 100
    assert pictures.table_picture() == data
