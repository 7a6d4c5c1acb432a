"""What holds for all tests."""

from __future__ import annotations

import contextlib

with contextlib.suppress(ModuleNotFoundError):  # the environments of other libraries have no property tests
    from hypothesis import settings

    settings.register_profile("any_machine", deadline=None)  # a game may have to be compiled, on a busy machine
    settings.load_profile("any_machine")
