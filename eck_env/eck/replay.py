"""Replays of ECK: the variant, what the deals follow from, and the cards that were played; see `base/replay.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from eck_env.base.replay import BaseRecorder, BaseReplay
from eck_env.base.replay import Moment as Moment
from eck_env.base.replay import ReplayError as ReplayError
from eck_env.eck.cards import NAMES, card_kind
from eck_env.eck.variant import Variant


@dataclass(frozen=True)
class Replay(BaseReplay):
    """A game, or its beginning; without cards it names a deal.

    Attributes:
        variant: What is played.
        seed: The seed of the deals.
        game: The number of the game since seeding.
        cards: The cards played, in notation.
        options: The options of reset that the game was started with, if there were any.
        outcome: How it ended, ``win`` or ``loss``; None if it goes on, or that is not known.
    """

    moves_name: ClassVar[str] = "cards"
    unit: ClassVar[str] = "card"

    variant: Variant
    seed: int
    game: int = 0
    cards: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    outcome: str | None = None

    @staticmethod
    def env_class() -> Any:
        """Return `EckEnv`."""
        from eck_env.eck.env import EckEnv

        return EckEnv

    @staticmethod
    def recorder_class() -> type[BaseRecorder]:
        """Return `RecordReplay`."""
        return RecordReplay

    @staticmethod
    def number_of(move: str) -> int:
        """Return the kind of a card; ValueError if there is none of this name."""
        return card_kind(move)


class RecordReplay(BaseRecorder):
    """Records the game that is being played in an environment of ECK, the single one.

    Attributes:
        replay: The game so far, since the last reset.

    A game that was brought into the middle by `set_state` is not recorded right; an illegal card is not recorded.
    """

    replay_class = Replay
    names = NAMES

    @property
    def replay(self) -> Replay:
        """The game so far."""
        game: Replay = super().replay
        return game
