"""`NumberlessEnv`: one game as a Gymnasium environment, you at seat 0 against players at the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from eck_env.base.engine import BEGIN, SHOW, Outputs
from eck_env.base.env import GameEnv
from eck_env.base.render import PICTURE_SIZE, check_render_mode, check_render_size
from eck_env.batch import AUTORESET_CODES
from eck_env.numberless.definition import NUMBERLESS
from eck_env.numberless.opponents import let_agents_move
from eck_env.numberless.settings import Settings, make_settings

_DISABLED = AUTORESET_CODES[AutoresetMode.DISABLED]


class NumberlessEnv(GameEnv):
    """A trick-taking game without numbers, a draft of Daniel Solis's: own the fewest cards when a hand is empty.

    49 cards, each a foreground on a background. The first two cards of a round fix the pattern: same background, same
    foreground, or all different. Who cannot fit takes the pot; if all can, the second player does. You sit at seat 0;
    the other seats move within your step.

    **Action**: `Discrete(49)`: the card to keep in the draft, or to play: 7 times its foreground plus its background.
    **Mask**: `info["action_mask"]` after every reset and step, int8, shape (49,); `action_masks()` as bool. All ones
    once the game is over.
    **Observation**: what a seat that remembers the game knows; `observation.py` shows the layout.
    **Reward**: at the end 1/k - 1/n for each of k winners out of n players, - 1/n for the others; 0 before.
    **Info**: `plays` (seat and card of each card played in the step, yours first) and `rounds` (taker, reason and
    number of cards of each round that ended) where there were any; `outcome` (`win`, `shared win`, `loss`) and
    `reasons` at the end of a game; `illegal_action` after an illegal action.
    **Randomness**: the deals follow from the seed and the number of the game since seeding alone, what compiled players
    draw from these and the number of the decision. A reset without a seed starts the next game.

    Args:
        num_players: See `settings.make_settings`; so for all but the last two.
        draft: Whether the hands are drafted.
        start_player: A seat, or None.
        opponents: ``"random"``, an agent, or a list of these.
        observation: ``"flat"`` or ``"dict"``.
        dtype: ``"int8"`` or ``"float32"``.
        reward: ``"share"`` or ``"margin"``.
        illegal_action: ``"forfeit"`` or ``"raise"``.
        render_mode: None; ``"ansi"``: text; ``"rgb_array"``: a picture; ``"human"``: a window that follows the game.
        render_size: Width and height of the picture or window, in pixels.

    Raises:
        ValueError: If a keyword has a value that is not allowed.
    """

    definition = NUMBERLESS
    settings: Settings

    def __init__(
        self,
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
        self._set_up(settings, check_render_mode(render_mode), check_render_size(render_size))

    def _step_game(self, games: NDArray[np.void], action: int, setup: Any, rows: NDArray[np.void]) -> float:
        reward: float = self.definition.engine.step_game(games, action, setup, rows)
        return reward if action in (BEGIN, SHOW) else self._let_agents_move(games, setup, reward)

    def _catch_up(self, games: NDArray[np.void], setup: Any) -> None:
        self._let_agents_move(games, setup, 0.0)

    def _let_agents_move(self, games: NDArray[np.void], setup: Any, reward: float) -> float:
        """Let the agents at the other seats decide, and return the reward of the step, which so far is `reward`."""
        if self.settings.has_agents:
            rewards = np.array([reward])
            observations, masks, events = (self._rows[name] for name in ("observation", "mask", "event"))
            outputs = Outputs(observations, masks, rewards, np.zeros(1, np.bool_), events, observations[:0])
            let_agents_move(self.settings, games, _DISABLED, setup, outputs)
            reward = float(rewards[0])
        return reward
