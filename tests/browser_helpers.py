"""What the tests of the page in headless Chromium share; its fixtures among it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from play_helpers import serving

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
MARKS = [
    pytest.mark.browser,
    pytest.mark.skipif(PROGRAM is None, reason="no Chromium is installed (Debian: apt-get install chromium)"),
]
WIDTHS = {"desktop": (1280, 900), "phone": (390, 844)}
LEGAL = "#hand button:not([aria-disabled])"
TABLE = "#hand button, #hand-title"


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with serving() as port:
        yield port


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAM, args=["--no-sandbox"])
        yield browser
        browser.close()


def open_page(chromium: Any, port: int, width: str, **options: Any) -> tuple[Any, list[str]]:
    """Return a page in a context of its own, and the list of its errors."""
    size = dict(zip(("width", "height"), WIDTHS[width], strict=True))
    context = chromium.new_context(viewport=size, has_touch=width == "phone", **options)
    page = context.new_page()
    page.set_default_timeout(20_000)
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda sent: None if f"127.0.0.1:{port}/" in sent.url else errors.append(sent.url))
    page.goto(f"http://127.0.0.1:{port}/")
    page.wait_for_selector(TABLE)
    page.wait_for_selector("#hand button")
    return page, errors


@pytest.fixture(params=list(WIDTHS))
def page(request: pytest.FixtureRequest, chromium: Any, port: int) -> Iterator[Any]:
    page, errors = open_page(chromium, port, request.param)
    yield page
    assert errors == []
    page.context.close()


def begin(page: Any, code: str) -> None:
    """Start the deal of a code without delays."""
    page.select_option("#speed", "0")
    page.click("#new-game")
    page.fill("#deal", code)
    page.click("#new-form button[type=submit]")
    page.wait_for_selector("#new-dialog", state="hidden")


def wait_for_turn(page: Any, move: str) -> str:
    """Wait until something has happened since, and return what is to be done now: next, end or play."""
    page.wait_for_function(
        """move => document.querySelector('#end-dialog').open
            || (document.querySelector('#last').textContent + document.querySelector('#hand-title').textContent !== move
                && document.querySelector('#hand button:not([aria-disabled])'))""",
        arg=move,
    )
    if page.locator("#end-dialog[open]").count():
        return "next" if page.locator("#end-title").inner_text() == "The round is over" else "end"
    return "play"


def mark(page: Any) -> str:
    """Return what tells one moment of a game from the next."""
    return "".join(page.locator(part).text_content() for part in ("#last", "#hand-title"))


def code_of_game(page: Any) -> str:
    page.click("#copy-game")
    page.wait_for_function("() => /(ECK|GONGOR|NUMBERLESS)-/.test(document.querySelector('#share-words').textContent)")
    return str(page.locator("#share-words").inner_text().split()[-1])
