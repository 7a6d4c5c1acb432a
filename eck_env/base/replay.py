"""Replays: games as plain data, recorded, and played again action by action; what is the same in every game.

A replay holds the variant, what the deals follow from (the seed and the number of the game, and where cards were given,
the options of reset), and the actions that were taken. Everything else follows by the rules, which check every action.
`replay_forms.py` writes and reads them as small JSON files and short text codes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any, ClassVar, NamedTuple, Self

import gymnasium as gym


class ReplayError(ValueError):
    """A replay that cannot be read, or does not fit the rules; the message says where and why."""


class Moment(NamedTuple):
    """One moment of a replay.

    Attributes:
        number: How many actions have been taken before.
        observation: The flat observation.
        info: The info of the step that led here, or of the reset.
        move: The action that is taken next, by its name; None after the last one.
        over: Whether the game has ended.
    """

    number: int
    observation: Any
    info: dict[str, Any]
    move: str | None
    over: bool


class BaseReplay:
    """What every game's replay can do; the games' own are frozen dataclasses.

    Attributes:
        variant: What is played, a dataclass whose fields are keywords of the environment.
        seed: The seed of the deals.
        game: The number of the game since seeding.
        options: The options of reset that the game was started with, if there were any.
        outcome: How it ended; None if it goes on, or that is not known.
        moves_name: The field that holds the actions taken, by name.
        unit: What one of them is called in messages.
    """

    moves_name: ClassVar[str]
    unit: ClassVar[str]
    variant: Any
    seed: int
    game: int
    options: Mapping[str, Any]
    outcome: str | None

    @staticmethod
    def env_class() -> Any:
        """Return the game's environment."""
        raise NotImplementedError

    @staticmethod
    def number_of(move: str) -> int:
        """Return the number of an action; ValueError if there is none of this name."""
        raise NotImplementedError

    @property
    def moves(self) -> tuple[str, ...]:
        """The actions taken, by name."""
        moves: tuple[str, ...] = getattr(self, self.moves_name)
        return moves

    def with_moves(self, moves: tuple[str, ...], outcome: str | None) -> Self:
        """Return the same deal with other actions and another outcome."""
        changed: Any = replace(self, **{self.moves_name: moves, "outcome": outcome})  # type: ignore[type-var]
        return changed  # type: ignore[no-any-return]

    @property
    def deal(self) -> Self:
        """The same deal, with no action taken."""
        return self.with_moves((), None)

    def start(self, **keywords: Any) -> tuple[Any, Any, dict[str, Any]]:
        """Return the environment at the start of this game, with the observation and info of its reset.

        Args:
            keywords: Keywords of the environment beside those of the variant.

        Raises:
            ReplayError: If the options do not fit the variant.
        """
        env = self.env_class()(**asdict(self.variant), **{"illegal_action": "raise", **keywords})
        try:
            env.reset(seed=self.seed)
            if self.game:
                env.set_state({**env.state_dict(), "game": self.game - 1})
                observation, info = env.reset(options=dict(self.options))
            else:
                observation, info = env.reset(seed=self.seed, options=dict(self.options))
        except (ValueError, TypeError) as error:
            raise ReplayError(f"the deal of the replay is refused: {error}") from error
        return env, observation, info

    def moments(self) -> Iterator[Moment]:
        """Play the game again: the moment before each action, and the one after the last.

        Raises:
            ReplayError: At the first action that the rules do not allow; the message names it.
        """
        env, observation, info = self.start()
        outcome = None
        for number, move in enumerate(self.moves):
            if outcome is not None:
                raise ReplayError(
                    f"the replay has {len(self.moves)} {self.unit}s, but the game was over ({outcome}) after {number}"
                )
            yield Moment(number, observation, info, move, False)
            try:
                observation, _, _, _, info = env.step(self.number_of(move))
            except ValueError as error:  # IllegalActionError among them
                raise ReplayError(f"{self.unit} {number + 1} of the replay does not fit the rules: {error}") from error
            outcome = info.get("outcome")
        if self.outcome is not None and outcome != self.outcome:
            played = f"ends in {outcome!r}" if outcome else "goes on"
            raise ReplayError(f"the replay says that the outcome is {self.outcome!r}, but the game {played}")
        yield Moment(len(self.moves), observation, info, None, outcome is not None)

    def check(self) -> Self:
        """Return the replay, with its outcome, if every action fits the rules; otherwise raise ReplayError."""
        for moment in self.moments():
            info = moment.info
        return self.with_moves(self.moves, info.get("outcome"))


class BaseRecorder(gym.Wrapper[Any, Any, Any, Any]):
    """Records the game that is being played in an environment, the single one.

    A game that was brought into the middle by `set_state` is not recorded right; an illegal action is not recorded.

    Attributes:
        replay_class: The class of the game's replays.
        names: What its actions are called, by number.
    """

    replay_class: ClassVar[Any]
    names: ClassVar[tuple[str, ...]]

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        super().__init__(env)
        self._start: Any = None
        self._moves: list[str] = []
        self._outcome: str | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a game; see the environment's reset."""
        observation, info = self.env.reset(seed=seed, options=options)
        state = self.env.get_wrapper_attr("state_dict")()
        variant = self.env.get_wrapper_attr("settings").variant
        self._start = self.replay_class(variant, state["seed"], state["game"], (), dict(options or {}))
        self._moves, self._outcome = [], None
        return observation, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Take an action and note it; see the environment's step."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if "illegal_action" not in info:
            self._moves.append(self.names[int(action)])
            self._outcome = info.get("outcome")
        return observation, reward, terminated, truncated, info

    def _recorded(self) -> Any:
        """Return the game so far."""
        if self._start is None:
            raise gym.error.ResetNeeded("no game is recorded: call reset() first")
        return self._start.with_moves(tuple(self._moves), self._outcome)
