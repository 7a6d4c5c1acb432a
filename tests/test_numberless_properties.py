"""What holds in every game without numbers, by random games; and what is drawn of hidden cards."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

from eck_env import NumberlessEnv, NumberlessVectorEnv
from eck_env.numberless.aec import NumberlessAECEnv
from eck_env.numberless.cards import DIFFERENT, NAMES, NUM_CARDS, SAME_BACKGROUND, SAME_FOREGROUND, card_description
from eck_env.numberless.observation import FIELDS, LAYOUT, SIZE, decode, encode, restore
from eck_env.numberless.rules import pattern_of
from eck_env.numberless.state import GAME
from eck_env.numberless.worlds import deal_hidden_of, make_table
from numberless_helpers import FLAT_SIZE, VARIANTS, legal_names, together
from reference.numberless import PACK, pattern

over_variants = pytest.mark.parametrize(
    ("players", "draft"), VARIANTS, ids=[f"{players}-{'draft' if draft else 'dealt'}" for players, draft in VARIANTS]
)


def positions(players: int, draft: bool, games: int, seed: int) -> Iterator[NumberlessAECEnv]:
    """Play random games, and yield the environment before each decision and after the end."""
    env, generator = NumberlessAECEnv(players, draft, None), Random(seed)
    for number in range(games):
        env.reset(seed=seed + number)
        while not any(env.terminations.values()):
            yield env
            env.step(generator.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()))
        yield env


@over_variants
def test_every_position(players: int, draft: bool) -> None:
    """49 cards always; a legal card at every decision, out of the hand; no count goes down; lengths as ruled."""
    last: list[int] = []
    for env in positions(players, draft, 12, 100):
        state = env.state_dict()
        cards = [card for part in (state["hands"], state["played"]) for hand in part for card in hand]
        if state["phase"] == "draft":
            cards += [card for part in state["drafted"] for card in part]
        assert len(cards) == len(set(cards)) == 7 * players
        assert set(cards) <= set(PACK)
        assert sum(state["collected"]) + len(state["pot"]) == sum(map(len, state["played"]))
        if state["phase"] == "over":
            assert 7 <= state["round"] <= 3 * players + 1
            assert any(not hand for hand in state["hands"])
            assert sum(env.rewards.values()) == pytest.approx(0.0)
            last = []
            continue
        seat = state["turn"]
        legal = legal_names(env.observe(env.agent_selection)["action_mask"])
        assert legal
        assert set(legal) <= set(state["hands"][seat])
        assert all(new >= old for new, old in zip(state["collected"], last or [0] * players, strict=True))
        last = state["collected"]
        assert all(not set(lack) & set(hand) for lack, hand in zip(state["lacks"], state["hands"], strict=True))
        assert state["pot"] or all(state["hands"])


def test_patterns_are_exclusive() -> None:
    """Of any two different cards exactly one pattern holds."""
    for one in range(NUM_CARDS):
        for two in set(range(NUM_CARDS)) - {one}:
            sets = (SAME_BACKGROUND[one], SAME_FOREGROUND[one], DIFFERENT[one])
            assert [int(part) >> two & 1 for part in sets].count(1) == 1
            number = pattern_of(one, two)
            names = (None, "same background", "same foreground", "all different")
            assert names[number] == pattern(PACK[one], PACK[two])
    assert tuple(PACK) == NAMES
    assert card_description(0) == "anchor on red"


def test_layout() -> None:
    assert (SIZE, sum(field.length for field in FIELDS)) == (FLAT_SIZE, FLAT_SIZE)
    for name, (start, stop) in {
        "hand": (0, 49),
        "lacks": (294, 588),
        "turn": (591, 598),
        "players": (621, 622),
    }.items():
        assert (LAYOUT.slices[name].start, LAYOUT.slices[name].stop) == (start, stop)


@over_variants
def test_decode_says_what_the_state_is(players: int, draft: bool) -> None:
    for env in positions(players, draft, 3, 7):
        state = env.state_dict()
        for seat, agent in enumerate(env.possible_agents):
            told = decode(env.observe(agent)["observation"])

            def turned(parts: list[Any], seat: int = seat) -> list[Any]:
                return parts[seat:] + parts[:seat]

            assert told["hand"] == state["hands"][seat]
            assert told["collected"] == turned(state["collected"])
            assert told["hand_sizes"] == [len(hand) for hand in turned(state["hands"])]
            assert told["played"] == turned(state["played"])
            assert told["lacks"][1:] == turned(state["lacks"])[1:]
            assert (told["pot"], told["pattern"], told["phase"]) == (state["pot"], state["pattern"], state["phase"])
            assert told["turn"] == (None if state["turn"] is None else (state["turn"] - seat) % players)
            if state["phase"] == "draft":
                assert sorted(told["kept"]) == sorted(state["drafted"][seat])
            known = {card for hand in told["seen"] for card in hand} | set(told["hand"]) | set(together(told["played"]))
            assert sorted(told["unseen"]) == sorted(set(PACK) - known)


def observed(game: Any) -> list[int]:
    out = np.zeros(SIZE, np.int8)
    encode(game, out)
    return out.tolist()


@over_variants
def test_restore_is_the_inverse_of_encode(players: int, draft: bool) -> None:
    games = np.zeros(1, GAME)
    for env in positions(players, draft, 3, 17):
        seen = env.observe(env.agent_selection)["observation"]
        restore(seen, games.view(np.recarray)[0])
        game = games.view(np.recarray)[0]
        # What the others hold is for a search to deal; the observation shows how many cards that are.
        key = np.uint64(env.state_dict()["decision"])
        deal_hidden_of(games, 0, key, make_table())
        assert observed(game) == seen.tolist()


@over_variants
def test_drawn_worlds_fit_what_the_seat_to_move_knows(players: int, draft: bool) -> None:
    """The seat to move observes the same, and the state that is drawn is one that the rules allow."""
    other = NumberlessAECEnv(players, draft, None)
    for number, env in enumerate(positions(players, draft, 2, 23)):
        seat, twin = int(env.agent_selection[-1]), NumberlessAECEnv(players, draft, None)
        twin.set_state(env.state_dict())
        deal_hidden_of(twin._games, seat, np.uint64(number), make_table())
        assert (
            twin.observe(env.agent_selection)["observation"] == env.observe(env.agent_selection)["observation"]
        ).all()
        other.set_state(twin.state_dict())  # which checks it
        for agent in env.possible_agents:
            assert (other.observe(agent)["observation"] == twin.observe(agent)["observation"]).all()


def test_worlds_vary_and_cover_what_is_possible() -> None:
    """Each card that a seat has never seen is somewhere in some world, and set aside in some other."""
    env = NumberlessAECEnv(4, True)
    env.reset(seed=3)
    for _ in range(28):
        env.step(int(np.argmax(env.observe(env.agent_selection)["action_mask"])))
    unseen = decode(env.observe("player_0")["observation"])["unseen"]
    found: dict[str, set[int]] = {card: set() for card in unseen}
    for key in range(200):
        games = env._games.copy()
        deal_hidden_of(games, 0, np.uint64(key), make_table())
        hands = games["hands"][0]
        for card in unseen:
            holders = [seat for seat in range(4) if int(hands[seat]) >> PACK.index(card) & 1]
            found[card].add(holders[0] if holders else -1)
    assert all(holders == {-1, 1, 2, 3} for holders in found.values())


def test_determinize_hides_nothing_that_is_known() -> None:
    env = NumberlessEnv(start_player=None)
    rng, generator = np.random.default_rng(1), Random(2)
    for seed in range(5):
        seen, info = env.reset(seed=seed)
        terminated = False
        while not terminated:
            copy = env.copy()
            copy.determinize(rng)
            again, told = copy.set_state(copy.state_dict())
            assert (again == seen).all()
            assert (told["action_mask"] == info["action_mask"]).all()
            while not copy.step(generator.choice(np.flatnonzero(copy.action_masks()).tolist()))[2]:
                pass
            seen, _, terminated, _, info = env.step(generator.choice(np.flatnonzero(info["action_mask"]).tolist()))


class Recorder:
    """Plays the last legal card, and keeps what it was given."""

    def __init__(self) -> None:
        self.keys: list[list[int]] = []
        self.seen: list[list[int]] = []

    def act(self, observations: Any, action_masks: Any, keys: Any) -> Any:
        self.keys += keys.tolist()
        self.seen += observations.tolist()
        return NUM_CARDS - 1 - np.argmax(action_masks[:, ::-1], axis=1)


def test_agents_at_the_other_seats_see_what_their_seats_see() -> None:
    recorder = Recorder()
    env = NumberlessEnv(opponents=["random", recorder, recorder], start_player=1)
    batch = NumberlessVectorEnv(3, opponents=["random", recorder, recorder], start_player=1)
    _, info = env.reset(seed=8)
    terminated = False
    while not terminated:
        assert env.state_dict()["turn"] == 0
        _, _, terminated, _, info = env.step(int(np.argmax(info["action_mask"])))
    keys, seen = recorder.keys, recorder.seen
    assert len({tuple(key) for key in keys}) == len(keys)
    assert all(decode(np.array(row))["turn"] == 0 for row in seen)
    recorder.keys, recorder.seen = [], []
    _, infos = batch.reset(seed=8)
    ended = np.zeros(3, np.bool_)
    while not ended[0]:
        _, _, ended, _, infos = batch.step(np.argmax(infos["action_mask"], axis=1))
    own = [row for key, row in zip(recorder.keys, recorder.seen, strict=True) if key[0] == 8]
    assert own == seen
