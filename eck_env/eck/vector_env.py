"""`EckVectorEnv`: many games of ECK at once over the compiled engine, as a Gymnasium vector environment."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from eck_env.base.render import PICTURE_SIZE
from eck_env.base.vector_env import GameVectorEnv
from eck_env.eck.definition import ECK
from eck_env.eck.env import EckEnv
from eck_env.eck.round_values import RoundValues, StartStates
from eck_env.eck.settings import Settings, make_settings


class EckVectorEnv(GameVectorEnv[EckEnv]):
    """A batch of games of ECK; game slot i, seeded s, plays as `EckEnv` seeded s + i, bit for bit.

    See `GameVectorEnv` for autoreset and infos.

    Args:
        num_envs: The number of games, at least 1.
        autoreset_mode: An `AutoresetMode` or its name.
        info: ``"mask"`` or ``"full"``.
        target: See `EckEnv`; so for all that follow.
        trick_cards: See `EckEnv`.
        circle_follow: See `EckEnv`.
        observation: See `EckEnv`.
        dtype: See `EckEnv`.
        reward: See `EckEnv`.
        illegal_action: See `EckEnv`.
        episode: See `EckEnv`.
        round_values: See `EckEnv`.
        start_states: See `EckEnv`.
        render_mode: See `EckEnv`; `render` returns a tuple with the picture of each game, and the window shows the
            first ones side by side.
        render_size: See `EckEnv`.

    Raises:
        ValueError: If a keyword has a value that is not allowed.
        TypeError: If a keyword has the wrong type.
    """

    definition = ECK
    single_env = EckEnv
    settings: Settings

    def __init__(
        self,
        num_envs: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        info: str = "mask",
        target: int = 4,
        trick_cards: Sequence[str] | None = None,
        circle_follow: str = "any",
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
            target, trick_cards, circle_follow, observation, dtype, reward, illegal_action, episode, round_values,
            start_states,
        )  # fmt: skip
        self._set_up(num_envs, autoreset_mode, info, settings, render_mode, render_size)

    @property
    def round_numbers(self) -> NDArray[np.int64]:
        """The rounds of each game before the present one; shape (n,)."""
        return self._games["round_number"].copy()
