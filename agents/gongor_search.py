"""Search in Gongor Whist."""

from __future__ import annotations

from agents.agent import Agent
from eck_env.gongor_whist.variant import Variant


def make_search(spec: str, variant: Variant) -> Agent:
    """Return the search that a text names."""
    raise ValueError(f"unknown search {spec!r}: there is none of Gongor Whist yet")
