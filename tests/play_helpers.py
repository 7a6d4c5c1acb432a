"""What the tests of the page's server and of the table in a terminal share."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agents.play.advisers import Advisers, Offer
from agents.play.games import kit_of
from agents.play.server import Limits, make_server
from agents.play.session import GameSession
from agents.play.terminal import Console
from eck_env.eck.variant import REGISTERED, Variant, make_variant
from eck_env.numberless.variant import Variant as NumberlessVariant
from eck_env.registry import AnyVariant

POLICY = Path(__file__).resolve().parents[1] / "agents" / "pretrained" / "Eck-v0.onnx"
HARD = POLICY.with_name("EckHard-v0.onnx")
ALL = ("eck", "gongor_whist", "numberless")
TRAINED = POLICY.with_name("Numberless-v0.onnx")
OFFERS = [
    Offer(POLICY.name, str(POLICY), Variant()),
    Offer(HARD.name, str(HARD), make_variant(**REGISTERED["EckHard-v0"])),  # the longest name that is shown
    Offer(TRAINED.name, str(TRAINED), NumberlessVariant(), ("numberless",)),
    Offer("mc:8", "mc:8", None, ALL),
    Offer("heuristic", "heuristic", None, ALL),
    Offer("random", "random", None, ALL),
]


def _warm_up(variant: AnyVariant, advisers: Advisers) -> None:
    """Let the players at a table move once."""
    game = GameSession(kit_of(variant).new_deal(variant, 1), lambda name: advisers.opponent(name, variant))
    game.play(next(move["card"] for move in game.view()["hand"] if move["legal"]), 0)


@contextmanager
def serving(limits: Limits | None = None, tables: Iterable[AnyVariant] = ()) -> Iterator[int]:
    """Run a server in a thread of its own and give its port; what ECK and further tables need is compiled."""
    advisers = Advisers(OFFERS)
    for variant in (Variant(), *tables):
        for offer in OFFERS:
            if kit_of(variant).name in offer.games:
                with advisers.asking(offer.name, variant, 0.1):
                    pass
    for variant in tables:
        _warm_up(variant, advisers)
    server, port, stop = make_server(advisers, limits=limits)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield port
    finally:
        stop()
        thread.join(10)
        assert not thread.is_alive()


class Browser:
    """Asks a server as a page does, over one connection.

    Attributes:
        headers: Of the last answer.
    """

    def __init__(self, port: int) -> None:
        self._host = f"127.0.0.1:{port}"
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.headers: dict[str, str] = {}

    def ask(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> tuple[int, Any]:
        """Return status and data of an answer; the body is sent as JSON, or as it is where it is bytes."""
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        sent = {
            "Host": self._host,
            **({"Content-Type": "application/json"} if data is not None else {}),
            **(headers or {}),
        }
        try:
            self._connection.request(method, path, data, sent)
            response = self._connection.getresponse()
        except (http.client.HTTPException, ConnectionError):
            self._connection.close()
            self._connection.request(method, path, data, sent)
            response = self._connection.getresponse()
        content = response.read()
        self.headers = dict(response.getheaders())
        is_json = self.headers.get("Content-Type", "").startswith("application/json")
        return response.status, json.loads(content) if is_json and content else content

    def post(self, path: str, body: Any) -> Any:
        """Return the data of an answer that is no error."""
        status, data = self.ask("POST", path, body)
        assert status in (200, 201), data
        assert "refused" not in data, data
        return data

    def get(self, path: str) -> Any:
        """Return the data of an answer that is no error."""
        status, data = self.ask("GET", path)
        assert status == 200, data
        return data

    def close(self) -> None:
        """End the connection."""
        self._connection.close()


class Typist:
    """Types the given lines, and then nothing more."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = list(lines)
        self.shown: list[str] = []

    def ask(self, prompt: str) -> str:
        if not self.lines:
            raise EOFError
        return self.lines.pop(0)

    def console(self, color: bool = False) -> Console:
        return Console(self.shown.append, self.ask, lambda seconds: None, color)

    @property
    def text(self) -> str:
        return "\n".join(self.shown)
