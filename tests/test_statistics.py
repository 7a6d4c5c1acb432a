"""Random play over very many games has the known statistics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from eck_env import EckVectorEnv
from eck_env.eck.observation import SLICES

GAMES = 200_000
ROUNDS = 1_000_000
SLOTS = 2_000
TRICKS = (0.4, 2.3, 6.3, 11.1, 14.9, 16.4, 15.5, 12.7, 9.2, 5.8, 3.2, 1.5, 0.6, 0.15)
"""Rounds with 0 to 13 tricks, in percent."""


def random_actions(weights: NDArray[Any], generator: np.random.Generator) -> NDArray[np.int64]:
    """Return an action in each game, each as likely as its weight says; of weight 0 is none.

    The smallest of exponentially distributed numbers, divided by weights, falls on each with that probability.
    """
    with np.errstate(divide="ignore"):
        actions: NDArray[np.int64] = np.argmin(generator.exponential(size=weights.shape) / weights, axis=1)
    return actions


@pytest.mark.slow
def test_games() -> None:
    """At target 4 random play wins 13.5 % of the games, which last 5.3 rounds.

    Every slot plays equally many games, so that short ones are not counted more often.
    """
    env = EckVectorEnv(SLOTS)
    generator = np.random.default_rng(1)
    _, infos = env.reset(seed=1000)
    each = GAMES // SLOTS
    done, wins = np.zeros(SLOTS, np.int64), np.zeros(SLOTS, np.int64)
    rounds = np.zeros(SLOTS, np.int64)
    reasons: dict[str, int] = {}
    while (done < each).any():
        _, rewards, terminated, _, infos = env.step(random_actions(infos["action_mask"], generator))
        assert "illegal_action" not in infos
        counted = terminated & (done < each)
        wins += counted & (rewards > 0)
        rounds += np.where(counted, env.round_numbers + 1, 0)
        done += counted
        if counted.any():
            for key in (",".join(found) for found in infos["reasons"][counted]):
                reasons[key] = reasons.get(key, 0) + 1
    assert (done == each).all()
    assert 100 * wins.sum() / GAMES == pytest.approx(13.5, abs=0.25)
    assert rounds.sum() / GAMES == pytest.approx(5.3, abs=0.1)
    assert reasons.keys() == {"", "counter", "eck_card", "eck_card,counter"}
    assert reasons[""] == wins.sum()


@pytest.mark.slow
@pytest.mark.parametrize("choice", ["cards", "kinds"])
def test_rounds(choice: str) -> None:
    """Tricks taken, ties and reshuffles.

    Whether three equal circles in the hand count as three cards or as one kind makes a difference of 0.1 in the
    shares; the known ones are those of cards.
    """
    env = EckVectorEnv(SLOTS, episode="round", reward="win", start_states=[{}], autoreset_mode="SAME_STEP")
    generator = np.random.default_rng(2)
    seen, infos = env.reset(seed=5_000_000)
    counts, ties = np.zeros(14, np.int64), np.zeros(13, np.int64)
    reshuffled, repeats = 0, np.zeros(SLOTS, bool)
    for step in range(13 * ROUNDS // SLOTS):
        before = np.asarray(seen)
        weights = infos["action_mask"] * (before[:, SLICES["hand"]] if choice == "cards" else 1)
        seen, _, terminated, _, infos = env.step(random_actions(weights, generator))
        assert terminated.all() == terminated.any() == (step % 13 == 12)
        after = np.stack(infos["final_obs"]) if terminated.any() else np.asarray(seen)
        # A search passes over no circle, so a card leaves the face-up pile only by a reshuffle.
        repeats |= (after[:, SLICES["face_up"]] < before[:, SLICES["face_up"]]).any(axis=1)
        ties[step % 13] += (after[:, SLICES["tied"]] > before[:, SLICES["tied"]]).sum()
        if terminated.any():
            counts += np.bincount(after[:, SLICES["tricks_won"]][:, 0], minlength=14)
            reshuffled += int(repeats.sum())
            repeats[:] = False
    assert counts.sum() == ROUNDS
    slack = 0.05 if choice == "cards" else 0.12
    for share, expected in zip(100 * counts / ROUNDS, TRICKS, strict=True):
        assert share == pytest.approx(expected, abs=min(slack, expected / 4) + 0.01 * expected)
    # ECK leads the first trick and ties are rare; later you lead half of the tricks. The 13th is never set aside.
    shares = 100 * ties / ROUNDS
    assert shares[0] < 3
    assert 15 < shares[2:12].mean() < 18
    assert ((shares[1:12] > 13) & (shares[1:12] < 18)).all()
    assert shares[12] == 0
    assert 100 * reshuffled / ROUNDS == pytest.approx(3.4, abs=0.2)
