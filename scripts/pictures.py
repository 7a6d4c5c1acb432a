"""Make the pictures that the README shows: the table as `rgb_array` draws it, the page at two widths, and two games.

python scripts/pictures.py --out docs/pictures

The page is photographed by headless Chromium, whose program is looked for under its usual names; without it, the
picture of the table is made alone. Deal and cards are always the same.
"""

from __future__ import annotations

import shutil
import struct
import sys
import threading
import zlib
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.heuristic import HeuristicAgent
from eck_env.eck.replay import Replay, ReplayError
from eck_env.eck.variant import Variant
from eck_env.files import write_bytes
from eck_env.numberless.replay import Replay as NumberlessReplay
from eck_env.numberless.replay_forms import make_variant as make_table
from eck_env.replays import replay_to_code

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
TABLE_SIZE = (960, 720)
WIDTHS = {"page": (1280, 860), "phone": (390, 844)}
DEAL = Replay(Variant(), seed=36, options={"trick_cards": {"8": "gray", "6": "yours", "2": "yours"}, "counter": "1"})
CARDS = 5
"""Cards played before the pictures are taken."""
NUMBERLESS = NumberlessReplay(make_table(5, opponents=["heuristic", "mc:64", "Numberless-v0.onnx", "random"]), seed=36)
NUMBERLESS_CHOICES = 10
"""Cards kept and played before the picture of the game without numbers is taken."""

app = typer.Typer(add_completion=False)


@app.command()
def main(out: Annotated[Path, typer.Option(help="The folder to write to.")] = Path("docs/pictures")) -> None:
    """Make the pictures of the README."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        _write(out / "table.png", table_picture())
        _photograph(out)
    except ImportError as error:
        _fail(f'{error}: this needs the extras of pictures and page (pip install -e ".[render,play,browser]")')
    except (OSError, ReplayError) as error:
        _fail(str(error))


def table_picture() -> bytes:
    """Return the table some tricks into a round, as a PNG file."""
    env, observation, info = DEAL.start(render_mode="rgb_array", render_size=TABLE_SIZE)
    for card in _cards(observation, info, env):
        observation, _, _, _, info = env.step(card)
    return png(env.render())


def _cards(observation: Any, info: Any, env: Any) -> list[int]:
    """Return the cards that the heuristic player plays from here on."""
    import numpy as np

    agent, twin, cards = HeuristicAgent(), env.copy(), []
    for _ in range(CARDS):
        card = int(agent.act(observation[np.newaxis], info["action_mask"][np.newaxis], np.zeros((1, 3), np.int64))[0])
        cards.append(card)
        observation, _, _, _, info = twin.step(card)
    return cards


def png(picture: Any) -> bytes:
    """Return a picture, shape (height, width, 3), uint8, as a PNG file."""
    height, width, _ = picture.shape
    rows = b"".join(b"\0" + row.tobytes() for row in picture)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def _photograph(out: Path) -> None:
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        typer.echo(
            "no Chromium is installed, so the pictures of the page are not made (Debian: apt-get install chromium)"
        )
        return
    from playwright.sync_api import sync_playwright

    from agents.play.advisers import Advisers, make_offers
    from agents.play.server import make_server

    advisers = Advisers(make_offers())
    for variant in (DEAL.variant, NUMBERLESS.variant):
        advisers.prepare(variant)
    with advisers.asking("mc:64", NUMBERLESS.variant, 0.0):  # who sits at the table, too
        pass
    server, port, stop = make_server(advisers)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
            for name, (width, height) in WIDTHS.items():
                page = browser.new_page(viewport={"width": width, "height": height})
                page.goto(f"http://127.0.0.1:{port}/")
                _write(out / f"{name}.png", _picture_of(page))
            width, height = WIDTHS["page"]
            page = browser.new_page(viewport={"width": width, "height": height})
            page.goto(f"http://127.0.0.1:{port}/")
            _write(out / "numberless.png", _picture_of_numberless(page))
            browser.close()
    finally:
        stop()
        thread.join(10)


def _picture_of(page: Any) -> bytes:
    """Return the page with the same deal and cards as the picture of the table, and the coach on, as a PNG file."""
    _begin(page, replay_to_code(DEAL))
    for left in range(13, 13 - CARDS, -1):
        page.wait_for_selector(f"#hand button:nth-child({left})")
        page.click("#watch-step")
        page.wait_for_selector(f"#hand button:nth-child({left})", state="detached")
    return _picture_with_coach(page, "Eck-v0.onnx")


def _picture_of_numberless(page: Any) -> bytes:
    """Return the page with the game without numbers some rounds into it, and the coach on, as a PNG file."""
    _begin(page, replay_to_code(NUMBERLESS))
    for _ in range(NUMBERLESS_CHOICES):
        page.wait_for_selector("#hand button:not([aria-disabled])")
        before = page.locator("#hand").inner_text()
        page.click("#watch-step")
        page.wait_for_function("before => document.querySelector('#hand').innerText !== before", arg=before)
    page.wait_for_selector("#hand button:not([aria-disabled])")
    page.click("#memory-panel summary")
    return _picture_with_coach(page, "Numberless-v0.onnx")


def _begin(page: Any, code: str) -> None:
    """Start the deal of a code, with the heuristic player as the agent that plays on."""
    page.wait_for_selector("#hand button")
    page.select_option("#speed", "0")
    page.click("#new-game")
    page.fill("#deal", code)
    page.click("#new-form button[type=submit]")
    page.wait_for_selector("#new-dialog", state="hidden")
    page.select_option("#agent", "heuristic")


def _picture_with_coach(page: Any, agent: str) -> bytes:
    page.select_option("#agent", agent)
    page.click("#coach-on")
    page.wait_for_selector("#advice:not([hidden])")
    page.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)")
    data: bytes = page.screenshot()
    return data


def _write(path: Path, data: bytes) -> None:
    write_bytes(path, data)
    typer.echo(path)


def _fail(message: str) -> NoReturn:
    typer.echo(f"error: {message}", err=True)
    raise typer.Exit(2)


if __name__ == "__main__":
    app()
