"""What the tests against the libraries share."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROSE = "the win rate rose, intervals apart"
_LAST = 3000  # characters of what an example that failed said last: progress bars go before


def run_example(name: str, masked: bool = True) -> None:
    """Run an example to its end, and see that its win rate rose and that no illegal action was chosen."""
    script = ROOT / "scripts" / "examples" / f"{name}.py"
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    print(done.stdout)  # shown at the end, also of examples that passed
    assert done.returncode == 0, done.stderr[-_LAST:]
    assert ROSE in done.stdout
    illegal = [int(count) for count in re.findall(r"illegal actions: (\d+)", done.stdout)]
    assert len(illegal) >= 2
    assert not (masked and any(illegal))
