"""Self-play in the game without numbers: the network, the pool, and training runs that can be stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.agent import make_agent
from agents.onnx_agent import OnnxAgent
from agents.ppo.config import TrainingConfig
from agents.ppo.config_files import ConfigError, load_config, parse_config
from agents.ppo.export import export_policy, training_record
from agents.ppo.model import MaskedPolicy, PolicyAgent, make_policy
from agents.ppo.run_folder import RunFolder
from agents.ppo.self_play import Pool, SelfPlayVecEnv
from agents.ppo.training import draw_seeds, make_learner, train
from eck_env import NumberlessEnv, NumberlessVectorEnv
from eck_env.numberless.cards import NUM_CARDS, NUM_KINDS
from eck_env.numberless.observation import SLICES

CONFIG = Path(__file__).resolve().parents[1] / "configs" / "numberless.yaml"
TINY: dict[str, Any] = {
    "seed": 3,
    "num_games": 8,
    "total_steps": 8 * 13 * 6,
    "environment": {"id": "Numberless-v0", "episode": "game", "start_player": "any", "opponents": "heuristic"},
    "pool": {"every_steps": 100, "size": 3, "fixed": ["heuristic"], "fixed_share": 0.3},
    "policy": {"network": "grid", "width": 8, "depth": 2},
    "ppo": {"steps_per_rollout": 13, "minibatch_size": 52, "epochs": 1},
    "checkpoints": {"every_steps": 200},
    "evaluation": {"every_steps": 300, "games": 20},
    "final": {"games": 20, "opponents": ["random"]},
}


def config(**changes: Any) -> TrainingConfig:
    return parse_config({**TINY, **changes}, "test")


def some_positions(count: int = 64) -> tuple[Any, Any]:
    """Return observations and masks out of the middle of games."""
    env = NumberlessVectorEnv(count, start_player=None)
    seen, infos = env.reset(seed=1)
    for step in range(9):
        seen, _, _, _, infos = env.step(np.argmax(infos["action_mask"], axis=1) if step % 2 else last(infos))
    return seen, infos["action_mask"]


def last(infos: Any) -> Any:
    return NUM_CARDS - 1 - np.argmax(infos["action_mask"][:, ::-1], axis=1)


def permuted(observations: Any, rows: Any, columns: Any) -> Any:
    """Return observations with foregrounds and backgrounds renamed."""
    order = (NUM_KINDS * rows[:, None] + columns[None]).ravel()
    changed = observations.copy()
    for name in ("hand", "kept", "pot", "gone", "played_by", "seen"):
        changed[:, SLICES[name]] = observations[:, SLICES[name]][:, order]
    lacks = observations[:, SLICES["lacks"]].reshape(len(observations), -1, NUM_CARDS)
    changed[:, SLICES["lacks"]] = lacks[:, :, order].reshape(len(observations), -1)
    return changed


def test_renaming_the_cards_permutes_the_logits() -> None:
    """And leaves the value."""
    torch.manual_seed(1)
    policy = make_policy(config())
    head: Any = policy.action_net
    torch.nn.init.normal_(head.linear.weight)
    module = MaskedPolicy(policy)
    observations, masks = some_positions()
    rng = np.random.default_rng(2)
    rows, columns = rng.permutation(NUM_KINDS), rng.permutation(NUM_KINDS)
    order = (NUM_KINDS * rows[:, None] + columns[None]).ravel()
    with torch.no_grad():
        logits, values = module(torch.as_tensor(observations), torch.as_tensor(masks))
        others, other_values = module(
            torch.as_tensor(permuted(observations, rows, columns)), torch.as_tensor(masks[:, order])
        )
    assert np.allclose(logits.numpy()[:, order], others.numpy(), atol=1e-5)
    assert np.allclose(values.numpy(), other_values.numpy(), atol=1e-5)
    assert logits.numpy()[masks != 0].std() > 0.01


def make_pool(snapshots: int, **changes: Any) -> Pool:
    settings = config(pool={**TINY["pool"], **changes})
    assert settings.pool is not None
    fixed = [make_agent(name, settings.environment.variant()) for name in settings.pool.fixed]
    pool = Pool(settings, settings.pool, fixed)
    for seed in range(snapshots):
        torch.manual_seed(seed)
        pool.add(make_policy(settings).state_dict())
    return pool


def test_the_pool_keeps_the_newest() -> None:
    pool = make_pool(0)
    for number in range(12):
        policy = make_policy(config())
        head: Any = policy.action_net
        torch.nn.init.constant_(head.linear.bias, float(number))
        pool.add(policy.state_dict())
        newest: Any = pool.snapshots[-1].policy.action_net
        assert newest.linear.bias.item() == number
        assert len(pool.snapshots) == min(number + 1, 3)
    assert pool.taken == 12


def test_who_is_played_against() -> None:
    """A game has the same player all along, by shares; the same in any batch."""
    pool = make_pool(3, newest_share=0.5)
    keys = np.stack([np.arange(4000), np.zeros(4000), np.arange(4000) % 9], axis=1).astype(np.int64)
    members = pool._members(keys)
    assert (members[:50] == pool._members(keys[:50])).all()
    later = keys.copy()
    later[:, 2] += 20
    assert (members == pool._members(later)).all()
    shares = np.bincount(members, minlength=4) / 4000
    assert shares == pytest.approx([0.3, 0.175, 0.175, 0.35], abs=0.03)


def test_the_pool_plays_legally() -> None:
    env = NumberlessEnv(opponents=make_pool(3), start_player=None)
    for seed in range(3):
        _, info = env.reset(seed=seed)
        terminated = False
        while not terminated:
            _, _, terminated, _, info = env.step(int(np.argmax(info["action_mask"])))


def test_games_and_pool_are_restored() -> None:
    one, two = (SelfPlayVecEnv(make_pool(count), "Numberless-v0", 6, start_player=None) for count in (3, 1))
    one.seed(5)
    one.reset()
    two.reset()
    for _ in range(20):
        one.step(np.argmax(one.games.action_masks(), axis=1))
    seen = two.load_games(one.save_games())
    assert two.pool.taken == one.pool.taken
    for _ in range(30):
        actions = np.argmax(one.games.action_masks(), axis=1)
        assert (two.games.action_masks() == one.games.action_masks()).all()
        expected, rewards, *_ = one.step(actions)
        seen, others, *_ = two.step(actions)
        assert (np.asarray(seen) == np.asarray(expected)).all()
        assert (others == rewards).all()


def run(settings: TrainingConfig, path: Path, resume: bool = False, stop_after: int | None = None) -> Any:
    folder = RunFolder(path)
    learner = make_learner(settings, folder, resume)
    with folder.claim(settings, resume, False):
        seen = (lambda steps, rate: steps >= stop_after) if stop_after else None
        return train(learner, settings, folder, resume, lambda line: None, on_evaluation=seen)


def test_training_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """The pool included: stopped and resumed, a run ends with the same policy, bit for bit; and it is exported."""
    settings = config()
    whole = run(settings, tmp_path / "whole")
    stopped = run(settings, tmp_path / "parts", stop_after=1)
    assert not stopped.finished
    resumed = run(settings, tmp_path / "parts", resume=True)
    assert resumed.finished
    assert resumed.steps == whole.steps
    for name, tensor in whole.policy.state_dict().items():
        assert torch.equal(tensor, resumed.policy.state_dict()[name]), name
    path = tmp_path / "policy.onnx"
    parity = export_policy(whole.policy, path, settings, training_record(whole.steps, 1.0))
    assert parity.equal_choices == parity.positions
    agent = OnnxAgent(path)
    assert agent.env_id == "Numberless-v0"
    observations, masks = some_positions()
    ours, _ = PolicyAgent(whole.policy).logits_and_values(observations, masks)
    assert np.allclose(agent.logits_and_values(observations, masks)[0], ours, atol=1e-4)


def test_shipped_configuration() -> None:
    settings = load_config(CONFIG)
    assert settings.pool is not None
    assert settings.environment.variant_keywords()["num_players"] == 4
    assert draw_seeds(settings)[1] < 2**30


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"environment": {"id": "Numberless-v0", "episode": "round"}}, "episode"),
        ({"environment": {"id": "Eck-v0"}, "policy": {"network": "mlp"}}, "pool"),
        ({"policy": {"network": "color_shared"}}, "grid"),
        ({"pool": {"size": 0}}, "size"),
        ({"pool": {"newest_share": 2}}, "newest_share"),
        ({"environment": {**TINY["environment"], "start_player": 9}}, "start_player"),
        ({"environment": {**TINY["environment"], "opponents": "nobody"}}, "nobody"),
    ],
)
def test_bad_configurations(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        config(**changes)
