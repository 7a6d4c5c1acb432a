"""The keywords that both environments of Gongor Whist take, checked once and in one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.base.settings import BaseSettings, common_settings
from eck_env.checks import choice
from eck_env.gongor_whist.engine import Setup
from eck_env.gongor_whist.variant import Variant, make_variant

REWARDS = ("win", "score")


@dataclass(frozen=True, kw_only=True)
class Settings(BaseSettings):
    """How an environment is set up; `make_settings` explains the fields."""

    variant: Variant

    def setup(self, scripts: NDArray[np.int8]) -> Setup:
        """Return what the engine plays with; `scripts` has shape (n, number, 36)."""
        return Setup(self.reward == "score", scripts)


def make_settings(
    scoring: str = "shut_the_box",
    aces: str = "game",
    max_hands: Any = None,
    observation: str = "flat",
    dtype: str = "int8",
    reward: str = "win",
    illegal_action: str = "forfeit",
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
        illegal_action: ``"forfeit"``: an illegal action loses the game, with reward -1; ``"raise"``: it raises
            IllegalActionError.

    Raises:
        ValueError: If a value is not allowed; the message says which are.
    """
    return Settings(
        variant=make_variant(scoring, aces, max_hands),
        reward=choice(reward, REWARDS, "reward"),
        **common_settings(observation, dtype, illegal_action),
    )
