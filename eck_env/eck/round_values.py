"""Round values: the chance to win the game at the start of a round, by trick cards and counter.

Between the rounds the game is small and has no cycles: a table W of a few thousand entries says what every end of a
round is worth. Tables are NumPy archives without pickled objects; those of the registered variants lie beside this
file. `agents/round_value_iteration.py` makes them.
"""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.base.starts import check_weights, cumulate, weight_of
from eck_env.checks import index_of, listed
from eck_env.compiled import entry_point, rule
from eck_env.eck.cards import HAND_SIZE
from eck_env.eck.engine import START, VALUES_SHAPE, round_value
from eck_env.eck.loading import load_trick_cards
from eck_env.eck.rules import COUNTERS, finish_round, foresee
from eck_env.eck.state import new_games, record, trick_card_statuses
from eck_env.eck.variant import REGISTERED, Variant, make_variant
from eck_env.files import write_bytes

StartStates = Sequence[Mapping[str, Any]]

_FOLDER = Path(__file__).parent / "data"
_COLUMNS = ("yours", "gray", "counter", "value", "stderr", "visits")


@rule
def end_worths(game: Any, values: NDArray[np.float64], scratch: Any, worths: NDArray[np.float64]) -> None:
    """Write what each count of tricks is worth at the end of this round.

    Args:
        game: The record of the game.
        values: The table of round values, shape `VALUES_SHAPE`.
        scratch: A record that is overwritten.
        worths: The chance to win by tricks taken, shape (14,); written.
    """
    for tricks in range(HAND_SIZE + 1):
        scratch.laid, scratch.target, scratch.effects[:] = game.laid, game.target, game.effects
        scratch.gray, scratch.yours, scratch.ecks, scratch.counter = game.gray, game.yours, game.ecks, game.counter
        scratch.outcome, scratch.reasons = game.outcome, game.reasons
        scratch.won, scratch.lost = tricks, HAND_SIZE - tricks
        finish_round(scratch)
        worths[tricks] = round_value(scratch, values)


@entry_point
def _all_end_worths(
    games: NDArray[np.void], values: NDArray[np.float64], scratch: NDArray[np.void], worths: NDArray[np.float64]
) -> None:
    for index in range(games.shape[0]):
        foresee(games[index])
        end_worths(games[index], values, scratch[0], worths[index])


@dataclass(frozen=True)
class RoundValues:
    """A table of round values.

    Attributes:
        target: The variant's target.
        trick_cards: The names of the trick cards laid out.
        values: The chance to win by counter, set of collected cards and set of gray cards, shape (3, 128, 128),
            float64; NaN where a game cannot get to.
        stderr: The standard errors of the values, of the same shape.
        visits: How often a game comes to a state at the start of a round, on average; of the same shape.
    """

    target: int
    trick_cards: tuple[str, ...]
    values: NDArray[np.float64]
    stderr: NDArray[np.float64]
    visits: NDArray[np.float64]

    def check_variant(self, variant: Variant) -> None:
        """Raise ValueError if the table is that of another target or of other trick cards."""
        if (self.target, self.trick_cards) != (variant.target, variant.trick_cards):
            raise ValueError(
                f"the round values are those of target {self.target} with the cards {', '.join(self.trick_cards)}, "
                f"but the variant has target {variant.target} with {', '.join(variant.trick_cards)}"
            )

    def starts(self) -> NDArray[np.void]:
        """Return the states that games reach with their summed-up probabilities, dtype `engine.START`."""
        counter, yours, gray = np.nonzero(self.visits > 0)
        return _cumulate(yours, gray, counter, self.visits[counter, yours, gray])

    def value(self, trick_cards: Mapping[str, str], counter: str) -> float:
        """Return the chance to win with these trick cards (name to status) and this counter.

        Raises:
            ValueError: If a name, a status or the counter is not one of this variant, or no game gets there.
        """
        games = new_games(1, make_variant(self.target, self.trick_cards))
        game = record(games, 0)
        load_trick_cards(game, trick_cards, partial=True)
        value = float(self.values[index_of(counter, COUNTERS[:-1], "counter"), game.yours, game.gray])
        if game.ecks or np.isnan(value):
            raise ValueError(f"no round of a game starts with the trick cards {dict(trick_cards)}, counter {counter!r}")
        return value

    def end_worths(self) -> NDArray[np.float64]:
        """Return what each count of tricks is worth at the end of a round, shape (3, 128, 128, 14), NaN where unknown.

        The first three axes are those of `values`, for the start of the round; the last is the tricks taken in it.
        """
        counter, yours, gray = np.nonzero(~np.isnan(self.values))
        games = new_games(len(counter), make_variant(self.target, self.trick_cards))
        games["counter"], games["yours"], games["gray"] = counter, yours, gray
        worths = np.full((*VALUES_SHAPE, HAND_SIZE + 1), np.nan)
        known = np.zeros((len(games), HAND_SIZE + 1))
        _all_end_worths(games, self.values, games[:1].copy(), known)
        worths[counter, yours, gray] = known
        return worths

    def save(self, path: str | Path) -> None:
        """Write the table to a file, all of it or nothing."""
        counter, yours, gray = place = np.nonzero(~np.isnan(self.values))
        buffer = io.BytesIO()
        np.savez_compressed(
            buffer,
            target=np.int64(self.target),
            trick_cards=np.array(self.trick_cards),
            yours=yours.astype(np.int8),
            gray=gray.astype(np.int8),
            counter=counter.astype(np.int8),
            value=self.values[place].astype(np.float32),
            stderr=self.stderr[place].astype(np.float32),
            visits=self.visits[place].astype(np.float32),
        )
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
            columns = {name: file[name] for name in _COLUMNS}
            target, names = int(file["target"]), tuple(str(name) for name in file["trick_cards"])
    except (ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(
            f"{path} is no table of round values ({error}): make one with round_value_iteration"
        ) from error
    tables = {name: np.full(VALUES_SHAPE, np.nan) for name in ("value", "stderr")} | {"visits": np.zeros(VALUES_SHAPE)}
    for name, table in tables.items():
        table[columns["counter"], columns["yours"], columns["gray"]] = columns[name]
    return RoundValues(target, names, tables["value"], tables["stderr"], tables["visits"])


def _shipped(variant: Variant) -> Path:
    for env_id, keywords in REGISTERED.items():
        known = make_variant(**keywords)
        if (known.target, known.trick_cards) == (variant.target, variant.trick_cards):
            return _FOLDER / f"{env_id}.npz"
    raise ValueError(
        f"no round values are shipped for target {variant.target} with the trick cards "
        f"{', '.join(variant.trick_cards)}: make them with `python -m agents.round_value_iteration --target ... "
        "--trick-cards ... --out FILE` and give the file as round_values"
    )


def make_starts(states: StartStates, variant: Variant) -> NDArray[np.void]:
    """Return states given in notation with their summed-up probabilities, dtype `engine.START`.

    Args:
        states: Mappings with `trick_cards` (name to ``colored``, ``gray`` or ``yours``; colored if left out),
            `counter` (``"0"`` if left out) and `weight` (1 if left out).
        variant: The variant they belong to.

    Raises:
        ValueError: If there is none, or one of them is not allowed.
    """
    states = listed(states, "start_states", "[{'counter': '1'}]")
    games = new_games(len(states), variant)
    weights = np.ones(len(states))
    for index, state in enumerate(states):
        if not isinstance(state, Mapping):
            raise ValueError(f"start_states[{index}] must be a mapping such as {{'counter': '1'}}, not {state!r}")
        for key in state:
            index_of(key, ("trick_cards", "counter", "weight"), f"a key of start_states[{index}]")
        game = record(games, index)
        load_trick_cards(game, state.get("trick_cards", {}), partial=True)
        game.counter = index_of(state.get("counter", "0"), COUNTERS[:-1], "counter")
        weights[index] = weight_of(state, index)
        if game.ecks or int(game.yours).bit_count() >= variant.target:
            statuses = trick_card_statuses(int(game.laid), int(game.gray), int(game.yours), int(game.ecks))
            raise ValueError(f"start_states[{index}] has the trick cards {statuses}, with which the game is over")
    check_weights(weights)
    return _cumulate(games["yours"], games["gray"], games["counter"], weights)


def _cumulate(
    yours: NDArray[Any], gray: NDArray[Any], counter: NDArray[Any], weights: NDArray[Any]
) -> NDArray[np.void]:
    starts = np.zeros(len(weights), START)
    starts["yours"], starts["gray"], starts["counter"] = yours, gray, counter
    starts["cumulative"] = cumulate(weights)
    return starts
