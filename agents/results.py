"""What an evaluation finds: the games of an agent, the figures made of them, and both as JSON.

What is the same in every game is here; what a game adds is in `agents/games`.
"""

from __future__ import annotations

import json
import platform
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

import eck_env
from agents.intervals import wilson_interval
from agents.measures import Measure
from eck_env.files import write_text
from eck_env.registry import AnyVariant, find_variant, id_of

NO_ROUND = -1
"""In place of what rounds, or hands, had that a game did not have."""

SHARED_FIELDS = [
    ("won", np.bool_),
    ("rounds", np.int32),
    ("reasons", np.int8),  # why it was lost: flags `rules.BY_...` of the game
    ("decisions", np.int32),  # those of the agent
]
"""What is kept of a game, whichever it is; a game adds fields, those of its rounds as arrays with an entry a round."""

FORMAT = 2
"""The version of the JSON files' layout."""


@dataclass(frozen=True, eq=False)
class Result(ABC):
    """The games of one agent; `agents.games` has a class for each game.

    Attributes:
        agent: Its name.
        variant: What was played.
        first_seed: The seed of the first game; the others follow in order.
        games: The games in the order of their seeds, shape (n,), dtype `game_dtype(variant)`.
        seconds: How long they took, environment included; where processes shared them, those of all added up.
        agent_seconds: The processor time of the agent's decisions.
        ROUND_OVER: The column of the engine's events that says whether a round, or hand, has ended.
        MOST_A_ROUND: The highest number that is noted of a round.
        ENDINGS: How games end: by name the flags of the reasons for a loss, 0 for "won" and "drawn".
    """

    agent: str
    variant: Any
    first_seed: int
    games: NDArray[np.void]
    seconds: float
    agent_seconds: float

    ROUND_OVER: ClassVar[int]
    MOST_A_ROUND: ClassVar[int]
    ENDINGS: ClassVar[Mapping[str, int]]

    # --- What a game adds --------------------------------------------------------------------------------------------

    @staticmethod
    @abstractmethod
    def game_dtype(variant: Any) -> np.dtype[Any]:
        """Return the type of one game of a variant: `SHARED_FIELDS` and more."""

    @staticmethod
    @abstractmethod
    def note_rounds(games: NDArray[np.void], rows: NDArray[np.intp], events: NDArray[Any]) -> None:
        """Note what the engine told of rounds that ended; `rounds` counts those before.

        Args:
            games: All games of the evaluation.
            rows: The games in which a round has ended, each once.
            events: What the engine told of them, a row each.
        """

    @abstractmethod
    def columns(self) -> list[tuple[str, str]]:
        """Return the figures of this game for a table, each with its heading."""

    @abstractmethod
    def own_summary(self) -> dict[str, Any]:
        """Return the figures of this game as plain data."""

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Measures beside the win rate, the one by which policies are chosen first; none where that is the win rate."""
        return ()

    @staticmethod
    def table_note() -> str:
        """Return what is to be said below a table."""
        return ""

    # --- Figures -----------------------------------------------------------------------------------------------------

    @property
    def deals(self) -> tuple[AnyVariant, int, int]:
        """What names the deals: the variant, the first seed, the number of games."""
        return self.variant, self.first_seed, len(self.games)

    @property
    def wins(self) -> int:
        """Games won."""
        return int(self.games["won"].sum())

    @property
    def win_rate(self) -> float:
        """The share of the games that was won."""
        return self.wins / len(self.games)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % Wilson interval of the win rate."""
        return wilson_interval(self.wins, len(self.games))

    @property
    def score(self) -> float:
        """By what the better of two policies is told: a measure, or else the win rate; more is better."""
        return self.measures[0].score if self.measures else self.win_rate

    @property
    def rounds_per_game(self) -> float:
        """Rounds, or hands, a game, on average."""
        return float(self.games["rounds"].mean())

    @property
    def decisions(self) -> int:
        """Decisions in all games together."""
        return int(self.games["decisions"].sum())

    @property
    def decisions_per_second(self) -> float:
        """Decisions a second, environment included."""
        return self.decisions / self.seconds

    @property
    def ms_per_decision(self) -> float:
        """Milliseconds of processor time that the agent takes for a decision, on average."""
        return 1000 * self.agent_seconds / self.decisions

    @property
    def endings(self) -> dict[str, int]:
        """How many games ended in each way, by the names of `ENDINGS`."""
        won, reasons = self.games["won"], self.games["reasons"]
        counts = {name: np.count_nonzero(~won & (reasons == flags)) for name, flags in self.ENDINGS.items()}
        return {name: self.wins if name == "won" else int(count) for name, count in counts.items()}

    def count_reason(self, reason: int) -> int:
        """Return how many games were lost by a reason, a flag `rules.BY_...`; a game may be lost by two."""
        return int(np.count_nonzero(self.games["reasons"] & reason))

    @property
    def illegal_actions(self) -> int:
        """Games lost by an illegal action."""
        return self.count_reason(self.ENDINGS["illegal action"])

    def summary(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return {
            "games": len(self.games),
            "wins": self.wins,
            "win_rate": self.win_rate,
            "win_rate_interval": list(self.interval),
            "rounds_per_game": self.rounds_per_game,
            **self.own_summary(),
            "illegal_actions": self.illegal_actions,
            "decisions": self.decisions,
            "seconds": self.seconds,
            "agent_seconds": self.agent_seconds,
            "decisions_per_second": self.decisions_per_second,
            "ms_per_decision": self.ms_per_decision,
        }


def result_class(variant: AnyVariant) -> type[Result]:
    """Return the class of the results of a variant's game."""
    from agents.games import kit_of  # which imports this module

    return kit_of(variant).result


def variant_title(variant: AnyVariant) -> str:
    """Return the registered id of a variant, or else what makes it."""
    known = id_of(variant)
    if known is not None:
        return known
    texts = {name: " ".join(value) if isinstance(value, tuple) else value for name, value in asdict(variant).items()}
    return ", ".join(f"{name.replace('trick_cards', 'trick cards')} {text}" for name, text in texts.items())


def versions() -> dict[str, str]:
    """Return the versions that results may depend on."""
    libraries = {name: version(name) for name in ("numpy", "numba", "gymnasium")}
    return {"eck_env": eck_env.__version__, **libraries, "python": platform.python_version()}


def by_deals(results: Sequence[Result]) -> list[list[Result]]:
    """Return the results in groups of the same variant, seeds and number of games, in the order of the first ones."""
    order = list(dict.fromkeys(result.deals for result in results))
    ranked = sorted(results, key=lambda result: order.index(result.deals))
    return [list(group) for _, group in groupby(ranked, key=lambda result: result.deals)]


def check_same_deals(results: Sequence[Result]) -> None:
    """Raise ValueError if results are not all of the same variant, seeds and number of games."""
    deals = {result.deals for result in results}
    if len(deals) != 1:
        raise ValueError(f"results of one table must be of the same variant, seeds and number of games, not {deals}")


# --- JSON ------------------------------------------------------------------------------------------------------------


def games_to_data(games: NDArray[np.void]) -> dict[str, Any]:
    """Return games as plain data, a list of numbers for each field.

    What is noted of rounds is a text: a word for each game, a hexadecimal digit for each round.
    """
    return {
        name: _words(games[name]) if games[name].ndim > 1 else games[name].astype(int).tolist()
        for name in _names(games.dtype)
    }


def games_from_data(data: Mapping[str, Any], variant: AnyVariant) -> NDArray[np.void]:
    """Return the games that `games_to_data` wrote.

    Args:
        data: What it wrote.
        variant: What was played.

    Raises:
        KeyError: If a field is missing.
        ValueError: If the fields are not all of the same number of games, or no numbers that they can have.
    """
    kind = result_class(variant)
    dtype = kind.game_dtype(variant)
    columns = {name: data[name].split() if dtype[name].shape else data[name] for name in _names(dtype)}
    games = np.zeros(len(columns["won"]), dtype)
    for name, entries in columns.items():
        if len(entries) != len(games):
            raise ValueError(f"there are {len(entries)} entries of {name} for {len(games)} games")
        if dtype[name].shape:
            games[name] = NO_ROUND
            for row, word in zip(games[name], entries, strict=True):
                digits = [] if word == _NONE else [int(digit, kind.MOST_A_ROUND + 1) for digit in word]
                row[: len(digits)] = digits
        else:
            games[name] = entries
    return games


_NONE = "-"


def _names(dtype: np.dtype[Any]) -> tuple[str, ...]:
    """Return the names of a game's fields."""
    assert dtype.names is not None
    return dtype.names


def _words(rounds: NDArray[np.int8]) -> str:
    words = ("".join(f"{number:x}" for number in row if number != NO_ROUND) for row in rounds.tolist())
    return " ".join(word or _NONE for word in words)


def results_to_json(results: Sequence[Result], command: str, request: Mapping[str, Any] | None = None) -> str:
    """Return results as JSON, every game included; those on the same deals stand together.

    Args:
        results: At least one.
        command: The command that made them.
        request: What was asked for in the terms of whoever asks: it is stored as it is.
    """
    document = {
        "format": FORMAT,
        "command": command,
        "versions": versions(),
        **({} if request is None else {"request": dict(request)}),
        "evaluations": [_group_to_data(group) for group in by_deals(results)],
    }
    return compact_json(document)


def compact_json(document: Any) -> str:
    """Return JSON with the numbers of a list on one line, or it had a line for each number of each game."""
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    return re.sub(r"\[\n[-\d.,e\s]+\]", lambda numbers: json.dumps(json.loads(numbers[0])), text) + "\n"


def _group_to_data(results: Sequence[Result]) -> dict[str, Any]:
    variant, first_seed, games = results[0].deals
    return {
        "environment": variant_title(variant),
        "variant": asdict(variant),
        "first_seed": first_seed,
        "games": games,
        "results": [
            {"agent": result.agent, "summary": result.summary(), "per_game": games_to_data(result.games)}
            for result in results
        ],
    }


def results_from_json(text: str) -> list[Result]:
    """Return the results in a JSON text; the figures are made anew out of the games.

    Raises:
        ValueError: If it is no text that `results_to_json` made.
    """
    try:
        document = read_document(text)
        return [_result_from_data(entry, group) for group in document["evaluations"] for entry in group["results"]]
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"no results of an evaluation: {type(error).__name__}: {error}") from error


def read_document(text: str) -> dict[str, Any]:
    """Return the JSON document of results.

    Raises:
        TypeError: If it is no document at all.
        KeyError: If it does not say its format.
        ValueError: If it is no JSON, or of another format.
    """
    document: dict[str, Any] = json.loads(text)
    if document["format"] != FORMAT:
        raise ValueError(
            f"its format is {document['format']!r}, and this program reads {FORMAT}: evaluate anew by the command that "
            "the file names"
        )
    return document


def _result_from_data(entry: Any, group: Any) -> Result:
    variant = find_variant(group["variant"])
    games = games_from_data(entry["per_game"], variant)
    if len(games) != group["games"]:
        raise ValueError(f"{entry['agent']} has {len(games)} games instead of {group['games']}")
    summary = entry["summary"]
    numbers = group["first_seed"], games, summary["seconds"], summary["agent_seconds"]
    return result_class(variant)(entry["agent"], variant, *numbers)


def save_results(
    path: str | Path, results: Sequence[Result], command: str, request: Mapping[str, Any] | None = None
) -> None:
    """Write results to a JSON file, all of it or nothing; see `results_to_json`."""
    write_text(Path(path), results_to_json(results, command, request))


def load_results(path: str | Path) -> list[Result]:
    """Return the results in a JSON file.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If it holds something else.
    """
    try:
        return results_from_json(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
