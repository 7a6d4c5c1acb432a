"""What an evaluation finds: the games of an agent, the figures made of them, and both as JSON."""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import eck_env
from agents.intervals import wilson_interval
from eck_env.eck.cards import HAND_SIZE
from eck_env.eck.rules import BY_COUNTER, BY_ECK_CARD, BY_ILLEGAL_ACTION, COUNTER_LOST
from eck_env.eck.variant import NUM_TRICK_CARDS, REGISTERED, TRICK_CARDS, Variant, make_variant
from eck_env.files import write_text

MAX_ROUNDS = NUM_TRICK_CARDS * COUNTER_LOST
"""The most rounds that a game can have: every card is collected, or the game lost, after failed rounds in a row."""
NO_ROUND = -1
"""In place of the tricks of rounds that a game did not have."""

GAME_RESULT = np.dtype(
    [
        ("won", np.bool_),
        ("rounds", np.int32),
        ("reasons", np.int8),  # why it was lost: flags `rules.BY_...`
        ("decisions", np.int32),  # those of the agent
        ("collected", np.int8),  # the trick cards, a set of bits in the order of `TRICK_CARDS`
        ("tricks", np.int8, MAX_ROUNDS),  # those taken in each round that was played to its end, then `NO_ROUND`
    ]
)
"""One game."""

ENDINGS = ("won", "counter", "ECK's card", "both", "illegal action")
"""How games end: won, or lost by which reason; a round may lose a game by the counter and by ECK's card at once."""

FORMAT = 2
"""The version of the JSON files' layout."""

_NUMBERS = ("won", "rounds", "reasons", "decisions", "collected")


@dataclass(frozen=True, eq=False)
class Result:
    """The games of one agent.

    Attributes:
        agent: Its name.
        variant: What was played.
        first_seed: The seed of the first game; the others follow in order.
        games: The games in the order of their seeds, shape (n,), dtype `GAME_RESULT`.
        seconds: How long they took, environment included; where processes shared them, those of all added up.
        agent_seconds: The processor time of the agent's decisions.
    """

    agent: str
    variant: Variant
    first_seed: int
    games: NDArray[np.void]
    seconds: float
    agent_seconds: float

    @property
    def deals(self) -> tuple[Variant, int, int]:
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
    def rounds_per_game(self) -> float:
        """Rounds a game, on average."""
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
    def tricks(self) -> NDArray[np.int64]:
        """In how many rounds 0 to 13 tricks were taken, shape (14,)."""
        played = self.games["tricks"][self.games["tricks"] != NO_ROUND]
        return np.bincount(played, minlength=HAND_SIZE + 1)

    @property
    def collected(self) -> dict[str, int]:
        """In how many games each trick card laid out was collected, by name."""
        return {
            name: int(np.count_nonzero(self.games["collected"] >> TRICK_CARDS.index(name) & 1))
            for name in self.variant.trick_cards
        }

    @property
    def endings(self) -> dict[str, int]:
        """How many games ended in each way, by the names of `ENDINGS`."""
        flags = (0, BY_COUNTER, BY_ECK_CARD, BY_COUNTER | BY_ECK_CARD, BY_ILLEGAL_ACTION)
        return {
            name: int(np.count_nonzero(self.games["reasons"] == flag))
            for name, flag in zip(ENDINGS, flags, strict=True)
        }

    def count_reason(self, reason: int) -> int:
        """Return how many games were lost by a reason, a flag `rules.BY_...`; a game may be lost by two."""
        return int(np.count_nonzero(self.games["reasons"] & reason))

    def summary(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return {
            "games": len(self.games),
            "wins": self.wins,
            "win_rate": self.win_rate,
            "win_rate_interval": list(self.interval),
            "rounds_per_game": self.rounds_per_game,
            "lost_by_counter": self.count_reason(BY_COUNTER),
            "lost_by_eck_card": self.count_reason(BY_ECK_CARD),
            "illegal_actions": self.count_reason(BY_ILLEGAL_ACTION),
            "tricks": self.tricks.tolist(),
            "collected": self.collected,
            "decisions": self.decisions,
            "seconds": self.seconds,
            "agent_seconds": self.agent_seconds,
            "decisions_per_second": self.decisions_per_second,
            "ms_per_decision": self.ms_per_decision,
        }


def variant_title(variant: Variant) -> str:
    """Return the registered id of a variant, or else what makes it."""
    for env_id, keywords in REGISTERED.items():
        if make_variant(**keywords) == variant:
            return env_id
    return (
        f"target {variant.target}, trick cards {' '.join(variant.trick_cards)}, circle_follow {variant.circle_follow}"
    )


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

    The tricks are a text: a word for each game, a hexadecimal digit for each round.
    """
    rounds = ("".join(f"{tricks:x}" for tricks in row if tricks != NO_ROUND) for row in games["tricks"].tolist())
    numbers = {name: games[name].astype(int).tolist() for name in _NUMBERS}
    return numbers | {"tricks": " ".join(word or "-" for word in rounds)}


def games_from_data(data: Mapping[str, Any]) -> NDArray[np.void]:
    """Return the games that `games_to_data` wrote.

    Raises:
        KeyError: If a field is missing.
        ValueError: If the fields are not all of the same number of games, or no numbers that they can have.
    """
    words = data["tricks"].split()
    games = np.zeros(len(words), GAME_RESULT)
    for name in _NUMBERS:
        if len(data[name]) != len(games):
            raise ValueError(f"there are {len(data[name])} entries of {name} for {len(games)} games")
        games[name] = data[name]
    games["tricks"] = NO_ROUND
    for row, word in zip(games["tricks"], words, strict=True):
        tricks = [] if word == "-" else [int(digit, HAND_SIZE + 1) for digit in word]
        row[: len(tricks)] = tricks
    return games


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
    games = games_from_data(entry["per_game"])
    if len(games) != group["games"]:
        raise ValueError(f"{entry['agent']} has {len(games)} games instead of {group['games']}")
    summary = entry["summary"]
    variant = make_variant(**group["variant"])
    return Result(entry["agent"], variant, group["first_seed"], games, summary["seconds"], summary["agent_seconds"])


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
