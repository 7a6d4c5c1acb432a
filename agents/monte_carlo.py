"""Flat Monte Carlo search: every legal card is judged by playing the round to its end many times.

The search sees what the player knows: before each playout the order of the face-down cards and all later randomness
are drawn anew (Ginsberg, "GIB: imperfect information in a computationally challenging game", 2001, calls this
sampling of worlds). The cards compared share their worlds and random numbers. A round's end is judged by the table of
round values.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.batch import advance, mix, random_key, shuffle
from eck_env.compiled import entry_point, popcount, rule
from eck_env.compiled import lowest_bit as lowest
from eck_env.eck.cards import DECK_SIZE, HAND_SIZE, NUM_KINDS
from eck_env.eck.engine import Setup, next_round
from eck_env.eck.observation import restore
from eck_env.eck.players import PLAYERS
from eck_env.eck.playouts import finish_tricks
from eck_env.eck.round_values import RoundValues, end_worths
from eck_env.eck.rules import legal_kinds, play_card
from eck_env.eck.state import GAME

_SEARCH_PURPOSE = 2**33  # the random stream of the search
_WORLD, _PLAYOUT, _END = 0, 1, 2  # the scratch records: a drawn world, a playout in it, the end of a round
NUM_SCRATCH = 3


@rule
def legal_bits(mask: NDArray[np.bool_]) -> int:
    """Return the legal kinds as a set of bits."""
    legal = 0
    for kind in range(NUM_KINDS):
        if mask[kind]:
            legal |= 1 << kind
    return legal


@rule
def draw_world(game: Any, key: np.uint64) -> None:
    """Draw anew all that the player cannot know: the order of the face-down cards and every later shuffle."""
    game.scripted = 0
    game.seed = np.int64(mix(key) >> np.uint64(1))
    shuffle(game.cards, game.top, game.bottom, mix(key))


@rule
def judge_cards(
    game: Any,
    legal: int,
    playouts: int,
    player: int,
    worths: NDArray[np.float64],
    key: np.uint64,
    scratch: NDArray[np.void],
    sums: NDArray[np.float64],
) -> None:
    """Add to `sums`, shape (38,), the worth of the round's end after each legal card, over this many worlds."""
    scripts = np.zeros((0, DECK_SIZE), np.int8)
    for _ in range(playouts):
        key = advance(key)
        scratch[_WORLD] = game
        world = scratch[_WORLD]
        draw_world(world, key)
        rest = legal
        while rest:
            kind = lowest(rest)
            rest &= rest - 1
            scratch[_PLAYOUT] = world
            playout = scratch[_PLAYOUT]
            play_card(playout, kind, scripts)
            finish_tricks(playout, player, mix(~key), scripts)
            sums[kind] += worths[playout.won]


@rule
def best_of(legal: int, sums: NDArray[np.float64]) -> int:
    """Return the legal kind with the highest sum, the lowest kind among equals."""
    best = lowest(legal)
    rest = legal & (legal - 1)
    while rest:
        kind = lowest(rest)
        rest &= rest - 1
        if sums[kind] > sums[best]:
            best = kind
    return best


@rule
def search_card(
    game: Any,
    legal: int,
    playouts: int,
    player: int,
    worths: NDArray[np.float64],
    key: np.uint64,
    scratch: NDArray[np.void],
    sums: NDArray[np.float64],
) -> int:
    """Return the card that flat Monte Carlo search plays; a forced one costs nothing."""
    if popcount(legal) == 1:
        return lowest(legal)
    sums[:] = 0.0
    judge_cards(game, legal, playouts, player, worths, key, scratch, sums)
    return best_of(legal, sums)


@entry_point
def search_rounds(
    games: NDArray[np.void],
    playouts: int,
    player: int,
    setup: Setup,
    scratch: NDArray[np.void],
    tricks: NDArray[np.int64],
) -> None:
    """Play a round from its deal in every record by search, and note the tricks taken, shape (n,)."""
    worths, sums = np.zeros(HAND_SIZE + 1), np.zeros(NUM_KINDS)
    for index in range(games.shape[0]):
        game = games[index]
        next_round(game, setup, index)
        end_worths(game, setup.values, scratch[_END], worths)
        key = random_key(game.seed, game.game_number, game.round_number, _SEARCH_PURPOSE)
        while game.hand != 0:
            key = mix(advance(key))
            legal = legal_kinds(game.hand, game.lead, game.same_circle != 0)
            kind = search_card(game, legal, playouts, player, worths, key, scratch, sums)
            play_card(game, kind, setup.scripts[index])
        tricks[index] = game.won


@entry_point
def _search_all(
    observations: NDArray[Any],
    masks: NDArray[np.bool_],
    keys: NDArray[np.int64],
    playouts: int,
    player: int,
    values: NDArray[np.float64],
    games: NDArray[np.void],
    scratch: NDArray[np.void],
    actions: NDArray[np.int64],
) -> None:
    worths, sums = np.zeros(HAND_SIZE + 1), np.zeros(NUM_KINDS)
    game = games[0]
    for index in range(observations.shape[0]):
        restore(observations[index], game)
        legal = legal_bits(masks[index])
        end_worths(game, values, scratch[_END], worths)
        key = random_key(keys[index, 0], keys[index, 1], keys[index, 2], _SEARCH_PURPOSE)
        actions[index] = search_card(game, legal, playouts, player, worths, key, scratch, sums)


class MonteCarloAgent:
    """Flat Monte Carlo search with a number of playouts for each legal card.

    Args:
        round_values: What the ends of rounds are worth.
        playouts: Playouts a legal card.
        player: Who plays the playouts; a name out of `players.PLAYERS`.
        same_circle: Whether a circle must be followed by one of its color.
    """

    def __init__(
        self, round_values: RoundValues, playouts: int = 64, player: str = "random", same_circle: bool = False
    ) -> None:
        self.name = f"mc:{playouts}" + ("" if player == "random" else f":{player}")
        self._values = round_values.values
        self._playouts, self._player = playouts, PLAYERS[player]
        self._game = np.zeros(1, GAME)
        self._game["same_circle"] = same_circle
        self._scratch = np.zeros(NUM_SCRATCH, GAME)

    def act(self, observations: NDArray[Any], action_masks: NDArray[Any], keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Choose an action in each game; see `Agent.act`."""
        actions = np.zeros(len(observations), np.int64)
        masks = np.asarray(action_masks, np.bool_)
        _search_all(
            observations, masks, keys, self._playouts, self._player, self._values, self._game, self._scratch, actions
        )
        return actions
