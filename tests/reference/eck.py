"""A slow, plain statement of the rules of ECK, written apart from the engine it checks.

Cards are strings: a colour letter and a number of corners (``R2`` to ``P8``), ``K`` for a black
circle, ``W`` for a white one. Piles are lists with the top card first. Nothing here is clever;
where two ways of saying something were open, the longer and plainer one was taken.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypedDict

COLORS = ["R", "O", "Y", "G", "B", "P"]
SHAPES = ["2", "3", "4", "5", "6", "8"]  # weakest first
BLACK = "K"
WHITE = "W"
KINDS = [color + shape for color in COLORS for shape in SHAPES] + [BLACK, WHITE]
CARDS = [color + shape for color in COLORS for shape in SHAPES] + 3 * [BLACK] + 3 * [WHITE]

ALL = ("2", "4", "6", "8", "10", "12", "13/0")
STATUSES = ["colored", "gray", "yours", "eck"]
COUNTERS = ["0", "1", "2", "X"]
TRICKS = 13

Player = Literal["you", "eck"]
Taker = Literal["you", "eck", "tied"]
Outcome = Literal["win", "loss"]


class Source(Protocol):
    """Where the order of the cards comes from."""

    def deal(self, round_: int) -> tuple[list[str], list[str]]:
        """Return the player's 13 cards and ECK's 29, top first, for a round (0 is the first)."""

    def shuffle(self, round_: int, number: int, cards: list[str]) -> list[str]:
        """Return `cards` (sorted by kind) in a new order, top first.

        `number` counts the shuffles within the round, from 0.
        """


class TrickRecord(TypedDict):
    """One trick; `turned_over` lists what ECK passed over in its search, in order."""

    leader: Player
    lead: str
    follow: str
    taken_by: Taker
    turned_over: list[str]


class RoundRecord(TypedDict):
    """What the end of a round did; the three middle entries name a trick card or are None."""

    tricks_won: int
    collected: str | None
    turned_gray: str | None
    taken_by_eck: str | None
    counter: str


@dataclass(frozen=True)
class StepRecord:
    """What one play brought about; `round` is None unless it ended the round."""

    trick: TrickRecord
    round: RoundRecord | None
    outcome: Outcome | None
    reasons: list[str]


@dataclass(frozen=True)
class Settlement:
    """The end of a round: what happened, and the trick cards and the counter afterwards."""

    collected: str | None
    turned_gray: str | None
    taken_by_eck: str | None
    trick_cards: dict[str, str]
    counter: str
    outcome: Outcome | None
    reasons: list[str]


def kind(card: str) -> int:
    """Return the kind of a card: 0 to 35 for the coloured ones, 36 black, 37 white."""
    return KINDS.index(card)


def by_kind(cards: Sequence[str]) -> list[str]:
    """Return the cards sorted by kind."""
    return sorted(cards, key=kind)


def is_circle(card: str) -> bool:
    """Tell whether a card is a circle."""
    return card in (BLACK, WHITE)


def same_color(one: str, other: str) -> bool:
    """Tell whether two coloured cards have the same colour."""
    return one[0] == other[0]


def same_shape(one: str, other: str) -> bool:
    """Tell whether two coloured cards have the same shape."""
    return one[1] == other[1]


def second_card_result(lead: str, second: str) -> str:
    """Return who takes the trick of these two cards: "leader", "follower" or "tied"."""
    if is_circle(lead) and is_circle(second):
        if lead == second:
            return "tied"
        return "leader" if lead == WHITE else "follower"
    if is_circle(lead):
        return "leader" if lead == BLACK else "follower"
    if is_circle(second):
        return "follower" if second == BLACK else "leader"
    if same_color(lead, second):
        higher_lead = SHAPES.index(lead[1]) > SHAPES.index(second[1])
        return "leader" if higher_lead else "follower"
    if same_shape(lead, second):
        return "tied"
    return "leader"


def your_card(tricks: int) -> str | None:
    """Return the trick card that belongs to a number of tricks you took, if there is one."""
    if tricks in (0, 13):
        return "13/0"
    if tricks % 2 == 0:
        return str(tricks)
    return None


def eck_card(tricks: int) -> str | None:
    """Return the trick card that belongs to a number of tricks ECK took; never 13/0."""
    if tricks in (2, 4, 6, 8, 10, 12):
        return str(tricks)
    return None


def settle(tricks_won: int, trick_cards: Mapping[str, str], counter: str, target: int) -> Settlement:
    """Settle a round.

    Args:
        tricks_won: The tricks you took, 0 to 13.
        trick_cards: The trick cards laid out, each with its status before this settlement.
        counter: The counter before this settlement.
        target: How many collected cards win the game.

    Returns:
        What happened, with the trick cards and the counter afterwards.
    """
    after = dict(trick_cards)
    mine = your_card(tricks_won)
    if mine is not None and after.get(mine) in ("colored", "gray"):
        after[mine] = "yours"
        enough = list(after.values()).count("yours") >= target
        return Settlement(mine, None, None, after, "0", "win" if enough else None, [])

    turned_gray = None
    taken_by_eck = None
    reasons = []
    theirs = eck_card(TRICKS - tricks_won)
    if theirs is not None and after.get(theirs) == "colored":
        after[theirs] = "gray"
        turned_gray = theirs
    elif theirs is not None and after.get(theirs) == "gray":
        after[theirs] = "eck"
        taken_by_eck = theirs
        reasons.append("eck_card")
    counter = COUNTERS[COUNTERS.index(counter) + 1]
    if counter == "X":
        reasons.append("counter")
    return Settlement(None, turned_gray, taken_by_eck, after, counter, "loss" if reasons else None, reasons)


class ReferenceGame:
    """A game of ECK, one play at a time."""

    def __init__(
        self,
        source: Source,
        target: int = 4,
        trick_cards: Sequence[str] = ALL,
        circle_follow: str = "any",
        start: Mapping[str, str] | None = None,
        counter: str = "0",
    ) -> None:
        """Set the game up and deal the first round.

        Args:
            source: Where the order of the cards comes from.
            target: How many trick cards win the game.
            trick_cards: The trick cards laid out.
            circle_follow: "any", or "same" where a circle that ECK leads asks for its like.
            start: Trick cards that do not start coloured, each with its status.
            counter: Where the counter starts.

        Raises:
            ValueError: If no game can start that way.
        """
        if len(set(trick_cards)) != len(trick_cards) or not set(trick_cards) <= set(ALL):
            raise ValueError(f"no set of trick cards: {trick_cards}")
        if not 1 <= target <= len(trick_cards):
            raise ValueError(f"target {target} with {len(trick_cards)} trick cards")
        if circle_follow not in ("any", "same"):
            raise ValueError(f"unknown circle_follow: {circle_follow}")
        if counter not in ("0", "1", "2"):
            raise ValueError(f"no game starts with the counter at {counter}")
        self._source = source
        self._target = target
        self._circle_follow = circle_follow
        self._trick_cards = {name: "colored" for name in ALL if name in trick_cards}
        self._counter = counter
        for name, status in (start or {}).items():
            if name not in self._trick_cards or status not in ("colored", "gray", "yours"):
                raise ValueError(f"trick card {name} cannot start {status}")
            if name == "13/0" and status == "gray":
                raise ValueError("13/0 never turns gray")
            self._trick_cards[name] = status
        if list(self._trick_cards.values()).count("yours") >= target:
            raise ValueError("the game would be won already")
        self._outcome: Outcome | None = None
        self._round = 0
        self._deal()

    # The cards

    def _deal(self) -> None:
        """Deal the round that is due; ECK leads its first trick."""
        hand, deck = self._source.deal(self._round)
        if len(hand) != 13 or sorted(hand + deck) != sorted(CARDS):
            raise ValueError("a deal is 13 cards of the 42 and the other 29")
        self._hand = list(hand)
        self._face_down = list(deck)
        self._face_up: list[str] = []
        self._played: list[str] = []
        self._shuffles = 0
        self._tricks_won = 0
        self._tricks_lost = 0
        self._tied = 0
        self._leader: Player = "eck"
        self._lead: str | None = self._draw()

    def _shuffle(self, cards: list[str]) -> list[str]:
        """Return the cards shuffled."""
        order = self._source.shuffle(self._round, self._shuffles, by_kind(cards))
        if sorted(order) != sorted(cards):
            raise ValueError("a shuffle changes nothing but the order")
        self._shuffles += 1
        return list(order)

    def _draw(self) -> str:
        """Take the top card of the deck, which is shuffled first if that card is face up."""
        if not self._face_down:
            self._face_down = self._shuffle(self._face_up)
            self._face_up = []
        return self._face_down.pop(0)

    def _follow(self, lead: str) -> tuple[str, list[str]]:
        """Return the card with which ECK follows, and the cards turned over before it."""
        if is_circle(lead):
            return self._draw(), []
        hold: list[str] = []
        while self._face_down or self._face_up:
            card = self._draw()
            if is_circle(card) or same_color(lead, card) or same_shape(lead, card):
                self._face_up = self._face_up + hold
                return card, hold
            hold.append(card)
        # Ruling b: the whole deck is turned over and nothing fits.
        order = self._shuffle(hold)
        self._face_down = order[1:]
        return order[0], hold

    # The play

    def _legal_cards(self) -> list[str]:
        """Return the cards of the hand that may be played, sorted by kind."""
        hand = by_kind(self._hand)
        if self._lead is None:
            return hand
        if is_circle(self._lead):
            if self._circle_follow == "any":
                return hand
            asked = [card for card in hand if card == self._lead]
        else:
            lead = self._lead
            asked = [card for card in hand if not is_circle(card) and same_color(lead, card)]
        return asked if asked else hand

    def legal(self) -> list[int]:
        """Return the kinds that may be played, sorted; none when the game is over."""
        return sorted({kind(card) for card in self._legal_cards()})

    def play(self, card: str) -> StepRecord:
        """Play a card, and everything ECK does before the next choice.

        Args:
            card: The card to play.

        Returns:
            The trick, and the end of the round and of the game where this was it.

        Raises:
            ValueError: If the card may not be played.
        """
        if card not in self._legal_cards():
            raise ValueError(f"{card} may not be played")
        self._hand.remove(card)
        leader = self._leader
        turned_over: list[str] = []
        if self._lead is not None:
            lead, follow = self._lead, card
        else:
            lead = card
            follow, turned_over = self._follow(lead)
        self._lead = None
        self._played += [lead, follow]

        other: Player = "eck" if leader == "you" else "you"
        result = second_card_result(lead, follow)
        last = not self._hand
        taken_by: Taker
        self._tied += 1  # the trick just played joins those set aside
        if result == "tied" and not last:
            taken_by = "tied"
        else:
            winner = other if result == "follower" else leader  # ruling e: a last tie to the leader
            if winner == "you":
                self._tricks_won += self._tied
            else:
                self._tricks_lost += self._tied
            self._tied = 0
            self._leader = winner
            taken_by = winner
        trick: TrickRecord = {
            "leader": leader,
            "lead": lead,
            "follow": follow,
            "taken_by": taken_by,
            "turned_over": list(turned_over),
        }
        if not last:
            if self._leader == "eck":
                self._lead = self._draw()
            return StepRecord(trick, None, None, [])
        return self._end_round(trick)

    def _end_round(self, trick: TrickRecord) -> StepRecord:
        """Settle the round after its last trick, and deal the next one if the game goes on."""
        end = settle(self._tricks_won, self._trick_cards, self._counter, self._target)
        self._trick_cards = end.trick_cards
        self._counter = end.counter
        self._outcome = end.outcome
        record: RoundRecord = {
            "tricks_won": self._tricks_won,
            "collected": end.collected,
            "turned_gray": end.turned_gray,
            "taken_by_eck": end.taken_by_eck,
            "counter": end.counter,
        }
        if self._outcome is None:
            self._round += 1
            self._deal()
        return StepRecord(trick, record, end.outcome, end.reasons)

    # What is to be seen

    def state(self) -> dict[str, object]:
        """Return everything there is to know, the hidden order of the deck included."""
        return {
            "hand": by_kind(self._hand),
            "face_down": list(self._face_down),
            "face_up": by_kind(self._face_up),
            "lead": self._lead,
            "leader": self._leader,
            "tied": self._tied,
            "tricks_won": self._tricks_won,
            "tricks_lost": self._tricks_lost,
            "trick_cards": dict(self._trick_cards),
            "counter": self._counter,
            "round": self._round,
            "outcome": self._outcome,
        }

    def observation(self) -> dict[str, list[int]]:
        """Return what a player who remembers the round knows, as flat lists of numbers."""
        lead = [] if self._lead is None else [self._lead]
        unseen = list(CARDS)
        for card in self._hand + lead + self._face_up + self._played:
            unseen.remove(card)
        flags = []
        for name in ALL:
            flags += [int(self._trick_cards.get(name) == status) for status in STATUSES]
        return {
            "hand": [self._hand.count(card) for card in KINDS],
            "lead": [lead.count(card) for card in KINDS],
            "face_down": [unseen.count(card) for card in KINDS],
            "face_up": [self._face_up.count(card) for card in KINDS],
            "tricks_won": [self._tricks_won],
            "tricks_lost": [self._tricks_lost],
            "tied": [self._tied],
            "leader": [0 if self._leader == "you" else 1],
            "trick_cards": flags,
            "counter": [int(self._counter == step) for step in COUNTERS],
            "target": [self._target],
            "prospects": self._prospects(),
        }

    def _prospects(self) -> list[int]:
        """Return, for 0 to 13 more tricks, whether they win, collect, fail, gray and lose."""
        flags: list[int] = []
        still_to_come = TRICKS - self._tricks_won - self._tricks_lost
        for more in range(TRICKS + 1):
            if self._outcome is not None or more > still_to_come:
                flags += [0, 0, 0, 0, 0]
                continue
            end = settle(self._tricks_won + more, self._trick_cards, self._counter, self._target)
            flags += [
                int(end.outcome == "win"),
                int(end.collected is not None),
                int(end.collected is None),
                int(end.turned_gray is not None),
                int(end.outcome == "loss"),
            ]
        return flags
