"""The page in headless Chromium: whole games with the mouse and by the keyboard, coach, watching, replays, two widths.

Every page that a test opens fails it by an error on its console, or a request to anywhere but the server.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import browser_helpers
from browser_helpers import (  # noqa: F401  (fixtures)
    LEGAL,
    TABLE,
    WIDTHS,
    begin,
    chromium,
    code_of_game,
    mark,
    open_page,
    page,
    port,
    wait_for_turn,
)
from eck_env.eck.cards import card_description, card_kind, card_names
from eck_env.eck.replay import Replay
from eck_env.eck.replay_forms import read_replay, replay_to_code, save_replay
from eck_env.eck.variant import Variant
from play_helpers import POLICY, serving

pytest.importorskip("playwright.sync_api", reason="Playwright is not installed (the extra browser)")
pytestmark = browser_helpers.MARKS


def deal(seed: int = 3, target: int = 1) -> str:
    return replay_to_code(Replay(Variant(target), seed))


def cards_left(page: Any) -> int:
    return int(page.locator("#hand button").count())


# --- Playing ---------------------------------------------------------------------------------------------------------


def test_a_whole_game_with_the_mouse(page: Any) -> None:
    begin(page, deal(5))
    assert page.locator("#variant").inner_text() == "target 1, trick cards 2 4 6 8 10 12 13/0, circle_follow any"
    state = "play"
    while state != "end":
        before = mark(page)
        if state == "next":
            page.click("#end-controls button")
            page.wait_for_selector("#end-dialog", state="hidden")
        else:
            page.locator(LEGAL).first.click()
        state = "play" if state == "next" else wait_for_turn(page, before)
    assert page.locator("#end-title").inner_text() in ("You win!", "You lose")
    page.click("#end-controls button:has-text('Close')")
    replay = read_replay(code_of_game(page)).check()
    assert replay.seed == 5
    assert replay.outcome is not None
    page.click("#open-statistics")
    assert page.locator("#statistics td").first.inner_text() == "1"
    page.keyboard.press("Escape")


def test_a_whole_game_by_the_keyboard(page: Any) -> None:
    """Nothing but keys, from the dialog of a new game to its end."""
    page.select_option("#speed", "0")
    page.keyboard.press("n")
    page.wait_for_selector("#new-dialog[open]")
    page.focus("#deal")
    page.keyboard.type(deal(6))
    page.keyboard.press("Enter")
    page.wait_for_selector("#new-dialog", state="hidden")
    page.wait_for_function("() => document.querySelector('#hand-title').textContent.includes('13')")
    state = "play"
    while state != "end":
        before = mark(page)
        if state == "next":
            page.keyboard.press("Enter")
            page.wait_for_selector("#end-dialog", state="hidden")
            state = "play"
            continue
        if not page.evaluate("document.activeElement.matches('#hand button:not([aria-disabled])')"):
            for _ in range(cards_left(page) + 1):
                page.keyboard.press("ArrowRight")
                if page.evaluate("document.activeElement.matches('#hand button:not([aria-disabled])')"):
                    break
        page.keyboard.press("Enter")
        state = wait_for_turn(page, before)
    assert page.locator("#end-title").inner_text() in ("You win!", "You lose")
    page.keyboard.press("Escape")


def test_cards_by_their_notation(page: Any) -> None:
    begin(page, deal(7))
    for card in page.locator("#hand button").evaluate_all("buttons => buttons.map(button => button.dataset.card)"):
        page.keyboard.type(card.lower())
        assert page.evaluate("document.activeElement.dataset.card") == card
    held = page.locator("#hand button").evaluate_all("buttons => buttons.map(button => button.dataset.card)")
    absent = next(name for name in ("R2", "R3", "R4", "O2", "B8") if name not in held)
    page.keyboard.type(absent.lower())
    assert page.locator("#why").inner_text() == f"You do not hold the {card_description(card_kind(absent))}."


def test_illegal_cards_say_why(page: Any, port: int) -> None:
    for seed in range(20, 40):
        begin(page, deal(seed))
        illegal = page.locator("#hand button.illegal")
        if illegal.count():
            break
    card = illegal.first
    assert card.get_attribute("aria-disabled") == "true"
    assert ", not playable: ECK led " in card.get_attribute("aria-label")
    card.click(force=True)
    assert re.fullmatch(r".+ cannot be played: ECK led .+, and you hold .+ cards\.", page.locator("#why").inner_text())
    assert cards_left(page) == 13
    page.keyboard.press("Enter")
    assert cards_left(page) == 13


def test_search_is_shown_card_by_card(page: Any) -> None:
    """Where ECK turns cards over, the hold area fills one by one; a click skips the rest."""
    for seed in range(60):
        replay = Replay(Variant(1), seed)
        env, _, info = replay.start()
        plays = []
        for _ in range(6):
            action = int(info["action_mask"].argmax())
            _, _, _, _, info = env.step(action)
            plays.append(action)
            if len(info["trick"]["turned_over"]) >= 3:
                break
        else:
            continue
        break
    begin(page, replay_to_code(replay))
    for number in range(len(plays)):
        page.wait_for_selector(f"#hand button:nth-child({13 - number}):last-child")
        if number == len(plays) - 1:
            page.select_option("#speed", "0.35")
            page.evaluate(
                """() => { window.seen = [];
                    const held = document.querySelector('#held');
                    new MutationObserver(() => window.seen.push(held.querySelectorAll('svg').length))
                        .observe(held, { childList: true }); }"""
            )
        page.locator(LEGAL).first.click()
    turned = len(info["trick"]["turned_over"])
    page.wait_for_function("() => document.querySelector('#last').textContent.includes('turned over')")
    seen = [count for place, count in enumerate(page.evaluate("window.seen")) if not place or count]
    assert [count for count in seen if count][:turned] == list(range(1, turned + 1))


def test_same_deal_again_and_reloading(page: Any) -> None:
    begin(page, deal(8, 4))
    hand = page.locator("#hand").inner_html()
    page.locator(LEGAL).first.click()
    page.wait_for_selector("#hand button:nth-child(12):last-child")
    page.reload()
    page.wait_for_selector("#hand button:nth-child(12):last-child")
    page.click("#same-deal")
    page.wait_for_selector("#hand button:nth-child(13)")
    strip = re.compile(r' tabindex="-?\d"')
    assert strip.sub("", page.locator("#hand").inner_html()) == strip.sub("", hand)


def test_a_page_left_during_the_last_trick(chromium: Any, port: int) -> None:
    """Whoever reloads before the end is said finds it said then, and the game counted, once."""
    page, errors = open_page(chromium, port, "desktop")
    begin(page, deal(5))
    state = "play"
    while True:
        before = mark(page)
        if state == "next":
            page.click("#end-controls button")
            state = "play"
            continue
        if cards_left(page) == 1:
            page.select_option("#speed", "2.5")
            page.locator(LEGAL).click()
            page.wait_for_function("() => / take/.test(document.querySelector('#message').textContent)")
            page.reload()
            page.wait_for_selector(TABLE)
            page.select_option("#speed", "0")
            page.wait_for_timeout(300)
            if page.locator("#end-dialog[open]").count():
                break
            continue
        page.locator(LEGAL).first.click()
        state = wait_for_turn(page, before)
    assert page.locator("#end-title").inner_text() in ("You win!", "You lose")
    for _ in range(2):
        page.reload()
        page.wait_for_selector("#hand-title")
        page.wait_for_function("() => document.querySelector('#last').textContent !== ''")
        assert not page.locator("#end-dialog[open]").count()
        page.click("#open-statistics")
        assert page.locator("#statistics td").first.inner_text() == "1"
    assert errors == []
    page.context.close()


def test_what_a_browser_kept_may_be_broken(chromium: Any, port: int) -> None:
    page, errors = open_page(chromium, port, "desktop")
    page.evaluate(
        """() => {
            localStorage.setItem('eck.games', '[1, {"variant": "x"}, {"variant": "y", "rounds": 2, "won": true}]');
            localStorage.setItem('eck.last', '5');
            localStorage.setItem('eck.speed', 'fast');
            sessionStorage.setItem('eck.game', '"x"');
        }"""
    )
    page.reload()
    page.wait_for_selector("#hand button")
    assert page.input_value("#speed") == "1"
    page.click("#open-statistics")
    assert page.locator("#statistics tbody").inner_text().split() == ["y", "1", "1", "100", "%", "1", "2.0"]
    assert errors == []
    page.context.close()


def test_rules_of_ones_own(page: Any) -> None:
    page.click("#new-game")
    page.check("input[value=own]")
    page.fill("#target", "5")
    for name in ("2", "4", "6"):
        page.uncheck(f"#laid input[value='{name}']")
    page.click("#new-form button[type=submit]")
    page.wait_for_function("() => document.querySelector('#new-error').textContent !== ''")
    assert "only 4 trick card(s) are laid out" in page.locator("#new-error").inner_text()
    page.fill("#target", "2")
    page.check("#same-circle")
    page.click("#new-form button[type=submit]")
    page.wait_for_selector("#new-dialog", state="hidden")
    assert page.locator("#variant").inner_text() == "target 2, trick cards 8 10 12 13/0, circle_follow same"
    assert page.locator("#trick-cards li").count() == 4


# --- Coach, watching, replays ----------------------------------------------------------------------------------------


def test_coach(page: Any) -> None:
    begin(page, deal(9, 4))
    assert not page.is_checked("#coach-on")
    assert page.locator(".badge").count() == 0
    page.check("#coach-on")
    page.wait_for_selector("#advice:not([hidden])")
    assert page.locator("#agent").input_value() == POLICY.name
    assert page.locator(".badge").count() == page.locator(LEGAL).count()
    assert page.locator("#advice tbody tr.advised").count() == 1
    assert re.search("advises|only card", page.locator("#advice-words").inner_text())
    page.select_option("#seconds", "0.1")
    page.select_option("#agent", "mc:8")
    page.wait_for_function("() => document.querySelector('#advice-words').textContent.startsWith('mc:8')")
    page.locator(LEGAL).first.click()
    page.wait_for_selector("#hand button:nth-child(12):last-child")
    page.wait_for_selector("#advice:not([hidden])")
    page.uncheck("#coach-on")
    page.wait_for_selector("#advice", state="hidden")
    assert page.locator(".badge").count() == 0


def test_watching(page: Any) -> None:
    begin(page, deal(10, 1))
    page.select_option("#agent", "heuristic")
    page.click("#watch-step")
    page.wait_for_selector("#hand button:nth-child(12):last-child")
    assert page.locator("#advice-words").inner_text().startswith("heuristic")
    page.wait_for_selector(LEGAL)
    page.click("#watch-play")
    page.wait_for_selector("#end-dialog[open]")
    assert page.locator("#end-title").inner_text() in ("You win!", "You lose")
    page.keyboard.press("Escape")
    page.click("#open-statistics")
    assert "No game" in page.locator("#statistics").inner_text()
    page.keyboard.press("Escape")


def test_watching_can_be_stopped(page: Any) -> None:
    begin(page, deal(11, 4))
    page.select_option("#speed", "1")
    page.click("#watch-play")
    page.wait_for_selector("#watch-play[aria-pressed=true]")
    page.click("#watch-play")
    page.wait_for_selector("#watch-play[aria-pressed=false]")
    page.wait_for_selector(LEGAL)
    page.select_option("#speed", "0")
    left = cards_left(page)
    page.locator(LEGAL).first.click()
    page.wait_for_function(f"() => document.querySelectorAll('#hand button').length < {left}")


def finished_game(seed: int) -> Replay:
    replay = Replay(Variant(1), seed)
    env, _, info = replay.start()
    cards = []
    while "outcome" not in info:
        action = int(info["action_mask"].argmax())
        _, _, _, _, info = env.step(action)
        cards.append(action)
    return Replay(Variant(1), seed, 0, tuple(card_names(cards)), {}, info["outcome"])


def test_a_replay_is_loaded_and_rated(page: Any, tmp_path: Path) -> None:
    replay = finished_game(12)
    save_replay(tmp_path / "game.json", replay)
    page.select_option("#speed", "0")
    page.click("#open-replay")
    page.set_input_files("#replay-file", str(tmp_path / "game.json"))
    page.click("#replay-form button[type=submit]")
    page.wait_for_selector("#replay-panel:not([hidden])")
    count = len(replay.cards)
    assert f"{count} cards" in page.locator("#replay-about").inner_text()
    page.wait_for_function("() => document.querySelector('#message').textContent.startsWith('Card 1: ')")
    assert page.locator("#hand button.marked").get_attribute("data-card") == replay.cards[0]
    page.click("#replay-forward")
    page.wait_for_function("() => document.querySelector('#message').textContent.startsWith('Card 2: ')")
    page.click("#replay-last")
    page.wait_for_function("() => /You (win|lose) the game/.test(document.querySelector('#message').textContent)")
    page.click("#replay-first")
    page.wait_for_function("() => document.querySelector('#message').textContent.startsWith('Card 1: ')")
    page.select_option("#agent", POLICY.name)
    page.click("#rate")
    page.wait_for_function("() => /decisions as/.test(document.querySelector('#rating-summary').textContent)")
    assert page.locator("#rating button").count() > 0
    page.locator("#rating button").last.click()
    page.click("#replay-play")
    page.wait_for_function("() => /You (win|lose) the game/.test(document.querySelector('#message').textContent)")
    with page.expect_download() as caught:
        page.click("#save-replay")
    assert caught.value.suggested_filename == "eck-replay.json"
    saved = json.loads(Path(caught.value.path()).read_text())
    assert saved["cards"] == list(replay.cards)
    page.click("#replay-close")
    page.wait_for_selector("#replay-panel", state="hidden")
    page.wait_for_selector(LEGAL)


def test_a_broken_replay_is_refused(page: Any, tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    data = {"replay": 1, "variant": {"target": 1}, "seed": 12, "cards": ["K", "K", "K", "K"]}
    broken.write_text(json.dumps(data))
    large = tmp_path / "large.json"
    large.write_text("x" * 100_000)
    code = replay_to_code(finished_game(12))
    for file, text, said in (
        (broken, "", "does not fit the rules"),
        (large, "", "too large"),
        (None, code[:-3], "not copied right"),
        (None, "", "there is no replay"),
        (None, "<img src=x onerror=alert(1)>", "starts with ECK-, GONGOR- or NUMBERLESS-"),
    ):
        page.click("#open-replay")
        if file:
            page.set_input_files("#replay-file", str(file))
        page.fill("#replay-text", text)
        page.click("#replay-form button[type=submit]")
        page.wait_for_function("said => document.querySelector('#replay-error').textContent.includes(said)", arg=said)
        page.keyboard.press("Escape")
    assert page.locator("#replay-panel").is_hidden()


# --- For everybody ---------------------------------------------------------------------------------------------------


def test_two_people_play_at_once(chromium: Any, port: int) -> None:
    pages = [open_page(chromium, port, width) for width in WIDTHS]
    for place, (page, _) in enumerate(pages):
        begin(page, deal(40 + place, 4))
    for _ in range(5):
        for page, _ in pages:
            before = mark(page)
            page.locator(LEGAL).first.click()
            assert wait_for_turn(page, before) == "play"
    for place, (page, errors) in enumerate(pages):
        replay = read_replay(code_of_game(page)).check()
        assert (replay.seed, len(replay.cards)) == (40 + place, 5)
        assert errors == []
        page.context.close()


@pytest.mark.parametrize("width", [1280, 640, 390, 320])
def test_nothing_is_wider_than_the_screen(chromium: Any, port: int, width: int) -> None:
    page, errors = open_page(chromium, port, "desktop")
    page.set_viewport_size({"width": width, "height": 700})
    begin(page, deal(13, 4))
    page.check("#coach-on")
    page.wait_for_selector("#advice:not([hidden])")
    page.click("#memory-panel summary")
    for dialog in (None, "#new-game", "#open-replay", "#open-statistics", "#open-help"):
        if dialog:
            page.click(dialog)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert (
            page.evaluate(
                """() => [...document.querySelectorAll('body *:not(.unseen, .skip)')].filter(
                part => !part.closest('.scroll, .skip, svg') && part.getBoundingClientRect().right > innerWidth + 1
            ).map(part => part.outerHTML.slice(0, 200))"""
            )
            == []
        )
        if dialog:
            page.keyboard.press("Escape")
    assert errors == []
    page.context.close()


def test_for_screen_readers(page: Any) -> None:
    """Everything that can be used has a name, pictures too, and what happens is said in regions that are read out."""
    begin(page, deal(14, 4))
    nameless = page.evaluate(
        """() => [...document.querySelectorAll('button, input, select, textarea, dialog, [role=img], [role=group]')]
            .filter(element => !(element.ariaLabel || element.getAttribute('aria-labelledby') || element.labels?.length
                || element.textContent.trim() || element.title)).map(element => element.outerHTML)"""
    )
    assert nameless == []
    for live in ("message", "last", "why", "advice-words", "rating-summary"):
        assert page.locator(f"#{live}").get_attribute("aria-live") == "polite"
    assert page.locator("#hand button[tabindex='0']").count() == 1
    label = page.locator(LEGAL).first.get_attribute("aria-label")
    assert re.fullmatch(r"(red|orange|yellow|green|blue|purple|black|white) \w+", label)
    before = mark(page)
    page.locator(LEGAL).first.click()
    wait_for_turn(page, before)
    assert re.match(r"Last trick: (ECK|You) led .+ trick.*\.$", page.locator("#last").inner_text())


def test_colors_are_told_apart_without_them(page: Any) -> None:
    """Each color has a symbol of its own on its cards, and each shape its number of corners."""
    shapes = page.evaluate(
        """async () => {
            const about = await (await fetch('/api/about')).json();
            const art = await import('/static/art.js');
            return about.cards.map(card => art.cardFace(card.name).outerHTML.replace(/(fill|stroke)="[^"]*"/g, ''));
        }"""
    )
    colored = shapes[:36]
    assert len(set(colored)) == 36


def test_reduced_motion(chromium: Any, port: int) -> None:
    page, errors = open_page(chromium, port, "desktop", reduced_motion="reduce")
    assert page.input_value("#speed") == "0"
    assert errors == []
    page.context.close()


def test_when_the_server_is_gone(chromium: Any) -> None:
    with serving() as port:
        page, _ = open_page(chromium, port, "desktop")
        page.select_option("#speed", "0")
    page.locator(LEGAL).first.click()
    page.wait_for_selector("#trouble:not([hidden])")
    assert "does not answer" in page.locator("#trouble").inner_text()
    page.context.close()
