"""Cross tables as JSON and as Markdown."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from agents.cross_table import Pairing, Shares
from agents.results import compact_json, versions
from eck_env.files import naming, write_text
from eck_env.numberless.variant import Variant, make_variant

FORMAT = 1


@dataclass(frozen=True)
class Entry:
    """What is kept of a pairing.

    Attributes:
        share: The share of the wins of the one agent.
        interval: Its 95 % interval.
        cards: The cards that counted against it, on average.
        ms_per_decision: Milliseconds of processor time that it took for a decision.
        decisions: Its decisions.
    """

    share: float
    interval: tuple[float, float]
    cards: float
    ms_per_decision: float
    decisions: int

    def __str__(self) -> str:
        return f"{100 * self.share:.1f} ({100 * self.interval[0]:.1f} - {100 * self.interval[1]:.1f})"


def entry_of(shares: Shares) -> Entry:
    """Return what is kept of a pairing that has been played."""
    cards = float(shares.cards.mean())
    return Entry(shares.mean, shares.interval, cards, shares.ms_per_decision, shares.decisions)


Table = Mapping[tuple[str, str], Entry]


def table_to_json(table: Table, variant: Variant, first_seed: int, deals: int, command: str) -> str:
    """Return a cross table as JSON."""
    document = {
        "format": FORMAT,
        "command": command,
        "versions": versions(),
        "variant": asdict(variant),
        "first_seed": first_seed,
        "deals": deals,
        "pairings": [{"one": one, "others": others, **asdict(entry)} for (one, others), entry in table.items()],
    }
    return compact_json(document)


def read_table(path: Path, variant: Variant, first_seed: int, deals: int) -> dict[tuple[str, str], Entry]:
    """Return the entries of a file.

    Raises:
        ValueError: If it is no cross table, or one of other deals.
        OSError: If it cannot be read.
    """
    with naming(path):
        text = path.read_text("utf-8")
    try:
        document = json.loads(text)
        found = make_variant(**document["variant"]), document["first_seed"], document["deals"]
        entries = {(part.pop("one"), part.pop("others")): _entry(part) for part in document["pairings"]}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is no cross table: {type(error).__name__}: {error}") from error
    if found != (variant, first_seed, deals):
        raise ValueError(f"{path} is a cross table of other deals: go on with it by the options that it was made with")
    return entries


def _entry(part: dict[str, Any]) -> Entry:
    low, high = part.pop("interval")
    return Entry(interval=(float(low), float(high)), **part)


def write_table(path: Path, table: Table, variant: Variant, first_seed: int, deals: int, command: str) -> None:
    """Write a cross table to a file, all of it or nothing."""
    write_text(path, table_to_json(table, variant, first_seed, deals, command))


def table_markdown(table: Table, agents: Sequence[str], names: Mapping[str, str]) -> str:
    """Return a cross table in Markdown: a row for the agent at one seat, a column for the one at all others."""
    heads = " | ".join(f"against `{names[agent]}`" for agent in agents)
    lines = [f"| one of | {heads} | ms a decision |", "|---" * (len(agents) + 2) + "|"]
    for one in agents:
        row = [table.get((one, others)) for others in agents]
        cells = ["" if entry is None else str(entry) for entry in row]
        own = [entry for entry in row if entry is not None]
        spent = sum(entry.ms_per_decision * entry.decisions for entry in own)
        milliseconds = spent / max(1, sum(entry.decisions for entry in own))
        lines.append(f"| `{names[one]}` | {' | '.join(cells)} | {milliseconds:.4f} |")
    return "\n".join(lines) + "\n"


def missing(pairings: Sequence[Pairing], table: Table) -> list[Pairing]:
    """Return the pairings that a table lacks."""
    return [pairing for pairing in pairings if (pairing.one, pairing.others) not in table]
