"""Replays of the game without numbers: the variant, what the deals follow from, and what every seat chose.

The choices of all seats are recorded, so that a replay is the same game whoever played it, and nobody has to be asked
again: playing a replay back runs no agent. See `base/replay.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from eck_env.base.replay import BaseRecorder, BaseReplay
from eck_env.base.replay import ReplayError as ReplayError
from eck_env.numberless.cards import NAMES, card_names, card_number
from eck_env.numberless.variant import MAX_NAME, NAME_SIGNS, Variant

_DECISION = 2  # the column of an agent's keys that counts the decisions of all seats


@dataclass(frozen=True)
class Replay(BaseReplay):
    """A game, or its beginning; without choices it names a deal.

    Attributes:
        variant: What is played; its opponents are names, and nobody is asked by them.
        seed: The seed of the deals.
        game: The number of the game since seeding.
        choices: The cards that the seats chose, in notation, in the order in which they were asked: first those kept in
            the draft, then those played. A game that goes on ends where you, at seat 0, are to choose.
        options: The options of reset that the game was started with, if there were any.
        outcome: How it ended for you, ``win``, ``shared win`` or ``loss``; None if it goes on, or that is not known.
    """

    moves_name: ClassVar[str] = "choices"
    unit: ClassVar[str] = "choice"

    variant: Variant
    seed: int
    game: int = 0
    choices: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    outcome: str | None = None

    @staticmethod
    def env_class() -> Any:
        """Return `NumberlessEnv`."""
        from eck_env.numberless.env import NumberlessEnv

        return NumberlessEnv

    @staticmethod
    def recorder_class() -> type[BaseRecorder]:
        """Return `RecordReplay`."""
        return RecordReplay

    @staticmethod
    def number_of(move: str) -> int:
        """Return the number of a card; ValueError if there is none of this name."""
        return card_number(move)

    @staticmethod
    def place(env: Any, decision: int) -> int:
        """Return how many choices all seats have made in the environment."""
        return int(env.unwrapped.state_dict()["decision"])

    def start(self, **keywords: Any) -> tuple[Any, Any, dict[str, Any]]:
        """Return the environment at your first decision in this game; see `BaseReplay.start`.

        Unless `opponents` are given, the other seats choose what the replay says.
        """
        return super().start(**{"opponents": _Recorded(self.choices), **keywords})


class _Recorded:
    """Plays at the other seats what a replay says.

    Args:
        choices: Those of all seats, by the number of the decision.
    """

    name = "replay"

    def __init__(self, choices: tuple[str, ...]) -> None:
        self._choices = choices

    def act(self, observations: NDArray[Any], action_masks: NDArray[Any], keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the choices of the replay; ReplayError if there are none, or they do not fit the rules."""
        return np.array([self._choose(*row) for row in zip(action_masks, keys[:, _DECISION].tolist(), strict=True)])

    def _choose(self, mask: NDArray[Any], number: int) -> int:
        if number >= len(self._choices):
            raise ReplayError(
                f"the replay breaks off after choice {number}, where another seat is to choose: it must go on to your "
                "next decision, or to the end of the game"
            )
        card = card_number(self._choices[number])
        if not mask[card]:
            raise ReplayError(
                f"choice {number + 1} of the replay does not fit the rules: {NAMES[card]}, chosen at another seat, is "
                f"illegal; legal are {', '.join(card_names(np.flatnonzero(mask).tolist()))}"
            )
        return card


class RecordReplay(BaseRecorder):
    """Records the game that is being played in an environment of the game without numbers; see `BaseRecorder`.

    What the other seats choose is recorded, too, whoever they are.

    Attributes:
        replay: The game so far, since the last reset.
    """

    replay_class = Replay
    names = NAMES

    @property
    def replay(self) -> Replay:
        """The game so far."""
        game: Replay = super().replay
        return game

    def _state(self) -> dict[str, Any]:
        state: dict[str, Any] = self.env.get_wrapper_attr("state_dict")()
        return state

    def _variant(self) -> Variant:
        """Return the variant with the names of the agents in it."""
        settings = self.env.get_wrapper_attr("settings")
        names = [
            name if agent is None else _clean(getattr(agent, "name", name))
            for name, agent in zip(settings.variant.opponents, settings.opponents, strict=True)
        ]
        named: Variant = replace(settings.variant, opponents=tuple(names))
        return named

    def _opening(self) -> list[str]:
        # From the start player to you, each seat in turn plays one card; who could not fit then starts a round with it.
        return [card for cards in self._state()["played"] for card in cards]

    def _taken(self, action: int, info: dict[str, Any]) -> list[str]:
        return [card for _, card in info.get("plays", ())]

    def _all_moves(self) -> tuple[str, ...]:
        drafted = [card for picks in zip(*self._state()["drafted"], strict=True) for card in picks]
        return (*drafted, *self._moves)


def _clean(name: object) -> str:
    """Return a name with signs that replays are written with."""
    return "".join(sign if sign in NAME_SIGNS else "?" for sign in str(name))[:MAX_NAME] or "?"
