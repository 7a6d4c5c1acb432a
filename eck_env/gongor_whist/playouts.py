"""Whole hands and games of Gongor Whist inside compiled code, played by compiled players: for searches, statistics."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.batch import PLAYING, advance, mix, random_key
from eck_env.compiled import borrowed, entry_point, lowest_bit, rule
from eck_env.gongor_whist.engine import Setup, act, clear_game
from eck_env.gongor_whist.players import HEURISTIC, heuristic_action, random_action
from eck_env.gongor_whist.rules import NUM_BIDS, OVER, deal_hand, deal_within, finish_hand, legal_actions
from eck_env.gongor_whist.standing import aces_after, round_value
from eck_env.gongor_whist.state import SCRIPT_SIZE, redeal

_PLAYER_PURPOSE = -2  # the random stream of the player


@rule
def choose_action(game: Any, player: int, key: np.uint64) -> int:
    """Return the action that a compiled player takes; `key` is the state of its random stream."""
    if player == HEURISTIC:
        return heuristic_action(game)
    return random_action(legal_actions(game), key)


@rule
def play_hand(game: Any, player: int, key: np.uint64) -> tuple[np.uint64, int]:
    """Play the present hand to its last trick; return the player's random stream after it, and the decisions made."""
    decisions = 0
    while game.phase != OVER:
        key = advance(key)
        act(game, choose_action(game, player, key))
        decisions += 1
    return key, decisions


@rule
def next_hand(game: Any, scripts: NDArray[np.int8]) -> None:
    """Deal the next hand of a game that goes on."""
    game.hand_number += 1
    deal_hand(game, scripts)


@entry_point
def play_games(games: NDArray[np.void], player: int, setup: Setup, hands: NDArray[np.int64]) -> None:
    """Play the game named by seed and number in every record to its end.

    Args:
        games: Records.
        player: A value of `players.PLAYERS`.
        setup: What is played; only its scripts count.
        hands: By bid, how often it was made (first row), how often it was bid (second row), and the decisions of these
            hands (third row), shape (3, 8); added to.
    """
    games, setup, hands = borrowed(games), borrowed(setup), borrowed(hands)
    for index in range(games.shape[0]):
        game = games[index]
        clear_game(game, setup)
        deal_hand(game, setup.scripts[index])
        while True:
            key = random_key(game.seed, game.game_number, game.hand_number, _PLAYER_PURPOSE)
            _, decisions = play_hand(game, player, key)
            finish_hand(game)
            hands[0, game.bid] += game.bid == game.won
            hands[1, game.bid] += 1
            hands[2, game.bid] += decisions
            if game.outcome != PLAYING:
                game.over = 1
                break
            next_hand(game, setup.scripts[index])


@rule
def rate_actions(
    game: Any,
    actions: int,
    worlds: int,
    player: int,
    values: NDArray[np.float64],
    key: np.uint64,
    scratch: NDArray[np.void],
    sums: NDArray[np.float64],
) -> np.uint64:
    """Judge actions by playouts to the end of the hand, each action in the same worlds.

    Args:
        game: The record; it stays as it is, and what it holds of hidden cards does not matter.
        actions: The legal actions to judge, as a set of bits.
        worlds: How many deals of the hidden cards.
        player: Who plays on; a value of `players.PLAYERS`.
        values: The table of round values, by which the ends of hands are judged.
        key: The state of a random stream.
        scratch: Two records to work with.
        sums: What the worlds add up to for each action, shape (40,); added to.

    Returns:
        The state of the random stream.
    """
    for _ in range(worlds):
        key = mix(advance(key))
        scratch[0] = game
        redeal(scratch[0], key)
        left = actions
        while left:
            action = lowest_bit(left)
            left &= left - 1
            scratch[1] = scratch[0]
            act(scratch[1], action)
            play_hand(scratch[1], player, mix(key + np.uint64(action)))
            finish_hand(scratch[1])
            sums[action] += round_value(scratch[1], values)
    return key


@entry_point
def tally_bids(
    games: NDArray[np.void], player: int, worlds: int, scratch: NDArray[np.void], tallies: NDArray[np.int32]
) -> None:
    """Count what comes of every bid in a hand dealt in the middle of a game, over deals of the hidden cards.

    Args:
        games: Records named by seed, with `hand_number` and `turned` as they are; all bids are left.
        player: Who plays; a value of `players.PLAYERS`.
        worlds: How many deals of the hidden cards for each bid, the same for all of them.
        scratch: Two records to work with.
        tallies: By game, half of the worlds (the even ones, the odd ones), bid, tricks taken, Aces left afterwards,
            shape (n, 2, 8, 8, 6); added to.
    """
    games, scratch = borrowed(games), borrowed(scratch)
    no_scripts = np.zeros((0, SCRIPT_SIZE), np.int8)
    for index in range(games.shape[0]):
        game = games[index]
        deal_within(game, no_scripts)
        key = random_key(game.seed, game.game_number, game.hand_number, _PLAYER_PURPOSE)
        for world in range(worlds):
            key = mix(advance(key))
            scratch[0] = game
            redeal(scratch[0], key)
            for bid in range(NUM_BIDS):
                scratch[1] = scratch[0]
                act(scratch[1], bid)
                play_hand(scratch[1], player, mix(key + np.uint64(bid)))
                tallies[index, world & 1, bid, scratch[1].won, aces_after(scratch[1])] += 1
