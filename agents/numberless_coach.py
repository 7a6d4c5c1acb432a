"""The coach of the game without numbers: with search, games are played to their end over what the seat cannot know."""

from __future__ import annotations

from agents.coach import BaseCoach
from agents.numberless_search import NumberlessSearchAgent
from agents.random_agent import RandomAgent
from eck_env.numberless.variant import Variant

_WORLDS_A_PASS = 32


class NumberlessCoach(BaseCoach):
    """Gives advice by one agent in one variant of the game without numbers; see `BaseCoach`.

    A win chance is the share of the win: a win shared by two counts half. The playouts are played at all seats by the
    agent's own player where it searches itself, by the random player for the random agent, and else by the heuristic
    one; who really sits at the other seats is not known to the coach.
    """

    def __init__(self, spec: str, variant: Variant) -> None:
        super().__init__(spec, variant)
        player = self._agent.player if isinstance(self._agent, NumberlessSearchAgent) else "heuristic"
        player = "random" if isinstance(self._agent, RandomAgent) else player
        searcher = NumberlessSearchAgent(player=player, card_worth=0.0)
        mean = 1.0 / variant.num_players
        self._judge = lambda observation, mask, key: searcher.judge(observation, mask, key, _WORLDS_A_PASS) + mean
        self._worlds = _WORLDS_A_PASS

    def _title(self, variant: Variant) -> str:
        return variant.table
