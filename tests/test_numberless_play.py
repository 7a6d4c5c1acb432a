"""The game without numbers in the terminal and behind the page: what seat 0 knows is shown, and nothing else."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.agent import make_agent
from agents.coach import make_coach, rate
from agents.play.advisers import Advisers, Offer
from agents.play.numberless_view import make_view, rounds_ended
from agents.play.opponents import NamedAgents
from agents.play.terminal import TerminalGame, show_rating, show_replay
from eck_env import NumberlessEnv
from eck_env.numberless.cards import FOREGROUNDS, card_number
from eck_env.numberless.observation import decode
from eck_env.numberless.replay import RecordReplay, Replay
from eck_env.numberless.replay_forms import make_variant
from eck_env.replays import read_replay
from game_helpers import FirstLegal
from numberless_helpers import legal_names
from play_helpers import TRAINED, Browser, Typist, serving
from reference.numberless import PACK

TABLES = [(players, draft) for players in (3, 4, 7) for draft in (True, False)]
DEAL = Replay(make_variant(4, opponents="heuristic"), 4)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with serving(tables=(DEAL.variant,)) as port:
        browser = Browser(port)
        yield browser
        browser.close()


def legal_moves(view: dict[str, Any]) -> list[str]:
    return [move["card"] for move in view["hand"] if move["legal"]]


def play_on(browser: Browser, view: dict[str, Any], generator: random.Random) -> dict[str, Any]:
    """Play at random to the end, and return the last view."""
    while view["outcome"] is None:
        move = generator.choice(legal_moves(view))
        view = browser.post(f"/api/games/{view['id']}/cards", {"card": move, "move": view["move"]})
    return view


# --- The view --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "draft"), TABLES)
def test_a_game_is_that_of_the_engine(browser: Browser, players: int, draft: bool) -> None:
    """With an agent at the other seats that plays the same wherever it sits."""
    variant: dict[str, Any] = {
        "num_players": players, "draft": draft, "start_player": 2, "opponents": "heuristic",
    }  # fmt: skip
    view = browser.post("/api/games", {"variant": variant, "seed": 77})
    assert view["game"] == "numberless"
    assert view["variant"]["opponents"] == ["heuristic"] * (players - 1)
    env = NumberlessEnv(**variant)
    observation, info = env.reset(seed=77)
    generator = random.Random(3)
    while True:
        seen, state = decode(observation), env.state_dict()
        shared = set(seen) & set(view) - {"hand", "pot"}
        assert {"phase", "kept", "pattern", "gone", "collected", "hand_sizes", "seen", "unseen", "turn"} <= shared
        assert {key: view[key] for key in shared} == {key: seen[key] for key in shared}
        assert view["counts"] == [a + b for a, b in zip(seen["collected"], seen["hand_sizes"], strict=True)]
        assert [lying["card"] for lying in view["pot"]] == state["pot"]
        assert view["pick"] == (len(state["drafted"][0]) + 1 if state["phase"] == "draft" else None)
        assert all(card in state["played"][lying["seat"]] for lying in view["pot"] for card in [lying["card"]])
        assert view["outcome"] == info.get("outcome")
        assert view["round_number"] == state["round"] + (view["outcome"] is None)
        if view["outcome"]:
            break
        assert [card["card"] for card in view["hand"]] == seen["hand"]
        assert legal_moves(view) == legal_names(info["action_mask"])
        assert all(move["legal"] == (move["why"] is None) for move in view["hand"])
        move = generator.choice(legal_moves(view))
        observation, _, _, _, info = env.step(card_number(move))
        view = browser.post(f"/api/games/{view['id']}/cards", {"card": move, "move": view["move"]})
        plays = [[event["seat"], event["card"]] for event in view["events"] if "card" in event]
        assert plays == info.get("plays", [])
        ended = [
            {key: event[key] for key in ("taker", "reason", "cards")} for event in view["events"] if "taker" in event
        ]
        assert ended == info.get("rounds", [])
    assert not view["hand"]
    assert browser.get(f"/api/games/{view['id']}") == view


@pytest.mark.parametrize(("players", "draft"), TABLES)
def test_what_is_hidden_is_not_told(players: int, draft: bool) -> None:
    """Whatever the others may hold, all that is shown is the same; the picks of a draft are among what is hidden."""
    env = NumberlessEnv(players, draft, 1, FirstLegal())
    observation, info = env.reset(seed=4)
    generator, before, differ = random.Random(1), None, 0
    while "outcome" not in info:
        other = env.copy()
        other.determinize(np.random.default_rng(1))
        hidden, _ = other.set_state(other.state_dict())
        differ += other.state_dict() != env.state_dict()
        assert make_view(hidden, info, before) == make_view(observation, info, before)
        before = observation
        observation, _, _, _, info = env.step(generator.choice(np.flatnonzero(info["action_mask"]).tolist()))
    assert differ > 3


def test_events_are_in_order() -> None:
    """Each pot that is taken stands behind the card after which somebody took it."""
    for seed in range(20):
        env = NumberlessEnv(5, seed % 2 == 0, None, FirstLegal())
        observation, info = env.reset(seed=seed)
        lying = [lay["card"] for lay in make_view(observation, info)["pot"]]
        rounds = rounds_ended(observation, info)
        while "outcome" not in info:
            before = observation
            observation, _, _, _, info = env.step(int(np.argmax(info["action_mask"])))
            view = make_view(observation, info, before)
            rounds += rounds_ended(observation, info, before)
            assert rounds == env.state_dict()["round"]
            for event in view["events"]:
                if "card" in event:
                    lying.append(event["card"])
                else:
                    assert event["cards"] == len(lying)
                    lying = []
            assert lying == [lay["card"] for lay in view["pot"]]


def at_the_table(hands: list[list[str] | None], start: int = 0) -> tuple[NumberlessEnv, Any, dict[str, Any]]:
    env = NumberlessEnv(len(hands), False, 0, FirstLegal())
    return env, *env.reset(seed=1, options={"hands": hands, "start_player": start})


def test_what_is_said() -> None:
    mine = ["AR", "BO", "CY", "DG", "EB", "FP", "GW"]
    env, observation, info = at_the_table(
        [mine, ["AO"] + [f"B{c}" for c in "RYGBPW"], [f"C{c}" for c in "ROGBPW"] + ["DR"]]
    )
    assert make_view(observation, info)["words"]["turn"] == "You start the round: play any card."
    before = observation
    observation, _, _, _, info = env.step(card_number("AR"))
    view = make_view(observation, info, before)
    assert view["words"]["trick"] == (
        "You play anchor on red. Seat 1 plays anchor on orange. Seat 2 cannot fit and takes the 2 cards. Seat 2 plays "
        "crown on red."
    )
    assert view["words"]["turn"] == "Seat 2 led crown on red. Play any card: the pattern is fixed by it."
    assert view["pot"] == [{"card": "CR", "seat": 2}]
    before = observation
    observation, _, _, _, info = env.step(card_number("CY"))
    view = make_view(observation, info, before)
    assert view["words"]["trick"].startswith("You play crown on yellow. Seat 1 cannot fit and takes the 2 cards.")
    env, observation, info = at_the_table(
        [mine, [f"B{c}" for c in "RYGBPW"] + ["DR"], [f"F{c}" for c in "ROYGBW"] + ["DY"]], 1
    )
    view = make_view(observation, info)
    assert view["words"]["pattern"] == "all different"
    assert view["words"]["turn"] == "The pattern is all different: play a card that fits."
    whys = {card["card"]: card["why"] for card in view["hand"]}
    assert whys["AR"] == "the pot, bell on red and drum on yellow, asks for all different"
    assert whys["EB"] is None


@pytest.mark.parametrize(
    ("outcome", "said"),
    [("win", "You win the game: "), ("shared win", "You share the win with "), ("loss", "You lose the game with ")],
)
def test_the_end_is_said(outcome: str, said: str) -> None:
    for seed in range(200):
        env = NumberlessEnv(3, False, 0, "random")
        observation, info = env.reset(seed=seed)
        while "outcome" not in info:
            before = observation
            observation, _, _, _, info = env.step(int(np.argmax(info["action_mask"])))
        if info["outcome"] == outcome:
            view = make_view(observation, info, before)
            assert view["words"]["outcome"].startswith(said)
            assert view["words"]["turn"] is None
            return
    raise AssertionError(f"no game of these ends in {outcome}")


# --- The server ------------------------------------------------------------------------------------------------------


def test_about(browser: Browser) -> None:
    about = browser.get("/api/about")
    assert about["games"]["numberless"] == "The game without numbers"
    assert [variant["id"] for variant in about["variants"] if variant["game"] == "numberless"] == ["Numberless-v0"]
    assert about["players"] == [3, 7]
    drawn = about["numberless"]
    assert [card["name"] for card in drawn["cards"]] == list(PACK)
    assert list(drawn["figures"]) == list(FOREGROUNDS)
    offered = {agent["name"]: agent for agent in about["agents"] if "numberless" in agent["games"]}
    assert {"random", "heuristic", "mc:8", TRAINED.name} <= set(offered)
    assert offered[TRAINED.name]["trained_for"] == "4 players, with draft"


def test_replays_and_rating(browser: Browser) -> None:
    variant = {"num_players": 4, "opponents": ["random", TRAINED.name, "mc:8"], "start_player": None}
    view = browser.post("/api/games", {"variant": variant, "seed": 9})
    assert view["adviser"] == TRAINED.name
    view = play_on(browser, view, random.Random(1))
    saved = browser.get(f"/api/games/{view['id']}/replay")
    game = read_replay(saved["code"]).check()
    assert game.variant.opponents == ("random", TRAINED.name, "mc:8")
    assert game.outcome == view["outcome"]
    assert read_replay(json.dumps(saved["replay"])).check() == game
    loaded = browser.post("/api/replays", {"text": saved["code"]})
    assert (loaded["game"], loaded["unit"], loaded["outcome"]) == ("numberless", "choice", view["outcome"])
    assert len(loaded["cards"]) == view["move"]
    last = browser.get(f"/api/replays/{loaded['id']}/{len(loaded['cards'])}")
    own = ("id", "adviser", "card")
    assert {key: last[key] for key in last if key not in own} == {key: view[key] for key in view if key not in own}
    told = browser.post(f"/api/replays/{loaded['id']}/0/advice", {"agent": "heuristic", "seconds": 0})
    assert told["played"] == loaded["cards"][0]
    again = browser.post("/api/games", {"code": loaded["deal"]})
    assert again["variant"] == view["variant"]
    assert again["hand"] == browser.get(f"/api/replays/{loaded['id']}/0")["hand"]


def test_advice(browser: Browser) -> None:
    view = browser.post("/api/games", {"variant": {"num_players": 3}, "seed": 5})
    path = f"/api/games/{view['id']}/advice"
    for agent in ("heuristic", "random", "mc:8", TRAINED.name):
        told = browser.post(path, {"agent": agent, "seconds": 0.05})
        assert told["card"] in legal_moves(view)
        assert all(0 <= card["chance"] <= 1 for card in told["cards"])
        assert f"{agent.removesuffix('.onnx')} advises " in told["words"]
        assert (told["note"] is None) == (agent != TRAINED.name)
    assert told["note"] == "Numberless-v0 was trained for 4 players, with draft, and plays 3 players, with draft"
    status, data = browser.ask("POST", path, {"agent": "Eck-v0.onnx", "seconds": 0})
    assert status == 200
    assert "Eck-v0.onnx does not play The game without numbers" in data["refused"]


BAD: list[tuple[dict[str, Any], str]] = [
    ({"num_players": 2}, "num_players is 2, but must be an integer from 3 to 7"),
    ({"num_players": "4"}, "num_players is '4'"),
    ({"num_players": 4, "draft": 1}, "draft is 1"),
    ({"num_players": 4, "start_player": 4}, "start_player is 4"),
    ({"num_players": 4, "opponents": "heuristc"}, "nobody called 'heuristc' can sit at a table here: did you mean"),
    ({"num_players": 4, "opponents": "Eck-v0.onnx"}, "nobody called 'Eck-v0.onnx'"),
    ({"num_players": 4, "opponents": "../../policy.onnx"}, "nobody called '../../policy.onnx'"),
    ({"num_players": 4, "opponents": ["random"]}, "opponents has 1 entries, but there are 3 other seats"),
    ({"num_players": 4, "opponents": 5}, "opponents is 5"),
    ({"num_players": 4, "draft": True, "target": 3}, "unknown key 'target' in the variant"),
    ({"target": 2, "opponents": "random"}, "unknown key 'opponents' in the variant"),
]  # fmt: skip


@pytest.mark.parametrize(("variant", "said"), BAD, ids=range(len(BAD)))
def test_variants_that_the_server_refuses(browser: Browser, variant: dict[str, Any], said: str) -> None:
    status, data = browser.ask("POST", "/api/games", {"variant": variant})
    assert status == 200
    assert said in data["refused"]


def test_what_the_server_refuses(browser: Browser) -> None:
    view = browser.post("/api/games", {"variant": {"num_players": 4}, "seed": 4})
    path = f"/api/games/{view['id']}/cards"
    absent = next(card for card in PACK if card not in legal_moves(view))
    for move, said in (
        (absent, "it is not in the hand"),
        ("bid 1", "unknown card 'bid 1'"),
        (None, "unknown card None"),
    ):
        status, data = browser.ask("POST", path, {"card": move, "move": 0})
        assert status == 400
        assert said in data["error"]
    assert browser.get(f"/api/games/{view['id']}") == view
    for choices, said in ((["AR"], "choice 1 of the replay does not fit"), (["AB"], "breaks off after choice 1")):
        text = json.dumps({"replay": 1, "variant": {}, "seed": 4, "choices": choices})
        status, data = browser.ask("POST", "/api/replays", {"text": text})
        assert (status, said in data["refused"]) == (200, True)


def test_games_that_ask_one_agent_do_not_disturb_each_other(browser: Browser) -> None:
    """The same deal and moves twice in turns, against a search, are the same game."""
    variant = {"num_players": 5, "opponents": "mc:8"}
    first, second = (browser.post("/api/games", {"variant": variant, "seed": 3}) for _ in range(2))
    while first["outcome"] is None:
        move = legal_moves(first)[-1]
        first, second = (
            browser.post(f"/api/games/{view['id']}/cards", {"card": move, "move": view["move"]})
            for view in (first, second)
        )
        assert {**first, "id": ""} == {**second, "id": ""}


def test_agents_sit_at_tables_by_their_names() -> None:
    path = str(TRAINED)
    agents = NamedAgents([path, "mc:4", path], DEAL.variant)
    assert agents.names == [TRAINED.name, "mc:4", TRAINED.name]
    assert agents.make("mc:4").name == "mc:4"
    assert NamedAgents([], DEAL.variant).make(TRAINED.name).name == "Numberless-v0"
    with pytest.raises(ValueError, match="does not come along: name its file"):
        NamedAgents([], DEAL.variant).make(path)
    with pytest.raises(ValueError, match="another game"):
        NamedAgents([str(TRAINED.with_name("Eck-v0.onnx"))], DEAL.variant).make("Eck-v0.onnx")
    with pytest.raises(ValueError, match="two policies are called"):
        NamedAgents(["a/policy.onnx", "b/policy.onnx"], DEAL.variant)


def test_the_default_adviser_suits_the_table() -> None:
    offers = [Offer("mc:64", "mc:64", None, ("numberless",))]
    assert Advisers(offers).default(DEAL.variant) == "mc:64"


# --- The terminal ----------------------------------------------------------------------------------------------------


def type_in(*lines: str, deal: Replay = DEAL, **keywords: Any) -> tuple[Typist, Replay]:
    typist = Typist(lines)
    game = TerminalGame(deal, typist.console(), **keywords).play()
    assert isinstance(game, Replay)
    return typist, game


def moves_of_a_game(deal: Replay) -> tuple[list[str], Replay]:
    """Return your moves in a game in which you always choose the last legal card, and the whole game."""
    recorder = RecordReplay(deal.start(opponents=make_agent("heuristic", deal.variant))[0])
    _, info = recorder.reset(seed=deal.seed)
    moves = []
    while "outcome" not in info:
        moves.append(legal_names(info["action_mask"])[-1])
        info = recorder.step(card_number(moves[-1]))[4]
    return moves, recorder.replay


@pytest.mark.parametrize(("players", "draft"), TABLES)
def test_a_whole_game_in_the_terminal(players: int, draft: bool) -> None:
    deal = Replay(make_variant(players, draft, opponents="heuristic"), 4)
    moves, whole = moves_of_a_game(deal)
    typist, game = type_in(*map(str.lower, moves), deal=deal)
    assert game.choices == whole.choices
    assert game.check().outcome == game.outcome == whole.outcome is not None
    assert f"seat {players - 1} is heuristic" in typist.text
    assert "pot   " in typist.text
    assert typist.shown[-1] == make_view(*_last(game))["words"]["outcome"]
    looked = Typist([])
    show_replay(game, looked.console(), delay=0.0)
    assert looked.text.count("played: ") == len(moves)
    assert looked.shown[-1] == typist.shown[-1]


def _last(game: Replay) -> tuple[Any, Any]:
    moment = list(game.moments())[-1]
    return moment.observation, moment.info


@pytest.mark.parametrize(
    ("lines", "said"),
    [(("help",), "A card is kept or played by its figure"), (("memory",), "never seen: "),
     (("code",), "deal: NUMBERLESS-"), (("A9",), "'A9' is no card and no word"), (("hepl",), "did you mean 'help'"),
     (("AR",), "it is not in the hand to choose from; legal are "), (("coach",), "there is no coach")],
)  # fmt: skip
def test_words(lines: tuple[str, ...], said: str) -> None:
    assert said in type_in(*lines)[0].text


def test_coach_and_watching_in_the_terminal(tmp_path: Path) -> None:
    coach = make_coach("mc:8", DEAL.variant)
    text = type_in(coach=coach, advising=True, seconds=0.02)[0].text
    assert "mc:8 advises " in text
    assert "win chance" in text
    typist = Typist([])
    game = TerminalGame(DEAL, typist.console(color=True), make_coach("heuristic", DEAL.variant)).watch(0.0)
    assert game.check().outcome is not None
    rating = Typist([])
    show_rating(game, rating.console(), make_coach("heuristic", DEAL.variant), 0)
    assert "decisions as heuristic would decide" in rating.text
    assert all(entry.card == entry.advice.card for entry in rate(game, make_coach("heuristic", DEAL.variant)))


def test_search_of_a_coach() -> None:
    """The shares of the win add up to that of the seat: the best card has the most, by the playouts of the coach."""
    _, observation, info = DEAL.start()
    for agent in ("heuristic", "random", "mc:8:heuristic", str(TRAINED)):
        coach = make_coach(agent, DEAL.variant)
        coach.warm_up()
        advice = coach.advise(observation, info["action_mask"], (4, 0, 0), 0.1)
        assert advice.chances is not None
        assert set(advice.chances) == set(legal_names(info["action_mask"]))
        assert all(0 <= chance <= 1 for chance in advice.chances.values())
        assert advice.chances[advice.card] == max(advice.chances.values())
        assert advice.cost(advice.card) == 0
        assert advice.note is None


def test_what_came_before_your_first_card_is_said() -> None:
    said = set()
    for seed in range(40):
        env = NumberlessEnv(3, draft=False, start_player=1, opponents="heuristic")
        view = make_view(*env.reset(seed=seed))
        taken = view["collected"]
        said.add(any(taken))
        assert (view["words"]["trick"] is None) == (not any(taken))
        if any(taken):
            assert view["words"]["trick"].startswith("Before your first card ")
            assert (f"you took {taken[0]} cards" in view["words"]["trick"]) == (taken[0] > 0)
    assert said == {True, False}
