"""Checkpoints: all that a run needs to go on as if it had never stopped, in one file.

A checkpoint is a model file of Stable-Baselines3 (`MaskablePPO.load` reads it) with two members more: `run.json`, the
configuration and where the run stands, and `arrays.npz`, the games and the states of the random generators. It is
read here without unpickling anything; `MaskablePPO.load` does unpickle, so give it only files that you trust.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.save_util import load_from_zip_file
from torch.nn import functional

import eck_env
from agents.ppo.config import TrainingConfig
from agents.ppo.config_files import parse_config
from agents.ppo.network_config import ColorSharedConfig, PolicyConfig
from eck_env.files import write_bytes

FORMAT = 1
_RUN, _ARRAYS = "run.json", "arrays.npz"
_PATTERN = "step_*.zip"
_DAMAGED = ".damaged"
_NOT_STORED = ("_last_obs", "_last_episode_starts", "ep_info_buffer", "ep_success_buffer")


class CheckpointError(ValueError):
    """A file that is no checkpoint, or a damaged one."""


@dataclass(frozen=True)
class Checkpoint:
    """What a checkpoint holds.

    Attributes:
        steps: Decisions trained on by PPO so far.
        imitated: Recorded decisions learned from before, so far; 0 once PPO has begun.
        config: The configuration of the run.
        parameters: The weights of the policy and the state of the optimizer, by Stable-Baselines3's names.
        run: The rest of `run.json`.
        arrays: The games and the states of the random generators.
    """

    steps: int
    imitated: int
    config: TrainingConfig
    parameters: dict[str, Any]
    run: dict[str, Any]
    arrays: dict[str, NDArray[Any]]


def checkpoint_path(folder: Path, steps: int) -> Path:
    """Return the path of the checkpoint after this many steps; the names sort by steps."""
    return folder / f"step_{steps:012d}.zip"


def checkpoint_paths(folder: Path) -> list[Path]:
    """Return the checkpoints in a folder, the newest first."""
    return sorted(folder.glob(_PATTERN), reverse=True)


def damaged_paths(folder: Path) -> list[Path]:
    """Return the files in a folder that were checkpoints until they were found to be damaged."""
    return sorted(folder.glob(f"*{_DAMAGED}"))


def save_checkpoint(path: Path, model: MaskablePPO, config: TrainingConfig, seconds: float, imitated: int = 0) -> None:
    """Write a checkpoint of a learner between two updates, all of it or nothing.

    Args:
        path: The file.
        model: The learner; its games have begun.
        config: The configuration of the run.
        seconds: How long it has been trained.
        imitated: Recorded decisions that have been learned from, before the first step of PPO.
    """
    env: Any = model.get_env()
    generator, key, position, has_gauss, gauss = np.random.get_state()  # noqa: NPY002  (what Stable-Baselines3 uses)
    run = {
        "format": FORMAT,
        "eck_env": eck_env.__version__,
        "steps": model.num_timesteps,
        "imitated": imitated,
        "seconds": seconds,
        "updates": model._n_updates,
        "numpy_random": [str(generator), int(position), int(has_gauss), float(gauss)],
        "config": config.model_dump(mode="json"),
    }
    arrays: dict[str, Any] = {
        **env.save_games(),
        "episode_starts": model._last_episode_starts,
        "numpy_random": key,
        "torch_random": torch.get_rng_state().numpy(),
    }
    buffer, array_file = io.BytesIO(), io.BytesIO()
    model.save(buffer, exclude=_NOT_STORED)
    np.savez(array_file, **arrays)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr(_RUN, json.dumps(run, indent=1))
        archive.writestr(_ARRAYS, array_file.getvalue())
    write_bytes(path, buffer.getvalue())


def load_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint.

    Raises:
        CheckpointError: If the file is no checkpoint, or damaged.
        OSError: If it cannot be read.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            damaged = archive.testzip()
            if damaged is not None:
                raise CheckpointError(f"{path} is damaged: the checksum of {damaged} in it does not fit")
            run = json.loads(archive.read(_RUN))
            if run["format"] != FORMAT:
                raise CheckpointError(f"{path} has format {run['format']}, but this program reads format {FORMAT}")
            with np.load(io.BytesIO(archive.read(_ARRAYS)), allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
        _, parameters, _ = load_from_zip_file(path, device="cpu", load_data=False)
        config = parse_config(run["config"], str(path))
        return Checkpoint(run["steps"], run.get("imitated", 0), config, parameters, run, arrays)
    except (CheckpointError, OSError):
        raise
    except Exception as error:  # a damaged file can break the readers in any way
        raise CheckpointError(f"{path} is no checkpoint, or damaged: {type(error).__name__}: {error}") from error


def restore(checkpoint: Checkpoint, model: MaskablePPO) -> None:
    """Bring a learner, made by `make_model` with the same configuration, to where the checkpoint was written."""
    env: Any = model.get_env()
    arrays, run = checkpoint.arrays, checkpoint.run
    model.set_parameters(checkpoint.parameters, device="cpu")
    model.num_timesteps = checkpoint.steps
    model._n_updates = run["updates"]
    model._last_obs = env.load_games(arrays)
    model._last_episode_starts = arrays["episode_starts"]
    generator, position, has_gauss, gauss = run["numpy_random"]
    np.random.set_state((generator, arrays["numpy_random"], position, has_gauss, gauss))  # noqa: NPY002
    torch.set_rng_state(torch.from_numpy(arrays["torch_random"]))


def take_weights(path: Path, config: TrainingConfig, model: MaskablePPO) -> None:
    """Give a fresh learner the weights of a checkpoint's network; what the network was given to look up stays its own.

    A network that is told the chances in a trick can take those of one that is not, and plays like it at first: further
    inputs, outputs and layers count for nothing (Chen et al., "Net2Net", 2016).

    Args:
        path: The checkpoint.
        config: The configuration of the learner.
        model: The learner.

    Raises:
        CheckpointError: If the file is no checkpoint, or its network is of another kind or size.
    """
    checkpoint = load_checkpoint(path)
    own = model.policy.state_dict()
    # Under every name: the parts of a policy share one extractor of features.
    given = {name for name, _ in model.policy.named_buffers(remove_duplicate=False)}
    weights = {name: tensor for name, tensor in checkpoint.parameters["policy"].items() if name not in given}
    if _is_told_more(config.policy, checkpoint.config.policy):
        weights = {name: _widened(tensor, own[name]) for name, tensor in weights.items()}
        weights = {name: tensor for name, tensor in own.items() if name not in given} | weights
    shapes = {name: tensor.shape for name, tensor in own.items() if name not in given}
    if shapes != {name: tensor.shape for name, tensor in weights.items()}:
        raise CheckpointError(f"the network in {path} is of another kind or size: set policy as it was trained")
    model.policy.load_state_dict(own | weights)


def _is_told_more(own: PolicyConfig, other: PolicyConfig) -> bool:
    """Return whether two networks differ in nothing but that the first is told the chances in a trick."""
    return isinstance(own, ColorSharedConfig) and own.chances and other == own.model_copy(update={"chances": False})


def _widened(weights: torch.Tensor, own: torch.Tensor) -> torch.Tensor:
    """Return weights with zeros for the inputs and outputs that are new."""
    missing = [(0, large - small) for large, small in zip(own.shape, weights.shape, strict=True)]
    return functional.pad(weights, [size for pair in reversed(missing) for size in pair])


def newest_checkpoint(folder: Path, report: Callable[[str], None]) -> Checkpoint | None:
    """Return the newest checkpoint in a folder that is sound; damaged ones are renamed and reported."""
    for path in checkpoint_paths(folder):
        try:
            return load_checkpoint(path)
        except CheckpointError as error:
            path.replace(path.with_suffix(_DAMAGED))
            report(f"{error}; renamed to {path.stem}{_DAMAGED}, trying the checkpoint before it")
    return None


def prune(folder: Path, keep: int) -> None:
    """Delete all but the newest checkpoints, and what an interrupted writing left behind."""
    for path in [*checkpoint_paths(folder)[keep:], *folder.glob(".*.tmp")]:
        path.unlink(missing_ok=True)
