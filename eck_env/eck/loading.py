"""Reading the state of a game from card notation, and refusing what cannot be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.base.records import MAX_NUMBER, check_keys, flag_names, record
from eck_env.batch import MAX_SEED
from eck_env.checks import index_of, integer, listed
from eck_env.eck.cards import DECK_SIZE, HAND_SIZE, bag_of, card_kind, card_kinds, check_copies
from eck_env.eck.rules import (
    BY_COUNTER,
    BY_ECK_CARD,
    BY_ILLEGAL_ACTION,
    COUNTER_LOST,
    COUNTERS,
    ECK,
    LOST,
    NO_CARD,
    PLAYING,
    THIRTEEN_OR_ZERO,
    WON,
    YOU,
    foresee,
)
from eck_env.eck.state import OUTCOMES, REASONS, SIDES, STATUSES, new_games
from eck_env.eck.variant import TRICK_CARDS, Variant

REQUIRED_KEYS = (
    "hand", "face_down", "face_up", "lead", "leader", "tied", "tricks_won", "tricks_lost", "trick_cards", "counter",
    "round", "game", "seed", "outcome",
)  # fmt: skip
MAX_RESHUFFLES = 2 * HAND_SIZE
"""More than any round has: each trick draws at most three cards out of turn (a lead, an answer, ruling b)."""

OPTIONAL_KEYS = ("reasons", "over", "reshuffles", "shuffles")


def load_state(state: Mapping[str, Any], variant: Variant) -> tuple[NDArray[np.void], NDArray[np.int8]]:
    """Return a batch of one game with this state, and its prescribed reshuffles.

    Args:
        state: What `state_dict` returned; the keys `reasons`, `over`, `reshuffles` and `shuffles` may be missing.
        variant: The variant it is played in.

    Raises:
        ValueError: If a key is missing or unknown, a value not allowed, or the state is impossible.
    """
    check_keys(state, REQUIRED_KEYS, OPTIONAL_KEYS)
    games = new_games(1, variant)
    game = record(games, 0)
    _load_numbers(game, state)
    load_trick_cards(game, state["trick_cards"], partial=False)
    game.counter = index_of(state["counter"], COUNTERS, "counter")
    game.leader = index_of(state["leader"], SIDES, "leader")
    game.outcome = index_of(state["outcome"], OUTCOMES, "outcome")
    _load_cards(game, state)
    _load_reasons(game, state)
    _load_over(game, state)
    _check_table(game)
    pending = load_scripts(state.get("shuffles", ()))
    done = np.full((int(game.reshuffles) if len(pending) else 0, DECK_SIZE), NO_CARD, np.int8)
    scripts = np.concatenate([done, pending])
    game.scripted = len(scripts)
    foresee(game)
    return games, scripts


def load_trick_cards(game: Any, statuses: object, partial: bool) -> None:
    """Set trick cards from a mapping of names to statuses; with `partial`, those not named stay as they are."""
    if not isinstance(statuses, Mapping):
        raise ValueError(f"trick_cards must be a mapping such as {{'8': 'gray'}}, not {statuses!r}")
    laid = [name for index, name in enumerate(TRICK_CARDS) if game.laid >> index & 1]
    for name in statuses:
        if name not in laid:
            raise ValueError(f"trick card {name!r} is not laid out in this variant: laid out are {', '.join(laid)}")
    missing = [name for name in laid if name not in statuses]
    if missing and not partial:
        raise ValueError(f"trick_cards lacks {', '.join(missing)}: give the status of every card laid out")
    for name, status in statuses.items():
        card = TRICK_CARDS.index(name)
        place = index_of(status, STATUSES, f"the status of trick card {name!r}")
        if card == THIRTEEN_OR_ZERO and status in ("gray", "eck"):
            raise ValueError(f"trick card {name!r} is {status!r}, but ECK never turns or takes that card")
        for field, own in (("gray", 1), ("yours", 2), ("ecks", 3)):
            game[field] = game[field] & ~(1 << card) | (1 << card if place == own else 0)


def load_scripts(orders: Any) -> NDArray[np.int8]:
    """Return prescribed reshuffles as an array of kinds, shape (number, 29), int8, filled up with NO_CARD."""
    example = "[['R2', 'K'], ...], an order (top first) for each reshuffle of this round"
    orders = listed(orders, "shuffles", example)
    if len(orders) > MAX_RESHUFFLES:
        raise ValueError(f"shuffles has {len(orders)} orders, but a round has at most {MAX_RESHUFFLES} reshuffles")
    scripts = np.full((len(orders), DECK_SIZE), NO_CARD, np.int8)
    for number, order in enumerate(orders):
        kinds = card_kinds(listed(order, f"shuffles[{number}]", "['R2', 'K']"))
        check_copies(kinds, f"shuffles[{number}]")
        if len(kinds) > DECK_SIZE:
            raise ValueError(f"shuffles[{number}] has {len(kinds)} cards, but ECK's deck has at most {DECK_SIZE}")
        scripts[number, : len(kinds)] = kinds
    return scripts


def _load_numbers(game: Any, state: Mapping[str, Any]) -> None:
    game.seed = integer(state["seed"], 0, MAX_SEED, "seed")
    game.game_number = integer(state["game"], 0, MAX_NUMBER, "game")
    game.round_number = integer(state["round"], 0, MAX_NUMBER, "round")
    game.tied = integer(state["tied"], 0, HAND_SIZE, "tied")
    game.won = integer(state["tricks_won"], 0, HAND_SIZE, "tricks_won")
    game.lost = integer(state["tricks_lost"], 0, HAND_SIZE, "tricks_lost")
    game.reshuffles = integer(state.get("reshuffles", 0), 0, MAX_RESHUFFLES, "reshuffles")


def _load_cards(game: Any, state: Mapping[str, Any]) -> None:
    """Set the cards of the round, and check that they can lie so."""
    hand, face_down, face_up = (card_kinds(state[key]) for key in ("hand", "face_down", "face_up"))
    lead = [] if state["lead"] is None else [card_kind(state["lead"])]
    check_copies(hand + face_down + face_up + lead, "the state")
    played = int(game.won) + int(game.lost) + int(game.tied)
    if len(hand) + played != HAND_SIZE:
        raise ValueError(f"{len(hand)} cards in the hand and {played} tricks played must add up to {HAND_SIZE}")
    if len(face_down) + len(face_up) + len(lead) + played != DECK_SIZE:
        raise ValueError(
            f"ECK's cards (face_down, face_up, lead) and the {played} tricks played must add up to {DECK_SIZE}, "
            f"not {len(face_down) + len(face_up) + len(lead) + played}"
        )
    if not hand and game.tied:
        raise ValueError(f"tied is {game.tied}, but after the last trick somebody has taken every trick")
    if bool(lead) != (game.leader == ECK and bool(hand)):
        raise ValueError(f"lead is {state['lead']!r}, which does not fit leader {state['leader']!r}")
    if not played and game.leader == YOU:
        raise ValueError("leader is 'you', but ECK leads the first trick of every round")
    game.hand, game.face_down, game.face_up = bag_of(hand), bag_of(face_down), bag_of(face_up)
    game.cards[: len(face_down)] = face_down
    game.top, game.bottom = 0, len(face_down)
    game.lead = lead[0] if lead else NO_CARD


def _implied_reasons(game: Any) -> int:
    """Return the reasons of a loss that the table shows, or else the one that leaves no trace."""
    shown = (BY_ECK_CARD if game.ecks else 0) | (BY_COUNTER if game.counter == COUNTER_LOST else 0)
    return shown or (BY_ILLEGAL_ACTION if game.outcome == LOST else 0)


def _load_reasons(game: Any, state: Mapping[str, Any]) -> None:
    """Set the reasons of a loss, and check them against the table."""
    implied = _implied_reasons(game)
    names = listed(state.get("reasons", flag_names(implied, REASONS)), "reasons", "['counter']")
    for name in names:
        index_of(name, tuple(REASONS.values()), "a reason")
    game.reasons = sum(flag for flag, name in REASONS.items() if name in names)
    if game.reasons != implied or (game.outcome == LOST) != bool(implied):
        raise ValueError(
            f"outcome {state['outcome']!r} with the reasons {names} does not fit the trick cards and the counter, "
            f"which allow {flag_names(implied, REASONS) or 'no'} reasons of a loss"
        )
    if game.outcome == LOST and (game.reasons == BY_ILLEGAL_ACTION) != (game.hand != 0):
        raise ValueError(
            "an illegal action ends a game while cards are in the hand, a loss by the reasons "
            "'eck_card' and 'counter' after the last trick of a round"
        )


def _load_over(game: Any, state: Mapping[str, Any]) -> None:
    """Set whether the episode is over, and check that against outcome and hand."""
    over = state.get("over", game.outcome != PLAYING)
    if not isinstance(over, bool | np.bool_):
        raise ValueError(f"over is {over!r}, but must be True or False")
    if game.outcome != PLAYING and not over:
        raise ValueError(f"over is {over}, but the outcome is {state['outcome']!r}")
    if game.outcome == PLAYING and over != (game.hand == 0):
        raise ValueError(
            f"over is {over}, but without an outcome an episode is over exactly when the hand is empty and no new "
            "round has been dealt"
        )
    game.over = over


def _check_table(game: Any) -> None:
    """Check that trick cards and counter can lie so."""
    collected = int(game.yours).bit_count()
    if (game.outcome == WON) != (collected >= game.target):
        raise ValueError(
            f"{collected} trick card(s) are yours and {game.target} win: the outcome must be 'win' exactly when the "
            "target is reached"
        )
    if game.outcome == WON and (game.hand != 0 or game.counter != 0 or collected > game.target):
        raise ValueError("a game is won after the last trick of a round, with counter '0' and the target just reached")
    if int(game.ecks).bit_count() > 1:
        raise ValueError("two trick cards are ECK's, but the first one that it takes ends the game")
