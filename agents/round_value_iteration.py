"""Making a table of round values W: the chance to win the game at the start of a round.

Between the rounds nothing ever returns: a round either collects a trick card or advances the counter. So the states
are settled one after another, those with more collected cards and a higher counter first: rounds are played from a
state, and its value is the mean of the values that they lead to.

    python -m agents.round_value_iteration --env Eck-v0 --player mc:16 --rounds 400
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from agents.agent import POLICY_SUFFIX
from agents.monte_carlo import NUM_SCRATCH, search_rounds
from eck_env.batch import TRAINING_SEEDS
from eck_env.checks import choice
from eck_env.eck.cards import HAND_SIZE
from eck_env.eck.engine import VALUES_SHAPE
from eck_env.eck.players import PLAYERS
from eck_env.eck.playouts import begin_rounds, play_rounds
from eck_env.eck.round_values import RoundValues, load_round_values
from eck_env.eck.rules import PLAYING, WON, finish_round, round_effect
from eck_env.eck.state import new_games, record
from eck_env.eck.variant import REGISTERED, Variant, make_variant

State = tuple[int, int, int]
"""Counter, set of collected cards, set of gray cards: an index into the table."""

_CHUNK = 4096  # rounds that a policy plays together

PlayRounds = Callable[[NDArray[np.void], NDArray[np.float64]], NDArray[np.int64]]
"""Plays a round in every record, knowing the values settled so far, and returns the tricks taken."""


@functools.cache
def successor(state: State, tricks: int, variant: Variant) -> State | float:
    """Return the state that a round with this many tricks leads to, or the value of a game that is over then."""
    game = record(new_games(1, variant), 0)
    game.counter, game.yours, game.gray = state
    game.won, game.lost = tricks, HAND_SIZE - tricks
    game.effects[tricks] = round_effect(
        tricks, variant.laid_bits, int(game.gray), int(game.yours), int(game.counter), variant.target
    )
    finish_round(game)
    if game.outcome != PLAYING:
        return 1.0 if game.outcome == WON else 0.0
    return int(game.counter), int(game.yours), int(game.gray)


def reachable_states(variant: Variant) -> list[State]:
    """Return all states that rounds can start from, in the order in which a game meets them."""
    found: set[State] = {(0, 0, 0)}
    new = list(found)
    while new:
        ends = {successor(state, tricks, variant) for state in new for tricks in range(HAND_SIZE + 1)}
        new = [end for end in ends if isinstance(end, tuple) and end not in found]
        found.update(new)
    return sorted(found, key=_progress)


def _progress(state: State) -> tuple[int, int, int, int]:
    counter, yours, gray = state
    return yours.bit_count(), counter, yours, gray


def make_player(name: str) -> PlayRounds:
    """Return a player of rounds: a name out of `players.PLAYERS`, ``mc:64`` (search), or the path of a policy file.

    A policy is helped by expectimax with the last cards of its rounds.
    """
    if name.startswith("mc:") and name[3:].isdecimal():
        return _search_player(int(name[3:]))
    if name.endswith(POLICY_SUFFIX):
        return _policy_player(name)
    if name not in PLAYERS:
        raise ValueError(
            f"unknown player {name!r}: choose {', '.join(PLAYERS)}, mc: and a number of playouts, or a policy file"
        )

    def play(games: NDArray[np.void], values: NDArray[np.float64]) -> NDArray[np.int64]:
        tricks = np.zeros(len(games), np.int64)
        play_rounds(games, PLAYERS[name], tricks)
        return tricks

    return play


def _policy_player(path: str) -> PlayRounds:
    from agents.onnx_agent import OnnxAgent
    from agents.policy_playouts import PolicyPlayouts

    playouts = PolicyPlayouts(OnnxAgent(path), _CHUNK)

    def play(games: NDArray[np.void], values: NDArray[np.float64]) -> NDArray[np.int64]:
        for start in range(0, len(games), _CHUNK):
            chunk = games[start : start + _CHUNK]
            begin_rounds(chunk)
            playouts.finish(chunk, values)
        return games["won"].astype(np.int64)

    return play


def _search_player(playouts: int) -> PlayRounds:
    def play(games: NDArray[np.void], values: NDArray[np.float64]) -> NDArray[np.int64]:
        tricks = np.zeros(len(games), np.int64)
        search_rounds(games, playouts, PLAYERS["random"], 0, values, np.zeros(NUM_SCRATCH, games.dtype), tricks)
        return tricks

    return play


def estimate(
    variant: Variant,
    play: PlayRounds,
    rounds: int,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
    visits: NDArray[np.float64] | None = None,
) -> RoundValues:
    """Estimate the round values of a player.

    Args:
        variant: The variant.
        play: The player.
        rounds: Rounds to play from each state, on average.
        seed: The seed of the first round; each round has the next one.
        progress: Called with the number of states settled and of all states.
        visits: How often games start a round from each state, shape `VALUES_SHAPE`: states that are met often are
            given more rounds. Without it all are given the same number.

    Returns:
        The table, with standard errors (of the last step alone: those of later states are not carried on) and visits.
    """
    states = reachable_states(variant)
    values, stderr = np.full(VALUES_SHAPE, np.nan), np.full(VALUES_SHAPE, np.nan)
    counts: dict[State, NDArray[np.int64]] = {}
    shares = _shares(states, rounds, visits)
    for group in _settling_order(states):
        numbers = [shares[state] for state in group]
        tricks = play(_start_rounds(group, numbers, seed, variant), values)
        seed += sum(numbers)
        for state, taken in zip(group, np.split(tricks, np.cumsum(numbers)[:-1]), strict=True):
            worth = np.array([_value(successor(state, n, variant), values) for n in range(HAND_SIZE + 1)])
            counts[state] = np.bincount(taken, minlength=HAND_SIZE + 1)
            values[state] = counts[state] @ worth / len(taken)
            stderr[state] = worth[taken].std() / np.sqrt(len(taken))
        if progress:
            progress(len(counts), len(states))
    return RoundValues(variant.target, variant.trick_cards, values, stderr, _visits(states, counts, variant))


def _shares(states: list[State], rounds: int, visits: NDArray[np.float64] | None) -> dict[State, int]:
    """Return how many rounds are played from each state: by the root of its visits, where these are known.

    That makes the error of a state's value least, on average over the states that games meet.
    """
    if visits is None:
        return dict.fromkeys(states, rounds)
    roots = {state: float(np.sqrt(visits[state])) for state in states}
    unit = rounds * len(states) / sum(roots.values())
    return {state: max(round(root * unit), rounds // 4, 1) for state, root in roots.items()}


def _settling_order(states: list[State]) -> Iterator[list[State]]:
    """Yield groups of states that do not lead to one another, the latest first."""
    for _, group in groupby(reversed(states), key=lambda state: _progress(state)[:2]):
        yield list(group)


def _start_rounds(states: list[State], numbers: list[int], seed: int, variant: Variant) -> NDArray[np.void]:
    games = new_games(sum(numbers), variant)
    counter, yours, gray = np.repeat(np.array(states), numbers, axis=0).T
    games["counter"], games["yours"], games["gray"] = counter, yours, gray
    games["seed"] = seed + np.arange(len(games))
    return games


def _value(end: State | float, values: NDArray[np.float64]) -> float:
    return float(values[end]) if isinstance(end, tuple) else end


def _visits(states: list[State], counts: dict[State, NDArray[np.int64]], variant: Variant) -> NDArray[np.float64]:
    """Return how often a game starts a round from each state."""
    visits = np.zeros(VALUES_SHAPE)
    visits[0, 0, 0] = 1.0
    for state in states:
        chances = counts[state] / counts[state].sum()
        for tricks in np.flatnonzero(chances).tolist():
            end = successor(state, tricks, variant)
            if isinstance(end, tuple):
                visits[end] += visits[state] * chances[tricks]
    return visits


def _variant(env: str, target: int | None, trick_cards: str | None) -> Variant:
    keywords = dict(REGISTERED[choice(env, tuple(REGISTERED), "env")])
    if target is not None:
        keywords["target"] = target
    if trick_cards is not None:
        keywords["trick_cards"] = [name.strip() for name in trick_cards.split(",")]
    return make_variant(**keywords)


def main(
    env: Annotated[str, typer.Option(help="The variant: " + ", ".join(REGISTERED))] = "Eck-v0",
    target: Annotated[int | None, typer.Option(help="In place of the variant's own: trick cards that win.")] = None,
    trick_cards: Annotated[
        str | None, typer.Option(help="In place of the variant's own: the trick cards laid out, as in 2,4,13/0.")
    ] = None,
    player: Annotated[
        str, typer.Option(help="Who plays the rounds: mc:PLAYOUTS, a policy file (.onnx), " + ", ".join(PLAYERS))
    ] = "mc:16",
    rounds: Annotated[int, typer.Option(min=1, help="Rounds from each state, on average.")] = 1000,
    visits: Annotated[
        Path | None, typer.Option(help="A table made before: states that its games meet often are given more rounds.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=TRAINING_SEEDS - 1, help="Seed of the rounds.")] = 0,
    out: Annotated[Path | None, typer.Option(help="The file to write; default: ENV.npz here.")] = None,
) -> None:
    """Make the table of round values of a variant."""
    from rich.progress import Progress

    try:
        variant, plays = _variant(env, target, trick_cards), make_player(player)
        met = load_round_values(variant, visits).visits if visits else None
    except (ValueError, OSError) as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from error
    with Progress() as bar:
        task = bar.add_task(env)
        table = estimate(
            variant,
            plays,
            rounds,
            seed,
            lambda done, total: bar.update(task, completed=done, total=total),
            met,
        )
    path = out or Path(f"{env}.npz")
    table.save(path)
    typer.echo(f"{path}: {int((~np.isnan(table.values)).sum())} states, {table.values[0, 0, 0]:.4f} at the start")


if __name__ == "__main__":
    typer.run(main)
