"""The infos of a batch of games: with little work, or all of it in Gymnasium's layout."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.eck.cards import NUM_KINDS
from eck_env.eck.engine import OUTCOME, REASONS, Outputs
from eck_env.eck.infos import announce_forfeit, step_info
from eck_env.eck.rules import BY_ILLEGAL_ACTION, PLAYING
from eck_env.eck.state import OUTCOMES, reason_names

View = Callable[[NDArray[Any]], Any]
"""Turns flat observations into what the environment returns."""

AddInfo = Callable[[dict[str, Any], dict[str, Any], int], dict[str, Any]]
"""`VectorEnv._add_info`: adds the info of one game to that of the batch."""

_REASONS = [reason_names(flags) for flags in range(2 * BY_ILLEGAL_ACTION)]


def action_masks_info(masks: NDArray[np.int8]) -> dict[str, Any]:
    """Return the info that tells the masks of all games and nothing else."""
    known = np.empty(len(masks), np.bool_)
    known.fill(True)  # np.ones takes twice as long
    return {"action_mask": masks, "_action_mask": known}


def mask_infos(outputs: Outputs, same_step: bool, view: View) -> dict[str, Any]:
    """Return the masks, and what is told where episodes end, without making an object for each game that goes on.

    Args:
        outputs: What the engine wrote.
        same_step: Whether finished episodes have been followed by new ones in this step.
        view: Turns one flat observation into what the environment returns.
    """
    infos = action_masks_info(outputs.masks)
    ended = outputs.terminated.nonzero()[0]
    if not len(ended):
        return infos
    ends = _outcomes(outputs, ended)
    if not same_step:
        return infos | ends
    count = len(outputs.masks)
    final_masks, final_obs = np.zeros((count, NUM_KINDS), np.int8), np.empty(count, object)
    final_masks[ended] = 1
    for index, row in zip(ended.tolist(), outputs.final_observations[ended], strict=True):
        final_obs[index] = view(row)
    over = outputs.terminated.copy()
    infos |= {"final_obs": final_obs, "_final_obs": over, "_final_info": over}
    return infos | {"final_info": {"action_mask": final_masks, "_action_mask": over} | ends}


def _outcomes(outputs: Outputs, ended: NDArray[np.intp]) -> dict[str, Any]:
    """Return outcome, reasons and illegal actions of the games, not just the rounds, that ended."""
    count = len(outputs.masks)
    outcomes, reasons, decided = np.empty(count, object), np.empty(count, object), np.zeros(count, np.bool_)
    forfeits: list[int] = []
    for index, event in zip(ended.tolist(), outputs.events[ended].tolist(), strict=True):
        outcome, flags = event[OUTCOME], event[REASONS]
        if outcome != PLAYING:
            outcomes[index], reasons[index], decided[index] = OUTCOMES[outcome], list(_REASONS[flags]), True
            if flags & BY_ILLEGAL_ACTION:
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


def full_infos(outputs: Outputs, same_step: bool, view: View, add_info: AddInfo) -> dict[str, Any]:
    """Return all that a single environment tells, laid out by Gymnasium's own method; arguments as `mask_infos`."""
    infos: dict[str, Any] = {}
    for index, event in enumerate(outputs.events.tolist()):
        info = step_info(event)
        if "illegal_action" in info:
            announce_forfeit()
        if same_step and outputs.terminated[index]:
            info["action_mask"] = np.ones(NUM_KINDS, np.int8)
            final_obs = view(outputs.final_observations[index].copy())
            infos = add_info(infos, {"final_obs": final_obs, "final_info": info}, index)
            info = {}
        info["action_mask"] = outputs.masks[index]
        infos = add_info(infos, info, index)
    return infos
