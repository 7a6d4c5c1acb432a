"""`NumberlessVectorEnv`: many games without numbers at once over the compiled engine, you at seat 0 of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from eck_env.base.engine import Outputs
from eck_env.base.render import PICTURE_SIZE
from eck_env.base.vector_env import GameVectorEnv
from eck_env.batch import AUTORESET_CODES
from eck_env.numberless.definition import NUMBERLESS
from eck_env.numberless.engine import Setup
from eck_env.numberless.env import NumberlessEnv
from eck_env.numberless.opponents import let_agents_move
from eck_env.numberless.settings import Settings, make_settings


class NumberlessVectorEnv(GameVectorEnv[NumberlessEnv]):
    """A batch of games without numbers; game slot i, seeded s, plays as `NumberlessEnv` seeded s + i, bit for bit.

    See `GameVectorEnv` for autoreset and infos. Agents at the other seats are asked for whole batches.

    Args:
        num_envs: The number of games, at least 1.
        autoreset_mode: An `AutoresetMode` or its name.
        info: ``"mask"`` or ``"full"``.
        num_players: See `NumberlessEnv`; so for all that follow.
        draft: See `NumberlessEnv`.
        start_player: See `NumberlessEnv`.
        opponents: See `NumberlessEnv`.
        observation: See `NumberlessEnv`.
        dtype: See `NumberlessEnv`.
        reward: See `NumberlessEnv`.
        illegal_action: See `NumberlessEnv`.
        render_mode: See `NumberlessEnv`; `render` returns a tuple with the picture of each game, and the window shows
            the first ones side by side.
        render_size: See `NumberlessEnv`.

    Raises:
        ValueError: If a keyword has a value that is not allowed.
    """

    definition = NUMBERLESS
    single_env = NumberlessEnv
    settings: Settings

    def __init__(
        self,
        num_envs: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        info: str = "mask",
        num_players: int = 4,
        draft: bool = True,
        start_player: int | None = 0,
        opponents: Any = "random",
        observation: str = "flat",
        dtype: str = "int8",
        reward: str = "share",
        illegal_action: str = "forfeit",
        render_mode: str | None = None,
        render_size: Sequence[int] = PICTURE_SIZE,
    ) -> None:
        settings = make_settings(
            num_players, draft, start_player, opponents, observation, dtype, reward, illegal_action
        )
        self._set_up(num_envs, autoreset_mode, info, settings, render_mode, render_size)

    def _step_games(
        self, games: NDArray[np.void], actions: NDArray[np.int64], autoreset: int, setup: Setup, outputs: Outputs
    ) -> int:
        impossible: int = self.definition.engine.step_games(games, actions, autoreset, setup, outputs)
        if impossible < 0:
            let_agents_move(self.settings, games, autoreset, setup, outputs)
        return impossible

    def _catch_up(self, games: NDArray[np.void], outputs: Outputs) -> None:
        autoreset = AUTORESET_CODES[self.autoreset_mode]
        let_agents_move(self.settings, games, autoreset, self.settings.setup(self._no_scripts()), outputs)

    @property
    def counts(self) -> NDArray[np.int64]:
        """The cards that count against each seat, collected and in hand; shape (n, players)."""
        seats = self.settings.variant.num_players
        hands = np.array([[int(hand).bit_count() for hand in row] for row in self._games["hands"][:, :seats]])
        counts: NDArray[np.int64] = self._games["collected"][:, :seats] + hands.astype(np.int64)
        return counts
