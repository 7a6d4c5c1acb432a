"""Starting a game from given cards: the `options` of the environments' reset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.checks import integer, listed, unknown_key
from eck_env.numberless.cards import HAND_SIZE, NAMES, NUM_CARDS, card_numbers, check_once
from eck_env.numberless.rules import deal_deck, start_game

SETUP_KEYS = ("hands", "deal", "start_player")


def apply_options(game: Any, options: Mapping[str, Any]) -> NDArray[np.int8]:
    """Start a game, whose cards have just been dealt from its seed, anew; what is left out stays as the seed deals it.

    Args:
        game: The game's record.
        options: Any of `hands` (a hand of 7 cards for each seat, or None for a seat that gets what the seed deals), or
            instead `deal` (all 49 cards, the first 7 dealt to seat 0, and so on), and `start_player` (a seat), in card
            notation or as actions. With a draft these are the hands before it.

    Returns:
        The prescribed shuffles, of which there are none.

    Raises:
        ValueError: If a key is unknown or a value is not allowed.
    """
    for key in options:
        if key not in SETUP_KEYS:
            raise unknown_key(key, SETUP_KEYS, "the options of reset")
    if "deal" in options and "hands" in options:
        raise ValueError("deal names the cards of all hands: give either it or hands")
    deck = _deck(game, options)
    start = options.get("start_player", int(game.start))
    start_game(game)
    game.start = integer(start, 0, int(game.num_players) - 1, "start_player")
    game.deck[:] = deck
    deal_deck(game)
    return np.zeros((0, 1), np.int8)


def _deck(game: Any, options: Mapping[str, Any]) -> list[int]:
    """Return the 49 cards as they are to be dealt."""
    if "deal" in options:
        deck = card_numbers(options["deal"], "deal")
        if len(deck) != NUM_CARDS:
            raise ValueError(f"deal has {len(deck)} cards, but must have all {NUM_CARDS}")
        return deck
    given = listed(options.get("hands", [None] * game.num_players), "hands", "a list with a hand for each seat")
    if len(given) != game.num_players:
        raise ValueError(f"hands has {len(given)} hands, but must have one for each of the {game.num_players} seats")
    hands = [None if hand is None else card_numbers(hand, f"hands[{seat}]") for seat, hand in enumerate(given)]
    for seat, hand in enumerate(hands):
        if hand is not None and len(hand) != HAND_SIZE:
            raise ValueError(f"hands[{seat}] has {len(hand)} cards, but must have {HAND_SIZE}, or be None")
    fixed = [card for hand in hands if hand is not None for card in hand]
    check_once([NAMES[card] for card in fixed], "hands")
    rest = [card for card in game.deck.tolist() if card not in fixed]
    deck = []
    for hand in hands:
        deck += rest[:HAND_SIZE] if hand is None else hand
        rest = rest[HAND_SIZE:] if hand is None else rest
    return deck + rest
