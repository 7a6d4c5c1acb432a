"""`GongorVectorEnv`: many games of Gongor Whist at once over the compiled engine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from eck_env.base.render import PICTURE_SIZE
from eck_env.base.vector_env import GameVectorEnv
from eck_env.gongor_whist.definition import GONGOR_WHIST
from eck_env.gongor_whist.env import GongorEnv
from eck_env.gongor_whist.round_values import RoundValues, StartStates
from eck_env.gongor_whist.settings import Settings, make_settings


class GongorVectorEnv(GameVectorEnv[GongorEnv]):
    """A batch of games of Gongor Whist; game slot i, seeded s, plays as `GongorEnv` seeded s + i, bit for bit.

    See `GameVectorEnv` for autoreset and infos.

    Args:
        num_envs: The number of games, at least 1.
        autoreset_mode: An `AutoresetMode` or its name.
        info: ``"mask"`` or ``"full"``.
        scoring: See `GongorEnv`; so for all that follow.
        aces: See `GongorEnv`.
        max_hands: See `GongorEnv`.
        observation: See `GongorEnv`.
        dtype: See `GongorEnv`.
        reward: See `GongorEnv`.
        illegal_action: See `GongorEnv`.
        episode: See `GongorEnv`.
        round_values: See `GongorEnv`.
        start_states: See `GongorEnv`.
        render_mode: See `GongorEnv`; `render` returns a tuple with the picture of each game, and the window shows the
            first ones side by side.
        render_size: See `GongorEnv`.

    Raises:
        ValueError: If a keyword has a value that is not allowed.
    """

    definition = GONGOR_WHIST
    single_env = GongorEnv
    settings: Settings

    def __init__(
        self,
        num_envs: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        info: str = "mask",
        scoring: str = "shut_the_box",
        aces: str = "game",
        max_hands: int | None = None,
        observation: str = "flat",
        dtype: str = "int8",
        reward: str | None = None,
        illegal_action: str = "forfeit",
        episode: str = "game",
        round_values: RoundValues | str | None = None,
        start_states: StartStates | None = None,
        render_mode: str | None = None,
        render_size: Sequence[int] = PICTURE_SIZE,
    ) -> None:
        settings = make_settings(
            scoring, aces, max_hands, observation, dtype, reward, illegal_action, episode, round_values, start_states
        )
        self._set_up(num_envs, autoreset_mode, info, settings, render_mode, render_size)

    @property
    def hand_numbers(self) -> NDArray[np.int64]:
        """The hands of each game before the present one; shape (n,)."""
        return self._games["hand_number"].copy()

    @property
    def points(self) -> NDArray[np.int64]:
        """Your points and the dummy's in each game; shape (n, 2)."""
        return np.stack([self._games["you"], self._games["dummy"]], axis=1).astype(np.int64)
