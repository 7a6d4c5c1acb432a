"""`NumberlessAECEnv`: the game for all of its players, as a PettingZoo environment (the extra ``pettingzoo``)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from copy import deepcopy
from difflib import get_close_matches
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from eck_env.base.engine import BEGIN, SHOW
from eck_env.base.infos import IllegalActionError, as_action
from eck_env.base.records import record
from eck_env.base.render import PICTURE_SIZE, RENDER_MODES, Renderer, check_render_mode, check_render_size
from eck_env.base.settings import DTYPES
from eck_env.batch import MAX_SEED, TRAINING_SEEDS
from eck_env.checks import choice, integer, unknown_key
from eck_env.needed import needed
from eck_env.numberless.definition import NUMBERLESS
from eck_env.numberless.engine import Setup, observe_seat
from eck_env.numberless.observation import LAYOUT
from eck_env.numberless.options import SETUP_KEYS
from eck_env.numberless.rules import reward_of
from eck_env.numberless.variant import make_table

with needed("pettingzoo"):
    from pettingzoo import AECEnv

logger = logging.getLogger("eck_env")


class NumberlessAECEnv(AECEnv[str, dict[str, Any], int | None]):  # type: ignore[misc]  # PettingZoo has no types
    """The game without numbers for 3 to 7 agents, `player_0` to `player_6`, who move in turn.

    See `NumberlessEnv` for the game and its actions, and `observation.py` for the layout of an observation, in which
    seats are counted from the one that observes.

    **Observation**: a dict of `observation` and `action_mask`; the mask is also in the agent's info. An agent may
    observe while another is to move; its mask is then all zeros.
    **Draft**: the picks of a round are simultaneous: agents are asked in order, and nobody observes a pick before all
    have picked, nor who took which card.
    **Rewards**: at the end 1/k - 1/n for each of k winners out of n, - 1/n for the others; 0 before.
    **Infos**: `plays` and `rounds`, as those of `NumberlessEnv`, of the last step, for all agents.
    **Seeds**: `reset(seed=s)` starts the first game of a seed, a reset without a seed the next one.

    An illegal action raises IllegalActionError; `numberless_v0.env` ends the game instead, as PettingZoo's games do.
    The game cannot be played in parallel steps (`aec_to_parallel`), for the order of turns depends on the play;
    `turn_based_aec_to_parallel` works.

    Args:
        num_players: 3 to 7.
        draft: Whether the hands are drafted; otherwise they are dealt.
        start_player: The seat that starts the first round; None for one drawn by the seed.
        dtype: ``"int8"`` or ``"float32"``, of the observations.
        render_mode: None, ``"ansi"``, ``"rgb_array"`` or ``"human"``: the table as the agent to move sees it.
        render_size: Width and height of the picture or window, in pixels.

    Raises:
        ValueError: If a keyword has a value that is not allowed.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "numberless_v0",
        "render_modes": list(RENDER_MODES),
        "render_fps": 2,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        num_players: int = 4,
        draft: bool = True,
        start_player: int | None = 0,
        dtype: str = "int8",
        render_mode: str | None = None,
        render_size: tuple[int, int] = PICTURE_SIZE,
    ) -> None:
        super().__init__()
        self.variant = make_table(num_players, draft, start_player)
        self.render_mode = check_render_mode(render_mode)
        self.possible_agents = [f"player_{seat}" for seat in range(self.variant.num_players)]
        self._dtype = np.dtype(choice(dtype, DTYPES, "dtype"))
        space = spaces.Dict(
            {
                "observation": LAYOUT.make_space("flat", self._dtype),
                "action_mask": spaces.Box(0, 1, (NUMBERLESS.engine.num_actions,), np.int8),
            }
        )
        self.observation_spaces = {agent: deepcopy(space) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(NUMBERLESS.engine.num_actions) for agent in self.possible_agents}
        self._renderer = Renderer(NUMBERLESS.tables, self.render_mode, check_render_size(render_size))
        self._games = NUMBERLESS.new_games(1, self.variant)
        self._setup = Setup(0.0, NUMBERLESS.no_scripts(1))
        self._rows = NUMBERLESS.engine.make_row(self._dtype)
        self._started = False

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the observation space of an agent: always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the action space of an agent: always the same object."""
        return self.action_spaces[agent]

    # --- PettingZoo's interface --------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game: the first one of a seed, or without a seed the next one.

        Args:
            seed: 0 to 2**63 - 1; those from 2**30 up are meant for evaluation alone.
            options: What to start from, in notation; see `options.apply_options`. A key that is not known there is
                refused if it looks like a slip of one that is, else left aside with a warning in the log: PettingZoo's
                own tests pass such.

        Raises:
            ValueError: If the seed or an option is not allowed; the environment is then as it was before.
        """
        given = _known(options or {})
        games = self._games.copy()
        game = record(games, 0)
        if seed is not None:
            game.seed, game.game_number = integer(seed, 0, MAX_SEED, "seed"), 0
        elif self._started:
            game.game_number += 1
        else:
            game.seed = int(np.random.default_rng().integers(TRAINING_SEEDS))
        NUMBERLESS.engine.step_game(games, BEGIN, self._setup, self._rows)
        if given:
            NUMBERLESS.apply_options(game, given)
            NUMBERLESS.engine.step_game(games, SHOW, self._setup, self._rows)
        self._games, self._started = games, True
        self._seat_agents()
        if self.render_mode == "human":
            self.render()

    def _seat_agents(self) -> None:
        """Set PettingZoo's attributes for a game that has just been started or restored."""
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        over = bool(self._games["over"][0])
        self.terminations = dict.fromkeys(self.agents, over)
        self.truncations = dict.fromkeys(self.agents, False)
        self._select()
        self.infos = self._infos({})

    def _select(self) -> None:
        self.agent_selection = self.possible_agents[int(self._games["shown"][0])]

    def _infos(self, told: dict[str, Any]) -> dict[str, dict[str, Any]]:
        return {agent: {"action_mask": self._mask(agent), **deepcopy(told)} for agent in self.agents}

    def _mask(self, agent: str) -> NDArray[np.int8]:
        mask: NDArray[np.int8] = self._rows["mask"][0]
        return mask.copy() if agent == self.agent_selection and not self._games["over"][0] else np.zeros_like(mask)

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what an agent knows, and its legal actions; see the class."""
        flat = np.empty(LAYOUT.size, self._dtype)
        observe_seat(self._games, self.possible_agents.index(agent), flat)
        return {"observation": flat, "action_mask": self._mask(agent)}

    def step(self, action: int | None) -> None:
        """Let the selected agent take an action; None once the game is over.

        Raises:
            IllegalActionError: If the action is illegal; nothing has changed.
            ValueError: If it is no action at all.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        number = as_action(action, NUMBERLESS)
        if not self._rows["mask"][0][number]:
            raise IllegalActionError(NUMBERLESS.illegal_action_message(record(self._games, 0), number))
        NUMBERLESS.engine.step_game(self._games, number, self._setup, self._rows)
        game = record(self._games, 0)
        self._cumulative_rewards[agent] = 0.0
        if game.over:
            self.rewards = {one: reward_of(game, seat) for seat, one in enumerate(self.possible_agents)}
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            self.rewards = dict.fromkeys(self.agents, 0.0)
        self._select()
        self.infos = self._infos(NUMBERLESS.told(self._rows["event"][0].tolist()))
        self._accumulate_rewards()
        if self.render_mode == "human" and self._renderer.follows:
            self.render()

    def render(self) -> Any:
        """Show the table as the agent to move sees it, in the way of the render mode; see `NumberlessEnv`."""
        shown = self._renderer.show([record(self._games, 0)], self.metadata["render_fps"])
        return shown[0] if shown else None

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()

    # --- Beyond it ---------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Return the whole state, hidden cards and all, as plain data fit for JSON; see `state.state_dict`."""
        return NUMBERLESS.state_dict(record(self._games, 0), self._setup.scripts[0])

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state that `state_dict` returned.

        Raises:
            ValueError: If it is no possible state of this variant; the environment is then as it was before.
        """
        self._games, _ = NUMBERLESS.load_state(state, self.variant)
        NUMBERLESS.engine.step_game(self._games, SHOW, self._setup, self._rows)
        self._started = True
        self._seat_agents()


def _known(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of reset that are known; see `reset`."""
    for key in options:
        if key not in SETUP_KEYS:
            if get_close_matches(str(key), SETUP_KEYS, n=1):
                raise unknown_key(key, SETUP_KEYS, "the options of reset")
            logger.warning("the option %r of reset is not known, and left aside", key)
    return {key: value for key, value in options.items() if key in SETUP_KEYS}
