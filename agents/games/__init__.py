"""What agents, their evaluation and their training need to know of each game: one kit a game, found by the variant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from eck_env.eck import variant as eck
from eck_env.gongor_whist import variant as gongor_whist
from eck_env.numberless import variant as numberless
from eck_env.registry import AnyVariant

if TYPE_CHECKING:
    from agents.agent import Agent
    from agents.results import Result


@dataclass(frozen=True)
class GameKit:
    """What there is for one game.

    Attributes:
        result: The class of its results.
        make_heuristic: `()`: return the heuristic agent.
        make_search: `(spec, variant)`: return the search that ``mc:BUDGET`` or ``mc:BUDGET:PLAYER`` names.
        pictures: `(groups)`: return the pictures of a report that this game has beside those of every game.
        share_tables: `(group)`: return tables of a report, each as its title, its headings and its rows.
    """

    result: type[Result]
    make_heuristic: Callable[[], Agent]
    make_search: Callable[[str, Any], Agent]
    pictures: Callable[[Any], list[Any]]
    share_tables: Callable[[Any], list[Any]]


_HOMES: dict[type, str] = {
    eck.Variant: "agents.games.eck",
    gongor_whist.Variant: "agents.games.gongor_whist",
    numberless.Variant: "agents.games.numberless",
}


@cache
def kit_of(variant: AnyVariant) -> GameKit:
    """Return the kit of a variant's game; its modules are imported when they are first needed."""
    kit: GameKit = import_module(_HOMES[type(variant)]).KIT
    return kit
