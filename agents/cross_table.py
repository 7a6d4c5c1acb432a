"""Every agent against every other at one table, with the seats rotated, on equal deals.

An entry of the table is one agent at one seat against another at all other seats. Each deal is played once with the one
agent at every seat; what it is worth is the mean of its shares of the win, 1/k for each of k winners. Equally good
agents have 1/n of it, with n players. Deals are independent of one another, so the intervals are those of a mean over
deals.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import permutations
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.agent import Agent, make_agent
from agents.intervals import CONFIDENCE
from agents.workers import Workers, check_processes, result_of
from eck_env.numberless.definition import NUMBERLESS
from eck_env.numberless.engine import Setup
from eck_env.numberless.variant import Variant, make_variant

CHUNK = 500
"""Deals of a chunk, of which every process plays one at a time."""
_Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


@dataclass(frozen=True)
class Pairing:
    """One agent at one seat against another at all others, on a number of deals.

    Attributes:
        one: The text that names the one agent; see `agents.agent.make_agent`.
        others: That of the other.
        variant: What is played; its opponents do not matter.
        first_seed: The seed of the first deal; the others follow.
        deals: How many.
    """

    one: str
    others: str
    variant: Variant
    first_seed: int
    deals: int

    def __str__(self) -> str:
        last = self.first_seed + self.deals - 1
        return f"{self.one} against {self.others}, seeds {self.first_seed} to {last}"


@dataclass(frozen=True, eq=False)
class Shares:
    """How one agent fared against another.

    Attributes:
        shares: Its share of the win by deal, on average over the seats it sat at, shape (deals,).
        cards: The cards that counted against it, likewise.
        seconds: The processor time of its decisions.
        decisions: Their number.
    """

    shares: NDArray[np.float64]
    cards: NDArray[np.float64]
    seconds: float
    decisions: int

    @property
    def mean(self) -> float:
        """Its share of the wins."""
        return float(self.shares.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of its share of the wins."""
        half = _Z * float(self.shares.std(ddof=1)) / sqrt(len(self.shares)) if len(self.shares) > 1 else float("inf")
        return self.mean - half, self.mean + half

    @property
    def ms_per_decision(self) -> float:
        """Milliseconds of processor time a decision."""
        return 1000 * self.seconds / max(1, self.decisions)


def play_pairing(pairing: Pairing, one: Agent, others: Agent) -> Shares:
    """Play a pairing, every deal once with the one agent at each seat."""
    variant, players = pairing.variant, pairing.variant.num_players
    seeds = np.repeat(pairing.first_seed + np.arange(pairing.deals, dtype=np.int64), players)
    seats = np.tile(np.arange(players), pairing.deals)
    table = _Tables(variant, seeds)
    shares, cards = np.zeros(len(seeds)), np.zeros(len(seeds))
    seconds, decisions = 0.0, 0
    while len(table.rows):
        mine = table.turns == seats[table.rows]
        actions = np.zeros(len(mine), np.int64)
        for agent, chosen in ((one, mine), (others, ~mine)):
            if chosen.any():
                start = time.process_time()
                actions[chosen] = agent.act(*table.seen(chosen))
                if agent is one and chosen is mine:
                    seconds += time.process_time() - start
                    decisions += int(chosen.sum())
        for row, counts in table.step(actions):
            own, lowest = counts[seats[row]], counts.min()
            shares[row] = (own == lowest) / np.count_nonzero(counts == lowest)
            cards[row] = own
    by_deal = (-1, players)
    return Shares(shares.reshape(by_deal).mean(axis=1), cards.reshape(by_deal).mean(axis=1), seconds, decisions)


class _Tables:
    """Games in which every seat is the caller's; those that are over are taken away.

    Attributes:
        rows: The numbers of the games that go on, in order.
    """

    def __init__(self, variant: Variant, seeds: NDArray[np.int64]) -> None:
        table = Variant(variant.num_players, variant.draft, variant.start_player, None)
        self._players = variant.num_players
        self._games = NUMBERLESS.new_games(len(seeds), table)
        self._games["seed"] = seeds
        self.rows = np.arange(len(seeds))
        self._outputs = NUMBERLESS.engine.make_outputs(len(seeds), np.dtype(np.int8))
        self._setup = Setup(0.0, NUMBERLESS.no_scripts(len(seeds)))
        NUMBERLESS.engine.reset_games(self._games, np.ones(len(seeds), np.bool_), self._setup, self._outputs)

    @property
    def turns(self) -> NDArray[np.int8]:
        """The seat to move in each game that goes on."""
        return self._games["turn"]

    def seen(self, chosen: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[np.int8], NDArray[np.int64]]:
        """Return observations, masks and keys of some of the games."""
        games = self._games[chosen]
        keys = np.stack([games["seed"], games["game_number"], games["decision"]], axis=1).astype(np.int64)
        return self._outputs.observations[chosen], self._outputs.masks[chosen], keys

    def step(self, actions: NDArray[np.int64]) -> list[tuple[int, NDArray[np.int64]]]:
        """Take an action in each game; return the number and the counts of those that have ended.

        Raises:
            ValueError: If an action is illegal.
        """
        index = NUMBERLESS.engine.first_illegal(self._games, actions)
        if index >= 0:
            raise ValueError(f"an agent chose the illegal action {actions[index]}")
        NUMBERLESS.engine.step_games(self._games, actions, 0, self._setup, self._outputs)
        over = self._games["over"] != 0
        if not over.any():
            return []
        ended = [
            (int(row), _counts(game, self._players))
            for row, game in zip(self.rows[over], self._games[over], strict=True)
        ]
        self.rows, self._games = self.rows[~over], self._games[~over]
        self._outputs = self._outputs._replace(
            **{name: part[~over] for name, part in self._outputs._asdict().items() if name != "final_observations"}
        )
        self._setup = Setup(0.0, NUMBERLESS.no_scripts(len(self.rows)))
        return ended


def _counts(game: Any, players: int) -> NDArray[np.int64]:
    hands = [int(hand).bit_count() for hand in game["hands"][:players]]
    counts: NDArray[np.int64] = np.array(hands, np.int64) + game["collected"][:players]
    return counts


# --- Many pairings ---------------------------------------------------------------------------------------------------

_AGENTS: dict[tuple[str, Variant], Agent] = {}
"""The agents that this process has made."""


def play_chunk(pairing: Pairing) -> Shares:
    """Play a pairing by agents that are made if they are not there yet, and have decided once that does not count."""
    agents = []
    for spec in (pairing.one, pairing.others):
        key = spec, pairing.variant
        if key not in _AGENTS:
            _AGENTS[key] = make_agent(*key)
            warm = _Tables(pairing.variant, np.array([pairing.first_seed]))
            _AGENTS[key].act(*warm.seen(np.ones(1, np.bool_)))
        agents.append(_AGENTS[key])
    return play_pairing(pairing, *agents)


def join(parts: Sequence[Shares]) -> Shares:
    """Return what several chunks of deals come to together."""
    return Shares(
        np.concatenate([part.shares for part in parts]),
        np.concatenate([part.cards for part in parts]),
        sum(part.seconds for part in parts),
        sum(part.decisions for part in parts),
    )


def chunks_of(pairing: Pairing, size: int = CHUNK) -> list[Pairing]:
    """Return a pairing in chunks of deals."""
    starts = range(0, pairing.deals, size)
    return [
        Pairing(
            pairing.one, pairing.others, pairing.variant, pairing.first_seed + start, min(size, pairing.deals - start)
        )
        for start in starts
    ]


def pairings_of(agents: Sequence[str], variant: Variant, first_seed: int, deals: int) -> list[Pairing]:
    """Return the pairings of a cross table: each agent against each other one.

    Raises:
        ValueError: If there are not at least two agents, or one is named twice.
    """
    if len(set(agents)) != len(agents) or len(agents) < 2:
        raise ValueError(f"a cross table needs two agents or more, each named once, not {', '.join(agents) or 'none'}")
    return [Pairing(one, others, variant, first_seed, deals) for one, others in permutations(agents, 2)]


def play_pairings(
    pairings: Sequence[Pairing],
    processes: int = 1,
    done: Callable[[Pairing, Shares], None] | None = None,
    progress: Callable[[int], None] | None = None,
) -> dict[tuple[str, str], Shares]:
    """Play pairings, over processes; what comes out does not depend on their number.

    Args:
        pairings: Any number.
        processes: How many.
        done: Told of each pairing that is finished, in order.
        progress: Told of the number of deals that have just been played.

    Raises:
        ValueError: If that is no number of processes.
    """
    check_processes(processes)
    found: dict[tuple[str, str], Shares] = {}
    with Workers(processes) as workers:
        jobs: list[list[Future[Shares]]] = [[] for _ in pairings]
        if processes > 1:
            jobs = [[workers.call(play_chunk, chunk) for chunk in chunks_of(pairing)] for pairing in pairings]
        for pairing, futures in zip(pairings, jobs, strict=True):
            parts = []
            for number, chunk in enumerate(chunks_of(pairing)):
                future = futures[number] if futures else workers.call(play_chunk, chunk)
                parts.append(result_of(future, chunk))
                if progress is not None:
                    progress(chunk.deals)
            found[pairing.one, pairing.others] = join(parts)
            if done is not None:
                done(pairing, found[pairing.one, pairing.others])
    return found


def standard_variant(num_players: int = 4, draft: bool = True) -> Variant:
    """Return the variant of a table whose first start player is drawn by the seed, so that no seat is preferred."""
    return make_variant(num_players, draft, None)
