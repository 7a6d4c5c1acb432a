"""The keywords that both environments of ECK take, checked once and in one place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.base.records import record
from eck_env.base.settings import BaseSettings, common_settings
from eck_env.checks import choice
from eck_env.eck.engine import START, Setup
from eck_env.eck.round_values import RoundValues, StartStates, load_round_values, make_starts
from eck_env.eck.rules import COUNTERS, PLAYING
from eck_env.eck.state import new_games, trick_card_statuses
from eck_env.eck.variant import Variant, make_variant

REWARDS = ("win", "round_value")
EPISODES = ("game", "round")


@dataclass(frozen=True, kw_only=True)
class Settings(BaseSettings):
    """How an environment is set up; `make_settings` explains the fields."""

    variant: Variant
    episode: str
    values: NDArray[np.float64]
    starts: NDArray[np.void]

    @property
    def whole_games(self) -> bool:
        """Whether an episode is a whole game."""
        return self.episode == "game"

    def check_value(self, game: Any) -> None:
        """Raise ValueError if the rewards need the round value of a state that the table does not have."""
        if self.reward == "round_value" and game.outcome == PLAYING:
            value = self.values[game.counter, game.yours, game.gray]
            if np.isnan(value):
                cards = trick_card_statuses(int(game.laid), int(game.gray), int(game.yours), int(game.ecks))
                raise ValueError(
                    f"the table of round values has no entry for the trick cards {cards} with counter "
                    f'{COUNTERS[game.counter]!r}: no game gets there; start from another state, or use reward="win"'
                )

    def setup(self, scripts: NDArray[np.int8]) -> Setup:
        """Return what the engine plays with; `scripts` has shape (n, number, 29)."""
        return Setup(self.episode == "round", self.reward == "round_value", self.values, self.starts, scripts)


def make_settings(
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
) -> Settings:
    """Check the keywords of an environment.

    Args:
        target: Trick cards that win the game, 1 to 7.
        trick_cards: Names of the trick cards laid out, such as ``("2", "4", "13/0")``; None for all seven.
        circle_follow: ``"any"``: any card may follow a circle of ECK's; ``"same"``: one of its color must, if held.
        observation: ``"flat"``: one vector; ``"dict"``: the same by name.
        dtype: ``"int8"`` or ``"float32"``, of the observations.
        reward: ``"win"``: +1 for a win, -1 for a loss, 0 before; ``"round_value"``: at the end of each round the
            change of the chance to win by the table of round values (with a win as 1, a loss as 0). The rewards of
            the second kind add up to the outcome less a constant, so the optimal policy is the same, without
            discounting (Ng, Harada and Russell, "Policy invariance under reward transformations", 1999). Default:
            ``"win"`` where the episode is a game, ``"round_value"`` where it is a round.
        illegal_action: ``"forfeit"``: an illegal action loses the game; ``"raise"``: it raises IllegalActionError.
        episode: ``"game"``, or ``"round"``: every episode is one round, from a state out of `start_states`.
        round_values: The table of round values, or the path of its file; None for the shipped table of the variant.
        start_states: For round episodes: a list of ``{"trick_cards": {...}, "counter": "1", "weight": 2.0}``; None
            for the states that games reach, as often as they do, from the table of round values.

    Raises:
        ValueError: If a value is not allowed; the message says which are.
        TypeError: If a value has the wrong type.
    """
    variant = make_variant(target, trick_cards, circle_follow)
    episode = choice(episode, EPISODES, "episode")
    reward = choice(reward or ("round_value" if episode == "round" else "win"), REWARDS, "reward")
    table = None
    if reward == "round_value" or (episode == "round" and start_states is None):
        table = round_values if isinstance(round_values, RoundValues) else load_round_values(variant, round_values)
        table.check_variant(variant)
    if start_states is not None and episode != "round":
        raise ValueError('start_states is for episode="round"; reset(options=...) starts a game from a given state')
    starts = np.zeros(0, START)
    if episode == "round":
        starts = table.starts() if start_states is None and table else make_starts(start_states or [], variant)
    settings = Settings(
        variant=variant,
        reward=reward,
        **common_settings(observation, dtype, illegal_action),
        episode=episode,
        values=table.values if table and reward == "round_value" else np.zeros((0, 0, 0)),
        starts=starts,
    )
    games = new_games(len(starts), variant)
    for name in ("yours", "gray", "counter"):
        games[name] = starts[name]
    if settings.reward == "round_value":
        for index in np.flatnonzero(np.isnan(settings.values[games["counter"], games["yours"], games["gray"]])):
            settings.check_value(record(games, int(index)))
    return settings
