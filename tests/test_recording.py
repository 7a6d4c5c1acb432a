"""Recorded decisions: the file, and that a recording is what the agent played, however it was cut up or interrupted."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from agents.agent import make_agent
from agents.ppo import recording as recording_module
from agents.ppo.config import EnvironmentConfig
from agents.ppo.decisions import (
    Decisions,
    DecisionsError,
    Packing,
    load_about,
    load_decisions,
    save_decisions,
)
from agents.ppo.recording import Recorder, Recording
from eck_env import EckEnv, EckVectorEnv
from eck_env.eck.definition import ECK
from eck_env.eck.observation import FIELDS
from eck_helpers import made_up_values

PACKING = Packing(ECK)


@pytest.fixture
def environment(tmp_path: Path) -> EnvironmentConfig:
    made_up_values(target=2).save(tmp_path / "values.npz")
    return EnvironmentConfig(id="EckBeginner-v0", round_values=str(tmp_path / "values.npz"))


def ignore(_: int) -> None:
    pass


def same(one: Decisions, other: Decisions) -> bool:
    return all(
        np.array_equal(getattr(one, field.name), getattr(other, field.name)) for field in dataclasses.fields(Decisions)
    )


def test_packing() -> None:
    env = EckVectorEnv(200, target=4)
    rng = np.random.default_rng(0)
    observations, info = env.reset(seed=1)
    for _ in range(20):
        masks = info["action_mask"]
        packed, packed_masks = PACKING.pack_observations(observations), PACKING.pack_masks(masks)
        assert (packed.shape, packed_masks.shape) == ((200, 48), (200, 5))
        np.testing.assert_array_equal(PACKING.unpack_observations(packed), observations)
        np.testing.assert_array_equal(PACKING.unpack_masks(packed_masks), masks)
        observations, _, _, _, info = env.step((masks * rng.random(masks.shape)).argmax(1))
    highest = np.repeat([field.high for field in FIELDS], [field.length for field in FIELDS])[np.newaxis]
    np.testing.assert_array_equal(PACKING.unpack_observations(PACKING.pack_observations(highest)), highest)
    assert PACKING.unpack_observations(packed).dtype == PACKING.unpack_masks(packed_masks).dtype == np.int8


@pytest.mark.parametrize("episode", ["round", "game"])
def test_what_is_recorded_is_what_the_agent_plays(environment: EnvironmentConfig, tmp_path: Path, episode: str) -> None:
    environment = environment.model_copy(update={"episode": episode})
    path = tmp_path / "data.npz"
    count = Recorder(Recording("heuristic", environment, 5, first_seed=40), path).record(1, ignore)
    decisions, agent = load_decisions(path), make_agent("heuristic")
    env = EckEnv(**environment.keywords())
    place = 0
    for seed in range(40, 45):
        observation, info = env.reset(seed=seed)
        rewards, over, first = [], False, place
        while not over:
            masks = info["action_mask"][np.newaxis]
            np.testing.assert_array_equal(
                PACKING.unpack_observations(decisions.observations[place : place + 1])[0], observation
            )
            np.testing.assert_array_equal(PACKING.unpack_masks(decisions.masks[place : place + 1]), masks)
            action = agent.act(np.asarray(observation)[np.newaxis], masks, np.array([[seed, 0, place - first]]))[0]
            assert decisions.actions[place] == action
            assert (decisions.seeds[place], decisions.numbers[place]) == (seed, place - first)
            observation, reward, over, _, info = env.step(int(action))
            rewards.append(reward)
            place += 1
        expected = np.cumsum(rewards[::-1])[::-1]
        np.testing.assert_allclose(decisions.returns[first:place], expected, atol=1e-6)
    assert place == len(decisions) == count
    about = load_about(path)
    assert (about["agent"], about["episode"], about["first_seed"], about["episodes"]) == ("heuristic", episode, 40, 5)
    assert about["reward"] == ("win" if episode == "game" else "round_value")
    assert about["variant"]["target"] == 2
    assert about["seconds"] > 0
    with np.load(path, allow_pickle=False) as file:
        assert all(file[name].dtype != np.object_ for name in file.files)


@pytest.mark.parametrize("spec", ["mc:6", "mc:2:pretrained", "mc:2:3:pretrained"])
def test_regrets_are_what_the_search_judges(environment: EnvironmentConfig, tmp_path: Path, spec: str) -> None:
    path = tmp_path / "data.npz"
    Recorder(Recording(spec, environment, 3, regrets=True), path).record(1, ignore)
    data = load_decisions(path)
    agent: Any = make_agent(spec, environment.variant())
    observations = PACKING.unpack_observations(data.observations)
    legal = asked = PACKING.unpack_masks(data.masks) != 0
    if hasattr(agent, "policy"):  # the search is asked about the cards that are near the policy's choice
        logits, _ = agent.policy.logits_and_values(observations, legal)
        asked = legal & (logits > logits.max(axis=1, keepdims=True) - 25)
    judged = np.array(
        [
            agent.judge(seen, mask, [int(seed), 0, int(number)]) if mask.sum() > 1 else mask
            for seen, mask, seed, number in zip(observations, asked, data.seeds, data.numbers, strict=True)
        ]
    )
    expected = np.where(asked, np.where(asked, judged, -1).max(axis=1, keepdims=True) - judged, 0)
    np.testing.assert_allclose(data.regrets[asked | ~legal], expected[asked | ~legal], rtol=1e-3, atol=1e-7)
    beside = legal & ~asked
    assert beside.any() == hasattr(agent, "policy")
    worst = np.broadcast_to(expected.max(axis=1, keepdims=True), legal.shape)
    np.testing.assert_allclose(data.regrets[beside], worst[beside] + 0.02, rtol=1e-3)
    assert (data.regrets[np.arange(len(data)), data.actions] == 0).all()
    assert data.regrets.max() > 0.01
    Recorder(Recording("mc:6", environment, 3), tmp_path / "without.npz").record(1, ignore)
    assert load_decisions(tmp_path / "without.npz").regrets.shape == (39, 0)


def test_what_comes_before_is_left_to_the_policy(environment: EnvironmentConfig, tmp_path: Path) -> None:
    spec = "mc:2:3:pretrained"
    Recorder(Recording(spec, environment, 5, regrets=True, after=9), tmp_path / "late.npz").record(1, ignore)
    data = load_decisions(tmp_path / "late.npz")
    assert data.numbers.tolist() == [9, 10, 11, 12] * 5
    policy: Any = make_agent("pretrained", environment.variant())
    assert isinstance(environment.round_values, str)
    env = EckEnv(target=2, episode="round", reward="round_value", round_values=environment.round_values)
    for row, seed in enumerate(range(5)):
        observation, info = env.reset(seed=seed)
        for _ in range(9):
            action = policy.act(observation[np.newaxis], info["action_mask"][np.newaxis], np.zeros((1, 3), np.int64))
            observation, _, _, _, info = env.step(action[0])
        np.testing.assert_array_equal(
            PACKING.unpack_observations(data.observations[4 * row : 4 * row + 1])[0], observation
        )
        returns = 0.0
        for action in data.actions[4 * row : 4 * row + 4]:
            observation, reward, _, _, info = env.step(action)
            returns += float(reward)
        np.testing.assert_allclose(data.returns[4 * row : 4 * row + 4], returns, rtol=1e-5)


def test_episodes_that_are_too_short_to_record_are_refused(environment: EnvironmentConfig, tmp_path: Path) -> None:
    for spec in ("mc:2:pretrained", "mc:2"):
        path = tmp_path / "data.npz"
        with pytest.raises(ValueError, match="--after is 13, but none of the 5 episodes has more decisions than that"):
            Recorder(Recording(spec, environment, 5, regrets=True, after=13), path).record(1, ignore)
        assert not list(tmp_path.glob("data.npz*"))  # so that it can be begun anew
    games = environment.model_copy(update={"episode": "game"})
    some = Recording("random", games, 30, chunk=1, after=26)
    Recorder(some, tmp_path / "games.npz").record(1, ignore)
    data = load_decisions(tmp_path / "games.npz")
    assert 0 < len(np.unique(data.seeds)) < 30  # games of two rounds leave their chunks empty
    assert data.numbers.min() == 26


def test_neither_chunks_nor_processes_change_anything(environment: EnvironmentConfig, tmp_path: Path) -> None:
    whole = Recording("mc:2", environment, 30, regrets=True)
    Recorder(whole, tmp_path / "whole.npz").record(1, ignore)
    for name, chunk, processes in (("a", 7, 1), ("b", 8, 2)):
        told: list[int] = []
        parts = dataclasses.replace(whole, chunk=chunk)
        Recorder(parts, tmp_path / f"{name}.npz").record(processes, told.append)
        assert sum(told) == 30
        assert same(load_decisions(tmp_path / f"{name}.npz"), load_decisions(tmp_path / "whole.npz"))
        assert not (tmp_path / f"{name}.npz.parts").exists()


def test_goes_on_where_it_was(environment: EnvironmentConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recording, path = Recording("random", environment, 30, chunk=7), tmp_path / "data.npz"
    Recorder(recording, tmp_path / "whole.npz").record(1, ignore)
    play, played = recording_module.record_chunk, 0

    def stop_at_third(chunk: Any) -> Any:
        nonlocal played
        played += 1
        if played == 3:
            raise KeyboardInterrupt
        return play(chunk)

    monkeypatch.setattr(recording_module, "record_chunk", stop_at_third)
    with pytest.raises(KeyboardInterrupt):
        Recorder(recording, path).record(1, ignore)
    parts = tmp_path / "data.npz.parts"
    assert len(list(parts.glob("*.npz"))) == 2
    with pytest.raises(ValueError, match="go on with it by --resume"):
        Recorder(recording, path)
    with pytest.raises(ValueError, match="another recording: agent differ"):
        Recorder(dataclasses.replace(recording, agent="heuristic"), path, resume=True)
    Recorder(recording, path, resume=True).record(1, ignore)
    assert played == 3 + 3
    assert same(load_decisions(path), load_decisions(tmp_path / "whole.npz"))
    with pytest.raises(ValueError, match="is there already"):
        Recorder(recording, path)
    assert Recorder(recording, path, resume=True).record(1, ignore) == 30 * 13
    with pytest.raises(ValueError, match="another recording: episodes"):
        Recorder(dataclasses.replace(recording, episodes=31), path, resume=True)
    assert played == 6


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"episodes": 0}, "the number of episodes is 0"),
        ({"first_seed": 2**30 - 5}, "which are for evaluation"),
        ({"agent": "heuristc"}, "did you mean 'heuristic'"),
        ({"chunk": 0}, "in a chunk is 0"),
        ({"agent": "heuristic", "regrets": True}, "'heuristic', but only a search"),
        ({"agent": "mc:5ms", "regrets": True}, "the budget is a time, 5ms"),
    ],
)
def test_what_cannot_be_recorded(
    environment: EnvironmentConfig, tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    recording = dataclasses.replace(Recording("random", environment, 10), **changes)
    with pytest.raises(ValueError, match=message):
        Recorder(recording, tmp_path / "data.npz")
    with pytest.raises(ValueError, match=r"must end in \.npz"):
        Recorder(Recording("random", environment, 10), tmp_path / "data.zip")
    assert not list(tmp_path.glob("data*"))


def test_files_that_are_no_decisions(environment: EnvironmentConfig, tmp_path: Path) -> None:
    path = tmp_path / "data.npz"
    Recorder(Recording("random", environment, 4), path).record(1, ignore)
    data = path.read_bytes()
    other = tmp_path / "other.npz"
    for content in (b"", b"text", data[:100], data[: len(data) // 2], made_up_values(target=2)):
        if isinstance(content, bytes):
            other.write_bytes(content)
        else:
            content.save(other)
        with pytest.raises(DecisionsError, match="holds no recorded decisions, or is damaged"):
            load_decisions(other)
    save_decisions(other, load_decisions(path), {"format": 99})
    with pytest.raises(DecisionsError, match="has format 99"):
        load_about(other)
    with pytest.raises(FileNotFoundError):
        load_about(tmp_path / "none.npz")


def test_the_command(environment: EnvironmentConfig, tmp_path: Path) -> None:
    from scripts.record import app

    config = tmp_path / "config.yaml"
    config.write_text(json.dumps({"total_steps": 1, "environment": environment.model_dump()}))
    out = tmp_path / "folder" / "data.npz"
    arguments = [str(config), "random", "--episodes", "5", "--out", str(out)]
    done = CliRunner().invoke(app, arguments)
    assert (done.exit_code, "65 decisions in 5 episodes" in done.output) == (0, True), done.output
    done = CliRunner().invoke(app, arguments)
    assert (done.exit_code, "is there already" in done.output) == (2, True), done.output
    done = CliRunner().invoke(app, [*arguments, "--resume", "--set", "environment.target=3"])
    assert done.exit_code == 2, done.output
