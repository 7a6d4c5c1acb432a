"""The configuration of a training run: what it takes, and what it says about mistakes."""

from __future__ import annotations

import ast
import re
import shlex
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from agents.ppo.config import TrainingConfig
from agents.ppo.config_files import ConfigError, changed_keys, dump_config, load_config, parse_config
from agents.ppo.network_config import ColorSharedConfig, MlpConfig
from agents.ppo.sections import Schedule
from eck_env import EckEnv
from eck_env.eck.variant import REGISTERED, make_variant
from eck_env.gongor_whist.variant import REGISTERED as GONGOR_IDS
from eck_env.registry import REGISTRY

ROOT = Path(__file__).resolve().parents[1]


def parse(**data: Any) -> TrainingConfig:
    return parse_config({"total_steps": 1000, **data}, "some.yaml")


@pytest.mark.parametrize("path", sorted((ROOT / "configs").glob("*.yaml")), ids=lambda path: path.name)
def test_all_configurations_of_the_project_are_sound(path: Path) -> None:
    config = load_config(path)
    assert parse_config(yaml.safe_load(dump_config(config)), "dump") == config


@pytest.mark.parametrize("path", sorted((ROOT / "configs" / "sweeps").glob("*.yaml")), ids=lambda path: path.name)
def test_all_sweeps_of_the_project_are_sound(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    from agents.ppo.sweep import load_sweep

    sweep = load_sweep(path)
    own = load_config(Path(sweep.base)).model_dump()
    for key, dimension in sweep.space.items():
        value: Any = own
        for part in key.split("."):
            value = value[part]
        assert dimension.holds(value), "the first trial is to try the values of the base"


def test_configurations_of_all_variants_take_the_same_network() -> None:
    """So a policy for one variant can be what another one's training begins with."""
    every = [load_config(path) for path in (ROOT / "configs").glob("*.yaml") if path.stem != "quick"]
    configs = [config for config in every if config.environment.id in REGISTERED]
    others = [config for config in every if config.environment.id in GONGOR_IDS]
    assert {config.environment.id for config in configs} == set(REGISTERED)
    assert {config.environment.id for config in others} == set(GONGOR_IDS)
    assert {config.environment.id for config in every} == set(REGISTRY)
    assert {config.policy.model_dump_json() for config in others} == {others[0].policy.model_dump_json()}
    assert {config.policy for config in configs} == {
        ColorSharedConfig(network="color_shared", width=96, depth=3, chances=True)
    }


def test_defaults_and_values(tmp_path: Path) -> None:
    path = tmp_path / "some.yaml"
    path.write_text(
        "total_steps: 2e6\nnum_games: 256\nenvironment: {id: EckHard-v0}\n"
        "ppo:\n  learning_rate: 3e-4\n  entropy: {start: 0.01, decay: linear}\n"
        "policy: {network: color_shared, width: 32}\n"
    )
    config = load_config(path)
    assert (config.total_steps, config.num_games, config.seed, config.threads) == (2_000_000, 256, 0, 1)
    assert config.environment.variant() == make_variant(3, ("2", "4", "12", "13/0"))
    assert config.ppo.learning_rate == Schedule(start=3e-4)
    assert config.ppo.entropy == Schedule(start=0.01, decay="linear")
    assert config.policy == ColorSharedConfig(network="color_shared", width=32)
    assert config.rollout_size == 256 * config.ppo.steps_per_rollout


@pytest.mark.parametrize(
    "path",
    ["scripts/train.py", "agents/ppo/config_files.py", *(f"configs/{name}.yaml" for name in ("hard", "eck_imitate"))],
)
def test_the_examples_are_sound(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = re.sub(r"\\\n#? *", "", Path(path).read_text(encoding="utf-8"))  # one line for each command
    lines = (ast.get_docstring(ast.parse(text)) or "").splitlines() if path.endswith(".py") else text.splitlines()
    lines = [line.removeprefix("#").strip() for line in lines]
    commands = [shlex.split(line) for line in lines if line.startswith("python scripts/train.py")]
    assert commands
    for _, _, config, *options in commands:
        overrides = [value for option, value in pairwise(options) if option == "--set"]
        load_config(Path(config), overrides)


def test_schedules() -> None:
    assert [Schedule(start=0.4).at(share) for share in (0.0, 0.5, 1.0)] == [0.4, 0.4, 0.4]
    linear = Schedule(start=0.4, decay="linear")
    assert [linear.at(share) for share in (0.0, 0.5, 1.0, 1.1)] == [0.4, 0.2, 0.0, 0.0]


def test_overrides(tmp_path: Path) -> None:
    path = tmp_path / "some.yaml"
    path.write_text("total_steps: 5000\nppo: {epochs: 2}\n")
    config = load_config(
        path, ["ppo.epochs=4", "ppo.learning_rate.start=1e-3", "policy={network: mlp, hidden: [8, 9]}", "seed=7"]
    )
    assert (config.ppo.epochs, config.ppo.learning_rate, config.seed) == (4, Schedule(start=1e-3), 7)
    assert config.policy == MlpConfig(network="mlp", hidden=[8, 9])
    for override, message in (
        ("epochs", "must be a key's path and its value"),
        ("=3", "must be a key's path and its value"),
        ("total_steps.more=3", "'total_steps' is a value and no section"),
        ("ppo.epochs=[", "is not YAML"),
    ):
        with pytest.raises(ConfigError, match=message):
            load_config(path, [override])


@pytest.mark.parametrize(
    ("data", "messages"),
    [
        ({"totl_steps": 3}, ["some.yaml has 1 error", "unknown key 'totl_steps'", "did you mean 'total_steps'?"]),
        ({"ppo": {"epocs": 3}}, ["ppo: unknown key 'epocs'", "did you mean 'epochs'?", "known are steps_per_rollout"]),
        (
            {"ppo": {"learning_rate": {"begin": 1}}},
            ["ppo.learning_rate: unknown key 'begin'", "known are start, decay"],
        ),
        ({"policy": {"network": "mlp", "hiden": [3]}}, ["policy: unknown key 'hiden'", "did you mean 'hidden'?"]),
        ({"policy": {"network": "cnn"}}, ["policy.network: is 'cnn': choose mlp or color_shared"]),
        ({"policy": {"width": 3}}, ["policy.network: is missing: choose mlp or color_shared"]),
        ({"total_steps": 0}, ["total_steps: must be greater than or equal to 1, not 0"]),
        ({"total_steps": "many"}, ["total_steps: must be a valid integer", "not 'many'"]),
        ({"total_steps": 1.5}, ["total_steps: must be a valid integer", "not 1.5"]),
        ({"total_steps": True}, ["total_steps: must be a whole number, not True"]),
        ({"imitation": {"epochs": 3}}, ["imitation.data: is missing"]),
        ({"imitation": {"data": "x", "epocs": 3}}, ["imitation: unknown key 'epocs'", "did you mean 'epochs'?"]),
        ({"seed": -1}, ["seed: must be greater than or equal to 0"]),
        ({"ppo": 3}, ["ppo: must be a section with the keys steps_per_rollout"]),
        ({"ppo": {"gamma": 1.5}}, ["ppo.gamma: must be less than or equal to 1, not 1.5"]),
        ({"ppo": {"gamma": True}}, ["ppo.gamma: must be a number, not True"]),
        ({"ppo": {"gamma": float("nan")}}, ["ppo.gamma: must be a finite number"]),
        ({"ppo": {"learning_rate": "fast"}}, ["ppo.learning_rate.start: must be a valid number", "not 'fast'"]),
        ({"ppo": {"entropy": {"start": 1, "decay": "cosine"}}}, ["ppo.entropy.decay: must be 'constant' or 'linear'"]),
        ({"ppo": {"epochs": 0}, "seed": "x"}, ["some.yaml has 2 error", "ppo.epochs: ", "seed: "]),
        ({"policy": {"network": "mlp", "hidden": []}}, ["policy.hidden: ", "at least 1 item"]),
        ({"policy": {"network": "mlp", "hidden": [0]}}, ["policy.hidden.0: must be greater than or equal to 1"]),
        ({"environment": {"id": "EckHrd-v0"}}, ["environment: id is 'EckHrd-v0'", "did you mean 'EckHard-v0'?"]),
        ({"environment": {"target": 8}}, ["environment: target is 8, but must be 1 to 7"]),
        ({"environment": {"trick_cards": ["3"]}}, ["environment: unknown trick card '3'"]),
        ({"environment": {"episode": "trick"}}, ["environment.episode: must be 'game' or 'round', not 'trick'"]),
        ({"evaluation": {"first_seed": 5}}, ["evaluation.first_seed: must be greater than or equal to 1073741824"]),
        ({"num_games": 2, "ppo": {"minibatch_size": 4096}}, ["ppo.minibatch_size is 4096", "= 78 decisions"]),
        ({"num_games": 1, "ppo": {"minibatch_size": 19}}, ["ppo.minibatch_size is 19", "no single one is left over"]),
    ],
)
def test_errors_say_what_is_wrong(data: dict[str, Any], messages: list[str]) -> None:
    with pytest.raises(ConfigError) as error:
        parse(**data)
    for message in messages:
        assert message in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seed: 3\n", "total_steps: is missing"),
        ("", "is no configuration"),
        ("- 3\n", "is no configuration"),
        ("seed: [\n", "is not YAML"),
    ],
)
def test_files_that_are_no_configuration(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "some.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message):
        load_config(path)


def test_changed_keys() -> None:
    old = parse()
    free = {
        "total_steps": 9,
        "threads": 2,
        "checkpoints": {"keep": 9},
        "evaluation": {"games": 9},
        "final": {"games": 9},
    }
    assert changed_keys(old, parse(**free)) == []
    assert changed_keys(old, parse(seed=1, ppo={"epochs": 9})) == ["seed", "ppo"]


def test_keywords_of_the_environment() -> None:
    config = parse(environment={"id": "EckHard-v0", "target": 2, "circle_follow": "same", "episode": "game"})
    assert config.environment.variant() == make_variant(2, ("2", "4", "12", "13/0"), "same")
    EckEnv(**config.environment.keywords())
    EckEnv(**config.environment.variant_keywords())
