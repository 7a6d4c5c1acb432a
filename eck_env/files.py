"""Files are written whole or not at all, and errors say which file they are about."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Have the operating system's errors name this file; of themselves some, such as that of a full disk, name none."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file, all of it or nothing, even if the machine goes down: under another name, and rename it then."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with naming(path):
        try:
            with temporary.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text file, UTF-8; see `write_bytes`."""
    write_bytes(path, text.encode())


def check_target(option: str, path: Path | None) -> None:
    """Raise ValueError before the work that makes a file, rather than after, if the file could not be written.

    Args:
        option: What names the file, such as ``"--json"``, for the message.
        path: The file; None if none is wanted.
    """
    if path is None:
        return
    if path.is_dir():
        raise ValueError(f"{option} {str(path)!r} is a folder: name a file in it")
    if not path.parent.is_dir():
        raise ValueError(f"{option} {str(path)!r}: there is no folder {str(path.parent)!r}; make it first")
    if not os.access(path.parent, os.W_OK):
        raise ValueError(f"{option} {str(path)!r}: the folder {str(path.parent)!r} cannot be written to; name another")
