"""The engine of the game without numbers against the slow reference, on every state of random games."""

from __future__ import annotations

from collections.abc import Collection
from random import Random
from typing import Any

import numpy as np
import pytest

from eck_env.numberless.aec import NumberlessAECEnv
from numberless_helpers import NUM_ACTIONS, VARIANTS, dealt, drawn_start, legal_names, names
from reference.numberless import PACK, ReferenceGame

QUICK_GAMES = 150
SLOW_GAMES = 10_000


def compare_state(env: NumberlessAECEnv, reference: ReferenceGame, observers: Collection[int]) -> None:
    """Compare everything that can be seen between two decisions, by these seats."""
    state = env.state_dict()
    assert state["phase"] == reference.phase
    assert state["hands"] == [sorted(player.hand, key=PACK.index) for player in reference.players]
    assert state["picks"] == [player.chosen for player in reference.players]
    assert state["pot"] == reference.pot
    assert state["collected"] == [player.collected for player in reference.players]
    assert (state["round"], state["start"]) == (reference.rounds, reference.start)
    assert state["turn"] == (None if reference.phase == "over" else reference.turn)
    assert state["drafted"] == [player.kept for player in reference.players]
    for seat in observers:
        seen = env.observe(f"player_{seat}")["observation"]
        assert seen.tolist() == [number for part in reference.observation(seat).values() for number in part]


def compare_game(number: int, generator: Random) -> dict[str, Any]:
    """Play one game on both sides, comparing as it goes on; return what was met in it."""
    players, draft = VARIANTS[number % len(VARIANTS)]
    start = generator.choice([None, *range(players)])
    env = NumberlessAECEnv(players, draft, start, dtype=generator.choice(["int8", "float32"]))
    seed, game = number * 7919, 0
    env.reset(seed=seed)
    if number % 5 == 0:
        env.reset()
        game = 1
    first = drawn_start(seed, game, players) if start is None else start
    reference = ReferenceGame(dealt(seed, game), players, draft, first)
    compare_state(env, reference, range(players))
    over, reasons = False, set()
    while not over:
        legal = reference.legal()
        seat = reference.turn
        observed = env.observe(env.agent_selection)
        assert env.agent_selection == f"player_{seat}"
        assert legal_names(observed["action_mask"]) == legal
        card = generator.choice(legal)
        env.step(PACK.index(card))
        step = reference.act(card)
        over = step.over
        expected: dict[str, Any] = {}
        if step.play is not None:
            expected["plays"] = [list(step.play)]
        if step.round is not None:
            expected["rounds"] = [step.round]
            reasons.add(step.round["reason"])
        for info in env.infos.values():
            assert {key: part for key, part in info.items() if key != "action_mask"} == expected
        assert list(env.terminations.values()) == [over] * players
        assert list(env.rewards.values()) == (reference.rewards() if over else [0.0] * players)
        compare_state(env, reference, {reference.turn, generator.randrange(players)})
    compare_state(env, reference, range(players))
    assert len(env.observe("player_0")["action_mask"]) == NUM_ACTIONS
    return {"rounds": reference.rounds, "players": players, "reasons": reasons}


def test_random_games() -> None:
    """Some games of each variant; together they meet what there is to be met."""
    generator = Random(11)
    met = [compare_game(number, generator) for number in range(QUICK_GAMES)]
    assert set().union(*(one["reasons"] for one in met)) == {"bust", "second player"}
    assert all(7 <= one["rounds"] <= 3 * one["players"] + 1 for one in met)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.exhaustive) for part in range(1, 10))])
def test_many_random_games(part: int) -> None:
    """10,000 games over 3 to 7 players, draft on and off."""
    generator = Random(100 + part)
    for number in range(part * SLOW_GAMES // 10, (part + 1) * SLOW_GAMES // 10):
        compare_game(number, generator)


def test_deals_depend_on_seed_and_game_alone() -> None:
    """Not on players, draft or what was played before."""
    for players, draft in VARIANTS:
        env = NumberlessAECEnv(players, draft, None)
        env.reset(seed=77)
        env.step(int(np.argmax(env.observe(env.agent_selection)["action_mask"])))
        for game in range(3):
            env.reset(seed=6) if game == 0 else env.reset()
            deck = dealt(6, game)
            hands = [sorted(deck[7 * seat : 7 * seat + 7], key=PACK.index) for seat in range(players)]
            assert env.state_dict()["hands"] == hands
            assert env.state_dict()["start"] == drawn_start(6, game, players)
    assert names([0, 48]) == ["AR", "GW"]
