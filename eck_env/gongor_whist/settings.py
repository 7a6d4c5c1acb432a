"""The keywords that both environments of Gongor Whist take, checked once and in one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.base.settings import BaseSettings, common_settings
from eck_env.checks import choice
from eck_env.gongor_whist.engine import BY_OUTCOME, BY_SCORE, BY_VALUE, START, Setup
from eck_env.gongor_whist.round_values import RoundValues, StartStates, load_round_values, make_starts
from eck_env.gongor_whist.variant import Variant, make_variant

REWARDS = ("win", "score", "round_value")
EPISODES = ("game", "round")
_REWARD_CODES = {"win": BY_OUTCOME, "score": BY_SCORE, "round_value": BY_VALUE}


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

    def setup(self, scripts: NDArray[np.int8]) -> Setup:
        """Return what the engine plays with; `scripts` has shape (n, number, 36)."""
        return Setup(self.episode == "round", _REWARD_CODES[self.reward], self.values, self.starts, scripts)


def make_settings(
    scoring: str = "shut_the_box",
    aces: str = "game",
    max_hands: Any = None,
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
        scoring: ``"shut_the_box"``: a hand whose tricks differ from the bid loses the game; ``"two_columns"``: you and
            the dummy score, and the higher total wins; ``"first_edition"``: bids may repeat, and 50 points win.
        aces: ``"game"``: one pile of Aces for all hands; ``"pass"``: a new pile for every pass, and one more twiddle
            after the last Ace, which means no trump.
        max_hands: Of the first edition: the hands after which a game short of 50 points is lost; None for 40.
        observation: ``"flat"``: one vector; ``"dict"``: the same by name.
        dtype: ``"int8"`` or ``"float32"``, of the observations.
        reward: ``"win"``: +1 for a win, -1 for a loss, 0 before and for a draw; ``"score"``: at the end of each hand
            the change of your points (in two columns less those of the dummy) as a share of what there is to be had: 8
            hands, 35 points, 50 points. The second kind tells sooner what was good, but its optimal policy is another:
            it maximises expected points, not the chance to win, and in the first edition it does not mind more hands.
            ``"round_value"``: at the end of each hand, and where a twiddle spends an Ace, the change of what the game
            is worth by the table of round values: the chance to win, a draw counting half; in the first edition the
            share of the hands allowed that will not be needed, so that there the fewest hands are best. These rewards
            add up to what the game comes to less a constant, so they keep the best play of whole games, without
            discounting (Ng, Harada and Russell, "Policy invariance under reward transformations", 1999). Default:
            ``"win"`` where the episode is a game, ``"round_value"`` where it is a hand.
        illegal_action: ``"forfeit"``: an illegal action loses the game; ``"raise"``: it raises IllegalActionError.
        episode: ``"game"``, or ``"round"``: every episode is one hand, from a state out of `start_states`.
        round_values: The table of round values, or the path of its file; None for the shipped table of the variant.
        start_states: For episodes of one hand: a list of ``{"bids_left": [3, 4], "aces_left": 2, "you": 0, "weight":
            2.0}``; None for states of all numbers of hands before, by the table of round values.

    Raises:
        ValueError: If a value is not allowed; the message says which are.
    """
    variant = make_variant(scoring, aces, max_hands)
    episode = choice(episode, EPISODES, "episode")
    reward = choice(reward or ("round_value" if episode == "round" else "win"), REWARDS, "reward")
    table = None
    if reward == "round_value" or (episode == "round" and start_states is None):
        table = round_values if isinstance(round_values, RoundValues) else load_round_values(variant, round_values)
        table.check_variant(variant)
    if start_states is not None and episode != "round":
        raise ValueError('start_states is for episode="round"; reset(options=...) starts a game from given cards')
    starts = np.zeros(0, START)
    if episode == "round":
        starts = table.starts() if start_states is None and table else make_starts(start_states or [], variant)
    return Settings(
        variant=variant,
        reward=reward,
        **common_settings(observation, dtype, illegal_action),
        episode=episode,
        values=table.values if table and reward == "round_value" else np.zeros((0, 0, 0)),
        starts=starts,
    )
