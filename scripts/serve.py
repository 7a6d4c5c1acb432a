"""Serve the page on which the games are played, watched and looked back at, on this machine alone.

python scripts/serve.py
python scripts/serve.py --agent runs/quick/policy.onnx --agent mc:1000 --port 8100
"""

from __future__ import annotations

import logging
import sys
import threading
from pathlib import Path
from typing import Annotated, NoReturn

import typer

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from eck_env.eck.variant import Variant

LOOPBACK = "127.0.0.1"
LOOPBACK_NAMES = (LOOPBACK, "localhost", "::1")

app = typer.Typer(add_completion=False)


@app.command()
def main(
    host: Annotated[
        str, typer.Option(help="The address to listen on; the loopback address keeps the page on this machine.")
    ] = LOOPBACK,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for any that is free.")] = 8000,
    agent: Annotated[
        list[str] | None, typer.Option(help="A policy file or another agent to offer, again for each further one.")
    ] = None,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="A name under which this machine is reached, beside its address.")
    ] = None,
    games: Annotated[int, typer.Option(min=1, help="Games that are held at a time.")] = 500,
    seconds: Annotated[float, typer.Option(min=0, max=30, help="The longest search that may be asked for.")] = 10.0,
) -> None:
    """Serve the page on which the games are played."""
    logging.basicConfig(format="%(message)s")
    try:
        from agents.play.advisers import Advisers, make_offers
        from agents.play.server import Limits, make_server

        advisers = Advisers(make_offers(agent or []))
        limits = Limits(games=games, seconds=seconds)
        server, actual, stop = make_server(advisers, host, port, allow_host or [], limits)
    except ImportError as error:
        _fail(f'{error}: the page needs the extra "play" (pip install -e ".[play]")')
    except FileNotFoundError as error:  # a policy
        _fail(str(error))
    except OSError as error:
        _fail(f"{error}; if port {port} is taken, choose another with --port, or --port 0 for any that is free")
    except ValueError as error:
        _fail(str(error))
    shown = f"[{host}]" if ":" in host else host
    typer.echo(f"ECK is served on http://{shown}:{actual}/ (stop with Ctrl-C)")
    if host not in LOOPBACK_NAMES:
        typer.echo("warning: everybody who reaches this address can play; there are no passwords", err=True)
    threading.Thread(target=advisers.prepare, args=(Variant(),), daemon=True).start()
    server.run()  # until Ctrl-C
    stop()
    typer.echo("stopped")


def _fail(message: str) -> NoReturn:
    typer.echo(f"error: {message}", err=True)
    raise typer.Exit(2)


if __name__ == "__main__":
    app()
