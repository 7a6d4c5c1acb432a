"""What the tests of training and export share: runs of seconds, in which nothing is learned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch

from agents.ppo.checkpoints import checkpoint_paths, load_checkpoint
from agents.ppo.config import TrainingConfig
from agents.ppo.config_files import parse_config
from agents.ppo.run_folder import RunFolder
from agents.ppo.training import Trained, make_learner, train
from eck_helpers import made_up_values

ROLLOUT = 16 * 13
"""Decisions an update of `tiny`."""
TIMES = ("seconds", "training_seconds", "decisions_per_second", "agent_seconds", "ms_per_decision")


def tiny(folder: Path, updates: int = 6, **changes: Any) -> TrainingConfig:
    """Return the configuration of a run of a few updates, with a checkpoint and an evaluation after every second."""
    table = folder / "values.npz"
    if not table.exists():
        made_up_values(target=2).save(table)
    data = {
        "seed": 5,
        "num_games": 16,
        "total_steps": updates * ROLLOUT,
        "environment": {"id": "EckBeginner-v0", "round_values": str(table)},
        "policy": {"network": "mlp", "hidden": [8]},
        "ppo": {"steps_per_rollout": 13, "minibatch_size": 100, "epochs": 2, "learning_rate": 0.01, "entropy": 0.01},
        "checkpoints": {"every_steps": 2 * ROLLOUT, "keep": 2},
        "evaluation": {"every_steps": 2 * ROLLOUT, "games": 20},
        "final": {"games": 30, "opponents": ["random"]},
    }
    return parse_config(data | changes, "tiny")


def run(config: TrainingConfig, path: Path, resume: bool = False, report: Any = None) -> tuple[RunFolder, Trained]:
    """Train in a folder, new or, with `resume`, gone on with."""
    folder = RunFolder(path)
    model = make_learner(config, folder, resume)
    with folder.claim(config, resume, force=False):
        return folder, train(model, config, folder, resume, report or (lambda line: None))


def assert_same_end(one: tuple[RunFolder, Trained], two: tuple[RunFolder, Trained]) -> None:
    """Compare all that two runs have come to, times apart."""
    for name, weights in one[1].policy.state_dict().items():
        assert torch.equal(weights, two[1].policy.state_dict()[name]), name
    first, second = (load_checkpoint(checkpoint_paths(folder.checkpoints)[0]) for folder, _ in (one, two))
    assert first.steps == second.steps
    for name, array in first.arrays.items():
        np.testing.assert_array_equal(array, second.arrays[name])
    for state, other in zip(
        first.parameters["policy.optimizer"]["state"].values(),
        second.parameters["policy.optimizer"]["state"].values(),
        strict=True,
    ):
        assert all(torch.equal(state[name], other[name]) for name in state)
    evaluations = [
        [{key: value for key, value in entry.items() if key not in TIMES} for entry in folder.read_evaluations()]
        for folder, _ in (one, two)
    ]
    assert evaluations[0] == evaluations[1]
