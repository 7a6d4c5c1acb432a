"""The state of one game: its record, and its form in card notation, which is plain data fit for JSON.

`GAME` is the record that the rules work on; an array of them is a batch of games. `state_dict` and `load_state`
convert a record to notation and back.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.batch import MAX_SEED
from eck_env.eck.cards import (
    DECK_SIZE,
    HAND_SIZE,
    NAMES,
    PACK_SIZE,
    bag_list,
    bag_of,
    card_kind,
    card_kinds,
    card_names,
    check_copies,
)
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
    WON,
    foresee,
)
from eck_env.eck.variant import TRICK_CARDS, Variant

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

SIDES = ("you", "eck")
STATUSES = ("colored", "gray", "yours", "eck")
OUTCOMES = (None, "win", "loss")
REASONS = {BY_ECK_CARD: "eck_card", BY_COUNTER: "counter", BY_ILLEGAL_ACTION: "illegal_action"}

REQUIRED_KEYS = (
    "hand", "face_down", "face_up", "lead", "leader", "tied", "tricks_won", "tricks_lost", "trick_cards", "counter",
    "round", "game", "seed", "outcome",
)  # fmt: skip
OPTIONAL_KEYS = ("reasons", "over", "reshuffles", "shuffles")


def new_games(count: int, variant: Variant) -> NDArray[np.void]:
    """Return records of this variant, shape (count,), dtype `GAME`; no game has been started yet."""
    games = np.zeros(count, GAME)
    games["laid"] = variant.laid_bits
    games["target"] = variant.target
    games["same_circle"] = variant.same_circle
    games["lead"] = games["last_lead"] = NO_CARD
    return games


def record(games: NDArray[np.void], index: int) -> Any:
    """Return one game as a record with attributes, which shares its memory with the batch."""
    return games.view(np.recarray)[index]


def reason_names(reasons: int) -> list[str]:
    """Return the names of the reasons of a loss, given as flags."""
    return [name for flag, name in REASONS.items() if reasons & flag]


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
        "reasons": reason_names(int(game.reasons)),
        "over": bool(game.over),
        "reshuffles": int(game.reshuffles),
        "shuffles": [card_names(kind for kind in order.tolist() if kind != NO_CARD) for order in pending],
    }


def load_state(state: Mapping[str, Any], variant: Variant) -> tuple[NDArray[np.void], NDArray[np.int8]]:
    """Return a batch of one game with this state, and its prescribed reshuffles.

    Args:
        state: What `state_dict` returned; the keys `reasons`, `over`, `reshuffles` and `shuffles` may be missing.
        variant: The variant it is played in.

    Raises:
        ValueError: If a key is missing or unknown, a value not allowed, or the state is impossible.
    """
    _check_keys(state)
    games = new_games(1, variant)
    game = record(games, 0)
    _load_numbers(game, state)
    load_trick_cards(game, state["trick_cards"], partial=False)
    game.counter = index_of(state["counter"], COUNTERS, "counter")
    game.leader = index_of(state["leader"], SIDES, "leader")
    _load_outcome(game, state)
    _load_cards(game, state)
    scripts = load_scripts(state.get("shuffles", ()))
    scripts = np.concatenate([np.full((int(game.reshuffles), DECK_SIZE), NO_CARD, np.int8), scripts])
    game.scripted = len(scripts) if state.get("shuffles") else 0
    foresee(game)
    return games, scripts


def index_of(value: object, allowed: tuple[Any, ...], what: str) -> int:
    """Return the place of a value among those allowed; ValueError names them if it is none of them."""
    if value not in allowed:
        raise ValueError(f"{what} is {value!r}, but must be one of {', '.join(map(repr, allowed))}")
    return allowed.index(value)


def integer(value: object, low: int, high: int, what: str) -> int:
    """Return the value as an int; ValueError says what is allowed if it is no integer from low to high."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not low <= value <= high:
        raise ValueError(f"{what} is {value!r}, but must be an integer from {low} to {high}")
    return int(value)


def unknown_key(key: object, known: Iterable[str], what: str) -> ValueError:
    """Return the error for a key that is not known, with the nearest one that is."""
    known = list(known)
    near = difflib.get_close_matches(str(key), known, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return ValueError(f"unknown key {key!r} in {what}: {hint}known are {', '.join(known)}")


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
        bit = 1 << TRICK_CARDS.index(name)
        place = index_of(status, STATUSES, f"the status of trick card {name!r}")
        for field, own in (("gray", 1), ("yours", 2), ("ecks", 3)):
            game[field] = game[field] & ~bit | (bit if place == own else 0)


def load_scripts(orders: Any) -> NDArray[np.int8]:
    """Return prescribed reshuffles as an array of kinds, shape (number, 29), int8, filled up with NO_CARD."""
    if isinstance(orders, str) or any(isinstance(order, str) for order in orders):
        raise ValueError("shuffles must be a list of lists of cards, one list a reshuffle of this round, top first")
    scripts = np.full((len(orders), DECK_SIZE), NO_CARD, np.int8)
    for number, order in enumerate(orders):
        kinds = card_kinds(order)
        check_copies(kinds, f"shuffles[{number}]")
        if len(kinds) > DECK_SIZE:
            raise ValueError(f"shuffles[{number}] has {len(kinds)} cards, but ECK's deck has at most {DECK_SIZE}")
        scripts[number, : len(kinds)] = kinds
    return scripts


def _check_keys(state: Mapping[str, Any]) -> None:
    if not isinstance(state, Mapping):
        raise ValueError(f"a state is a dict as state_dict() returns it, not {type(state).__name__}")
    known = REQUIRED_KEYS + OPTIONAL_KEYS
    for key in state:
        if key not in known:
            raise unknown_key(key, known, "the state")
    missing = [key for key in REQUIRED_KEYS if key not in state]
    if missing:
        raise ValueError(f"the state lacks {', '.join(missing)}: give all of {', '.join(REQUIRED_KEYS)}")


def _load_numbers(game: Any, state: Mapping[str, Any]) -> None:
    game.seed = integer(state["seed"], 0, MAX_SEED, "seed")
    game.game_number = integer(state["game"], 0, MAX_SEED, "game")
    game.round_number = integer(state["round"], 0, MAX_SEED, "round")
    game.tied = integer(state["tied"], 0, HAND_SIZE, "tied")
    game.won = integer(state["tricks_won"], 0, HAND_SIZE, "tricks_won")
    game.lost = integer(state["tricks_lost"], 0, HAND_SIZE, "tricks_lost")
    game.reshuffles = integer(state.get("reshuffles", 0), 0, HAND_SIZE * 2, "reshuffles")


def _load_outcome(game: Any, state: Mapping[str, Any]) -> None:
    """Set outcome and reasons, and check that trick cards and counter agree with them."""
    game.outcome = index_of(state["outcome"], OUTCOMES, "outcome")
    collected = int(game.yours).bit_count()
    if (game.outcome == WON) != (collected >= game.target):
        raise ValueError(
            f"{collected} trick card(s) are yours and {game.target} win, which does not fit the outcome "
            f"{state['outcome']!r}: the outcome must be 'win' exactly when the target is reached"
        )
    implied = (BY_ECK_CARD if game.ecks else 0) | (BY_COUNTER if game.counter == COUNTER_LOST else 0)
    if implied and game.outcome != LOST:
        raise ValueError("a trick card is ECK's or the counter shows X, so the outcome must be 'loss'")
    names = state.get("reasons", reason_names(implied or BY_ILLEGAL_ACTION) if game.outcome == LOST else [])
    for name in names:
        index_of(name, tuple(REASONS.values()), "a reason")
    game.reasons = sum(flag for flag, name in REASONS.items() if name in names)
    if (game.reasons & ~BY_ILLEGAL_ACTION) != implied or (game.outcome == LOST) != (game.reasons != 0):
        raise ValueError(
            f"the reasons {list(names)} do not fit the trick cards, the counter and the outcome {state['outcome']!r}"
        )
    game.over = bool(state.get("over", game.outcome != PLAYING))
    if game.outcome != PLAYING and not game.over:
        raise ValueError("over is False, but the game has an outcome")


def _load_cards(game: Any, state: Mapping[str, Any]) -> None:
    """Set the cards of the round, and check that they can lie so."""
    hand, face_down, face_up = (card_kinds(state[key]) for key in ("hand", "face_down", "face_up"))
    lead = [] if state["lead"] is None else [card_kind(state["lead"])]
    check_copies(hand + face_down + face_up + lead, "the state")
    played = int(game.won + game.lost + game.tied)
    if len(hand) + played != HAND_SIZE:
        raise ValueError(f"{len(hand)} cards in the hand and {played} tricks played must add up to {HAND_SIZE}")
    if len(face_down) + len(face_up) + len(lead) + played != DECK_SIZE:
        raise ValueError(
            f"ECK's cards (face_down, face_up, lead) and the {played} tricks played must add up to {DECK_SIZE}, "
            f"not {len(face_down) + len(face_up) + len(lead) + played}"
        )
    if not hand and not game.over:
        raise ValueError("the hand is empty, but the game is not over: a new round has been dealt by then")
    if bool(lead) != (game.leader == ECK and bool(hand)):
        raise ValueError(f"lead is {state['lead']!r}, which does not fit leader {SIDES[game.leader]!r}")
    game.hand, game.face_down, game.face_up = bag_of(hand), bag_of(face_down), bag_of(face_up)
    game.cards[: len(face_down)] = face_down
    game.top, game.bottom = 0, len(face_down)
    game.lead = lead[0] if lead else NO_CARD


def shuffle_hidden(game: Any, rng: np.random.Generator) -> None:
    """Re-draw the order of the face-down cards and the key of all later randomness; nothing else stays hidden."""
    rng.shuffle(game.cards[game.top : game.bottom])
    game.seed = rng.integers(MAX_SEED, endpoint=True)
    game.scripted = 0
