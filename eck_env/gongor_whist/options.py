"""Starting a game from given cards: the `options` of the environments' reset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.checks import unknown_key
from eck_env.gongor_whist.cards import HAND_SIZE, NAMES, NUM_CARDS, card_numbers, check_once
from eck_env.gongor_whist.loading import load_scripts
from eck_env.gongor_whist.rules import NO_CARD, start_game, start_hand

SETUP_KEYS = ("hand", "dummy", "passes", "ace_orders")


def apply_options(game: Any, options: Mapping[str, Any]) -> NDArray[np.int8]:
    """Set up a game that has just been dealt from its seed; what is left out stays as the seed deals it.

    Args:
        game: The game's record.
        options: Any of `hand` and `dummy` (7 cards each, of the first hand, the dummy's in the order in which it leads
            them), or instead of these `passes` (the order of the 30 cards in each pass, from the first one on: 7 to
            you, 7 to the dummy, 7 and 7 for the back hand, 2 out), and `ace_orders` (the order of the 6 Aces in each
            pile, from the first one on), in card notation.

    Returns:
        The prescribed orders, shape (number, 36), int8.

    Raises:
        ValueError: If a key is unknown or a value is not allowed.
    """
    for key in options:
        if key not in SETUP_KEYS:
            raise unknown_key(key, SETUP_KEYS, "the options of reset")
    if "passes" in options and ("hand" in options or "dummy" in options):
        raise ValueError("passes name the cards of hand and dummy too: give either these or those")
    _begin_anew(game)
    scripts = load_scripts(options.get("passes", ()), options.get("ace_orders", ()), 0, 0)
    cards = _first_pass(game, options)
    game.scripted = len(scripts)
    if len(scripts) and scripts[0, 0] != NO_CARD:
        cards = scripts[0, :NUM_CARDS].tolist()
    if len(scripts) and scripts[0, NUM_CARDS] != NO_CARD:
        game.aces[:] = scripts[0, NUM_CARDS:]
        game.trump = game.aces[0]
    game.cards[:] = cards
    start_hand(game)
    return scripts


def _begin_anew(game: Any) -> None:
    """Go back to the first hand of the game, which is what the cards are for; an episode may start from another one."""
    if game.hand_number or game.turned != 1:
        seen_aces = game.aces.copy()
        start_game(game)
        game.aces[:], game.turned, game.piles, game.seen = seen_aces, 1, 1, 0
        game.trump = game.aces[0]


def _first_pass(game: Any, options: Mapping[str, Any]) -> list[int]:
    """Return the 30 cards of the first pass; what is not given is filled up in the order of the seed's own deal."""
    given: dict[str, list[int]] = {"hand": [], "dummy": []}
    for key in given:
        if key in options:
            given[key] = card_numbers(options[key], key)
            if len(given[key]) != HAND_SIZE:
                raise ValueError(f"{key} has {len(given[key])} cards, but must have {HAND_SIZE}, or be left out")
    fixed = given["hand"] + given["dummy"]
    check_once([NAMES[card] for card in fixed], "hand and dummy together")
    rest = [card for card in game.cards.tolist() if card not in fixed]
    cards: list[int] = []
    for key in ("hand", "dummy"):
        if not given[key]:
            given[key], rest = rest[:HAND_SIZE], rest[HAND_SIZE:]
        cards += given[key]
    return cards + rest
