"""An exported policy as an agent. It needs onnxruntime, and nothing that policies are trained with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Self

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from eck_env.base.game import Game
from eck_env.batch import mix, random_key
from eck_env.eck.definition import ECK
from eck_env.registry import REGISTRY, AnyVariant, find_variant, game_of

INPUTS = ("observation", "action_mask")
OUTPUTS = ("logits", "value")
METADATA = ("env_id", "env_kwargs", "observation_layout")
"""The metadata that every exported policy has."""

_PURPOSE = 2**32 + 1
"""The random stream of choices; those of the engine and of the random agent are other ones."""


def layout_of(game: Game) -> dict[str, Any]:
    """Return what names the layout of observations that this version of eck_env makes of a game."""
    return {"version": game.layout.version, "hash": game.layout.hash}


def _forms(game: Game) -> dict[str, str]:
    """Return types and shapes of a policy's inputs and outputs."""
    return {
        "observation": f"int8 (n, {game.layout.size})",
        "action_mask": f"int8 (n, {game.engine.num_actions})",
        "logits": f"float (n, {game.engine.num_actions})",
        "value": "float (n)",
    }


class PolicyFileError(ValueError):
    """A file that is no policy for a game in this version of eck_env."""


class OnnxAgent:
    """Plays an exported policy: greedily, or with `sample` each action with the policy's probability.

    Args:
        policy: The file, or its contents.
        sample: Draw actions, from the keys alone, instead of taking the most likely one.

    Attributes:
        name: The file's name without its suffix.
        env_id: The id of the environment it was trained for.
        env_kwargs: The keywords of the variant it was trained for.
        metadata: All metadata, with JSON already read.

    Raises:
        PolicyFileError: If it is no exported policy, or one that does not fit this version of eck_env.
        OSError: If the file cannot be read.
    """

    def __init__(self, policy: str | Path | bytes, sample: bool = False) -> None:
        source = "the policy" if isinstance(policy, bytes) else str(policy)
        self.name = "policy" if isinstance(policy, bytes) else Path(policy).stem
        self._data = policy if isinstance(policy, bytes) else Path(policy).read_bytes()
        self._session = _open_session(self._data, source)
        self._sample = sample
        self.metadata = _read_metadata(self._session, source)
        _check_fit(self._session, self.metadata, source)
        self.env_id: str = self.metadata["env_id"]
        self.env_kwargs: dict[str, Any] = self.metadata["env_kwargs"]
        self._game, self._source = _game_of(self.env_id), source

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return the agent itself, which does not change: copies of an environment share their opponents."""
        return self

    def __reduce__(self) -> Any:
        """Pickle the contents of the file: the session cannot be."""
        return type(self), (self._data, self._sample), {"name": self.name, "_source": self._source}

    def check_game(self, variant: AnyVariant) -> None:
        """Raise PolicyFileError if the policy is one for another game than that of a variant."""
        if game_of(variant) is not self._game:
            raise PolicyFileError(
                f"{self._source} is a policy for {self.env_id}, another game than the one that is to be played: name a "
                "policy that was trained for it"
            )

    def act(self, observations: NDArray[Any], action_masks: NDArray[Any], keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Choose an action in each game; see `agents.agent.Agent.act`."""
        logits, _ = self.logits_and_values(observations, action_masks)
        return draw(logits, keys) if self._sample else logits.argmax(axis=1)

    @property
    def variant(self) -> AnyVariant | None:
        """The variant that the policy was trained for; None if its metadata name none that there is."""
        try:
            return find_variant(self.env_kwargs)
        except (TypeError, ValueError):
            return None

    def logits_and_values(
        self, observations: NDArray[Any], action_masks: NDArray[Any]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return masked logits, shape (n, number of actions), and values, shape (n,).

        Raises:
            ValueError: If the shapes are not those of the policy's game.
        """
        arrays = (np.asarray(observations, np.int8), np.asarray(action_masks, np.int8))
        needed = (self._game.layout.size, self._game.engine.num_actions)
        for name, array, width in zip(INPUTS, arrays, needed, strict=True):
            if array.ndim != 2 or array.shape[1] != width:
                raise ValueError(
                    f"{name} has shape {array.shape}, but this policy for {self.env_id} takes (n, {width}): it "
                    "plays no other game, and takes flat observations only"
                )
        logits, values = self._session.run(list(OUTPUTS), dict(zip(INPUTS, arrays, strict=True)))
        return logits, values


def _open_session(data: bytes, source: str) -> Any:
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's own exceptions have no common base
        raise PolicyFileError(f"{source} is no ONNX file that can be run, or damaged: {error}") from error


def _read_metadata(session: Any, source: str) -> dict[str, Any]:
    texts = session.get_modelmeta().custom_metadata_map
    missing = [key for key in METADATA if key not in texts]
    if missing:
        raise PolicyFileError(
            f"{source} is an ONNX file, but no policy: it lacks the metadata {', '.join(missing)}, which "
            "scripts/export.py writes"
        )
    metadata = {key: text if key == "env_id" else _parse(text) for key, text in texts.items()}
    if not isinstance(metadata["env_kwargs"], dict):
        raise PolicyFileError(
            f"{source} has env_kwargs {metadata['env_kwargs']!r}, but they must be a JSON object of keywords"
        )
    return metadata


def _parse(text: str) -> Any:
    """Return what JSON says, and other text as it is: anybody may have added some."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _check_fit(session: Any, metadata: dict[str, Any], source: str) -> None:
    game = _game_of(metadata["env_id"])
    layout = layout_of(game)
    if metadata["observation_layout"] != layout:
        raise PolicyFileError(
            f"{source} was trained on the observation layout {metadata['observation_layout']}, but this eck_env makes "
            f"{layout}: use the eck_env it was trained with, or train it anew"
        )
    sides = {"inputs": (INPUTS, session.get_inputs()), "outputs": (OUTPUTS, session.get_outputs())}
    for what, (names, nodes) in sides.items():
        found = [_form(node) for node in nodes]
        needed = [f"{name} {_forms(game)[name]}" for name in names]
        if found != needed:
            raise PolicyFileError(
                f"{source} has the {what} {', '.join(found)}, but those of a policy are {', '.join(needed)}: "
                "scripts/export.py makes them so"
            )


def _game_of(env_id: str) -> Game:
    return game_of(find_variant(env_id)) if env_id in REGISTRY else ECK


def _form(node: Any) -> str:
    """Return name, type and shape of an input or output, a free size as n."""
    sizes = ", ".join(str(size) if isinstance(size, int) else "n" for size in node.shape)
    return f"{node.name} {node.type.removeprefix('tensor(').removesuffix(')')} ({sizes})"


def draw(logits: NDArray[np.float32], keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Draw an action in each game by the policy's probabilities, which its key alone decides."""
    weights = np.exp(logits.astype(np.float64) - logits.max(axis=1, keepdims=True))
    heights = np.cumsum(weights, axis=1)
    seeds, games, decisions = keys.T
    bits: Any = mix(random_key(seeds, games, decisions, _PURPOSE))  # plain arithmetic, so it takes arrays as well
    drawn = (bits >> np.uint64(11)).astype(np.float64) / 2.0**53 * heights[:, -1]
    actions: NDArray[np.int64] = np.argmax(heights > drawn[:, np.newaxis], axis=1)
    return actions
