"""The state of one game: its record, and its form in card notation, which is plain data fit for JSON.

`GAME` is the record that the rules work on; an array of them is a batch of games. `state_dict` writes a record in
notation; `loading.py` reads it back.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.base.records import check_generator, flag_names, redraw_seed
from eck_env.base.records import record as record
from eck_env.eck.cards import DECK_SIZE, HAND_SIZE, NAMES, PACK_SIZE, bag_list, card_names
from eck_env.eck.rules import BY_COUNTER, BY_ECK_CARD, BY_ILLEGAL_ACTION, COUNTERS, NO_CARD
from eck_env.eck.variant import TRICK_CARDS, Variant

SIDES = ("you", "eck")
STATUSES = ("colored", "gray", "yours", "eck")
OUTCOMES = (None, "win", "loss")
REASONS = {BY_ECK_CARD: "eck_card", BY_COUNTER: "counter", BY_ILLEGAL_ACTION: "illegal_action"}
GAME = np.dtype(
    [
        # The key of all randomness: this seed, the number of the game since seeding, the round (all from 0).
        ("seed", np.int64),
        ("game_number", np.int64),
        ("round_number", np.int64),
        # Bags of cards (cards.py): what a player who remembers the round knows.
        ("hand", np.int64),
        ("face_down", np.int64),
        ("face_up", np.int64),
        # cards[top:bottom] is the face-down deck in order; the rest of the 42 places is of no meaning.
        ("cards", np.int8, PACK_SIZE),
        ("top", np.int8),
        ("bottom", np.int8),
        ("reshuffles", np.int8),  # this round
        ("scripted", np.int8),  # how many of them have a prescribed order
        ("misfit", np.int8),  # the prescribed order (from 1) that did not fit the cards left; 0 for none
        # The trick in play.
        ("lead", np.int8),  # the card ECK led, or NO_CARD
        ("leader", np.int8),
        ("tied", np.int8),
        ("won", np.int8),
        ("lost", np.int8),
        # The table between the rounds: trick cards as sets of bits.
        ("laid", np.int8),
        ("gray", np.int8),
        ("yours", np.int8),
        ("ecks", np.int8),
        ("counter", np.int8),
        ("target", np.int8),
        ("same_circle", np.int8),
        ("effects", np.int8, HAND_SIZE + 1),  # what the end of this round does, by tricks you take
        # Flags of the observation that stay the same during a round, as bits; `observation.note_table` keeps them.
        ("table", np.int64),
        ("low_prospects", np.int64),
        ("high_prospects", np.int64),
        # How it stands.
        ("outcome", np.int8),
        ("reasons", np.int8),
        ("over", np.int8),  # the episode is over: the game, or the round where that is the episode
        # The last step, for those who watch.
        ("last_leader", np.int8),
        ("last_lead", np.int8),
        ("last_follow", np.int8),
        ("last_taker", np.int8),
        ("last_collected", np.int8),
        ("last_gray", np.int8),
        ("last_taken", np.int8),
        ("num_held", np.int8),
        ("held", np.int8, DECK_SIZE),
    ],
    align=True,
)
"""The record of one game."""


def new_games(count: int, variant: Variant) -> NDArray[np.void]:
    """Return records of this variant, shape (count,), dtype `GAME`; no game has been started yet."""
    games = np.zeros(count, GAME)
    games["laid"] = variant.laid_bits
    games["target"] = variant.target
    games["same_circle"] = variant.same_circle
    games["lead"] = games["last_lead"] = NO_CARD
    return games


def trick_card_statuses(laid: int, gray: int, yours: int, ecks: int) -> dict[str, str]:
    """Return the status of every trick card laid out, by name, from sets of bits."""
    statuses = {}
    for index, name in enumerate(TRICK_CARDS):
        bit = 1 << index
        if laid & bit:
            statuses[name] = "yours" if yours & bit else "eck" if ecks & bit else "gray" if gray & bit else "colored"
    return statuses


def state_dict(game: Any, scripts: NDArray[np.int8]) -> dict[str, Any]:
    """Return the whole state of a game in card notation, as plain data fit for JSON.

    Args:
        game: The game's record.
        scripts: The prescribed orders of this round's reshuffles, shape (number, 29), int8, filled with NO_CARD.
    """
    pending = scripts[game.reshuffles : game.scripted]
    return {
        "hand": card_names(bag_list(int(game.hand))),
        "face_down": card_names(game.cards[game.top : game.bottom].tolist()),
        "face_up": card_names(bag_list(int(game.face_up))),
        "lead": None if game.lead == NO_CARD else NAMES[game.lead],
        "leader": SIDES[game.leader],
        "tied": int(game.tied),
        "tricks_won": int(game.won),
        "tricks_lost": int(game.lost),
        "trick_cards": trick_card_statuses(int(game.laid), int(game.gray), int(game.yours), int(game.ecks)),
        "counter": COUNTERS[game.counter],
        "round": int(game.round_number),
        "game": int(game.game_number),
        "seed": int(game.seed),
        "outcome": OUTCOMES[game.outcome],
        "reasons": flag_names(int(game.reasons), REASONS),
        "over": bool(game.over),
        "reshuffles": int(game.reshuffles),
        "shuffles": [card_names(kind for kind in order.tolist() if kind != NO_CARD) for order in pending],
    }


def shuffle_hidden(game: Any, rng: np.random.Generator) -> None:
    """Re-draw the order of the face-down cards and the key of all later randomness; nothing else stays hidden."""
    check_generator(rng)
    rng.shuffle(game.cards[game.top : game.bottom])
    redraw_seed(game, rng)
