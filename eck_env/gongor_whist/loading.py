"""Reading the state of a game from card notation, and refusing what cannot be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.base.records import MAX_NUMBER, check_keys, flag_names, record
from eck_env.batch import MAX_SEED
from eck_env.checks import index_of, integer, listed
from eck_env.gongor_whist.cards import (
    ACES,
    HAND_SIZE,
    NAMES,
    NO_TRUMP,
    NUM_CARDS,
    NUM_SUITS,
    ace_suits,
    card_number,
    card_numbers,
    check_once,
    set_of,
)
from eck_env.gongor_whist.rules import (
    ALL_BIDS,
    BID,
    BY_HANDS,
    BY_ILLEGAL_ACTION,
    BY_MISSED_BID,
    BY_POINTS,
    CARD,
    DRAWN,
    HAND_CARDS,
    LOST,
    NO_BID,
    NO_CARD,
    NUM_BIDS,
    OVER,
    PLAYING,
    TWIDDLING,
    WINNING_POINTS,
    WON,
)
from eck_env.gongor_whist.state import OUTCOMES, PHASES, REASONS, SCRIPT_SIZE, TRUMPS, new_games
from eck_env.gongor_whist.variant import FIRST_EDITION, HANDS, MOST_HANDS, SHUT_THE_BOX, Variant

REQUIRED_KEYS = (
    "hand", "dummy", "rest", "seen", "lead", "played", "phase", "trump", "aces_seen", "aces", "bid", "bids_left",
    "tricks_won", "tricks_lost", "you", "dummys_points", "hand_number", "game", "seed", "outcome",
)  # fmt: skip
OPTIONAL_KEYS = ("bid_trump", "reasons", "over", "piles", "passes", "ace_orders")
_MOST_LOST = HAND_SIZE + 2  # in a hand of the first edition
_MOST_POINTS = MOST_HANDS * _MOST_LOST


def load_state(state: Mapping[str, Any], variant: Variant) -> tuple[NDArray[np.void], NDArray[np.int8]]:
    """Return a batch of one game with this state, and its prescribed orders.

    Args:
        state: What `state_dict` returned; the keys `bid_trump`, `reasons`, `over`, `piles`, `passes` and `ace_orders`
            may be missing.
        variant: The variant it is played in.

    Raises:
        ValueError: If a key is missing or unknown, a value not allowed, or the state is impossible.
    """
    check_keys(state, REQUIRED_KEYS, OPTIONAL_KEYS)
    games = new_games(1, variant)
    game = record(games, 0)
    _load_numbers(game, state)
    game.phase = index_of(state["phase"], PHASES, "phase")
    game.outcome = index_of(state["outcome"], OUTCOMES, "outcome")
    _load_bids(game, state)
    _load_aces(game, state)
    _load_cards(game, state)
    _check_phase(game, state)
    _check_points(game)
    _load_end(game, state)
    scripts = load_scripts(
        state.get("passes", ()), state.get("ace_orders", ()), int(game.hand_number) // 2 + 1, int(game.piles)
    )
    game.scripted = len(scripts)
    return games, scripts


def load_scripts(passes: Any, ace_orders: Any, passes_done: int, piles_done: int) -> NDArray[np.int8]:
    """Return prescribed orders of the passes and piles that follow those that are done, shape (number, 36), int8.

    Raises:
        ValueError: If one of them is no order of all the cards.
    """
    orders = listed(passes, "passes", "[['2MK', 'CK', ...], ...], an order of the 30 cards for each pass")
    piles = listed(ace_orders, "ace_orders", "[['AM', 'AK', ...], ...], an order of the 6 Aces for each pile")
    for what, given in (("passes", orders), ("ace_orders", piles)):
        if len(given) > MOST_HANDS + 1:
            raise ValueError(f"{what} has {len(given)} orders, but no game needs more than {MOST_HANDS + 1}")
    number = max(passes_done + len(orders) if orders else 0, piles_done + len(piles) if piles else 0)
    scripts = np.full((number, SCRIPT_SIZE), NO_CARD, np.int8)
    for place, order in enumerate(orders):
        cards = card_numbers(order, f"passes[{place}]")
        if len(cards) != NUM_CARDS:
            raise ValueError(f"passes[{place}] has {len(cards)} cards, but must have all {NUM_CARDS}")
        scripts[passes_done + place, :NUM_CARDS] = cards
    for place, order in enumerate(piles):
        suits = ace_suits(order, f"ace_orders[{place}]")
        if len(suits) != NUM_SUITS:
            raise ValueError(f"ace_orders[{place}] has {len(suits)} Aces, but must have all {NUM_SUITS}")
        scripts[piles_done + place, NUM_CARDS:] = suits
    return scripts


def _load_numbers(game: Any, state: Mapping[str, Any]) -> None:
    game.seed = integer(state["seed"], 0, MAX_SEED, "seed")
    game.game_number = integer(state["game"], 0, MAX_NUMBER, "game")
    game.hand_number = integer(state["hand_number"], 0, int(game.max_hands) - 1, "hand_number")
    game.won = integer(state["tricks_won"], 0, HAND_SIZE, "tricks_won")
    game.lost = integer(state["tricks_lost"], 0, HAND_SIZE, "tricks_lost")
    lowest = -_MOST_POINTS if game.scoring == FIRST_EDITION else 0
    game.you = integer(state["you"], lowest, WINNING_POINTS - 1 + HAND_SIZE, "you")
    game.dummy = integer(state["dummys_points"], 0, HANDS * HAND_SIZE, "dummys_points")
    hands = int(game.hand_number)
    least = 1 if not game.pass_aces else hands // 2 + 1
    game.piles = integer(state.get("piles", least), least, 1 if not game.pass_aces else hands + 1, "piles")


def _load_bids(game: Any, state: Mapping[str, Any]) -> None:
    """Set the bid of this hand and those that are left, and check them against the number of hands."""
    bid = state["bid"]
    game.bid = NO_BID if bid is None else integer(bid, 0, NUM_BIDS - 1, "bid")
    given = listed(state["bids_left"], "bids_left", "[3, 4]")
    left = [integer(one, 0, NUM_BIDS - 1, "a bid of bids_left") for one in given]
    check_once([str(one) for one in left], "bids_left")
    game.bids = sum(1 << one for one in left)
    if game.scoring == FIRST_EDITION:
        if game.bids != ALL_BIDS:
            raise ValueError(f"bids_left is {left}, but in the first edition every bid is left")
        return
    made = int(game.hand_number) + (game.bid != NO_BID)
    if len(left) != NUM_BIDS - made or game.bid in left:
        raise ValueError(f"bids_left is {left}, which does not fit hand_number {game.hand_number} and bid {bid!r}")


def _load_aces(game: Any, state: Mapping[str, Any]) -> None:
    """Set the pile of Aces and the trump, and check them against each other."""
    seen, down = ace_suits(state["aces_seen"], "aces_seen"), ace_suits(state["aces"], "aces")
    check_once([ACES[suit] for suit in seen + down], "aces_seen and aces together")
    if len(seen) + len(down) != NUM_SUITS or not seen:
        raise ValueError(f"aces_seen and aces must be all {NUM_SUITS} Aces, at least one of them in aces_seen")
    game.aces[:] = seen + down
    game.turned = len(seen)
    game.trump = index_of(state["trump"], TRUMPS, "trump")
    none_left = game.pass_aces and not down
    if game.trump != seen[-1] and not (game.trump == NO_TRUMP and none_left):
        raise ValueError(f"trump is {state['trump']!r}, but the last Ace turned is {ACES[seen[-1]]}")
    if game.trump == NO_TRUMP and not (game.won or game.lost):
        raise ValueError("trump is None, but no hand begins without a trump")
    game.bid_trump = index_of(state.get("bid_trump", state["trump"]), TRUMPS, "bid_trump")
    game.trump_before = game.trump


def _load_cards(game: Any, state: Mapping[str, Any]) -> None:
    """Set the cards of the pass, and check that they can lie so."""
    hand, dummy, rest, seen = (card_numbers(state[key], key) for key in ("hand", "dummy", "rest", "seen"))
    lead, played = ([] if state[key] is None else [card_number(state[key])] for key in ("lead", "played"))
    together = hand + dummy + rest + seen + lead + played
    check_once([NAMES[card] for card in together], "the state")
    back, tricks = int(game.hand_number) % 2, int(game.won) + int(game.lost)
    sizes = {
        "hand": (len(hand) + len(played) + tricks, HAND_SIZE),
        "dummy": (len(dummy) + len(lead) + tricks, HAND_SIZE),
        "rest": (len(rest), NUM_CARDS - (back + 1) * HAND_CARDS),
        "seen": (len(seen), back * HAND_CARDS + 2 * tricks),
    }
    for key, (found, wanted) in sizes.items():
        if found != wanted:
            raise ValueError(
                f"{key} has {len(state[key])} cards, which does not fit the {tricks} tricks played in hand "
                f"{game.hand_number}, the lead and the card played"
            )
    game.hand, game.seen = set_of(hand), set_of(seen)
    game.lead, game.played = (cards[0] if cards else NO_CARD for cards in (lead, played))
    lying = lead + dummy + rest
    game.cards[:] = (seen + hand + played)[: NUM_CARDS - len(lying)] + lying


def _check_phase(game: Any, state: Mapping[str, Any]) -> None:
    """Check that what is to be decided fits what lies on the table."""
    tricks = int(game.won) + int(game.lost)
    fits = {
        BID: game.bid == NO_BID and game.lead == NO_CARD and game.played == NO_CARD and tricks == 0,
        CARD: game.bid != NO_BID and game.lead != NO_CARD and game.played == NO_CARD and game.hand != 0,
        TWIDDLING: game.bid != NO_BID and game.lead != NO_CARD and game.played != NO_CARD and game.trump != NO_TRUMP,
        OVER: game.bid != NO_BID and game.lead == NO_CARD and tricks == HAND_SIZE,
    }
    if not fits[int(game.phase)]:
        raise ValueError(
            f"phase {state['phase']!r} does not fit bid {state['bid']!r}, lead {state['lead']!r}, played "
            f"{state['played']!r} and {tricks} tricks"
        )
    if game.phase == TWIDDLING and not game.pass_aces and game.turned == NUM_SUITS:
        raise ValueError("phase is 'twiddle', but no Ace is left")


def _check_points(game: Any) -> None:
    """Check that the hands that are finished can have brought the points."""
    hands = int(game.hand_number) + (game.phase == OVER)
    least, most, dummys = 0, HAND_SIZE * hands, 0
    if game.scoring == SHUT_THE_BOX:  # each hand but the last was made, else the game were over
        least, most = int(game.hand_number), hands
    elif game.scoring == FIRST_EDITION:
        least = -_MOST_LOST * hands
    else:
        finished = [
            bid for bid in range(NUM_BIDS) if not game.bids >> bid & 1 and (bid != game.bid or game.phase == OVER)
        ]
        most, dummys = sum(bid or HAND_SIZE for bid in finished), HAND_SIZE * hands
    if not (least <= game.you <= most and game.dummy <= dummys):
        raise ValueError(
            f"you is {game.you} and dummys_points {game.dummy}, but after {hands} hands you have {least} to {most} "
            f"points and the dummy 0 to {dummys}"
        )


def _load_end(game: Any, state: Mapping[str, Any]) -> None:
    """Set how and why the game ended, and check that it can have ended so."""
    implied = _implied_reasons(game)
    names = listed(state.get("reasons", flag_names(implied, REASONS)), "reasons", "['missed_bid']")
    for name in names:
        index_of(name, tuple(REASONS.values()), "a reason")
    game.reasons = sum(flag for flag, name in REASONS.items() if name in names)
    over = state.get("over", game.outcome != PLAYING)
    if not isinstance(over, bool | np.bool_) or over != (game.outcome != PLAYING):
        raise ValueError(f"over is {over!r}, which does not fit outcome {state['outcome']!r}")
    game.over = over
    if game.reasons != implied:
        raise ValueError(
            f"outcome {state['outcome']!r} with the reasons {names} does not fit phase {state['phase']!r} and scoring, "
            f"which allow {flag_names(implied, REASONS) or 'no'} reasons of a loss"
        )
    if game.outcome != _implied_outcome(game) or (game.phase == OVER and not over):
        raise ValueError(f"outcome {state['outcome']!r} does not fit the points, the bid and the hands played")


def _implied_reasons(game: Any) -> int:
    """Return the reason of a loss, if the game is one."""
    if game.outcome != LOST:
        return 0
    if game.phase != OVER:
        return BY_ILLEGAL_ACTION
    if game.scoring == SHUT_THE_BOX:
        return BY_MISSED_BID
    return BY_HANDS if game.scoring == FIRST_EDITION else BY_POINTS


def _implied_outcome(game: Any) -> int:
    """Return the outcome that a game has that stands so; of one that is not at the end of a hand, the given one."""
    if game.phase != OVER:
        return LOST if game.outcome == LOST else PLAYING
    last = game.hand_number + 1 == game.max_hands
    if game.scoring == SHUT_THE_BOX:
        return LOST if game.won != game.bid else WON if last else PLAYING
    if game.scoring == FIRST_EDITION:
        return WON if game.you >= WINNING_POINTS else LOST if last else PLAYING
    if not last:
        return PLAYING
    return WON if game.you > game.dummy else LOST if game.you < game.dummy else DRAWN
