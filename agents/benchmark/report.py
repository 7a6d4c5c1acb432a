"""The figures of a run as JSON, as tables for the screen, and as a picture."""

from __future__ import annotations

import datetime
import io
import json
import platform
import subprocess
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agents.benchmark.catalog import OURS, PEERS
from agents.benchmark.peers import problem_of, python_of
from agents.benchmark.run import Measured
from agents.benchmark.targets import MAIN, Check
from agents.results import versions
from eck_env.files import write_bytes, write_text

if TYPE_CHECKING:
    from rich.table import Table

FORMAT = 1
"""The version of the JSON file's layout."""
_PEER_PACKAGES = {
    "open_spiel": ("open_spiel",), "pgx": ("pgx", "jax"), "rlcard": ("rlcard", "pettingzoo"), "envpool": ("envpool",),
}  # fmt: skip
_OWN_PACKAGES = ("torch", "stable_baselines3", "sb3_contrib")


def cpu_model() -> str:
    """Return the name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0]} ({len(names)} cores)" if names else platform.machine()


def all_versions() -> dict[str, str]:
    """Return the versions of everything that was measured."""
    found = versions() | {name: version(name) for name in _OWN_PACKAGES}
    for peer in PEERS:
        if problem_of(peer) is None and peer in _PEER_PACKAGES:
            names = _PEER_PACKAGES[peer]
            program = f"from importlib.metadata import version\nfor name in {names!r}: print(version(name))"
            lines = subprocess.run([python_of(peer), "-c", program], capture_output=True, text=True, check=True)
            found |= dict(zip(names, lines.stdout.split(), strict=True))
        elif peer == "pufferlib" and problem_of(peer) is None:
            from agents.benchmark.peers import PUFFERLIB

            found |= dict([PUFFERLIB.split("==")])
    return found


def describe(core: int, repeats: int, seconds: float, command: str) -> dict[str, Any]:
    """Return what a run was made with."""
    return {
        "format": FORMAT,
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "command": command,
        "cpu": cpu_model(),
        "core": core,
        "repeats": repeats,
        "seconds_each": seconds,
        "versions": all_versions(),
    }


def to_json(
    run: Mapping[str, Any], measured: Sequence[Measured], footprint: Mapping[str, Any] | None, checks: Sequence[Check]
) -> str:
    """Return all figures as JSON."""
    main = next((row.rate for row in measured if row.entry.key == MAIN), None)
    rows = [
        {
            "worker": row.entry.worker,
            "row": row.entry.row,
            "label": row.entry.label,
            "inside": row.entry.inside,
            "decisions_per_cpu_second": row.rate,
            "ours_to_it": main / row.rate if main and row.rate else None,
            "runs_per_cpu_second": row.rates(),
            "runs_per_wall_second": row.rates("wall"),
            "problem": row.problem,
        }
        for row in measured
    ]
    targets = [
        {"what": one.what, "value": one.value, "limit": one.limit, "at_least": one.at_least, "met": one.met}
        for one in checks
    ]
    return json.dumps({**run, "rows": rows, "footprint": footprint, "targets": targets}, indent=2) + "\n"


def to_markdown(text: str) -> str:
    """Return the figures of a run, given as the JSON of `to_json`, as Markdown tables."""
    run = json.loads(text)
    lines = [
        f"Decisions per CPU-second of one core: {run['cpu']}, {run['date']}, medians of {run['repeats']} runs of "
        f"{run['seconds_each']:g} s in turn. Random legal actions, recorded beforehand and handed in, unless choosing "
        f"is inside the step. `{run['command']}`",
        "",
        "| simulator | per CPU-second | min - max | EckVectorEnv, 1,024 games, is | inside a step |",
        "|---|---|---|---|---|",
    ]
    for row in run["rows"]:
        cells = [row["label"], "-", "-", "-", row["problem"] or row["inside"]]
        if row["decisions_per_cpu_second"]:
            rates = sorted(row["runs_per_cpu_second"])
            cells[1:3] = f"{row['decisions_per_cpu_second']:,.0f}", f"{_short(rates[0])} - {_short(rates[-1])}"
        if row["ours_to_it"]:
            cells[3] = f"{row['ours_to_it']:.1f} x"
        lines.append("| " + " | ".join(cells) + " |")
    lines += ["", "| target | measured | wanted | |", "|---|---|---|---|"]
    for one in run["targets"]:
        measured = "not measured" if one["value"] is None else f"{one['value']:,.4g}"
        wanted = f"{'>=' if one['at_least'] else '<='} {one['limit']:,.4g}"
        met = {True: "met", False: "MISSED", None: "-"}[one["met"]]
        lines.append(f"| {one['what']} | {measured} | {wanted} | {met} |")
    versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items())
    return "\n".join([*lines, "", f"Versions: {versions}.", ""])


def rates_table(run: Mapping[str, Any], measured: Sequence[Measured]) -> Table:
    """Return the rates as a table: the median of the runs, their spread, and how many times as fast the main row is."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    caption = (
        f"{run['cpu']}, pinned to core {run['core']}; medians of {run['repeats']} runs of {run['seconds_each']:g} s in "
        "turn. Random legal actions, recorded beforehand and handed in, unless choosing is inside the step."
    )
    table = Table(title="Decisions per second of one core", caption=caption, box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.title_justify = table.caption_justify = "left"
    table.add_column("simulator", overflow="fold")
    for heading in ("per CPU-\nsecond", "min - max", "per wall-\nsecond", "EckVectorEnv\n1,024 is"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("inside a step", overflow="fold")
    main = next((row.rate for row in measured if row.entry.key == MAIN), None)
    for row in measured:
        style = "bold" if row.entry.worker in OURS else None
        if row.rate is None:
            table.add_row(row.entry.label, "-", "-", "-", "-", row.problem, style=style)
            continue
        rates, walls = sorted(row.rates()), sorted(row.rates("wall"))
        times = f"{main / row.rate:,.{1 if main / row.rate < 100 else 0}f} x" if main else "-"
        spread = f"{_short(rates[0])} - {_short(rates[-1])}"
        part = f"; adapter {row.part:.1%}" if row.entry.worker == "training" else ""
        table.add_row(row.entry.label, f"{row.rate:,.0f}", spread, f"{walls[len(walls) // 2]:,.0f}", times,
                      row.entry.inside + part, style=style)  # fmt: skip
    return table


def checks_table(checks: Sequence[Check]) -> Table:
    """Return the targets as a table."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title="Targets", box=SIMPLE_HEAD, padding=(0, 1, 0, 0), title_justify="left")
    table.add_column("target", overflow="fold")
    for heading in ("measured", "wanted", ""):
        table.add_column(heading, justify="right", no_wrap=True)
    for one in checks:
        shown = "not measured" if one.value is None else one.unit.format(one.value)
        wanted = f"{'>=' if one.at_least else '<='} {one.unit.format(one.limit)}"
        table.add_row(one.what, shown, wanted, {True: "met", False: "MISSED", None: "-"}[one.met])
    return table


def _short(number: float) -> str:
    return f"{number / 1e6:.2f}M" if number >= 1e6 else f"{number / 1e3:.4g}k" if number >= 1e3 else f"{number:.4g}"


def draw(path: Path, run: Mapping[str, Any], measured: Sequence[Measured]) -> None:
    """Write the rates as a picture, PNG: bars on a logarithmic scale, with the spread of the runs."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    rows = sorted((row for row in measured if row.rate and row.entry.main), key=lambda row: row.rate or 0.0)
    rates = [row.rate or 0.0 for row in rows]
    spread = [
        [rate - min(row.rates()) for rate, row in zip(rates, rows, strict=True)],
        [max(row.rates()) - rate for rate, row in zip(rates, rows, strict=True)],
    ]
    colors = ["#c44e52" if row.entry.worker in OURS else "#7f9bb8" for row in rows]
    figure, axes = plt.subplots(figsize=(10, 1.2 + 0.27 * len(rows)), layout="constrained")
    axes.barh(range(len(rows)), rates, xerr=spread, color=colors, error_kw={"elinewidth": 1, "capsize": 2})
    axes.set_yticks(range(len(rows)), [row.entry.label for row in rows], fontsize=8)
    for place, (row, rate) in enumerate(zip(rows, rates, strict=True)):
        axes.text(max(row.rates()) * 1.15, place, _short(rate), va="center", fontsize=8)
    axes.set_xscale("log")
    axes.set_xlim(min(rates) / 3, max(rates) * 4)
    axes.set_ylim(-0.7, len(rows) - 0.3)
    axes.set_xlabel("decisions per CPU-second of one core (eck_env red, others blue; what is inside a step differs)")
    axes.grid(axis="x", alpha=0.3)
    axes.set_axisbelow(True)
    axes.set_title(f"{run['cpu']}, {run['date']}", fontsize=9)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=130)
    plt.close(figure)
    write_bytes(path, buffer.getvalue())


def save_text(path: Path, text: str) -> None:
    """Write the JSON file, all of it or nothing."""
    write_text(path, text)
