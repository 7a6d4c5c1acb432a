"""The compiled players, playouts, and the agents made of them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.evaluation import evaluate
from agents.heuristic import HeuristicAgent
from agents.random_agent import RandomAgent
from eck_env import EckEnv
from eck_env.eck.cards import DECK_SIZE, NUM_KINDS, bag_of, card_kind, card_kinds
from eck_env.eck.engine import START, Setup
from eck_env.eck.observation import encode, restore
from eck_env.eck.players import PLAYERS, heuristic_card, random_card, trick_chances
from eck_env.eck.playouts import play_games, play_rounds
from eck_env.eck.rules import NO_CARD, foresee, legal_kinds
from eck_env.eck.state import GAME, new_games, record
from eck_env.eck.variant import make_variant


def make_setup(count: int) -> Setup:
    return Setup(
        False, False, np.zeros((0, 0, 0)), np.zeros(0, START), np.zeros((count, 0, DECK_SIZE), np.int8)
    )  # fmt: skip


def play_all(player: str, count: int, target: int = 4, first_seed: int = 2**30) -> NDArray[np.void]:
    games = new_games(count, make_variant(target))
    games["seed"] = first_seed + np.arange(count)
    play_games(games, PLAYERS[player], make_setup(count))
    return games


def test_random_player_takes_each_legal_kind_equally_often() -> None:
    legal = sum(1 << kind for kind in (0, 7, 20, 36, 37))
    with np.errstate(over="ignore"):
        drawn = [random_card(legal, np.uint64(number * 7919)) for number in range(5000)]
    counts = np.bincount(drawn, minlength=NUM_KINDS)
    assert set(np.flatnonzero(counts)) == {0, 7, 20, 36, 37}
    assert counts[counts > 0].min() > 900


@pytest.mark.parametrize(("player", "low", "high"), [("random", 0.12, 0.15), ("heuristic", 0.30, 0.38)])
def test_whole_games_are_won_as_often_as_known(player: str, low: float, high: float) -> None:
    games = play_all(player, 5000)
    assert (games["over"] == 1).all()
    assert low < (games["outcome"] == 1).mean() < high


def test_playouts_of_games_repeat_bit_for_bit() -> None:
    assert play_all("random", 50).tobytes() == play_all("random", 50).tobytes()


def test_playout_of_a_round_is_what_the_environment_would_play() -> None:
    """The heuristic player draws no random numbers, so its playout must be its game in the environment."""
    games = new_games(20, make_variant())
    games["seed"] = 2**30 + np.arange(20)
    games["round_number"] = -1  # play_rounds deals the next round: the first
    tricks = np.zeros(20, np.int64)
    play_rounds(games, PLAYERS["heuristic"], tricks)
    env, agent = EckEnv(), HeuristicAgent()
    for index in range(20):
        observation, info = env.reset(seed=2**30 + index)
        while "round" not in info:
            action = agent.act(observation[np.newaxis], info["action_mask"][np.newaxis], np.zeros((1, 3), np.int64))
            observation, _, _, _, info = env.step(action[0])
        assert info["round"]["tricks_won"] == tricks[index]


def test_restore_inverts_encode() -> None:
    known = ["hand", "face_down", "face_up", "lead", "leader", "tied", "won", "lost", "laid", "gray", "yours", "ecks"]
    env = EckEnv()
    rng = np.random.default_rng(3)
    _, info = env.reset(seed=1)
    for _ in range(300):
        game = record(env._games, 0)
        row = np.zeros(259, np.int8)
        encode(game, row)
        back = record(np.zeros(1, GAME), 0)
        restore(row, back)
        for field in [*known, "counter", "target"]:
            assert back[field] == game[field], field
        assert (back.effects == game.effects).all()
        assert bag_of(back.cards[back.top : back.bottom].tolist()) == game.face_down
        _, _, terminated, _, info = env.step(rng.choice(np.flatnonzero(info["action_mask"])))
        if terminated:
            _, info = env.reset()


def decide(
    hand: list[str], deck: list[str], lead: str | None, won: int, statuses: dict[str, int], counter: int = 0
) -> str:
    """Return what the heuristic player plays with these cards."""
    from eck_env.eck.cards import NAMES

    game = record(new_games(1, make_variant()), 0)
    game.counter = counter
    for field, bits in statuses.items():
        game[field] = bits
    foresee(game)
    lead_kind = NO_CARD if lead is None else card_kind(lead)
    held = bag_of(card_kinds(hand))
    lost = 13 - len(hand) - won
    legal = legal_kinds(held, lead_kind, False)
    kind = heuristic_card(held, bag_of(card_kinds(deck)), 0, lead_kind, won, lost, 0, game.effects, legal)
    return NAMES[kind]


def test_heuristic_takes_the_last_trick_when_that_collects_a_card() -> None:
    assert decide(["R8", "B2"], ["R2", "R3", "B8"], "R5", 5, {}) == "R8"
    assert decide(["R8"], ["R2"], "R5", 5, {}) == "R8"


def test_heuristic_ducks_when_it_has_enough() -> None:
    assert decide(["R8", "R2"], ["G2", "G3", "B8"], "R5", 6, {}) == "R2"


def test_heuristic_avoids_feeding_a_gray_card() -> None:
    """With 5 tricks of 11, ECK's 6 and a trick to come: 7 for ECK is harmless, 8 would take the gray card 8."""
    gray_8 = 1 << 3
    yours_6 = 1 << 2
    assert decide(["R8", "K"], ["R3"], "R5", 5, {"gray": gray_8, "yours": yours_6}) in {"R8", "K"}
    assert decide(["B8", "W"], ["R3", "G3"], "R5", 5, {"gray": gray_8, "yours": yours_6 | 1 << 5}) == "W"


def test_trick_chances_count_the_cards_that_may_answer() -> None:
    deck = bag_of(card_kinds(["R2", "R8", "G5", "K", "W", "B2"]))
    take, tie, give = trick_chances(card_kind("R5"), NO_CARD, deck)
    assert (take, tie, give) == pytest.approx((2 / 5, 1 / 5, 2 / 5))  # R2 W, G5, R8 K; B2 may not answer
    assert trick_chances(card_kind("R5"), card_kind("R4"), deck) == (1.0, 0.0, 0.0)
    assert trick_chances(card_kind("W"), card_kind("K"), deck) == (1.0, 0.0, 0.0)
    assert trick_chances(card_kind("G4"), card_kind("R4"), deck) == (0.0, 1.0, 0.0)


def test_heuristic_agent_is_ahead_of_the_random_one() -> None:
    heuristic = evaluate(HeuristicAgent(), "EckBeginner-v0", 2000)
    random = evaluate(RandomAgent(), "EckBeginner-v0", 2000)
    assert heuristic.interval[0] > random.interval[1]
