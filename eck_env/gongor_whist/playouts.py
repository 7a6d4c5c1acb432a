"""Whole hands and games of Gongor Whist inside compiled code, played by compiled players: for searches, statistics."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.batch import LOST, PLAYING, advance, mix, random_key
from eck_env.compiled import borrowed, entry_point, rule
from eck_env.gongor_whist.engine import Setup, act, clear_game
from eck_env.gongor_whist.players import HEURISTIC, heuristic_action, random_action
from eck_env.gongor_whist.rules import NUM_ACTIONS, NUM_BIDS, OVER, deal_hand, finish_hand, legal_actions
from eck_env.gongor_whist.state import redeal
from eck_env.gongor_whist.variant import SHUT_THE_BOX

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
def rate_game(game: Any, worths: NDArray[np.float64]) -> float:
    """Return what a game is worth at the end of a hand, after `finish_hand`.

    In shut the box it is the chance to make all bids that are left, as if they were made one apart from another; in
    the others your points, in two columns less the dummy's, and what the bids that are left may bring.

    Args:
        game: The record.
        worths: For each bid what it is worth while it is left, shape (8,): in shut the box the chance to make it, in
            two columns the points it brings on average, less the dummy's; all 0 in the first edition.
    """
    if game.scoring == SHUT_THE_BOX:
        value = 0.0 if game.outcome == LOST else 1.0
        for bid in range(NUM_BIDS):
            if (game.bids >> bid) & 1:
                value *= worths[bid]
        return value
    value = float(game.you - game.dummy)
    for bid in range(NUM_BIDS):
        if (game.bids >> bid) & 1:
            value += worths[bid]
    return value


@rule
def rate_actions(
    game: Any,
    actions: int,
    worlds: int,
    player: int,
    worths: NDArray[np.float64],
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
        worths: See `rate_game`.
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
        for action in range(NUM_ACTIONS):
            if (left >> action) & 1:
                scratch[1] = scratch[0]
                act(scratch[1], action)
                play_hand(scratch[1], player, mix(key + np.uint64(action)))
                finish_hand(scratch[1])
                sums[action] += rate_game(scratch[1], worths)
    return key


@entry_point
def search_games(
    games: NDArray[np.void],
    worlds: int,
    player: int,
    worths: NDArray[np.float64],
    keys: NDArray[np.uint64],
    scratch: NDArray[np.void],
    actions: NDArray[np.int64],
) -> None:
    """Choose an action in every game by flat Monte Carlo search; where one is legal it costs nothing.

    Args:
        games: Records of games that go on, as `observation.restore` makes them.
        worlds: Playouts for each legal action.
        player: Who plays on; a value of `players.PLAYERS`.
        worths: See `rate_game`.
        keys: The start of a random stream for each game, shape (n,), uint64.
        scratch: Two records to work with.
        actions: The actions chosen, shape (n,); written.
    """
    games, scratch = borrowed(games), borrowed(scratch)
    sums = np.zeros(NUM_ACTIONS)
    for index in range(games.shape[0]):
        legal = legal_actions(games[index])
        best, best_sum = -1, 0.0
        sums[:] = 0.0
        if legal & (legal - 1) != 0:
            rate_actions(games[index], legal, worlds, player, worths, keys[index], scratch, sums)
        for action in range(NUM_ACTIONS):
            if (legal >> action) & 1 and (best < 0 or sums[action] > best_sum):
                best, best_sum = action, sums[action]
        actions[index] = best
