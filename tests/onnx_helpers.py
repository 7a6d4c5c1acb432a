"""Policies with random weights, in the form of exported ones, made without training."""

from __future__ import annotations

import json

import numpy as np
import onnx
from onnx import TensorProto, helper

from agents.onnx_agent import layout_of
from eck_env.eck.definition import ECK
from eck_helpers import FLAT_SIZE, NUM_ACTIONS

LAYOUT = layout_of(ECK)

METADATA = {"env_id": "Eck-v0", "env_kwargs": json.dumps({"target": 4}), "observation_layout": json.dumps(LAYOUT)}


def policy(
    metadata: dict[str, str] | None = None,
    observation: str = "observation",
    observation_type: int = TensorProto.INT8,
    size: int = FLAT_SIZE,
    outputs: tuple[str, str] = ("logits", "value"),
) -> bytes:
    """Return a policy with random weights of the form of an exported one, or another form."""
    rng = np.random.default_rng(1)
    weights = {
        "to_logits": rng.normal(size=(size, NUM_ACTIONS)).astype(np.float32),
        "to_value": rng.normal(size=size).astype(np.float32),
        "huge": np.full(1, -1e8, np.float32),
    }
    nodes = [
        helper.make_node("Cast", [observation], ["numbers"], to=TensorProto.FLOAT),
        helper.make_node("Cast", ["action_mask"], ["legal"], to=TensorProto.BOOL),
        helper.make_node("MatMul", ["numbers", "to_logits"], ["raw"]),
        helper.make_node("Where", ["legal", "raw", "huge"], ["logits"]),
        helper.make_node("MatMul", ["numbers", "to_value"], ["value"]),
    ]
    shapes: dict[str, list[str | int | None]] = {"logits": ["batch", NUM_ACTIONS], "value": ["batch"]}
    graph = helper.make_graph(
        nodes,
        "policy",
        [
            helper.make_tensor_value_info(observation, observation_type, ["batch", size]),
            helper.make_tensor_value_info("action_mask", TensorProto.INT8, ["batch", NUM_ACTIONS]),
        ],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shapes[name]) for name in outputs],
        [onnx.numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    helper.set_model_props(model, METADATA if metadata is None else metadata)
    data: bytes = model.SerializeToString()
    return data
