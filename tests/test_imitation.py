"""Learning from recorded decisions before PPO: that something is learned, and that it survives interruption."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from stable_baselines3.common.logger import Logger
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator  # type: ignore[import-untyped]

from agents.ppo.checkpoints import checkpoint_path, load_checkpoint
from agents.ppo.config import TrainingConfig
from agents.ppo.decisions import DecisionsError, Packing, load_decisions
from agents.ppo.imitation import Lessons
from agents.ppo.model import PolicyAgent, make_policy
from agents.ppo.recording import Recorder, Recording
from agents.ppo.run_folder import RunFolder
from agents.ppo.training import Trained
from eck_env.eck.definition import ECK
from ppo_helpers import ROLLOUT, assert_same_end, run, tiny

EPISODES, SIZE, EPOCHS = 100, 100, 3
LEARNED = EPISODES * 13 - EPISODES * 13 // 50
TOTAL = LEARNED // SIZE * SIZE * EPOCHS


class Killed(Exception):  # noqa: N818
    pass


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with decisions of the heuristic player."""
    path = tmp_path_factory.mktemp("imitation")
    for agent, name in (("heuristic", "data.npz"), ("mc:200", "regrets.npz")):
        recording = Recording(agent, tiny(path).environment, EPISODES, regrets=name == "regrets.npz")
        Recorder(recording, path / name).record(1, lambda _: None)
    return path


def config(home: Path, **changes: Any) -> TrainingConfig:
    imitation = {"data": str(home / "data.npz"), "minibatch_size": SIZE, "epochs": EPOCHS, "learning_rate": 0.01}
    policy = {"network": "color_shared", "width": 16, "depth": 2}
    marks = {"checkpoints": {"every_steps": 900, "keep": 9}, "evaluation": {"every_steps": 900, "games": 20}}
    return tiny(home, **{"updates": 3, "imitation": imitation, "policy": policy, **marks, **changes})


@pytest.fixture(scope="module")
def whole(home: Path) -> tuple[RunFolder, Trained]:
    """A run that was left alone."""
    return run(config(home), home / "run")


def scalars(folder: Path) -> dict[str, list[tuple[int, float]]]:
    log = EventAccumulator(str(folder))
    log.Reload()
    return {name: [(event.step, event.value) for event in log.Scalars(name)] for name in log.Tags()["scalars"]}


def test_what_a_run_leaves(whole: tuple[RunFolder, Trained]) -> None:
    folder, trained = whole
    assert (trained.steps, trained.finished) == (3 * ROLLOUT, True)
    marks = [900, 1800, 2700, 3600]
    assert marks[-1] == TOTAL
    evaluations = folder.read_evaluations()
    assert [(entry["steps"], entry.get("imitated")) for entry in evaluations] == [(0, mark) for mark in marks]
    seconds = [entry["training_seconds"] for entry in evaluations]
    assert seconds == sorted(seconds)
    logged = scalars(folder.tensorboard / "imitation")
    for name in ("eval/win_rate", "imitation/choice_loss", "imitation/value_loss", "imitation/agreement"):
        assert [step for step, _ in logged[name]] == marks
    after = load_checkpoint(checkpoint_path(folder.checkpoints, 0))
    assert (after.steps, after.imitated) == (0, TOTAL)
    assert not after.parameters["policy.optimizer"]["state"]
    assert load_checkpoint(checkpoint_path(folder.checkpoints, 3 * ROLLOUT)).imitated == 0


def test_the_choices_are_learned(home: Path, tmp_path: Path) -> None:
    imitation = config(home).imitation
    assert imitation is not None
    longer = imitation.model_copy(update={"epochs": 30})
    folder, _ = run(config(home, imitation=longer.model_dump(), updates=1), tmp_path / "run")
    logged = scalars(folder.tensorboard / "imitation")
    losses = [loss for _, loss in logged["imitation/choice_loss"]]
    assert min(losses) < losses[0] - 0.05


def test_a_search_teaches_to_lose_little(home: Path) -> None:
    imitation = {"data": str(home / "regrets.npz"), "minibatch_size": SIZE, "epochs": 20, "learning_rate": 0.01}
    settings = config(home, imitation=imitation | {"learn": "regrets"})
    torch.manual_seed(1)
    policy = make_policy(settings)
    data, packing = load_decisions(home / "regrets.npz"), Packing(ECK)
    observations, masks = packing.unpack_observations(data.observations), packing.unpack_masks(data.masks)

    def regret() -> float:
        choices = PolicyAgent(policy).act(observations, masks, np.zeros((len(data), 3), np.int64))
        return float(data.regrets[np.arange(len(data)), choices].mean())

    before, lessons = regret(), Lessons(settings, policy)
    for done in range(0, lessons.total, SIZE):
        lessons.learn(done)
    assert 0 < regret() < 0.8 * before


def test_the_temperature_divides_the_logits_that_learn(home: Path) -> None:
    def loss(sureness: float, temperature: float) -> float:
        """Return the loss of the choices of a policy whose logits are multiplied."""
        imitation = {"data": str(home / "regrets.npz"), "minibatch_size": SIZE, "temperature": temperature}
        settings = config(home, imitation=imitation | {"learn": "regrets"})
        torch.manual_seed(1)
        policy = make_policy(settings)
        for weights in policy.action_net.parameters():
            weights.data *= sureness
        logger = Logger(None, [])
        Lessons(settings, policy).test(logger)
        return float(logger.name_to_value["imitation/choice_loss"])

    assert loss(100.0, 50.0) == pytest.approx(loss(2.0, 1.0))
    assert loss(100.0, 1.0) != pytest.approx(loss(2.0, 1.0))


def stop(monkeypatch: pytest.MonkeyPatch, batch: int, kind: type[BaseException]) -> None:
    """Have the run end before this minibatch, counted from now."""
    learn, count = Lessons.learn, 0

    def counted(lessons: Lessons, done: int) -> int:
        nonlocal count
        count += 1
        if count == batch:
            raise kind
        return learn(lessons, done)

    monkeypatch.setattr(Lessons, "learn", counted)


@pytest.mark.parametrize("batch", [3, 12, 22, 36])
def test_a_killed_run_ends_as_one_left_alone(
    home: Path, whole: tuple[RunFolder, Trained], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    stop(monkeypatch, batch, Killed)
    with pytest.raises(Killed):
        run(config(home), tmp_path / "run")
    monkeypatch.undo()
    lines: list[str] = []
    assert_same_end(whole, run(config(home), tmp_path / "run", resume=True, report=lines.append))
    stored = (batch - 1) // 9 * 900
    assert lines[0].startswith(f"resuming after {stored:,} decisions imitated" if stored else "no checkpoint in")


def test_a_run_killed_in_ppo_does_not_imitate_again(
    home: Path, whole: tuple[RunFolder, Trained], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = {"checkpoints": {"every_steps": ROLLOUT, "keep": 9}}
    run(config(home, **changes, updates=2), tmp_path / "run")
    stop(monkeypatch, 1, Killed)
    assert_same_end(whole, run(config(home, **changes), tmp_path / "run", resume=True))


def test_ctrl_c_stores_how_far_it_came(
    home: Path, whole: tuple[RunFolder, Trained], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import signal

    learn, count = Lessons.learn, 0

    def counted(lessons: Lessons, done: int) -> int:
        nonlocal count
        count += 1
        if count == 5:
            signal.raise_signal(signal.SIGINT)
        return learn(lessons, done)

    monkeypatch.setattr(Lessons, "learn", counted)
    folder, trained = run(config(home), tmp_path / "run")
    assert (trained.steps, trained.finished, trained.interrupted) == (0, False, True)
    assert load_checkpoint(checkpoint_path(folder.checkpoints, 0)).imitated == 5 * SIZE
    monkeypatch.undo()
    assert_same_end(whole, run(config(home), tmp_path / "run", resume=True))


def test_the_value_is_learned_if_wanted(home: Path) -> None:
    from agents.ppo.model import make_policy

    for weight, changes in ((1.0, True), (0.0, False)):
        imitation = {"data": str(home / "data.npz"), "minibatch_size": SIZE, "value_weight": weight}
        settings = config(home, imitation=imitation)
        torch.manual_seed(1)
        policy = make_policy(settings)
        before = policy.value_net.linear.weight.detach().clone()  # type: ignore[union-attr, operator]
        Lessons(settings, policy).learn(0)
        after = policy.value_net.linear.weight  # type: ignore[union-attr]
        assert torch.equal(before, after) != changes  # type: ignore[arg-type]


def test_other_decisions_are_refused(home: Path, tmp_path: Path) -> None:
    data = str(home / "data.npz")
    for changes, message in (
        ({"imitation": {"data": str(tmp_path / "none.npz")}}, "none.npz"),
        ({"imitation": {"data": str(home / "values.npz")}}, "holds no recorded decisions"),
        ({"imitation": {"data": data, "minibatch_size": 5000}}, "holds 1300 decisions, too few"),
        ({"environment": {"id": "Eck-v0"}}, "recorded with the variant"),
        ({"imitation": {"data": data, "minibatch_size": SIZE, "learn": "regrets"}}, "recorded with the regrets False"),
        (
            {"environment": {"id": "EckBeginner-v0", "episode": "game"}, "policy": {"network": "mlp"}},
            "recorded with the episode round",
        ),
    ):
        with pytest.raises((DecisionsError, FileNotFoundError), match=message):
            run(config(home, **changes), tmp_path / "run")
