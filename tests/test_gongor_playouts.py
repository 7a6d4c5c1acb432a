"""Playouts of Gongor Whist by compiled players: they play what the environment plays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from eck_env import GongorEnv
from eck_env.base.records import record
from eck_env.batch import advance, random_key
from eck_env.gongor_whist.loading import load_state
from eck_env.gongor_whist.players import PLAYERS
from eck_env.gongor_whist.playouts import choose_action, play_games
from eck_env.gongor_whist.settings import make_settings
from eck_env.gongor_whist.state import OUTCOMES, SCRIPT_SIZE, new_games
from gongor_helpers import VARIANTS

GAMES = 12
PLAYER_PURPOSE = 2**64 - 2  # -2 in the 64 bits of a random stream's key


def followed(variant: dict[str, Any], player: str, seed: int) -> tuple[dict[str, Any], Any]:
    """Play a game in the environment as a compiled player does; return its last state, and its hands by bid."""
    env = GongorEnv(**variant)
    env.reset(seed=seed)
    hands = np.zeros((3, 8), np.int64)
    state, number, key = env.state_dict(), -1, np.uint64(0)
    while not state["over"]:
        if state["hand_number"] != number:
            number, decisions = state["hand_number"], 0
            with np.errstate(over="ignore"):
                key = random_key(seed, 0, number, PLAYER_PURPOSE)
        with np.errstate(over="ignore"):
            key = advance(key)
            action = choose_action(record(load_state(state, env.settings.variant)[0], 0), PLAYERS[player], key)
        info = env.step(int(action))[4]
        decisions += 1
        if "hand" in info:
            hand = info["hand"]
            hands[:, hand["bid"]] += hand["bid"] == hand["taken"], 1, decisions
        state = env.state_dict()
    return state, hands


@pytest.mark.parametrize("player", list(PLAYERS))
@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: "-".join(variant.values()))
def test_games_are_those_of_the_environment(variant: dict[str, Any], player: str) -> None:
    settings = make_settings(**variant)
    games = new_games(GAMES, settings.variant)
    games["seed"] = 2**30 + np.arange(GAMES)
    hands = np.zeros((3, 8), np.int64)
    play_games(games, PLAYERS[player], settings.setup(np.zeros((GAMES, 0, SCRIPT_SIZE), np.int8)), hands)
    expected = np.zeros_like(hands)
    for index in range(GAMES):
        state, ended = followed(variant, player, 2**30 + index)
        assert (games["you"][index], games["dummy"][index]) == (state["you"], state["dummys_points"])
        assert OUTCOMES[games["outcome"][index]] == state["outcome"]
        assert games["hand_number"][index] == state["hand_number"]
        expected += ended
    assert (hands == expected).all()
