"""Search whose playouts a policy plays."""

from __future__ import annotations

import numpy as np
import pytest

from agents.evaluation import evaluate
from agents.onnx_agent import OnnxAgent
from agents.policy_playouts import PolicyPlayouts
from agents.policy_search import PolicySearchAgent
from agents.round_value_iteration import estimate, make_player
from eck_env import EckEnv, EckVectorEnv, load_round_values
from eck_env.eck.playouts import begin_rounds
from eck_env.eck.state import new_games
from eck_env.eck.variant import make_variant
from onnx_helpers import policy

VALUES = load_round_values(make_variant(2))


@pytest.fixture(scope="module")
def player() -> OnnxAgent:
    return OnnxAgent(policy())


def test_playouts_are_the_rounds_that_the_policy_plays_in_the_environment(player: OnnxAgent) -> None:
    games = new_games(30, make_variant())
    games["seed"] = 2**30 + np.arange(30)
    games["round_number"] = -1  # the next round is the first
    begin_rounds(games)
    PolicyPlayouts(player, 30).finish(games)
    env = EckEnv()
    for index in range(30):
        observation, info = env.reset(seed=2**30 + index)
        while "round" not in info:
            action = player.act(observation[np.newaxis], info["action_mask"][np.newaxis], np.zeros((1, 3), np.int64))
            observation, _, _, _, info = env.step(action[0])
        assert info["round"]["tricks_won"] == games["won"][index]


def test_search_is_ahead_of_the_policy_that_plays_its_playouts(player: OnnxAgent) -> None:
    alone = evaluate(player, "EckBeginner-v0", 200)
    searching = evaluate(PolicySearchAgent(player, VALUES, 8), "EckBeginner-v0", 200)
    assert searching.interval[0] > alone.interval[1]


def test_choices_depend_on_position_and_key_alone(player: OnnxAgent) -> None:
    agent = PolicySearchAgent(player, VALUES, 4)
    env = EckVectorEnv(10, target=2)
    observations, info = env.reset(seed=2**30)
    masks, keys = info["action_mask"], np.stack([np.arange(10)] * 3, axis=1)
    together = agent.act(observations, masks, keys)
    for index in reversed(range(10)):
        env.determinize(index, np.random.default_rng(index))
        one = slice(index, index + 1)
        assert agent.act(observations[one], masks[one], keys[one])[0] == together[index]


def test_judges_only_what_is_legal(player: OnnxAgent) -> None:
    env = EckEnv(target=2)
    observation, info = env.reset(seed=2**30)
    mask = info["action_mask"] != 0
    means = PolicySearchAgent(player, VALUES, 4).judge(observation, mask, [0, 0, 0])
    assert (means[~mask] == 0).all()
    assert ((means[mask] > 0) & (means[mask] <= 1)).all()


def test_round_values_of_a_policy(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The table of a policy gives its win rate."""
    path = tmp_path_factory.mktemp("policy") / "policy.onnx"
    path.write_bytes(policy())
    table = estimate(make_variant(2), make_player(str(path)), 300, 1)
    won = evaluate(OnnxAgent(path), "EckBeginner-v0", 1500)
    assert won.interval[0] - 0.03 < table.values[0, 0, 0] < won.interval[1] + 0.03
