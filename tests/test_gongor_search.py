"""Search in Gongor Whist: it sees what a player knows, plays the same again, and takes what is sure."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from agents.agent import make_agent
from agents.evaluation import evaluate
from agents.gongor_search import GongorSearchAgent
from agents.halving import Milliseconds
from eck_env import GongorEnv, GongorVectorEnv
from eck_env.gongor_whist.infos import ACTION_NAMES, action_number
from eck_env.gongor_whist.round_values import load_round_values
from eck_env.gongor_whist.variant import REGISTERED, Variant, make_variant
from eck_env.registry import find_variant

VALUES = load_round_values(Variant())


def last_trick(bid: int, hand: list[str], aces_left: int = 0) -> dict[str, Any]:
    """Return a state near the end of the first hand: three tricks taken, Moons trump, 5SW led."""
    cards = (
        "2MK 2SY 2WL 3MW 3SK 3LY 4MS 4WL 4YK 5ML 5YK 6MW 6SY 6LK 7ML 7SK 7WY 8MS 8WL 8YK 9MS 9WY 9LK CM CS CW CL CY CK"
    )
    rest = [card for card in cards.split() if card not in hand]
    suits = ["AS", "AW", "AL", "AY", "AK"]
    tricks = 7 - len(hand)
    return {
        "hand": hand, "dummy": rest[: len(hand) - 1], "rest": rest[len(hand) - 1 : len(hand) + 15],
        "seen": rest[len(hand) + 15 :][: 2 * tricks], "lead": "5SW", "played": None, "phase": "card", "trump": "M",
        "aces_seen": [*suits[: 5 - aces_left], "AM"], "aces": suits[5 - aces_left :], "bid": bid,
        "bids_left": [each for each in range(8) if each != bid], "tricks_won": 3, "tricks_lost": tricks - 3,
        "you": 0, "dummys_points": 0, "hand_number": 0, "game": 0, "seed": 1, "outcome": None,
    }  # fmt: skip


def test_a_sure_trick_is_taken_for_the_bid_and_left_otherwise() -> None:
    env = GongorEnv()
    agent = GongorSearchAgent(VALUES, 32)
    keys = np.array([[1, 0, 0]])
    for bid, wanted in ((4, {"9WY"}), (3, {"2WL"})):
        state = last_trick(bid, ["9WY", "2WL"])
        state["tricks_won"], state["tricks_lost"] = 3, 2
        observation, info = env.set_state(state)
        legal = {ACTION_NAMES[action] for action in np.flatnonzero(info["action_mask"])}
        assert legal == {"9WY", "2WL"}
        judged = agent.judge(observation, info["action_mask"].astype(np.bool_), [1, 0, 0], 200)
        chosen = ACTION_NAMES[agent.act(observation[None], info["action_mask"][None], keys)[0]]
        assert judged[action_number(chosen)] == judged.max()
        assert chosen in wanted


def test_a_twiddle_is_judged_too() -> None:
    """One card is left, which has lost unless trump turns: for a bid of one more the search twiddles, else it keeps."""
    env = GongorEnv()
    agent = GongorSearchAgent(VALUES, 64)
    for bid, wanted in ((4, "twiddle"), (3, "keep")):
        env.set_state(last_trick(bid, ["2WL"], aces_left=5))
        observation, _, _, _, info = env.step(action_number("2WL"))
        action = agent.act(observation[None], info["action_mask"][None], np.array([[2, 0, 0]]))[0]
        assert ACTION_NAMES[action] == wanted


@pytest.mark.parametrize("env_id", REGISTERED)
def test_choices_depend_on_keys_alone(env_id: str) -> None:
    agent = make_agent("mc:4", find_variant(env_id))
    whole = evaluate(agent, env_id, 12)
    assert whole.illegal_actions == 0
    assert whole.games.tobytes() == evaluate(agent, env_id, 12, batch=5).games.tobytes()
    assert whole.games.tobytes() == evaluate(make_agent("mc:4", find_variant(env_id)), env_id, 12).games.tobytes()


def test_hidden_cards_do_not_matter() -> None:
    """Two games that differ in hidden cards alone are played alike until a card shows."""
    env = GongorEnv()
    agent = GongorSearchAgent(VALUES, 8)
    key = np.array([[7, 0, 0]])
    for seed in range(20):
        observation, info = env.reset(seed=seed)
        first = agent.act(observation[None], info["action_mask"][None], key)
        env.determinize(np.random.default_rng(seed))
        shown, info = env.set_state(env.state_dict())
        assert (shown == observation).all()
        assert agent.act(shown[None], info["action_mask"][None], key) == first


def test_milliseconds_and_finished_games() -> None:
    agent = GongorSearchAgent(VALUES, Milliseconds(2))
    env = GongorVectorEnv(3)
    observations, info = env.reset(seed=2)
    for _ in range(20):
        keys = np.zeros((3, 3), np.int64)
        actions = agent.act(observations, info["action_mask"], keys)
        over = info["action_mask"].all(axis=1)
        assert (info["action_mask"][np.arange(3), actions] == 1).all()
        observations, _, ended, _, info = env.step(actions)
        assert not (ended & over).any()


@pytest.mark.parametrize(
    ("spec", "message"),
    [("mc:0", "unknown search 'mc:0'"), ("mc:8:16", "the player of the playouts is '16'"), ("mc:x", "mc:64:random")],
)
def test_searches_that_there_are_not(spec: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_agent(spec, Variant())
    with pytest.raises(ValueError, match="no round values are shipped"):
        make_agent("mc:8", make_variant("two_columns", "pass"))


@pytest.mark.parametrize("env_id", REGISTERED)
def test_search_is_better_than_the_heuristic_and_that_than_chance(env_id: str) -> None:
    agents = [make_agent(name, find_variant(env_id)) for name in ("random", "heuristic", "mc:32")]
    results = [evaluate(agent, env_id, 1000 if env_id == "GongorWhist-v0" else 200) for agent in agents]
    by_wins = env_id == "GongorWhistColumns-v0"
    for worse, better in pairwise(results):
        if by_wins:
            assert worse.interval[1] < better.interval[0]
            continue
        one, other = worse.measures[0], better.measures[0]
        low, high = (one, other) if one.more_is_better else (other, one)
        assert low.interval[1] < high.interval[0]
