"""`GameVectorEnv`: many games at once over the compiled engine, as a Gymnasium vector environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from eck_env.base.engine import SHORT_EVENT_SIZE, Outputs, check_outputs
from eck_env.base.env import GameEnv, Observation
from eck_env.base.game import Game
from eck_env.base.infos import IllegalActionError, action_masks_info, as_action, full_infos, mask_infos
from eck_env.base.layout import share_bounds
from eck_env.base.records import record
from eck_env.base.render import MAX_TABLES, RENDER_MODES, Renderer, check_render_mode, check_render_size
from eck_env.base.scripts import insert_scripts, trim_scripts
from eck_env.base.settings import BaseSettings
from eck_env.batch import AUTORESET_CODES, MAX_SEED, NO_CARD, TRAINING_SEEDS, as_autoreset_mode
from eck_env.checks import choice, integer

INFOS = ("mask", "full")
Step = tuple[Observation, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]

SingleT = TypeVar("SingleT", bound=GameEnv)


class GameVectorEnv(VectorEnv[Any, Any, Any], Generic[SingleT]):
    """What the vector environments of all games share; a game adds its definition and its keywords.

    Actions, observations, masks and rewards are those of the single environment with a leading batch dimension; game
    slot i, seeded s, plays as the single environment seeded s + i, bit for bit.

    **Autoreset**: the mode is in `autoreset_mode` and in `metadata`. `NEXT_STEP`: the step after the end of an episode
    starts the next one; its action is ignored, its reward is 0. `SAME_STEP`: the next episode starts in the step that
    ends one, whose last observation and info are in `info["final_obs"]` and `info["final_info"]`. `DISABLED`: the
    caller resets finished games with `reset(options={"reset_mask": ...})`; stepping one raises `ResetNeeded`.

    **Info**: `info="mask"`: `action_mask`, a row a game, and where games end `outcome`, `reasons` and
    `illegal_action`, each with its `_key` that says for which games; no Python object is made for a game that goes
    on. `info="full"`: everything the single environment tells, laid out as Gymnasium's `SyncVectorEnv` lays it out.

    Attributes:
        definition: The game that is played.
        single_env: The class of its single environment.
        settings: The keywords that it was made with, checked.
    """

    definition: ClassVar[Game]
    single_env: type[SingleT]
    settings: BaseSettings
    _step_games: ClassVar[Any]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "_step_games" not in cls.__dict__:
            cls._step_games = staticmethod(cls.definition.engine.step_games)  # found sooner at each step

    def _set_up(
        self,
        num_envs: int,
        autoreset_mode: AutoresetMode | str,
        info: str,
        settings: BaseSettings,
        render_mode: str | None,
        render_size: Sequence[int],
    ) -> None:
        super().__init__()
        self.num_envs = integer(num_envs, 1, 2**31 - 1, "num_envs")
        self.autoreset_mode = as_autoreset_mode(autoreset_mode)
        self.info = choice(info, INFOS, "info")
        self.settings = settings
        self.render_mode = check_render_mode(render_mode)
        self._renderer = Renderer(self.definition.tables, self.render_mode, check_render_size(render_size))
        self.metadata = {
            **self.single_env.metadata,
            "render_modes": list(RENDER_MODES),
            "autoreset_mode": self.autoreset_mode,
        }
        self.single_observation_space = self.definition.layout.make_space(settings.observation, self.settings.dtype)
        self.single_action_space = spaces.Discrete(self.definition.engine.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        share_bounds(self.observation_space)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._games = self.definition.new_games(self.num_envs, self.settings.variant)
        self._setup = self.settings.setup(self._no_scripts())
        self._started = np.zeros(self.num_envs, np.bool_)
        self._ready = False
        self._forms = {name: (array.shape, array.dtype) for name, array in self.make_outputs()._asdict().items()}
        self._events, self._final_observations = self.make_outputs()[-2:]
        if self.info == "mask":
            self._events = self._events[:, :SHORT_EVENT_SIZE].copy()

    # --- Gymnasium's interface ---------------------------------------------------------------------------------------

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
        out: Outputs | None = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a game in every slot, or in those of `reset_mask`.

        Args:
            seed: An int s: slot i is seeded s + i; a list with a seed, or None, for every slot; None: every slot
                starts its next game.
            options: `reset_mask`: bool, shape (n,): the slots to reset; the other keys are those of the single
                environment's `reset` and are applied to every slot that is reset.
            out: Arrays to write to, from `make_outputs`; None for fresh ones.

        Returns:
            The observations of all games, and the info with `action_mask`.

        Raises:
            ValueError: If a seed, the mask or an option is not allowed; all games are then as they were before.
        """
        check_outputs(out, self._forms)
        setup_options = dict(options or {})
        chosen = self._check_mask(setup_options.pop("reset_mask", None))
        games = self._games.copy()
        self._seed_games(games, chosen, seed)
        outputs = out or self._fresh()
        self.definition.engine.reset_games(games, chosen, self.settings.setup(self._no_scripts()), outputs)
        scripts = np.where(chosen[:, np.newaxis, np.newaxis], np.int8(NO_CARD), self._setup.scripts)
        for index in np.flatnonzero(chosen).tolist() if setup_options else ():
            scripts = insert_scripts(scripts, index, self.definition.apply_options(record(games, index), setup_options))
            self.settings.check_value(record(games, index))
        if setup_options or not chosen.all():
            self.definition.engine.observe_games(games, outputs)
        self._catch_up(games, outputs)
        super().reset(seed=seed if isinstance(seed, int) else None)
        self._games, self._setup = games, self.settings.setup(trim_scripts(scripts))
        self._note_started(chosen)
        if self.render_mode == "human" and self._started.all():
            self.render()
        infos: dict[str, Any] = {}
        if self.info == "full":
            for index in np.flatnonzero(chosen).tolist():
                infos = self._add_info(infos, {"action_mask": outputs.masks[index]}, index)
        else:
            infos = action_masks_info(outputs.masks)
        return self._observations(outputs.observations), infos

    def step(self, actions: Any, out: Outputs | None = None) -> Step:
        """Take one action in each game.

        Args:
            actions: Their numbers, any integer type, shape (n,).
            out: Arrays to write to, from `make_outputs`; None for fresh ones.

        Returns:
            Observations, rewards (float64), terminations, truncations (all False), infos.

        Raises:
            ResetNeeded: If a game has not been started, or is over and the autoreset mode is `DISABLED`.
            IllegalActionError: If an action is illegal and the environment was made with ``illegal_action="raise"``.
            ValueError: If the actions have another shape or type, or one is no action at all. No game has then moved.
        """
        actions = self._check_actions(actions)
        check_outputs(out, self._forms)
        outputs = out or self._fresh()
        before = self._games.copy() if self._setup.scripts.size or self.settings.has_agents else None
        try:
            mode = AUTORESET_CODES[self.autoreset_mode]
            impossible = self._step_games(self._games, actions, mode, self._setup, outputs)
            if impossible >= 0:
                as_action(actions[impossible], self.definition, f"the action of game {impossible}")
            if before is not None:
                self._check_scripts()
        except BaseException:  # such as that of an agent at another seat
            self._games = self._games if before is None else before
            raise
        if self.render_mode == "human" and self._renderer.follows:
            self.render()
        same_step = self.autoreset_mode == AutoresetMode.SAME_STEP
        if self.info == "full":
            infos = full_infos(self.definition, outputs, same_step, self._observations, self._add_info)
        else:
            infos = mask_infos(self.definition, outputs, same_step, self._observations)
        return (
            self._observations(outputs.observations),
            outputs.rewards,
            outputs.terminated,
            np.zeros(self.num_envs, np.bool_),
            infos,
        )

    def render(self) -> tuple[Any, ...] | None:
        """Return a tuple with what the single environment's `render` returns of each game, or None as that does."""
        if self.render_mode is not None:
            self._need_games()
        count = min(self.num_envs, MAX_TABLES) if self.render_mode == "human" else self.num_envs
        games = [record(self._games, index) for index in range(count)]
        return tuple(self._renderer.show(games, self.metadata["render_fps"])) or None

    def close_extras(self, **kwargs: Any) -> None:
        """Close the window, if there is one."""
        if "_renderer" in self.__dict__:  # not where the constructor refused something: old Gymnasiums close that, too
            self._renderer.close()

    # --- Beyond it ---------------------------------------------------------------------------------------------------

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions as bool, a row a game; all true where the episode is over."""
        masks = np.empty((self.num_envs, self.definition.engine.num_actions), np.bool_)
        self.definition.engine.write_masks(self._games, masks.view(np.int8))
        return masks

    def make_outputs(self) -> Outputs:
        """Return arrays of the right shapes and types, to be given to `reset` and `step` as `out`."""
        final = self.autoreset_mode == AutoresetMode.SAME_STEP
        return self.definition.engine.make_outputs(self.num_envs, self.settings.dtype, final)

    @property
    def outcomes(self) -> NDArray[np.int8]:
        """How each game stands: `batch.PLAYING`, `WON`, `LOST` or `DRAWN`; shape (n,)."""
        return self._games["outcome"].copy()

    @property
    def reasons(self) -> NDArray[np.int8]:
        """Why each game was lost, as flags `rules.BY_...` of the game; shape (n,)."""
        return self._games["reasons"].copy()

    @property
    def keys(self) -> NDArray[np.int64]:
        """The seed and the number of each game, shape (n, 2): what names its deals."""
        return np.stack([self._games["seed"], self._games["game_number"]], axis=1)

    def state_dict(self, index: int) -> dict[str, Any]:
        """Return the whole state of one game; see the single environment's."""
        self._need_games()
        index = self._check_index(index)
        return self.definition.state_dict(record(self._games, index), self._setup.scripts[index])

    def set_state(self, index: int, state: Mapping[str, Any]) -> tuple[Observation, dict[str, Any]]:
        """Restore the state of one game; see the single environment's.

        Returns:
            The observations of all games, and the info with `action_mask`.
        """
        index = self._check_index(index)
        games, scripts = self.definition.load_state(state, self.settings.variant)
        self.settings.check_value(record(games, 0))
        before, self._games = self._games, self._games.copy()
        self._games[index] = games[0]
        try:
            seen = self._observe()
        except BaseException:  # such as that of an agent at another seat
            self._games = before
            raise
        self._setup = self.settings.setup(insert_scripts(self._setup.scripts, index, scripts))
        self._note_started(index)
        return seen

    def copy(self, index: int) -> SingleT:
        """Return one game as a single environment of its own, in the same state."""
        single = self.single_env.from_settings(self.settings, self.render_mode, self._renderer.size)
        single.set_state(self.state_dict(index))
        return single

    def determinize(self, index: int, rng: np.random.Generator) -> None:
        """Re-draw all that the player cannot know in one game; see the single environment's."""
        self._need_games()
        self.definition.shuffle_hidden(record(self._games, self._check_index(index)), rng)

    def save_games(self) -> NDArray[np.void]:
        """Return all games as they stand, as records, shape (n,), dtype `definition.dtype`; see `load_games`."""
        return self._games.copy()

    def load_games(self, games: NDArray[np.void]) -> tuple[Observation, dict[str, Any]]:
        """Restore what `save_games` returned, future deals included.

        Returns:
            The observations of all games, and the info with `action_mask`.

        Raises:
            ValueError: If the records are of another number of games or of another version of the engine.
        """
        if not isinstance(games, np.ndarray):
            raise ValueError(f"games must be what save_games() returned, not {games!r}")
        dtype = self.definition.dtype
        if games.dtype != dtype or games.shape != (self.num_envs,):
            raise ValueError(
                f"the stored games are {len(games)} records of {games.dtype.itemsize} bytes, but this batch has "
                f"{self.num_envs} of {dtype.itemsize}: restore them with the same number of games and the same eck_env"
            )
        self._games, self._setup = games.copy(), self.settings.setup(self._no_scripts())
        self._note_started(slice(None))
        return self._observe()

    # --- Inside ------------------------------------------------------------------------------------------------------

    def _observe(self) -> tuple[Observation, dict[str, Any]]:
        """Return the observations and masks of the games as they stand."""
        outputs = self._fresh()
        self.definition.engine.observe_games(self._games, outputs)
        self._catch_up(self._games, outputs)
        return self._observations(outputs.observations), action_masks_info(outputs.masks)

    def _catch_up(self, games: NDArray[np.void], outputs: Outputs) -> None:
        """Let others move in games that have been started or restored, where others than the engine play along."""

    def _no_scripts(self) -> NDArray[np.int8]:
        return self.definition.no_scripts(self.num_envs)

    def _fresh(self) -> Outputs:
        """Return fresh arrays for what the caller gets; the others are kept."""
        count = self.num_envs
        return Outputs(
            np.empty((count, self.definition.layout.size), self.settings.dtype),
            np.empty((count, self.definition.engine.num_actions), np.int8),
            np.empty(count, np.float64),
            np.empty(count, np.bool_),
            self._events,
            self._final_observations,
        )

    def _observations(self, flat: NDArray[Any]) -> Observation:
        return self.definition.layout.split(flat) if self.settings.observation == "dict" else flat

    def _seed_games(self, games: NDArray[np.void], chosen: NDArray[np.bool_], seed: Any) -> None:
        """Name the game that each chosen slot starts."""
        seeds: Sequence[int | None]
        if seed is None:
            seeds = [None] * self.num_envs
        elif isinstance(seed, Sequence | np.ndarray) and not isinstance(seed, str):
            if len(seed) != self.num_envs:
                raise ValueError(f"the list of seeds has {len(seed)} entries, but there are {self.num_envs} games")
            seeds = [None if one is None else integer(one, 0, MAX_SEED, "seed") for one in seed]
        else:
            first = integer(seed, 0, MAX_SEED - self.num_envs + 1, "seed")
            seeds = range(first, first + self.num_envs)
        if any(one is None for one in seeds):
            drawn = int(self.np_random.integers(TRAINING_SEEDS - self.num_envs)) if not self._started.all() else 0
            games["game_number"] += chosen & self._started
            unseeded = chosen & ~self._started
            games["seed"][unseeded] = drawn + np.flatnonzero(unseeded)
        for index in np.flatnonzero(chosen).tolist():
            if seeds[index] is not None:
                games["seed"][index], games["game_number"][index] = seeds[index], 0

    def _check_mask(self, mask: Any) -> NDArray[np.bool_]:
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise ValueError(f"reset_mask must be a numpy array of bool with shape ({self.num_envs},), not {mask!r}")
        if not mask.any():
            raise ValueError("reset_mask is False for every game: name at least one to reset")
        return mask

    def _check_index(self, index: int) -> int:
        return integer(index, 0, self.num_envs - 1, "the game's index")

    def _check_actions(self, actions: Any) -> NDArray[np.int64]:
        self._need_games()
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            raise ValueError(
                f"actions have shape {given.shape} and dtype {given.dtype}, but must be integers of shape "
                f"({self.num_envs},)"
            )
        numbers = np.ascontiguousarray(given, np.int64)
        if self.autoreset_mode == AutoresetMode.DISABLED and self._games["over"].any():
            over = np.flatnonzero(self._games["over"]).tolist()
            raise ResetNeeded(f"the games {over} are over: reset them with options={{'reset_mask': ...}}")
        if self.settings.illegal_action == "raise":
            index = self.definition.engine.first_illegal(self._games, numbers)
            if index >= 0:
                action = as_action(numbers[index], self.definition, f"the action of game {index}")
                message = self.definition.illegal_action_message(record(self._games, index), action)
                raise IllegalActionError(f"game {index}: {message}; no game has moved")
        return numbers

    def _check_scripts(self) -> None:
        """Raise if a prescribed shuffle was not one of the cards that were left."""
        say = self.definition.misfit_message
        for index in range(self.num_envs):
            message = say(record(self._games, index)) if say else ""
            if message:
                raise ValueError(f"game {index}: {message}; no game has moved")

    def _note_started(self, slots: Any) -> None:
        self._started[slots] = True
        self._ready = bool(self._started.all())

    def _need_games(self) -> None:
        if not self._ready:
            raise ResetNeeded("no games have been started: call reset() first")
