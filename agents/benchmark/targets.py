"""What the engine is meant to reach, checked against the figures of one run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.benchmark.run import Measured
from agents.benchmark.workers.eck import FAR, vector_name

MAIN = f"eck: {vector_name(1024)}"
FLAT_BATCHES = (256, 1024, 4096, 16384)


@dataclass(frozen=True)
class Check:
    """A target.

    Attributes:
        what: What is checked.
        value: The figure; None where it was not measured.
        limit: What it should be.
        at_least: Whether the limit is the least allowed, or the most.
        unit: How the figure is shown, a format for `str.format`.
    """

    what: str
    value: float | None
    limit: float
    at_least: bool
    unit: str

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where it was not measured."""
        if self.value is None:
            return None
        return self.value >= self.limit if self.at_least else self.value <= self.limit


def check_targets(measured: Sequence[Measured], footprint: Mapping[str, Any] | None) -> list[Check]:
    """Return all targets with their figures."""
    rates = {row.entry.key: row.rate for row in measured if row.rate is not None}
    main = rates.get(MAIN)

    def best(prefix: str) -> float | None:
        return max((rate for key, rate in rates.items() if key.startswith(prefix)), default=None)

    def ratio(other: float | None) -> float | None:
        return main / other if main and other else None

    rollout = next((row for row in measured if row.entry.key == "training: rollout"), None)
    flat = [rates[key] for key in (f"eck: {vector_name(batch)}" for batch in FLAT_BATCHES) if key in rates]
    late = rates.get(f"eck: {vector_name(1024, first_game=FAR)}")
    vector = "vector env, 1,024 games, int8"
    checks = [
        Check(f"{vector}: decisions per CPU-second", main, 5e6, True, "{:,.0f}"),
        Check("... to OpenSpiel's C++ random simulation of spades", ratio(rates.get("open_spiel: spades C++ games")),
              2.5, True, "{:.1f} x"),
        Check("... to OpenSpiel's spades through Python with tensors",
              ratio(rates.get("open_spiel: spades Python tensors")), 25, True, "{:.0f} x"),
        Check("... to Pgx's leduc hold'em at its best batch", ratio(best("pgx:")), 3, True, "{:.1f} x"),
        Check("... to the fastest card game of RLCard and PettingZoo", ratio(best("rlcard:")), 100, True, "{:.0f} x"),
        Check("... to PufferLib's tripletriad (a mark to aim for)", ratio(rates.get("pufferlib: tripletriad")),
              1, True, "{:.2f} x"),
        Check("playouts, random player: decisions per CPU-second", rates.get("eck: games random"), 15e6, True,
              "{:,.0f}"),
        Check("single env through gym.make: steps per CPU-second", rates.get("eck: single"), 150e3, True, "{:,.0f}"),
        Check("Gongor Whist's vector env, 1,024 games of shut the box, int8: decisions per CPU-second",
              rates.get("gongor_whist: vector shut_the_box"), 3e6, True, "{:,.0f}"),
        Check("the game without numbers, 1,024 games of four, all seats: decisions per CPU-second",
              rates.get("numberless: all seats"), 3e6, True, "{:,.0f}"),
        Check("share of the SB3 adapter in a MaskablePPO rollout", rollout.part if rollout else None, 0.25, False,
              "{:.1%}"),
        Check("cost per decision, batch 256 to 16,384, dearest to cheapest",
              max(flat) / min(flat) if len(flat) == len(FLAT_BATCHES) else None, 1.5, False, "{:.2f} x"),
        Check(f"cost per decision, game {FAR:,} to the first", main / late if main and late else None, 1.5, False,
              "{:.2f} x"),
    ]  # fmt: skip
    return checks + (_footprint_checks(footprint) if footprint else [])


def _footprint_checks(footprint: Mapping[str, Any]) -> list[Check]:
    run, memory = footprint["long_run"], footprint["bytes_per_game"]
    return [
        Check(
            f"cost per decision, last to first tenth of {run['games']:,} games", run["ratio"], 1.5, False, "{:.2f} x"
        ),
        *(
            Check(f"memory a game beside the caller's arrays, {dtype}", size, 1024, False, "{:,.0f} bytes")
            for dtype, size in memory.items()
        ),
        Check("import eck_env above gymnasium and numba, CPU", footprint["import"]["median"], 0.2, False, "{:.3f} s"),
        *(
            Check(f"first make, reset and step, {what}, {clock}", footprint[key]["median"], limit, False, "{:.2f} s")
            for what, name, limit in (("cold cache", "cold_start", 6.0), ("from the cache", "warm_start", 1.0))
            for clock, key in (("wall", name), ("CPU", f"{name}_cpu"))
        ),
    ]
