"""What to install for the modules that work with another library: the one place where it is said."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

_EXAMPLES = "-r scripts/examples/requirements/{}.txt"
_REQUIREMENTS = {
    "pettingzoo": "'.[pettingzoo]'",
    "ray": _EXAMPLES.format("rllib"),
    "skrl": _EXAMPLES.format("skrl"),
    "stable_baselines3": "-c constraints.txt '.[train]'",
    "tianshou": _EXAMPLES.format("tianshou"),
    "torchrl": _EXAMPLES.format("torchrl"),
}


@contextmanager
def needed(library: str) -> Iterator[None]:
    """Have the error of an import inside say how to install the library, and what comes with it.

    Args:
        library: The name by which it is imported.

    Raises:
        ModuleNotFoundError: If it is missing.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"{error}: this module needs {library}; in the checkout: pip install {_REQUIREMENTS[library]}",
            name=error.name,
            path=error.path,
        ) from error
