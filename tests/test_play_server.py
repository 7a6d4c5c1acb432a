"""The server of the page: it answers its own page alone, shows what the engine says, and refuses with reasons."""

from __future__ import annotations

import json
import random
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np
import pytest

from agents.play.advisers import Advisers, make_offers
from agents.play.server import MAX_BODY, Limits, host_names, make_app
from agents.play.session import PlayError, Store
from agents.results import variant_title
from eck_env import EckEnv
from eck_env.eck.cards import NAMES, card_description, card_kind
from eck_env.eck.observation import decode
from eck_env.eck.replay import Replay
from eck_env.eck.replay_forms import read_replay, replay_to_code, replay_to_json
from eck_env.eck.variant import Variant, make_variant
from play_helpers import OFFERS, POLICY, Browser, serving


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with serving(Limits(games=300)) as port:
        yield port


@pytest.fixture
def browser(port: int) -> Iterator[Browser]:
    browser = Browser(port)
    yield browser
    browser.close()


def legal_cards(view: dict[str, Any]) -> list[str]:
    return [card["card"] for card in view["hand"] if card["legal"]]


def play_out(browser: Browser, view: dict[str, Any], seed: int = 1) -> dict[str, Any]:
    """Play at random to the end and return the last view."""
    generator = random.Random(seed)
    while view["outcome"] is None:
        card = generator.choice(legal_cards(view))
        view = browser.post(f"/api/games/{view['id']}/cards", {"card": card, "move": view["move"]})
    return view


# --- Games -----------------------------------------------------------------------------------------------------------


VARIANTS: list[dict[str, Any]] = [
    {},
    {"target": 2},
    {"target": 3, "trick_cards": ["2", "4", "12", "13/0"]},
    {"target": 7},
    {"target": 1, "trick_cards": ["8"], "circle_follow": "same"},
]


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_game_is_that_of_the_engine(browser: Browser, variant: dict[str, Any]) -> None:
    view = browser.post("/api/games", {"variant": variant, "seed": 77})
    env = EckEnv(**variant)
    observation, info = env.reset(seed=77)
    generator = random.Random(3)
    while True:
        seen = decode(observation)
        for name in ("lead", "leader", "face_down", "face_up", "tied", "tricks_won", "tricks_lost", "trick_cards",
                     "counter", "target"):  # fmt: skip
            assert view[name] == seen[name]
        assert [card["card"] for card in view["hand"]] == ([] if view["outcome"] else seen["hand"])
        assert view["outcome"] == info.get("outcome")
        assert view["trick"] == info.get("trick")
        assert view["round"] == info.get("round")
        assert view["round_number"] == env.state_dict()["round"] + 1
        if view["outcome"]:
            break
        mask = info["action_mask"]
        assert {card["card"] for card in view["hand"] if card["legal"]} == {
            NAMES[kind] for kind in np.flatnonzero(mask)
        }
        for card in view["hand"]:
            assert card["legal"] == (card["why"] is None)
        card = generator.choice(legal_cards(view))
        observation, _, _, _, info = env.step(card_kind(card))
        view = browser.post(f"/api/games/{view['id']}/cards", {"card": card, "move": view["move"]})
    assert browser.get(f"/api/games/{view['id']}") == view


def test_a_game_is_found_again(browser: Browser) -> None:
    view = browser.post("/api/games", {"seed": 3})
    assert browser.get(f"/api/games?id={view['id']}") == {"games": [view]}
    for other in ("", "?id=", "?id=none", f"?id={view['id'][:-1]}"):
        assert browser.get(f"/api/games{other}") == {"games": []}


def test_nothing_hidden_is_told(browser: Browser) -> None:
    """Two games that differ in hidden things alone look the same, but for seed and code."""
    env = EckEnv()
    env.reset(seed=1)
    state = env.state_dict()
    deck = [state["lead"], *state["face_down"]]
    views = []
    for order in (deck, [deck[0], *deck[:0:-1]]):
        code = replay_to_code(Replay(Variant(), 1, 0, (), {"hand": state["hand"], "deck": order}))
        view = browser.post("/api/games", {"code": code})
        views.append({key: value for key, value in view.items() if key not in ("id", "deal")})
    assert views[0] == views[1]


def test_why_a_card_cannot_be_played(browser: Browser) -> None:
    found = set()
    for seed in range(30):
        view = browser.post("/api/games", {"seed": seed})
        for card in view["hand"]:
            if not card["legal"]:
                assert card["why"].startswith(f"ECK led {card_description(card_kind(view['lead']))}, and you hold ")
                found.add(card["why"])
                status, data = browser.ask("POST", f"/api/games/{view['id']}/cards", {"card": card["card"], "move": 0})
                assert status == 400
                assert "illegal" in data["error"]
        assert browser.get(f"/api/games/{view['id']}") == view
    assert len(found) > 5


def test_a_card_is_played_once(browser: Browser) -> None:
    view = browser.post("/api/games", {"seed": 1})
    path, body = f"/api/games/{view['id']}/cards", {"card": legal_cards(view)[0], "move": 0}
    after = browser.post(path, body)
    status, data = browser.ask("POST", path, body)
    assert status == 409
    assert "move 1" in data["error"]
    assert browser.get(f"/api/games/{view['id']}") == after


def test_after_the_end(browser: Browser) -> None:
    view = play_out(browser, browser.post("/api/games", {"seed": 5}))
    assert view["hand"] == []
    status, data = browser.ask("POST", f"/api/games/{view['id']}/cards", {"card": "R2", "move": view["move"]})
    assert (status, "over" in data["error"]) == (409, True)
    status, data = browser.ask("POST", f"/api/games/{view['id']}/advice", {"agent": "random"})
    assert status == 409


def test_same_deal_again_and_by_code(browser: Browser) -> None:
    first = browser.post("/api/games", {"variant": {"target": 3}, "seed": str(2**63 - 1)})
    again = browser.post("/api/games", {"code": first["deal"]})
    assert {**first, "id": 0} == {**again, "id": 0}
    assert first["id"] != again["id"]
    assert first["seed"] == str(2**63 - 1)
    other = browser.post("/api/games", {"variant": {"target": 3}})
    assert other["deal"] != browser.post("/api/games", {"variant": {"target": 3}})["deal"]


def test_replays(browser: Browser) -> None:
    end = play_out(browser, browser.post("/api/games", {"seed": 8, "variant": {"target": 2}}), 4)
    saved = browser.get(f"/api/games/{end['id']}/replay")
    replay = read_replay(saved["code"]).check()
    assert json.loads(replay_to_json(replay)) == saved["replay"]
    for text in (saved["code"], json.dumps(saved["replay"])):
        loaded = browser.post("/api/replays", {"text": text})
        assert loaded["cards"] == list(replay.cards)
        assert loaded["outcome"] == end["outcome"]
        assert loaded["replay"]["cards"] == list(replay.cards)
        count = len(replay.cards)
        views = [browser.get(f"/api/replays/{loaded['id']}/{number}") for number in range(count + 1)]
        assert [view["card"] for view in views] == [*replay.cards, None]
        assert views[-1]["outcome"] == end["outcome"]
        assert [view["round_number"] for view in views] == sorted(view["round_number"] for view in views)
        assert views[-1]["round_number"] == end["round_number"]
        for number in (count + 1, 10**6):
            status, data = browser.ask("GET", f"/api/replays/{loaded['id']}/{number}")
            assert status == 404
            assert "moments" in data["error"]
        status, data = browser.ask("POST", f"/api/replays/{loaded['id']}/{count}/advice", {"agent": "random"})
        assert (status, "nothing to rate" in data["error"]) == (400, True)


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "no replay"), ("x", "ECK-"), ("ECK-0000", "copied"), ("{", "JSON"), (3, "no replay"), (None, "no replay"),
     ('{"replay": 1, "variant": {}, "seed": 1, "cards": ["K", "K", "K", "K"]}', "card"),
     ('{"replay": 1, "variant": {}, "seed": 1, "cards": [], "__class__": "os.system"}', "unknown key"),
     ("[" * 30_000, "no JSON"), ('{"a":' * 10_000, "JSON")],
)  # fmt: skip
def test_broken_replays(browser: Browser, text: Any, said: str) -> None:
    status, data = browser.ask("POST", "/api/replays", {"text": text})
    assert status == 200
    assert said in data["refused"]


# --- Coach -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", [offer.name for offer in OFFERS if "eck" in offer.games])
def test_advice(browser: Browser, agent: str) -> None:
    view = browser.post("/api/games", {"seed": 31})
    before = browser.get(f"/api/games/{view['id']}")
    for seconds in (0, 0.05):
        advice = browser.post(f"/api/games/{view['id']}/advice", {"agent": agent, "seconds": seconds})
        assert [entry["card"] for entry in advice["cards"]] == list(dict.fromkeys(legal_cards(view)))
        assert advice["card"] in legal_cards(view)
        assert card_description(card_kind(advice["card"])) in advice["words"]
        assert advice["move"] == 0
    assert browser.get(f"/api/games/{view['id']}") == before


def test_advice_comes_within_100_ms(browser: Browser) -> None:
    view = browser.post("/api/games", {"seed": 32})
    browser.post(f"/api/games/{view['id']}/advice", {"agent": POLICY.name})
    times = []
    for _ in range(10):
        start = time.perf_counter()
        browser.post(f"/api/games/{view['id']}/advice", {"agent": POLICY.name})
        times.append(time.perf_counter() - start)
    assert sorted(times)[5] < 0.1


def test_ratings(browser: Browser) -> None:
    end = play_out(browser, browser.post("/api/games", {"seed": 33, "variant": {"target": 1}}), 2)
    loaded = browser.post("/api/replays", {"text": browser.get(f"/api/games/{end['id']}/replay")["code"]})
    for number, card in enumerate(loaded["cards"]):
        rated = browser.post(f"/api/replays/{loaded['id']}/{number}/advice", {"agent": "heuristic"})
        assert (rated["played"], rated["move"]) == (card, number)
        assert rated["cost"] == (0 if len(rated["cards"]) == 1 else None)


@pytest.mark.parametrize(
    ("body", "said"),
    [({"agent": "nobody"}, "no agent 'nobody'"), ({}, "no agent None"), ({"agent": ["random"]}, "no agent"),
     ({"agent": "/etc/passwd"}, "no agent"), ({"agent": "../x.onnx"}, "no agent"),
     ({"agent": "random", "seconds": 11}, "from 0 to 10"), ({"agent": "random", "seconds": -1}, "-1"),
     ({"agent": "random", "seconds": "1"}, "'1'"), ({"agent": "random", "seconds": True}, "True"),
     ({"agent": "random", "second": 1}, "did you mean 'seconds'")],
)  # fmt: skip
def test_advice_that_is_refused(browser: Browser, body: Any, said: str) -> None:
    view = browser.post("/api/games", {"seed": 31})
    status, data = browser.ask("POST", f"/api/games/{view['id']}/advice", body)
    assert status == 400
    assert said in data["error"]


def test_nan_is_refused(browser: Browser) -> None:
    view = browser.post("/api/games", {"seed": 31})
    for number in (b"NaN", b"Infinity", b"1e999"):
        body = b'{"agent": "random", "seconds": ' + number + b"}"
        assert browser.ask("POST", f"/api/games/{view['id']}/advice", body)[0] == 400


def test_a_search_without_a_table(browser: Browser) -> None:
    view = browser.post("/api/games", {"variant": {"target": 1, "trick_cards": ["8"]}})
    status, data = browser.ask("POST", f"/api/games/{view['id']}/advice", {"agent": "mc:8"})
    assert (status, "cannot play this variant" in data["refused"]) == (200, True)
    advice = browser.post(f"/api/games/{view['id']}/advice", {"agent": POLICY.name, "seconds": 0.1})
    assert "round_value_iteration" in advice["note"]


def test_busy_agents_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.play.advisers._WAIT", 0.05)
    advisers = Advisers(OFFERS)
    with advisers.asking("random", Variant(), 0):
        with pytest.raises(PlayError, match="busy") as caught, advisers.asking("random", Variant(), 0):
            pass
        assert caught.value.status == 503
    with advisers.asking("random", Variant(), 0) as coach:
        assert coach.name == "random"
    with ExitStack() as stack:
        for _ in range(8):
            advisers._line.acquire()
            stack.callback(advisers._line.release)
        with pytest.raises(PlayError, match="busy"), advisers.asking("random", Variant(), 0):
            pass


def test_offers() -> None:
    offers = make_offers([str(POLICY), "mc:3"])
    names = [offer.name for offer in offers]
    assert names[:2] == [POLICY.name, "mc:3"]
    assert len(names) == len(set(names))
    advisers = Advisers(offers)
    assert advisers.default(Variant()) == POLICY.name
    assert advisers.default(make_variant(5)) in names
    with pytest.raises(ValueError, match="unknown agent"):
        make_offers(["nobody"])
    with pytest.raises(FileNotFoundError):
        make_offers(["none.onnx"])


# --- What is not answered --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["evil.example", "localhost", "127.0.0.1", "", "127.0.0.1:1", "evil.example:{port}"])
def test_foreign_hosts(browser: Browser, port: int, host: str) -> None:
    for path in ("/", "/api/about", "/static/main.js"):
        status, data = browser.ask("GET", path, headers={"Host": host.format(port=port)})
        assert status in (400, 403), data


def test_own_names(browser: Browser, port: int) -> None:
    for host in (f"localhost:{port}", f"LOCALHOST:{port}", f"127.0.0.1:{port}", f"[::1]:{port}"):
        assert browser.ask("GET", "/api/about", headers={"Host": host})[0] == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost", "file://", "https://127.0.0.1"])
def test_foreign_origins(browser: Browser, origin: str) -> None:
    for method, path, body in (("POST", "/api/games", {}), ("GET", "/api/about", None)):
        status, data = browser.ask(method, path, body, {"Origin": origin})
        assert (status, "not answered" in data["error"]) == (403, True)


def test_own_origin_and_other_sites(browser: Browser, port: int) -> None:
    own = {"Origin": f"http://127.0.0.1:{port}", "Sec-Fetch-Site": "same-origin"}
    assert browser.ask("POST", "/api/games", {}, own)[0] == 201
    for site in ("cross-site", "same-site"):
        assert browser.ask("GET", "/api/about", headers={"Sec-Fetch-Site": site})[0] == 403
    assert browser.ask("GET", "/", headers={"Sec-Fetch-Site": "cross-site"})[0] == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_bodies_of_forms(browser: Browser, kind: str) -> None:
    status, data = browser.ask("POST", "/api/games", b"{}", {"Content-Type": kind})
    assert (status, "JSON" in data["error"]) == (415, True)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"\xff\xfe", b"[]", b"3", b'"x"', b"null", b"[" * 20_000, b'{"a":' * 20_000]
)
def test_broken_bodies(browser: Browser, body: bytes) -> None:
    status, data = browser.ask("POST", "/api/games", body)
    assert status == 400
    assert "JSON" in data["error"]


def test_size_of_requests(browser: Browser) -> None:
    status, data = browser.ask("POST", "/api/replays", {"text": "x" * (MAX_BODY - 100)})
    assert (status, "at most" in data["refused"]) == (200, True)
    assert browser.ask("POST", "/api/replays", {"text": "x" * (MAX_BODY + 100)})[0] == 413
    assert browser.ask("GET", "/" + "x" * 20_000)[0] in (400, 414, 431)


@pytest.mark.parametrize(
    ("body", "said"),
    [({"variant": {"target": 9}}, "target is 9"), ({"variant": {"target": "4"}}, "integer"), ({"variant": 3}, "object"),
     ({"variant": {"trick_cards": ["3"]}}, "unknown trick card '3'"), ({"variant": {"trick_cards": "24"}}, "list"),
     ({"variant": {"circle": "any"}}, "did you mean 'circle_follow'"), ({"seed": -1}, "seed"), ({"seed": 1.5}, "seed"),
     ({"seed": "ten"}, "seed"), ({"seed": True}, "seed"), ({"seed": 2**63}, "seed"), ({"seed": "9" * 30}, "seed"),
     ({"code": "ECK-"}, "copied"), ({"code": 3}, "no replay"), ({"code": "ECK-", "seed": 1}, "leave variant and seed")
    ],
)  # fmt: skip
def test_games_that_are_refused(browser: Browser, body: Any, said: str) -> None:
    status, data = browser.ask("POST", "/api/games", body)
    assert status == 200
    assert said in data["refused"]


@pytest.mark.parametrize(
    "path",
    ["/x", "/api/games/none", "/api/games/../x", "/static/../server.py", "/static/none.js", "/static/%2e%2e/server.py",
     "/api/replays/none/0", "/api/games/none/replay"],
)  # fmt: skip
def test_paths_that_there_are_not(browser: Browser, path: str) -> None:
    status, data = browser.ask("GET", path)
    assert status == 404
    assert data["error"]


def test_methods(browser: Browser) -> None:
    for method, path in (("DELETE", "/"), ("PUT", "/api/games"), ("DELETE", "/api/games"), ("POST", "/api/about")):
        status, data = browser.ask(method, path, {})
        assert status == 405
        assert data["error"]


def test_headers(browser: Browser) -> None:
    for path in ("/", "/static/main.js", "/api/about", "/nowhere"):
        browser.ask("GET", path)
        assert "script-src 'self'" in browser.headers["Content-Security-Policy"]
        assert "unsafe" not in browser.headers["Content-Security-Policy"]
        assert browser.headers["X-Content-Type-Options"] == "nosniff"
        assert "Server" not in browser.headers or "waitress" not in browser.headers["Server"]


def test_the_page_needs_nothing_from_outside(browser: Browser) -> None:
    from agents.play.server import STATIC

    for path in STATIC.iterdir():
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http:" not in text, path
        assert "https:" not in text, path
        assert "innerHTML" not in text, path
        assert "eval(" not in text, path
        status, _ = browser.ask("GET", f"/static/{path.name}")
        assert status == 200


def test_the_server_listens_on_loopback_only(port: int) -> None:
    try:
        found = [str(entry[4][0]) for entry in socket.getaddrinfo(socket.gethostname(), port, socket.AF_INET)]
        own = next(address for address in found if not address.startswith("127."))
    except (StopIteration, OSError):
        pytest.skip("this machine has no address beside the loopback one")
    with pytest.raises(OSError), socket.create_connection((own, port), 2):
        pass


def test_host_names() -> None:
    assert host_names("127.0.0.1", 8000) == ["localhost:8000", "127.0.0.1:8000", "[::1]:8000"]
    assert "box:80" in host_names("0.0.0.0", 80, ["box"])
    assert "box" in host_names("0.0.0.0", 80, ["box"])
    assert "0.0.0.0:80" not in host_names("0.0.0.0", 80)
    assert "192.168.1.7:9" in host_names("192.168.1.7", 9)
    assert "[fe80::1]:9" in host_names("fe80::1", 9)


# --- Many games ------------------------------------------------------------------------------------------------------


def test_number_of_games() -> None:
    now = [0.0]
    store: Store[str] = Store("game", 3, 60, lambda: now[0])
    names = [store.add(f"thing {number}") for number in range(3)]
    now[0] = 59
    with pytest.raises(PlayError, match="3 games that are in use") as caught:
        store.add("one more")
    assert caught.value.status == 503
    assert store.get(names[0]) == "thing 0"
    now[0] = 61
    store.add("one more")
    assert len(store) == 3
    assert store.get(names[0]) == "thing 0"
    with pytest.raises(PlayError, match="no game with this id"):
        store.get(names[1])
    assert len(set(names)) == 3
    assert all(len(name) >= 22 for name in names)


def test_a_full_server_says_so() -> None:
    app = make_app(["localhost"], Advisers(OFFERS), Limits(games=2))
    client = app.test_client()
    answers = [client.post("/api/games", json={}) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [201, 201, 503]
    assert "takes no more" in answers[2].get_json()["error"]


def test_many_people_at_once(port: int) -> None:
    """Games in several threads end as the engine says, whoever else plays meanwhile."""
    ends: dict[int, dict[str, Any]] = {}

    def play(seed: int) -> None:
        browser = Browser(port)
        view = browser.post("/api/games", {"seed": seed, "variant": {"target": 2}})
        browser.post(f"/api/games/{view['id']}/advice", {"agent": POLICY.name})
        ends[seed] = {**play_out(browser, view, seed), "replay": browser.get(f"/api/games/{view['id']}/replay")}
        browser.close()

    threads = [threading.Thread(target=play, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ends) == 6
    for seed, end in ends.items():
        replay = read_replay(end["replay"]["code"]).check()
        assert (replay.seed, replay.outcome) == (seed, end["outcome"])
        assert variant_title(replay.variant) == end["variant"]["title"]


# --- Anything at all -------------------------------------------------------------------------------------------------

VALUES: list[Any] = [
    None, True, 0, 1, -1, 2**31, 2**63, 2**70, 0.5, -1.5, 1e300, "", "R2", "K", "w", "ECK-", "{", "0", "🂡", "x" * 300,
    [], ["R2"], [[]], {}, {"target": 4}, {"a": {"b": []}}, "random", "heuristic",
]  # fmt: skip
KEYS = ["variant", "seed", "code", "card", "move", "agent", "seconds", "text", "target", "x", ""]
STATUSES = {200, 201, 400, 403, 404, 405, 409, 411, 413, 414, 415, 431, 501, 503}


def fuzz(port: int, count: int, seed: int) -> dict[int, int]:
    """Ask so many odd things, with a right one now and then, and return how often each status came."""
    generator = random.Random(seed)
    browser = Browser(port)
    view = browser.post("/api/games", {"seed": seed})
    loaded = browser.post("/api/replays", {"text": browser.get(f"/api/games/{view['id']}/replay")["code"]})
    counts: dict[int, int] = {}
    for _ in range(count):
        game, replay = f"/api/games/{view['id']}", f"/api/replays/{loaded['id']}"
        path = generator.choice(
            ["/", "/api/about", "/api/games", game, f"{game}/cards", f"{game}/cards", f"{game}/advice",
             f"{game}/replay", "/api/replays", f"{replay}/0", f"{replay}/1", f"{replay}/0/advice", "/static/main.js",
             "/api/games/x/cards", f"{replay}/-1", "/api/../x", "/%00", "/static/%2e%2e%2fserver.py", f"{game}/",
             "/" + "a" * 200]
        )  # fmt: skip
        method = generator.choice(["GET", "POST", "POST", "POST", "PUT", "HEAD", "OPTIONS"])
        body: Any = {generator.choice(KEYS): generator.choice(VALUES) for _ in range(generator.randrange(4))}
        if path.endswith("/cards") and generator.random() < 0.3 and view["hand"]:
            body = {"card": generator.choice(view["hand"])["card"], "move": view["move"]}
        if path == "/api/games" and method == "POST" and generator.random() < 0.9:
            body = {**body, "seed": "no new game"}
        if path == "/api/replays" and generator.random() < 0.9:
            body = {
                "text": generator.choice(["ECK-" + "".join(generator.choices("0123456789ABCDEF-", k=30)), "{}", "x"])
            }
        data = None if method in ("GET", "HEAD") and generator.random() < 0.8 else json.dumps(body).encode()
        if data is not None and generator.random() < 0.2:
            data = bytes(generator.randrange(256) for _ in range(generator.randrange(40)))
        headers = generator.choice([{}, {}, {}, {"Origin": "http://evil.example"}, {"Content-Type": "text/plain"}])
        status, answer = browser.ask(method, path, data, headers)
        counts[status] = counts.get(status, 0) + 1
        assert status in STATUSES, (method, path, data, answer)
        if status >= 400 and method != "HEAD" and status not in (411, 431):
            assert isinstance(answer, dict), (method, path, data, answer)
            assert isinstance(answer["error"], str)
            assert answer["error"]
            assert "Traceback" not in answer["error"]
        elif status == 200 and method == "POST" and path.endswith("/cards"):
            assert answer["move"] == view["move"] + 1
            view = answer
            if view["outcome"]:
                view = browser.post("/api/games", {"code": view["deal"]})
    played = read_replay(browser.get(f"/api/games/{view['id']}/replay")["code"]).check()
    assert len(played.cards) == view["move"]
    browser.close()
    return counts


def test_odd_requests() -> None:
    with serving() as port:
        counts = fuzz(port, 2000, 1)
    assert counts[200] > 100
    assert counts[400] > 100


@pytest.mark.slow
def test_a_hundred_thousand_odd_requests() -> None:
    counts: list[dict[int, int]] = []
    with serving(Limits(games=100_000)) as port:
        threads = [
            threading.Thread(target=lambda seed=seed: counts.append(fuzz(port, 25_000, seed))) for seed in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(sum(part.values()) for part in counts) == 100_000
        browser = Browser(port)
        assert play_out(browser, browser.post("/api/games", {"seed": 1}))["outcome"]
        browser.close()
