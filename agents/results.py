"""What an evaluation finds: the games of an agent, the figures made of them, and both as JSON and as a table."""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import eck_env
from eck_env.eck.rules import BY_COUNTER, BY_ECK_CARD, BY_ILLEGAL_ACTION
from eck_env.eck.variant import REGISTERED, Variant, make_variant
from eck_env.files import write_text

if TYPE_CHECKING:
    from rich.table import Table

GAME_RESULT = np.dtype([("won", np.bool_), ("rounds", np.int32), ("reasons", np.int8), ("decisions", np.int32)])
"""One game: whether it was won, its rounds, why it was lost (flags `rules.BY_...`), the decisions of the agent."""

CONFIDENCE = 0.95
FORMAT = 1
"""The version of the JSON files' layout."""


def wilson_interval(successes: int, trials: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the Wilson score interval of a probability.

    Args:
        successes: How often it came out.
        trials: How often it was tried, at least once.
        confidence: The probability that the interval holds the true value.
    """
    if not 0 <= successes <= trials or trials < 1:
        raise ValueError(f"{successes} successes in {trials} trials: there must be a trial, and no more successes")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    rate = successes / trials
    center = rate + z * z / (2 * trials)
    half = z * (rate * (1 - rate) / trials + z * z / (4 * trials * trials)) ** 0.5
    scale = 1 + z * z / trials
    return max(0.0, (center - half) / scale), min(1.0, (center + half) / scale)


@dataclass(frozen=True, eq=False)
class Result:
    """The games of one agent.

    Attributes:
        agent: Its name.
        variant: What was played.
        first_seed: The seed of the first game; the others follow in order.
        games: The games in the order of their seeds, shape (n,), dtype `GAME_RESULT`.
        seconds: How long they took, environment included.
    """

    agent: str
    variant: Variant
    first_seed: int
    games: NDArray[np.void]
    seconds: float

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
            "decisions": self.decisions,
            "seconds": self.seconds,
            "decisions_per_second": self.decisions_per_second,
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


# --- JSON ------------------------------------------------------------------------------------------------------------


def _check_same_deals(results: Sequence[Result]) -> None:
    deals = {(result.variant, result.first_seed, len(result.games)) for result in results}
    if len(deals) != 1:
        raise ValueError(f"results of one table must be of the same variant, seeds and number of games, not {deals}")


def results_to_json(results: Sequence[Result], command: str) -> str:
    """Return the results of agents on the same deals as JSON, every game included.

    Args:
        results: At least one.
        command: The command that made them.
    """
    _check_same_deals(results)
    first = results[0]
    document = {
        "format": FORMAT,
        "command": command,
        "versions": versions(),
        "environment": variant_title(first.variant),
        "variant": asdict(first.variant),
        "first_seed": first.first_seed,
        "games": len(first.games),
        "results": [
            {
                "agent": result.agent,
                "summary": result.summary(),
                "per_game": {name: result.games[name].astype(int).tolist() for name in GAME_RESULT.names or ()},
            }
            for result in results
        ],
    }
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    # The numbers of a list on one line, or the file has a line for each number of each game.
    return re.sub(r"\[\n[-\d.,e\s]+\]", lambda numbers: json.dumps(json.loads(numbers[0])), text) + "\n"


def results_from_json(text: str) -> list[Result]:
    """Return the results in a JSON text; the figures are made anew out of the games.

    Raises:
        ValueError: If it is no text that `results_to_json` made.
    """
    try:
        document = json.loads(text)
        if document["format"] != FORMAT:
            raise ValueError(f"its format is {document['format']!r}, and this program reads {FORMAT}")
        variant = make_variant(**document["variant"])
        return [_result_from_json(entry, variant, document) for entry in document["results"]]
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"no results of an evaluation: {type(error).__name__}: {error}") from error


def _result_from_json(entry: Any, variant: Variant, document: Any) -> Result:
    games = np.zeros(document["games"], GAME_RESULT)
    for name in GAME_RESULT.names or ():
        column = entry["per_game"][name]
        if len(column) != len(games):
            raise ValueError(f"{entry['agent']} has {len(column)} entries of {name} for {len(games)} games")
        games[name] = column
    return Result(entry["agent"], variant, document["first_seed"], games, entry["summary"]["seconds"])


def save_results(path: str | Path, results: Sequence[Result], command: str) -> None:
    """Write results to a JSON file, all of it or nothing."""
    write_text(Path(path), results_to_json(results, command))


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


# --- The table -------------------------------------------------------------------------------------------------------


def results_table(results: Sequence[Result]) -> Table:
    """Return the results of agents on the same deals as a table for the screen."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    _check_same_deals(results)
    first = results[0]
    last_seed = first.first_seed + len(first.games) - 1
    title = f"{variant_title(first.variant)}: {len(first.games):,} games, seeds {first.first_seed} to {last_seed}"
    table = Table(title=title, caption="A game may be lost by both.", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.title_justify = table.caption_justify = "left"
    table.add_column("agent", overflow="fold")
    for heading in ("win\nrate", "95 %\ninterval", "rounds\na game", "lost by\ncounter", "by ECK's\ncard",
                    "illegal\nactions", "decisions\na second"):  # fmt: skip
        table.add_column(heading, justify="right", no_wrap=True)
    for result in results:
        low, high = result.interval
        table.add_row(
            Text(result.agent),
            f"{result.win_rate:.1%}",
            f"{100 * low:.1f} - {high:.1%}",
            f"{result.rounds_per_game:.2f}",
            f"{result.count_reason(BY_COUNTER) / len(result.games):.1%}",
            f"{result.count_reason(BY_ECK_CARD) / len(result.games):.1%}",
            f"{result.count_reason(BY_ILLEGAL_ACTION):,}",
            f"{result.decisions_per_second:,.0f}",
        )
    return table
