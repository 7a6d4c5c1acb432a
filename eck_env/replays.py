"""Replays of all games: which game one is of follows from its class, its code's first letters or its JSON's keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from eck_env.base.codes import start_of
from eck_env.base.replay import BaseReplay
from eck_env.base.replay_forms import MAX_BYTES as MAX_BYTES
from eck_env.base.replay_forms import Forms, check_text, is_json, load_text, read_json
from eck_env.eck.replay_forms import FORMS as ECK
from eck_env.gongor_whist.replay_forms import FORMS as GONGOR_WHIST
from eck_env.numberless.replay_forms import FORMS as NUMBERLESS
from eck_env.registry import AnyVariant

ALL: tuple[Forms[Any], ...] = (ECK, GONGOR_WHIST, NUMBERLESS)
_PREFIXES = tuple(forms.prefix for forms in ALL)


def forms_of(replay: BaseReplay) -> Forms[Any]:
    """Return the forms of a replay's game."""
    return next(forms for forms in ALL if isinstance(replay, forms.replay))


def forms_for(variant: AnyVariant) -> Forms[Any]:
    """Return the forms of a variant's game."""
    return next(forms for forms in ALL if isinstance(variant, type(forms.standard)))


def replay_to_code(replay: BaseReplay) -> str:
    """Return a short text code; the outcome is not in it, for the actions say it."""
    return forms_of(replay).to_code(replay)


def replay_to_data(replay: BaseReplay) -> dict[str, Any]:
    """Return plain data, fit for JSON."""
    return forms_of(replay).to_data(replay)


def save_replay(path: str | Path, replay: BaseReplay) -> None:
    """Write a JSON file, all of it or nothing."""
    forms_of(replay).save(path, replay)


def read_replay(text: str) -> BaseReplay:
    """Return the replay that a text says, a code or the contents of a JSON file; its actions are not checked yet.

    Raises:
        ReplayError: If it is neither.
    """
    return _forms_for(text).read(text)  # type: ignore[no-any-return]


def load_replay(source: str | Path) -> BaseReplay:
    """Return the replay of a file or, where the text is one, of a code; its actions are not checked yet.

    Raises:
        ReplayError: If it is no replay.
        OSError: If the file cannot be read.
    """
    return load_text(source, _PREFIXES, read_replay)


def _forms_for(text: str) -> Forms[Any]:
    """Return the forms of the game that a text speaks of; ECK's, whose reader says what is wrong, if of none.

    Raises:
        ReplayError: If it is neither JSON nor a code of any game.
    """
    check_text(text, _PREFIXES)
    if is_json(text):
        data = read_json(text)
        return next((forms for forms in ALL if forms.replay.moves_name in data), ECK)
    return ALL[_PREFIXES.index(start_of(text.strip(), _PREFIXES))]
