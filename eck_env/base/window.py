"""The window of render mode ``human``, by pygame."""

from __future__ import annotations

import functools
import logging
import math
import os
import sys
from collections.abc import Sequence
from typing import Any

from eck_env.base.render import MAX_TABLES, Tables
from eck_env.base.sprites import load_pygame

MIN_TABLE = (64, 48)

logger = logging.getLogger("eck_env")


@functools.cache
def _announce_no_screen(reason: str) -> None:
    """Say in one line of the log, once a process, that there is no screen."""
    logger.warning(
        'eck_env: no window is opened: %s; render_mode="rgb_array" gives pictures, and "ansi" text, without a screen',
        reason,
    )


class NoWindow:
    """Stands for a window where there is no screen, so that programs run there as well."""

    def show(self, games: Sequence[Any], fps: float) -> None:
        """Show nothing."""

    def close(self) -> None:
        """Do nothing."""


class Window:
    """A window that shows games; it is pygame's only one, and opened by `open_window`."""

    def __init__(self, pygame: Any, tables: Tables, size: tuple[int, int]) -> None:
        self._pygame = pygame
        self._tables = tables
        self._screen = pygame.display.set_mode(size, pygame.RESIZABLE)
        pygame.display.set_caption(tables.caption)
        self._clock = pygame.time.Clock()

    def show(self, games: Sequence[Any], fps: float) -> None:
        """Show the tables side by side, and wait until the next picture is due.

        Closing the window with its button hides it; the program that plays goes on.
        """
        if self._screen is None or not self._pygame.display.get_init():
            return
        if any(event.type == self._pygame.QUIT for event in self._pygame.event.get()):
            self.close()
            return
        shown = games[:MAX_TABLES]
        columns = math.ceil(math.sqrt(len(shown)))
        rows = math.ceil(len(shown) / columns)
        width, height = self._screen.get_size()
        size = (max(width // columns, MIN_TABLE[0]), max(height // rows, MIN_TABLE[1]))
        painter = self._tables.get_painter(*size)
        for place, game in enumerate(shown):
            self._screen.blit(painter.paint(game), (place % columns * size[0], place // columns * size[1]))
        self._pygame.display.flip()
        self._clock.tick(fps)

    def close(self) -> None:
        """Close the window."""
        self._screen = None
        self._pygame.display.quit()


def open_window(tables: Tables, size: tuple[int, int]) -> Window | NoWindow:
    """Open a window for tables of a game; without a screen nothing is opened, which one line of the log says.

    Raises:
        DependencyNotInstalled: If pygame is not there.
    """
    pygame = load_pygame()
    if sys.platform.startswith("linux") and not any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    ):
        _announce_no_screen("neither DISPLAY nor WAYLAND_DISPLAY is set")
        return NoWindow()
    try:
        pygame.display.init()
        return Window(pygame, tables, size)
    except pygame.error as error:
        _announce_no_screen(str(error))
        return NoWindow()
