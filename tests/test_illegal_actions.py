"""What an illegal action does in the single environment: the game is lost, or an error says what is wrong."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from eck_env import EckEnv, IllegalActionError
from eck_helpers import plain
from game_helpers import ECK, Kit, over_games, play_on
from reference.eck import CARDS, KINDS, kind


@over_games
@pytest.mark.parametrize("observation", ["flat", "dict"])
def test_every_illegal_action_forfeits(kit: Kit, observation: str) -> None:
    env = kit.env(observation=observation)
    generator = Random(3)
    env.reset(seed=3)
    play_on(env, generator, 20 if kit is ECK else 5)  # the other games may be over by then
    start = env.state_dict()
    seen, info = env.set_state(start)
    actions = np.flatnonzero(info["action_mask"] == 0).tolist()
    assert len(actions) > 20
    for action in actions:
        env.set_state(start)
        after, reward, terminated, truncated, info = env.step(action)
        assert plain(after) == plain(seen)
        assert (reward, terminated, truncated) == (-1.0, True, False)
        assert type(reward) is float
        assert info.pop("action_mask").tolist() == [1] * kit.num_actions
        assert info == {"outcome": "loss", "reasons": ["illegal_action"], "illegal_action": True}
        assert info["illegal_action"] is True
        ended = {"outcome": "loss", "reasons": ["illegal_action"], "over": True}
        assert env.state_dict() == {**start, **ended}
        assert env.action_masks().all()
    number = env.state_dict()["game"]
    env.reset()
    assert env.state_dict()["game"] == number + 1


@over_games
def test_a_forfeited_state_round_trips(kit: Kit) -> None:
    env, other = kit.env(), kit.env()
    before, _ = env.reset(seed=3)
    env.step(int(np.argmin(env.action_masks())))
    seen, info = other.set_state(env.state_dict())
    assert info["action_mask"].tolist() == [1] * kit.num_actions
    assert other.state_dict() == env.state_dict()
    with pytest.raises(ResetNeeded):
        other.step(0)
    assert plain(seen) == plain(before)


HAND = ["R3", "R5", "G2", "G4", "B6", "K", "K", "W", "P2", "P3", "P4", "P5", "P6"]


def situation(lead: str | None, circle_follow: str) -> EckEnv:
    """Return an environment where you hold HAND, and ECK led this card, or you have won a trick with Y8 and lead."""
    env = EckEnv(illegal_action="raise", circle_follow=circle_follow)
    env.reset(seed=4)
    first = lead or "Y6"
    hand = HAND if lead else [*HAND[:-1], "Y8"]
    rest = list(CARDS)
    for card in [*hand, first]:
        rest.remove(card)
    env.reset(options={"hand": hand, "deck": [first, *rest]})
    if not lead:
        env.step(kind("Y8"))
    return env


@pytest.mark.parametrize(
    ("lead", "circle_follow", "action", "reason", "legal"),
    [
        pytest.param("R8", "any", "G2", "red cards", "R3, R5", id="color held"),
        pytest.param("R8", "any", "K", "red cards", "R3, R5", id="a circle while the color is held"),
        pytest.param("R8", "any", "O2", "not in your hand", "R3, R5", id="not in the hand, another color"),
        pytest.param("R8", "any", "R4", "not in your hand", "R3, R5", id="not in the hand, same color"),
        pytest.param("O8", "any", "O2", "not in your hand", "R3", id="not in the hand, all legal"),
        pytest.param("K", "any", "Y2", "not in your hand", "R3", id="after a circle"),
        pytest.param("K", "same", "W", "ECK led K", "K", id="other circle"),
        pytest.param("W", "same", "R3", "ECK led W", "W", id="no circle"),
        pytest.param("W", "same", "O3", "not in your hand", "W", id="not in the hand, circle asked for"),
        pytest.param(None, "any", "P6", "not in your hand", "R3", id="you lead"),
    ],
)
def test_raise_says_what_is_wrong(lead: str | None, circle_follow: str, action: str, reason: str, legal: str) -> None:
    """The error names the card, the reason and the legal cards, and nothing has changed."""
    env = situation(lead, circle_follow)
    state, mask = env.state_dict(), env.action_masks()
    with pytest.raises(IllegalActionError) as error:
        env.step(kind(action))
    text = str(error.value)
    assert action in text
    assert legal in text
    assert reason in text
    for card in np.flatnonzero(mask):
        assert KINDS[card] in text
    assert env.state_dict() == state
    assert (env.action_masks() == mask).all()
    env.step(int(np.argmax(mask)))


@over_games
def test_raise_changes_nothing(kit: Kit) -> None:
    """Whatever illegal action is tried, at whatever moment; the error names it by its number."""
    env = kit.env(illegal_action="raise")
    env.reset(seed=2)
    for _ in range(12):
        state, mask = env.state_dict(), env.action_masks()
        for action in np.flatnonzero(~mask).tolist():
            with pytest.raises(IllegalActionError, match=rf"\b{action}\b.* is illegal"):
                env.step(action)
        assert env.state_dict() == state
        assert (env.action_masks() == mask).all()
        if play_on(env, Random(2), 1)[0][2]:
            env.reset()


@over_games
def test_raise_plays_whole_games(kit: Kit) -> None:
    env, twin = kit.env(illegal_action="raise"), kit.env()
    env.reset(seed=1)
    twin.reset(seed=1)
    assert play_on(env, Random(1)) == play_on(twin, Random(1))
