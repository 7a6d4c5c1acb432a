"""Round values: what a game of Gongor Whist is worth at the start of a hand.

A table says for every state between two hands (`standing.py`) the chance to win, a draw counting half; in the first
edition the share of the hands allowed that will not be needed. Tables are NumPy archives without pickled objects; those
of the registered variants lie beside this file. `agents/gongor_round_values.py` makes them.
"""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.base.starts import check_weights, cumulate, weight_of
from eck_env.checks import index_of, integer, listed
from eck_env.files import write_bytes
from eck_env.gongor_whist.cards import HAND_SIZE, NUM_SUITS
from eck_env.gongor_whist.engine import START
from eck_env.gongor_whist.rules import ALL_BIDS, NUM_BIDS, WINNING_POINTS
from eck_env.gongor_whist.standing import LOWEST, values_shape
from eck_env.gongor_whist.variant import FIRST_EDITION, HANDS, REGISTERED, SCORINGS, TWO_COLUMNS, Variant, make_variant

StartStates = Sequence[Mapping[str, Any]]

_FOLDER = Path(__file__).parent / "data"
_TABLES = ("values", "spreads", "visits")
_START_KEYS = ("hand_number", "bids_left", "you", "dummys_points", "aces_left", "weight")


@dataclass(frozen=True)
class RoundValues:
    """A table of round values.

    Attributes:
        variant: The variant.
        values: What the game is worth by progress, points and Aces left, shape `standing.values_shape`, float64.
        spreads: How far what the game is worth moves in a hand from each state (standard deviation); the same shape.
        visits: How often a hand starts from each state, of those with the same number of hands before; the same shape.
    """

    variant: Variant
    values: NDArray[np.float64]
    spreads: NDArray[np.float64]
    visits: NDArray[np.float64]

    def check_variant(self, variant: Variant) -> None:
        """Raise ValueError if the table is that of another variant."""
        if self.variant != variant:
            raise ValueError(
                f"the round values are those of {asdict(self.variant)}, but the variant is {asdict(variant)}"
            )

    def starts(self) -> NDArray[np.void]:
        """Return the states that hands start from, dtype `engine.START`: each number of hands before as often."""
        progress, points, aces = np.nonzero(self.visits > 0)
        starts = np.zeros(len(progress), START)
        scoring = SCORINGS.index(self.variant.scoring)
        left = np.array([bids.bit_count() for bids in progress.tolist()], np.int64)  # NumPy 1.26 counts no bits
        starts["bids"], starts["hand_number"] = progress, NUM_BIDS - left
        if scoring == FIRST_EDITION:
            starts["bids"], starts["hand_number"] = ALL_BIDS, progress
        lead = points + LOWEST[scoring]
        starts["you"], starts["dummy"] = lead, 0
        if scoring == TWO_COLUMNS:  # of all ways to be ahead or behind, that with the fewest points
            starts["you"], starts["dummy"] = np.maximum(lead, 0), np.maximum(-lead, 0)
        elif scoring != FIRST_EDITION:
            starts["you"] = starts["hand_number"]
        starts["turned"] = NUM_SUITS - aces
        starts["cumulative"] = cumulate(self.visits[progress, points, aces])
        return starts

    @property
    def at_start(self) -> float:
        """What a game is worth at its start."""
        scoring = SCORINGS.index(self.variant.scoring)
        place = 0 if scoring == FIRST_EDITION else ALL_BIDS
        return float(self.values[place, -LOWEST[scoring], NUM_SUITS - 1])

    def save(self, path: str | Path) -> None:
        """Write the table to a file, all of it or nothing."""
        buffer = io.BytesIO()
        tables = {name: getattr(self, name).astype(np.float32) for name in _TABLES}
        about = {name: np.array(value) for name, value in asdict(self.variant).items()}
        np.savez_compressed(buffer, **about, **tables)  # type: ignore[arg-type]
        write_bytes(Path(path), buffer.getvalue())


def load_round_values(variant: Variant, path: str | os.PathLike[str] | None = None) -> RoundValues:
    """Return the table in a file, or the shipped one of the variant.

    Raises:
        ValueError: If there is no shipped table for the variant, or the file is no table of round values.
        OSError: If the file cannot be read.
    """
    if path is None:
        path = _shipped(variant)
    try:
        with Path(path).open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            own = make_variant(str(file["scoring"]), str(file["aces"]), int(file["max_hands"]))
            tables = {name: file[name].astype(np.float64) for name in _TABLES}
        for name, table in tables.items():
            if table.shape != values_shape(own) or not np.isfinite(table).all():
                raise ValueError(f"{name} has shape {table.shape}, or numbers that are none")
    except (ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} is no table of round values ({error}): make one with gongor_round_values") from error
    return RoundValues(own, **tables)


def _shipped(variant: Variant) -> Path:
    for env_id, keywords in REGISTERED.items():
        if make_variant(**keywords) == variant:
            return _FOLDER / f"{env_id}.npz"
    raise ValueError(
        f"no round values are shipped for scoring {variant.scoring!r} with aces {variant.aces!r} and max_hands "
        f"{variant.max_hands}: make them with `python -m agents.gongor_round_values --env ... --out FILE` "
        "and give the file as round_values"
    )


def make_starts(states: StartStates, variant: Variant) -> NDArray[np.void]:
    """Return states given in notation with their summed-up probabilities, dtype `engine.START`.

    Args:
        states: Mappings with `bids_left` (a list; all where it is left out), in the first edition `hand_number`
            instead (0), `you` and `dummys_points` (0; in shut the box you have a point for each hand, whatever is
            given), `aces_left` (5) and `weight` (1).
        variant: The variant they belong to.

    Raises:
        ValueError: If there is none, or one of them is not allowed.
    """
    states = listed(states, "start_states", "[{'bids_left': [3, 4]}]")
    starts, weights = np.zeros(len(states), START), np.ones(len(states))
    first_edition = variant.scoring == SCORINGS[FIRST_EDITION]
    for index, state in enumerate(states):
        if not isinstance(state, Mapping):
            raise ValueError(f"start_states[{index}] must be a mapping such as {{'bids_left': [3]}}, not {state!r}")
        for key in state:
            index_of(key, _START_KEYS, f"a key of start_states[{index}]")
        start, what = starts[index], f"of start_states[{index}]"
        left = listed(state.get("bids_left", range(NUM_BIDS)), f"bids_left {what}", "[3, 4]")
        start["bids"] = sum({1 << integer(bid, 0, NUM_BIDS - 1, f"a bid {what}") for bid in left})
        start["hand_number"] = HANDS - int(start["bids"]).bit_count()
        if first_edition:
            if start["bids"] != ALL_BIDS:
                raise ValueError(f"bids_left {what} is {left}, but in the first edition every bid is left")
            start["hand_number"] = integer(state.get("hand_number", 0), 0, variant.max_hands - 1, f"hand_number {what}")
        elif start["hand_number"] == HANDS or state.get("hand_number", start["hand_number"]) != start["hand_number"]:
            raise ValueError(f"bids_left {what} is {left}, which must be one bid or more and fit the hand_number")
        most = WINNING_POINTS - 1 if first_edition else HANDS * HAND_SIZE
        start["you"] = integer(state.get("you", 0), -100 if first_edition else 0, most, f"you {what}")
        start["dummy"] = integer(state.get("dummys_points", 0), 0, HANDS * HAND_SIZE, f"dummys_points {what}")
        if variant.scoring == SCORINGS[0]:
            start["you"] = start["hand_number"]
        start["turned"] = NUM_SUITS - integer(
            state.get("aces_left", NUM_SUITS - 1), 0, NUM_SUITS - 1, f"aces_left {what}"
        )
        weights[index] = weight_of(state, index)
    check_weights(weights)
    starts["cumulative"] = cumulate(weights)
    return starts
