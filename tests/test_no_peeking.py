"""Search does not peek: it plays as well when all that is hidden is drawn anew before each decision.

Then the deck that a decision met is not the one that lies there afterwards, and whoever had looked into it gains
nothing. A player who does look shows that the comparison would tell.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from agents.agent import Agent, make_agent
from agents.halving import best_card
from eck_env import EckVectorEnv, load_round_values
from eck_env.batch import advance, mix
from eck_env.compiled import entry_point, lowest_bit
from eck_env.eck.cards import DECK_SIZE, HAND_SIZE, NUM_KINDS
from eck_env.eck.engine import ROUND_OVER, TRICKS_WON
from eck_env.eck.players import RANDOM
from eck_env.eck.playouts import finish_tricks
from eck_env.eck.round_values import end_worths
from eck_env.eck.rules import WON, legal_kinds, play_card
from eck_env.eck.state import GAME
from eck_env.eck.variant import Variant, make_variant

FIRST_SEED = 2**30 + 10_000_000
POLICY = Path(__file__).resolve().parents[1] / "agents" / "pretrained" / "Eck-v0.onnx"


class Figures(NamedTuple):
    """What games come to: the share that was won, rounds a game, and how often each count of tricks was taken."""

    games: int
    win_rate: float
    rounds: NDArray[np.int64]
    tricks: NDArray[np.int64]


class Peeker:
    """Judges every card by playouts in the deck as it lies, which it is shown."""

    name = "peeker"

    def __init__(self, variant: Variant, env: EckVectorEnv) -> None:
        self._env, self._values = env, load_round_values(variant).values
        self._scratch = np.zeros(2, GAME)

    def act(self, observations: NDArray[Any], action_masks: NDArray[Any], keys: NDArray[np.int64]) -> NDArray[np.int64]:
        games = self._env.save_games()[keys[:, 0] - FIRST_SEED]
        actions = np.zeros(len(keys), np.int64)
        _judge_as_it_lies(games, keys, self._values, self._scratch, actions)
        return actions


@entry_point
def _judge_as_it_lies(
    games: NDArray[np.void], keys: NDArray[np.int64], values: NDArray[np.float64], scratch: NDArray[np.void],
    actions: NDArray[np.int64],
) -> None:  # fmt: skip
    scripts = np.zeros((0, DECK_SIZE), np.int8)
    worths, sums = np.zeros(HAND_SIZE + 1), np.zeros(NUM_KINDS)
    for index in range(games.shape[0]):
        game = games[index]
        end_worths(game, values, scratch[0], worths)
        legal = legal_kinds(game.hand, game.lead, game.same_circle != 0)
        key = mix(np.uint64(keys[index, 0] * 1000 + keys[index, 2]))
        sums[:] = 0.0
        for _ in range(16):
            key = advance(key)
            rest = legal
            while rest:
                kind = lowest_bit(rest)
                rest &= rest - 1
                scratch[1] = game
                play_card(scratch[1], kind, scripts)
                finish_tricks(scratch[1], RANDOM, mix(key), scripts)
                sums[kind] += worths[scratch[1].won]
        actions[index] = best_card(legal, sums)


def play(agent: Agent | type[Peeker], variant: Variant, games: int, redraw: bool) -> Figures:
    """Play games, with the hidden order and all later randomness drawn anew before each decision if `redraw`."""
    env = EckVectorEnv(games, AutoresetMode.DISABLED, **asdict(variant))
    player: Agent = agent(variant, env) if isinstance(agent, type) else agent
    rng = np.random.default_rng(5)
    out = env.make_outputs()
    env.reset(seed=FIRST_SEED, out=out)
    keys = np.stack([FIRST_SEED + np.arange(games), np.zeros(games, np.int64), np.zeros(games, np.int64)], axis=1)
    playing = np.ones(games, np.bool_)
    won = np.zeros(games, np.bool_)
    rounds, tricks = np.zeros(games, np.int64), np.zeros(HAND_SIZE + 1, np.int64)
    while playing.any():
        if redraw:
            for index in np.flatnonzero(playing).tolist():
                env.determinize(index, rng)
        actions = np.argmax(out.masks, axis=1)
        actions[playing] = player.act(out.observations[playing], out.masks[playing], keys[playing])
        env.step(actions, out=out)
        keys[:, 2] += 1
        ended = playing & (out.events[:, ROUND_OVER] == 1)
        rounds += ended
        tricks += np.bincount(out.events[ended, TRICKS_WON], minlength=HAND_SIZE + 1)
        over = playing & out.terminated
        won[over] = env.outcomes[over] == WON
        playing &= ~over
        if out.terminated.any():  # play on, uncounted
            env.reset(options={"reset_mask": out.terminated.copy()}, out=out)
    return Figures(games, float(won.mean()), rounds, tricks)


def deviations(one: Figures, other: Figures) -> tuple[float, float, float]:
    """Return how far two samples lie apart: win rates and rounds in standard errors, tricks as chi square (13)."""
    variances = [figures.win_rate * (1 - figures.win_rate) / figures.games for figures in (one, other)]
    rates = (one.win_rate - other.win_rate) / sum(variances) ** 0.5
    errors = [figures.rounds.var() / figures.games for figures in (one, other)]
    rounds = float((one.rounds.mean() - other.rounds.mean()) / sum(errors) ** 0.5)
    first, second = (figures.tricks.astype(np.float64) for figures in (one, other))
    scale = (second.sum() / first.sum()) ** 0.5
    differences = (first * scale - second / scale) ** 2
    return rates, rounds, float((differences / np.maximum(first + second, 1)).sum())


@pytest.mark.parametrize("spec", ["mc:4", "mc:2:1", f"mc:2:{POLICY}"])
def test_choices_do_not_change_when_the_hidden_is_drawn_anew(spec: str) -> None:
    variant = make_variant(4)
    env = EckVectorEnv(40, AutoresetMode.DISABLED, **asdict(variant))
    observations, infos = env.reset(seed=FIRST_SEED)
    agent, rng = make_agent(spec, variant), np.random.default_rng(1)
    keys = np.stack([FIRST_SEED + np.arange(40), np.zeros(40, np.int64), np.zeros(40, np.int64)], axis=1)
    for _ in range(8):
        choices = agent.act(observations, infos["action_mask"], keys)
        for index in range(40):
            env.determinize(index, rng)
        games = env.save_games()
        observations, infos = env.load_games(games)
        assert agent.act(observations, infos["action_mask"], keys).tolist() == choices.tolist()
        observations, _, _, _, infos = env.step(choices)
        keys[:, 2] += 1


def test_who_peeks_is_found_out() -> None:
    variant = make_variant(4)
    open_deck, closed = (play(Peeker, variant, 200, redraw) for redraw in (False, True))
    assert deviations(open_deck, closed)[0] > 5
    assert open_deck.win_rate > 0.9


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "games"),
    [
        ("mc:4:2", 1000),
        *(pytest.param(*row, marks=pytest.mark.exhaustive) for row in (("mc:16", 4000), (f"mc:8:{POLICY}", 1000))),
    ],
)
def test_figures_do_not_change_when_the_hidden_is_drawn_anew(spec: str, games: int) -> None:
    variant = make_variant(4)
    agent = make_agent(spec, variant)
    rates, rounds, tricks = deviations(*(play(agent, variant, games, redraw) for redraw in (False, True)))
    assert abs(rates) < 3.5
    assert abs(rounds) < 3.5
    assert tricks < 37  # exceeded once in 2,000 times by chance
