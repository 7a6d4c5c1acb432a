"""Searches with so many playouts that their compiled code is called part by part."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Any

import numpy as np
import pytest

from agents.agent import make_agent
from agents.flat_search import SearchAgent
from eck_env.registry import find_variant, make_vector_env

GAMES = ["Eck-v0", "EckHard-v0", "GongorWhist-v0", "Numberless-v0"]
COUNT = 3


def some_positions(env_id: str, budget: int) -> tuple[SearchAgent, tuple[Any, Any, Any]]:
    """Return a search, and positions for it after a few choices."""
    agent = make_agent(f"mc:{budget}", find_variant(env_id))
    assert isinstance(agent, SearchAgent)
    env = make_vector_env(env_id, COUNT)
    observations, info = env.reset(seed=2**30)
    for _ in range(5):
        observations, _, _, _, info = env.step(np.argmax(info["action_mask"], axis=1))
    return agent, (observations, info["action_mask"] != 0, np.stack([np.arange(COUNT)] * 3, axis=1))


@pytest.mark.parametrize("env_id", GAMES)
def test_parts_choose_as_the_whole_does(env_id: str) -> None:
    agent, positions = some_positions(env_id, 2500)
    choosing = np.flatnonzero(positions[1].sum(axis=1) > 1)
    assert len(choosing) > 0
    for index in choosing:
        position = tuple(array[index : index + 1] for array in positions)
        actions = np.zeros(1, np.int64)
        agent._search.search_all(*position, 2500, agent._tools, agent._games, agent._scratch, agent._sums, actions)
        sums = agent._sums[0].copy()
        assert agent.act(*position).tolist() == actions.tolist()
        assert agent._sums[0].tolist() == sums.tolist()


@pytest.mark.parametrize("env_id", GAMES)
def test_a_long_search_can_be_interrupted(env_id: str) -> None:
    class Interrupt(Exception):  # noqa: N818
        pass

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise Interrupt

    some_positions(env_id, 2500)[0].act(*some_positions(env_id, 2500)[1])  # it is compiled by now
    agent, positions = some_positions(env_id, 10**8)
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(Interrupt):
            agent.act(*positions)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
