"""The engine of the game without numbers: what a step does beside the rules, and the compiled engine made of both.

The caller decides for some seats, compiled players for the others, which move within the caller's step. The engine
stops at the next decision of the caller's, and shows what the seat to move knows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eck_env.base.engine import OUTCOME, REASONS, SHORT_EVENT_SIZE, Outputs, compile_engine
from eck_env.batch import SAME_STEP
from eck_env.compiled import borrowed, entry_point, rare_rule, rule, spread_bits
from eck_env.numberless.cards import ALL_CARDS, NUM_CARDS
from eck_env.numberless.observation import SIZE, encode, encode_for
from eck_env.numberless.players import choose_card, player_key
from eck_env.numberless.rules import (
    BY_ILLEGAL_ACTION,
    DRAFT,
    LOST,
    OVER,
    count_of,
    deal_cards,
    legal_cards,
    margin_of,
    pick_card,
    play_card,
    reward_of,
    settle,
    start_game,
)
from eck_env.numberless.state import ANYBODY, LOG_SIZE
from eck_env.numberless.variant import CALLER, MAX_PLAYERS

# The columns of an event, after those of every game: how many entries its log has, and the log; whether the game has
# been played to its end, in how many rounds, and by seat the cards that count.
LOGGED = SHORT_EVENT_SIZE
LOG = LOGGED + 1
ENDED = LOG + LOG_SIZE
ROUNDS = ENDED + 1
COUNTS = ROUNDS + 1
NO_SEAT = -1
EVENT_SIZE = COUNTS + MAX_PLAYERS

# An entry of the log is a card that was played, 64 times the seat plus the card, or from here on a pot that was taken:
# the seat, the reason and the number of cards, as digits to the base 8.
POT_TAKEN = 1024


class Setup(NamedTuple):
    """What the games of a batch are played with.

    Attributes:
        card_worth: What each card fewer than the mean adds to the reward at the end, beside the share of the win.
        scripts: Not used: this game has no prescribed shuffles.
    """

    card_worth: float
    scripts: NDArray[np.int8]


@rule
def _write_mask(game: Any, mask: NDArray[np.int8]) -> None:
    """Write the legal actions as ones, the others as zeros; all ones when the game is over."""
    legal = ALL_CARDS
    if not game.over:
        legal = legal_cards(game)
    spread_bits(legal, NUM_CARDS, mask)


@rule
def is_legal(game: Any, action: int) -> bool:
    """Whether an action is legal in a game that goes on."""
    return 0 <= action < NUM_CARDS and (legal_cards(game) >> action) & 1 != 0


@rule
def _log(game: Any, entry: int) -> None:
    if game.log_size < LOG_SIZE:
        game.log[game.log_size] = entry
        game.log_size += 1


@rare_rule
def act(game: Any, card: int) -> None:
    """Take or play a legal card."""
    game.decision += 1
    if game.phase == DRAFT:
        pick_card(game, card)
        return
    rounds = game.round_number
    _log(game, 64 * int(game.turn) + card)
    play_card(game, card)
    if game.round_number != rounds:
        _log(game, POT_TAKEN + 64 * int(game.last_taker) + 8 * int(game.last_reason) + int(game.last_size))


@rare_rule
def let_others_move(game: Any) -> None:
    """Let compiled players decide until a decision of the caller's is due, and show what the seat to move knows."""
    while not game.over and game.players[game.turn] != CALLER:
        act(game, choose_card(game, game.players[game.turn], player_key(game)))
    if not game.over:
        game.shown = game.turn
    elif game.watched != ANYBODY:
        game.shown = game.watched


@rule
def clear_game(game: Any, setup: Setup) -> None:
    """Lay the table for the game that seed and number of the record name; nothing is dealt yet."""
    start_game(game)
    game.scripted, game.log_size, game.fresh = 0, 0, 1


@rule
def deal(game: Any, setup: Setup, index: int) -> None:
    """Deal, and let compiled players decide up to the first decision of the caller's."""
    deal_cards(game)
    let_others_move(game)
    game.log_size = 0


@rule
def _end_game(game: Any, setup: Setup) -> float:
    """Note how a game has ended for the seat that is shown, and return its reward."""
    settle(game, game.shown)
    return reward_of(game, game.shown) + setup.card_worth * margin_of(game, game.shown)


@rule
def take_action(game: Any, action: int, setup: Setup, index: int) -> float:
    """Take an action, or end the game by an illegal one, and return the reward of the watched seat.

    Where every seat is the caller's, it is the reward of the seat that moved.
    """
    game.log_size, game.fresh = 0, 0
    if not is_legal(game, action):
        game.outcome, game.reasons, game.over = LOST, BY_ILLEGAL_ACTION, 1
        return -1.0
    act(game, action)
    let_others_move(game)
    if not game.over:
        return 0.0
    return _end_game(game, setup)


@rule
def _deal_due(game: Any) -> bool:
    """Say that nothing is dealt after the start of a game."""
    return False


@rule
def _write_event(game: Any, event: NDArray[np.int16]) -> None:
    """Note what the action just taken did."""
    event[LOGGED] = game.log_size
    for place in range(LOG_SIZE):
        event[LOG + place] = game.log[place]
    event[ENDED] = game.phase == OVER
    event[ROUNDS] = game.round_number
    for seat in range(MAX_PLAYERS):
        event[COUNTS + seat] = count_of(game, seat) if seat < game.num_players else NO_SEAT


@rule
def _clear_event(event: NDArray[np.int16]) -> None:
    """Note that a step did no more than start a game."""
    event[LOGGED], event[ENDED] = 0, 0


@rule
def _note(game: Any) -> None:
    """Make a record that was loaded or set up ready to be shown: at a decision of the caller's."""
    let_others_move(game)
    game.log_size = 0


ENGINE = compile_engine(
    NUM_CARDS, SIZE, (np.int16, EVENT_SIZE), clear_game=clear_game, deal=deal, take_action=take_action,
    deal_due=_deal_due, is_legal=is_legal, write_mask=_write_mask, write_event=_write_event, clear_event=_clear_event,
    note=_note, encode=encode,
)  # fmt: skip


@entry_point
def move_games(
    games: NDArray[np.void], actions: NDArray[np.int64], chosen: NDArray[np.bool_], autoreset: int, setup: Setup,
    outputs: Outputs,
) -> None:  # fmt: skip
    """Take one legal action in each chosen game for a seat that is not yours, within your step.

    What the environment tells of your step goes on: the log of the record, and the reward where the game ends. Before
    your first decision there is nothing to tell.
    """
    games, actions, setup, outputs = borrowed(games), borrowed(actions), borrowed(setup), borrowed(outputs)
    for index in range(games.shape[0]):
        if not chosen[index]:
            continue
        game = games[index]
        act(game, actions[index])
        let_others_move(game)
        if not game.fresh:
            if game.over:
                outputs.rewards[index] = _end_game(game, setup)
            event = outputs.events[index]
            event[OUTCOME], event[REASONS] = game.outcome, game.reasons
            outputs.terminated[index] = game.over
            if event.shape[0] > SHORT_EVENT_SIZE:
                _write_event(game, event)
        if game.over and autoreset == SAME_STEP:
            encode(game, outputs.final_observations[index])
            game.game_number += 1
            clear_game(game, setup)
            deal(game, setup, index)
        encode(game, outputs.observations[index])
        _write_mask(game, outputs.masks[index])


@entry_point
def observe_seat(games: NDArray[np.void], seat: int, out: NDArray[Any]) -> None:
    """Write what a seat of the first game knows into `out`, one observation, whoever is to move."""
    encode_for(games[0], seat, out)
