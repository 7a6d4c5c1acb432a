"""The table of the game without numbers as a picture of any size: what lies where."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from eck_env.base.drawing import BasePainter
from eck_env.base.outlines import INK
from eck_env.base.sprites import CARD, EDGE, FAINT, FELT, GOLD, LIGHT, TILE, BaseSprites
from eck_env.numberless.cards import BACKGROUNDS, FOREGROUNDS, HAND_SIZE, NAMES, NUM_KINDS, cards_of
from eck_env.numberless.outlines import BACKGROUND_RGB, FIGURE_OUTLINES
from eck_env.numberless.render import last_round, status
from eck_env.numberless.rules import DRAFT, OVER, count_of
from eck_env.numberless.state import PATTERNS

if TYPE_CHECKING:
    from pygame import Surface

_LEFT = 14
_POT_ROW, _KEPT_ROW, _HAND_ROW = 192, 296, 402
_SEAT_ROW = 21


class Sprites(BaseSprites):
    """Adds the cards of this game."""

    def card(self, card: int) -> Surface:
        """Return the face of a card: a figure on its background, and its notation."""

        def paint(sheet: Surface, unit: float) -> None:
            self._plate(sheet, unit, CARD, BACKGROUND_RGB[BACKGROUNDS[card % NUM_KINDS]], EDGE)
            letters = self._letters(14, unit)(NAMES[card], True, INK)
            sheet.blit(letters, (unit * 5, unit * 4))
            self._fill(sheet, unit, FIGURE_OUTLINES[FOREGROUNDS[card // NUM_KINDS]], (21, 35), 14, INK)

        return self._keep(("card", card), lambda: self._reduced(CARD, EDGE, paint))

    def tile(self, card: int) -> Surface:
        """Return a card as a small tile."""

        def paint(sheet: Surface, unit: float) -> None:
            self._plate(sheet, unit, TILE, BACKGROUND_RGB[BACKGROUNDS[card % NUM_KINDS]], EDGE, radius=3)
            letters = self._letters(11, unit)(NAMES[card], True, INK)
            sheet.blit(letters, letters.get_rect(center=(unit * TILE[0] / 2, unit * TILE[1] / 2)))

        return self._keep(("tile", card), lambda: self._reduced(TILE, EDGE, paint))


class Painter(BasePainter[Sprites]):
    """Paints tables of the game without numbers; see `BasePainter`."""

    def __init__(self, width: int, height: int) -> None:
        super().__init__(width, height, Sprites)

    def paint(self, game: Any) -> Surface:
        """Return the table of a game's record (`state.GAME`) as a surface, which the next call paints over."""
        self._surface.fill(FELT)
        view, drafting = int(game.shown), game.phase == DRAFT
        self._seats(game, view)
        self._gone(game)
        pattern = PATTERNS[game.pattern] or "no pattern yet"
        self._row(game.pot[: game.pot_size].tolist(), f"pot, {pattern}", _POT_ROW, int(game.num_players))
        if drafting:
            self._row(cards_of(int(game.kept[view])), "kept", _KEPT_ROW, HAND_SIZE)
        else:
            self._write(f"last round: {last_round(game)}", _LEFT, _KEPT_ROW + 10, 15, LIGHT)
        text = status(game)
        self._write(text[0].upper() + text[1:], _LEFT, _HAND_ROW - 40, 22, GOLD)
        label = "choose from" if drafting else "your hand"
        self._row(cards_of(int(game.hands[view])), label, _HAND_ROW, 0)
        return self._surface

    def _seats(self, game: Any, view: int) -> None:
        """Write a line for each seat."""
        for seat in range(int(game.num_players)):
            name = "you" if seat == view else f"seat {seat}"
            marks = "".join(
                mark
                for mark, place in ((", starts", game.start), (", to move", game.turn))
                if place == seat and not game.over
            )
            text = f"{name}: {game.held[seat]} in hand, {game.collected[seat]} collected, counts"
            color = GOLD if seat == view else LIGHT
            self._write(f"{text} {count_of(game, seat)}{marks}", _LEFT, 12 + _SEAT_ROW * seat, 17, color)
        number = f"pick {game.draft_round + 1} of 7" if game.phase == DRAFT else f"round {game.round_number + 1}"
        self._write("over" if game.phase == OVER else number, 626, 12, 18, LIGHT, 1)

    def _gone(self, game: Any) -> None:
        """Draw the cards of finished rounds as tiles, a column a background."""
        self._write("gone", 490, 36, 13, FAINT)
        for card in cards_of(int(game.gone)):
            x, y = 490 + card % NUM_KINDS * (TILE[0] + 2), 50 + card // NUM_KINDS * (TILE[1] + 2)
            self._put(self._sprites.tile(card), x, y)

    def _row(self, cards: list[int], label: str, y: int, places: int) -> None:
        """Draw cards in a row, and empty places up to a number."""
        self._write(label, _LEFT, y - 16, 13, FAINT)
        for place in range(max(len(cards), places)):
            sprite = self._sprites.card(cards[place]) if place < len(cards) else self._sprites.place("")
            self._put(sprite, _LEFT + place * (CARD[0] + 6), y)


@lru_cache(maxsize=8)
def get_painter(width: int, height: int) -> Painter:
    """Return the painter of this size, which keeps what it has drawn before."""
    return Painter(width, height)
