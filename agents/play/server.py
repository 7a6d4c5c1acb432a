"""The server of the page: a Flask application that shows what the engine says.

The page asks for JSON below `/api/`. A request that cannot be answered gets ``{"error": "..."}`` that says why, with a
status of its own; a deal or replay that does not fit the rules gets ``{"refused": "..."}``, with status 200. Games live
here, and the browser knows only their ids.
"""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from flask import Flask, Response, jsonify, request, send_from_directory
from werkzeug.exceptions import BadRequest, HTTPException

import eck_env
from agents.coach import MAX_SECONDS
from agents.play.advisers import Advisers
from agents.play.games import KITS, OPPONENT, PLAYED, describe_games, kit_of, make_variant
from agents.play.guard import guard
from agents.play.session import GameSession, PlayError, RefusedError, ReplaySession, Store
from agents.play.words import advice_to_data
from eck_env.base.replay import BaseReplay
from eck_env.batch import MAX_SEED, TRAINING_SEEDS
from eck_env.checks import integer, unknown_key
from eck_env.eck.variant import CIRCLE_FOLLOW, TRICK_CARDS
from eck_env.numberless.variant import MAX_PLAYERS, MIN_PLAYERS
from eck_env.registry import find_variant
from eck_env.replays import MAX_BYTES, read_replay

STATIC = Path(__file__).parent / "static"
MAX_BODY = 2 * MAX_BYTES
"""The largest body of a request, in bytes: a replay, every sign of it escaped."""


@dataclass(frozen=True)
class Limits:
    """What a server allows.

    Attributes:
        games: Games held at a time; so many replays as well.
        idle: After so many seconds without use one may be dropped for a new one.
        seconds: The longest search, in seconds.
    """

    games: int = 500
    idle: float = 1800.0
    seconds: float = 10.0


@dataclass
class _Desk:
    """What the requests are answered with."""

    limits: Limits
    advisers: Advisers
    games: Store[GameSession] = field(init=False)
    replays: Store[ReplaySession] = field(init=False)

    def __post_init__(self) -> None:
        self.games = Store("game", self.limits.games, self.limits.idle)
        self.replays = Store("replay", self.limits.games, self.limits.idle)


def make_app(hosts: Sequence[str], advisers: Advisers, limits: Limits | None = None) -> Flask:
    """Return the application.

    Args:
        hosts: The values of the header Host that are answered, such as ``localhost:8000``.
        advisers: The coaches that may be asked.
        limits: What is allowed.
    """
    app = Flask("eck", static_folder=str(STATIC), static_url_path="/static")
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY
    app.json.sort_keys = False  # type: ignore[attr-defined]
    desk = _Desk(limits or Limits(), advisers)
    guard(app, frozenset(hosts))
    _add_errors(app)
    _add_page(app, desk)
    _add_games(app, desk)
    _add_replays(app, desk)
    return app


# --- Errors and bodies -----------------------------------------------------------------------------------------------


def _add_errors(app: Flask) -> None:
    @app.errorhandler(HTTPException)
    def refuse(error: HTTPException) -> tuple[Response, int]:
        return jsonify(error=error.description or error.name), error.code or 500

    @app.errorhandler(RefusedError)
    def tell_why(error: RefusedError) -> Response:
        return jsonify(refused=str(error))

    @app.errorhandler(ValueError)  # PlayError, ReplayError and IllegalActionError among them
    def explain(error: ValueError) -> tuple[Response, int]:
        return jsonify(error=str(error)), getattr(error, "status", 400)


def _body(*keys: str) -> dict[str, Any]:
    """Return the JSON object of a request, whose keys are among these."""
    try:
        data = request.get_json()
    except RecursionError as error:
        raise PlayError("the body is no JSON that can be read: it is nested too deeply") from error
    except BadRequest as error:
        raise PlayError("the body is no JSON that can be read") from error
    if not isinstance(data, dict):
        raise PlayError("the body must be a JSON object")
    for key in data:
        if key not in keys:
            raise unknown_key(key, keys, "the request")
    return data


@contextmanager
def _refusing() -> Iterator[None]:
    """Have what is wrong with a deal or a replay said as an answer."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise RefusedError(str(error)) from error


def _seconds(data: dict[str, Any], limits: Limits) -> float:
    seconds, most = data.get("seconds", 0), min(limits.seconds, MAX_SECONDS)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds <= most:
        raise PlayError(f"seconds is {seconds!r}, but must be a number from 0 to {most:g}")
    return float(seconds)


# --- Routes ----------------------------------------------------------------------------------------------------------


def _add_page(app: Flask, desk: _Desk) -> None:
    variants = [
        {"id": env_id, "game": kit_of(variant).name, **asdict(variant)}
        for env_id, variant in ((env_id, find_variant(env_id)) for env_id in PLAYED)
    ]
    about = {
        "version": eck_env.__version__,
        "games": {kit.name: kit.title for kit in KITS},
        **describe_games(),
        "variants": variants,
        "trick_cards": TRICK_CARDS,
        "circle_follow": CIRCLE_FOLLOW,
        "players": [MIN_PLAYERS, MAX_PLAYERS],
        "opponent": OPPONENT,
        "agents": [offer.to_data() for offer in desk.advisers.offers.values()],
        "max_seconds": desk.limits.seconds,
        "max_replay_bytes": MAX_BYTES,
    }

    @app.get("/")
    def page() -> Response:
        return send_from_directory(STATIC, "index.html")

    @app.get("/api/about")
    def tell() -> Response:
        return jsonify(about)


def _deal_of(data: dict[str, Any]) -> BaseReplay:
    """Return the deal that a request asks for: that of a code, or one of a variant, by its seed or a new one."""
    if "code" in data:
        if len(data) > 1:
            raise PlayError("a code says everything about a deal: leave variant and seed out")
        return read_replay(data["code"]).deal
    variant = data.get("variant", {})
    if not isinstance(variant, dict):
        raise PlayError("variant must be a JSON object with keywords of one, such as target, scoring or num_players")
    chosen = make_variant(variant)
    seed = data.get("seed")
    if isinstance(seed, str) and seed.isascii() and seed.isdecimal() and len(seed) < 20:
        seed = int(seed)
    number = secrets.randbelow(TRAINING_SEEDS) if seed is None else integer(seed, 0, MAX_SEED, "seed")
    return kit_of(chosen).new_deal(chosen, number)


def _add_games(app: Flask, desk: _Desk) -> None:
    def show(name: str, view: dict[str, Any]) -> Response:
        variant = desk.games.get(name).deal.variant
        return jsonify(id=name, adviser=desk.advisers.default(variant), **view)

    @app.post("/api/games")
    def begin() -> tuple[Response, int]:
        data = _body("variant", "seed", "code")
        with _refusing():
            deal = _deal_of(data)
            game = GameSession(deal, lambda name: desk.advisers.opponent(name, deal.variant))
        return show(desk.games.add(game), game.view()), 201

    @app.get("/api/games")
    def find() -> Response:
        """Return the game with an id in a list, which is empty where there is none: nobody has done anything wrong."""
        name = request.args.get("id", "")
        try:
            return jsonify(games=[show(name, desk.games.get(name).view()).get_json()])
        except PlayError:
            return jsonify(games=[])

    @app.get("/api/games/<name>")
    def look(name: str) -> Response:
        return show(name, desk.games.get(name).view())

    @app.post("/api/games/<name>/cards")
    def play(name: str) -> Response:
        game = desk.games.get(name)
        data = _body("card", "move")
        return show(name, game.play(data.get("card"), integer(data.get("move"), 0, 2**31, "move")))  # type: ignore[arg-type]

    @app.post("/api/games/<name>/advice")
    def advise(name: str) -> Response:
        game = desk.games.get(name)
        data = _body("agent", "seconds")
        seconds = _seconds(data, desk.limits)
        observation, mask, key = game.position()
        with desk.advisers.asking(data.get("agent"), game.deal.variant, seconds) as coach:
            return jsonify(
                move=key[2], **advice_to_data(coach.advise(observation, mask, key, seconds), kit_of(game.deal.variant))
            )

    @app.get("/api/games/<name>/replay")
    def save(name: str) -> Response:
        return jsonify(desk.games.get(name).replay())


def _add_replays(app: Flask, desk: _Desk) -> None:
    @app.post("/api/replays")
    def load() -> tuple[Response, int]:
        text = _body("text").get("text", "")
        with _refusing():
            session = ReplaySession(read_replay(text))
        adviser = desk.advisers.default(session.replay.variant)
        return jsonify(id=desk.replays.add(session), adviser=adviser, **session.summary()), 201

    @app.get("/api/replays/<name>/<int:number>")
    def look_back(name: str, number: int) -> Response:
        return jsonify(desk.replays.get(name).view(number))

    @app.post("/api/replays/<name>/<int:number>/advice")
    def rate(name: str, number: int) -> Response:
        session = desk.replays.get(name)
        data = _body("agent", "seconds")
        seconds = _seconds(data, desk.limits)
        with desk.advisers.asking(data.get("agent"), session.replay.variant, seconds) as coach:
            advice, card, cost = session.rate(number, coach, seconds)
        return jsonify(move=number, played=card, cost=cost, **advice_to_data(advice, kit_of(session.replay.variant)))


# --- Serving ---------------------------------------------------------------------------------------------------------


def host_names(host: str, port: int, more: Sequence[str] = ()) -> list[str]:
    """Return the values of the header Host that a server on this address answers."""
    names = ["localhost", "127.0.0.1", "[::1]", *more]
    if host not in ("0.0.0.0", "::", *names):
        names.append(f"[{host}]" if ":" in host else host)
    return [f"{name}:{port}" for name in names] + (names if port == 80 else [])


def make_server(
    advisers: Advisers,
    host: str = "127.0.0.1",
    port: int = 0,
    more_hosts: Sequence[str] = (),
    limits: Limits | None = None,
) -> tuple[Any, int, Callable[[], None]]:
    """Open a server; nothing is answered before it is run.

    Args:
        advisers: See `make_app`.
        host: The address to listen on; the loopback address keeps it on this machine.
        port: 0 for any that is free.
        more_hosts: Names of this machine that are answered to beside its address.
        limits: See `make_app`.

    Returns:
        The server, whose `run` answers requests until `close`; the port; and a function that ends it.

    Raises:
        OSError: If the address cannot be listened on.
    """
    from waitress import wasyncore
    from waitress.server import create_server

    address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][4][0]
    sockets: dict[int, Any] = {}
    app: Flask | None = None

    def answer(environ: Any, start_response: Any) -> Any:
        assert app is not None
        return app(environ, start_response)

    server: Any = create_server(
        answer,
        map=sockets,
        host=address,
        port=port,
        threads=16,
        ident=None,
        connection_limit=200,
        channel_timeout=60,
        max_request_body_size=MAX_BODY,
        max_request_header_size=16_384,
        clear_untrusted_proxy_headers=True,
    )
    actual = int(server.effective_port)
    app = make_app(host_names(host, actual, more_hosts), advisers, limits)

    def stop() -> None:
        server.task_dispatcher.shutdown()
        server.trigger.pull_trigger(lambda: wasyncore.close_all(sockets))  # in the thread that runs the server

    return server, actual, stop
