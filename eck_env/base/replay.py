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
        number: How many decisions you have taken before.
        observation: The flat observation.
        info: The info of the step that led here, or of the reset.
        move: The action that you take next, by its name; None after the last one.
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
    def recorder_class() -> type[BaseRecorder]:
        """Return the wrapper that records the game's replays."""
        raise NotImplementedError

    @staticmethod
    def number_of(move: str) -> int:
        """Return the number of an action; ValueError if there is none of this name."""
        raise NotImplementedError

    @staticmethod
    def place(env: Any, decision: int) -> int:
        """Return where in the moves an environment stands that waits for your decision of this number."""
        return decision

    @property
    def moves(self) -> tuple[str, ...]:
        """The actions taken, by name."""
        moves: tuple[str, ...] = getattr(self, self.moves_name)
        return moves

    def with_moves(self, moves: tuple[str, ...], outcome: str | None) -> Self:
        """Return the same deal with other actions and another outcome."""
        changed: Any = replace(self, **{self.moves_name: moves, "outcome": outcome})  # type: ignore[type-var]
        return changed  # type: ignore[no-any-return]

    def with_variant(self, variant: Any) -> Self:
        """Return the same deal and actions in another variant."""
        changed: Any = replace(self, variant=variant)  # type: ignore[type-var]
        return changed  # type: ignore[no-any-return]

    @property
    def deal(self) -> Self:
        """The same deal, with no action taken."""
        return self.with_moves((), None)

    def start(self, **keywords: Any) -> tuple[Any, Any, dict[str, Any]]:
        """Return the environment at the start of this game, with the observation and info of its reset.

        Args:
            keywords: Keywords of the environment, beside those of the variant or in place of them.

        Raises:
            ReplayError: If the options do not fit the variant.
        """
        env = self.env_class()(**{**asdict(self.variant), "illegal_action": "raise", **keywords})
        try:
            observation, info = env.reset_to(self.seed, self.game, dict(self.options))
        except ReplayError:
            raise
        except (ValueError, TypeError) as error:
            raise ReplayError(f"the deal of the replay is refused: {error}") from error
        return env, observation, info

    def record(self, env: gym.Env[Any, Any]) -> BaseRecorder:
        """Return a recorder of an environment that `start` has just returned."""
        recorder = self.recorder_class()(env)
        recorder.follow(self)
        return recorder

    def moments(self) -> Iterator[Moment]:
        """Play the game again: the moment before each action, and the one after the last.

        Raises:
            ReplayError: At the first action that the rules do not allow; the message names it.
        """
        env, observation, info = self.start()
        outcome, number, place = None, 0, self.place(env, 0)
        while place < len(self.moves):
            if outcome is not None:
                raise ReplayError(
                    f"the replay has {len(self.moves)} {self.unit}s, but the game was over ({outcome}) after {place}"
                )
            move = self.moves[place]
            yield Moment(number, observation, info, move, False)
            try:
                observation, _, _, _, info = env.step(self.number_of(move))
            except ReplayError:
                raise
            except ValueError as error:  # IllegalActionError among them
                raise ReplayError(f"{self.unit} {place + 1} of the replay does not fit the rules: {error}") from error
            outcome = info.get("outcome")
            number += 1
            place = self.place(env, number)
        if self.outcome is not None and outcome != self.outcome:
            played = f"ends in {outcome!r}" if outcome else "goes on"
            raise ReplayError(f"the replay says that the outcome is {self.outcome!r}, but the game {played}")
        yield Moment(number, observation, info, None, outcome is not None)

    def check(self) -> Self:
        """Return the replay, with its outcome, if every action fits the rules; otherwise raise ReplayError."""
        for moment in self.moments():
            info = moment.info
        return self.with_moves(self.moves, info.get("outcome"))


def _check_game(recorder: type[BaseRecorder], env: gym.Env[Any, Any]) -> None:
    """Raise ValueError, naming the recorder that is right, if an environment is none of a recorder's game."""
    own, given = recorder.replay_class.env_class(), env.unwrapped
    if isinstance(given, own):
        return
    from eck_env.replays import ALL  # the games import this module

    right = [forms.replay for forms in ALL if isinstance(given, forms.replay.env_class())]
    advice = (
        f"record it with {right[0].recorder_class().__module__}.{right[0].recorder_class().__qualname__}"
        if right
        else f"only those of {own.definition.name}, such as {own.__qualname__}, can be recorded here"
    )
    raise ValueError(
        f"{recorder.__module__}.{recorder.__qualname__} records {own.definition.name}, but the environment is a "
        f"{type(given).__qualname__}: {advice}"
    )


class BaseRecorder(gym.Wrapper[Any, Any, Any, Any]):
    """Records the game that is being played in an environment, the single one.

    A game that was brought into the middle by `set_state` is not recorded right; an illegal action is not recorded.

    Attributes:
        replay_class: The class of the game's replays.
        names: What its actions are called, by number.
        replay: The game so far, since the last reset.

    Raises:
        ValueError: If the environment is none of this game.
    """

    replay_class: ClassVar[Any]
    names: ClassVar[tuple[str, ...]]

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        _check_game(type(self), env)
        super().__init__(env)
        self._start: Any = None
        self._moves: list[str] = []
        self._outcome: str | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a game; see the environment's reset."""
        observation, info = self.env.reset(seed=seed, options=options)
        state = self.env.get_wrapper_attr("state_dict")()
        self.follow(self.replay_class(self._variant(), state["seed"], state["game"], (), dict(options or {})))
        return observation, info

    def follow(self, deal: BaseReplay) -> None:
        """Record from here on the game of a deal, with which the environment has just been started."""
        self._start, self._moves, self._outcome = deal.deal, self._opening(), None

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Take an action and note it; see the environment's step."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if "illegal_action" not in info:
            self._moves += self._taken(int(action), info)
            self._outcome = info.get("outcome")
        return observation, reward, terminated, truncated, info

    @property
    def replay(self) -> Any:
        """The game so far, since the last reset."""
        if self._start is None:
            raise gym.error.ResetNeeded("no game is recorded: call reset() first")
        return self._start.with_moves(self._all_moves(), self._outcome)

    def _variant(self) -> Any:
        """Return the variant that is played."""
        return self.env.get_wrapper_attr("settings").variant

    def _opening(self) -> list[str]:
        """Return the moves that others have made before your first decision."""
        return []

    def _taken(self, action: int, info: dict[str, Any]) -> list[str]:
        """Return the moves that a step made: yours, and those that others made within it."""
        return [self.names[action]]

    def _all_moves(self) -> tuple[str, ...]:
        """Return the moves so far."""
        return tuple(self._moves)
