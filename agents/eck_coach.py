"""The coach of ECK.

A policy sees the chance to win after each card by a look one trick ahead: over many worlds, drawn as in
`monte_carlo.py`, its network values the position after it. A search plays rounds to their end, by the agent itself
where it searches, by a policy, or by the random or heuristic player.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.agent import Agent
from agents.coach import BaseCoach, Judge
from agents.heuristic import HeuristicAgent
from agents.monte_carlo import MonteCarloAgent
from agents.onnx_agent import OnnxAgent
from agents.policy_search import PolicySearchAgent, read_position, start_playouts
from agents.policy_values import ValueScale, value_scale
from eck_env.batch import random_key
from eck_env.eck.cards import HAND_SIZE, NUM_KINDS
from eck_env.eck.engine import ENGINE, round_value
from eck_env.eck.round_values import RoundValues, load_round_values
from eck_env.eck.state import GAME, record
from eck_env.eck.variant import Variant

_LOOKAHEAD_WORLDS = 32
_WORLDS_A_PASS = {"flat": 32, "nested": 1, "policy": 4}
_LOOKAHEAD_PURPOSE = 2**35  # the random stream of the look ahead


class Coach(BaseCoach):
    """Gives advice by one agent in one variant of ECK, with search where there is a table of round values.

    It is not to be asked by several threads at once.

    Args:
        spec: The agent, as `agents.agent.make_agent` takes it.
        variant: The variant that is played.

    Attributes:
        name: The agent's name.

    Raises:
        ValueError: If there is no such agent, or it cannot play this variant.
        FileNotFoundError: If there is no such policy file.
    """

    no_search = (
        "there is no table of round values for this variant, so there is no search, and no value of a card: "
        "python -m agents.round_value_iteration makes one"
    )

    def __init__(self, spec: str, variant: Variant) -> None:
        super().__init__(spec, variant)
        self._table = _find_table(variant)
        self._lookahead: _Lookahead | None = None
        if self._table is not None:
            self._judge, self._worlds = _make_judge(self._agent, self._table, variant)
            if self._policy is not None and (scale := value_scale(self._policy)) is not None:
                self._lookahead = _Lookahead(self._policy, self._table, variant.same_circle, scale)

    def _look(
        self, observation: NDArray[Any], legal: NDArray[np.bool_], key: tuple[int, int, int]
    ) -> tuple[float | None, NDArray[np.float64] | None]:
        return (None, None) if self._lookahead is None else self._lookahead.look(observation, legal, key)


# --- What a policy's network sees after each card --------------------------------------------------------------------


class _Lookahead:
    """Values positions, and those after each legal card, by a policy's network."""

    def __init__(self, policy: OnnxAgent, table: RoundValues, same_circle: bool, scale: ValueScale) -> None:
        self._policy, self._values, self._scale = policy, table.values, scale
        self._game, self._scratch = np.zeros(1, GAME), np.zeros(1, GAME)
        self._game["same_circle"] = same_circle
        most = _LOOKAHEAD_WORLDS * HAND_SIZE
        self._worths = np.zeros(HAND_SIZE + 1)
        self._playouts, self._cards = np.zeros(most, GAME), np.zeros(most, np.int64)

    def look(
        self, observation: NDArray[Any], legal: NDArray[np.bool_], key: tuple[int, int, int]
    ) -> tuple[float, NDArray[np.float64]]:
        """Return the chance to win in a position, and after each card, shape (38,)."""
        bits = read_position(observation, legal, self._values, self._game, self._scratch, self._worths)
        start = round_value(record(self._game, 0), self._values)
        _, value = self._policy.logits_and_values(observation[np.newaxis], legal[np.newaxis])
        total = _LOOKAHEAD_WORLDS * int(np.count_nonzero(legal))
        playouts, cards = self._playouts[:total], self._cards[:total]
        with np.errstate(over="ignore"):
            stream = random_key(*key, _LOOKAHEAD_PURPOSE)
        start_playouts(self._game, bits, _LOOKAHEAD_WORLDS, stream, playouts, cards)
        seen = self._worths[playouts["won"]]
        going_on = np.flatnonzero(playouts["hand"] != 0)
        if len(going_on):
            seen[going_on] = self._scale.chances(self._network(playouts[going_on]), start)
        sums = np.bincount(cards, seen, NUM_KINDS)
        return float(self._scale.chances(value, start)[0]), sums / _LOOKAHEAD_WORLDS

    def _network(self, games: NDArray[np.void]) -> NDArray[np.float32]:
        outputs = ENGINE.make_outputs(len(games), np.int8)
        ENGINE.observe_games(games, outputs)
        return self._policy.logits_and_values(outputs.observations, outputs.masks)[1]


# --- Search ----------------------------------------------------------------------------------------------------------


def _find_table(variant: Variant) -> RoundValues | None:
    try:
        return load_round_values(variant)
    except ValueError:
        return None


def _make_judge(agent: Agent, table: RoundValues, variant: Variant) -> tuple[Judge, int]:
    """Return what one pass of an agent's search says of each card, and how many playouts a card that has.

    A policy, and the random and the heuristic player, which do not search by themselves, play the playouts.
    """
    if isinstance(agent, PolicySearchAgent):
        agent = agent.policy
    if isinstance(agent, OnnxAgent):
        worlds = _WORLDS_A_PASS["policy"]
        return PolicySearchAgent(agent, table, worlds, variant.same_circle).judge, worlds
    if not isinstance(agent, MonteCarloAgent):
        player = "heuristic" if isinstance(agent, HeuristicAgent) else "random"
        agent = MonteCarloAgent(table, player=player, same_circle=variant.same_circle)
    searcher = agent
    worlds = _WORLDS_A_PASS["nested" if searcher.nested else "flat"]
    return lambda observation, mask, key: searcher.judge(observation, mask, key, worlds), worlds
