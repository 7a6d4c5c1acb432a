"""The examples for Stable-Baselines3, sb3-contrib and plain torch; the adapter has tests among the quick ones."""

from __future__ import annotations

import pytest

pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed: make test-integrations runs this where it is")

from integration_helpers import run_example

pytestmark = pytest.mark.integration


@pytest.mark.parametrize(
    ("name", "masked"), [("sb3_maskable_ppo", True), ("sb3_ppo", False), ("cleanrl_style_ppo", True)]
)
def test_the_example_learns(name: str, masked: bool) -> None:
    run_example(name, masked)
