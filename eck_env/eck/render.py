"""The table of ECK for people to look at: as text, as a picture, in a window."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

import gymnasium as gym

from eck_env.checks import integer, listed
from eck_env.eck.cards import BLACK, COLORS, NAMES, NUM_SHAPES, bag_list, card_kinds
from eck_env.eck.rules import COUNTERS, NO_CARD, PLAYING
from eck_env.eck.state import OUTCOMES, SIDES, reason_names, trick_card_statuses

RENDER_MODES = ("ansi", "rgb_array", "human")
PICTURE_SIZE = (640, 480)
"""Width and height of pictures, in pixels, unless the environment is made with another `render_size`."""
MIN_SIDE, MAX_SIDE = 16, 8192
MAX_TABLES = 16
"""Of a batch, a window shows so many tables, the first ones."""

_MARKS = {"colored": "{}", "gray": "({})", "yours": "[{}]", "eck": "x{}x"}
_NAMES = {"you": "you", "eck": "ECK", "tied": "nobody, tied"}
# Colors of terminals with 256 of them. Each text says the same without.
_CARD_CODES = dict(zip(COLORS, ("38;5;203", "38;5;215", "38;5;227", "38;5;77", "38;5;75", "38;5;177"), strict=True))
_CIRCLE_CODES = ("48;5;16;38;5;255", "48;5;255;38;5;16")
_STATUS_CODES = {"colored": "38;5;44", "gray": "38;5;245", "yours": "1;38;5;220", "eck": "38;5;160"}


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
        mode: One of `RENDER_MODES`, or None, which shows nothing, with a warning.
        size: Width and height of a picture in pixels.
    """

    def __init__(self, mode: str | None, size: tuple[int, int] = PICTURE_SIZE) -> None:
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
            games: Records of games (`state.GAME`).
            fps: The most pictures a second that the window shows.

        Raises:
            DependencyNotInstalled: If a picture is asked for and pygame is not there.
        """
        if self.mode == "ansi":
            color = has_color()
            return [draw_text(game, color) for game in games]
        if self.mode == "rgb_array":
            from eck_env.eck.drawing import draw_picture

            return [draw_picture(game, self.size) for game in games]
        if self.mode == "human":
            from eck_env.eck.window import open_window

            self._window = self._window or open_window(self.size)
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
        return Renderer(self.mode, self.size)

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


def paint_card(name: str, color: bool = True) -> str:
    """Return a card's notation in its color."""
    kind = card_kinds([name])[0]
    code = _CIRCLE_CODES[kind - BLACK] if kind >= BLACK else _CARD_CODES[COLORS[kind // NUM_SHAPES]]
    return paint(name, code, color)


def draw_text(game: Any, color: bool = False) -> str:
    """Return the table as text, a line for each area of it.

    Args:
        game: The record of the game (`state.GAME`).
        color: Paint cards and trick cards with a terminal's colors; they read the same without.
    """
    statuses = trick_card_statuses(int(game.laid), int(game.gray), int(game.yours), int(game.ecks))
    marks = (paint(_MARKS[status].format(name), _STATUS_CODES[status], color) for name, status in statuses.items())
    face_up = _cards(bag_list(int(game.face_up)), color)
    lines = [
        f"trick cards  {'  '.join(marks)}    target {game.target}   (gray) [yours] xECK'sx",
        f"counter      {COUNTERS[game.counter]}",
        f"round {game.round_number + 1:<6} you {game.won}, ECK {game.lost}, tied {game.tied}",
        f"ECK's deck   {game.bottom - game.top} face down; face up below: {face_up}",
        f"last trick   {_last_trick(game, color)}",
        f"this trick   {_lead(game, color)}",
        f"your hand    {_hand(int(game.hand), color)}",
    ]
    return "\n".join(lines) + "\n"


def _cards(kinds: Sequence[int], color: bool) -> str:
    return " ".join(paint_card(NAMES[kind], color) for kind in kinds) if kinds else "-"


def _last_trick(game: Any, color: bool) -> str:
    if game.last_lead == NO_CARD:
        return "-"
    leader, follower = (_NAMES[side] for side in (SIDES[game.last_leader], SIDES[1 - game.last_leader]))
    lead, follow = (_cards([card], color) for card in (game.last_lead, game.last_follow))
    text = f"{leader} {lead}, {follower} {follow}, taken by {_NAMES[(*SIDES, 'tied')[game.last_taker]]}"
    if game.num_held:
        text += f"; passed over: {_cards(game.held[: game.num_held].tolist(), color)}"
    return text


def _lead(game: Any, color: bool) -> str:
    if game.outcome != PLAYING:
        reasons = ", ".join(reason_names(int(game.reasons)))
        return f"game over: {OUTCOMES[game.outcome]}" + (f" ({reasons})" if reasons else "")
    if game.over:
        return "the round is over"
    return f"ECK leads {_cards([game.lead], color)}" if game.lead != NO_CARD else "you lead"


def _hand(hand: int, color: bool) -> str:
    """Return the hand by color, the circles last."""
    kinds = bag_list(hand)
    groups = [[kind for kind in kinds if kind < BLACK and kind // NUM_SHAPES == place] for place in range(len(COLORS))]
    groups.append([kind for kind in kinds if kind >= BLACK])
    return "   ".join(_cards(group, color) for group in groups if group) or "-"
