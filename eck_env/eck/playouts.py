"""Whole rounds and games of ECK inside compiled code, played by compiled players, for searches and statistics."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.batch import advance, random_key
from eck_env.compiled import borrowed, entry_point, rule
from eck_env.eck.engine import Setup, begin_game, next_round
from eck_env.eck.observation import note_table
from eck_env.eck.players import HEURISTIC, heuristic_card, random_card
from eck_env.eck.rules import PLAYING, deal_round, finish_round, legal_kinds, play_card

_PLAYER_PURPOSE = -2  # the random stream of the player


@rule
def choose_card(game: Any, legal: int, player: int, key: np.uint64) -> int:
    """Return the card that a compiled player plays, out of a set of kinds; `key` is the state of its random stream."""
    if player == HEURISTIC:
        return heuristic_card(
            game.hand, game.face_down, game.face_up, game.lead, game.won, game.lost, game.tied, game.effects, legal
        )
    return random_card(legal, key)


@rule
def finish_tricks(game: Any, player: int, key: np.uint64, scripts: NDArray[np.int8] | None = None) -> np.uint64:
    """Play the present round to its last trick and return the state of the player's random stream after it."""
    while game.hand != 0:
        key = advance(key)
        legal = legal_kinds(game.hand, game.lead, game.same_circle != 0)
        play_card(game, choose_card(game, legal, player, key), scripts)
    return key


@entry_point
def play_rounds(games: NDArray[np.void], player: int, tricks: NDArray[np.int64]) -> None:
    """Play one round from its deal in every record and note the tricks you took.

    Args:
        games: Records named by seed and number, with trick cards and counter as they are.
        player: A value of `players.PLAYERS`.
        tricks: The tricks taken, shape (n,); written.
    """
    games, tricks = borrowed(games), borrowed(tricks)
    for index in range(games.shape[0]):
        game = games[index]
        next_round(game)
        key = random_key(game.seed, game.game_number, game.round_number, _PLAYER_PURPOSE)
        finish_tricks(game, player, key)
        tricks[index] = game.won


@entry_point
def begin_rounds(games: NDArray[np.void]) -> None:
    """Deal the next round in every record, with trick cards and counter as they are, up to ECK's lead."""
    games = borrowed(games)
    for index in range(games.shape[0]):
        game = games[index]
        game.round_number += 1
        deal_round(game)
        note_table(game)


@entry_point
def play_games(games: NDArray[np.void], player: int, setup: Setup) -> int:
    """Play the game named by seed and number in every record to its end, and return the number of decisions."""
    games, setup = borrowed(games), borrowed(setup)
    decisions = 0
    for index in range(games.shape[0]):
        game = games[index]
        begin_game(game, setup)
        while True:
            key = random_key(game.seed, game.game_number, game.round_number, _PLAYER_PURPOSE)
            finish_tricks(game, player, key)
            decisions += game.won + game.lost
            finish_round(game)
            if game.outcome != PLAYING:
                game.over = 1
                break
            next_round(game)
    return decisions
