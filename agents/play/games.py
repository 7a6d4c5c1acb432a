"""What the table in a terminal and the page need to know of each game: one kit a game, found by the variant."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agents.play import gongor_view, view, words
from eck_env.base.render import paint
from eck_env.base.replay import BaseReplay
from eck_env.base.replay_forms import Forms
from eck_env.eck.render import paint_card
from eck_env.eck.replay_forms import FORMS as ECK_FORMS
from eck_env.gongor_whist.cards import NAMES, card_number
from eck_env.gongor_whist.render import paint_card as paint_gongor_card
from eck_env.gongor_whist.replay_forms import FORMS as GONGOR_FORMS
from eck_env.registry import REGISTRY, AnyVariant, find_variant
from eck_env.replays import forms_for

_ECK_HELP = """A card is played by its notation: a color letter (R O Y G B P) and the number of corners (2 3 4 5 6 8),
K for a black circle, W for a white one. Other words:"""
_GONGOR_HELP = """A bid is its number. A card is played by its rank (2 to 9, C for a Crown) and its suits (M S W L Y K),
as in 9WY. After it, keep (or K) the trump or twiddle (T) it. Other words:"""


@dataclass(frozen=True)
class PlayKit:
    """A game for people.

    Attributes:
        name: What data call it.
        title: What people call it.
        forms: The forms of its replays.
        make_view: `(observation, info, before)`: return what a player sees; `before` is the observation before the
            step that led here, None after a reset.
        part: The key of the infos that end a part of the game.
        part_over: How the end of such a part is announced.
        help: How moves are typed in a terminal.
        prompt: What a terminal asks for, by phase of the game; an empty key for games that have none.
        parse: `(text, view)`: return the move that somebody typed, in upper case, or None.
        paint: `(move, color)`: return a move in notation, painted or not.
        width: The width of the longest move in notation, and a space.
        words_width: The width of the longest one in words.
        memory: `(view)`: what is remembered: its name, and the cards.
    """

    name: str
    title: str
    forms: Forms[Any]
    make_view: Callable[[Any, Mapping[str, Any], Any], dict[str, Any]]
    part: str
    part_over: str
    help: str
    prompt: Mapping[str, str]
    parse: Callable[[str, Mapping[str, Any]], str | None]
    paint: Callable[[str, bool], str]
    width: int
    words_width: int
    memory: Callable[[Mapping[str, Any]], tuple[str, list[str]]]

    def new_deal(self, variant: AnyVariant, seed: int) -> BaseReplay:
        """Return a deal of a variant of this game."""
        deal: BaseReplay = self.forms.replay(variant, seed)
        return deal


def _eck_view(observation: Any, info: Mapping[str, Any], before: Any = None) -> dict[str, Any]:
    tied_before = 0 if before is None else view.tied_tricks(before)
    return {"game": "eck", **view.make_view(observation, info, tied_before)}


def _parse_card(text: str, seen: Mapping[str, Any]) -> str | None:
    return text if text in ECK_FORMS.names else None


def _parse_gongor(text: str, seen: Mapping[str, Any]) -> str | None:
    """Return an action by its name, a bid by its number alone, keep and twiddle by their first letters."""
    wanted = " ".join(text.split())
    if wanted.isdecimal():
        wanted = f"BID {int(wanted)}"
    wanted = {"K": "KEEP", "T": "TWIDDLE"}.get(wanted, wanted)
    return next((name for name in GONGOR_FORMS.names if name.upper() == wanted), None)


def _paint_gongor(move: str, color: bool) -> str:
    return paint_gongor_card(card_number(move), color) if move in NAMES else paint(move, "1", color)


ECK = PlayKit(
    "eck",
    "ECK",
    ECK_FORMS,
    _eck_view,
    "round",
    "The round is over.",
    _ECK_HELP,
    {"": "card"},
    _parse_card,
    paint_card,
    3,
    16,
    lambda seen: ("face down", seen["face_down"]),
)
GONGOR_WHIST = PlayKit(
    "gongor_whist",
    "Gongor Whist",
    GONGOR_FORMS,
    gongor_view.make_view,
    "hand",
    "The hand is over.",
    _GONGOR_HELP,
    {"bid": "bid", "card": "card", "twiddle": "keep or twiddle"},
    _parse_gongor,
    _paint_gongor,
    8,
    36,
    lambda seen: ("not seen in this pass", seen["hidden"]),
)
KITS = (ECK, GONGOR_WHIST)


PLAYED = tuple(
    env_id for env_id in REGISTRY if isinstance(find_variant(env_id), tuple(type(kit.forms.standard) for kit in KITS))
)
"""The registered ids that are played here."""


def kit_of(variant: AnyVariant) -> PlayKit:
    """Return the kit of a variant's game; ValueError if that is not played here."""
    forms = forms_for(variant)
    return next(kit for kit in KITS if kit.forms is forms)


def describe_games() -> dict[str, Any]:
    """Return what a front end needs to draw and name what there is in all games."""
    return {**view.describe_cards(), "gongor": gongor_view.describe_cards()}


move_words = words.move_words
