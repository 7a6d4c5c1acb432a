"""Gongor Whist in the terminal and behind the page: what is shown is what the engine says, and nothing hidden."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from agents.coach import make_coach, rate
from agents.play.advisers import SIMPLE, Advisers, make_offers
from agents.play.gongor_view import make_view
from agents.play.terminal import TerminalGame, show_rating, show_replay
from eck_env import GongorEnv
from eck_env.gongor_whist.infos import ACTION_NAMES, action_number
from eck_env.gongor_whist.observation import decode
from eck_env.gongor_whist.replay import Replay
from eck_env.gongor_whist.variant import Variant, make_variant
from eck_env.replays import read_replay, replay_to_code
from gongor_helpers import VARIANTS, legal_names
from play_helpers import Browser, Typist, serving

DEAL = Replay(make_variant("two_columns"), 4)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with serving() as port:
        browser = Browser(port)
        yield browser
        browser.close()


def legal_moves(view: dict[str, Any]) -> list[str]:
    return [move["card"] for move in (*view["hand"], *view["choices"]) if move["legal"]]


# --- The view --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: "-".join(variant.values()))
def test_a_game_is_that_of_the_engine(browser: Browser, variant: dict[str, Any]) -> None:
    view = browser.post("/api/games", {"variant": variant, "seed": 77})
    assert view["game"] == "gongor_whist"
    env = GongorEnv(**variant)
    observation, info = env.reset(seed=77)
    generator = random.Random(3)
    while True:
        seen = decode(observation)
        shared = set(seen) & set(view) - {"hand"}
        assert {"bid", "trump", "aces_seen", "hidden", "you", "dummys_points", "tricks_won"} <= shared
        assert {key: view[key] for key in shared} == {key: seen[key] for key in shared}
        assert (view["outcome"], view["trick"], view["round"]) == (
            info.get("outcome"), info.get("trick"), info.get("hand"),
        )  # fmt: skip
        assert view["round_number"] == env.state_dict()["hand_number"] + 1
        if view["outcome"]:
            break
        assert [card["card"] for card in view["hand"]] == seen["hand"]
        assert sorted(legal_moves(view)) == sorted(legal_names(info["action_mask"]))
        assert all(move["legal"] == (move["why"] is None) for move in (*view["hand"], *view["choices"]))
        move = generator.choice(legal_moves(view))
        observation, _, _, _, info = env.step(action_number(move))
        view = browser.post(f"/api/games/{view['id']}/cards", {"card": move, "move": view["move"]})
    assert not view["hand"]
    assert not view["choices"]
    assert browser.get(f"/api/games/{view['id']}") == view


def test_what_is_hidden_is_not_told() -> None:
    """Deals that differ in the dummy's cards and in the Aces to come alone look the same until these are seen."""
    env = GongorEnv(**DEAL.variant.__dict__)
    observation, info = env.reset(seed=4)
    other = env.copy()
    other.determinize(np.random.default_rng(1))
    assert other.state_dict()["dummy"] != env.state_dict()["dummy"]
    assert make_view(observation, info) == make_view(*other.set_state(other.state_dict()))


def test_what_is_said() -> None:
    env = GongorEnv(scoring="two_columns")
    observation, info = env.reset(
        seed=1,
        options={
            "hand": ["9WY", "CK", "2MK", "3MW", "8MS", "5SW", "4YK"],
            "dummy": ["7WY", "6MW", "2SY", "7SK", "CS", "9LK", "CL"],
            "ace_orders": [["AK", "AM", "AS", "AW", "AL", "AY"]],
        },
    )
    view = make_view(observation, info)
    assert view["words"]["turn"] == "Trump: Knots. How many tricks will you take? Bid."
    assert [choice["label"] for choice in view["choices"]] == list("01234567")
    assert view["hand"][0]["why"] == "you have to bid first"
    observation, _, _, _, info = env.step(action_number("bid 2"))
    view = make_view(observation, info)
    assert view["words"]["turn"] == "The dummy leads 7 of Waves and Wyrms (Cave). Your turn."
    whys = {card["card"]: card["why"] for card in view["hand"]}
    lead = "the dummy led 7 of Waves and Wyrms (Cave), and you hold cards that share a suit with it"
    assert whys == {card: None if card in ("9WY", "3MW", "5SW", "4YK") else lead for card in whys}
    observation, _, _, _, info = env.step(action_number("3MW"))
    view = make_view(observation, info)
    assert view["words"]["trick"] is None
    assert [choice["label"] for choice in view["choices"]] == ["Keep the trump", "Twiddle the trump"]
    assert "Keep the trump, Knots, or twiddle it (Aces: 5 left)?" in view["words"]["turn"]
    observation, _, _, _, info = env.step(action_number("twiddle"))
    view = make_view(observation, info)
    assert view["words"]["trick"] == (
        "The dummy led 7 of Waves and Wyrms (Cave), you played 3 of Moons and Waves (Journey) and twiddled the trump: "
        "Moons."
    )
    assert view["words"]["taker"] == "You take the trick."
    assert view["score"] == [["Your points", "0"], ["The dummy's", "0"]]


@pytest.mark.parametrize(
    ("scoring", "said"),
    [("shut_the_box", "is m"), ("two_columns", "points, the dummy"), ("first_edition", "points.")],
)
def test_the_end_of_a_hand_is_said(scoring: str, said: str) -> None:
    env = GongorEnv(scoring=scoring)
    _, info = env.reset(seed=3)
    while "hand" not in info:
        observation, _, _, _, info = env.step(int(np.argmax(info["action_mask"])))
    words = make_view(observation, info)["words"]
    assert words["round"].startswith(f"You bid {info['hand']['bid']} and took {info['hand']['taken']}: the bid is m")
    assert said in words["round"]


# --- The server ------------------------------------------------------------------------------------------------------


def test_about(browser: Browser) -> None:
    about = browser.get("/api/about")
    assert about["games"]["gongor_whist"] == "Gongor Whist"
    ids = [variant["id"] for variant in about["variants"] if variant["game"] == "gongor_whist"]
    assert ids == ["GongorWhist-v0", "GongorWhistColumns-v0", "GongorWhistFirst-v0"]
    drawn = [card["name"] for card in about["gongor"]["cards"]] + [move["name"] for move in about["gongor"]["moves"]]
    assert set(drawn) >= set(ACTION_NAMES)
    assert len(drawn) == len(set(drawn)) == len(ACTION_NAMES) + 6
    assert not set(drawn) & {card["name"] for card in about["cards"]}


def test_replays_and_rating(browser: Browser) -> None:
    view = browser.post("/api/games", {"code": replay_to_code(DEAL)})
    generator = random.Random(1)
    while view["outcome"] is None:
        move = generator.choice(legal_moves(view))
        view = browser.post(f"/api/games/{view['id']}/cards", {"card": move, "move": view["move"]})
    code = browser.get(f"/api/games/{view['id']}/replay")["code"]
    assert read_replay(code).check().outcome == view["outcome"]
    loaded = browser.post("/api/replays", {"text": code})
    assert (loaded["game"], loaded["unit"], loaded["outcome"]) == ("gongor_whist", "action", view["outcome"])
    last = browser.get(f"/api/replays/{loaded['id']}/{len(loaded['cards'])}")
    assert {key: last[key] for key in view if key not in ("id", "adviser")} == {
        key: view[key] for key in view if key not in ("id", "adviser")
    }
    told = browser.post(f"/api/replays/{loaded['id']}/0/advice", {"agent": "heuristic", "seconds": 0})
    assert told["played"] == loaded["cards"][0]
    assert told["words"].startswith("heuristic advises to bid ")


def test_advice(browser: Browser) -> None:
    view = browser.post("/api/games", {"variant": {"scoring": "shut_the_box"}, "seed": 5})
    assert view["adviser"] == "heuristic"
    for agent in ("heuristic", "random", "mc:8"):
        told = browser.post(f"/api/games/{view['id']}/advice", {"agent": agent, "seconds": 0})
        assert told["card"] in legal_moves(view)
    status, data = browser.ask("POST", f"/api/games/{view['id']}/advice", {"agent": "Eck-v0.onnx", "seconds": 0})
    assert status == 200
    assert "Eck-v0.onnx does not play Gongor Whist" in data["refused"]


def test_what_the_server_refuses(browser: Browser) -> None:
    for variant, said in (
        ({"scoring": "none"}, "scoring is 'none'"),
        ({"scoring": "two_columns", "max_hands": 3}, "max_hands is 3"),
        ({"scoring": "two_columns", "opponents": "random"}, "unknown key 'opponents' in the variant"),
        ({"scoring": "two_columns", "target": 3}, "unknown key 'scoring' in the variant"),
    ):
        status, data = browser.ask("POST", "/api/games", {"variant": variant})
        assert (status, said in (data.get("refused") or data.get("error"))) in ((200, True), (400, True)), data
    view = browser.post("/api/games", {"variant": {"scoring": "two_columns"}, "seed": 1})
    path = f"/api/games/{view['id']}/cards"
    for move, said in (("bid 8", "unknown action"), ("keep", "you have to bid first"), ("R2", "unknown action")):
        status, data = browser.ask("POST", path, {"card": move, "move": 0})
        assert status == 400
        assert said in data["error"]
    assert browser.get(f"/api/games/{view['id']}")["move"] == 0


def test_agents_are_offered_for_what_they_play() -> None:
    offers = {offer.name: offer for offer in make_offers()}
    assert offers["random"].games == offers["heuristic"].games == ("eck", "gongor_whist", "numberless")
    assert offers["Eck-v0.onnx"].games == ("eck",)
    without_policies = [offer for offer in offers.values() if offer.trained_for is None]
    playing = [name for name in SIMPLE if "gongor_whist" in offers[name].games]
    assert Advisers(without_policies).default(Variant()) == playing[0]


# --- The terminal ----------------------------------------------------------------------------------------------------


def type_in(*lines: str, deal: Replay = DEAL, **keywords: Any) -> tuple[Typist, Replay]:
    typist = Typist(lines)
    game = TerminalGame(deal, typist.console(), **keywords).play()
    assert isinstance(game, Replay)
    return typist, game


def moves_of_a_game(deal: Replay) -> list[str]:
    """Return the moves of a game in which always the last legal one is made."""
    env, _, info = deal.start()
    moves = []
    while "outcome" not in info:
        moves.append(legal_names(info["action_mask"])[-1])
        info = env.step(action_number(moves[-1]))[4]
    return moves


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: "-".join(variant.values()))
def test_a_whole_game_in_the_terminal(variant: dict[str, Any]) -> None:
    deal = Replay(make_variant(**variant), 4)
    moves = moves_of_a_game(deal)
    short = {"keep": "k", "twiddle": "T"}
    typist, game = type_in(*(short.get(move, move.removeprefix("bid ").lower()) for move in moves), deal=deal)
    assert game.actions == tuple(moves)
    assert game.check().outcome == game.outcome is not None
    assert "The hand is over. You bid" in typist.text
    assert any(end in typist.text for end in ("You win the game.", "You lose the game:", "The game is drawn."))


@pytest.mark.parametrize(
    ("lines", "said"),
    [(("help",), "A bid is its number"), (("memory",), "not seen in this pass: "), (("code",), "deal: GONGOR-"),
     (("9",), "'9' is no card and no word"), (("bid 9",), "is no card"), (("bid 3", "memory"), "leads"),
     (("3", "3"), "you have bid 3 in this hand"), (("keep",), "you have to bid first"),
     (("twidle",), "did you mean"), (("coach",), "there is no coach")],
)  # fmt: skip
def test_words(lines: tuple[str, ...], said: str) -> None:
    assert said in type_in(*lines)[0].text


def test_coach_and_watching_in_the_terminal() -> None:
    coach = make_coach("heuristic", DEAL.variant)
    assert "heuristic advises to bid " in type_in(coach=coach, advising=True)[0].text
    typist = Typist([])
    game = TerminalGame(DEAL, typist.console(color=True), coach).watch(0.0)
    assert game.check().outcome is not None
    show_replay(game, typist.console(), delay=0.0)
    assert "Trump: " in typist.text
    rating = Typist([])
    show_rating(game, rating.console(), coach, 0)
    assert " decisions as heuristic would decide" in rating.text
    assert all(entry.card == entry.advice.card for entry in rate(game, coach))


def test_search_of_a_coach() -> None:
    """The best of the bids that a search compares is advised; in the first edition there is none, and that is said."""
    for scoring, agent in (("shut_the_box", "heuristic"), ("two_columns", "random"), ("two_columns", "mc:8")):
        variant = make_variant(scoring)
        _, observation, info = Replay(variant, 1).start()
        coach = make_coach(agent, variant)
        coach.warm_up()
        advice = coach.advise(observation, info["action_mask"], (1, 0, 0), 0.1)
        assert advice.chances is not None
        assert set(advice.chances) == {f"bid {bid}" for bid in range(8)}
        assert all(0 <= chance <= 1 for chance in advice.chances.values())
        assert advice.chances[advice.card] == max(advice.chances.values())
        assert advice.playouts >= 32
        assert advice.cost(advice.card) == 0
        assert advice.note is None
    variant = make_variant("first_edition")
    _, observation, info = Replay(variant, 1).start()
    advice = make_coach("heuristic", variant).advise(observation, info["action_mask"], (1, 0, 0), 0.1)
    assert "no table of chances to win" in (advice.note or "")
    assert advice.chances is None
