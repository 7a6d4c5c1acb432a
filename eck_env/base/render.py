"""Games for people to look at: as text, as pictures, in a window; how a game's table looks is its own affair."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium as gym

from eck_env.checks import integer, listed

RENDER_MODES = ("ansi", "rgb_array", "human")
PICTURE_SIZE = (640, 480)
"""Width and height of pictures, in pixels, unless the environment is made with another `render_size`."""
MIN_SIDE, MAX_SIDE = 16, 8192
MAX_TABLES = 16
"""Of a batch, a window shows so many tables, the first ones."""


@dataclass(frozen=True)
class Tables:
    """How the tables of a game are shown.

    Attributes:
        caption: The title of the window.
        draw_text: `(record, color)`: return a table as text, with a terminal's colors or without.
        get_painter: `(width, height)`: return the painter of tables of this size (`drawing.Painter`); needs pygame.
    """

    caption: str
    draw_text: Callable[[Any, bool], str]
    get_painter: Callable[[int, int], Any]


def check_render_mode(mode: str | None) -> str | None:
    """Return the render mode if there is such a one; ValueError names those there are."""
    if mode is not None and mode not in RENDER_MODES:
        raise ValueError(f"render_mode is {mode!r}, but must be None or one of {', '.join(map(repr, RENDER_MODES))}")
    return mode


def check_render_size(size: Sequence[int]) -> tuple[int, int]:
    """Return width and height of pictures; ValueError says what is allowed if they are not."""
    sides = listed(size, "render_size", "(640, 480)")
    if len(sides) != 2:
        raise ValueError(f"render_size is {size!r}, but must be width and height in pixels, such as (640, 480)")
    width, height = (integer(side, MIN_SIDE, MAX_SIDE, "a side of render_size") for side in sides)
    return width, height


class Renderer:
    """Shows games in one render mode; a window is opened when there is something to show in it.

    Args:
        tables: How games are shown.
        mode: One of `RENDER_MODES`, or None, which shows nothing, with a warning.
        size: Width and height of a picture in pixels.
    """

    def __init__(self, tables: Tables, mode: str | None, size: tuple[int, int] = PICTURE_SIZE) -> None:
        self.tables = tables
        self.mode = mode
        self.size = size
        self._window: Any = None

    @property
    def follows(self) -> bool:
        """Whether a window is to follow the game without being asked: once it has been opened."""
        return self._window is not None

    def show(self, games: Sequence[Any], fps: float) -> list[Any]:
        """Return what the mode shows of each game; nothing where that is a window.

        Args:
            games: Records of games.
            fps: The most pictures a second that the window shows.

        Raises:
            DependencyNotInstalled: If a picture is asked for and pygame is not there.
        """
        if self.mode == "ansi":
            color = has_color()
            return [self.tables.draw_text(game, color) for game in games]
        if self.mode == "rgb_array":
            from eck_env.base.drawing import draw_picture

            return [draw_picture(self.tables, game, self.size) for game in games]
        if self.mode == "human":
            from eck_env.base.window import open_window

            self._window = self._window or open_window(self.tables, self.size)
            self._window.show(games, fps)
            return []
        modes = ", ".join(map(repr, RENDER_MODES))
        gym.logger.warn(f"render() does nothing without a render mode: make the environment with one of {modes}")
        return []

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def __deepcopy__(self, memo: dict[int, Any]) -> Renderer:
        """Return a renderer without the window: copies of a game, such as a search makes, open none unasked."""
        return Renderer(self.tables, self.mode, self.size)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_window": None}


def has_color(stream: Any = None) -> bool:
    """Say whether a stream, standard output by default, is a terminal with colors.

    The environment variables ``NO_COLOR`` and ``FORCE_COLOR`` decide where they are set to something.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    stream = sys.stdout if stream is None else stream
    is_terminal = getattr(stream, "isatty", lambda: False)()
    return bool(is_terminal) and os.environ.get("TERM", "") not in ("", "dumb")


def paint(text: str, code: str, color: bool = True) -> str:
    """Return a text in a terminal's color; without `color`, as it is."""
    return f"\x1b[{code}m{text}\x1b[0m" if color else text
