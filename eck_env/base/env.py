"""`GameEnv`: one game as a Gymnasium environment, whatever the game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from typing import Any, ClassVar, Self, TypeAlias

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from eck_env.base.engine import BEGIN, SHOW
from eck_env.base.game import Game
from eck_env.base.infos import IllegalActionError, announce_forfeit, as_action, step_info
from eck_env.base.records import MAX_NUMBER, record
from eck_env.base.render import PICTURE_SIZE, RENDER_MODES, Renderer
from eck_env.base.settings import BaseSettings
from eck_env.batch import MAX_SEED, TRAINING_SEEDS
from eck_env.checks import integer

Observation: TypeAlias = Any
"""A flat observation, or with `observation="dict"` the dict of its fields."""

_VIEWS = ("observation", "mask", "event")


class GameEnv(gym.Env[Any, Any]):
    """What the single environments of all games share; a game adds its definition and its keywords.

    Attributes:
        definition: The game that is played.
        settings: The keywords that it was made with, checked.
    """

    definition: ClassVar[Game]
    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012  (as Gymnasium declares it)
    settings: BaseSettings
    _step_game: ClassVar[Any]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "_step_game" not in cls.__dict__:
            cls._step_game = staticmethod(cls.definition.engine.step_game)  # found sooner at each step

    @classmethod
    def from_settings(
        cls, settings: BaseSettings, render_mode: str | None = None, render_size: tuple[int, int] = PICTURE_SIZE
    ) -> Self:
        """Return an environment with keywords that have been checked already."""
        env = cls.__new__(cls)
        env._set_up(settings, render_mode, render_size)
        return env

    def _set_up(self, settings: BaseSettings, render_mode: str | None, render_size: tuple[int, int]) -> None:
        self.settings = settings
        self.render_mode = render_mode
        self._renderer = Renderer(self.definition.tables, render_mode, render_size)
        self.observation_space = self.definition.layout.make_space(settings.observation, settings.dtype)
        self.action_space = spaces.Discrete(self.definition.engine.num_actions)
        self._games = self.definition.new_games(1, self.settings.variant)
        self._setup = self.settings.setup(self.definition.no_scripts(1))
        self._rows = self.definition.engine.make_row(settings.dtype)
        self._bind_views()
        self._started = False

    def _bind_views(self) -> None:
        self._row, self._mask, self._event = (self._rows[name][0] for name in _VIEWS)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the views out of copies and pickles: a copy of a view would no longer be one."""
        return {name: value for name, value in self.__dict__.items() if name not in ("_row", "_mask", "_event")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind_views()

    def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, Any] | None = None,
        out: NDArray[Any] | None = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a game: the first one of a seed, or without a seed the next one.

        Args:
            seed: 0 to 2**63 - 1; those from 2**30 up are meant for evaluation alone.
            options: What to start from, in notation; see the game's `options.apply_options`.
            out: An array of a flat observation's shape to write it into, instead of a fresh one.

        Returns:
            The observation, and the info with `action_mask`.

        Raises:
            ValueError: If the seed or an option is not allowed; the environment is then as it was before.
        """
        if out is not None:
            self._check_out(out)
        if seed is not None:
            key = integer(seed, 0, MAX_SEED, "seed"), 0
        elif self._started:
            key = int(self._games["seed"][0]), int(self._games["game_number"][0]) + 1
        else:
            key = int(self.np_random.integers(TRAINING_SEEDS)), 0
        self._begin(*key, options)
        super().reset(seed=None if seed is None else int(seed))
        return self._observation(out), {"action_mask": self._mask.copy()}

    def reset_to(
        self, seed: int, game: int, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a game of a seed by its number: the one that so many resets without a seed lead to.

        Args:
            seed: The seed; see `reset`.
            game: The number of the game since seeding.
            options: See `reset`.

        Returns:
            What reset returns.

        Raises:
            ValueError: If one of them is not allowed; the environment is then as it was before.
        """
        self._begin(integer(seed, 0, MAX_SEED, "seed"), integer(game, 0, MAX_NUMBER, "game"), options)
        super().reset(seed=int(seed))
        return self._observation(None), {"action_mask": self._mask.copy()}

    def _begin(self, seed: int, number: int, options: dict[str, Any] | None) -> None:
        """Start the game that seed and number name; if that is refused, the environment stays as it was."""
        games = self._games.copy()
        game = record(games, 0)
        game.seed, game.game_number = seed, number
        setup = self.settings.setup(self.definition.no_scripts(1))
        with self._undoing(self._games):
            self._step_game(games, BEGIN, setup, self._rows)
            if options:
                setup = self.settings.setup(self.definition.apply_options(game, options)[np.newaxis])
                self.settings.check_value(game)
                self._step_game(games, SHOW, setup, self._rows)
            self._catch_up(games, setup)
        self._games, self._setup, self._started = games, setup, True
        if self.render_mode == "human":
            self.render()

    def step(
        self, action: Any, out: NDArray[Any] | None = None
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take an action, and whatever follows from it until the next decision; deal where due.

        Args:
            action: The number of the action.
            out: An array of a flat observation's shape to write it into, instead of a fresh one.

        Returns:
            Observation, reward, terminated, truncated (always False), info.

        Raises:
            ResetNeeded: If no game is going on.
            IllegalActionError: If the action is illegal and the environment was made with ``illegal_action="raise"``.
            ValueError: If it is no action at all, or a prescribed shuffle does not fit the cards left.
        """
        if not self._started or self._games["over"][0]:
            raise ResetNeeded("no game is going on: call reset() first")
        action = as_action(action, self.definition)
        if out is not None:
            self._check_out(out)
        if self.settings.illegal_action == "raise" and not self._mask[action]:
            raise IllegalActionError(self.definition.illegal_action_message(record(self._games, 0), action))
        if self._setup.scripts.size or self.settings.has_agents:
            with self._undoing(self._games.copy()):
                reward = self._step_game(self._games, action, self._setup, self._rows)
                self._check_script()
        else:
            reward = self._step_game(self._games, action, self._setup, self._rows)
        info = step_info(self.definition, self._event.tolist())
        info["action_mask"] = self._mask.copy()
        if "illegal_action" in info:
            announce_forfeit()
        if self.render_mode == "human" and self._renderer.follows:
            self.render()
        return self._observation(out), reward, bool(self._games["over"][0]), False, info

    def _catch_up(self, games: NDArray[np.void], setup: Any) -> None:
        """Let others move in a game that has been started or restored, where others than the engine play along."""

    @contextmanager
    def _undoing(self, before: NDArray[np.void]) -> Iterator[None]:
        """If something fails, such as an agent at another seat, go back to how the game stood before."""
        try:
            yield
        except BaseException:
            self._games = before
            self._step_game(before, SHOW, self._setup, self._rows)
            raise

    def _check_script(self) -> None:
        """Raise if a prescribed shuffle was not one of the cards that were left."""
        message = self.definition.misfit_message(record(self._games, 0)) if self.definition.misfit_message else ""
        if message:
            raise ValueError(f"{message}; the card has not been played")

    def _check_out(self, out: Any) -> None:
        """Raise ValueError if the caller's array cannot take an observation, before anything has changed."""
        dtype, size = self.settings.dtype, self.definition.layout.size
        fits = isinstance(out, np.ndarray) and out.shape == (size,) and out.dtype == dtype and out.flags.writeable
        if not fits:
            given = f"{out.dtype} of shape {out.shape}" if isinstance(out, np.ndarray) else repr(type(out).__name__)
            raise ValueError(f"out is {given}, but must be a writable numpy array of {dtype} and shape ({size},)")

    def _observation(self, out: NDArray[Any] | None) -> Observation:
        if out is None:
            flat = self._row.copy()
        else:
            out[:] = self._row
            flat = out
        return self.definition.layout.split(flat) if self.settings.observation == "dict" else flat

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions as bool; all true once the episode is over."""
        masks: NDArray[np.bool_] = self._mask != 0
        return masks

    def state_dict(self) -> dict[str, Any]:
        """Return the whole state, hidden cards and all, as plain data fit for JSON; see the game's `state.state_dict`.

        Raises:
            ResetNeeded: If no game has been started.
        """
        self._need_game()
        return self.definition.state_dict(record(self._games, 0), self._setup.scripts[0])

    def set_state(self, state: Mapping[str, Any]) -> tuple[Observation, dict[str, Any]]:
        """Restore a state that `state_dict` returned, future deals included.

        Returns:
            What reset returns: the observation, and the info with `action_mask`.

        Raises:
            ValueError: If it is no possible state of this variant; the environment is then as it was before.
        """
        games, scripts = self.definition.load_state(state, self.settings.variant)
        self.settings.check_value(record(games, 0))
        setup = self.settings.setup(scripts[np.newaxis])
        with self._undoing(self._games):
            self._step_game(games, SHOW, setup, self._rows)
            self._catch_up(games, setup)
        self._games, self._setup, self._started = games, setup, True
        return self._observation(None), {"action_mask": self._mask.copy()}

    def copy(self) -> Self:
        """Return an independent environment in the same state, random generator included."""
        return deepcopy(self)

    def determinize(self, rng: np.random.Generator) -> None:
        """Re-draw all that the player cannot know: hidden cards, and every later shuffle.

        A search that plays ahead on a copy must call this on it first, or it sees the hidden cards.

        Raises:
            TypeError: If `rng` is no `numpy.random.Generator`.
        """
        self._need_game()
        self.definition.shuffle_hidden(record(self._games, 0), rng)

    def render(self) -> Any:
        """Show the table in the way of the render mode.

        Returns:
            For ``"ansi"`` the text, in color where standard output is a terminal that has it; for ``"rgb_array"`` the
            picture, shape (height, width, 3), uint8; for ``"human"``, which shows a window by itself after each reset
            and step, None, and so without a render mode, with a warning.

        Raises:
            ResetNeeded: If no game has been started.
            DependencyNotInstalled: If a picture is asked for and pygame is not there.
        """
        if self.render_mode is not None:
            self._need_game()
        shown = self._renderer.show([record(self._games, 0)], self.metadata["render_fps"])
        return shown[0] if shown else None

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()

    def _need_game(self) -> None:
        if not self._started:
            raise ResetNeeded("no game has been started: call reset() first")
