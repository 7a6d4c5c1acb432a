"""A scripted game for each rule of the game without numbers, by hands that are given."""

from __future__ import annotations

from typing import Any

import pytest

from eck_env import IllegalActionError
from eck_env.numberless.aec import NumberlessAECEnv
from numberless_helpers import legal_names
from reference.numberless import PACK


def table(hands: list[str], draft: bool = False, start: int = 0) -> NumberlessAECEnv:
    """Return a game with these hands, each a text of cards."""
    env = NumberlessAECEnv(len(hands), draft, start)
    env.reset(seed=1, options={"hands": [hand.split() for hand in hands]})
    return env


def legal(env: NumberlessAECEnv) -> list[str]:
    return legal_names(env.observe(env.agent_selection)["action_mask"])


def play(env: NumberlessAECEnv, cards: str) -> list[dict[str, Any]]:
    """Play these cards, and return the rounds that ended."""
    rounds = []
    for card in cards.split():
        env.step(PACK.index(card))
        rounds += env.infos["player_0"].get("rounds", [])
    return rounds


HANDS = ["AR AO AY AG AB AP AW", "BR BO BY BG BB BP BW", "CR CO CY CG CB CP DR"]


def test_deal() -> None:
    """7 cards each; the rest is set aside, seen by nobody."""
    env = table(HANDS)
    state = env.state_dict()
    assert state["hands"] == [hand.split() for hand in HANDS]
    seen = env.observe("player_1")["observation"]
    assert seen[:49].tolist() == [int(card in HANDS[1].split()) for card in PACK]
    assert seen[245:294].sum() == 0


def test_draft_passes_to_the_left() -> None:
    """Everyone takes one card, the rest goes to the next seat; nobody sees a pick before all have picked."""
    env = table(HANDS, draft=True)
    before = [env.observe(agent) for agent in env.possible_agents]
    env.step(PACK.index("AR"))
    for seat in (1, 2):
        assert (env.observe(f"player_{seat}")["observation"][:245] == before[seat]["observation"][:245]).all()
    assert env.agent_selection == "player_1"
    assert legal(env) == HANDS[1].split()
    play(env, "BW DR")
    state = env.state_dict()
    assert state["drafted"] == [["AR"], ["BW"], ["DR"]]
    assert state["hands"] == [
        ["CR", "CO", "CY", "CG", "CB", "CP"],
        ["AO", "AY", "AG", "AB", "AP", "AW"],
        ["BR", "BO", "BY", "BG", "BB", "BP"],
    ]


def test_seventh_pick_is_forced() -> None:
    """It is a decision with one legal card, and play begins after it."""
    env = table(HANDS, draft=True, start=2)
    for _ in range(18):
        assert len(legal(env)) > 1
        play(env, legal(env)[0])
    for seat in range(3):
        assert env.agent_selection == f"player_{seat}"
        assert len(legal(env)) == 1
        play(env, legal(env)[0])
    state = env.state_dict()
    assert (state["phase"], state["turn"]) == ("play", 2)
    assert state["hands"][0] == ["AR", "AG", "AW", "BY", "BP", "CO", "CB"]


def test_the_first_two_may_play_anything() -> None:
    env = table(HANDS, start=1)
    assert env.agent_selection == "player_1"
    assert legal(env) == HANDS[1].split()
    play(env, "BG")
    assert env.agent_selection == "player_2"
    assert legal(env) == ["CR", "CO", "CY", "CG", "CB", "CP", "DR"]


@pytest.mark.parametrize(
    ("first", "second", "pattern", "fitting"),
    [
        ("AR", "BR", "same background", "CR DR"),
        ("AR", "AO", "same foreground", "AW"),
        ("AR", "BO", "all different", "CY CG"),
    ],
)
def test_patterns(first: str, second: str, pattern: str, fitting: str) -> None:
    """The third player has to fit; with all different, neither foreground nor background may be there already."""
    others = ["AR AG AB AP EY EG EB", "BR BO AO BP FY FG FB", "CR DR AW CO CY CG BY"]
    env = table(others)
    play(env, f"{first} {second}")
    assert env.state_dict()["pattern"] == pattern
    assert legal(env) == fitting.split()
    with pytest.raises(IllegalActionError, match=pattern):
        env.step(PACK.index("CO"))


def test_all_different_holds_for_the_whole_pot() -> None:
    env = table(["AR AO AY AG AB AP AW", "BR BO BY BG BB BP BW", "CR CO CY CG CB CP CW", "DR DO DY DG DB DP DW"])
    play(env, "AR BO CY")
    assert legal(env) == ["DG", "DB", "DP", "DW"]


def test_bust_takes_the_pot_and_starts() -> None:
    """Who cannot fit takes all cards, plays nothing and starts the next round; others do not get a turn."""
    env = table(["AR AO AY AG AB AP AW", "BR BO BY BG BB BP BW", "CO CY CG CB CP CW DO", "DR ER FR GR EO EY EG"])
    assert play(env, "AR BR") == [{"taker": 2, "reason": "bust", "cards": 2}]
    state = env.state_dict()
    assert (state["turn"], state["start"], state["collected"]) == (2, 2, [0, 0, 2, 0])
    assert [len(hand) for hand in state["hands"]] == [6, 6, 7, 7]
    assert state["lacks"][2] == ["CR", "DR", "ER", "FR", "GR"]
    assert len(legal(env)) == 7


def test_second_player_takes_a_full_circle() -> None:
    env = table(["AR AO AY AG AB AP AW", "BR BO BY BG BB BP BW", "CR CO CY CG CB CP CW"])
    assert play(env, "AR BR CR") == [{"taker": 1, "reason": "second player", "cards": 3}]
    assert env.agent_selection == "player_1"


def test_the_game_ends_with_the_round_in_which_a_hand_is_empty() -> None:
    """Cards collected and cards in hand count; equal lowest counts share the win."""
    env = table(["AR AO AY AG AB AP AW", "BR BO BY BG BB BP BW", "CR CO CY CG CB CP CW"])
    rounds = play(env, "AR BR CR BO CO AO CY AY BY AG BG CG BB CB AB CP AP BP")
    assert [one["taker"] for one in rounds] == [1, 2, 0, 1, 2, 0]
    assert not any(env.terminations.values())
    rounds = play(env, "AW BW CW")
    assert [one["taker"] for one in rounds] == [1]
    assert all(env.terminations.values())
    assert env.state_dict()["collected"] == [6, 9, 6]
    assert list(env.rewards.values()) == pytest.approx([1 / 2 - 1 / 3, -1 / 3, 1 / 2 - 1 / 3])


def test_cards_in_hand_count() -> None:
    """Seats 0 and 1 play all, seat 2 never fits and collects, and keeps what it holds."""
    env = table(["AR BR AO BO AY BY AG", "CR DR CO DO CY DY CG", "EP FP GP EW FW GW AP"])
    while not any(env.terminations.values()):
        cards = legal(env)
        if env.agent_selection == "player_2":
            play(env, cards[0])
            continue
        state = env.state_dict()
        fitting = [card for card in cards if state["pot"] and card[1] == state["pot"][0][1]]
        play(env, (fitting or cards)[0])
    state = env.state_dict()
    counts = [taken + len(hand) for taken, hand in zip(state["collected"], state["hands"], strict=True)]
    assert sum(counts) == 21
    assert any(state["hands"])
    assert [reward > 0 for reward in env.rewards.values()] == [count == min(counts) for count in counts]
    assert sum(env.rewards.values()) == pytest.approx(0.0)


def test_start_player() -> None:
    """A seat, or one drawn by the seed, known to all in the draft already."""
    for start in range(4):
        env = NumberlessAECEnv(4, False, start)
        env.reset(seed=5)
        assert env.agent_selection == f"player_{start}"
    env = NumberlessAECEnv(4, True, None)
    starts = set()
    for seed in range(40):
        env.reset(seed=seed)
        start = env.state_dict()["start"]
        starts.add(start)
        assert env.observe("player_1")["observation"][598:605].tolist().index(1) == (start - 1) % 4
    assert starts == {0, 1, 2, 3}
