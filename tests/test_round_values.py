"""Round values: the states of the outer game, the estimate, the file, and what is made of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.round_value_iteration import estimate, make_player, reachable_states, successor
from eck_env import EckEnv, load_round_values
from eck_env.eck.round_values import RoundValues, make_starts
from eck_env.eck.variant import REGISTERED, Variant, make_variant

ONE_CARD = make_variant(1, ("8",))


def always(tricks: list[int]) -> object:
    """Return a player whose rounds end with these counts in turn."""

    def play(games: NDArray[np.void], values: NDArray[np.float64]) -> NDArray[np.int64]:
        return np.resize(np.array(tricks), len(games))

    return play


def test_states_of_the_smallest_variant() -> None:
    """One card, which ECK can turn gray (with 8 tricks of its own) while it is not collected."""
    assert reachable_states(ONE_CARD) == [(0, 0, 0), (1, 0, 0), (1, 0, 8), (2, 0, 0), (2, 0, 8)]


@pytest.mark.parametrize("env_id", REGISTERED)
def test_states_are_in_the_order_of_play_and_under_4000_or_so(env_id: str) -> None:
    variant = make_variant(**REGISTERED[env_id])
    states = reachable_states(variant)
    place = {state: index for index, state in enumerate(states)}
    assert len(states) < 6561
    for state in states[:: len(states) // 50 + 1]:
        for tricks in range(14):
            end = successor(state, tricks, variant)
            assert not isinstance(end, tuple) or place[end] > place[state]


def test_successors_follow_the_rules() -> None:
    variant = make_variant(4)
    card_6, card_8 = 1 << 2, 1 << 3
    assert successor((1, 0, card_8), 6, variant) == (0, card_6, card_8)
    assert successor((1, 0, card_8), 8, variant) == (0, card_8, 0)
    assert successor((0, card_6, 0), 6, variant) == (1, card_6, 0)
    assert successor((0, 0, 0), 5, variant) == (1, 0, card_8)
    assert successor((0, 0, card_8), 5, variant) == 0.0
    assert successor((2, 0, 0), 7, variant) == 0.0
    assert successor((0, 7, 0), 8, variant) == 1.0


def test_estimate_against_the_exact_value() -> None:
    """Half of the rounds take 8 tricks and win; three failures lose: 1 - 1/8."""
    table = estimate(ONE_CARD, always([8, 7]), 100, 0)  # type: ignore[arg-type]
    assert table.values[0, 0, 0] == pytest.approx(0.875)
    assert table.values[2, 0, 0] == pytest.approx(0.5)
    assert table.stderr[2, 0, 0] == pytest.approx(0.05)
    assert table.visits[1, 0, 0] == pytest.approx(0.5)
    assert np.isnan(table.values[0, 1, 0])


def test_estimate_of_random_play_is_its_win_rate() -> None:
    """Random play at target 2 wins 59.9 % (known from two million games)."""
    table = estimate(make_variant(2), make_player("random"), 1000, 1)
    assert table.values[0, 0, 0] == pytest.approx(0.599, abs=0.02)
    assert table.value({"8": "gray"}, "1") < table.value({"8": "yours"}, "0")


def test_states_that_are_met_often_are_given_more_rounds() -> None:
    visits = np.zeros((3, 128, 128))
    visits[:, 0, 0] = 1.0, 0.25, 0.0
    numbers: list[list[int]] = []

    def play(games: NDArray[np.void], values: NDArray[np.float64]) -> NDArray[np.int64]:
        numbers.append(np.bincount(games["counter"], minlength=3).tolist())
        assert len(set(games["seed"].tolist())) == len(games)
        return np.full(len(games), 7)

    table = estimate(ONE_CARD, play, 100, 0, visits=visits)
    assert table.values[0, 0, 0] == 0.0
    # Five states, two of them with the 8 gray, which like (2, 0, 0) were never met: a quarter of the average each.
    assert np.sum(numbers, axis=0).tolist() == [333, 167 + 25, 25 + 25]


def test_file_round_trip(tmp_path: Path) -> None:
    table = estimate(ONE_CARD, always([8, 7, 5]), 30, 0)  # type: ignore[arg-type]
    table.save(tmp_path / "w.npz")
    loaded = load_round_values(ONE_CARD, tmp_path / "w.npz")
    assert list(tmp_path.iterdir()) == [tmp_path / "w.npz"]
    np.testing.assert_allclose(loaded.values, table.values, rtol=1e-6)
    np.testing.assert_allclose(loaded.visits, table.visits, rtol=1e-6)
    assert (loaded.target, loaded.trick_cards) == (1, ("8",))


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 broken"])
def test_broken_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "w.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="no table of round values"):
        load_round_values(ONE_CARD, path)


def test_table_of_another_variant(tmp_path: Path) -> None:
    estimate(ONE_CARD, always([8]), 2, 0).save(tmp_path / "w.npz")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="target 1"):
        EckEnv(target=4, episode="round", round_values=str(tmp_path / "w.npz"))


def test_variant_without_a_shipped_table() -> None:
    with pytest.raises(ValueError, match="no round values are shipped"):
        EckEnv(target=5, episode="round")


@pytest.mark.parametrize("env_id", REGISTERED)
def test_shipped_tables(env_id: str) -> None:
    variant: Variant = make_variant(**REGISTERED[env_id])
    table: RoundValues = load_round_values(variant)
    known = ~np.isnan(table.values)
    assert int(known.sum()) == len(reachable_states(variant))
    assert ((table.values[known] >= 0) & (table.values[known] <= 1)).all()
    assert table.visits[0, 0, 0] == 1.0
    starts = table.starts()
    assert starts["cumulative"][-1] == pytest.approx(1.0)


def test_end_worths_are_the_values_of_the_successors() -> None:
    variant = make_variant(2)
    table = load_round_values(variant)
    worths = table.end_worths()
    for state in reachable_states(variant)[::37]:
        for tricks in range(14):
            end = successor(state, tricks, variant)
            value = table.values[end] if isinstance(end, tuple) else end
            assert worths[(*state, tricks)] == pytest.approx(value)


def test_start_states_in_notation() -> None:
    starts = make_starts([{"counter": "2"}, {"trick_cards": {"8": "gray", "2": "yours"}, "weight": 3}], make_variant())
    assert starts["counter"].tolist() == [2, 0]
    assert starts["gray"].tolist() == [0, 8]
    assert starts["yours"].tolist() == [0, 1]
    assert starts["cumulative"].tolist() == [0.25, 1.0]


@pytest.mark.parametrize(
    ("states", "message"),
    [
        ([], "at least one state"),
        ([{"weight": -1}], "weights"),
        ([{"weight": 0}], "weights"),
        ([{"counter": "X"}], "counter"),
        ([{"trick_cards": {"3": "gray"}}], "'3'"),
        ([{"trick_cards": {"2": "eck"}}], "the game is over"),
        ([{"tricks": 3}], "start_states"),
    ],
)
def test_bad_start_states(states: list[dict[str, object]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        EckEnv(episode="round", reward="win", start_states=states)
