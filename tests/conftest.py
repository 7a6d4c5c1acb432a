"""What holds for all tests."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("any_machine", deadline=None)  # the first game may have to be compiled, on a busy machine
settings.load_profile("any_machine")
