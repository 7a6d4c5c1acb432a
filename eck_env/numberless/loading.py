"""Reading the state of a game from card notation, and refusing what cannot be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.base.records import MAX_NUMBER, check_keys, flag_names, record
from eck_env.batch import MAX_SEED
from eck_env.checks import index_of, integer, listed
from eck_env.numberless.cards import (
    ALL_CARDS,
    HAND_SIZE,
    NAMES,
    NUM_CARDS,
    card_number,
    card_numbers,
    check_once,
    set_of,
)
from eck_env.numberless.rules import (
    BY_CARDS,
    BY_ILLEGAL_ACTION,
    DRAFT,
    LOST,
    NO_CARD,
    NO_PATTERN,
    OVER,
    PLAY,
    PLAYING,
    fits_after,
    pattern_of,
    settle,
)
from eck_env.numberless.state import ANYBODY, OUTCOMES, PATTERNS, PHASES, REASONS, TAKE_REASONS, new_games
from eck_env.numberless.variant import Variant
from eck_env.numberless.worlds import remember_draft

REQUIRED_KEYS = (
    "phase", "turn", "start", "hands", "drafted", "picks", "pot", "played", "collected", "round", "game", "seed",
    "outcome",
)  # fmt: skip
OPTIONAL_KEYS = ("pattern", "lacks", "last_round", "decision", "reasons", "over")
_MOST_DECISIONS = NUM_CARDS * 2


def load_state(state: Mapping[str, Any], variant: Variant) -> tuple[NDArray[np.void], NDArray[np.int8]]:
    """Return a batch of one game with this state, and its prescribed shuffles, of which there are none.

    Args:
        state: What `state_dict` returned; the keys `pattern`, `lacks`, `last_round`, `decision`, `reasons` and `over`
            may be missing.
        variant: The variant it is played in.

    Raises:
        ValueError: If a key is missing or unknown, a value not allowed, or the state is impossible.
    """
    check_keys(state, REQUIRED_KEYS, OPTIONAL_KEYS)
    games = new_games(1, variant)
    game = record(games, 0)
    game.phase = index_of(state["phase"], PHASES, "phase")
    game.outcome = index_of(state["outcome"], OUTCOMES, "outcome")
    if game.phase == DRAFT and not game.draft:
        raise ValueError("phase is 'draft', but in this variant the hands are dealt (draft=False)")
    _load_numbers(game, state)
    _load_cards(game, state)
    remember_draft(games)
    _load_pot(game, state)
    _load_last_round(game, state.get("last_round"))
    _load_lacks(game, state)
    _load_end(game, state)
    return games, np.zeros((0, 1), np.int8)


def _load_numbers(game: Any, state: Mapping[str, Any]) -> None:
    count = int(game.num_players)
    game.seed = integer(state["seed"], 0, MAX_SEED, "seed")
    game.game_number = integer(state["game"], 0, MAX_NUMBER, "game")
    game.round_number = integer(state["round"], 0, 3 * count + 1, "round")
    game.decision = integer(state.get("decision", 0), 0, _MOST_DECISIONS, "decision")
    game.start = integer(state["start"], 0, count - 1, "start")
    if (state["turn"] is None) != (game.phase == OVER):
        raise ValueError(f"turn is {state['turn']!r}, which does not fit phase {state['phase']!r}")
    game.turn = game.start if state["turn"] is None else integer(state["turn"], 0, count - 1, "turn")
    game.shown = game.turn if game.phase != OVER else game.shown


def _by_seat(game: Any, state: Mapping[str, Any], key: str) -> list[Any]:
    """Return a list with an entry for each seat."""
    parts = listed(state[key], key, "a list with an entry for each seat")
    if len(parts) != game.num_players:
        raise ValueError(f"{key} has {len(parts)} entries, but must have one for each of the {game.num_players} seats")
    return parts


def _cards_by_seat(game: Any, state: Mapping[str, Any], key: str) -> list[list[int]]:
    return [card_numbers(part, f"{key}[{seat}]") for seat, part in enumerate(_by_seat(game, state, key))]


def _load_cards(game: Any, state: Mapping[str, Any]) -> None:
    """Set what each seat holds, has kept and has played, and check that the cards can lie so."""
    hands, drafted, played = (_cards_by_seat(game, state, key) for key in ("hands", "drafted", "played"))
    drafting = game.phase == DRAFT
    rounds = (len(drafted[0]) if drafting else HAND_SIZE) if game.draft else 0
    game.draft_round = rounds
    if drafting and rounds >= HAND_SIZE:
        raise ValueError(f"drafted has {rounds} cards for seat 0, but phase is 'draft'")
    for seat, (hand, taken, laid) in enumerate(zip(hands, drafted, played, strict=True)):
        if len(taken) != rounds:
            raise ValueError(f"drafted[{seat}] has {len(taken)} cards, but must have {rounds}")
        held = HAND_SIZE - rounds if drafting else HAND_SIZE - len(laid)
        if len(hand) != held or (drafting and laid):
            raise ValueError(f"hands[{seat}] has {len(hand)} cards and played[{seat}] {len(laid)}, which does not fit")
        if game.draft and not drafting and set(hand + laid) != set(taken):
            raise ValueError(f"hands[{seat}] and played[{seat}] together are not drafted[{seat}]")
        game.hands[seat], game.held[seat] = set_of(hand), len(hand)
        game.kept[seat] = set_of(taken) if drafting else 0
        game.drafted[seat, :rounds] = taken
        game.played_by[laid] = seat + 1
    together = [
        NAMES[card] for part in (hands, played, drafted if drafting else []) for cards in part for card in cards
    ]
    check_once(together, "the state")
    _load_picks(game, state)


def _load_picks(game: Any, state: Mapping[str, Any]) -> None:
    picks = _by_seat(game, state, "picks")
    for seat, pick in enumerate(picks):
        card = NO_CARD if pick is None else card_number(pick)
        if card != NO_CARD and (game.phase != DRAFT or not int(game.hands[seat]) >> card & 1):
            raise ValueError(f"picks[{seat}] is {pick!r}, which is not in the hand that seat {seat} chooses from")
        game.picks[seat] = card
    if game.phase == DRAFT and picks[game.turn] is not None:
        raise ValueError(f"turn is {game.turn}, but picks[{game.turn}] says that this seat has chosen")


def _load_pot(game: Any, state: Mapping[str, Any]) -> None:
    """Set the cards of the round, and check them, the cards collected and the seat to move against each other."""
    pot = card_numbers(state["pot"], "pot")
    count = int(game.num_players)
    if len(pot) >= count or (pot and game.phase != PLAY):
        raise ValueError(f"pot has {len(pot)} cards, which does not fit {count} players and phase {state['phase']!r}")
    game.pot_size, game.pattern, game.fits = len(pot), NO_PATTERN, ALL_CARDS
    for place, card in enumerate(pot):
        seat = (int(game.start) + place) % count
        if game.played_by[card] != seat + 1:
            raise ValueError(f"pot has {NAMES[card]} in place {place}, but it is not among the cards played[{seat}]")
        if not int(game.fits) >> card & 1:
            raise ValueError(f"pot has {NAMES[card]} in place {place}, which does not fit the cards before it")
        game.pot[place] = card
        if place == 1:
            game.pattern = pattern_of(pot[0], card)
        game.fits = fits_after(game.fits, int(game.pattern), pot[0], card)
    if game.phase == PLAY and game.turn != (int(game.start) + len(pot)) % count:
        raise ValueError(f"turn is {state['turn']!r}, which does not fit start {state['start']!r} and {len(pot)} cards")
    if index_of(state.get("pattern", PATTERNS[game.pattern]), PATTERNS, "pattern") != game.pattern:
        raise ValueError(f"pattern is {state['pattern']!r}, but the pot has {PATTERNS[game.pattern]!r}")
    if game.phase == PLAY and game.outcome == PLAYING:
        if (game.hands[:count] == 0).any() and not pot:
            raise ValueError("a hand is empty at the start of a round, but phase is 'play'")
        if int(game.hands[game.turn]) & int(game.fits) == 0:
            raise ValueError(f"turn is {state['turn']!r}, but this seat has no card that fits, and would take the pot")
    gone = {card for card in range(NUM_CARDS) if game.played_by[card]} - set(pot)
    game.gone = set_of(gone)
    collected = [
        integer(number, 0, NUM_CARDS, "a number of collected") for number in _by_seat(game, state, "collected")
    ]
    if sum(collected) != len(gone):
        raise ValueError(f"collected adds up to {sum(collected)}, but {len(gone)} cards were played in finished rounds")
    game.collected[:count] = collected
    rounds = int(game.round_number)
    if not 2 * rounds <= len(gone) <= count * rounds:
        raise ValueError(f"round is {rounds}, which does not fit {len(gone)} cards of finished rounds")


def _load_last_round(game: Any, last: Any) -> None:
    """Set the last round that is finished, which is for those who watch."""
    if last is None:
        return
    check_keys(last, ("start", "pot", "pattern", "taker", "reason"), ())
    pot = card_numbers(last["pot"], "the pot of last_round")
    if not 2 <= len(pot) <= game.num_players or set_of(pot) & ~int(game.gone):
        raise ValueError(f"last_round has the pot {last['pot']!r}, which are no cards of a finished round")
    game.last_pot[: len(pot)], game.last_size = pot, len(pot)
    game.last_start = integer(last["start"], 0, int(game.num_players) - 1, "start of last_round")
    game.last_taker = integer(last["taker"], 0, int(game.num_players) - 1, "taker of last_round")
    game.last_pattern = index_of(last["pattern"], PATTERNS, "pattern of last_round")
    game.last_reason = index_of(last["reason"], TAKE_REASONS, "reason of last_round")


def _load_lacks(game: Any, state: Mapping[str, Any]) -> None:
    """Set what seats cannot hold since they could not fit, and check that they do not hold it."""
    if "lacks" not in state:
        return
    for seat, cards in enumerate(_cards_by_seat(game, state, "lacks")):
        both = set_of(cards) & int(game.hands[seat])
        if both:
            raise ValueError(f"lacks[{seat}] has cards that are in hands[{seat}]")
        if cards and game.phase == DRAFT:
            raise ValueError(f"lacks[{seat}] has cards, but phase is 'draft'")
        game.lacks[seat] = set_of(cards)


def _load_end(game: Any, state: Mapping[str, Any]) -> None:
    """Set how and why the game ended, and check that it can have ended so."""
    outcome = int(game.outcome)
    if game.phase == OVER:
        if not (game.hands[: game.num_players] == 0).any():
            raise ValueError("phase is 'over', but no hand is empty")
        settle(game, int(game.shown))
        if game.watched == ANYBODY and outcome != PLAYING:  # the state does not say whose outcome it tells
            game.outcome, game.reasons = outcome, BY_CARDS if outcome == LOST else 0
        if outcome != game.outcome:
            raise ValueError(f"outcome is {state['outcome']!r}, but the cards say {OUTCOMES[game.outcome]!r}")
    elif outcome == LOST:
        game.reasons = BY_ILLEGAL_ACTION
    elif outcome != PLAYING:
        raise ValueError(f"outcome is {state['outcome']!r}, but phase is {state['phase']!r}")
    game.over = outcome != PLAYING
    implied = flag_names(int(game.reasons), REASONS)
    for name in listed(state.get("reasons", implied), "reasons", "['more_cards']"):
        index_of(name, tuple(REASONS.values()), "a reason")
    if sorted(state.get("reasons", implied)) != sorted(implied):
        raise ValueError(f"reasons are {state['reasons']!r}, which does not fit outcome {state['outcome']!r}")
    over = state.get("over", bool(game.over))
    if not isinstance(over, bool | np.bool_) or over != bool(game.over):
        raise ValueError(f"over is {over!r}, which does not fit outcome {state['outcome']!r}")
