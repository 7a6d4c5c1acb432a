"""Playing with the keyboard by `gymnasium.utils.play.play`, which steps an environment many times a second."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from eck_env.eck.cards import NAMES

NOTHING = 0
"""The action that plays no card: that of `play` while no key is pressed."""
FPS = 30


class KeyboardPlay(gym.Wrapper[Any, Any, Any, Any]):
    """Makes ECK playable by `gymnasium.utils.play.play(KeyboardPlay(env))`; `env` has render mode ``"rgb_array"``.

    A card is played by its notation, both keys pressed together: B and 6 for the blue hexagon, K and W for the circles.
    Illegal cards are not played, and a key that is held down plays once. A finished game stays on the table until the
    next card is asked for.

    **Action**: `Discrete(39)`: 0 does nothing, k + 1 plays the card of kind k.
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        super().__init__(env)
        self.action_space = spaces.Discrete(len(NAMES) + 1)
        self.metadata = {**env.metadata, "render_fps": FPS}
        self._before = NOTHING
        self._shown: tuple[Any, float, bool, bool, dict[str, Any]] | None = None

    def get_keys_to_action(self) -> dict[tuple[str, ...], int]:
        """Return the action of each combination of keys."""
        return {tuple(name.lower()): kind + 1 for kind, name in enumerate(NAMES)}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a game; see `EckEnv.reset`."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._shown = (observation, 0.0, False, False, info)
        return observation, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play a card if the action is a new one and legal; otherwise nothing happens, with reward 0."""
        if self._shown is None:
            raise gym.error.ResetNeeded("no game is going on: call reset() first")
        pressed, self._before = int(action) not in (NOTHING, self._before), int(action)
        observation, reward, terminated, truncated, info = self._shown
        if not pressed:
            return observation, 0.0, False, False, info
        if terminated or truncated:
            self._shown = None
            return observation, reward, terminated, truncated, info
        if not np.asarray(info["action_mask"])[self._before - 1]:
            return observation, 0.0, False, False, info
        observation, given, terminated, truncated, info = self.env.step(self._before - 1)
        self._shown = (observation, float(given), terminated, truncated, info)
        return observation, 0.0 if terminated or truncated else float(given), False, False, info
