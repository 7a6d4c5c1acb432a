"""A slow, plain statement of the rules of Gongor Whist, written apart from the engine it checks.

Cards are strings: a rank, ``2`` to ``9`` or ``C`` for a Crown, and one or two suit letters, as in ``9WY``; Aces are
``AM`` and so on. Piles are lists with the top card first. A trump is a suit letter, or None where there is none.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

SUITS = ["M", "S", "W", "L", "Y", "K"]
RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "C"]
TWO_SUITED = {
    "2": ["MK", "SY", "WL"],
    "3": ["MW", "SK", "LY"],
    "4": ["MS", "WL", "YK"],
    "5": ["ML", "SW", "YK"],
    "6": ["MW", "SY", "LK"],
    "7": ["ML", "SK", "WY"],
    "8": ["MS", "WL", "YK"],
    "9": ["MS", "WY", "LK"],
}
PACK = [rank + suits for rank, pairs in TWO_SUITED.items() for suits in pairs] + ["C" + suit for suit in SUITS]
ACES = ["A" + suit for suit in SUITS]
BIDS = [0, 1, 2, 3, 4, 5, 6, 7]
ACTIONS = [f"bid {bid}" for bid in BIDS] + PACK + ["keep", "twiddle"]
SCORINGS = ["shut_the_box", "two_columns", "first_edition"]
PHASES = ["bid", "card", "twiddle"]
TRICKS = 7


class Source(Protocol):
    """Where the order of the cards comes from."""

    def deal(self, hand: int) -> list[str]:
        """Return all 30 cards as they lie for the pass that begins with this hand (0 is the first)."""

    def pile(self, hand: int) -> list[str]:
        """Return the 6 Aces, the one that is turned first in front, of the pile that begins with this hand."""


def suits_of(card: str) -> set[str]:
    """Return the suits of a card."""
    return set(card[1:])


def share_a_suit(one: str, other: str) -> bool:
    """Tell whether two cards have a suit in common."""
    return len(suits_of(one) & suits_of(other)) > 0


def higher(one: str, other: str) -> bool:
    """Tell whether a card has the higher rank."""
    return RANKS.index(one[0]) > RANKS.index(other[0])


def winner(lead: str, follow: str, trump: str | None) -> str:
    """Return who takes a trick that the dummy leads to, "you" or "dummy"."""
    lead_is_trump = trump is not None and trump in suits_of(lead)
    follow_is_trump = trump is not None and trump in suits_of(follow)
    if lead_is_trump and follow_is_trump:
        return "you" if higher(follow, lead) else "dummy"
    if follow_is_trump:
        return "you"
    if lead_is_trump:
        return "dummy"
    if share_a_suit(lead, follow) and higher(follow, lead):
        return "you"
    return "dummy"


def playable(hand: Sequence[str], lead: str) -> list[str]:
    """Return the cards that may be played to a lead."""
    sharing = [card for card in hand if share_a_suit(card, lead)]
    return sharing if sharing else list(hand)


def two_columns(bid: int, taken: int) -> tuple[int, int]:
    """Return what you and the dummy score for a hand."""
    if bid == 0:
        return (7, 0) if taken == 0 else (0, taken)
    if taken == bid:
        return bid, 0
    if taken > bid:
        return bid, taken - bid
    return 0, bid


def first_edition(bid: int, taken: int, back_hand: bool) -> int:
    """Return what you score for a hand."""
    if taken == bid:
        return bid
    points = -taken
    if back_hand:
        points = points - 2
    return points


@dataclass
class StepRecord:
    """What one action brought about."""

    trick: dict[str, Any] | None = None
    hand: dict[str, Any] | None = None
    outcome: str | None = None
    reasons: list[str] = field(default_factory=list)


class ReferenceGame:
    """One game, action by action."""

    def __init__(
        self, source: Source, scoring: str = "shut_the_box", aces: str = "game", max_hands: int | None = None
    ) -> None:
        self.source = source
        self.scoring = scoring
        self.aces_last = aces
        self.max_hands = (max_hands or 40) if scoring == "first_edition" else 8
        self.you = 0
        self.dummy = 0
        self.bids_left = list(BIDS)
        self.outcome: str | None = None
        self.reasons: list[str] = []
        self.number = -1
        self.trump: str | None = None
        self.aces_seen: list[str] = []
        self.aces_left: list[str] = []
        self.next_hand()

    def next_hand(self) -> None:
        """Deal the next hand."""
        self.number += 1
        if not self.is_back_hand():
            self.cards = self.source.deal(self.number)
            assert sorted(self.cards) == sorted(PACK)
            self.seen: list[str] = []
            your, dummys = self.cards[0:7], self.cards[7:14]
        else:
            your, dummys = self.cards[14:21], self.cards[21:28]
        if self.number == 0 or (self.aces_last == "pass" and (not self.is_back_hand() or self.trump is None)):
            self.new_pile()
        self.hand = sorted(your, key=PACK.index)
        self.dummys_hand = list(dummys)
        self.lead: str | None = None
        self.played: str | None = None
        self.bid: int | None = None
        self.bid_trump = self.trump
        self.trump_before = self.trump
        self.taken = 0
        self.lost = 0

    def is_back_hand(self) -> bool:
        """Tell whether this is the second hand of a pass."""
        return self.number % 2 == 1

    def new_pile(self) -> None:
        """Turn the first Ace of a new pile."""
        pile = self.source.pile(self.number)
        assert sorted(pile) == sorted(ACES)
        self.aces_seen, self.aces_left = pile[:1], pile[1:]
        self.trump = pile[0][1]

    def twiddle_possible(self) -> bool:
        """Tell whether trump can be twiddled."""
        if self.aces_last == "game":
            return len(self.aces_left) > 0
        return self.trump is not None

    def phase(self) -> str:
        """Return what is to be decided."""
        if self.bid is None:
            return "bid"
        if self.played is not None:
            return "twiddle"
        return "card" if self.lead is not None else "over"

    def legal(self) -> list[str]:
        """Return the legal actions."""
        assert self.outcome is None
        if self.phase() == "bid":
            return [f"bid {bid}" for bid in self.bids_left]
        if self.phase() == "twiddle":
            return ["keep", "twiddle"]
        assert self.lead is not None
        return playable(self.hand, self.lead)

    def act(self, action: str) -> StepRecord:
        """Take a legal action."""
        assert action in self.legal()
        if action.startswith("bid "):
            self.bid = int(action[4:])
            if self.scoring != "first_edition":
                self.bids_left.remove(self.bid)
            self.lead = self.dummys_hand.pop(0)
            return StepRecord()
        if action in ("keep", "twiddle"):
            if action == "twiddle":
                self.twiddle()
            return self.decide()
        self.hand.remove(action)
        self.played = action
        self.trump_before = self.trump
        if self.twiddle_possible():
            return StepRecord()
        return self.decide()

    def twiddle(self) -> None:
        """Turn the next Ace, or after the last one play on without a trump."""
        if self.aces_left:
            ace = self.aces_left.pop(0)
            self.aces_seen.append(ace)
            self.trump = ace[1]
        else:
            self.trump = None

    def decide(self) -> StepRecord:
        """Decide the trick, and the hand and the game if they are over."""
        assert self.lead is not None
        assert self.played is not None
        taker = winner(self.lead, self.played, self.trump)
        if taker == "you":
            self.taken += 1
        else:
            self.lost += 1
        trick = {
            "lead": self.lead,
            "follow": self.played,
            "trump_before": self.trump_before,
            "trump": self.trump,
            "taken_by": taker,
        }
        self.seen += [self.lead, self.played]
        self.lead = None
        self.played = None
        if self.dummys_hand:
            self.lead = self.dummys_hand.pop(0)
            return StepRecord(trick)
        hand = self.score()
        step = StepRecord(trick, hand, self.outcome, self.reasons)
        if self.outcome is None:
            self.next_hand()
        return step

    def score(self) -> dict[str, Any]:
        """Score the hand, and settle the game if it is over."""
        assert self.bid is not None
        last = self.number + 1 == self.max_hands
        if self.scoring == "shut_the_box":
            if self.taken == self.bid:
                self.you += 1
                if last:
                    self.outcome = "win"
            else:
                self.outcome, self.reasons = "loss", ["missed_bid"]
        elif self.scoring == "two_columns":
            you, dummy = two_columns(self.bid, self.taken)
            self.you += you
            self.dummy += dummy
            if last and self.you > self.dummy:
                self.outcome = "win"
            if last and self.you < self.dummy:
                self.outcome, self.reasons = "loss", ["points"]
            if last and self.you == self.dummy:
                self.outcome = "draw"
        else:
            self.you += first_edition(self.bid, self.taken, self.is_back_hand())
            if self.you >= 50:
                self.outcome = "win"
            elif last:
                self.outcome, self.reasons = "loss", ["max_hands"]
        return {
            "number": self.number,
            "trump": self.bid_trump,
            "bid": self.bid,
            "taken": self.taken,
            "you": self.you,
            "dummy": self.dummy,
        }

    def state(self) -> dict[str, Any]:
        """Return what the environment's state says, as far as it does not concern seeds and numbers of games."""
        return {
            "hand": self.hand,
            "dummy": self.dummys_hand,
            "rest": self.cards[28:] if self.is_back_hand() else self.cards[14:],
            "seen": sorted(self.seen, key=PACK.index),
            "lead": self.lead,
            "played": self.played,
            "phase": self.phase(),
            "trump": self.trump,
            "aces_seen": self.aces_seen,
            "aces": self.aces_left,
            "bid": self.bid,
            "bid_trump": self.bid_trump,
            "bids_left": self.bids_left,
            "tricks_won": self.taken,
            "tricks_lost": self.lost,
            "you": self.you,
            "dummys_points": self.dummy,
            "hand_number": self.number,
            "outcome": self.outcome,
            "reasons": self.reasons,
            "over": self.outcome is not None,
        }

    def observation(self) -> dict[str, list[int]]:
        """Return the fields of the observation."""
        debt = max(0, -self.you)
        bid = [] if self.bid is None else [self.bid]
        return {
            "hand": flags(PACK, self.hand),
            "lead": flags(PACK, [self.lead]),
            "played": flags(PACK, [self.played]),
            "seen": flags(PACK, self.seen),
            "trump": flags([*SUITS, None], [self.trump]),
            "aces_seen": flags(ACES, self.aces_seen),
            "aces_left": [len(self.aces_left)],
            "phase": flags(PHASES, [self.phase()]),
            "bid": flags(BIDS, bid),
            "bids_left": flags(BIDS, self.bids_left),
            "tricks_won": [self.taken],
            "tricks_lost": [self.lost],
            "points": [max(0, self.you)],
            "debt": [debt // 10, debt % 10],
            "dummy": [self.dummy],
            "hand_number": [self.number],
            "back": [int(self.is_back_hand())],
            "max_hands": [self.max_hands],
            "scoring": flags(SCORINGS, [self.scoring]),
            "pass_aces": [int(self.aces_last == "pass")],
        }


def flags(everything: Sequence[Any], there: Sequence[Any]) -> list[int]:
    """Return a 1 for each thing that is there, a 0 for the others."""
    return [1 if thing in there else 0 for thing in everything]
