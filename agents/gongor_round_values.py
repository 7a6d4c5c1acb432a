"""Making a table of round values of Gongor Whist: what a game is worth at the start of a hand, backwards from its end.

Hands are dealt with all bids open, and a compiled player plays each bid many times over, with the hidden cards dealt
anew; how often that takes each number of tricks and leaves each number of Aces is all that a hand is known by. Between
hands nothing ever returns, so the states are settled backwards: a state is worth the mean over hands of the best bid
that is left in it, judged by the states after it. The bid is chosen by one half of the playouts and judged by the
other, so that luck in the choosing does not count.

    python -m agents.gongor_round_values --env GongorWhist-v0 --hands 2000 --playouts 32
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from eck_env.batch import DRAWN, LOST, TRAINING_SEEDS, WON
from eck_env.checks import choice
from eck_env.gongor_whist.cards import HAND_SIZE, NUM_SUITS
from eck_env.gongor_whist.players import PLAYERS
from eck_env.gongor_whist.playouts import tally_bids
from eck_env.gongor_whist.round_values import RoundValues
from eck_env.gongor_whist.rules import ALL_BIDS, NUM_BIDS, WINNING_POINTS, dummys_points, your_points
from eck_env.gongor_whist.standing import HIGHEST, LOWEST, final_value, values_shape
from eck_env.gongor_whist.state import new_games
from eck_env.gongor_whist.variant import FIRST_EDITION, REGISTERED, SCORINGS, SHUT_THE_BOX, Variant, make_variant

_CHUNK = 100  # hands between two looks at the progress
_RARE = 1e-5  # states that come up less often are no starts

Progress = Callable[[int, int], None]
Tallies = dict[tuple[int, int], NDArray[np.float64]]
"""By fore or back hand and Aces left: the shares of tricks and Aces, shape (hands, 2, 8, 8, 6)."""


def tally(
    variant: Variant, player: str, hands: int, playouts: int, seed: int, progress: Progress | None = None
) -> Tallies:
    """Play the bids of many hands, fore hands and back hands with every number of Aces that can be left.

    Args:
        variant: The variant.
        player: A name out of `players.PLAYERS`.
        hands: How many of each kind.
        playouts: How often each bid of a hand is played, at least 2.
        seed: The seed of the first hand; each hand has the next one.
        progress: Called with the number of hands done and of all hands.
    """
    kinds = [(back, aces) for back in (0, 1) for aces in range(NUM_SUITS)]
    if variant.aces == "pass":
        kinds = [(back, aces) for back, aces in kinds if back or aces == NUM_SUITS - 1]
    found: Tallies = {}
    for number, (back, aces) in enumerate(kinds):
        counts = np.zeros((hands, 2, NUM_BIDS, HAND_SIZE + 1, NUM_SUITS), np.int32)
        games = new_games(hands, variant)
        games["hand_number"], games["turned"], games["bids"] = back, NUM_SUITS - aces, ALL_BIDS
        games["seed"] = seed + number * hands + np.arange(hands)
        for start in range(0, hands, _CHUNK):
            part = slice(start, start + _CHUNK)
            tally_bids(games[part], PLAYERS[player], playouts, games[:2].copy(), counts[part])
            if progress:
                progress(number * hands + min(start + _CHUNK, hands), len(kinds) * hands)
        found[back, aces] = counts / counts.sum(axis=(3, 4), keepdims=True)
    return found


class Solver:
    """Settles the states of a variant backwards.

    Args:
        variant: The variant.
        tallies: What comes of bids.
    """

    def __init__(self, variant: Variant, tallies: Tallies) -> None:
        self._variant, self._tallies = variant, tallies
        self._scoring = SCORINGS.index(variant.scoring)
        shape = values_shape(variant)
        self._values, self._spreads, self._visits = (np.zeros(shape) for _ in range(3))
        self._leads = np.arange(LOWEST[self._scoring], HIGHEST[self._scoring] + 1)
        self._moves: dict[tuple[int, int], NDArray[np.float32]] = {}  # bid, tricks, Aces, points: chances

    def solve(self, progress: Progress | None = None) -> RoundValues:
        """Return the table."""
        order = self._order()
        for done, place in enumerate(reversed(order)):
            for aces in range(NUM_SUITS):
                kind = (self._hand_number(place) & 1, aces)
                if kind in self._tallies:
                    self._settle(place, aces, self._tallies[kind])
            if progress:
                progress(done + 1, len(order))
        self._visit(order)
        return RoundValues(self._variant, self._values, self._spreads, self._visits)

    def _order(self) -> list[int]:
        """Return the places on the first axis, in the order in which a game comes to them."""
        if self._scoring == FIRST_EDITION:
            return list(range(self._variant.max_hands))
        return sorted(range(1, ALL_BIDS + 1), key=lambda bids: (-bids.bit_count(), bids))

    def _hand_number(self, place: int) -> int:
        return place if self._scoring == FIRST_EDITION else NUM_BIDS - place.bit_count()

    def _bids(self, place: int) -> list[int]:
        return [bid for bid in range(NUM_BIDS) if self._scoring == FIRST_EDITION or place >> bid & 1]

    def _settle(self, place: int, aces: int, shares: NDArray[np.float64]) -> None:
        """Settle the states with these bids left, or hands played, and so many Aces, whatever the points."""
        bids = self._bids(place)
        ends = np.stack([self._ends(place, bid) for bid in bids])  # bid, tricks, Aces, points
        flat = ends.reshape(len(bids), -1, len(self._leads))
        chosen = shares[:, :, bids].reshape(len(shares), 2, len(bids), -1)
        judged = np.einsum("hsbe,bep->hsbp", chosen, flat, optimize=True)
        squares = np.einsum("hsbe,bep->hsbp", chosen, flat**2, optimize=True)
        best = judged.argmax(axis=2)[:, ::-1, np.newaxis]  # by the other half
        values = np.take_along_axis(judged, best, 2)[:, :, 0].mean(axis=(0, 1))
        second = np.take_along_axis(squares, best, 2)[:, :, 0].mean(axis=(0, 1))
        self._values[place, :, aces] = values
        self._spreads[place, :, aces] = np.sqrt(np.maximum(second - values**2, 0.0))
        bid_best = best == np.arange(len(bids))[:, np.newaxis]
        moves = np.einsum("hsbe,hsbp->bep", chosen, bid_best.astype(np.float64), optimize=True) / (2 * len(shares))
        self._moves[place, aces] = moves.reshape(ends.shape).astype(np.float32)

    def _ends(self, place: int, bid: int) -> NDArray[np.float64]:
        """Return what a game is worth after this bid by tricks taken, Aces left and points before, shape (8, 6, p)."""
        number, last = self._hand_number(place), self._variant.max_hands - 1
        ends = np.zeros((HAND_SIZE + 1, NUM_SUITS, len(self._leads)))
        for taken in range(HAND_SIZE + 1):
            leads, places = self._after(number, bid, taken)
            if number == last:
                outcomes = np.where(leads > 0, WON, np.where(leads < 0, LOST, DRAWN))
            else:
                outcomes = np.zeros(len(leads), np.int64)
                following = place + 1 if self._scoring == FIRST_EDITION else place & ~(1 << bid)
                ends[taken] = self._values[following][places].T
            if self._scoring == SHUT_THE_BOX:
                outcomes[:] = LOST if taken != bid else WON if number == last else 0
            elif self._scoring == FIRST_EDITION:
                outcomes = np.where(leads >= WINNING_POINTS, WON, LOST if number == last else 0)
            for outcome in (WON, LOST, DRAWN):
                value = final_value(self._scoring, outcome, number + 1, self._variant.max_hands)
                ends[taken][:, outcomes == outcome] = value
        return ends

    def _after(self, number: int, bid: int, taken: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the points after a hand for all points before it, and their places in the table."""
        if self._scoring == SHUT_THE_BOX:
            return self._leads, np.zeros_like(self._leads)
        gain = your_points(self._scoring, bid, taken, number & 1 == 1) - dummys_points(self._scoring, bid, taken)
        leads = self._leads + gain
        return leads, leads.clip(self._leads[0], self._leads[-1]) - self._leads[0]

    def _visit(self, order: list[int]) -> None:
        """Note how often hands start from each state, of those with the same number of hands before."""
        start = (order[0], 0 - int(self._leads[0]), NUM_SUITS - 1)
        self._visits[start] = 1.0
        hands = -1
        for place in order:
            if self._hand_number(place) != hands:
                hands = self._hand_number(place)
                self._normalize([each for each in order if self._hand_number(each) == hands])
            for aces in range(NUM_SUITS):
                if (place, aces) in self._moves and self._visits[place, :, aces].any():
                    self._move_on(place, aces)

    def _normalize(self, places: list[int]) -> None:
        part = self._visits[places]
        part /= part.sum()
        part[part < _RARE] = 0.0
        self._visits[places] = part / part.sum()

    def _move_on(self, place: int, aces: int) -> None:
        """Add to the visits of the states that those of a place lead to."""
        number = self._hand_number(place)
        if number + 1 == self._variant.max_hands:
            return
        leaving = self._visits[place, :, aces] * self._moves[place, aces]
        for index, bid in enumerate(self._bids(place)):
            following = place + 1 if self._scoring == FIRST_EDITION else place & ~(1 << bid)
            for taken in range(HAND_SIZE + 1):
                leads, places = self._after(number, bid, taken)
                on = np.ones(len(leads), np.bool_)
                if self._scoring == SHUT_THE_BOX:
                    on[:] = taken == bid
                elif self._scoring == FIRST_EDITION:
                    on = leads < WINNING_POINTS
                for left in range(NUM_SUITS):
                    np.add.at(self._visits[following, :, left], places[on], leaving[index, taken, left][on])


def main(
    env: Annotated[str, typer.Option(help="The variant: " + ", ".join(REGISTERED))] = "GongorWhist-v0",
    aces: Annotated[str | None, typer.Option(help="In place of the variant's own: game or pass.")] = None,
    max_hands: Annotated[int | None, typer.Option(help="Of the first edition, in place of 40.")] = None,
    player: Annotated[str, typer.Option(help="Who plays the hands: " + ", ".join(PLAYERS))] = "heuristic",
    hands: Annotated[int, typer.Option(min=2, help="Hands of each kind: fore and back, by the Aces left.")] = 2000,
    playouts: Annotated[int, typer.Option(min=2, help="How often each bid of a hand is played.")] = 32,
    seed: Annotated[int, typer.Option(min=0, max=TRAINING_SEEDS - 1, help="Seed of the hands.")] = 0,
    out: Annotated[Path | None, typer.Option(help="The file to write; default: ENV.npz here.")] = None,
) -> None:
    """Make the table of round values of a variant."""
    from rich.progress import Progress as Bars

    try:
        keywords = dict(REGISTERED[choice(env, tuple(REGISTERED), "env")])
        choice(player, tuple(PLAYERS), "player")
        variant = make_variant(keywords["scoring"], aces or "game", max_hands)
    except ValueError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from error
    with Bars() as bars:
        playing, settling = bars.add_task("hands"), bars.add_task("states")
        tallies = tally(
            variant, player, hands, playouts, seed,
            lambda done, total: bars.update(playing, completed=done, total=total),
        )  # fmt: skip
        table = Solver(variant, tallies).solve(lambda done, total: bars.update(settling, completed=done, total=total))
    path = out or Path(f"{env}.npz")
    table.save(path)
    typer.echo(f"{path}: {table.at_start:.6f} at the start")


if __name__ == "__main__":
    typer.run(main)
