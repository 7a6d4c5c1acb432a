"""A slow, plain statement of the game without numbers, written apart from the engine it checks.

Cards are strings: the letter of a foreground and that of a background, as in ``AR``. Seats are numbers from 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

FOREGROUNDS = ["A", "B", "C", "D", "E", "F", "G"]
BACKGROUNDS = ["R", "O", "Y", "G", "B", "P", "W"]
PACK = [foreground + background for foreground in FOREGROUNDS for background in BACKGROUNDS]
DEALT = 7


def pattern(first: str, second: str) -> str:
    """Return the pattern that two different cards make."""
    if first[1] == second[1]:
        return "same background"
    if first[0] == second[0]:
        return "same foreground"
    return "all different"


def fits(pot: Sequence[str], card: str) -> bool:
    """Tell whether a card may be added to a pot."""
    if len(pot) < 2:
        return True
    wanted = pattern(pot[0], pot[1])
    if wanted == "same background":
        return card[1] == pot[0][1]
    if wanted == "same foreground":
        return card[0] == pot[0][0]
    return all(card[0] != other[0] and card[1] != other[1] for other in pot)


@dataclass
class Step:
    """What followed from one action."""

    play: tuple[int, str] | None = None
    round: dict[str, Any] | None = None
    over: bool = False


@dataclass
class Player:
    """One of the players, with all that is hers and all that she remembers."""

    hand: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    chosen: str | None = None
    collected: int = 0
    views: list[list[str]] = field(default_factory=list)
    busts: list[list[str]] = field(default_factory=list)


class ReferenceGame:
    """One game.

    Args:
        deck: The 49 cards as they are dealt: 7 to seat 0, and so on.
        players: How many play.
        draft: Whether they draft.
        start: Who starts the first round.
    """

    def __init__(self, deck: Sequence[str], players: int, draft: bool, start: int) -> None:
        self.players = [Player() for _ in range(players)]
        self.draft = draft
        for seat, player in enumerate(self.players):
            player.hand = list(deck[DEALT * seat : DEALT * seat + DEALT])
        self.start = start
        self.turn = 0 if draft else start
        self.phase = "draft" if draft else "play"
        self.pot: list[str] = []
        self.history: list[tuple[int, str]] = []
        self.rounds = 0
        if draft:
            self.look()

    def look(self) -> None:
        """Let everybody remember the hand that was passed."""
        for player in self.players:
            player.views.append(sorted(player.hand, key=PACK.index))

    def legal(self) -> list[str]:
        """Return the legal cards of who is to move, in the order of the pack."""
        hand = self.players[self.turn].hand
        cards = hand if self.phase == "draft" else [card for card in hand if fits(self.pot, card)]
        return sorted(cards, key=PACK.index)

    def act(self, card: str) -> Step:
        """Take or play a card."""
        assert card in self.legal()
        return self.take(card) if self.phase == "draft" else self.play(card)

    def take(self, card: str) -> Step:
        """Choose a card of the hand that was passed."""
        self.players[self.turn].chosen = card
        self.turn += 1
        if self.turn == len(self.players):
            self.pass_hands()
        return Step()

    def pass_hands(self) -> None:
        """Reveal the choices and pass the hands on."""
        for player in self.players:
            assert player.chosen is not None
            player.hand.remove(player.chosen)
            player.kept.append(player.chosen)
            player.chosen = None
        hands = [player.hand for player in self.players]
        for seat, player in enumerate(self.players):
            player.hand = hands[seat - 1]
        self.turn = 0
        if self.players[0].hand:
            self.look()
            return
        for player in self.players:
            player.hand = list(player.kept)
        self.phase = "play"
        self.turn = self.start

    def play(self, card: str) -> Step:
        """Play a card, and settle the round if it is over."""
        step = Step(play=(self.turn, card))
        self.players[self.turn].hand.remove(card)
        self.pot.append(card)
        self.history.append((self.turn, card))
        following = (self.turn + 1) % len(self.players)
        if following == self.start:
            self.end_round((self.start + 1) % len(self.players), "second player", step)
        else:
            self.turn = following
            if not self.legal():
                lacking = [card for card in PACK if fits(self.pot, card) and card not in self.pot]
                self.players[following].busts.append(lacking)
                self.end_round(following, "bust", step)
        return step

    def end_round(self, taker: int, reason: str, step: Step) -> None:
        """Give the pot away."""
        step.round = {"taker": taker, "reason": reason, "cards": len(self.pot)}
        self.players[taker].collected += len(self.pot)
        self.pot = []
        self.rounds += 1
        self.start = self.turn = taker
        if any(not player.hand for player in self.players):
            self.phase = "over"
            step.over = True

    def counts(self) -> list[int]:
        """Return the cards that count against each player."""
        return [player.collected + len(player.hand) for player in self.players]

    def rewards(self) -> list[float]:
        """Return the reward of each player at the end."""
        counts = self.counts()
        winners = counts.count(min(counts))
        share = 1 / len(counts)
        return [1 / winners - share if count == min(counts) else -share for count in counts]

    def gone(self) -> list[str]:
        """Return the cards of finished rounds."""
        return [card for _, card in self.history if card not in self.pot]

    def observation(self, seat: int) -> dict[str, list[int]]:
        """Return what a seat knows, by the names and in the order of the observation's fields."""
        players = self.players[seat:] + self.players[:seat]
        own = players[0]
        count = len(players)
        drafting = self.phase == "draft"
        played = {card: 1 + (who - seat) % count for who, card in self.history}
        last_look = {card: number for number, view in enumerate(own.views, 1) for card in view}
        lacks: list[int] = []
        for other in range(1, 7):
            known = players[other].busts if other < count else []
            lacks += [int(any(card in bust for bust in known)) for card in PACK]
        names = ["same background", "same foreground", "all different"]
        now = pattern(self.pot[0], self.pot[1]) if len(self.pot) > 1 else ""
        over = self.phase == "over"
        there = [players[other] if other < count else None for other in range(7)]
        return {
            "hand": [int(card in own.hand) for card in PACK],
            "kept": [int(drafting and card in own.kept) for card in PACK],
            "pot": [self.pot.index(card) + 1 if card in self.pot else 0 for card in PACK],
            "gone": [int(card in self.gone()) for card in PACK],
            "played_by": [played.get(card, 0) for card in PACK],
            "seen": [last_look.get(card, 0) for card in PACK],
            "lacks": lacks,
            "pattern": [int(name == now) for name in names],
            "turn": [int(not over and (self.turn - seat) % count == other) for other in range(7)],
            "start": [int(not over and (self.start - seat) % count == other) for other in range(7)],
            "collected": [0 if player is None else player.collected for player in there],
            "hand_sizes": [0 if player is None else len(player.hand) for player in there],
            "drafting": [int(drafting)],
            "draft": [int(self.draft)],
            "players": [count],
        }
