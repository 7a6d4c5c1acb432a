"""The variants of the game without numbers: how many play, whether they draft, who starts, who sits at which seat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from eck_env.checks import choice, integer

MIN_PLAYERS, MAX_PLAYERS = 3, 7
YOUR_SEAT = 0
"""Where you sit if others play along."""
ANY_SEAT = -1
"""In place of a start player: a seat drawn by the seed."""

CALLER, RANDOM, HEURISTIC = -1, 0, 1
"""Who decides for a seat: whoever calls the engine, or a compiled player."""
PLAYERS = {"random": RANDOM, "heuristic": HEURISTIC}
"""The players that compiled code can play, and their numbers."""
AGENT = "agent"
"""In place of a compiled player's name: an agent, whom the environment asks."""
NAME_SIGNS = "".join(map(chr, range(32, 127)))
"""What the names of players at other seats are written with."""
MAX_NAME = 64
"""The most signs of such a name."""


@dataclass(frozen=True)
class Variant:
    """One variant of the game.

    Attributes:
        num_players: 3 to 7.
        draft: Whether the hands are drafted; otherwise they are dealt.
        start_player: The seat that starts the first round, or None for one drawn by the seed.
        opponents: The names of those who play at the seats 1, 2, ... against you, or None where the caller decides for
            every seat. A name that is none of a compiled player's is one of an agent's.
    """

    num_players: int = 4
    draft: bool = True
    start_player: int | None = 0
    opponents: tuple[str, ...] | None = ("random", "random", "random")

    @property
    def standard(self) -> Variant:
        """The variant with as many players that a policy for this one is looked for under: any start, any opponents."""
        return make_variant(self.num_players, self.draft)

    @property
    def table(self) -> str:
        """How many play and how, in words, without who they are."""
        start = {None: "any seat starts", YOUR_SEAT: ""}.get(self.start_player, f"seat {self.start_player} starts")
        parts = [f"{self.num_players} players", "with draft" if self.draft else "without draft", start]
        return ", ".join(filter(None, parts))

    @property
    def seats(self) -> list[int]:
        """Who decides for each seat: `CALLER`, or the number of a compiled player."""
        if self.opponents is None:
            return [CALLER] * self.num_players
        return [CALLER, *(PLAYERS.get(name, CALLER) for name in self.opponents)]


def make_table(num_players: Any = 4, draft: Any = True, start_player: Any = 0) -> Variant:
    """Check the keywords of a variant in which the caller decides for every seat.

    Args:
        num_players: 3 to 7.
        draft: Whether the hands are drafted.
        start_player: The seat that starts the first round; None for one drawn by the seed.

    Raises:
        ValueError: If one of them is not allowed; the message says what is.
    """
    count = integer(num_players, MIN_PLAYERS, MAX_PLAYERS, "num_players")
    if not isinstance(draft, bool):
        raise ValueError(f"draft is {draft!r}, but must be True or False")
    start = None if start_player is None else integer(start_player, 0, count - 1, "start_player")
    return Variant(count, draft, start, None)


def make_variant(num_players: Any = 4, draft: Any = True, start_player: Any = 0, opponents: Any = "random") -> Variant:
    """Check the keywords of a variant in which you sit at seat 0.

    Args:
        num_players: See `make_table`; so for all but the last.
        draft: Whether the hands are drafted.
        start_player: A seat, or None.
        opponents: The name of the compiled player at the other seats, or a list of names, one for each.

    Raises:
        ValueError: If one of them is not allowed; the message says what is.
    """
    table = make_table(num_players, draft, start_player)
    names = tuple(
        choice(name, tuple(PLAYERS), "a player of opponents") for name in at_each_seat(opponents, table.num_players)
    )
    return Variant(table.num_players, table.draft, table.start_player, names)


def name_opponents(table: Variant, opponents: Any) -> Variant:
    """Return a variant with these players at the other seats, whoever they are: only their names are noted.

    Args:
        table: How many play, whether they draft, who starts.
        opponents: A name for all of the other seats, or a list of names, one for each.

    Raises:
        ValueError: If one is no name, or the list has another length.
    """
    names = at_each_seat(opponents, table.num_players)
    for name in names:
        if not isinstance(name, str) or not 1 <= len(name) <= MAX_NAME or set(name) - set(NAME_SIGNS):
            raise ValueError(
                f"a player of opponents is called {name!r}, but a name is a text of 1 to {MAX_NAME} letters, digits, "
                "spaces and signs of ASCII"
            )
    return replace(table, opponents=tuple(names))


def at_each_seat(opponents: Any, num_players: int) -> list[Any]:
    """Return who plays at each of the other seats, where one player is given for all of them or a list.

    Raises:
        ValueError: If it is neither, or the list has another length.
    """
    if isinstance(opponents, str) or hasattr(opponents, "act"):
        return [opponents] * (num_players - 1)
    if not isinstance(opponents, Sequence):
        raise ValueError(
            f"opponents is {opponents!r}, but must be one of {', '.join(map(repr, PLAYERS))}, an agent, or a list of "
            "these"
        )
    if len(opponents) != num_players - 1:
        raise ValueError(f"opponents has {len(opponents)} entries, but there are {num_players - 1} other seats")
    return list(opponents)


REGISTERED: dict[str, dict[str, Any]] = {"Numberless-v0": {"num_players": 4}}
"""The registered ids and the keywords of their variants."""
