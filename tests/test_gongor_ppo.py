"""Training at Gongor Whist: adapter, scaled rewards, the network that is told the rules, recordings, exports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.utils import get_action_masks

from agents.agent import make_agent
from agents.evaluation import evaluate
from agents.onnx_agent import OnnxAgent
from agents.ppo.config import EnvironmentConfig, TrainingConfig
from agents.ppo.config_files import ConfigError, parse_config
from agents.ppo.decisions import Packing, load_decisions
from agents.ppo.export import compare, export_policy, real_positions
from agents.ppo.gongor_network import TrumpExtractor, stakes
from agents.ppo.model import MaskedPolicy, make_policy
from agents.ppo.recording import Recorder, Recording
from agents.ppo.scaled_rewards import ScaledRewards
from eck_env import GongorEnv, GongorVectorEnv
from eck_env.adapters.sb3 import GameSb3VecEnv
from eck_env.gongor_whist.definition import GONGOR_WHIST
from eck_env.gongor_whist.observation import LAYOUT
from eck_env.gongor_whist.round_values import load_round_values
from eck_env.gongor_whist.variant import REGISTERED, make_variant
from eck_env.registry import find_variant
from gongor_helpers import made_up_values, table_value
from ppo_helpers import assert_same_end, run
from reference.gongor_whist import PACK

ROLLOUT = 16 * 13


def tiny(env_id: str = "GongorWhist-v0", **changes: Any) -> TrainingConfig:
    """Return the configuration of a run of a few updates."""
    data = {
        "seed": 5,
        "num_games": 16,
        "total_steps": 4 * ROLLOUT,
        "environment": {"id": env_id},
        "policy": {"network": "trump", "width": 8},
        "ppo": {"steps_per_rollout": 13, "minibatch_size": 100, "epochs": 2},
        "checkpoints": {"every_steps": 2 * ROLLOUT, "keep": 2},
        "evaluation": {"every_steps": 2 * ROLLOUT, "games": 20},
        "final": {"games": 30, "opponents": ["random"]},
    }
    return parse_config(data | changes, "tiny")


# --- The adapter -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("env_id", "keywords"),
    [
        ("GongorWhist-v0", {}),
        ("GongorWhistColumns-v0", {"episode": "round"}),
        ("GongorWhistFirst-v0", {"reward": "score", "max_hands": 4}),
    ],
)
def test_the_adapter_plays_as_single_environments(env_id: str, keywords: dict[str, Any]) -> None:
    env = GameSb3VecEnv(env_id, 4, **keywords)
    singles = [GongorEnv(**(REGISTERED[env_id] | keywords)) for _ in range(4)]
    env.seed(40)
    observations: Any = env.reset()
    for index, single in enumerate(singles):
        assert (observations[index] == single.reset(seed=40 + index)[0]).all()
    generator, ends = np.random.default_rng(1), 0
    for _ in range(150):
        masks = get_action_masks(env)
        actions = (masks * generator.random(masks.shape)).argmax(1)
        observations, rewards, dones, infos = env.step(actions)
        for index, single in enumerate(singles):
            shown, reward, over, _, info = single.step(actions[index])
            assert (rewards[index], dones[index]) == (np.float32(reward), over)
            if over:
                ends += 1
                assert (infos[index]["terminal_observation"] == shown).all()
                assert infos[index].get("outcome") == info.get("outcome")
                assert ("is_success" in infos[index]) == ("episode" not in keywords)
                shown = single.reset()[0]
            assert (observations[index] == shown).all()
    assert ends > 4
    with pytest.raises(ValueError, match="must be one of 'Eck-v0'"):
        GameSb3VecEnv("Gongor", 2)


def test_scaled_rewards_are_the_rewards_over_what_is_at_stake() -> None:
    keywords: dict[str, Any] = {"episode": "round"}
    table = load_round_values(make_variant("two_columns"))
    scaled, plain = (kind("GongorWhistColumns-v0", 32, **keywords) for kind in (ScaledRewards, GameSb3VecEnv))
    generator, seen = np.random.default_rng(1), 0
    for env in (scaled, plain):
        env.seed(9)
        env.reset()
    for _ in range(60):
        states = [plain.games.state_dict(index) for index in range(32)]
        masks = get_action_masks(plain)
        actions = (masks * generator.random(masks.shape)).argmax(1)
        rewards, units = scaled.step(actions)[1], plain.step(actions)[1]
        for index, state in enumerate(states):
            left = sum(1 << bid for bid in {*state["bids_left"], state["bid"]} - {None})
            unit = stakes(table)[left, state["you"] - state["dummys_points"] + 44]
            assert rewards[index] == pytest.approx(units[index] / unit, rel=1e-4, abs=1e-6)
            seen += rewards[index] != 0
    assert seen > 50


# --- The network -----------------------------------------------------------------------------------------------------


def extractor(scoring: str, aces: str = "game", **keywords: Any) -> TrumpExtractor:
    space = LAYOUT.make_space("flat", np.int8)
    return TrumpExtractor(space, scoring, aces, width=8, **keywords)


@pytest.mark.parametrize(("scoring", "aces"), [(scoring, "game") for scoring in ("shut_the_box", "two_columns")])
def test_worths_are_those_of_the_table(scoring: str, aces: str, tmp_path: Path) -> None:
    """What the network is told a count of tricks is worth is what the game is worth once they are taken."""
    values = made_up_values(scoring, aces)
    values.save(tmp_path / "w.npz")
    network = extractor(scoring, aces, round_values=str(tmp_path / "w.npz"))
    env = GongorEnv(scoring, aces, reward="round_value", round_values=values)
    generator, checked = np.random.default_rng(3), 0
    for seed in range(40):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            state = env.state_dict()
            observation = env.set_state(state)[0]
            told, _, now = network._worths(torch.as_tensor(observation[np.newaxis]).float())
            unit = float(network.units[0, 0])
            action = int((info["action_mask"] * generator.random(40)).argmax())
            _, _, over, _, info = env.step(action)
            assert float(now) == pytest.approx(table_value(values, state), rel=1e-5)
            if "hand" not in info:
                continue
            if len(env.state_dict()["aces"]) != len(state["aces"]):
                continue  # an Ace was spent on the way
            after = 0.0
            if not over:
                after = table_value(values, env.state_dict())
            elif info["outcome"] != "loss":
                after = 1.0 if info["outcome"] == "win" else 0.5
            wanted = np.clip((after - float(now)) / unit, -5, 5)
            assert float(told[0, info["hand"]["taken"]]) == pytest.approx(wanted, rel=1e-3, abs=1e-3)
            checked += 1
    assert checked > 10


def test_the_first_edition_knows_its_end(tmp_path: Path) -> None:
    values = made_up_values("first_edition", max_hands=4)
    values.save(tmp_path / "w.npz")
    network = extractor("first_edition", max_hands=4, round_values=str(tmp_path / "w.npz"))
    assert network.after.shape == (5, 107, 6)
    assert network.after[3, 100, 2] == pytest.approx(0.25), "50 points after three hands of four"
    assert network.after[4, 30].eq(0).all()
    assert network.after[2, 60, 3] == pytest.approx(float(values.values[2, 60, 3]))


def test_cards_are_told_apart_by_the_rules() -> None:
    """9WY takes 5SW by rank, CM as a trump, 2WL not; and each beats the share of the cards to come that it should."""
    env = GongorEnv()
    hand = ["9WY", "CM", "2WL", "4MS", "3SK", "6LK", "7ML"]
    dummy = ["5SW", "2SY", "3MW", "4YK", "5YK", "6SY", "8YK"]
    env.reset(seed=1, options={"hand": hand, "dummy": dummy, "ace_orders": [["AM", "AK", "AS", "AW", "AL", "AY"]]})
    observation, _, _, _, _ = env.step(3)
    state = env.state_dict()
    names = state["hand"] + state["dummy"] + state["rest"] + state["seen"] + [state["lead"]]
    assert len(names) == 30
    cards = extractor("shut_the_box")._told(torch.as_tensor(observation[np.newaxis]).float())[1][0]
    takes = {name: float(cards[PACK.index(name), 1]) for name in hand}
    assert {name for name, flag in takes.items() if flag} == {"9WY", "CM", "4MS", "7ML"}
    unseen = [name for name in PACK if name not in (*hand, "5SW")]
    beaten = [name for name in unseen if "M" not in name[1:] and set(name[1:]) & set("WY") and name[0] < "9"]
    assert float(cards[PACK.index("9WY"), 2]) == pytest.approx(len(beaten) / len(unseen), abs=1e-6)


def test_every_card_is_judged_by_the_same_weights() -> None:
    policy = make_policy(tiny())
    assert isinstance(policy.action_space, spaces.Discrete)
    sizes = {name: tuple(tensor.shape) for name, tensor in policy.action_net.named_parameters()}
    assert sizes["card.weight"] == (64, 10)
    assert sizes["card_logit.weight"] == (1, 64)


# --- Runs ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("env_id", REGISTERED)
def test_trains_goes_on_and_exports(env_id: str, tmp_path: Path) -> None:
    config = tiny(env_id)
    whole = run(config, tmp_path / "whole")
    half = tiny(env_id, total_steps=2 * ROLLOUT)
    run(half, tmp_path / "parts")
    parts = run(config, tmp_path / "parts", resume=True)
    if env_id != "GongorWhist-v0":
        return
    assert_same_end(whole, whole)
    assert parts[1].steps == whole[1].steps
    parity = export_policy(whole[1].policy, tmp_path / "policy.onnx", config, {"steps": whole[1].steps})
    assert parity.equal_choices == parity.positions == 1000
    agent = make_agent(str(tmp_path / "policy.onnx"), find_variant(env_id))
    assert isinstance(agent, OnnxAgent)
    assert agent.variant == find_variant(env_id)
    positions = real_positions(2000, find_variant(env_id))
    assert compare(whole[1].policy, agent, *positions).max_logit_difference < 1e-3
    entries = whole[0].read_evaluations()
    assert [entry["steps"] for entry in entries] == [2 * ROLLOUT, 4 * ROLLOUT]
    assert {"bids_made", "drawn", "score"} <= set(entries[0])
    assert entries[0]["score"] == pytest.approx(entries[0]["bids_made"]["value"])


def test_decisions_are_recorded_and_imitated(tmp_path: Path) -> None:
    data = tmp_path / "decisions.npz"
    environment = EnvironmentConfig(id="GongorWhistFirst-v0")
    count = Recorder(Recording("heuristic", environment, 120, chunk=50), data).record(1, lambda done: None)
    decisions, packing = load_decisions(data), Packing(GONGOR_WHIST)
    assert len(decisions) == count > 120 * 8
    env = GongorVectorEnv(1, **environment.keywords())
    observations, infos = env.reset(seed=0)
    for number in range(8):
        row = slice(number, number + 1)
        assert (packing.unpack_observations(decisions.observations[row]) == observations).all()
        assert (packing.unpack_masks(decisions.masks[row]) == infos["action_mask"]).all()
        observations, _, _, _, infos = env.step(decisions.actions[row].astype(np.int64))
    lessons = {"data": str(data), "epochs": 20, "minibatch_size": 200, "learning_rate": 3e-3}
    config = tiny("GongorWhistFirst-v0", imitation=lessons, total_steps=1, evaluation={"every_steps": 10**6})
    before = run(tiny("GongorWhistFirst-v0", total_steps=1), tmp_path / "plain")[1].policy
    after = run(config, tmp_path / "imitating")[1].policy
    positions = torch.as_tensor(packing.unpack_observations(decisions.observations))
    masks = torch.as_tensor(packing.unpack_masks(decisions.masks))
    wanted = torch.as_tensor(decisions.actions.astype(np.int64))
    agreement = []
    for policy in (before, after):
        with torch.no_grad():
            chosen = MaskedPolicy(policy)(positions, masks)[0].argmax(1)
        agreement.append(float((chosen == wanted).float().mean()))
    assert agreement[1] > agreement[0] + 0.1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"policy": {"network": "color_shared"}}, "is for another game than GongorWhist-v0: choose trump or mlp"),
        ({"environment": {"id": "Eck-v0"}}, "is for another game than Eck-v0: choose color_shared or mlp"),
        ({"environment": {"id": "GongorWhist-v0", "target": 3}}, "target is no keyword of GongorWhist-v0"),
        ({"environment": {"id": "Eck-v0", "aces": "pass"}}, "aces is no keyword of Eck-v0"),
        ({"environment": {"id": "GongorWhist-v0", "episode": "game"}}, "policy.relative to false"),
        ({"environment": {"id": "GongorWhist-v0", "max_hands": 9}}, "max_hands"),
    ],
)
def test_configurations_that_do_not_fit(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        tiny(**changes)


def test_a_plain_network_learns_whole_games_too(tmp_path: Path) -> None:
    environment = {"id": "GongorWhistColumns-v0", "aces": "pass", "episode": "game", "reward": "score"}
    config = tiny(policy={"network": "mlp", "hidden": [8]}, environment=environment)
    assert config.environment.variant() == make_variant("two_columns", "pass")
    assert run(config, tmp_path / "run")[1].finished


# --- The policies that come along ------------------------------------------------------------------------------------


@pytest.mark.parametrize("env_id", REGISTERED)
def test_shipped_policies_are_better_than_the_heuristic(env_id: str) -> None:
    variant = find_variant(env_id)
    games = 4000 if env_id == "GongorWhist-v0" else 300
    policy, heuristic = (evaluate(make_agent(name, variant), env_id, games) for name in ("pretrained", "heuristic"))
    assert policy.illegal_actions == 0
    difference, (low, high) = policy.measures[0].less(heuristic.measures[0])
    assert low > 0 if policy.measures[0].more_is_better else high < 0, difference
    if env_id != "GongorWhist-v0":
        assert policy.interval[0] > heuristic.interval[1]
    agent = make_agent("pretrained", variant)
    assert isinstance(agent, OnnxAgent)
    assert (agent.name, agent.variant, agent.metadata["env_id"]) == (env_id, variant, env_id)
    figures = agent.metadata["evaluation"][0]
    assert figures["win_rate"] >= heuristic.win_rate
