"""Joining a Ray cluster, or starting one on this machine for as long as this process runs."""

from __future__ import annotations

import os
from pathlib import Path

# Ray reads these when it is imported.
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_raylet_start_wait_time_s", "300")  # the default is too short on a busy machine

import ray
from ray.exceptions import AuthenticationError

from agents.workers import THREADS

ROOT = Path(__file__).resolve().parents[2]
LOCAL = "local"
"""In place of a cluster's address: worker processes on this machine."""
_LEFT_OUT = [".?*", "runs", "docs", "tests", "build", "dist", "**/__pycache__"]
"""What of the checkout the machines of a cluster do not need; ".*" would match ".", the checkout itself."""


def connect(address: str, cpus: int) -> None:
    """Join a cluster; all its workers can then import `agents`, `eck_env` and `scripts` of this checkout.

    Args:
        address: ``"auto"`` for the cluster that this machine is part of, its head's such as ``"head:6379"``, or
            ``"local"``. Each machine needs the same versions of Python and of the libraries; the code of this checkout
            is sent there.
        cpus: How many worker processes there may be, where they are started here.

    Raises:
        ValueError: If the address is none.
        ConnectionError: If there is no such cluster, or it does not let this process in.
    """
    if address == LOCAL:
        path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        environment = {"env_vars": {**THREADS, "PYTHONPATH": path}}
        ray.init(  # not one that happens to run, or was left behind, on this machine
            LOCAL,
            num_cpus=cpus,
            include_dashboard=False,
            log_to_driver=False,
            logging_level="ERROR",
            runtime_env=environment,
        )
        return
    if "://" in address:
        raise ValueError(
            f"{address!r} is an address for clients outside of a cluster, which Ray's own parts are not made for: run "
            'this on a machine of the cluster and give "auto", or the address of its head, such as head:6379'
        )
    sent = {"working_dir": str(ROOT), "excludes": _LEFT_OUT, "env_vars": THREADS}
    try:
        ray.init(address, log_to_driver=False, logging_level="ERROR", runtime_env=sent)
    except (ConnectionError, AuthenticationError) as error:
        raise ConnectionError(
            f"{error}: is this machine part of the cluster (ray status)? If the cluster has a token, it must be here "
            "too, and with an address other than auto RAY_AUTH_MODE=token must be set"
        ) from error
