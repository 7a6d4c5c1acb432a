"""Sets up an environment for each library in .integrations and runs there the tests against it.

python tests/integration/run.py
python tests/integration/run.py tianshou rllib
python tests/integration/run.py lowest highest
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from agents.separate import SeparateEnvironment

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".integrations"
HERE = Path(__file__).parent
EXAMPLES = ROOT / "scripts" / "examples" / "requirements"
LIBRARIES = ("sb3", "tianshou", "torchrl", "rllib", "skrl")
"""What the examples need has a requirements file for each; the tests are in test_NAME.py."""
VERSIONS = ("lowest", "highest")
"""The supported versions of Gymnasium and NumPy at both ends; the library's own tests run with them."""
OTHERS = re.compile(
    r"^\s*(from|import) .*"
    r"(torch|sb3|onnx|typer|rich|matplotlib|yaml|pygame|flask|moviepy|playwright|agents\.(?!random|heuristic|evaluation))",
    re.MULTILINE,
)
"""What a test of the library alone does not import, nor through the tests' own helpers."""
HELPERS = re.compile(r"^\s*(?:from|import) (\w+_helpers)\b", re.MULTILINE)


def requirements_of(name: str) -> list[Path]:
    """Return the requirements files of an environment."""
    if name in VERSIONS:
        return [HERE / "requirements" / f"{name}.txt"]
    return [EXAMPLES / f"{name}.txt", HERE / "requirements" / "tests.txt"]


def tests_of(name: str) -> list[str]:
    """Return the test files that an environment runs, and pytest's options for them: examples show their figures."""
    if name in LIBRARIES:
        return ["-m", "integration", "-rfEsP", str(HERE / f"test_{name}.py")]
    files = sorted((ROOT / "tests").glob("test_*.py"))
    return [str(file) for file in files if not needs_others(file)]


def needs_others(file: Path) -> bool:
    """Whether a file of the tests, or a helper that it imports, imports more than the library's own tests have."""
    text = file.read_text(encoding="utf-8")
    helpers = (file.with_name(f"{name}.py") for name in HELPERS.findall(text))
    return bool(OTHERS.search(text)) or any(needs_others(helper) for helper in helpers)


def run(name: str) -> int | str:
    """Set an environment up and run its tests; return pytest's exit code, or why there is no environment."""
    environment = SeparateEnvironment(FOLDER / name, requirements_of(name))
    problem = environment.install()
    if problem is not None:
        return problem
    # Other libraries' own warnings are not this one's errors; with the versions of this library's own they are.
    warnings = [] if name in VERSIONS else ["-o", "filterwarnings=default"]
    command = [str(environment.python), "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "timeout=3600"]
    variables = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.run([*command, *warnings, *tests_of(name)], cwd=ROOT, env=variables, check=False).returncode


def main() -> None:
    """Run what the command line names; by default all libraries."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", default=LIBRARIES, help=f"of {', '.join((*LIBRARIES, *VERSIONS))}")
    names = parser.parse_args().names
    unknown = [name for name in names if name not in (*LIBRARIES, *VERSIONS)]
    if unknown:
        parser.error(f"there is no environment {unknown[0]!r}: there are {', '.join((*LIBRARIES, *VERSIONS))}")
    outcomes = {}
    for name in names:
        print(f"--- {name} ---", flush=True)
        outcomes[name] = run(name)
    print()
    for name, outcome in outcomes.items():
        print(f"{name}: {_text(outcome)}")
    sys.exit(any(isinstance(outcome, int) and outcome for outcome in outcomes.values()))


def _text(outcome: int | str) -> str:
    if isinstance(outcome, str):
        return f"skipped, cannot be installed: {outcome}"
    return "passed" if outcome == 0 else f"failed (pytest's exit code {outcome})"


if __name__ == "__main__":
    main()
