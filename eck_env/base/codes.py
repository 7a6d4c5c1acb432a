"""Numbers packed into short text codes that people can send, read out and type.

A code is written with 32 signs, digits and capital letters without I, L, O and U, in groups; small letters, spaces and
hyphens do not matter, and O, I and L are read as 0, 1 and 1. Its first four signs are a check sum.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

MAX_CODE = 4096
"""Signs of the longest code that is read."""

_SIGNS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_VALUES = {sign: value for value, sign in enumerate(_SIGNS)} | {"O": 0, "I": 1, "L": 1}
_BITS = 5
_CHECK_SIGNS = 4
_GROUP = 4
_SMALL = 15  # the digits of numbers without a bound: 0 to 14 and whether more follow, see `Packer.number`


class Packer:
    """Collects numbers, each below a bound that the reader knows."""

    def __init__(self) -> None:
        self._parts: list[tuple[int, int]] = []

    def add(self, value: int, bound: int) -> None:
        """Add a number from 0 to below its bound."""
        if not 0 <= value < bound:
            raise ValueError(f"{value} cannot be packed: it must be from 0 to below {bound}")
        self._parts.append((value, bound))

    def number(self, value: int) -> None:
        """Add a number of any size, small ones in little space."""
        while value >= _SMALL:
            self.add(value % _SMALL + _SMALL, 2 * _SMALL)
            value //= _SMALL
        self.add(value, 2 * _SMALL)

    def code(self, prefix: str) -> str:
        """Return the code of all that was added, behind a prefix that names the game."""
        packed = 0
        for value, bound in reversed(self._parts):
            packed = packed * bound + value
        signs = ""
        while packed:
            signs = _SIGNS[packed % 2**_BITS] + signs
            packed >>= _BITS
        signs = _check_signs(signs) + signs
        return "-".join((prefix, *(signs[place : place + _GROUP] for place in range(0, len(signs), _GROUP))))


def start_of(code: str, prefixes: Sequence[str]) -> str:
    """Return which of the prefixes a code starts with; ValueError names them all if it starts with none."""
    found = next((prefix for prefix in prefixes if _clean(code).startswith(prefix)), None)
    if found is None:
        raise ValueError(f"a code of a game starts with {either(prefixes)}, but this starts with {code[:12]!r}")
    return found


def either(prefixes: Sequence[str]) -> str:
    """Return the beginnings of codes as a text, such as ``"ECK- or GONGOR-"``."""
    *others, last = [f"{prefix}-" for prefix in prefixes]
    return f"{', '.join(others)} or {last}" if others else last


class Unpacker:
    """Reads numbers out of a code, in the order in which they were added.

    Args:
        code: The code.
        prefix: What it starts with.

    Raises:
        ValueError: If it is no code, or was not copied right.
    """

    def __init__(self, code: str, prefix: str) -> None:
        start_of(code, (prefix,))
        signs = _clean(code)
        if len(code) > MAX_CODE:
            raise ValueError(f"the code has more than {MAX_CODE} signs, but those of games are shorter")
        values = []
        for sign in signs[len(prefix) :]:
            if sign not in _VALUES:
                raise ValueError(f"the code has the sign {sign!r}, but codes are written with {_SIGNS}")
            values.append(_VALUES[sign])
        clean = "".join(_SIGNS[value] for value in values)
        check, rest = clean[:_CHECK_SIGNS], clean[_CHECK_SIGNS:]
        if check != _check_signs(rest):
            raise ValueError("the code was not copied right, a sign is wrong or missing: its check sum does not fit")
        self._packed = 0
        for value in values[_CHECK_SIGNS:]:
            self._packed = self._packed << _BITS | value

    def take(self, bound: int) -> int:
        """Return the next number, one below the bound."""
        self._packed, value = divmod(self._packed, bound)
        return value

    def number(self, most: int) -> int:
        """Return the next number that was added without a bound; ValueError if it is above `most`."""
        value, unit = 0, 1
        while True:
            part = self.take(2 * _SMALL)
            value += part % _SMALL * unit
            unit *= _SMALL
            if value > most or unit > _SMALL * (most + 1):
                raise ValueError(f"the code has a number above {most}")
            if part < _SMALL:
                return value

    def finish(self) -> None:
        """Raise ValueError if there is more than what has been read."""
        if self._packed:
            raise ValueError("the code has more in it than a game")


def _clean(code: str) -> str:
    return re.sub(r"[\s-]", "", code[: MAX_CODE + 1]).upper()


def _check_signs(signs: str) -> str:
    digest = int.from_bytes(hashlib.blake2b(signs.encode(), digest_size=4).digest())
    return "".join(_SIGNS[digest >> _BITS * place & 31] for place in range(_CHECK_SIGNS))
