"""The coach of Gongor Whist: with search, hands are played to their end, and judged by the table of round values."""

from __future__ import annotations

from agents.coach import BaseCoach
from agents.gongor_search import GongorSearchAgent
from agents.random_agent import RandomAgent
from eck_env.gongor_whist.round_values import load_round_values
from eck_env.gongor_whist.variant import FIRST_EDITION, SCORINGS, Variant

_WORLDS_A_PASS = 32


class GongorCoach(BaseCoach):
    """Gives advice by one agent in one variant of Gongor Whist; see `BaseCoach`.

    It searches where there is a table of round values that are chances to win, a draw counting half: not in the first
    edition, whose table counts hands. The playouts are played by the agent's own player where it searches itself, by
    the random player for the random agent, and else by the heuristic one.
    """

    no_search = "there is no table of chances to win for this variant, so there is no search"

    def __init__(self, spec: str, variant: Variant) -> None:
        super().__init__(spec, variant)
        searcher = self._agent if isinstance(self._agent, GongorSearchAgent) else self._make_searcher(variant)
        if searcher is not None and variant.scoring != SCORINGS[FIRST_EDITION]:
            self._judge = lambda observation, mask, key: searcher.judge(observation, mask, key, _WORLDS_A_PASS)
            self._worlds = _WORLDS_A_PASS

    def _make_searcher(self, variant: Variant) -> GongorSearchAgent | None:
        try:
            table = load_round_values(variant)
        except ValueError:  # there is none for this variant
            return None
        return GongorSearchAgent(table, player="random" if isinstance(self._agent, RandomAgent) else "heuristic")
