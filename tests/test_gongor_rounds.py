"""Hands as episodes, rewards by a table of round values, and how such a table is made."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from agents.gongor_round_values import Solver, tally
from eck_env import GongorEnv, GongorVectorEnv
from eck_env.gongor_whist.round_values import RoundValues, load_round_values
from eck_env.gongor_whist.standing import values_shape
from eck_env.gongor_whist.variant import REGISTERED, Variant, make_variant
from gongor_helpers import NUM_ACTIONS, VARIANTS, made_up_values, table_value

BACK = {"bids_left": [1, 4, 6], "aces_left": 2, "weight": 3.0}
FORE = {"bids_left": [0, 2, 3, 5], "aces_left": 0}
STARTS: list[dict[str, Any]] = [BACK, FORE, {}]


def final_value(env: GongorEnv, outcome: str, hands: int) -> float:
    """Return what a finished game is worth, stated anew."""
    if outcome == "draw":
        return 0.5
    if outcome == "loss":
        return 0.0
    variant = env.settings.variant
    return 1 - hands / variant.max_hands if variant.scoring == "first_edition" else 1.0


@pytest.mark.parametrize("keywords", VARIANTS, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_value_rewards_add_up(seed: int, keywords: dict[str, Any]) -> None:
    """Each reward is the change of the table's entry; over a whole game they are what it comes to less its start."""
    values = made_up_values(**keywords)
    env = GongorEnv(**keywords, reward="round_value", round_values=values)
    env.reset(seed=seed)
    generator, hands, total = Random(seed), 0, 0.0
    before = start = table_value(values, env.state_dict())
    over = False
    while not over:
        choices = np.flatnonzero(env.action_masks()).tolist()
        _, reward, over, _, info = env.step(generator.choice(choices))
        hands += "hand" in info
        after = final_value(env, info["outcome"], hands) if over else table_value(values, env.state_dict())
        assert reward == pytest.approx(after - before, abs=1e-12)
        total += reward
        before = after
    assert total == pytest.approx(final_value(env, info["outcome"], hands) - start)


def test_a_forfeit_loses_all_that_the_game_was_worth() -> None:
    values = made_up_values()
    env = GongorEnv(reward="round_value", round_values=values)
    env.reset(seed=1)
    worth = table_value(values, env.state_dict())
    _, reward, over, _, info = env.step(20)
    assert over
    assert reward == -worth
    assert info["reasons"] == ["illegal_action"]


@pytest.mark.parametrize("aces", ["game", "pass"])
def test_an_episode_is_one_hand_from_the_states_asked_for(aces: str) -> None:
    env = GongorEnv(episode="round", reward="win", start_states=STARTS, aces=aces)
    seen: Counter[tuple[int, ...]] = Counter()
    for episode in range(120):
        observation, info = env.reset(seed=5) if episode == 0 else env.reset()
        state = env.state_dict()
        seen[tuple(state["bids_left"])] += 1
        start = next(each for each in STARTS if each.get("bids_left", list(range(8))) == state["bids_left"])
        assert len(state["aces"]) == start.get("aces_left", 5)
        assert state["hand_number"] == 8 - len(state["bids_left"])
        assert len(state["seen"]) == 14 * (state["hand_number"] % 2)
        assert state["you"] == state["hand_number"]
        assert np.flatnonzero(info["action_mask"]).tolist() == state["bids_left"]
        again = GongorEnv(aces=aces)
        assert (again.set_state(state)[0] == observation).all()
        over, steps = False, 0
        while not over:
            observation, _, over, _, info = env.step(int(np.argmax(info["action_mask"])))
            steps += 1
        assert 8 <= steps <= 15
        assert info["hand"]["number"] == state["hand_number"]
        assert info["action_mask"].all()
        assert observation[134:137].sum() == 0
    assert 60 <= seen[1, 4, 6] <= 85
    assert len(seen) == 3


def test_batches_play_hands_as_single_environments_do() -> None:
    values = made_up_values("two_columns")
    keywords: dict[str, Any] = {"scoring": "two_columns", "episode": "round", "round_values": values}
    batch = GongorVectorEnv(5, **keywords, autoreset_mode="SAME_STEP")
    singles = [GongorEnv(**keywords) for _ in range(5)]
    observations, info = batch.reset(seed=3)
    shown = [env.reset(seed=3 + index)[0] for index, env in enumerate(singles)]
    assert (observations == np.array(shown)).all()
    generator = Random(4)
    for _ in range(60):
        actions = np.array([generator.choice(np.flatnonzero(row).tolist()) for row in info["action_mask"]])
        observations, rewards, over, _, info = batch.step(actions)
        for index, env in enumerate(singles):
            shown, reward, ended, _, _ = env.step(actions[index])
            assert (rewards[index], over[index]) == (reward, ended)
            assert (observations[index] == (env.reset()[0] if ended else shown)).all()


def test_options_begin_the_first_hand_of_a_game() -> None:
    cards = ["2MK", "9WY", "CL", "5SW", "8MS", "3SK", "4YK"]
    env = GongorEnv(episode="round", reward="win", start_states=[BACK])
    env.reset(seed=3, options={"hand": cards, "ace_orders": [["AY", "AM", "AS", "AW", "AL", "AK"]]})
    state = env.state_dict()
    assert (state["hand_number"], state["trump"], state["you"]) == (0, "Y", 0)
    assert (len(state["bids_left"]), len(state["aces"]), state["seen"]) == (8, 5, [])
    assert sorted(state["hand"]) == sorted(cards)


@pytest.mark.parametrize(
    ("states", "message"),
    [
        ([], "at least one state"),
        ([{"bids_left": []}], "must be one bid or more"),
        ([{"bids_left": [3], "hand_number": 2}], "fit the hand_number"),
        ([{"bids": [3]}], "a key of start_states"),
        ([{"aces_left": 6}], "must be an integer from 0 to 5"),
        ([{"weight": -1}], "weights from 0 up"),
        ([3], "must be a mapping"),
    ],
)
def test_states_that_cannot_be(states: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GongorEnv(episode="round", reward="win", start_states=states)


def test_first_edition_starts() -> None:
    env = GongorEnv("first_edition", episode="round", reward="win", start_states=[{"hand_number": 7, "you": -12}])
    env.reset(seed=1)
    assert [env.state_dict()[key] for key in ("hand_number", "you")] == [7, -12]
    with pytest.raises(ValueError, match="every bid is left"):
        GongorEnv("first_edition", episode="round", start_states=[{"bids_left": [1]}])


def test_start_states_need_episodes_of_hands() -> None:
    with pytest.raises(ValueError, match="start_states is for episode"):
        GongorEnv(start_states=STARTS)
    with pytest.raises(ValueError, match=r"the round values are those of .*two_columns"):
        GongorEnv(reward="round_value", round_values=made_up_values("two_columns"))
    with pytest.raises(ValueError, match="no round values are shipped for scoring 'two_columns' with aces 'pass'"):
        GongorEnv("two_columns", "pass", episode="round")


# --- Tables ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("env_id", REGISTERED)
def test_shipped_tables(env_id: str) -> None:
    variant = make_variant(**REGISTERED[env_id])
    table = load_round_values(variant)
    assert table.variant == variant
    assert table.values.shape == table.spreads.shape == table.visits.shape == values_shape(variant)
    assert 0 < table.at_start < 1
    starts = table.starts()
    shares = np.diff(starts["cumulative"], prepend=0.0)
    numbers = np.bincount(starts["hand_number"], weights=shares, minlength=variant.max_hands)
    assert numbers == pytest.approx(np.full(len(numbers), 1 / len(numbers)), abs=1e-4)
    assert (starts["turned"] >= 1).all()


def test_files(tmp_path: Path) -> None:
    table = made_up_values("first_edition", "pass", 7)
    table.save(tmp_path / "w.npz")
    again = load_round_values(Variant(), tmp_path / "w.npz")
    assert again.variant == table.variant
    assert again.values == pytest.approx(table.values)
    assert (again.visits == table.visits).all()
    (tmp_path / "broken.npz").write_bytes((tmp_path / "w.npz").read_bytes()[:500])
    with pytest.raises(ValueError, match="is no table of round values"):
        load_round_values(Variant(), tmp_path / "broken.npz")
    np.savez(tmp_path / "other.npz", scoring="shut_the_box", aces="game", max_hands=8,
             values=np.zeros(3), spreads=np.zeros(3), visits=np.zeros(3))  # fmt: skip
    with pytest.raises(ValueError, match="is no table of round values"):
        load_round_values(Variant(), tmp_path / "other.npz")


def made_up_tallies(hands: int, aces: int = 6) -> dict[tuple[int, int], Any]:
    """Return what comes of bids in made-up hands, both halves of the worlds alike; Aces are never spent."""
    generator = np.random.default_rng(8)
    shares = generator.dirichlet(np.ones(8), (hands, 8))
    found = {}
    for back in (0, 1):
        for left in range(aces):
            one = np.zeros((hands, 2, 8, 8, 6))
            one[..., left] = shares[:, np.newaxis] if back else shares[::-1, np.newaxis]
            found[back, left] = one
    return found


def test_shut_the_box_is_solved_backwards() -> None:
    tallies = made_up_tallies(3)
    table = Solver(Variant(), tallies).solve()

    @cache
    def value(bids: frozenset[int]) -> float:
        if not bids:
            return 1.0
        hands = tallies[(8 - len(bids)) % 2, 4][:, 0, :, :, 4]
        return float(np.mean([max(hand[bid, bid] * value(bids - {bid}) for bid in bids) for hand in hands]))

    for bids in ({3}, {0, 7}, {1, 2, 5}, set(range(8))):
        assert table.values[sum(1 << bid for bid in bids), 0, 4] == pytest.approx(value(frozenset(bids)))


def column_points(bid: int, taken: int) -> int:
    """Return what a hand of two columns adds to your points, less the dummy's."""
    if bid == 0:
        return 7 if taken == 0 else -taken
    return bid - (taken - bid) if taken >= bid else -bid


def test_two_columns_are_solved_backwards() -> None:
    tallies = made_up_tallies(2)
    table = Solver(make_variant("two_columns"), tallies).solve()

    def value(bids: frozenset[int], lead: int) -> float:
        if not bids:
            return 1.0 if lead > 0 else 0.5 if lead == 0 else 0.0
        hands = tallies[(8 - len(bids)) % 2, 5][:, 0, :, :, 5]
        worths = [
            max(
                sum(hand[bid, taken] * value(bids - {bid}, lead + column_points(bid, taken)) for taken in range(8))
                for bid in bids
            )
            for hand in hands
        ]
        return float(np.mean(worths))

    for bids, lead in (({0}, -3), ({4}, 4), ({1, 6}, 0), ({0, 2, 3}, -2)):
        assert table.values[sum(1 << bid for bid in bids), lead + 44, 5] == pytest.approx(value(frozenset(bids), lead))


def test_the_first_edition_is_solved_backwards() -> None:
    tallies = made_up_tallies(2)
    table = Solver(make_variant("first_edition", max_hands=4), tallies).solve()

    def value(hands_before: int, points: int) -> float:
        if points >= 50:
            return 1 - hands_before / 4
        if hands_before == 4:
            return 0.0
        back = hands_before % 2
        hands = tallies[back, 2][:, 0, :, :, 2]
        worths = [
            max(
                sum(
                    hand[bid, taken] * value(hands_before + 1, points + (bid if taken == bid else -taken - 2 * back))
                    for taken in range(8)
                )
                for bid in range(8)
            )
            for hand in hands
        ]
        return float(np.mean(worths))

    for hands_before, points in ((3, 44), (2, 40), (1, 45)):
        assert table.values[hands_before, points + 50, 2] == pytest.approx(value(hands_before, points))


def test_luck_in_the_choosing_does_not_count() -> None:
    """Where all bids are as good, the best of noisy estimates must not look better than it is."""
    generator = np.random.default_rng(3)
    tallies = {}
    for back in (0, 1):
        for left in range(6):
            made = generator.binomial(8, 0.5, (4000, 2, 8)) / 8
            shares = np.zeros((4000, 2, 8, 8, 6))
            for bid in range(8):
                shares[:, :, bid, bid, left] = made[..., bid]
                shares[:, :, bid, (bid + 1) % 8, left] = 1 - made[..., bid]
            tallies[back, left] = shares
    table = Solver(Variant(), tallies).solve()
    assert table.values[0b11, 0, 3] == pytest.approx(0.25, abs=0.01)
    assert table.values[255, 0, 3] == pytest.approx(0.5**8, rel=0.1)


def test_visits_follow_the_games() -> None:
    """With one kind of hand, in which only one bid is ever worth while, games come to the states after that bid."""
    shares = np.zeros((1, 2, 8, 8, 6))
    shares[..., 0, 2] = 1.0  # no tricks are ever taken: only a bid of 0 is made
    shares[:, :, :, 0, 2] = 0.5
    for bid in range(8):
        shares[:, :, bid, bid, 2] += 0.5 - 0.05 * bid
        shares[:, :, bid, (bid + 1) % 8, 2] += 0.05 * bid
    shares /= shares.sum(axis=(3, 4), keepdims=True)
    table = Solver(make_variant("two_columns"), {(back, left): shares for back in (0, 1) for left in range(6)}).solve()
    for hands in range(8):
        places = [bids for bids in range(256) if bids.bit_count() == 8 - hands]
        assert table.visits[places].sum() == pytest.approx(1)
        assert hands == 0 or table.visits[places][:, :, 2].sum() == pytest.approx(1)
    assert table.visits[255].sum() == table.visits[255, 44, 5] == 1


def test_what_comes_of_bids() -> None:
    variant = Variant()
    tallies = tally(variant, "heuristic", 40, 8, seed=3)
    again = tally(variant, "heuristic", 40, 8, seed=3)
    assert set(tallies) == {(back, aces) for back in (0, 1) for aces in range(6)}
    for key, shares in tallies.items():
        assert (shares == again[key]).all()
        assert shares.shape == (40, 2, 8, 8, 6)
        assert shares.sum(axis=(3, 4)) == pytest.approx(1)
        assert shares[..., key[1] + 1 :].sum() == 0, "Aces never come back"
        assert shares[:, :, 3, 3].sum(-1).mean() > 0.35, "a bid of 3 is made often"
    assert tallies[0, 5][..., :5].sum() > 0
    assert set(tally(make_variant(aces="pass"), "random", 2, 2, seed=0)) == {(0, 5), *((1, aces) for aces in range(6))}


def test_a_table_from_made_up_hands_can_be_played_with() -> None:
    table = Solver(make_variant("two_columns"), made_up_tallies(2)).solve()
    assert isinstance(table, RoundValues)
    env = GongorVectorEnv(64, scoring="two_columns", episode="round", round_values=table)
    _, info = env.reset(seed=1)
    keys = {tuple(np.flatnonzero(row)) for row in info["action_mask"]}
    assert len(keys) > 8
    assert info["action_mask"].shape == (64, NUM_ACTIONS)
