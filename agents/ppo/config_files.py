"""Configurations as YAML files, checked key by key.

python scripts/train.py configs/quick.yaml --set ppo.epochs=4 --set policy.width=96
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import ValidationError

from agents.ppo.config import TrainingConfig
from agents.ppo.network_config import NETWORKS
from agents.ppo.sections import Section

AnySection = TypeVar("AnySection", bound=Section)


class ConfigError(ValueError):
    """A configuration that cannot be used; the message says which key, what is allowed and what was given."""


FREE_KEYS = ("threads", "total_steps", "checkpoints", "evaluation", "final")
"""What may be another when a run is resumed; everything else its state depends on."""


def load_config(path: Path, overrides: Iterable[str] = ()) -> TrainingConfig:
    """Return the configuration in a YAML file.

    Args:
        path: The file.
        overrides: Values in place of those in the file, such as ``"ppo.epochs=4"``, the value in YAML.

    Raises:
        ConfigError: If the file is no configuration; every wrong key is named.
        OSError: If the file cannot be read.
    """
    data = read_yaml(path)
    for override in overrides:
        _override(data, override)
    return parse_config(data, str(path))


def read_yaml(path: Path) -> dict[str, Any]:
    """Return the sections and values in a YAML file.

    Raises:
        ConfigError: If it is no YAML, or holds anything else.
        OSError: If the file cannot be read.
    """
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not YAML: {error}") from error
    if not isinstance(data, dict):
        raise ConfigError(f"{path} is no configuration: it must hold keys such as total_steps: 1_000_000")
    return data


def parse_config(data: Any, source: str) -> TrainingConfig:
    """Return the configuration that plain data holds; `source` says in errors where it comes from.

    Raises:
        ConfigError: If a key is unknown or missing, or a value has a wrong type or range.
    """
    return parse_section(TrainingConfig, data, source)


def parse_section(kind: type[AnySection], data: Any, source: str) -> AnySection:
    """Return a section of the given kind that plain data holds; see `parse_config`."""
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        lines = [_explain(detail) for detail in error.errors(include_url=False)]
        raise ConfigError("\n  ".join([f"{source} has {len(lines)} error(s):", *lines])) from error


def dump_config(config: TrainingConfig) -> str:
    """Return the configuration as YAML, defaults written out."""
    return yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False)


def changed_keys(old: TrainingConfig, new: TrainingConfig) -> list[str]:
    """Return the top-level keys, other than `FREE_KEYS`, in which two configurations differ."""
    return [
        name
        for name in TrainingConfig.model_fields
        if name not in FREE_KEYS and getattr(old, name) != getattr(new, name)
    ]


def _override(data: dict[str, Any], override: str) -> None:
    """Put one value, given as ``path=value``, in its place."""
    path, separator, text = override.partition("=")
    if not separator or not path:
        raise ConfigError(f"--set {override!r} must be a key's path and its value, such as ppo.epochs=4")
    *sections, key = path.split(".")
    for name in sections:
        data = data.setdefault(name, {})
        if not isinstance(data, dict):
            raise ConfigError(f"--set {override!r}: {name!r} is a value and no section")
    try:
        data[key] = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigError(f"--set {override!r}: {text!r} is not YAML") from error


def _explain(detail: Any) -> str:
    """Return an error of pydantic's as a line: the key's path, what is allowed, what was given."""
    path = ".".join(str(part) for part in detail["loc"] if part not in NETWORKS)
    message = detail["msg"].removeprefix("Value error, ").replace("Input should be", "must be")
    if detail["type"] == "missing":
        return f"{path}: is missing"
    if detail["type"] in ("union_tag_not_found", "union_tag_invalid"):
        given = detail["input"].get("network")
        wrong = "is missing" if given is None else f"is {given!r}"
        return f"{path}.network: {wrong}: choose {' or '.join(NETWORKS)}"
    if not isinstance(detail["input"], dict):
        message += f", not {detail['input']!r}"
    return f"{path}: {message}" if path else message
