"""Starting a round from given cards: the `options` of the environments' reset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.checks import index_of, unknown_key
from eck_env.eck.cards import DECK_SIZE, HAND_SIZE, card_kinds, check_copies
from eck_env.eck.loading import load_scripts, load_trick_cards
from eck_env.eck.rules import COUNTERS, start_round

SETUP_KEYS = ("hand", "deck", "trick_cards", "counter", "shuffles")


def apply_options(game: Any, options: Mapping[str, Any]) -> NDArray[np.int8]:
    """Set up the first round of a game that has just been dealt from its seed; what is left out stays as dealt.

    Args:
        game: The game's record.
        options: Any of `hand` (13 cards), `deck` (29 cards, top first, ECK's first lead included), `trick_cards`
            (name to ``colored``, ``gray`` or ``yours``), `counter` (``0``, ``1`` or ``2``) and `shuffles` (the orders
            of this round's reshuffles, top first), in card notation.

    Returns:
        The prescribed reshuffles, shape (number, 29), int8, filled up with NO_CARD.

    Raises:
        ValueError: If a key is unknown, a value is not allowed, or the game would be over already.
    """
    for key in options:
        if key not in SETUP_KEYS:
            raise unknown_key(key, SETUP_KEYS, "the options of reset")
    set_table(game, options)
    scripts = load_scripts(options.get("shuffles", ()))
    game.cards[:] = _whole_pack(game, options)
    start_round(game)
    game.scripted = len(scripts)
    return scripts


def set_table(game: Any, options: Mapping[str, Any]) -> None:
    """Lay trick cards and set the counter of a game as its options say, those of `apply_options`.

    Raises:
        ValueError: If a value is not allowed, or the game would be over already.
    """
    if "trick_cards" in options or "counter" in options:  # instead of the state that a round episode has drawn
        game.gray, game.yours, game.ecks, game.counter = 0, 0, 0, 0
    load_trick_cards(game, options.get("trick_cards", {}), partial=True)
    if game.ecks:
        raise ValueError("a trick card that ECK has taken ends the game: 'eck' cannot be a status at its start")
    if int(game.yours).bit_count() >= game.target:
        raise ValueError(f"{int(game.yours).bit_count()} trick cards are yours, but {game.target} win the game already")
    if "counter" in options:
        game.counter = index_of(options["counter"], COUNTERS[:-1], "counter")


def _whole_pack(game: Any, options: Mapping[str, Any]) -> list[int]:
    """Return the 42 cards, the hand first; what is not given is filled up in the order of the seed's own deal."""
    given: dict[str, list[int]] = {"hand": [], "deck": []}
    for key, size in (("hand", HAND_SIZE), ("deck", DECK_SIZE)):
        if key in options:
            given[key] = card_kinds(options[key])
            if len(given[key]) != size:
                raise ValueError(f"{key} has {len(given[key])} cards, but must have {size}, or be left out")
    check_copies(given["hand"] + given["deck"], "hand and deck together")
    rest: list[int] = game.cards.tolist()
    for kind in given["hand"] + given["deck"]:
        rest.remove(kind)
    hand = given["hand"] or rest[:HAND_SIZE]
    return hand + (given["deck"] or rest[len(rest) - DECK_SIZE :])
