"""The table of ECK as a picture of any size: what lies where."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from eck_env.base.drawing import TABLE, BasePainter
from eck_env.base.records import flag_names
from eck_env.base.sprites import CARD, FAINT, FELT, GOLD, LIGHT, TILE
from eck_env.eck.cards import BLACK, HAND_SIZE, NUM_SHAPES, bag_list
from eck_env.eck.rules import COUNTERS, ECK, NO_CARD, PLAYING, TIED, YOU
from eck_env.eck.sprites import TRICK_CARD, Sprites
from eck_env.eck.state import OUTCOMES, REASONS, trick_card_statuses

if TYPE_CHECKING:
    from pygame import Surface

_REASON_TEXTS = {
    "eck_card": "ECK took a trick card",
    "counter": "the counter reached X",
    "illegal_action": "illegal card",
}
_STATUS_LABELS = {"colored": "open", "gray": "gray", "yours": "yours", "eck": "ECK's"}
_LEFT, _RIGHT = 14, 626
_TOP, _ECK_ROW, _PLAY_ROW, _HAND_ROW = 12, 104, 206, 402
_PILE_STEP = min(9, (_RIGHT - CARD[0] - 452) / (HAND_SIZE - 1))
_HAND_GAP = 7  # between the colors of the hand


class Painter(BasePainter[Sprites]):
    """Paints ECK's tables; see `BasePainter`."""

    def __init__(self, width: int, height: int) -> None:
        super().__init__(width, height, Sprites)

    def paint(self, game: Any) -> Surface:
        """Return the table of a game's record (`state.GAME`) as a surface, which the next call paints over."""
        self._surface.fill(FELT)
        self._trick_cards(game)
        self._eck_row(game)
        self._play_row(game)
        self._status(game)
        self._hand(game)
        return self._surface

    def _trick_cards(self, game: Any) -> None:
        statuses = trick_card_statuses(int(game.laid), int(game.gray), int(game.yours), int(game.ecks))
        step = TRICK_CARD[0] + 6
        for place, (name, status) in enumerate(statuses.items()):
            x = _LEFT + place * step
            self._put(self._sprites.trick_card(name, status), x, _TOP)
            color = GOLD if status == "yours" else LIGHT
            self._write(_STATUS_LABELS[status], x + TRICK_CARD[0] / 2, _TOP + TRICK_CARD[1] + 4, 14, color, 0.5)
        x = _RIGHT - TRICK_CARD[0]
        self._put(self._sprites.counter(COUNTERS[game.counter]), x, _TOP)
        self._write("counter", x + TRICK_CARD[0] / 2, _TOP + TRICK_CARD[1] + 4, 14, LIGHT, 0.5)
        collected = list(statuses.values()).count("yours")
        self._write(f"round {game.round_number + 1}", x - 16, _TOP + 6, 18, LIGHT, 1)
        self._write(f"{collected} of {game.target}", x - 16, _TOP + 24, 18, GOLD, 1)
        self._write("collected", x - 16, _TOP + TRICK_CARD[1] + 4, 14, LIGHT, 1)

    def _eck_row(self, game: Any) -> None:
        """Draw ECK's deck, the cards face up under it, and the hold area."""
        face_down = int(game.bottom) - int(game.top)
        for layer in range(min(3, (face_down + 9) // 10)):
            self._put(self._sprites.back(), _LEFT + 2 * layer, _ECK_ROW - 2 * layer)
        if not face_down:
            self._put(self._sprites.place("deck"), _LEFT, _ECK_ROW)
        self._write(f"ECK's deck: {face_down}", _LEFT, _ECK_ROW + CARD[1] + 5, 15)
        self._tiles("face up below", bag_list(int(game.face_up)), 122, _ECK_ROW + 2, 300)
        held = game.held[: game.num_held].tolist() if game.last_lead != NO_CARD else []
        self._tiles("hold area", held, 122, _ECK_ROW + 42, 300)
        self._pile(int(game.lost), "ECK's tricks", 452, _ECK_ROW, _PILE_STEP)

    def _tiles(self, label: str, kinds: list[int], x: float, y: float, width: float) -> None:
        """Draw cards as tiles in a row, closer together where they would be too many."""
        self._write(label, x, y, 13, FAINT)
        step = min(TILE[0] + 2, (width - TILE[0]) / max(1, len(kinds) - 1))
        for place, kind in enumerate(kinds):
            self._put(self._sprites.tile(kind), x + place * step, y + 12)
        if not kinds:
            self._write("none", x + 4, y + 16, 13, FAINT)

    def _play_row(self, game: Any) -> None:
        self._write("last trick", _LEFT, _PLAY_ROW - 2, 13, FAINT)
        if game.last_lead != NO_CARD:
            self._last_trick(game)
        x = TABLE[0] / 2 - CARD[0] - 5
        self._write("ECK", x + CARD[0] / 2, _PLAY_ROW - 2, 13, FAINT, 0.5)
        self._write("you", x + CARD[0] + 10 + CARD[0] / 2, _PLAY_ROW - 2, 13, FAINT, 0.5)
        lead = self._sprites.card(int(game.lead)) if game.lead != NO_CARD else self._sprites.place("")
        self._put(lead, x, _PLAY_ROW + 12)
        self._put(self._sprites.place(""), x + CARD[0] + 10, _PLAY_ROW + 12)
        self._write("tied tricks" if game.tied else "no tied tricks", 452, _PLAY_ROW - 2, 13, FAINT)
        for place in range(2 * int(game.tied)):
            self._put(self._sprites.back(), 452 + place * min(9, 120 / (2 * game.tied)), _PLAY_ROW + 12)
        if game.tied:
            self._write(f"tied: {game.tied}", 452, _PLAY_ROW + CARD[1] + 17)

    def _last_trick(self, game: Any) -> None:
        cards = {int(game.last_leader): game.last_lead, 1 - int(game.last_leader): game.last_follow}
        for side, x in ((ECK, _LEFT), (YOU, _LEFT + CARD[0] + 6)):
            self._put(self._sprites.card(int(cards[side])), x, _PLAY_ROW + 12)
            name = ("you", "ECK")[side] + (" led" if side == game.last_leader else "")
            self._write(name, x + CARD[0] / 2, _PLAY_ROW + CARD[1] + 17, 14, LIGHT, 0.5)
        taker = {YOU: "you took it", ECK: "ECK took it", TIED: "tied"}[int(game.last_taker)]
        self._write(taker, _LEFT + 2 * CARD[0] + 16, _PLAY_ROW + 34, 15, GOLD if game.last_taker == YOU else LIGHT)

    def _status(self, game: Any) -> None:
        """Write what is to be done now, and draw your tricks."""
        reasons = ", ".join(_REASON_TEXTS[name] for name in flag_names(int(game.reasons), REASONS))
        if game.outcome != PLAYING:
            text = f"{'You win the game' if OUTCOMES[game.outcome] == 'win' else 'You lose the game'}"
            text += f": {reasons}" if reasons else ""
        elif game.over:
            text = "The round is over"
        else:
            text = "Your turn: follow" if game.lead != NO_CARD else "Your turn: you lead"
        self._write(text, _LEFT, 336, 22, GOLD)
        self._pile(int(game.won), "your tricks", 452, 306, _PILE_STEP)

    def _hand(self, game: Any) -> None:
        """Draw the hand by color, the circles last."""
        kinds = bag_list(int(game.hand))
        if not kinds:
            return self._write("your hand is empty", _LEFT, _HAND_ROW + 20, 15, FAINT)
        self._write("your hand", _LEFT, _HAND_ROW - 16, 13, FAINT)
        x: float = _LEFT
        before = kinds[0]
        for kind in kinds:
            if min(kind, BLACK) // NUM_SHAPES != min(before, BLACK) // NUM_SHAPES:
                x += _HAND_GAP
            self._put(self._sprites.card(kind), x, _HAND_ROW)
            x += CARD[0] + 1
            before = kind
        return None


@lru_cache(maxsize=8)
def get_painter(width: int, height: int) -> Painter:
    """Return the painter of this size, which keeps what it has drawn before."""
    return Painter(width, height)
