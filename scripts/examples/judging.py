"""What all examples share: how many steps to train, and how a policy fares before and after."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from agents.evaluation import evaluate
from agents.results import Result

ENV_ID = "EckBeginner-v0"
"""What the examples play: it shows soonest that something is learned."""
ROUNDS: dict[str, Any] = {"target": 2, "episode": "round"}
"""Its keywords for training: a round is an episode, whose reward is the change of the chance to win the game."""

Choose = Callable[[NDArray[Any], NDArray[np.bool_]], Any]
"""Chooses actions, shape (n,), from flat observations, shape (n, 259), and the legal actions, shape (n, 38)."""


def positive(text: str) -> int:
    """Return the whole number, 1 or above, that a word of the command line says; argparse tells what is wrong."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} must be a whole number from 1 up")
    return int(text)


def number_of_steps(default: int) -> int:
    """Return how many steps the command line says to train."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=positive, default=default, help="decisions to train on (default: %(default)s)")
    steps: int = parser.parse_args().steps
    return steps


class _Player:
    name = "example"

    def __init__(self, choose: Choose) -> None:
        self._choose = choose

    def act(self, observations: NDArray[Any], action_masks: NDArray[Any], keys: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.asarray(self._choose(observations, action_masks != 0), np.int64)


def judge(moment: str, choose: Choose, games: int = 10_000) -> Result:
    """Let a policy play whole games, say how many it wins, and return them.

    Args:
        moment: When this is, such as ``"start"``.
        choose: The policy.
        games: How many games; the seeds are those of every evaluation, which no training uses.
    """
    result = evaluate(_Player(choose), ENV_ID, games)
    low, high = result.interval
    print(
        f"{moment}: wins {100 * result.win_rate:.1f} % ({100 * low:.1f} - {100 * high:.1f}) of {games:,} games, "
        f"illegal actions: {result.endings['illegal action']}",
        flush=True,
    )
    return result


def conclude(start: Result, end: Result, masked: bool = True) -> NoReturn:
    """Say whether the win rate rose, and exit with 1 if it did not, or if a policy with masks chose an illegal card."""
    rose = end.interval[0] > start.interval[1]
    print("the win rate rose, intervals apart" if rose else "the win rate did not rise enough to tell")
    illegal = start.endings["illegal action"] + end.endings["illegal action"]
    sys.exit(0 if rose and not (masked and illegal) else 1)
