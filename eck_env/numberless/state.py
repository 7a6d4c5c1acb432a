"""The state of one game: its record, and its form in card notation, which is plain data fit for JSON.

`GAME` is the record that the rules work on; an array of them is a batch of games. `state_dict` writes a record in
notation; `loading.py` reads it back.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.base.records import flag_names
from eck_env.numberless.cards import HAND_SIZE, NAMES, NUM_CARDS, card_names, cards_of
from eck_env.numberless.rules import BY_CARDS, BY_ILLEGAL_ACTION, NO_CARD, OVER
from eck_env.numberless.variant import ANY_SEAT, MAX_PLAYERS, YOUR_SEAT, Variant

PHASES = ("draft", "play", "over")
PATTERNS = (None, "same background", "same foreground", "all different")
TAKE_REASONS = ("bust", "second player")
OUTCOMES = (None, "win", "loss", "shared win")
REASONS = {BY_CARDS: "more_cards", BY_ILLEGAL_ACTION: "illegal_action"}
LOG_SIZE = 24
"""What may happen between two decisions of a seat: at most 13 cards and 4 pots."""
ANYBODY = -1
"""In place of the watched seat: the engine stops at every decision of the caller's."""

GAME = np.dtype(
    [
        # The key of all randomness: this seed and the number of the game since seeding (from 0).
        ("seed", np.int64),
        ("game_number", np.int64),
        # By seat, sets of cards (cards.py): what it holds, what it has kept in the draft, and what it cannot hold,
        # since it could not fit. In the draft `hands` are those that are passed on.
        ("hands", np.int64, MAX_PLAYERS),
        ("kept", np.int64, MAX_PLAYERS),
        ("lacks", np.int64, MAX_PLAYERS),
        ("held", np.int8, MAX_PLAYERS),  # how many cards `hands` have, which all seats know
        ("gone", np.int64),  # the cards of finished rounds
        ("fits", np.int64),  # the cards that fit the pot
        # The variant.
        ("num_players", np.int8),
        ("draft", np.int8),
        ("start_player", np.int8),
        ("watched", np.int8),  # the seat whose outcome is told, or ANYBODY
        ("players", np.int8, MAX_PLAYERS),  # who decides for each seat (variant.py)
        # The draft.
        ("picks", np.int8, MAX_PLAYERS),  # what the seats have chosen in this round of the draft, or NO_CARD
        ("draft_round", np.int8),
        ("drafted", np.int8, (MAX_PLAYERS, HAND_SIZE)),  # what each seat has kept, by round of the draft
        ("seen", np.int8, (MAX_PLAYERS, NUM_CARDS)),  # 1 + the last round of the draft in which a seat saw a card
        # The round in play.
        ("phase", np.int8),
        ("turn", np.int8),
        ("shown", np.int8),  # the seat whose observation is shown
        ("start", np.int8),
        ("pot", np.int8, MAX_PLAYERS),
        ("pot_size", np.int8),
        ("pattern", np.int8),
        # The game.
        ("collected", np.int8, MAX_PLAYERS),
        ("played_by", np.int8, NUM_CARDS),  # 1 + the seat that played a card, or 0
        ("round_number", np.int16),
        ("decision", np.int16),  # how many decisions there have been
        ("outcome", np.int8),
        ("reasons", np.int8),
        ("over", np.int8),
        ("scripted", np.int8),
        ("fresh", np.int8),  # whether the caller has not decided yet
        # The last round, and what happened in the last step, for those who watch.
        ("last_pot", np.int8, MAX_PLAYERS),
        ("last_size", np.int8),
        ("last_start", np.int8),
        ("last_pattern", np.int8),
        ("last_taker", np.int8),
        ("last_reason", np.int8),
        ("log", np.int16, LOG_SIZE),
        ("log_size", np.int8),
        ("deck", np.int8, NUM_CARDS),  # used while cards are dealt
    ],
    align=True,
)
"""The record of one game."""


def new_games(count: int, variant: Variant) -> NDArray[np.void]:
    """Return records of this variant, shape (count,), dtype `GAME`; no game has been started yet."""
    games = np.zeros(count, GAME)
    games["num_players"] = variant.num_players
    games["draft"] = variant.draft
    games["start_player"] = ANY_SEAT if variant.start_player is None else variant.start_player
    games["watched"] = ANYBODY if variant.opponents is None else YOUR_SEAT
    games["shown"] = YOUR_SEAT
    games["players"][:, : variant.num_players] = variant.seats
    games["picks"] = games["drafted"] = NO_CARD
    return games


def state_dict(game: Any, scripts: NDArray[np.int8]) -> dict[str, Any]:
    """Return the whole state of a game in card notation, as plain data fit for JSON.

    Args:
        game: The game's record.
        scripts: Not used: this game has no prescribed shuffles.
    """
    seats = range(int(game.num_players))
    by_seat: list[list[int]] = [
        [card for card in range(NUM_CARDS) if game.played_by[card] == seat + 1] for seat in seats
    ]
    rounds = int(game.draft_round)
    return {
        "phase": PHASES[game.phase],
        "turn": None if game.phase == OVER else int(game.turn),
        "start": int(game.start),
        "hands": [card_names(cards_of(int(game.hands[seat]))) for seat in seats],
        "drafted": [card_names(game.drafted[seat, :rounds].tolist()) for seat in seats],
        "picks": [None if game.picks[seat] == NO_CARD else NAMES[game.picks[seat]] for seat in seats],
        "pot": card_names(game.pot[: game.pot_size].tolist()),
        "pattern": PATTERNS[game.pattern],
        "played": [card_names(cards) for cards in by_seat],
        "collected": [int(game.collected[seat]) for seat in seats],
        "lacks": [card_names(cards_of(int(game.lacks[seat]))) for seat in seats],
        "last_round": _last_round(game),
        "round": int(game.round_number),
        "decision": int(game.decision),
        "game": int(game.game_number),
        "seed": int(game.seed),
        "outcome": OUTCOMES[game.outcome],
        "reasons": flag_names(int(game.reasons), REASONS),
        "over": bool(game.over),
    }


def _last_round(game: Any) -> dict[str, Any] | None:
    """Return the last round that is finished, or None."""
    if game.last_size == 0:
        return None
    return {
        "start": int(game.last_start),
        "pot": card_names(game.last_pot[: game.last_size].tolist()),
        "pattern": PATTERNS[game.last_pattern],
        "taker": int(game.last_taker),
        "reason": TAKE_REASONS[game.last_reason],
    }
