"""Whole games without numbers inside compiled code, by compiled players."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.batch import advance, mix
from eck_env.compiled import borrowed, entry_point, rare_rule
from eck_env.numberless.engine import act
from eck_env.numberless.players import choose_card, player_key
from eck_env.numberless.rules import count_of, deal_cards, start_game


@rare_rule
def finish_game(game: Any, player: int, key: np.uint64) -> None:
    """Play a game on to its end, the same player at every seat, with the random stream that starts at `key`."""
    while not game.over:
        key = advance(key)
        act(game, choose_card(game, player, mix(key)))


@entry_point
def play_games(games: NDArray[np.void], counts: NDArray[np.int64]) -> None:
    """Play the games that the records name, compiled players at all seats.

    Args:
        games: Records with a compiled player's number at every seat (`players`).
        counts: The cards that count against each seat at the end, shape (n, 7); written.
    """
    games = borrowed(games)
    for index in range(games.shape[0]):
        game = games[index]
        start_game(game)
        deal_cards(game)
        while not game.over:
            act(game, choose_card(game, game.players[game.turn], player_key(game)))
        for seat in range(game.num_players):
            counts[index, seat] = count_of(game, seat)
