"""Agents at the other seats of the single-agent environments: whoever is no compiled player is asked from here."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.base.engine import Outputs
from eck_env.base.infos import IllegalActionError
from eck_env.numberless.cards import NAMES
from eck_env.numberless.engine import Setup, move_games
from eck_env.numberless.settings import Settings
from eck_env.numberless.variant import YOUR_SEAT


def let_agents_move(
    settings: Settings, games: NDArray[np.void], autoreset: int, setup: Setup, outputs: Outputs
) -> None:
    """Let the agents at the other seats decide until every game is over or waits for you.

    Args:
        settings: Who sits where.
        games: The records; moved.
        autoreset: A value of `batch.AUTORESET_CODES`.
        setup: What the games are played with.
        outputs: What the games show as they stand; written to where they move.

    Raises:
        IllegalActionError: If an agent chooses an illegal action.
        ValueError: If what it returns is no action for each observation.
    """
    if not settings.has_agents:
        return
    while True:
        turns = games["turn"]
        waiting = (games["over"] == 0) & (turns != YOUR_SEAT)
        if not waiting.any():
            return
        actions = np.zeros(len(games), np.int64)
        for agent in {id(one): one for one in settings.opponents if one is not None}.values():
            seats = [seat for seat, one in enumerate(settings.opponents, 1) if one is agent]
            rows = np.flatnonzero(waiting & np.isin(turns, seats))
            if len(rows):
                actions[rows] = _choices(agent, games[rows], outputs.observations[rows], outputs.masks[rows])
        move_games(games, actions, waiting, autoreset, setup, outputs)


def _choices(
    agent: Any, games: NDArray[np.void], observations: NDArray[Any], masks: NDArray[np.int8]
) -> NDArray[np.int64]:
    keys = np.stack([games["seed"], games["game_number"], games["decision"]], axis=1).astype(np.int64)
    answer = agent.act(observations.astype(np.int8, copy=False), masks, keys)
    choices = np.asarray(answer)
    integers = choices.dtype.kind in "iu" and choices.shape == (len(games),)
    if not (integers and ((choices >= 0) & (choices < masks.shape[1])).all()):
        raise ValueError(
            f"the agent at seat {games['turn'][0]} returned {answer!r}, but must return an array of {len(games)} "
            f"integers from 0 to {masks.shape[1] - 1}: an action for each observation"
        )
    legal = masks[np.arange(len(masks)), choices] != 0
    if not legal.all():
        row = int(np.argmin(legal))
        seat, choice = games["turn"][row], choices[row]
        raise IllegalActionError(f"the agent at seat {seat} chose action {choice}, {NAMES[choice]}, which is illegal")
    return choices.astype(np.int64, copy=False)
