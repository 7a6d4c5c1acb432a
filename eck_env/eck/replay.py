"""Replays: games as plain data, recorded, and played again card by card.

A replay holds the variant, what the deals follow from (the seed and the number of the game, and where cards were given,
the options of reset), and the cards that were played. Everything else follows by the rules, which check every card.
`replay_forms.py` writes and reads them as small JSON files and short text codes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

import gymnasium as gym

from eck_env.eck.cards import NAMES, card_kind
from eck_env.eck.variant import Variant


class ReplayError(ValueError):
    """A replay that cannot be read, or does not fit the rules; the message says where and why."""


class Moment(NamedTuple):
    """One moment of a replay.

    Attributes:
        number: How many cards have been played before.
        observation: The flat observation.
        info: The info of the step that led here, or of the reset.
        card: The card that is played next; None after the last one.
        over: Whether the game has ended.
    """

    number: int
    observation: Any
    info: dict[str, Any]
    card: str | None
    over: bool


@dataclass(frozen=True)
class Replay:
    """A game, or its beginning; without cards it names a deal.

    Attributes:
        variant: What is played.
        seed: The seed of the deals.
        game: The number of the game since seeding.
        cards: The cards played, in notation.
        options: The options of reset that the game was started with, if there were any.
        outcome: How it ended, ``win`` or ``loss``; None if it goes on, or that is not known.
    """

    variant: Variant
    seed: int
    game: int = 0
    cards: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    outcome: str | None = None

    def start(self, **keywords: Any) -> tuple[Any, Any, dict[str, Any]]:
        """Return an `EckEnv` at the start of this game, with the observation and info of its reset.

        Args:
            keywords: Keywords of the environment beside those of the variant.

        Raises:
            ReplayError: If the options do not fit the variant.
        """
        from eck_env.eck.env import EckEnv

        env = EckEnv(**variant_keywords(self.variant), **{"illegal_action": "raise", **keywords})
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
        """Play the game again: the moment before each card, and the one after the last.

        Raises:
            ReplayError: At the first card that the rules do not allow; the message names it.
        """
        env, observation, info = self.start()
        outcome = None
        for number, card in enumerate(self.cards):
            if outcome is not None:
                raise ReplayError(
                    f"the replay has {len(self.cards)} cards, but the game was over ({outcome}) after {number}"
                )
            yield Moment(number, observation, info, card, False)
            try:
                observation, _, _, _, info = env.step(card_kind(card))
            except ValueError as error:  # IllegalActionError among them
                raise ReplayError(f"card {number + 1} of the replay does not fit the rules: {error}") from error
            outcome = info.get("outcome")
        if self.outcome is not None and outcome != self.outcome:
            played = f"ends in {outcome!r}" if outcome else "goes on"
            raise ReplayError(f"the replay says that the outcome is {self.outcome!r}, but the game {played}")
        yield Moment(len(self.cards), observation, info, None, outcome is not None)

    def check(self) -> Replay:
        """Return the replay, with its outcome, if every card fits the rules; otherwise raise ReplayError."""
        for moment in self.moments():
            info = moment.info
        return Replay(self.variant, self.seed, self.game, self.cards, self.options, info.get("outcome"))

    @property
    def deal(self) -> Replay:
        """The same deal, with no card played."""
        return Replay(self.variant, self.seed, self.game, (), self.options)


def variant_keywords(variant: Variant) -> dict[str, Any]:
    """Return the keywords that make a variant."""
    return {part.name: getattr(variant, part.name) for part in fields(variant)}


# --- Recording -------------------------------------------------------------------------------------------------------


class RecordReplay(gym.Wrapper[Any, Any, Any, Any]):
    """Records the game that is being played in an environment of ECK, the single one.

    Attributes:
        replay: The game so far, since the last reset.

    A game that was brought into the middle by `set_state` is not recorded right; an illegal card is not recorded.
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        super().__init__(env)
        self._start: Replay | None = None
        self._cards: list[str] = []
        self._outcome: str | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a game; see `EckEnv.reset`."""
        observation, info = self.env.reset(seed=seed, options=options)
        state = self.env.get_wrapper_attr("state_dict")()
        variant = self.env.get_wrapper_attr("settings").variant
        self._start = Replay(variant, state["seed"], state["game"], (), dict(options or {}))
        self._cards, self._outcome = [], None
        return observation, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Play a card and note it; see `EckEnv.step`."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if "illegal_action" not in info:
            self._cards.append(NAMES[int(action)])
            self._outcome = info.get("outcome")
        return observation, reward, terminated, truncated, info

    @property
    def replay(self) -> Replay:
        """The game so far."""
        if self._start is None:
            raise gym.error.ResetNeeded("no game is recorded: call reset() first")
        start = self._start
        return Replay(start.variant, start.seed, start.game, tuple(self._cards), start.options, self._outcome)
