"""What the environments of every game tell: infos, with little work or all of it, and errors about actions."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.base.engine import OUTCOME, REASONS, Outputs
from eck_env.base.game import Game
from eck_env.base.records import flag_names
from eck_env.batch import PLAYING

logger = logging.getLogger("eck_env")

View = Callable[[NDArray[Any]], Any]
"""Turns flat observations into what the environment returns."""

AddInfo = Callable[[dict[str, Any], dict[str, Any], int], dict[str, Any]]
"""`VectorEnv._add_info`: adds the info of one game to that of the batch."""


class IllegalActionError(ValueError):
    """An action that the rules do not allow, where the environment was made with ``illegal_action="raise"``."""


def as_action(action: Any, game: Game, what: str = "action") -> int:
    """Return an action as an int; ValueError if it is no action of the space at all."""
    if isinstance(action, np.ndarray) and action.ndim == 0:
        action = action[()]
    last = game.engine.num_actions - 1
    if isinstance(action, bool) or not isinstance(action, int | np.integer) or not 0 <= action <= last:
        raise ValueError(f"{what} is {action!r}, but must be an integer from 0 to {last}: {game.action}")
    return int(action)


@functools.cache
def announce_forfeit() -> None:
    """Say in one line of the log, once a process, that an illegal action lost a game."""
    logger.warning(
        'eck_env: an illegal action lost the game (illegal_action="forfeit"); choose among the ones of '
        'info["action_mask"], or make the environment with illegal_action="raise" to find the mistake'
    )


def step_info(game: Game, event: list[int]) -> dict[str, Any]:
    """Return the info of one step, the mask left out.

    Args:
        game: The game that is played.
        event: The columns that the engine wrote, as ints.

    Returns:
        What the action did (`Game.told`), at the end of a game `outcome` and `reasons`, after an illegal action
        `illegal_action`; nothing after a step that started a game.
    """
    info = game.told(event)
    if event[OUTCOME] != PLAYING:
        info["outcome"] = game.outcomes[event[OUTCOME]]
        info["reasons"] = flag_names(event[REASONS], game.reasons)
        if event[REASONS] & game.illegal_action:
            info["illegal_action"] = True
    return info


def action_masks_info(masks: NDArray[np.int8]) -> dict[str, Any]:
    """Return the info that tells the masks of all games and nothing else."""
    known = np.empty(len(masks), np.bool_)
    known.fill(True)  # np.ones takes twice as long
    return {"action_mask": masks, "_action_mask": known}


def mask_infos(game: Game, outputs: Outputs, same_step: bool, view: View) -> dict[str, Any]:
    """Return the masks, and what is told where episodes end, without making an object for each game that goes on.

    Args:
        game: The game that is played.
        outputs: What the engine wrote.
        same_step: Whether finished episodes have been followed by new ones in this step.
        view: Turns one flat observation into what the environment returns.
    """
    infos = action_masks_info(outputs.masks)
    ended = outputs.terminated.nonzero()[0]
    if not len(ended):
        return infos
    ends = _outcomes(game, outputs, ended)
    if not same_step:
        return infos | ends
    count = len(outputs.masks)
    final_masks, final_obs = np.zeros(outputs.masks.shape, np.int8), np.empty(count, object)
    final_masks[ended] = 1
    for index, row in zip(ended.tolist(), outputs.final_observations[ended], strict=True):
        final_obs[index] = view(row)
    over = outputs.terminated.copy()
    infos |= {"final_obs": final_obs, "_final_obs": over, "_final_info": over}
    return infos | {"final_info": {"action_mask": final_masks, "_action_mask": over} | ends}


def _outcomes(game: Game, outputs: Outputs, ended: NDArray[np.intp]) -> dict[str, Any]:
    """Return outcome, reasons and illegal actions of the games, not just the rounds, that ended."""
    count = len(outputs.masks)
    outcomes, reasons, decided = np.empty(count, object), np.empty(count, object), np.zeros(count, np.bool_)
    forfeits: list[int] = []
    names = game.reason_lists
    for index, event in zip(ended.tolist(), outputs.events[ended].tolist(), strict=True):
        outcome, flags = event[OUTCOME], event[REASONS]
        if outcome != PLAYING:
            outcomes[index], reasons[index], decided[index] = game.outcomes[outcome], list(names[flags]), True
            if flags & game.illegal_action:
                forfeits.append(index)
    if not decided.any():
        return {}
    told = {"outcome": outcomes, "_outcome": decided, "reasons": reasons, "_reasons": decided.copy()}
    if forfeits:
        announce_forfeit()
        illegal = np.zeros(count, np.bool_)
        illegal[forfeits] = True
        told |= {"illegal_action": illegal, "_illegal_action": illegal.copy()}
    return told


def full_infos(game: Game, outputs: Outputs, same_step: bool, view: View, add_info: AddInfo) -> dict[str, Any]:
    """Return all that a single environment tells, laid out by Gymnasium's own method; arguments as `mask_infos`."""
    infos: dict[str, Any] = {}
    for index, event in enumerate(outputs.events.tolist()):
        info = step_info(game, event)
        if "illegal_action" in info:
            announce_forfeit()
        if same_step and outputs.terminated[index]:
            info["action_mask"] = np.ones(outputs.masks.shape[1], np.int8)
            final_obs = view(outputs.final_observations[index].copy())
            infos = add_info(infos, {"final_obs": final_obs, "final_info": info}, index)
            info = {}
        info["action_mask"] = outputs.masks[index]
        infos = add_info(infos, info, index)
    return infos
