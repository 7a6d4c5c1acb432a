"""Gongor Whist on the page in headless Chromium: whole games of every variant, coach, watching, replays."""

from __future__ import annotations

import re
from typing import Any

import pytest

import browser_helpers
from browser_helpers import begin, chromium, code_of_game, open_page, page, port  # noqa: F401  (fixtures)
from eck_env.gongor_whist.replay import Replay
from eck_env.gongor_whist.variant import make_variant
from eck_env.replays import read_replay, replay_to_code
from gongor_helpers import VARIANTS

pytest.importorskip("playwright.sync_api", reason="Playwright is not installed (the extra browser)")
pytestmark = browser_helpers.MARKS

CHOICE = "#choices button:not([aria-disabled])"
MOVE = f"{CHOICE}, #hand button:not([aria-disabled])"
SHORT: dict[str, Any] = {"scoring": "first_edition", "max_hands": 1}


def deal(seed: int = 3, **variant: Any) -> str:
    return replay_to_code(Replay(make_variant(**(variant or SHORT)), seed))


_SHOWN = "String(['message', 'last', 'hand', 'choices'].map(id => document.getElementById(id).innerText))"


def mark(page: Any) -> str:
    """Return what tells one moment of a game from the next."""
    shown: str = page.evaluate(_SHOWN)
    return shown


def wait_for_turn(page: Any, before: str) -> str:
    """Wait until something has happened since, and return what is to be done now: next, end or play."""
    page.wait_for_function(
        f"before => document.querySelector('#end-dialog').open"
        f" || ({_SHOWN} !== before && document.querySelector('{MOVE}'))",
        arg=before,
    )
    if page.locator("#end-dialog[open]").count():
        return "next" if page.locator("#end-title").inner_text() == "The hand is over" else "end"
    return "play"


def play_on(page: Any, moves: int = 10_000) -> str:
    """Make the first legal move, and so on, until the game ends or so many moves are made."""
    state = "play"
    while state != "end" and moves:
        if state == "next":
            page.click("#end-controls button")
            page.wait_for_selector("#end-dialog", state="hidden")
            state = "play"
            continue
        before = mark(page)
        page.locator(MOVE).first.click()
        state = wait_for_turn(page, before)
        moves -= 1
    return state


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: "-".join(variant.values()))
def test_whole_games_with_the_mouse(page: Any, variant: dict[str, Any]) -> None:
    page.select_option("#speed", "0")
    page.click("#new-game")
    names = {"shut_the_box": "GongorWhist-v0", "two_columns": "GongorWhistColumns-v0"}
    page.check(f"input[value={names.get(variant['scoring'], 'GongorWhistFirst-v0')}]")
    page.select_option("#gongor-aces", variant["aces"])
    if variant["scoring"] == "first_edition":
        page.fill("#max-hands", "2")
    else:
        assert page.locator("#max-hands").is_hidden()
    page.fill("#seed", "5")
    page.click("#new-form button[type=submit]")
    page.wait_for_selector("#new-dialog", state="hidden")
    page.wait_for_selector("#choices button")
    assert page.locator("#game-title").inner_text() == "Gongor Whist"
    assert page.locator("#choices button").all_inner_texts() == list("01234567")
    assert page.locator("#trick-cards").is_hidden()
    assert play_on(page) == "end"
    assert page.locator("#end-title").inner_text() in ("You win!", "You lose", "A draw")
    page.click("#end-controls button:has-text('Close')")
    replay = read_replay(code_of_game(page)).check()
    hands = 2 if variant["scoring"] == "first_edition" else None
    assert (replay.seed, replay.variant) == (5, make_variant(**variant, max_hands=hands))
    assert replay.outcome is not None
    page.click("#open-statistics")
    assert page.locator("#statistics td").first.inner_text() == "1"


def test_a_whole_game_by_the_keyboard(page: Any) -> None:
    begin(page, deal(6))
    page.wait_for_selector("#choices button")
    page.keyboard.press("4")
    assert page.evaluate("document.activeElement.dataset.card") == "bid 4"
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('#bid').textContent === '0 of 4'")
    for trick in range(7):
        page.wait_for_selector("#hand button:not([aria-disabled])")
        if not page.evaluate("document.activeElement.matches('#hand button:not([aria-disabled])')"):
            page.locator("#hand button:not([aria-disabled])").first.focus()
        card = page.evaluate("document.activeElement.dataset.card")
        for _ in range(3):  # there are up to three cards of a rank, through which its key goes
            page.keyboard.press("0" if card[0] == "C" else card[0])
            if page.evaluate("document.activeElement.dataset.card") == card:
                break
        page.keyboard.press("Enter")
        page.wait_for_function(
            "left => document.querySelectorAll('#hand button').length === left"
            " && (document.querySelector('#end-dialog').open || document.querySelector("
            "'#choices button:not([aria-disabled]), #hand button:not([aria-disabled])'))",
            arg=6 - trick,
        )
        if page.locator(CHOICE).count():
            page.keyboard.press("t" if trick == 0 else "k")
            assert page.evaluate("document.activeElement.dataset.card") == ("twiddle" if trick == 0 else "keep")
            page.keyboard.press("Enter")
            page.wait_for_function("() => document.querySelector('#choices').hidden")
    page.wait_for_selector("#end-dialog[open]")
    page.keyboard.press("Escape")
    actions = read_replay(code_of_game(page)).check().moves
    assert actions[0] == "bid 4"
    assert actions[2] == "twiddle"
    assert len(actions) == 15


def test_illegal_bids_and_cards_say_why(page: Any) -> None:
    begin(page, deal(1, scoring="two_columns"))
    page.wait_for_selector("#choices button")
    page.locator("#hand button").first.click(force=True)
    page.wait_for_function("() => document.querySelector('#why').textContent.includes('you have to bid first')")
    for seed in range(20):
        begin(page, deal(seed, scoring="two_columns"))
        page.locator(CHOICE).nth(3).click()
        page.wait_for_function("() => document.querySelector('#bid').textContent === '0 of 3'")
        if page.locator("#hand button.illegal").count():
            break
    page.locator("#hand button.illegal").first.click(force=True)
    assert "and you hold cards that share a suit with it" in page.locator("#why").inner_text()
    play_on(page, 14)
    page.click("#end-controls button")
    page.wait_for_selector("#choices button.illegal")
    bid = page.locator("#choices button.illegal")
    assert bid.get_attribute("aria-label") == "Bid 3: this bid has been made already"
    bid.click(force=True)
    assert "bid 3 cannot be chosen: this bid has been made already" in page.locator("#why").inner_text()
    assert page.locator("#bids .gone").inner_text().startswith("3")


def test_coach_and_watching(page: Any) -> None:
    begin(page, deal(9))
    page.wait_for_selector("#choices button")
    names = page.locator("#agent option").all_inner_texts()
    assert "heuristic" in names
    assert not any("onnx" in name for name in names)
    page.select_option("#agent", "heuristic")
    page.check("#coach-on")
    page.wait_for_function("() => /heuristic advises to bid/.test(document.querySelector('#advice-words').textContent)")
    assert page.locator("#advice tbody tr").count() == 8
    assert page.locator("#choices .badge").count() == 8
    assert page.locator("#choices button.marked").count() == 1
    page.uncheck("#coach-on")
    page.click("#watch-step")
    page.wait_for_function("() => document.querySelector('#choices').hidden")
    page.wait_for_selector(MOVE)
    page.click("#watch-play")
    page.wait_for_selector("#end-dialog[open]")
    page.keyboard.press("Escape")


def test_a_replay_is_looked_at_and_rated(page: Any) -> None:
    begin(page, deal(12))
    page.wait_for_selector("#choices button")
    assert play_on(page) == "end"
    page.click("#end-controls button:has-text('Look back')")
    page.wait_for_selector("#replay-panel:not([hidden])")
    assert re.search(r"\d+ actions, lost", page.locator("#replay-about").inner_text())
    page.wait_for_function("() => /^1: bid 0/.test(document.querySelector('#message').textContent)")
    page.click("#replay-forward")
    page.wait_for_function("() => /^Card 2: /.test(document.querySelector('#message').textContent)")
    assert page.locator("#hand button.marked").count() == 1
    page.select_option("#agent", "heuristic")
    page.click("#rate")
    page.wait_for_function("() => /decisions as/.test(document.querySelector('#rating-summary').textContent)")
    page.click("#replay-last")
    page.wait_for_function("() => /You lose the game/.test(document.querySelector('#message').textContent)")
    page.click("#replay-close")
    page.wait_for_selector("#replay-panel", state="hidden")


def test_both_games_on_one_page(page: Any) -> None:
    """From one game to the other and back: what belongs to the other is hidden, and a reload goes on."""
    begin(page, deal(3, scoring="shut_the_box"))
    page.wait_for_selector("#bids li")
    assert page.locator("#prospects").is_hidden()
    page.reload()
    page.wait_for_selector("#choices button")
    assert page.title() == "Gongor Whist"
    page.click("#new-game")
    page.check("input[value=EckBeginner-v0]")
    assert page.locator("#gongor-variant").is_hidden()
    page.click("#new-form button[type=submit]")
    page.wait_for_selector("#new-dialog", state="hidden")
    page.wait_for_selector("#hand button:nth-child(13)")
    assert page.locator("#bids").is_hidden()
    assert page.locator("#choices").is_hidden()
    assert page.locator("#prospects").is_visible()
    assert any("onnx" in name for name in page.locator("#agent option").all_inner_texts())


@pytest.mark.parametrize("width", [1280, 640, 390, 320])
def test_nothing_is_wider_than_the_screen(chromium: Any, port: int, width: int) -> None:
    page, errors = open_page(chromium, port, "desktop")
    page.set_viewport_size({"width": width, "height": 700})
    begin(page, deal(13, scoring="two_columns"))
    page.wait_for_selector("#choices button")
    for move in range(3):
        wide = page.evaluate(
            """() => [...document.querySelectorAll('body *:not(.unseen, .skip)')].filter(
            part => !part.closest('.scroll, .skip, svg') && part.getBoundingClientRect().right > innerWidth + 1
        ).map(part => part.outerHTML.slice(0, 200))"""
        )
        assert wide == []
        before = mark(page)
        if move < 2:
            page.locator(MOVE).first.click()
            assert wait_for_turn(page, before) == "play"
    assert errors == []
    page.context.close()


def test_everything_has_a_name_and_cards_differ_without_colors(page: Any) -> None:
    begin(page, deal(14))
    page.wait_for_selector("#choices button")
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
            return about.gongor.cards.flatMap(card => [plain(art.cardFace(card.name)), plain(art.tile(card.name))]);
        }"""
    )
    assert len(faces) == len(set(faces)) == 72
