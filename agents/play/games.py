"""What the table in a terminal and the page need to know of each game: one kit a game, found by the variant."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from agents.play import gongor_view, gongor_words, numberless_view, numberless_words, view, words
from agents.play.opponents import opponents_of
from agents.results import variant_title
from eck_env.base.render import paint
from eck_env.base.replay import BaseReplay
from eck_env.base.replay_forms import Forms
from eck_env.checks import unknown_key
from eck_env.eck.render import paint_card
from eck_env.eck.replay_forms import FORMS as ECK_FORMS
from eck_env.gongor_whist.cards import NAMES, card_number
from eck_env.gongor_whist.render import paint_card as paint_gongor_card
from eck_env.gongor_whist.replay_forms import FORMS as GONGOR_FORMS
from eck_env.numberless.cards import card_number as numberless_card
from eck_env.numberless.render import paint_card as paint_numberless_card
from eck_env.numberless.replay_forms import FORMS as NUMBERLESS_FORMS
from eck_env.numberless.variant import Variant as NumberlessVariant
from eck_env.numberless.variant import name_opponents
from eck_env.registry import REGISTRY, AnyVariant, find_variant
from eck_env.replays import forms_for

_ECK_HELP = """A card is played by its notation: a color letter (R O Y G B P) and the number of corners (2 3 4 5 6 8),
K for a black circle, W for a white one. Other words:"""
_GONGOR_HELP = """A bid is its number. A card is played by its rank (2 to 9, C for a Crown) and its suits (M S W L Y K),
as in 9WY. After it, keep (or K) the trump or twiddle (T) it. Other words:"""
_NUMBERLESS_HELP = """A card is kept or played by its figure (A to G: anchor, bell, crown, drum, egg, fir, gate) and its
color (R O Y G B P W), as in AR. Other words:"""
OPPONENT = "heuristic"
"""Who plays at the other seats unless somebody else is named."""


@dataclass(frozen=True)
class PlayKit:
    """A game for people.

    Attributes:
        name: What data call it.
        title: What people call it.
        forms: The forms of its replays.
        make_view: `(observation, info, before)`: return what a player sees; `before` is the observation before the
            step that led here, None after a reset.
        parts: `(observation, info, before)`: return how many parts of the game, rounds or hands, have ended in a step.
        part_over: How the end of such a part is announced.
        help: How moves are typed in a terminal.
        prompt: What a terminal asks for, by phase of the game; an empty key for games that have none.
        parse: `(text, view)`: return the move that somebody typed, in upper case, or None.
        paint: `(move, color)`: return a move in notation, painted or not.
        width: The width of the longest move in notation, and a space.
        words_width: The width of the longest one in words.
        memory: `(view)`: what is remembered: its name, and the cards.
        move_words: `(move)`: return a move in words.
        is_card: `(move)`: whether a move is a card, and not another choice.
        title_of: `(variant)`: return what people call a variant.
        introduce: `(variant)`: say who plays, where that is not plain; else an empty text.
    """

    name: str
    title: str
    forms: Forms[Any]
    make_view: Callable[[Any, Mapping[str, Any], Any], dict[str, Any]]
    parts: Callable[[Any, Mapping[str, Any], Any], int]
    part_over: str
    help: str
    prompt: Mapping[str, str]
    parse: Callable[[str, Mapping[str, Any]], str | None]
    paint: Callable[[str, bool], str]
    width: int
    words_width: int
    memory: Callable[[Mapping[str, Any]], tuple[str, list[str]]]
    move_words: Callable[[str], str]
    is_card: Callable[[str], bool] = lambda move: True
    title_of: Callable[[Any], str] = variant_title
    introduce: Callable[[Any], str] = lambda variant: ""

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


def _parse_numberless(text: str, seen: Mapping[str, Any]) -> str | None:
    return text if text in NUMBERLESS_FORMS.names else None


def _introduce_numberless(variant: NumberlessVariant) -> str:
    seats = [f"seat {seat} is {name}" for seat, name in enumerate(opponents_of(variant), 1)]
    return f"You sit at seat 0; {words.listing(seats)}."


ECK = PlayKit(
    "eck",
    "ECK",
    ECK_FORMS,
    _eck_view,
    lambda observation, info, before: int("round" in info),
    "The round is over.",
    _ECK_HELP,
    {"": "card"},
    _parse_card,
    paint_card,
    3,
    16,
    lambda seen: ("face down", seen["face_down"]),
    words.card_words,
)
GONGOR_WHIST = PlayKit(
    "gongor_whist",
    "Gongor Whist",
    GONGOR_FORMS,
    gongor_view.make_view,
    lambda observation, info, before: int("hand" in info),
    "The hand is over.",
    _GONGOR_HELP,
    {"bid": "bid", "card": "card", "twiddle": "keep or twiddle"},
    _parse_gongor,
    _paint_gongor,
    8,
    36,
    lambda seen: ("not seen in this pass", seen["hidden"]),
    gongor_words.move_words,
    lambda move: move in NAMES,
)
NUMBERLESS = PlayKit(
    "numberless",
    "The game without numbers",
    NUMBERLESS_FORMS,
    numberless_view.make_view,
    numberless_view.rounds_ended,
    "The round is over.",
    _NUMBERLESS_HELP,
    {"draft": "keep", "play": "card"},
    _parse_numberless,
    lambda move, color: paint_numberless_card(numberless_card(move), color),
    3,
    16,
    lambda seen: ("never seen", seen["unseen"]),
    numberless_words.card_words,
    title_of=lambda variant: variant.table,
    introduce=_introduce_numberless,
)
KITS = (ECK, GONGOR_WHIST, NUMBERLESS)


PLAYED = tuple(
    env_id for env_id in REGISTRY if isinstance(find_variant(env_id), tuple(type(kit.forms.standard) for kit in KITS))
)
"""The registered ids that are played here."""


def kit_of(variant: AnyVariant) -> PlayKit:
    """Return the kit of a variant's game."""
    forms = forms_for(variant)
    return next(kit for kit in KITS if kit.forms is forms)


def make_variant(keywords: Mapping[str, Any]) -> AnyVariant:
    """Return the variant that keywords name; players at other seats may be agents of any name.

    Raises:
        ValueError: If there is no such keyword, or a value is not allowed.
        TypeError: If a value has the wrong type.
    """
    variant = find_variant({key: value for key, value in keywords.items() if key != "opponents"})
    if isinstance(variant, NumberlessVariant):
        return name_opponents(variant, keywords.get("opponents", OPPONENT))
    if "opponents" in keywords:
        raise unknown_key("opponents", asdict(variant), "the variant")
    return variant


def describe_games() -> dict[str, Any]:
    """Return what a front end needs to draw and name what there is in all games."""
    return {
        **view.describe_cards(),
        "gongor": gongor_view.describe_cards(),
        "numberless": numberless_view.describe_cards(),
    }
