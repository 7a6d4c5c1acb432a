"""The keywords that the single-agent environments of the game without numbers take, checked once and in one place."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from eck_env.base.settings import BaseSettings, common_settings
from eck_env.checks import choice
from eck_env.numberless.engine import Setup
from eck_env.numberless.variant import AGENT, PLAYERS, Variant, at_each_seat, make_table

REWARDS = ("share", "margin")
CARD_WORTH = 0.1
"""What a card fewer than the mean adds to the reward ``"margin"``."""


@runtime_checkable
class Opponent(Protocol):
    """Whoever can play at another seat: an agent of `agents.agent.Agent`'s kind."""

    def act(self, observations: NDArray[Any], action_masks: NDArray[Any], keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Choose legal actions for a batch of observations; see `agents.agent.Agent.act`."""
        ...


@dataclass(frozen=True, kw_only=True)
class Settings(BaseSettings):
    """How an environment is set up; `make_settings` explains the fields.

    Attributes:
        episode: What one episode is: always a whole game.
        opponents: Who plays at the seats 1, 2, ... where that is an agent; None where it is a compiled player.
    """

    variant: Variant
    episode: str = "game"
    opponents: tuple[Opponent | None, ...]

    @property
    def has_agents(self) -> bool:
        """Whether an agent sits at one of the other seats, who may fail."""
        return any(one is not None for one in self.opponents)

    def setup(self, scripts: NDArray[np.int8]) -> Setup:
        """Return what the engine plays with."""
        return Setup(CARD_WORTH if self.reward == "margin" else 0.0, scripts)

    def __deepcopy__(self, memo: dict[int, Any]) -> Settings:
        """Return the same settings: they do not change, and a copy of an environment has the same opponents."""
        return self


def make_settings(
    num_players: Any = 4,
    draft: Any = True,
    start_player: Any = 0,
    opponents: Any = "random",
    observation: str = "flat",
    dtype: str = "int8",
    reward: str = "share",
    illegal_action: str = "forfeit",
) -> Settings:
    """Check the keywords of an environment in which you sit at seat 0.

    Args:
        num_players: 3 to 7.
        draft: Whether the hands are drafted; otherwise they are dealt.
        start_player: The seat that starts the first round; None for one drawn by the seed.
        episode: What one episode is: always a whole game.
        opponents: Who plays at the other seats: the name of a compiled player, ``"random"``; or an agent, which has a
            method `act(observations, action_masks, keys)`; or a list of these, one for each of the seats 1, 2, ...
        observation: ``"flat"``: one vector; ``"dict"``: the same by name.
        dtype: ``"int8"`` or ``"float32"``, of the observations.
        reward: ``"share"``: at the end each of the k winners gets 1/k - 1/n, the others - 1/n, with n seats; 0 before;
            ``"margin"``: to it 0.1 is added for each card fewer than the mean of all seats. The second kind tells more
            of each game, but its optimal policy is another: it minds cards where they cost no win.
        illegal_action: ``"forfeit"``: an illegal action ends the game with reward -1; ``"raise"``: it raises
            IllegalActionError.

    Raises:
        ValueError: If a value is not allowed; the message says which are.
    """
    table = make_table(num_players, draft, start_player)
    seated = at_each_seat(opponents, table.num_players)
    for one in seated:
        if not isinstance(one, str | Opponent):
            raise ValueError(
                f"an opponent is {one!r}, but must be one of {', '.join(map(repr, PLAYERS))}, or an agent with a "
                "method act(observations, action_masks, keys)"
            )
    names = [choice(one, tuple(PLAYERS), "a player of opponents") if isinstance(one, str) else AGENT for one in seated]
    return Settings(
        variant=replace(table, opponents=tuple(names)),
        opponents=tuple(None if isinstance(one, str) else one for one in seated),
        reward=choice(reward, REWARDS, "reward"),
        **common_settings(observation, dtype, illegal_action),
    )
