"""Checks of what users give: errors that name the value, what is allowed, and the nearest thing that is."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np


def index_of(value: object, allowed: tuple[Any, ...], what: str) -> int:
    """Return the place of a value among those allowed; ValueError names them if it is none of them."""
    if value not in allowed:
        raise ValueError(f"{what} is {value!r}, but must be one of {', '.join(map(repr, allowed))}")
    return allowed.index(value)


def integer(value: object, low: int, high: int, what: str) -> int:
    """Return the value as an int; ValueError says what is allowed if it is no integer from low to high."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not low <= value <= high:
        raise ValueError(f"{what} is {value!r}, but must be an integer from {low} to {high}")
    return int(value)


def unknown_key(key: object, known: Iterable[str], what: str) -> ValueError:
    """Return the error for a key that is not known, with the nearest one that is."""
    known = list(known)
    near = difflib.get_close_matches(str(key), known, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return ValueError(f"unknown key {key!r} in {what}: {hint}known are {', '.join(known)}")


def choice(value: Any, allowed: Sequence[str], keyword: str) -> str:
    """Return the value if it is one of those allowed; ValueError names them, and the nearest, if not."""
    if value in allowed:
        return str(value)
    near = difflib.get_close_matches(str(value), allowed, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    raise ValueError(f"{keyword} is {value!r}, but must be one of {', '.join(map(repr, allowed))}{hint}")


def listed(value: Any, what: str, example: str) -> list[Any]:
    """Return the value as a list; ValueError says what is wanted if it is a text, or nothing that can be listed."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        said = f"the text {value!r}" if isinstance(value, str | bytes) else repr(value)
        raise ValueError(f"{what} must be a list such as {example}, not {said}")
    return list(value)
