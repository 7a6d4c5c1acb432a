"""The game without numbers on the page in headless Chromium: whole games, other seats, coach, watching, replays."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

import browser_helpers
from browser_helpers import LEGAL, begin, chromium, code_of_game, open_page, page  # noqa: F401  (fixtures)
from eck_env.numberless.replay import Replay
from eck_env.numberless.replay_forms import make_variant
from eck_env.numberless.variant import Variant
from eck_env.replays import read_replay, replay_to_code
from play_helpers import serving

pytest.importorskip("playwright.sync_api", reason="Playwright is not installed (the extra browser)")
pytestmark = browser_helpers.MARKS

TABLES = [(players, draft) for players in (3, 4, 7) for draft in (True, False)]
_SHOWN = "String(['hand-title', 'hand', 'last', 'pot', 'message'].map(id => document.getElementById(id).innerText))"


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with serving(tables=(Variant(),)) as port:
        yield port


def deal(seed: int = 3, players: int = 3, draft: bool = False) -> str:
    return replay_to_code(Replay(make_variant(players, draft, 0, "heuristic"), seed))


def mark(page: Any) -> str:
    """Return what tells one moment of a game from the next."""
    shown: str = page.evaluate(_SHOWN)
    return shown


def wait_for_turn(page: Any, before: str) -> str:
    """Wait until something has happened since, and return what is to be done now: end or play."""
    page.wait_for_function(
        f"before => document.querySelector('#end-dialog').open"
        f" || ({_SHOWN} !== before && document.querySelector('{LEGAL}'))",
        arg=before,
    )
    return "end" if page.locator("#end-dialog[open]").count() else "play"


def play_on(page: Any, moves: int = 10_000) -> str:
    """Choose the first legal card, and so on, until the game ends or so many are chosen."""
    state = "play"
    while state != "end" and moves:
        before = mark(page)
        page.locator(LEGAL).first.click()
        state = wait_for_turn(page, before)
        moves -= 1
    return state


def choose_table(page: Any, players: int, draft: bool) -> None:
    """Open the dialog of a new game and ask for a table."""
    page.select_option("#speed", "0")
    page.click("#new-game")
    page.check("input[value=Numberless-v0]")
    page.select_option("#num-players", str(players))
    page.set_checked("#draft", draft)
    page.fill("#seed", "5")


def start(page: Any) -> None:
    page.click("#new-form button[type=submit]")
    page.wait_for_selector("#new-dialog", state="hidden")
    page.wait_for_selector("#seats li")


@pytest.mark.parametrize(("players", "draft"), TABLES)
def test_whole_games_with_the_mouse(page: Any, players: int, draft: bool) -> None:
    choose_table(page, players, draft)
    start(page)
    assert page.title() == page.locator("#game-title").inner_text() == "The game without numbers"
    assert page.locator("#seats li").count() == players
    assert page.locator("#seats .who").all_inner_texts() == ["seat 0"] + ["heuristic"] * (players - 1)
    assert page.locator("#trick-cards").is_hidden()
    assert page.locator("#eck-side").is_hidden()
    assert page.locator("#kept").is_visible() == draft
    if draft:
        assert play_on(page, 3) == "play"
        assert page.locator("#kept li").count() == 3
        assert page.locator("#numberless-round").inner_text() == "Draft: pick 4 of 7"
        assert page.locator("#hand button").count() == 4
    assert play_on(page) == "end"
    assert page.locator("#end-title").inner_text() in ("You win!", "You lose", "You share the win")
    page.click("#end-controls button:has-text('Close')")
    replay = read_replay(code_of_game(page)).check()
    assert (replay.seed, replay.variant) == (5, make_variant(players, draft, 0, "heuristic"))
    assert replay.outcome is not None
    page.click("#open-statistics")
    assert page.locator("#statistics td").first.inner_text() == "1"


def test_a_whole_game_by_the_keyboard(page: Any) -> None:
    begin(page, deal(6))
    page.wait_for_selector("#seats li")
    page.wait_for_selector(LEGAL)
    while True:
        before = mark(page)
        place = page.evaluate(
            f"[...document.querySelectorAll('#hand button')].indexOf(document.querySelector('{LEGAL}'))"
        )
        page.keyboard.press(str(place + 1))
        assert page.evaluate(f"document.activeElement === document.querySelector('{LEGAL}')")
        page.keyboard.press("Enter")
        if wait_for_turn(page, before) == "end":
            break
    page.keyboard.press("Escape")
    assert read_replay(code_of_game(page)).check().outcome is not None


def test_other_seats_are_chosen(page: Any) -> None:
    choose_table(page, 3, True)
    page.select_option("#start-player", "any")
    assert page.locator("#seat-agents").is_hidden()
    page.select_option("#opponents", "each")
    assert page.locator("#seat-agents select:visible").count() == 2
    page.select_option("[data-seat='1']", "mc:8")
    page.select_option("[data-seat='2']", "Numberless-v0.onnx")
    start(page)
    assert page.locator("#seats .who").all_inner_texts()[1:] == ["mc:8", "Numberless-v0.onnx"]
    assert "any seat starts" in page.locator("#variant").inner_text()
    assert play_on(page) == "end"
    page.click("#end-controls button:has-text('Same deal')")
    page.wait_for_function("() => document.querySelectorAll('#hand button').length === 7")
    assert page.locator("#seats .who").all_inner_texts()[1:] == ["mc:8", "Numberless-v0.onnx"]


def test_illegal_cards_say_why(page: Any) -> None:
    for seed in range(20):
        begin(page, deal(seed))
        page.wait_for_selector(LEGAL)
        for _ in range(5):
            if page.locator("#hand button.illegal").count():
                break
            if play_on(page, 1) == "end":
                page.keyboard.press("Escape")
                break
        if page.locator("#hand button.illegal").count():
            break
    illegal = page.locator("#hand button.illegal").first
    illegal.click(force=True)
    assert re.search(r" cannot be played: the pot, .+, asks for ", page.locator("#why").inner_text())
    assert "not playable: the pot, " in illegal.get_attribute("aria-label")
    assert page.locator("#pattern").inner_text().split(",")[0] in (
        "same background",
        "same foreground",
        "all different",
    )


def test_what_others_do_is_shown_in_order(page: Any) -> None:
    """Slowly, so that what is said meanwhile can be seen, and at once as soon as somebody is in a hurry."""
    begin(page, deal(3, 4))
    page.wait_for_selector(LEGAL)
    page.select_option("#speed", "1")
    page.locator(LEGAL).first.click()
    page.wait_for_function("() => /^You play /.test(document.querySelector('#message').textContent)")
    assert page.locator("#pot li").count() == 1
    page.wait_for_function("() => /^Seat 1 plays /.test(document.querySelector('#message').textContent)")
    assert page.locator("#pot li > span").all_inner_texts() == ["You", "Seat 1"]
    page.keyboard.press("Enter")
    page.wait_for_selector(LEGAL)
    assert page.locator("#last").inner_text().startswith("You play ")


def test_coach_and_watching(page: Any) -> None:
    begin(page, deal(9, 4, True))
    page.wait_for_selector(LEGAL)
    names = page.locator("#agent option").all_inner_texts()
    assert "Numberless-v0.onnx (trained for 4 players, with draft)" in names
    assert not any(name.startswith("Eck") for name in names)
    page.select_option("#seconds", "0.1")
    page.check("#coach-on")
    page.wait_for_function(
        "() => /Numberless-v0 advises .*win chance/.test(document.querySelector('#advice-words').textContent)"
    )
    assert page.locator("#advice tbody tr").count() == page.locator("#hand .badge").count() == 7
    assert page.locator("#hand button.marked").count() == 1
    page.uncheck("#coach-on")
    page.select_option("#agent", "heuristic")
    page.select_option("#seconds", "0")
    page.click("#watch-step")
    page.wait_for_function("() => document.querySelectorAll('#hand button').length === 6")
    page.wait_for_selector(LEGAL)
    page.click("#watch-play")
    page.wait_for_selector("#end-dialog[open]")
    page.keyboard.press("Escape")


def test_a_replay_is_looked_at_and_rated(page: Any) -> None:
    begin(page, deal(12))
    page.wait_for_selector(LEGAL)
    assert play_on(page) == "end"
    page.click("#end-controls button:has-text('Look back')")
    page.wait_for_selector("#replay-panel:not([hidden])")
    assert re.search(r"\d+ choices, (won|lost)", page.locator("#replay-about").inner_text())
    page.wait_for_function("() => /^Card 1: /.test(document.querySelector('#message').textContent)")
    page.click("#replay-forward")
    page.wait_for_function("() => /^Card 2: /.test(document.querySelector('#message').textContent)")
    assert page.locator("#hand button.marked").count() == 1
    assert page.locator("#last").inner_text().startswith("You play ")
    page.select_option("#agent", "heuristic")
    page.click("#rate")
    page.wait_for_function("() => /decisions as/.test(document.querySelector('#rating-summary').textContent)")
    page.click("#replay-last")
    page.wait_for_function("() => /^You (win|share|lose)/.test(document.querySelector('#message').textContent)")
    with page.expect_download() as caught:
        page.click("#save-replay")
    assert caught.value.suggested_filename == "numberless-replay.json"
    page.click("#replay-close")
    page.wait_for_selector("#replay-panel", state="hidden")


def test_bad_replays_and_codes_are_refused(page: Any) -> None:
    begin(page, deal(3))
    page.wait_for_selector(LEGAL)
    broken = json.dumps({"replay": 1, "variant": {"num_players": 3}, "seed": 4, "choices": ["AR"]})
    for text, said in ((broken, "choice 1 of the replay does not fit the rules"), ("NUMBERLESS-0", "not copied right")):
        page.click("#open-replay")
        page.fill("#replay-text", text)
        page.click("#replay-form button[type=submit]")
        page.wait_for_function("said => document.querySelector('#replay-error').textContent.includes(said)", arg=said)
        page.click("#replay-dialog [data-close]")
    page.click("#new-game")
    page.fill("#deal", replay_to_code(Replay(make_variant(3, opponents="nobody"), 1)))
    page.click("#new-form button[type=submit]")
    page.wait_for_function(
        "() => /nobody called 'nobody' can sit/.test(document.querySelector('#new-error').textContent)"
    )
    page.click("#new-dialog [data-close]")


def test_all_games_on_one_page(page: Any) -> None:
    """From one game to another and back: what belongs to others is hidden, and a reload goes on."""
    begin(page, deal(3, 3, True))
    page.wait_for_selector("#seats li")
    play_on(page, 1)
    page.reload()
    page.wait_for_function("() => document.querySelectorAll('#kept li').length === 1")
    page.click("#new-game")
    page.check("input[value=GongorWhist-v0]")
    assert page.locator("#numberless-variant").is_hidden()
    page.click("#new-form button[type=submit]")
    page.wait_for_selector("#choices button")
    assert page.locator("#seats").is_hidden()
    assert page.locator("#eck-side").is_visible()
    page.click("#new-game")
    page.check("input[value=EckBeginner-v0]")
    page.click("#new-form button[type=submit]")
    page.wait_for_selector("#hand button:nth-child(13)")
    assert page.locator("#pot").is_hidden()


@pytest.mark.parametrize("width", [1280, 640, 390, 320])
def test_nothing_is_wider_than_the_screen(chromium: Any, port: int, width: int) -> None:
    page, errors = open_page(chromium, port, "desktop")
    page.set_viewport_size({"width": width, "height": 700})
    begin(page, deal(13, 7))
    page.wait_for_selector(LEGAL)
    page.click("#memory-panel summary")
    for _ in range(3):
        wide = page.evaluate(
            """() => [...document.querySelectorAll('body *:not(.unseen, .skip)')].filter(
            part => !part.closest('.scroll, .skip, svg') && part.getBoundingClientRect().right > innerWidth + 1
        ).map(part => part.outerHTML.slice(0, 200))"""
        )
        assert wide == []
        assert play_on(page, 1) == "play"
    assert errors == []
    page.context.close()


def test_everything_has_a_name_and_cards_differ_without_colors(page: Any) -> None:
    begin(page, deal(14))
    page.wait_for_selector("#seats li")
    nameless = page.evaluate(
        """() => [...document.querySelectorAll('button, input, select, textarea, dialog, [role=img], [role=group]')]
            .filter(element => !(element.ariaLabel || element.getAttribute('aria-labelledby') || element.labels?.length
                || element.textContent.trim() || element.title)).map(element => element.outerHTML)"""
    )
    assert nameless == []
    faces = page.evaluate(
        """async () => {
            const about = await (await fetch('/api/about')).json();
            const art = await import('/static/art.js');
            const plain = face => face.outerHTML.replace(/(fill|stroke)="[^"]*"/g, '');
            return about.numberless.cards.flatMap(card => [plain(art.cardFace(card.name)), plain(art.tile(card.name))]);
        }"""
    )
    assert len(faces) == len(set(faces)) == 98
