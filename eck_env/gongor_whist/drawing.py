"""The table of Gongor Whist as a picture of any size: what lies where."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from eck_env.base.drawing import TABLE, BasePainter
from eck_env.base.records import flag_names
from eck_env.base.sprites import CARD, FAINT, FELT, GOLD, LIGHT, TILE
from eck_env.gongor_whist.cards import HAND_SIZE, NO_TRUMP, NUM_SUITS, SUITS, cards_of
from eck_env.gongor_whist.rules import BID, NO_BID, NO_CARD, NUM_BIDS, PLAYING, TWIDDLING, YOU
from eck_env.gongor_whist.sprites import Sprites
from eck_env.gongor_whist.state import OUTCOMES, REASONS
from eck_env.gongor_whist.variant import FIRST_EDITION, SHUT_THE_BOX

if TYPE_CHECKING:
    from pygame import Surface

_REASON_TEXTS = {
    "missed_bid": "the bid was missed",
    "points": "the dummy has more points",
    "max_hands": "no hands are left",
    "illegal_action": "illegal action",
}
_OUTCOME_TEXTS = {"win": "You win the game", "loss": "You lose the game", "draw": "The game is drawn"}
_LEFT, _RIGHT = 14, 626
_TOP, _DUMMY_ROW, _PLAY_ROW, _HAND_ROW = 14, 108, 206, 402
_PILE_STEP = 9


class Painter(BasePainter[Sprites]):
    """Paints Gongor Whist's tables; see `BasePainter`."""

    def __init__(self, width: int, height: int) -> None:
        super().__init__(width, height, Sprites)

    def paint(self, game: Any) -> Surface:
        """Return the table of a game's record (`state.GAME`) as a surface, which the next call paints over."""
        self._surface.fill(FELT)
        self._aces(game)
        self._score(game)
        self._dummy(game)
        self._trick(game)
        self._seen(game)
        self._status(game)
        self._hand(game)
        return self._surface

    def _aces(self, game: Any) -> None:
        """Draw the pile of Aces and those that have been turned, the trump last."""
        left = NUM_SUITS - int(game.turned)
        self._put(self._sprites.back() if left else self._sprites.place("0"), _LEFT, _TOP)
        self._write(f"{left} left", _LEFT + CARD[0] / 2, _TOP + CARD[1] + 4, 14, LIGHT, 0.5)
        turned = game.aces[: game.turned].tolist()
        for place, suit in enumerate(turned):
            self._put(self._sprites.ace(suit), _LEFT + CARD[0] + 10 + 22 * place, _TOP)
        name = "no trump" if game.trump == NO_TRUMP else f"trump: {SUITS[game.trump]}"
        self._write(name, _LEFT + CARD[0] + 10, _TOP + CARD[1] + 4, 16, GOLD)

    def _score(self, game: Any) -> None:
        """Write hand, points and bids."""
        side = "back hand" if game.hand_number & 1 else "fore hand"
        self._write(f"hand {game.hand_number + 1} of {game.max_hands}, {side}", _RIGHT, _TOP, 18, LIGHT, 1)
        if game.scoring == SHUT_THE_BOX:
            points = f"{game.you} hands made"
        else:
            points = f"you {game.you}" + ("" if game.scoring == FIRST_EDITION else f", dummy {game.dummy}")
        self._write(points, _RIGHT, _TOP + 22, 18, GOLD, 1)
        for bid in range(NUM_BIDS):
            color = GOLD if bid == game.bid else LIGHT if int(game.bids) >> bid & 1 else FAINT
            x = _RIGHT - 18 * (NUM_BIDS - bid) + 9
            self._write(str(bid), x, _TOP + 48, 20, color, 0.5)
            if not int(game.bids) >> bid & 1:
                self._write("/", x, _TOP + 48, 22, color, 0.5)
        text = "no bid yet" if game.bid == NO_BID else f"bid {game.bid}, {game.won} taken"
        self._write(text, _RIGHT, _TOP + 70, 16, LIGHT, 1)

    def _dummy(self, game: Any) -> None:
        """Draw the dummy's cards, face down, and its tricks."""
        left = HAND_SIZE - int(game.won) - int(game.lost) - (game.lead != NO_CARD)
        self._pile(left, "the dummy's cards", _LEFT, _DUMMY_ROW, _PILE_STEP)
        self._pile(int(game.lost), "the dummy's tricks", 452, _DUMMY_ROW, _PILE_STEP)

    def _trick(self, game: Any) -> None:
        """Draw the last trick, and the cards of this one."""
        self._write("last trick", _LEFT, _PLAY_ROW - 2, 13, FAINT)
        if game.last_lead != NO_CARD:
            for card, x in ((game.last_lead, _LEFT), (game.last_follow, _LEFT + CARD[0] + 6)):
                self._put(self._sprites.card(int(card)), x, _PLAY_ROW + 12)
            yours = game.last_taker == YOU
            text = "you took it" if yours else "the dummy took it"
            self._write(text, _LEFT, _PLAY_ROW + CARD[1] + 17, 14, GOLD if yours else LIGHT)
            if game.last_trump != game.last_before:
                name = "no trump" if game.last_trump == NO_TRUMP else SUITS[game.last_trump]
                self._write(f"twiddled: {name}", _LEFT + 2 * CARD[0] + 14, _PLAY_ROW + 34, 14, LIGHT)
        middle = TABLE[0] / 2
        for card, label, left in ((game.lead, "dummy", middle - CARD[0] - 5), (game.played, "you", middle + 5)):
            self._write(label, left + CARD[0] / 2, _PLAY_ROW - 2, 13, FAINT, 0.5)
            sprite = self._sprites.place("") if card == NO_CARD else self._sprites.card(int(card))
            self._put(sprite, left, _PLAY_ROW + 12)

    def _seen(self, game: Any) -> None:
        """Draw the cards of this pass that are out of play, as tiles in two rows."""
        self._write("seen in this pass", 452, _PLAY_ROW - 2, 13, FAINT)
        cards = cards_of(int(game.seen))
        for place, card in enumerate(cards):
            x, y = 452 + place % 9 * (TILE[0] + 2), _PLAY_ROW + 12 + place // 9 * (TILE[1] + 2)
            self._put(self._sprites.tile(card), x, y)
        if not cards:
            self._write("none", 456, _PLAY_ROW + 16, 13, FAINT)

    def _status(self, game: Any) -> None:
        """Write what is to be done now, and draw your tricks."""
        if game.outcome != PLAYING:
            reasons = ", ".join(_REASON_TEXTS[name] for name in flag_names(int(game.reasons), REASONS))
            text = _OUTCOME_TEXTS[str(OUTCOMES[game.outcome])] + (f": {reasons}" if reasons else "")
        elif game.phase == TWIDDLING:
            text = "Keep the trump, or twiddle it?"
        else:
            text = "Your bid?" if game.phase == BID else "Your turn: follow"
        self._write(text, _LEFT, 336, 22, GOLD)
        self._pile(int(game.won), "your tricks", 452, 306, _PILE_STEP)

    def _hand(self, game: Any) -> None:
        cards = cards_of(int(game.hand))
        if not cards:
            return self._write("your hand is empty", _LEFT, _HAND_ROW + 20, 15, FAINT)
        self._write("your hand", _LEFT, _HAND_ROW - 16, 13, FAINT)
        for place, card in enumerate(cards):
            self._put(self._sprites.card(card), _LEFT + place * (CARD[0] + 6), _HAND_ROW)
        return None


@lru_cache(maxsize=8)
def get_painter(width: int, height: int) -> Painter:
    """Return the painter of this size, which keeps what it has drawn before."""
    return Painter(width, height)
