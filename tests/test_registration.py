"""The registered ids: what they stand for, the ways to make them, and the environment checkers."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

import eck_env
from eck_env import EckEnv
from eck_env.registry import REGISTRY, make_env, make_vector_env
from eck_helpers import ID_KEYWORDS, plain
from eck_helpers import IDS as ECK_IDS
from game_helpers import IDS, KIT_OF, KITS
from reference.eck import ALL

FORMS = [{}, {"observation": "dict"}, {"dtype": "float32"}, {"observation": "dict", "dtype": "float32"}]


def form_id(form: dict[str, Any]) -> str:
    return "-".join(form.values()) or "default"


@pytest.fixture(autouse=True)
def _no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("form", FORMS, ids=form_id)
@pytest.mark.parametrize("env_id", IDS)
def test_gymnasium_checker(env_id: str, form: dict[str, Any]) -> None:
    """Warnings are errors here (pyproject.toml)."""
    check_env(gym.make(env_id, **form).unwrapped)


@pytest.mark.parametrize("mode", ["ansi", "rgb_array", "human"])
@pytest.mark.parametrize("env_id", IDS)
def test_gymnasium_checker_with_a_render_mode(env_id: str, mode: str) -> None:
    if mode != "ansi":
        pytest.importorskip("pygame")
    check_env(gym.make(env_id, render_mode=mode).unwrapped)


@pytest.mark.parametrize("form", FORMS, ids=form_id)
@pytest.mark.parametrize("env_id", IDS)
def test_stable_baselines3_checker(env_id: str, form: dict[str, Any]) -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(gym.make(env_id, **form))
    checker.check_env(gym.make(env_id, **form).unwrapped)


@pytest.mark.parametrize("env_id", ECK_IDS)
def test_ids(env_id: str) -> None:
    """Each id is the variant that it stands for, and takes keywords over it."""
    env = gym.make(env_id)
    assert isinstance(env.unwrapped, EckEnv)
    keywords = ID_KEYWORDS[env_id]
    env.reset(seed=1)
    assert list(env.unwrapped.state_dict()["trick_cards"]) == list(keywords.get("trick_cards", ALL))
    seen, info = env.unwrapped.set_state(env.unwrapped.state_dict())
    assert isinstance(seen, np.ndarray)
    assert seen[188] == keywords["target"]
    assert env.get_wrapper_attr("action_masks")().tolist() == info["action_mask"].astype(bool).tolist()
    other = gym.make(env_id, target=1, illegal_action="raise")
    seen, _ = other.reset(seed=1)
    assert seen[188] == 1


def test_every_id_is_tested() -> None:
    assert tuple(REGISTRY) == IDS
    for env_id, kit in KIT_OF.items():
        env = gym.make(env_id)
        assert type(env.unwrapped) is kit.env
        assert env.spec is not None
        assert env.spec.kwargs == kit.ids[env_id]
        assert make_env(env_id).reset(seed=3)[0].tolist() == env.reset(seed=3)[0].tolist()
        assert type(make_vector_env(env_id, 2)) is kit.vector_env
    with pytest.raises(ValueError, match="GongorWhist-v0"):
        make_env("GongorWhist-v1")


def test_public_names() -> None:
    for name in eck_env.__all__:
        assert getattr(eck_env, name) is not None
    assert {"EckEnv", "EckVectorEnv", "decode", "__version__"} <= set(eck_env.__all__)
    with pytest.raises(AttributeError, match="EckEnw"):
        eck_env.EckEnw  # noqa: B018


def test_make_by_module_name() -> None:
    """`gym.make("eck_env:Eck-v0")` works where nothing has been imported before; the library stays clear of torch."""
    program = (
        "import sys, gymnasium as gym\n"
        "env = gym.make('eck_env:Eck-v0'); env.reset(seed=1)\n"
        "print(env.step(int(env.unwrapped.action_masks().argmax()))[1])\n"
        "assert not {'torch', 'agents', 'stable_baselines3', 'pygame', 'matplotlib'} & sys.modules.keys()\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.stdout == "0.0\n", done.stderr
    assert done.returncode == 0


def transitions(env: Any, steps: int = 150) -> list[Any]:
    """Play the lowest legal actions in a vector environment of three games."""
    seen, infos = env.reset(seed=5)
    records = [plain(seen), plain(infos["action_mask"])]
    for _ in range(steps):
        seen, rewards, terminated, truncated, infos = env.step(np.argmax(infos["action_mask"], axis=1))
        records += plain([seen, rewards, terminated, truncated, infos["action_mask"]])
    env.close()
    return records


@pytest.mark.parametrize("form", FORMS[:2], ids=form_id)
@pytest.mark.parametrize("env_id", [next(iter(kit.ids)) for kit in KITS])
def test_make_vec(env_id: str, form: dict[str, Any]) -> None:
    """The three modes of vectorization play the same games."""
    games = {}
    for mode, kind in (
        ("vector_entry_point", KIT_OF[env_id].vector_env),
        ("sync", SyncVectorEnv),
        ("async", AsyncVectorEnv),
    ):
        env = gym.make_vec(env_id, num_envs=3, vectorization_mode=mode, **form)
        assert isinstance(env.unwrapped, kind)
        assert env.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
        games[mode] = transitions(env)
    assert games["vector_entry_point"] == games["sync"] == games["async"]


@pytest.mark.parametrize("env_id", ECK_IDS)
def test_make_vec_takes_the_keywords(env_id: str) -> None:
    env: Any = gym.make_vec(
        env_id, num_envs=2, vectorization_mode="vector_entry_point", autoreset_mode="SAME_STEP", info="full", target=1
    )
    seen, _ = env.reset(seed=1)
    assert seen[:, 188].tolist() == [1, 1]
    assert env.unwrapped.autoreset_mode == AutoresetMode.SAME_STEP
    assert env.spec is not None
    assert env.spec.id == env_id


def test_default_mode_of_make_vec() -> None:
    env = gym.make_vec("eck_env:Eck-v0", num_envs=2)
    env.reset(seed=1)
    env.close()
