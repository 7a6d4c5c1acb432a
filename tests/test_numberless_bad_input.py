"""Bad input to the environments of the game without numbers: what is wrong is said, and nothing has changed."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

from eck_env import NumberlessEnv, NumberlessVectorEnv
from eck_env.numberless import numberless_v0
from game_helpers import play_on
from numberless_helpers import together
from reference.numberless import PACK

HAND = ["AR", "BO", "CY", "DG", "EB", "FP", "GW"]

KEYWORDS: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    ({"num_players": 2}, ("num_players", "2", "3 to 7")),
    ({"num_players": 8}, ("num_players", "8")),
    ({"num_players": "4"}, ("'4'",)),
    ({"draft": 1}, ("draft", "True or False")),
    ({"start_player": 4}, ("start_player", "4", "0 to 3")),
    ({"start_player": "you"}, ("'you'",)),
    ({"opponents": "randon"}, ("'randon'", "'random'")),
    ({"opponents": ["random"]}, ("1 entries", "3 other seats")),
    ({"opponents": 3}, ("3", "agent")),
    ({"opponents": ["random", 3, "random"]}, ("3", "act(")),
    ({"reward": "win"}, ("'win'", "'share'")),
    ({"illegal_action": "lose"}, ("'lose'", "'forfeit'")),
    ({"observation": "flatt"}, ("'flatt'", "'flat'")),
    ({"dtype": "int16"}, ("'int16'", "'int8'")),
]


@pytest.mark.parametrize(("keywords", "words"), KEYWORDS)
def test_keywords(keywords: dict[str, Any], words: tuple[str, ...]) -> None:
    for make in (NumberlessEnv, lambda **given: NumberlessVectorEnv(2, **given)):
        with pytest.raises(ValueError) as error:
            make(**keywords)
        assert all(word in str(error.value) for word in words), error.value
    if keywords.keys() <= {"num_players", "draft", "start_player", "illegal_action", "dtype"}:
        with pytest.raises(ValueError) as error:
            numberless_v0.env(**keywords)
        assert all(word in str(error.value) for word in words), error.value


OPTIONS: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    ({"hand": HAND}, ("'hand'", "'hands'")),
    ({"hands": [HAND]}, ("1 hands", "4 seats")),
    ({"hands": "AR"}, ("the text 'AR'",)),
    ({"hands": [HAND[1:], None, None, None]}, ("hands[0]", "6 cards")),
    ({"hands": [HAND, HAND, None, None]}, ("AR", "2 times")),
    ({"hands": [["XX", *HAND[1:]], None, None, None]}, ("'XX'", "'AR'")),
    ({"deal": PACK[:48]}, ("deal", "48 cards")),
    ({"deal": [*PACK[:48], "AR"]}, ("AR", "2 times")),
    ({"deal": PACK, "hands": [None] * 4}, ("deal", "hands")),
    ({"start_player": 4}, ("start_player", "4")),
]


@pytest.mark.parametrize(("options", "words"), OPTIONS)
def test_options(options: dict[str, Any], words: tuple[str, ...]) -> None:
    env = NumberlessEnv()
    env.reset(seed=3)
    play_on(env, Random(1), 5)
    before = env.state_dict()
    with pytest.raises(ValueError) as error:
        env.reset(seed=4, options=options)
    assert all(word in str(error.value) for word in words), error.value
    assert env.state_dict() == before
    aec = numberless_v0.raw_env()
    aec.reset(seed=3)
    before = aec.state_dict()
    with pytest.raises(ValueError):
        aec.reset(seed=4, options=options)
    assert aec.state_dict() == before


class Answers:
    """An agent that answers every question alike."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def act(self, observations: Any, action_masks: Any, keys: Any) -> Any:
        """Return the answer."""
        return self.answer


class Failing:
    """An agent that plays its first legal card, until it is told to fail."""

    def __init__(self) -> None:
        self.after: int | None = None

    def act(self, observations: Any, action_masks: Any, keys: Any) -> Any:
        """Return the first legal cards, or raise an error."""
        if self.after == 0:
            raise RuntimeError("lost the connection")
        self.after = None if self.after is None else self.after - 1
        return action_masks.argmax(1)


@pytest.mark.parametrize("draft", [True, False])
@pytest.mark.parametrize("after", [0, 1, 2])
def test_an_opponent_that_fails_leaves_the_game_as_it_was(after: int, draft: bool) -> None:
    agent = Failing()
    env = NumberlessEnv(opponents=agent, draft=draft)
    env.reset(seed=1)
    before, mask = env.state_dict(), env.action_masks()
    action = int(mask.argmax())
    tries: list[Callable[[], Any]] = [lambda: env.step(action)]
    if not draft:
        tries += [lambda: env.reset(seed=1, options={"start_player": 1})]
        tries += [lambda: env.set_state({**before, "turn": 1, "start": 1})]
    for failing in tries:
        agent.after = after
        with pytest.raises(RuntimeError, match="lost the connection"):
            failing()
        agent.after = None
        assert env.state_dict() == before
        np.testing.assert_array_equal(env.action_masks(), mask)
    assert env.step(action)[4]["action_mask"].any()


@pytest.mark.parametrize("draft", [True, False])
def test_a_batch_whose_opponent_fails_stays_as_it_was(draft: bool) -> None:
    agent = Failing()
    env = NumberlessVectorEnv(3, opponents=agent, draft=draft)
    env.reset(seed=1)
    before, masks = [env.state_dict(index) for index in range(3)], env.action_masks()
    agent.after = 1
    with pytest.raises(RuntimeError, match="lost the connection"):
        env.step(masks.argmax(1))
    agent.after = None
    assert [env.state_dict(index) for index in range(3)] == before
    np.testing.assert_array_equal(env.action_masks(), masks)
    env.step(masks.argmax(1))


@pytest.mark.parametrize("answer", [None, 5, [99.5], [1.0], [-1], [49], [1, 2], "AR", [True]])
def test_an_opponent_whose_answer_is_no_action(answer: Any) -> None:
    env = NumberlessEnv(opponents=Answers(answer), start_player=1, draft=False)
    with pytest.raises(ValueError, match=r"the agent at seat 1 returned .* but must return an array of 1 integers"):
        env.reset(seed=1)


def reached(phase: str) -> dict[str, Any]:
    """Return a state in the draft, in a round with cards in the pot and cards collected, or at the end."""
    env, generator = NumberlessEnv(), Random(5)
    env.reset(seed=17)
    while True:
        state = env.state_dict()
        found = {
            "draft": len(state["drafted"][0]) == 2,
            "play": len(state["pot"]) == 3 and state["round"] > 2,
            "over": True,
        }
        if state["phase"] == phase and found[phase]:
            return state
        if env.step(generator.choice(np.flatnonzero(env.action_masks()).tolist()))[2]:
            if phase == "over":
                return env.state_dict()
            env.reset()


DRAFT, PLAY, OVER = (reached(phase) for phase in ("draft", "play", "over"))
SPARE = next(card for card in PACK if card not in together(PLAY["hands"] + PLAY["played"]))
MISSING = object()

STATES: list[tuple[dict[str, Any], dict[str, Any], tuple[str, ...]]] = [
    *((PLAY, {key: MISSING}, (key,)) for key in ("phase", "turn", "hands", "played", "collected", "seed", "outcome")),
    (PLAY, {"hand": []}, ("'hand'",)),
    (PLAY, {"phase": "playing"}, ("'playing'",)),
    (PLAY, {"turn": 4}, ("turn", "4")),
    (PLAY, {"turn": None}, ("turn", "None")),
    (PLAY, {"turn": (PLAY["turn"] + 1) % 4}, ("turn",)),
    (PLAY, {"start": -1}, ("start", "-1")),
    (PLAY, {"hands": PLAY["hands"][:3]}, ("hands", "3 entries")),
    (PLAY, {"hands": [PLAY["hands"][0][1:], *PLAY["hands"][1:]]}, ("hands[0]",)),
    (PLAY, {"hands": [[SPARE, *PLAY["hands"][0][1:]], *PLAY["hands"][1:]]}, ("drafted[0]",)),
    (PLAY, {"pot": PLAY["pot"][:2]}, ("turn",)),
    (PLAY, {"pot": [SPARE]}, (SPARE,)),
    (PLAY, {"pot": PLAY["pot"][::-1]}, ("pot",)),
    (PLAY, {"pattern": "all the same"}, ("'all the same'",)),
    (PLAY, {"collected": [0, 0, 0, 0]}, ("collected", "0")),
    (PLAY, {"collected": [-1, 0, 0, 0]}, ("-1",)),
    (PLAY, {"round": 0}, ("round",)),
    (PLAY, {"round": 99}, ("99",)),
    (PLAY, {"seed": -1}, ("seed", "-1")),
    (PLAY, {"game": 1.5}, ("game", "1.5")),
    (PLAY, {"picks": [None, None, None, SPARE]}, (SPARE,)),
    (PLAY, {"lacks": [PLAY["hands"][0], [], [], []]}, ("lacks[0]",)),
    (PLAY, {"outcome": "win"}, ("'win'",)),
    (PLAY, {"outcome": "draw"}, ("'draw'",)),
    (PLAY, {"over": True}, ("over",)),
    (PLAY, {"reasons": ["more_cards"]}, ("more_cards",)),
    (PLAY, {"last_round": {**PLAY["last_round"], "pot": [SPARE, "AR"]}}, ("last_round",)),
    (PLAY, {"last_round": {**PLAY["last_round"], "reason": "mood"}}, ("'mood'",)),
    (DRAFT, {"drafted": [DRAFT["drafted"][0][:1], *DRAFT["drafted"][1:]]}, ("hands[0]",)),
    (DRAFT, {"drafted": [*DRAFT["drafted"][:3], DRAFT["drafted"][3][:1]]}, ("drafted[3]",)),
    (DRAFT, {"picks": [DRAFT["hands"][1][0], None, None, None]}, ("picks[0]",)),
    (DRAFT, {"picks": [DRAFT["hands"][0][0], None, None, None]}, ("turn is 0",)),
    (DRAFT, {"played": [["AR"], [], [], []]}, ("played[0]",)),
    (DRAFT, {"lacks": [["AR"], [], [], []]}, ("lacks[0]",)),
    (OVER, {"outcome": None}, ("outcome",)),
    (OVER, {"turn": 0}, ("turn",)),
]


@pytest.mark.parametrize(("base", "changes", "words"), STATES)
def test_states(base: dict[str, Any], changes: dict[str, Any], words: tuple[str, ...]) -> None:
    state = {key: value for key, value in {**base, **changes}.items() if value is not MISSING}
    env = NumberlessEnv()
    env.reset(seed=3)
    before = env.state_dict()
    env.set_state(base)
    env.set_state(before)
    with pytest.raises(ValueError) as error:
        env.set_state(state)
    assert all(word in str(error.value) for word in words), error.value
    assert env.state_dict() == before


@pytest.mark.parametrize("base", [DRAFT, PLAY, OVER])
def test_optional_keys(base: dict[str, Any]) -> None:
    keys = ("pattern", "last_round", "decision", "reasons", "over", "lacks")
    env = NumberlessEnv()
    env.set_state({key: value for key, value in base.items() if key not in keys})
    changed = {
        **env.state_dict(),
        "last_round": base["last_round"],
        "decision": base["decision"],
        "lacks": base["lacks"],
    }
    assert changed == base


def test_another_variant() -> None:
    with pytest.raises(ValueError, match="draft=False"):
        NumberlessEnv(draft=False).set_state(DRAFT)
    with pytest.raises(ValueError, match="5 seats"):
        NumberlessEnv(num_players=5).set_state(PLAY)


@pytest.mark.parametrize("illegal_action", ["forfeit", "raise"])
@pytest.mark.parametrize("action", [99, -1, "x", 1.5, None, True])
def test_what_is_no_action_is_refused_and_changes_nothing(action: Any, illegal_action: str) -> None:
    env = numberless_v0.env(illegal_action, num_players=3)
    env.reset(seed=4)
    before = env.unwrapped.state_dict()
    with pytest.raises(ValueError, match=r"action is .* but must be an integer from 0 to 48"):
        env.step(action)
    assert env.unwrapped.state_dict() == before
    assert not any(env.terminations.values())
