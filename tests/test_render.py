"""What people see of a game: text, pictures and windows, of one environment and of a batch."""

from __future__ import annotations

import copy
import logging
import os
import re
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import DependencyNotInstalled, ResetNeeded
from gymnasium.utils.env_checker import check_env

import eck_env.base.window as window_module
from eck_env import EckEnv
from eck_env.base.render import MAX_TABLES, has_color
from eck_env.eck.cards import NAMES, NUM_KINDS
from eck_env.eck.outlines import CARD_RGB, SHAPE_OUTLINES, SYMBOL_OUTLINES
from eck_env.eck.render import paint_card
from eck_env.eck.sprites import Sprites
from game_helpers import ECK, IDS, KITS, Kit, over_games, play_on

CODES = re.compile(r"\x1b\[[0-9;]*m")
SETUP = {"trick_cards": {"8": "gray", "6": "yours"}, "counter": "2"}


@pytest.fixture
def no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    window_module._announce_no_screen.cache_clear()


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Give a screen that keeps what is drawn on it in memory."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    import pygame

    yield pygame
    pygame.display.quit()


# --- Text ------------------------------------------------------------------------------------------------------------


def test_colors_say_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    env = EckEnv(render_mode="ansi")
    env.reset(seed=4, options=SETUP)
    for _ in range(30):
        monkeypatch.setenv("NO_COLOR", "1")
        plain = env.render()
        monkeypatch.delenv("NO_COLOR")
        monkeypatch.setenv("FORCE_COLOR", "1")
        colored = env.render()
        monkeypatch.delenv("FORCE_COLOR")
        assert "\x1b" not in plain
        assert colored != plain
        assert CODES.sub("", colored) == plain
        if play_on(env, Random(1), 1)[0][2]:
            break


def test_where_colors_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    assert has_color(Terminal())
    assert not has_color(object())
    monkeypatch.setenv("TERM", "dumb")
    assert not has_color(Terminal())
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert has_color(object())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not has_color(Terminal())


def test_each_card_color_is_another_one() -> None:
    codes = {paint_card(name).removesuffix("\x1b[0m").removesuffix(name) for name in NAMES}
    assert len(codes) == 8


# --- Pictures --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("env_id", IDS)
def test_picture(env_id: str) -> None:
    env = gym.make(env_id, render_mode="rgb_array")
    env.reset(seed=1)
    picture = env.render()
    assert isinstance(picture, np.ndarray)
    assert picture.shape == (480, 640, 3)
    assert picture.dtype == np.uint8
    assert picture.flags.writeable
    picture[:] = 0
    again = env.render()
    assert isinstance(again, np.ndarray)
    assert len(np.unique(again.reshape(-1, 3), axis=0)) > 50
    env.close()


@pytest.mark.parametrize("size", [(640, 480), (16, 16), (37, 91), (1000, 300), (300, 1000), (1920, 1080), [320, 240]])
@over_games
def test_any_size(kit: Kit, size: Any) -> None:
    env = kit.env(render_mode="rgb_array", render_size=size)
    env.reset(seed=2, options=SETUP if kit is ECK else None)
    for _ in range(5):
        assert env.render().shape == (size[1], size[0], 3)
        play_on(env, Random(2), 1)


@pytest.mark.parametrize(
    ("size", "said"),
    [((640,), "width and height"), ((0, 480), "0"), ((640, 480.0), "480.0"), ((9000, 10), "8192"), (640, "list"),
     ("big", "'big'"), (None, "None"), ((True, 480), "True")],
)  # fmt: skip
def test_sizes_that_are_refused(size: Any, said: str) -> None:
    for make in (make for kit in KITS for make in (kit.env, kit.vector_env)):
        with pytest.raises(ValueError, match="render_size") as caught:
            make(render_mode="rgb_array", render_size=size)
        assert said in str(caught.value)


@over_games
def test_pictures_show_what_is_known_and_nothing_hidden(kit: Kit) -> None:
    env = kit.env(render_mode="rgb_array")
    env.reset(seed=6, options=SETUP if kit is ECK else None)
    generator, seen = Random(6), set()
    for _ in range(60):
        picture = env.render()
        assert (picture == env.copy().render()).all()
        seen.add(picture.tobytes())
        shuffled = env.copy()
        shuffled.determinize(np.random.default_rng(1))
        assert (shuffled.render() == picture).all()
        if play_on(env, generator, 1)[0][2]:
            seen.add(env.render().tobytes())
            env.reset()
    assert len(seen) > 55


def test_trick_cards_counter_and_tied_tricks_are_seen() -> None:
    env = EckEnv(render_mode="rgb_array")
    pictures = []
    for statuses in ({}, {"8": "gray"}, {"8": "yours"}):
        for counter in ("0", "1", "2"):
            env.reset(seed=3, options={"trick_cards": statuses, "counter": counter})
            pictures.append(env.render().tobytes())
    state = env.state_dict()
    assert len(set(pictures)) == 9
    lost = {**state, "trick_cards": {**state["trick_cards"], "8": "eck"}}
    assert env.render().tobytes() != lost


def test_each_card_is_another_picture() -> None:
    sprites = Sprites(1.0)
    import pygame

    for draw in (sprites.card, sprites.tile):
        pictures = {pygame.image.tobytes(draw(kind), "RGBA") for kind in range(NUM_KINDS)}
        assert len(pictures) == NUM_KINDS
    statuses = {
        pygame.image.tobytes(sprites.trick_card("8", name), "RGBA") for name in ("colored", "gray", "yours", "eck")
    }
    assert len(statuses) == 4
    assert sprites.card(3) is sprites.card(3)


def test_cards_differ_without_their_colors() -> None:
    """The symbols alone tell the colors apart, and the outlines the shapes."""
    sprites = Sprites(2.0)
    import pygame

    def gray(kind: int) -> bytes:
        dark: np.ndarray[Any, Any] = pygame.surfarray.array3d(sprites.card(kind)).mean(axis=2) < 128
        return dark.tobytes()

    assert len({gray(kind) for kind in range(NUM_KINDS)}) == NUM_KINDS
    assert len(set(SYMBOL_OUTLINES.values())) == len(SYMBOL_OUTLINES) == len(CARD_RGB) == 6
    assert len(set(SHAPE_OUTLINES.values())) == 7
    for outline in (*SYMBOL_OUTLINES.values(), *SHAPE_OUTLINES.values()):
        assert all(abs(number) <= 1.1 for polygon in outline for point in polygon for number in point)


def test_pictures_go_on_after_pygame_was_quit() -> None:
    """As Gymnasium's own `play` does when it ends."""
    import pygame

    env = EckEnv(render_mode="rgb_array", render_size=(333, 250))
    env.reset(seed=1, options=SETUP)
    before = env.render()
    pygame.quit()
    pygame.init()
    assert np.array_equal(np.asarray(env.render()), np.asarray(before))
    env.reset(seed=1, options={"trick_cards": {"2": "gray", "4": "yours"}, "counter": "1"})
    assert np.asarray(env.render()).shape == (250, 333, 3)
    pygame.quit()


def test_rate() -> None:
    """At least a hundred pictures of 640 x 480 a second."""
    env = EckEnv(render_mode="rgb_array")
    env.reset(seed=1)
    env.render()
    start = time.process_time()
    for _ in range(100):
        env.render()
        if play_on(env, Random(1), 1)[0][2]:
            env.reset()
    assert time.process_time() - start < 1


def test_pygame_is_imported_for_pictures_alone() -> None:
    program = (
        "import sys, gymnasium as gym, eck_env; env = gym.make('Eck-v0', render_mode='ansi'); env.reset(seed=1); "
        "env.render(); assert 'pygame' not in sys.modules; env = gym.make('Eck-v0', render_mode='rgb_array'); "
        "env.reset(seed=1); assert 'pygame' not in sys.modules; env.render(); assert 'pygame' in sys.modules; "
        "assert not sys.modules['pygame'].display.get_init()"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, ""), ran.stderr


@pytest.mark.parametrize("mode", ["rgb_array", "human"])
def test_without_pygame(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from eck_env.eck.drawing import get_painter

    get_painter.cache_clear()
    monkeypatch.setitem(sys.modules, "pygame", None)
    env = EckEnv(render_mode=mode, render_size=(123, 45))

    def show() -> None:
        env.reset(seed=1)
        env.render()

    with pytest.raises(DependencyNotInstalled, match=r"pip install \"eck-env\[render\]\""):
        show()


@over_games
def test_before_the_first_reset(kit: Kit) -> None:
    for mode in ("ansi", "rgb_array", "human"):
        with pytest.raises(ResetNeeded):
            kit.env(render_mode=mode).render()
        with pytest.raises(ResetNeeded):
            kit.vector_env(2, render_mode=mode).render()


@over_games
def test_without_a_mode(kit: Kit) -> None:
    for env in (kit.env(), kit.vector_env(2)):
        env.reset(seed=1)
        with pytest.warns(UserWarning, match="rgb_array"):
            assert env.render() is None


# --- Windows ---------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("no_screen")
def test_no_window_without_a_screen(caplog: pytest.LogCaptureFixture) -> None:
    """Programs run on all the same; one line of the log says that nothing is shown."""
    if sys.platform != "linux":
        pytest.skip("other systems have a screen without these variables")
    with caplog.at_level(logging.WARNING, "eck_env"):
        for _ in range(2):
            env = EckEnv(render_mode="human")
            env.reset(seed=1)
            play_on(env, Random(1), 3)
            assert env.render() is None
            env.close()
    assert [record.getMessage() for record in caplog.records if "no window" in record.getMessage()] != []
    assert len(caplog.records) == 1


def test_a_screen_that_cannot_be_used(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    window_module._announce_no_screen.cache_clear()
    monkeypatch.setenv("SDL_VIDEODRIVER", "no such driver")
    env = EckEnv(render_mode="human")
    with caplog.at_level(logging.WARNING, "eck_env"):
        env.reset(seed=1)
    assert len(caplog.records) == 1


@over_games
def test_window_follows_the_game(kit: Kit, screen: Any) -> None:
    env = kit.env(render_mode="human", render_size=(320, 240))
    env.metadata = {**env.metadata, "render_fps": 1000}
    env.reset(seed=3)
    twin = kit.env(render_mode="rgb_array", render_size=(320, 240))
    twin.reset(seed=3)
    for _ in range(5):
        shown = screen.surfarray.array3d(screen.display.get_surface()).swapaxes(0, 1)
        assert (shown == twin.render()).all()
        for game in (env, twin):
            play_on(game, Random(1), 1)
    screen.event.post(screen.event.Event(screen.QUIT))
    play_on(env, Random(1), 2)
    assert not screen.display.get_init()
    env.close()
    env.close()
    env.reset(seed=3)
    assert screen.display.get_init()
    env.close()
    assert not screen.display.get_init()


@over_games
def test_copies_of_a_game_in_a_window_show_nothing(kit: Kit, screen: Any) -> None:
    env = kit.env(render_mode="human", render_size=(64, 48))
    env.metadata = {**env.metadata, "render_fps": 1000}
    env.reset(seed=3)
    before = screen.surfarray.array3d(screen.display.get_surface())
    for twin in (env.copy(), copy.deepcopy(env)):
        play_on(twin, Random(1), 4)
        assert (screen.surfarray.array3d(screen.display.get_surface()) == before).all()
    env.close()


@over_games
@pytest.mark.parametrize("count", [1, 2, 5, 30])
def test_window_of_a_batch(kit: Kit, screen: Any, count: int) -> None:
    env = kit.vector_env(count, render_mode="human", render_size=(400, 300))
    env.metadata = {**env.metadata, "render_fps": 1000}
    env.reset(seed=3)
    before = screen.surfarray.array3d(screen.display.get_surface()).tobytes()
    env.step(env.action_masks().argmax(axis=1))
    assert screen.surfarray.array3d(screen.display.get_surface()).tobytes() != before
    assert env.render() is None
    env.close()
    assert not screen.display.get_init()
    assert MAX_TABLES < 30


@over_games
def test_pictures_of_a_batch(kit: Kit) -> None:
    env = kit.vector_env(3, render_mode="rgb_array", render_size=(160, 120))
    env.reset(seed=3)
    actions = env.action_masks().argmax(axis=1)
    env.step(actions)
    pictures = env.render()
    assert pictures is not None
    assert len(pictures) == 3
    for index, picture in enumerate(pictures):
        single = kit.env(render_mode="rgb_array", render_size=(160, 120))
        single.reset(seed=3 + index)
        single.step(actions[index])
        assert (picture == single.render()).all()
        assert env.copy(index).render().shape == picture.shape


# --- Gymnasium's tools -----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("no_screen")
@pytest.mark.parametrize("mode", [None, "ansi", "rgb_array", "human"])
def test_checker_tries_every_mode(mode: str | None) -> None:
    check_env(gym.make("Eck-v0", render_mode=mode).unwrapped)
    assert gym.make("Eck-v0").metadata["render_modes"] == ["ansi", "rgb_array", "human"]


@pytest.mark.filterwarnings("ignore")  # moviepy's own
@over_games
def test_record_video(kit: Kit, tmp_path: Path) -> None:
    pytest.importorskip("moviepy", reason="moviepy is not installed")
    env_id = "EckBeginner-v0" if kit is ECK else next(iter(kit.ids))
    env = gym.wrappers.RecordVideo(gym.make(env_id, render_mode="rgb_array"), str(tmp_path))
    _, info = env.reset(seed=1)
    terminated = False
    while not terminated:
        _, _, terminated, _, info = env.step(int(np.argmax(info["action_mask"])))
    env.close()  # type: ignore[no-untyped-call]
    (video,) = tmp_path.glob("*.mp4")
    assert video.stat().st_size > 1000


def test_play_by_the_keyboard(screen: Any) -> None:
    """`gymnasium.utils.play` steps many times a second; cards are played once for each press of their keys."""
    from eck_env.eck.keyboard import KeyboardPlay

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # no backend of matplotlib for a window
        from gymnasium.utils.play import play
    env = KeyboardPlay(gym.make("EckBeginner-v0", render_mode="rgb_array", render_size=(160, 120)))
    legal: list[int] = []
    steps, games = 0, []

    def press(down: bool, key: str) -> None:
        screen.event.post(screen.event.Event(screen.KEYDOWN if down else screen.KEYUP, key=ord(key)))

    def callback(
        before: Any, after: Any, action: int, reward: float, terminated: bool, truncated: bool, info: Any
    ) -> None:
        nonlocal steps
        steps += 1
        hand = env.unwrapped.state_dict()["hand"]  # type: ignore[attr-defined]
        if steps % 6 == 0:
            legal[:] = np.flatnonzero(info["action_mask"]).tolist()
            for key in NAMES[legal[0]].lower():
                press(True, key)
            if steps % 60 == 0:
                press(True, "z")
        elif steps % 6 == 3 and legal:
            for key in NAMES[legal[0]].lower():
                press(False, key)
        if terminated:
            games.append(reward)
        assert "illegal_action" not in info
        if len(games) == 2 or steps > 5000:
            screen.event.post(screen.event.Event(screen.QUIT))
        assert len(hand) <= 13

    play(env, fps=10_000, seed=5, callback=callback)
    assert len(games) == 2
    assert all(abs(reward) == 1 for reward in games)


def test_keys_that_do_nothing() -> None:
    from eck_env.eck.keyboard import NOTHING, KeyboardPlay

    env = KeyboardPlay(gym.make("Eck-v0", render_mode="rgb_array"))
    with pytest.raises(ResetNeeded):
        env.step(1)
    _, info = env.reset(seed=1)
    mask = info["action_mask"]
    illegal = int(np.flatnonzero(mask == 0)[0])
    legal = int(np.flatnonzero(mask)[0])
    hand = len(env.unwrapped.state_dict()["hand"])  # type: ignore[attr-defined]
    for action in (NOTHING, illegal + 1, NOTHING):
        _, reward, terminated, _, info = env.step(action)
        assert (reward, terminated, len(env.unwrapped.state_dict()["hand"])) == (0, False, hand)  # type: ignore[attr-defined]
    for _ in range(3):
        env.step(legal + 1)
        assert len(env.unwrapped.state_dict()["hand"]) == hand - 1  # type: ignore[attr-defined]
    assert set(env.get_keys_to_action()) == {tuple(name.lower()) for name in NAMES}


def test_the_environment_of_the_tests_has_no_window() -> None:
    assert not os.environ.get("SDL_VIDEODRIVER")
