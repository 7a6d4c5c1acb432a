"""The PettingZoo environment by the name that PettingZoo's users expect: `numberless_v0.env(num_players=4)`."""

from __future__ import annotations

from typing import Any

from eck_env.base.infos import as_action
from eck_env.base.settings import ILLEGAL_ACTIONS
from eck_env.checks import choice
from eck_env.needed import needed
from eck_env.numberless.aec import NumberlessAECEnv
from eck_env.numberless.definition import NUMBERLESS

with needed("pettingzoo"):
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers

raw_env = NumberlessAECEnv


class _Forfeit(wrappers.TerminateIllegalWrapper):  # type: ignore[misc]  # PettingZoo's wrappers are untyped
    """PettingZoo's wrapper, which looks an action up in the mask before anybody has asked whether it is one."""

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        over = self.terminations[agent] or self.truncations[agent]
        super().step(action if over else as_action(action, NUMBERLESS))


def env(illegal_action: str = "forfeit", **keywords: Any) -> AECEnv[str, dict[str, Any], int | None]:
    """Return the environment with PettingZoo's usual wrappers.

    Args:
        illegal_action: ``"forfeit"``: an illegal action ends the game, the offender gets -1, the others 0, and the
            state stays that before the action, as with all of PettingZoo's games; ``"raise"``: it raises
            IllegalActionError.
        keywords: `num_players`, `draft`, `start_player` and so on; see `NumberlessAECEnv`.

    Raises:
        ValueError: If a keyword has a value that is not allowed.
    """
    made: Any = NumberlessAECEnv(**keywords)
    if choice(illegal_action, ILLEGAL_ACTIONS, "illegal_action") == "forfeit":
        made = _Forfeit(made, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(made)
