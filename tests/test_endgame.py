"""Expectimax over the last tricks of a round."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.endgame import MAX_CARDS, NUM_RECORDS, cards_left, finish_exactly, judge_endgame
from agents.halving import best_card
from agents.monte_carlo import MonteCarloAgent
from agents.policy_search import read_position
from eck_env import EckVectorEnv, load_round_values
from eck_env.eck.cards import HAND_SIZE, card_kind
from eck_env.eck.engine import ROUND_OVER, TRICKS_WON
from eck_env.eck.state import GAME, record
from eck_env.eck.variant import make_variant

TABLE = load_round_values(make_variant())
Position = tuple[NDArray[Any], NDArray[np.bool_]]


class Expectimax:
    """Judges positions and chooses, always by the same number of worlds."""

    def __init__(self, worlds: int) -> None:
        self._worlds = worlds
        self.games, self._scratch = np.zeros(NUM_RECORDS, GAME), np.zeros(1, GAME)
        self.worths, self._sums = np.zeros(HAND_SIZE + 1), np.zeros((NUM_RECORDS, 38))

    def judge(self, position: Position, key: int = 1) -> NDArray[np.float64]:
        """Return what each legal card is worth; 0 for the others."""
        legal = read_position(*position, TABLE.values, self.games, self._scratch, self.worths)
        self._sums[:] = 0.0
        judge_endgame(self.games, legal, 0, self._worlds, self.worths, np.uint64(key), self._sums)
        means: NDArray[np.float64] = self._sums[0] / self._worlds
        return means

    def choose(self, position: Position) -> int:
        means = self.judge(position)
        return best_card(sum(1 << kind for kind in np.flatnonzero(position[1]).tolist()), means)


def positions(cards: int, count: int) -> list[Position]:
    """Return positions with so many cards left and a choice to make, out of random play."""
    env = EckVectorEnv(4 * count, "Disabled")
    observations, infos = env.reset(seed=2**30)
    rng = np.random.default_rng(1)
    for _ in range(HAND_SIZE - cards):
        weights = rng.random(infos["action_mask"].shape) * infos["action_mask"]
        observations, _, _, _, infos = env.step(weights.argmax(1))
    masks = infos["action_mask"] != 0
    chosen = np.flatnonzero(masks.sum(1) > 1)[:count]
    assert len(chosen) == count
    return [(observations[index].copy(), masks[index]) for index in chosen]


def test_with_two_cards_left_it_agrees_with_playouts() -> None:
    """After the choice there is none left, so that random playouts are right on average."""
    search, playouts = Expectimax(400), MonteCarloAgent(TABLE)
    for position in positions(2, 40):
        expected = playouts.judge(*position, [0, 0, 0], 4000)
        np.testing.assert_allclose(search.judge(position), expected, atol=0.05)


@pytest.mark.parametrize("cards", [3, pytest.param(MAX_CARDS, marks=pytest.mark.slow)])
def test_what_it_promises_is_what_it_gets(cards: int) -> None:
    """The worth of a position is the mean of what play by expectimax comes to."""
    search, times = Expectimax(48), 25
    promised, got = [], []
    for position in positions(cards, 20):
        means = search.judge(position)
        promised.append(means.max())
        worths = search.worths.copy()
        start = EckVectorEnv(times, "Disabled")
        start.reset(seed=1)
        games = np.repeat(start.save_games()[:1], times)
        read_position(*position, TABLE.values, games[:1], np.zeros(1, GAME), np.zeros(HAND_SIZE + 1))
        observations, infos = start.load_games(np.repeat(games[:1], times))
        rng = np.random.default_rng(2)
        for _ in range(cards):
            for index in range(times):
                start.determinize(index, rng)
            masks = infos["action_mask"] != 0
            actions = [search.choose((observations[index], masks[index])) for index in range(times)]
            out = start.make_outputs()
            observations, _, _, _, infos = start.step(np.array(actions), out=out)
            observations = observations.copy()
        assert (out.events[:, ROUND_OVER] == 1).all()
        got.append(worths[out.events[:, TRICKS_WON]].mean())
    assert np.mean(promised) == pytest.approx(np.mean(got), abs=0.02)


def test_cards_left_and_exact_ends() -> None:
    search = Expectimax(400)
    for cards in (2, 3):
        for position in positions(cards, 10):
            best = search.judge(position).max()
            assert cards_left(record(search.games, 0)) == cards
            judged = np.zeros(1)
            finish_exactly(search.games[:1].copy(), search.worths, search.games, np.zeros((NUM_RECORDS, 38)), judged)
            assert judged[0] == pytest.approx(best, abs=0.12)


def test_sees_what_decides_the_last_tricks() -> None:
    """Two tricks to go, 5 taken, ECK leads R5: R8 takes the sixth now, and R2 hardly ever takes a seventh."""
    env = EckVectorEnv(1)
    env.reset(seed=2**30)
    state = env.state_dict(0)
    others = [card for card in state["face_down"] if card not in ("R8", "R2", "R5")]
    state |= {"hand": ["R2", "R8"], "face_down": others[:17], "lead": "R5", "leader": "eck", "tricks_won": 5}
    state |= {"tricks_lost": 6, "tied": 0, "face_up": []}
    observations, infos = env.set_state(0, state)
    assert Expectimax(64).choose((observations[0], infos["action_mask"][0] != 0)) == card_kind("R8")
