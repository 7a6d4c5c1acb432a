"""`EckEnv`: one game of ECK as a Gymnasium environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, TypeAlias

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from eck_env.batch import MAX_SEED, TRAINING_SEEDS
from eck_env.checks import integer
from eck_env.eck.cards import DECK_SIZE, NUM_KINDS
from eck_env.eck.engine import BEGIN, SHOW, make_row, step_game
from eck_env.eck.infos import IllegalActionError, announce_forfeit, as_action, illegal_action_message, step_info
from eck_env.eck.loading import load_state
from eck_env.eck.observation import SIZE, make_space, split
from eck_env.eck.options import apply_options
from eck_env.eck.render import PICTURE_SIZE, RENDER_MODES, Renderer, check_render_mode, check_render_size
from eck_env.eck.round_values import RoundValues, StartStates
from eck_env.eck.settings import Settings, make_settings
from eck_env.eck.state import new_games, record, shuffle_hidden, state_dict

Observation: TypeAlias = Any
"""A flat observation, shape (259,), or with `observation="dict"` the dict of its fields."""

_VIEWS = ("observation", "mask", "event")


class EckEnv(gym.Env[Any, Any]):
    """ECK, a solo trick-taking card game by John Burton: collect trick cards by taking exactly their number of tricks.

    A game is a series of rounds of 13 tricks against ECK, a deck that plays by fixed rules. After each round you
    collect the trick card of the number of tricks you took, if it is still to be had; otherwise the counter advances,
    and the card of ECK's number turns gray, or is ECK's if it was gray. You win with `target` cards; you lose when ECK
    takes a card or the counter reaches X. Each step plays one card of yours and finishes its trick.

    **Action**: `Discrete(38)`: the kind of the card to play (`cards.py`).
    **Mask**: `info["action_mask"]` after every reset and step, int8, shape (38,); `action_masks()` as bool. All ones
    once the episode is over.
    **Observation**: what a player who remembers the round knows; `observation.py` shows the layout.
    **Reward**: +1 for a win, -1 for a loss, 0 before; see `reward` in `settings.make_settings`.
    **Info**: `trick` after every step; `round` at the end of a round; `outcome` and `reasons` at the end of a game;
    `illegal_action` after an illegal action.
    **Randomness**: the deals follow from the seed, the number of the game since seeding and the round alone. A reset
    without a seed starts the next game; without any seed ever given, a seed is drawn (below 2**30).

    Args:
        target: See `settings.make_settings`; so for all but the last.
        trick_cards: Names of the trick cards laid out.
        circle_follow: ``"any"`` or ``"same"``.
        observation: ``"flat"`` or ``"dict"``.
        dtype: ``"int8"`` or ``"float32"``.
        reward: ``"win"`` or ``"round_value"``.
        illegal_action: ``"forfeit"`` or ``"raise"``.
        episode: ``"game"`` or ``"round"``.
        round_values: The table of round values, where it is needed.
        start_states: The states that round episodes start from.
        render_mode: None; ``"ansi"``: text; ``"rgb_array"``: a picture; ``"human"``: a window that follows the game.
        render_size: Width and height of the picture or window, in pixels.

    Raises:
        ValueError: If a keyword has a value that is not allowed.
        TypeError: If a keyword has the wrong type.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012  (as Gymnasium declares it)

    def __init__(
        self,
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
        self._set_up(settings, check_render_mode(render_mode), check_render_size(render_size))

    @classmethod
    def from_settings(
        cls, settings: Settings, render_mode: str | None = None, render_size: tuple[int, int] = PICTURE_SIZE
    ) -> EckEnv:
        """Return an environment with keywords that have been checked already."""
        env = cls.__new__(cls)
        env._set_up(settings, render_mode, render_size)
        return env

    def _set_up(self, settings: Settings, render_mode: str | None, render_size: tuple[int, int]) -> None:
        self.settings = settings
        self.render_mode = render_mode
        self._renderer = Renderer(render_mode, render_size)
        self.observation_space = make_space(settings.observation, settings.dtype)
        self.action_space = spaces.Discrete(NUM_KINDS)
        self._games = new_games(1, self.settings.variant)
        self._setup = self.settings.setup(np.zeros((1, 0, DECK_SIZE), np.int8))
        self._rows = make_row(settings.dtype)
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
            options: Cards and trick cards to start from; see `options.apply_options`.
            out: An array of the observation's shape (259,) to write it into, instead of a fresh one.

        Returns:
            The observation, and the info with `action_mask`.

        Raises:
            ValueError: If the seed or an option is not allowed; the environment is then as it was before.
        """
        self._check_out(out)
        games = self._games.copy()
        game = record(games, 0)
        if seed is not None:
            game.seed, game.game_number = integer(seed, 0, MAX_SEED, "seed"), 0
        elif self._started:
            game.game_number += 1
        else:
            game.seed = int(self.np_random.integers(TRAINING_SEEDS))
        setup = self.settings.setup(np.zeros((1, 0, DECK_SIZE), np.int8))
        step_game(games, BEGIN, setup, self._rows)
        if options:
            try:
                setup = self.settings.setup(apply_options(game, options)[np.newaxis])
                self.settings.check_value(game)
            except Exception:
                step_game(self._games, SHOW, setup, self._rows)
                raise
            step_game(games, SHOW, setup, self._rows)
        super().reset(seed=None if seed is None else int(seed))
        self._games, self._setup, self._started = games, setup, True
        if self.render_mode == "human":
            self.render()
        return self._observation(out), {"action_mask": self._mask.copy()}

    def step(
        self, action: Any, out: NDArray[Any] | None = None
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play a card and finish its trick; deal the next round when one ends and the game goes on.

        Args:
            action: The kind of the card, 0 to 37.
            out: An array of the observation's shape (259,) to write it into, instead of a fresh one.

        Returns:
            Observation, reward, terminated, truncated (always False), info.

        Raises:
            ResetNeeded: If no game is going on.
            IllegalActionError: If the card is illegal and the environment was made with ``illegal_action="raise"``.
            ValueError: If it is no action at all, or a prescribed reshuffle does not fit the cards left.
        """
        if not self._started or self._games["over"][0]:
            raise ResetNeeded("no game is going on: call reset() first")
        kind = as_action(action)
        self._check_out(out)
        if self.settings.illegal_action == "raise" and not self._mask[kind]:
            raise IllegalActionError(illegal_action_message(record(self._games, 0), kind))
        before = self._games.copy() if self._setup.scripts.size else None
        reward = step_game(self._games, kind, self._setup, self._rows)
        if before is not None:
            self._check_script(before)
        info = step_info(self._event.tolist())
        info["action_mask"] = self._mask.copy()
        if "illegal_action" in info:
            announce_forfeit()
        if self.render_mode == "human" and self._renderer.follows:
            self.render()
        return self._observation(out), reward, bool(self._games["over"][0]), False, info

    def _check_script(self, before: NDArray[np.void]) -> None:
        """Undo the step and raise if a prescribed reshuffle was not one of the cards that were left."""
        number = int(self._games["misfit"][0])
        if number:
            self._games = before
            step_game(before, SHOW, self._setup, self._rows)
            raise ValueError(
                f"shuffles[{number - 1}] is no order of the cards that are left in the deck at that moment; "
                "the card has not been played"
            )

    def _check_out(self, out: Any) -> None:
        """Raise ValueError if the caller's array cannot take an observation, before anything has changed."""
        dtype = self.settings.dtype
        fits = isinstance(out, np.ndarray) and out.shape == (SIZE,) and out.dtype == dtype and out.flags.writeable
        if out is not None and not fits:
            given = f"{out.dtype} of shape {out.shape}" if isinstance(out, np.ndarray) else repr(type(out).__name__)
            raise ValueError(f"out is {given}, but must be a writable numpy array of {dtype} and shape ({SIZE},)")

    def _observation(self, out: NDArray[Any] | None) -> Observation:
        if out is None:
            flat = self._row.copy()
        else:
            out[:] = self._row
            flat = out
        return split(flat) if self.settings.observation == "dict" else flat

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions as bool, shape (38,); all true once the episode is over."""
        masks: NDArray[np.bool_] = self._mask != 0
        return masks

    def state_dict(self) -> dict[str, Any]:
        """Return the whole state, hidden cards and all, as plain data fit for JSON; see `state.state_dict`.

        Raises:
            ResetNeeded: If no game has been started.
        """
        self._need_game()
        return state_dict(record(self._games, 0), self._setup.scripts[0])

    def set_state(self, state: Mapping[str, Any]) -> tuple[Observation, dict[str, Any]]:
        """Restore a state that `state_dict` returned, future deals included.

        Returns:
            What reset returns: the observation, and the info with `action_mask`.

        Raises:
            ValueError: If it is no possible state of this variant; the environment is then as it was before.
        """
        games, scripts = load_state(state, self.settings.variant)
        self.settings.check_value(record(games, 0))
        self._games, self._setup, self._started = games, self.settings.setup(scripts[np.newaxis]), True
        step_game(games, SHOW, self._setup, self._rows)
        return self._observation(None), {"action_mask": self._mask.copy()}

    def copy(self) -> EckEnv:
        """Return an independent environment in the same state, random generator included."""
        return deepcopy(self)

    def determinize(self, rng: np.random.Generator) -> None:
        """Re-draw all that the player cannot know: the order of the face-down cards, and every later shuffle.

        A search that plays ahead on a copy must call this on it first, or it sees the hidden cards.

        Raises:
            TypeError: If `rng` is no `numpy.random.Generator`.
        """
        self._need_game()
        shuffle_hidden(record(self._games, 0), rng)

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
