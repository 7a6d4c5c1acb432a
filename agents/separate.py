"""Python environments of their own, for libraries that do not go together, each in a folder."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from eck_env.files import write_text


class SeparateEnvironment:
    """A virtual environment.

    Args:
        folder: Where it is, or will be.
        requirements: What is installed into it, as pip's requirements files.
    """

    def __init__(self, folder: Path, requirements: Sequence[Path]) -> None:
        self.folder = folder
        self._requirements = requirements
        self._done, self._failed = folder / ".complete", folder / ".failed"

    @property
    def python(self) -> Path:
        """Its Python."""
        return self.folder / "bin" / "python"

    def problem(self, command: str) -> str | None:
        """Return in one line why it cannot be used, or None if it can.

        Args:
            command: What sets it up.
        """
        if self._failed.is_file():
            return f"not installed: {self._failed.read_text(encoding='utf-8')}"
        return None if self._done.is_file() else f"not installed: {command} sets it up"

    def install(self, finish: Callable[[], None] | None = None) -> str | None:
        """Set it up unless that is done; return in one line why that failed, or None.

        Args:
            finish: What is left to do when everything is installed; it may raise RuntimeError.
        """
        stamp = self._stamp()
        if self._done.is_file() and self._done.read_text(encoding="utf-8") == stamp:
            return None
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        try:
            run(sys.executable, "-m", "venv", str(self.folder))
            files = [argument for path in self._requirements for argument in ("-r", str(path))]
            run(str(self.python), "-m", "pip", "install", "--quiet", *files)
            if finish is not None:
                finish()
        except (OSError, subprocess.SubprocessError, RuntimeError) as error:
            reason = str(error)
            write_text(self._failed, reason)
            return reason
        write_text(self._done, stamp)
        return None

    def _stamp(self) -> str:
        digest = hashlib.blake2b(digest_size=16)
        for path in self._requirements:
            digest.update(path.read_bytes())
        digest.update(sys.version.encode())
        return digest.hexdigest()


def run(*command: str, **variables: str) -> str:
    """Run a command and return what it says; RuntimeError tells the last line that it said if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **variables})
    if done.returncode:
        lines = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        errors = [line for line in lines if "ERROR" in line or "rror:" in line] or lines[-1:]
        raise RuntimeError((errors or [f"{command[0]} failed"])[0].strip()[:200])
    return done.stdout
