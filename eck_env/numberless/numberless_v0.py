"""The PettingZoo environment by the name that PettingZoo's users expect: `numberless_v0.env(num_players=4)`."""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from eck_env.base.settings import ILLEGAL_ACTIONS
from eck_env.checks import choice
from eck_env.numberless.aec import NumberlessAECEnv

raw_env = NumberlessAECEnv


def env(illegal_action: str = "forfeit", **keywords: Any) -> AECEnv[str, dict[str, Any], int | None]:
    """Return the environment with PettingZoo's usual wrappers.

    Args:
        illegal_action: ``"forfeit"``: an illegal action ends the game, the offender gets -1, the others 0;
            ``"raise"``: it raises IllegalActionError.
        keywords: `num_players`, `draft`, `start_player` and so on; see `NumberlessAECEnv`.

    Raises:
        ValueError: If a keyword has a value that is not allowed.
    """
    made: Any = NumberlessAECEnv(**keywords)
    if choice(illegal_action, ILLEGAL_ACTIONS, "illegal_action") == "forfeit":
        made = wrappers.TerminateIllegalWrapper(made, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(made)
