"""The plain statement of ECK's rules against the replay cases, the rulings and itself."""

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from reference.eck import (
    ALL,
    CARDS,
    KINDS,
    ReferenceGame,
    by_kind,
    kind,
    second_card_result,
    settle,
)

CASES = Path(__file__).parent / "cases"
ROUNDS: list[dict[str, Any]] = json.loads((CASES / "eck_rounds.json").read_text("utf-8"))
GAMES: list[dict[str, Any]] = json.loads((CASES / "eck_games.json").read_text("utf-8"))


class Replay:
    """A first round with given cards and shuffles; any later round is dealt in a fixed order."""

    def __init__(self, hand: Sequence[str], deck: Sequence[str], shuffles: Sequence[Sequence[str]] = ()) -> None:
        """Take the cards of the first round and the order that each shuffle gives."""
        self.hand = list(hand)
        self.deck = list(deck)
        self.shuffles = [list(order) for order in shuffles]
        self.asked: list[list[str]] = []

    def deal(self, round_: int) -> tuple[list[str], list[str]]:
        """Return the given cards for the first round."""
        if round_ == 0:
            return list(self.hand), list(self.deck)
        return CARDS[:13], CARDS[13:]

    def shuffle(self, round_: int, number: int, cards: list[str]) -> list[str]:
        """Return the given order, which must be of the cards to be shuffled."""
        assert round_ == 0
        assert number == len(self.asked)
        assert cards == by_kind(self.shuffles[number])
        self.asked.append(cards)
        return list(self.shuffles[number])


class Random:
    """Deals and shuffles out of one seeded generator."""

    def __init__(self, seed: int) -> None:
        """Seed the generator."""
        self.generator = random.Random(seed)

    def deal(self, round_: int) -> tuple[list[str], list[str]]:
        """Return all cards in a random order, cut after the thirteenth."""
        cards = self.generator.sample(CARDS, len(CARDS))
        return cards[:13], cards[13:]

    def shuffle(self, round_: int, number: int, cards: list[str]) -> list[str]:
        """Return the cards in a random order."""
        assert cards == by_kind(cards)
        return self.generator.sample(cards, len(cards))


def round_id(case: dict[str, Any]) -> str:
    """Return what the case is for, and its place among the cases of that sort."""
    alike = [other for other in ROUNDS if other["case"] == case["case"]]
    name = str(case["case"]).replace(":", "").replace(" ", "-")
    return f"{name}-{alike.index(case) + 1}"


def game_id(case: dict[str, Any]) -> str:
    """Return the place of the case, its variant and the tricks of its rounds."""
    cards = "all" if tuple(case["trick_cards"]) == ALL else ",".join(case["trick_cards"])
    results = "-".join(str(tricks) for tricks in case["results"])
    return f"{GAMES.index(case) + 1}:target {case['target']} of {cards}:{results}"


# The replay cases


@pytest.mark.parametrize("case", ROUNDS, ids=round_id)
def test_round_case(case: dict[str, Any]) -> None:
    """Every trick of the case comes out as it stands there."""
    source = Replay(case["hand"], case["deck"], case["shuffles"])
    game = ReferenceGame(source)
    for number, (card, expected) in enumerate(zip(case["plays"], case["tricks"], strict=True)):
        assert game.legal() == [kind(legal) for legal in expected["legal"]]
        before = game.state()
        assert before["leader"] == expected["leader"]
        assert before["lead"] == (expected["lead"] if expected["leader"] == "eck" else None)
        step = game.play(card)
        for key in ("leader", "lead", "follow", "taken_by"):
            assert step.trick[key] == expected[key]
        assert (step.round is not None) == (number == 12)
    assert step.round is not None
    assert step.round["tricks_won"] == case["you_took"]
    assert len(source.asked) == len(case["shuffles"])


@pytest.mark.parametrize("case", GAMES, ids=game_id)
def test_game_case(case: dict[str, Any]) -> None:
    """The trick cards, the counter and the end of the game come out as in the case."""
    trick_cards = dict.fromkeys(case["trick_cards"], "colored")
    counter = "0"
    outcome = None
    for tricks, expected in zip(case["results"], case["after"], strict=True):
        assert outcome is None
        end = settle(tricks, trick_cards, counter, case["target"])
        trick_cards, counter, outcome = end.trick_cards, end.counter, end.outcome
        assert trick_cards == expected["trick_cards"]
        assert counter == expected["counter"]
        assert outcome == expected["outcome"]
        assert end.reasons == expected["reasons"]


# The table of tricks and the rulings


@pytest.mark.parametrize(
    ("lead", "second", "result"),
    [
        ("R3", "R4", "follower"),
        ("R6", "R5", "leader"),
        ("R8", "R6", "leader"),
        ("R3", "P3", "tied"),
        ("R2", "P8", "leader"),
        ("R8", "K", "follower"),
        ("K", "R8", "leader"),
        ("R2", "W", "leader"),
        ("W", "R2", "follower"),
        ("K", "K", "tied"),
        ("W", "W", "tied"),
        ("K", "W", "follower"),
        ("W", "K", "leader"),
    ],
)
def test_second_card_result(lead: str, second: str, result: str) -> None:
    """Each line of the table of tricks."""
    assert second_card_result(lead, second) == result


def dealt(hand: str, deck: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return a deal of this hand, the deck having all other cards below those given."""
    rest = list(CARDS)
    for card in [*hand.split(), *deck]:
        rest.remove(card)
    return hand.split(), [*deck, *rest]


@pytest.mark.parametrize(
    ("circles", "lead", "option", "only"),
    [
        ("K W", "K", "any", None),
        ("K W", "W", "any", None),
        ("K W", "K", "same", "K"),
        ("K W", "W", "same", "W"),
        ("K K", "W", "same", None),
        ("W W", "K", "same", None),
        ("K W", "R8", "any", "R2 R3 R4 R5 R6"),
        ("K W", "R8", "same", "R2 R3 R4 R5 R6"),
        ("K W", "G8", "any", None),
        ("K W", "G8", "same", None),
    ],
)
def test_ruling_a_circle_led(circles: str, lead: str, option: str, only: str | None) -> None:
    """Any card may follow a circle; with "same" a circle like it must, if one is held."""
    hand = f"R2 R3 R4 R5 R6 O2 O3 O4 O5 O6 O8 {circles}"
    game = ReferenceGame(Replay(*dealt(hand, [lead])), circle_follow=option)
    legal = hand if only is None else only
    assert game.legal() == sorted({kind(card) for card in legal.split()})
    for card in {*CARDS} - {*legal.split()}:
        with pytest.raises(ValueError, match=card):
            game.play(card)


@pytest.mark.parametrize("passed", [[], ["Y3", "R5", "B8"]], ids=["face down", "part face up"])
def test_ruling_b_nothing_matches(passed: list[str]) -> None:
    """All cards turned over are shuffled, the top one is played, the rest lies face down."""
    hand = "P2 P3 P4 P5 P6 P8 R6 O6 Y6 G6 B6 W W"
    source = Replay(*dealt(hand, ["K", "K", *passed, "K", "W"]))
    rest = source.deck[4 + len(passed) :]
    again = passed[::-1]
    order = [*rest[5:], *again, *rest[:5]]
    source.shuffles = [again, order] if passed else [order]
    game = ReferenceGame(source)
    for card, taker in (("W", "you"), ("W", "you"), ("P2", "eck"), ("R6", "you")):
        assert game.play(card).trick["taken_by"] == taker
    assert game.state()["face_up"] == by_kind(passed)
    assert source.asked == []
    trick = game.play("P6").trick
    assert trick["turned_over"] == rest + again
    assert trick["follow"] == order[0]
    assert trick["taken_by"] == "you"
    assert len(source.asked) == len(source.shuffles)
    assert game.state()["face_down"] == order[1:]
    assert game.state()["face_up"] == []


# ECK leads R2 to R3, then finds P2 for P8 behind 22 cards, which leaves five octagons face down.
SEARCH_HAND = "R3 P8 P6 P5 P4 P3 O2 K K K W W W"
SEARCH_HELD = [color + shape for color in "ROYGB" for shape in "23456"]
SEARCH_HELD = [card for card in SEARCH_HELD if card not in ("R2", "R3", "O2")]
OCTAGONS = ["R8", "O8", "Y8", "G8", "B8"]


def after_a_search(order: list[str]) -> tuple[ReferenceGame, Replay]:
    """Return a game with five octagons face down and 22 cards face up; you lead."""
    source = Replay(*dealt(SEARCH_HAND, ["R2", *SEARCH_HELD, "P2", *OCTAGONS]), [order])
    game = ReferenceGame(source)
    game.play("R3")
    assert game.play("P8").trick == {
        "leader": "you",
        "lead": "P8",
        "follow": "P2",
        "taken_by": "you",
        "turned_over": SEARCH_HELD,
    }
    assert game.state()["face_down"] == OCTAGONS
    assert game.state()["face_up"] == by_kind(SEARCH_HELD)
    assert source.asked == []
    return game, source


def test_ruling_c_search_into_the_face_up_cards() -> None:
    """Only what is left in the deck is shuffled; the hold area goes face up under it later."""
    sixes = [card for card in SEARCH_HELD if card[1] == "6"]
    others = [card for card in SEARCH_HELD if card[1] != "6"]
    passed = others[5:]
    order = [*passed, "G6", *others[:5], *[card for card in sixes if card != "G6"]]
    game, source = after_a_search(order)
    trick = game.play("P6").trick
    assert source.asked == [by_kind(SEARCH_HELD)]
    assert trick["turned_over"] == OCTAGONS + passed
    assert trick["follow"] == "G6"
    assert trick["taken_by"] == "tied"
    assert game.state()["face_down"] == order[len(passed) + 1 :]
    assert game.state()["face_up"] == by_kind(OCTAGONS + passed)


def test_ruling_d_eck_must_lead() -> None:
    """ECK must lead and the top card is face up: the deck is shuffled at once."""
    order = SEARCH_HELD[::-1]
    game, source = after_a_search(order)
    for card in ("K", "K", "K", "W"):
        game.play(card)
    assert game.state()["lead"] == "B8"
    assert game.state()["face_down"] == []
    assert source.asked == []
    game.play("W")
    assert source.asked == [by_kind(SEARCH_HELD)]
    assert game.state()["lead"] == order[0]
    assert game.state()["face_down"] == order[1:]
    assert game.state()["face_up"] == []


def test_ruling_d_you_lead_a_circle() -> None:
    """You lead a circle and the top card is face up: the deck is shuffled, not before."""
    order = SEARCH_HELD[::-1]
    game, source = after_a_search(order)
    for card in ("K", "K", "W", "W", "K"):
        game.play(card)
    assert game.state()["leader"] == "you"
    assert game.state()["face_down"] == []
    assert source.asked == []
    trick = game.play("W").trick
    assert source.asked == [by_kind(SEARCH_HELD)]
    assert trick["follow"] == order[0]
    assert trick["turned_over"] == []
    assert game.state()["lead"] == order[1]


def test_ruling_e_last_trick_tied() -> None:
    """The cases with a tied last trick, by shape and by circles, give it to its leader."""
    last = [case["tricks"][-1] for case in ROUNDS if case["case"] == "last trick tied"]
    assert {trick["lead"] == trick["follow"] for trick in last} == {True, False}
    for trick in last:
        assert second_card_result(trick["lead"], trick["follow"]) == "tied"
        assert trick["taken_by"] == trick["leader"]


COLORED = dict.fromkeys(ALL, "colored")


@pytest.mark.parametrize(
    ("tricks", "cards", "counter", "changed", "counter_after", "outcome", "reasons"),
    [
        pytest.param(0, {}, "2", {"13/0": "yours"}, "0", None, [], id="f none"),
        pytest.param(13, {}, "2", {"13/0": "yours"}, "0", None, [], id="f all"),
        pytest.param(0, {"13/0": "yours"}, "0", {}, "1", None, [], id="f none again"),
        pytest.param(13, {"13/0": "yours"}, "2", {}, "X", "loss", ["counter"], id="f all again"),
        pytest.param(6, {"6": "yours"}, "0", {}, "1", None, [], id="g collected already"),
        pytest.param(5, {"8": "yours"}, "1", {}, "2", None, [], id="h collected by you"),
        pytest.param(5, {"8": "gray"}, "2", {"8": "eck"}, "X", "loss", ["eck_card", "counter"], id="i both"),
        pytest.param(5, {"8": "gray"}, "0", {"8": "eck"}, "1", "loss", ["eck_card"], id="gray"),
        pytest.param(8, {"8": "gray"}, "1", {"8": "yours"}, "0", None, [], id="gray collected"),
        pytest.param(5, {}, "2", {"8": "gray"}, "X", "loss", ["counter"], id="gray at X"),
        pytest.param(1, {}, "0", {"12": "gray"}, "1", None, [], id="j one"),
        pytest.param(1, {"12": "gray"}, "0", {"12": "eck"}, "1", "loss", ["eck_card"], id="j two"),
        pytest.param(5, {"8": ""}, "0", {}, "1", None, [], id="k not for ECK"),
        pytest.param(8, {"8": ""}, "0", {}, "1", None, [], id="k not for you"),
        pytest.param(0, {"13/0": ""}, "0", {}, "1", None, [], id="k none"),
        pytest.param(2, {"4": "yours", "6": "yours"}, "2", {"2": "yours"}, "0", "win", [], id="target"),
    ],
)
def test_rulings_f_to_k_settle(
    tricks: int,
    cards: dict[str, str],
    counter: str,
    changed: dict[str, str],
    counter_after: str,
    outcome: str | None,
    reasons: list[str],
) -> None:
    """The end of a round at target 3; a card with an empty status is not laid out."""
    before = {name: status for name, status in {**COLORED, **cards}.items() if status}
    end = settle(tricks, before, counter, 3)
    assert end.trick_cards == {**before, **changed}
    assert (end.counter, end.outcome, end.reasons) == (counter_after, outcome, reasons)
    assert before == {name: status for name, status in {**COLORED, **cards}.items() if status}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"target": 0}, "target 0", id="target 0"),
        pytest.param({"target": 8}, "target 8", id="target 8"),
        pytest.param({"target": 3, "trick_cards": ["2", "4"]}, "target 3", id="fewer cards than the target"),
        pytest.param({"target": 1, "trick_cards": ["3"]}, "no set", id="no such card"),
        pytest.param({"target": 2, "trick_cards": ["2", "2"]}, "no set", id="a card twice"),
        pytest.param({"circle_follow": "none"}, "circle_follow", id="no such option"),
        pytest.param({"counter": "X"}, "counter at X", id="counter at X"),
        pytest.param({"start": {"8": "eck"}}, "cannot start eck", id="a card of ECK's"),
        pytest.param({"start": {"13/0": "gray"}}, "never turns", id="13/0 gray"),
        pytest.param({"target": 1, "start": {"8": "yours"}}, "won already", id="won already"),
        pytest.param(
            {"target": 1, "trick_cards": ["2"], "start": {"4": "gray"}},
            "cannot start gray",
            id="not laid out",
        ),
    ],
)
def test_ruling_l_no_such_game(options: dict[str, Any], message: str) -> None:
    """A variant that nobody can play is refused."""
    with pytest.raises(ValueError, match=message):
        ReferenceGame(Random(0), **options)


# Whole games

VARIANTS: dict[str, dict[str, Any]] = {
    "standard": {},
    "same circle": {"circle_follow": "same"},
    "all seven": {"target": 7},
    "only 13 or 0": {"target": 1, "trick_cards": ["13/0"]},
    "three of four hard ones": {"target": 3, "trick_cards": ["13/0", "12", "4", "2"]},
    "midway": {"target": 3, "start": {"8": "gray", "6": "yours"}, "counter": "2"},
}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS.keys())
def test_conservation(variant: dict[str, Any], seed: int) -> None:
    """Over whole games no card and no trick is lost, and both views agree."""
    generator = random.Random(seed)
    game = ReferenceGame(Random(seed), **variant)
    played: list[str] = []
    record = None
    rounds = 0
    while record is None or record.outcome is None:
        state: dict[str, Any] = game.state()
        lead = [] if state["lead"] is None else [state["lead"]]
        hand, deck = state["hand"], state["face_down"] + state["face_up"]
        assert by_kind([*hand, *lead, *deck, *played]) == by_kind(CARDS)
        assert len(hand) == 13 - len(played) // 2
        assert len(deck) == 29 - len(played) // 2 - len(lead)
        assert state["tricks_won"] + state["tricks_lost"] + state["tied"] == len(played) // 2
        assert (state["leader"] == "eck") == (state["lead"] is not None)
        assert state["round"] == rounds

        seen = game.observation()
        for key, pile in (("hand", hand), ("lead", lead)):
            assert seen[key] == [pile.count(card) for card in KINDS]
        for key in ("face_down", "face_up"):
            assert seen[key] == [state[key].count(card) for card in KINDS]
        check_prospects(seen, state)

        legal = game.legal()
        assert legal == sorted(set(legal))
        assert set(legal) <= {kind(card) for card in hand}
        record = game.play(KINDS[generator.choice(legal)])
        played += [record.trick["lead"], record.trick["follow"]]
        assert (record.round is not None) == (len(played) == 26)
        if record.round is not None:
            assert 0 <= record.round["tricks_won"] <= 13
            if record.outcome is None:
                rounds += 1
                played = []

    final = game.state()
    assert (final["hand"], final["lead"], final["tied"]) == ([], None, 0)
    assert final["tricks_won"] == 13 - int(str(final["tricks_lost"]))
    assert final["round"] == rounds
    assert final["outcome"] == record.outcome
    assert (record.reasons == []) == (record.outcome == "win")
    assert game.legal() == []
    assert game.observation()["prospects"] == 70 * [0]
    with pytest.raises(ValueError, match="R2"):
        game.play("R2")


def check_prospects(seen: dict[str, list[int]], state: dict[str, Any]) -> None:
    """Check what the flags of the prospects imply, and which rows are filled."""
    sizes = [38, 38, 38, 38, 1, 1, 1, 1, 28, 4, 1, 70]
    assert [len(part) for part in seen.values()] == sizes
    assert list(seen)[-1] == "prospects"
    for more in range(14):
        win, collect, fail, gray, lose = seen["prospects"][5 * more : 5 * more + 5]
        possible = more <= 13 - state["tricks_won"] - state["tricks_lost"]
        assert collect + fail == int(possible)
        assert win <= collect
        assert gray <= fail
        assert lose <= fail
