"""The other libraries' environments: each in a folder of its own, which a failure leaves with the reason.

python -m agents.benchmark.peers
"""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

from agents.benchmark.catalog import PEERS
from agents.separate import SeparateEnvironment, run

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".benchmark"
REQUIREMENTS = Path(__file__).parent / "requirements"
PUFFERLIB = "pufferlib==3.0.0"


def python_of(peer: str) -> Path:
    """Return the Python of a library's environment."""
    return _environment(peer).python


def problem_of(peer: str) -> str | None:
    """Return in one line why a library cannot be measured, or None if it can."""
    return _environment(peer).problem("make benchmark")


def install(peer: str) -> str | None:
    """Set up a library's environment unless that is done; return in one line why it failed, or None."""
    environment = _environment(peer)
    return environment.install((lambda: _build_tripletriad(environment.folder)) if peer == "pufferlib" else None)


def _environment(peer: str) -> SeparateEnvironment:
    return SeparateEnvironment(FOLDER / peer, [REQUIREMENTS / f"{peer}.txt"])


def _build_tripletriad(folder: Path) -> None:
    """Compile PufferLib's card game from its sources, with the compiler flags of its own build.

    The package as a whole does not build without a network, as its build fetches libraries for drawing and physics.
    So pip only unpacks it (its build script then fails, which is of no matter), and the one binding is compiled here.
    """
    unpacked, python = folder / "source", str(python_of("pufferlib"))
    unpacked.mkdir()
    options = ("--no-clean", "--no-deps", "--no-build-isolation", "--no-binary", "pufferlib", "--dest", str(unpacked))
    command = [python, "-m", "pip", "download", "--quiet", *options, PUFFERLIB]
    variables = {**os.environ, "TMPDIR": str(unpacked), "NO_OCEAN": "1", "NO_TRAIN": "1"}
    subprocess.run(command, env=variables, capture_output=True, check=False)
    binding = next(unpacked.rglob("ocean/tripletriad/binding.c"), None)
    raylib = next(unpacked.rglob("raylib-*_linux_amd64/include"), None)
    if binding is None or raylib is None:
        raise RuntimeError(f"pip did not unpack the sources of {PUFFERLIB}")
    includes = run(python, "-c", "import numpy, sysconfig; print(numpy.get_include(), sysconfig.get_path('include'), "
                    "sysconfig.get_path('purelib'), sep='\\n')").splitlines()  # fmt: skip
    flags = ["-O2", "-flto", "-fwrapv", "-fPIC", "-shared", "-DPLATFORM_DESKTOP",
             "-DNPY_NO_DEPRECATED_API=NPY_1_7_API_VERSION"]  # fmt: skip
    search = [f"-I{path}" for path in (*includes[:2], str(raylib))]
    library = str(raylib.parent / "lib" / "libraylib.a")
    target = str(Path(includes[2]) / "binding.so")
    run("cc", *flags, *search, str(binding), "-o", target, library, "-lm", "-lpthread", "-ldl")


def main() -> None:
    """Set up all libraries and say how it went; none that fails stops the others."""
    for peer in PEERS:
        start = time.monotonic()
        problem = install(peer)
        size = sum(file.lstat().st_size for file in (FOLDER / peer).rglob("*")) / 1e6
        state = f"cannot be installed: {problem}" if problem else f"{size:,.0f} MB"
        print(f"{peer}: {state} ({time.monotonic() - start:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
