"""Replays of Gongor Whist: the variant, what the deals follow from, and the actions; see `base/replay.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from eck_env.base.replay import BaseRecorder, BaseReplay
from eck_env.base.replay import ReplayError as ReplayError
from eck_env.gongor_whist.infos import ACTION_NAMES, action_number
from eck_env.gongor_whist.variant import Variant


@dataclass(frozen=True)
class Replay(BaseReplay):
    """A game, or its beginning; without actions it names a deal.

    Attributes:
        variant: What is played.
        seed: The seed of the deals.
        game: The number of the game since seeding.
        actions: The actions taken, by name: ``bid 3``, ``9WY``, ``keep``, ``twiddle``.
        options: The options of reset that the game was started with, if there were any.
        outcome: How it ended, ``win``, ``loss`` or ``draw``; None if it goes on, or that is not known.
    """

    moves_name: ClassVar[str] = "actions"
    unit: ClassVar[str] = "action"

    variant: Variant
    seed: int
    game: int = 0
    actions: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    outcome: str | None = None

    @staticmethod
    def env_class() -> Any:
        """Return `GongorEnv`."""
        from eck_env.gongor_whist.env import GongorEnv

        return GongorEnv

    @staticmethod
    def recorder_class() -> type[BaseRecorder]:
        """Return `RecordReplay`."""
        return RecordReplay

    @staticmethod
    def number_of(move: str) -> int:
        """Return the number of an action; ValueError if there is none of this name."""
        return action_number(move)


class RecordReplay(BaseRecorder):
    """Records the game that is being played in an environment of Gongor Whist, the single one; see `BaseRecorder`.

    Attributes:
        replay: The game so far, since the last reset.
    """

    replay_class = Replay
    names = ACTION_NAMES

    @property
    def replay(self) -> Replay:
        """The game so far."""
        game: Replay = super().replay
        return game
