"""Export of a trained policy to ONNX: a file that `agents.onnx_agent.OnnxAgent` plays without PyTorch.

Inputs: `observation`, int8, shape (n, 259) for ECK, and `action_mask`, int8, shape (n, 38), both as the environments
give them by default (observations of dtype float32 hold the same small numbers: convert them); for Gongor Whist
(n, 166) and (n, 40). Outputs: `logits`, float32, shaped as the masks, -1e8 for illegal actions, and `value`, float32,
shape (n,), which is what the training's rewards are expected
to add up to from here. n is free. The metadata say what was trained, how, and how well it plays.
"""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from gymnasium.spaces import Discrete
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from agents.evaluation import FIRST_SEED
from agents.onnx_agent import INPUTS, OUTPUTS, OnnxAgent, layout_of
from agents.ppo.checkpoints import Checkpoint
from agents.ppo.config import TrainingConfig
from agents.ppo.grid_network import GridPolicy
from agents.ppo.model import MaskedPolicy, PolicyAgent, make_policy
from agents.random_agent import choose_uniformly
from agents.results import Result, versions
from eck_env.files import write_bytes
from eck_env.registry import AnyVariant, game_of, make_batch

PARITY_POSITIONS = 1000
_PARITY_GAMES = 100
_TIE = 1e-4
"""Logits of `GridPolicy` that differ by no more than rounding are equal: cards of equal standing have equal ones."""
_TOLERANCE = 1e-3


class ExportError(RuntimeError):
    """An exported policy that does not play like the one it was made from."""


@dataclass(frozen=True)
class Parity:
    """How an exported policy compares with the one it was made from.

    Attributes:
        positions: Positions compared.
        equal_choices: Those in which both choose the same action.
        max_logit_difference: The largest difference of the logits of legal actions.
        max_value_difference: The largest difference of the values.
    """

    positions: int
    equal_choices: int
    max_logit_difference: float
    max_value_difference: float

    def __str__(self) -> str:
        return (
            f"{self.equal_choices:,} of {self.positions:,} choices equal; largest differences: logits "
            f"{self.max_logit_difference:.1e}, values {self.max_value_difference:.1e}"
        )


def export_policy(
    policy: MaskableActorCriticPolicy,
    path: Path,
    config: TrainingConfig,
    training: Mapping[str, Any],
    results: Iterable[Result] = (),
) -> Parity:
    """Write a policy as an ONNX file, all of it or nothing, once it has been seen to play like the original.

    Args:
        policy: The policy.
        path: The file.
        config: The configuration it was trained by.
        training: How it was trained, beside the configuration: plain data.
        results: Evaluations of it.

    Returns:
        How the exported policy compares with the original.

    Raises:
        ExportError: If the two choose differently anywhere.
    """
    keywords = config.environment.variant_keywords()
    metadata = {
        "env_id": config.environment.id,
        "env_kwargs": keywords,
        "observation_layout": layout_of(game_of(config.environment.variant())),
        "training": {"config": config.model_dump(mode="json"), "versions": _versions(), **training},
        "evaluation": [_evaluation(result) for result in results],
    }
    data = to_onnx(policy, metadata)
    positions = real_positions(PARITY_POSITIONS, config.environment.variant())
    parity = compare(policy, OnnxAgent(data), *positions)
    if parity.equal_choices < parity.positions or parity.max_logit_difference > _TOLERANCE:
        raise ExportError(f"the exported policy does not play like the original, and was not written: {parity}")
    write_bytes(path, data)
    return parity


def export_checkpoint(checkpoint: Checkpoint, path: Path, results: Iterable[Result] = ()) -> Parity:
    """Write the policy of a checkpoint as an ONNX file; see `export_policy`."""
    record = training_record(checkpoint.steps, checkpoint.run["seconds"])
    return export_policy(policy_of(checkpoint), path, checkpoint.config, record, results)


def policy_of(checkpoint: Checkpoint) -> MaskableActorCriticPolicy:
    """Return the policy that a checkpoint holds."""
    policy = make_policy(checkpoint.config)
    policy.load_state_dict(checkpoint.parameters["policy"])
    policy.set_training_mode(False)
    return policy


def training_record(steps: int, seconds: float) -> dict[str, Any]:
    """Return how long a policy was trained, as plain data for its metadata."""
    return {"algorithm": "MaskablePPO", "steps": steps, "seconds": round(seconds, 1)}


def to_onnx(policy: MaskableActorCriticPolicy, metadata: Mapping[str, Any]) -> bytes:
    """Return a policy as an ONNX model; the metadata are stored as text, what is not text as JSON."""
    module = MaskedPolicy(policy).eval()
    assert isinstance(policy.action_space, Discrete)
    shapes = (2, *(policy.observation_space.shape or ())), (2, int(policy.action_space.n))
    example = (torch.zeros(shapes[0], dtype=torch.int8), torch.ones(shapes[1], dtype=torch.int8))
    batch = torch.export.Dim("batch")
    with warnings.catch_warnings(), _quiet("torch.onnx"):
        warnings.simplefilter("ignore")  # the exporter warns of its own deprecations
        program = torch.onnx.export(
            module,
            example,
            dynamo=True,
            external_data=False,
            input_names=list(INPUTS),
            output_names=list(OUTPUTS),
            dynamic_shapes={"observation": {0: batch}, "action_mask": {0: batch}},
            verbose=False,
        )
    assert program is not None
    model = program.model_proto
    _strip(model.graph)
    texts = {key: value if isinstance(value, str) else json.dumps(value) for key, value in metadata.items()}
    onnx.helper.set_model_props(model, texts)
    onnx.checker.check_model(model)
    data: bytes = model.SerializeToString()
    return data


def _strip(graph: Any) -> None:
    """Take out what the exporter notes about where each node comes from: source files of this machine, by path."""
    for part in (graph, *graph.node, *graph.value_info, *graph.input, *graph.output, *graph.initializer):
        part.ClearField("metadata_props")
        part.ClearField("doc_string")


def compare(
    policy: MaskableActorCriticPolicy, agent: OnnxAgent, observations: NDArray[np.int8], masks: NDArray[np.int8]
) -> Parity:
    """Compare an exported policy with the original on positions."""
    ours, our_values = PolicyAgent(policy).logits_and_values(observations, masks)
    theirs, their_values = agent.logits_and_values(observations, masks)
    choices = np.argmax(theirs, axis=1)
    equal = choices == np.argmax(ours, axis=1)
    if isinstance(policy, GridPolicy):
        equal |= ours[np.arange(len(ours)), choices] >= ours.max(axis=1) - _TIE
    return Parity(
        len(observations),
        int(np.count_nonzero(equal)),
        float(np.abs(ours - theirs)[masks != 0].max()),
        float(np.abs(our_values - their_values).max()),
    )


def real_positions(count: int, variant: AnyVariant) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Return observations and masks of positions out of random games of a variant."""
    games = min(count, _PARITY_GAMES)
    env = make_batch(variant, games, autoreset_mode="NextStep")
    observations, infos = env.reset(seed=FIRST_SEED)
    keys = np.zeros((games, 3), np.int64)
    keys[:, 0] = np.arange(games)
    seen: list[tuple[NDArray[np.int8], NDArray[np.int8]]] = []
    over = np.zeros(games, np.bool_)
    while sum(len(part) for part, _ in seen) < count:
        masks = infos["action_mask"]
        seen.append((np.asarray(observations)[~over], masks[~over]))
        keys[:, 2] += 1
        observations, _, over, _, infos = env.step(choose_uniformly(masks, keys))
    parts = zip(*seen, strict=True)
    observed, legal = (np.concatenate(part)[:count] for part in parts)
    return observed, legal


def _evaluation(result: Result) -> dict[str, Any]:
    return {"agent": result.agent, "first_seed": result.first_seed, **result.summary()}


def _versions() -> dict[str, str]:
    import sb3_contrib

    return versions() | {"torch": torch.__version__, "sb3_contrib": sb3_contrib.__version__}


class _quiet:  # noqa: N801
    """Keeps a library's logger silent about anything but errors."""

    def __init__(self, name: str) -> None:
        self._logger = logging.getLogger(name)

    def __enter__(self) -> None:
        self._level = self._logger.level
        self._logger.setLevel(logging.ERROR)

    def __exit__(self, *_: object) -> None:
        self._logger.setLevel(self._level)
