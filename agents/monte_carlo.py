"""Flat and nested Monte Carlo search: the legal cards are judged by playing the round to its end many times.

The search sees what the player knows: before each playout the order of the face-down cards and all later randomness
are drawn anew (Ginsberg, "GIB: imperfect information in a computationally challenging game", 2001, calls this
sampling of worlds). The cards compared share their worlds and random numbers. A round's end is judged by the table of
round values. The playouts are spent by sequential halving (`halving.py`).

In flat search a simple player plays the playouts; in nested search a small flat search does. The last cards of a round
are judged by expectimax instead (`endgame.py`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.endgame import EXACT_CARDS, NUM_RECORDS, cards_left, judge_last_cards
from agents.flat_search import SEARCH_PURPOSE, SearchAgent, compile_halving, compile_search
from agents.halving import Budget, best_card
from agents.worlds import draw_world
from eck_env.batch import advance, mix, random_key
from eck_env.compiled import entry_point, lowest_bit, popcount, rule
from eck_env.eck.cards import HAND_SIZE, NUM_KINDS, bag_kinds
from eck_env.eck.engine import next_round
from eck_env.eck.observation import SLICES, restore
from eck_env.eck.players import PLAYERS, RANDOM
from eck_env.eck.playouts import finish_tricks
from eck_env.eck.round_values import RoundValues, end_worths
from eck_env.eck.rules import legal_kinds, play_card
from eck_env.eck.state import GAME

_WORLD, _PLAYOUT, _END, _INNER = 0, 1, 2, 3  # the scratch records: a drawn world, a playout in it, the end of a round
_ENDGAME = _INNER + 2  # from here on: those of expectimax
NUM_SCRATCH = _ENDGAME + NUM_RECORDS
_NUM_SUMS = 1 + NUM_RECORDS


class Tools(NamedTuple):
    """What the search works with.

    Attributes:
        player: Who plays the playouts of flat search: a value of `players.PLAYERS`.
        inner: The playouts a card of the search that plays them in nested search; 0 for flat search.
        values: The table of round values.
        worths: What each count of tricks is worth, shape (14,); written.
    """

    player: int
    inner: int
    values: NDArray[np.float64]
    worths: NDArray[np.float64]


def playable(observation: NDArray[Any], mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the legal kinds that are in hand: none in a game that is over, whose mask is all ones."""
    kinds: NDArray[np.bool_] = mask & (observation[SLICES["hand"]] != 0)
    return kinds


@rule
def start_playout(kind: int, scratch: NDArray[np.void]) -> Any:
    """Play a card in the world that has been drawn, and return the record to play on."""
    scratch[_PLAYOUT] = scratch[_WORLD]
    playout = scratch[_PLAYOUT]
    play_card(playout, kind)
    return playout


@rule
def judge_flat(
    game: Any,
    cards: int,
    worlds: int,
    player: int,
    worths: NDArray[np.float64],
    key: np.uint64,
    scratch: NDArray[np.void],
    sums: NDArray[np.float64],
) -> np.uint64:
    """Add to `sums`, shape (38,), what the round's end is worth after each card, over this many worlds.

    Args:
        game: The record of the position.
        cards: The kinds to judge, a set of bits.
        worlds: How many worlds to draw.
        player: Who plays the playouts: a value of `players.PLAYERS`.
        worths: What each count of tricks is worth, shape (14,).
        key: The state of the random stream.
        scratch: Two records that are overwritten.
        sums: Sums by kind; added to.

    Returns:
        The state of the random stream afterwards.
    """
    for _ in range(worlds):
        key = advance(key)
        scratch[_WORLD] = game
        draw_world(scratch[_WORLD], key)
        rest = cards
        while rest:
            kind = lowest_bit(rest)
            rest &= rest - 1
            playout = start_playout(kind, scratch)
            finish_tricks(playout, player, mix(~key))
            sums[kind] += worths[playout.won]
    return key


@rule
def judge_nested(
    game: Any,
    cards: int,
    worlds: int,
    inner: int,
    worths: NDArray[np.float64],
    key: np.uint64,
    scratch: NDArray[np.void],
    sums: NDArray[np.float64],
    inner_sums: NDArray[np.float64],
) -> np.uint64:
    """As `judge_flat`, with playouts in which flat search over `inner` worlds chooses every card."""
    for _ in range(worlds):
        key = advance(key)
        scratch[_WORLD] = game
        draw_world(scratch[_WORLD], key)
        rest = cards
        while rest:
            kind = lowest_bit(rest)
            rest &= rest - 1
            playout = start_playout(kind, scratch)
            choice_key = mix(~key)
            while playout.hand != 0:
                legal = legal_kinds(playout.hand, playout.lead, playout.same_circle != 0)
                if popcount(legal) > 1:
                    inner_sums[:] = 0.0
                    choice_key = judge_flat(
                        playout, legal, inner, RANDOM, worths, choice_key, scratch[_INNER:], inner_sums
                    )
                    legal = 1 << best_card(legal, inner_sums)
                play_card(playout, lowest_bit(legal))
            sums[kind] += worths[playout.won]
    return key


@rule
def judge_cards(
    game: Any,
    cards: int,
    first: int,
    worlds: int,
    tools: Tools,
    key: np.uint64,
    scratch: NDArray[np.void],
    sums: NDArray[np.float64],
) -> np.uint64:
    """As `judge_flat` or `judge_nested`; the last cards of a round are judged by expectimax.

    The sums are those in the first row of `sums`; `first` is how many worlds there were before.
    """
    if cards_left(game) <= EXACT_CARDS:
        scratch[_ENDGAME] = game
        sums[1] = 0.0
        key = judge_last_cards(scratch[_ENDGAME:], cards, first, worlds, tools.worths, key, sums[1:])
        sums[0] += sums[1]
        return key
    if tools.inner > 0:
        return judge_nested(game, cards, worlds, tools.inner, tools.worths, key, scratch, sums[0], sums[1])
    return judge_flat(game, cards, worlds, tools.player, tools.worths, key, scratch, sums[0])


@rule
def _read(observation: NDArray[Any], game: Any, tools: Tools, scratch: NDArray[np.void]) -> int:
    """Make a record of a position, look up what the ends of its round are worth, and return the kinds in hand."""
    restore(observation, game)
    end_worths(game, tools.values, scratch[_END], tools.worths)
    return int(bag_kinds(game.hand))


_search_card = compile_halving(judge_cards)
_SEARCH = compile_search(_read, judge_cards)


@entry_point
def search_rounds(
    games: NDArray[np.void],
    playouts: int,
    player: int,
    inner: int,
    values: NDArray[np.float64],
    scratch: NDArray[np.void],
    tricks: NDArray[np.int64],
) -> None:
    """Play a round from its deal in every record by search, and note the tricks taken, shape (n,)."""
    tools, sums = Tools(player, inner, values, np.zeros(HAND_SIZE + 1)), np.zeros((_NUM_SUMS, NUM_KINDS))
    for index in range(games.shape[0]):
        game = games[index]
        next_round(game)
        end_worths(game, values, scratch[_END], tools.worths)
        key = random_key(game.seed, game.game_number, game.round_number, SEARCH_PURPOSE)
        while game.hand != 0:
            key = mix(advance(key))
            legal = legal_kinds(game.hand, game.lead, game.same_circle != 0)
            kind = _search_card(game, legal, playouts, tools, key, scratch, sums)
            play_card(game, kind)
        tricks[index] = game.won


class MonteCarloAgent(SearchAgent):
    """Flat or nested Monte Carlo search.

    Args:
        round_values: What the ends of rounds are worth.
        budget: Playouts a legal card, on average, or a time; halving spends them on the better cards.
        player: Who plays the playouts of flat search: a name out of `players.PLAYERS`.
        inner: For nested search, the playouts a card of the search that plays the playouts; 0 for flat search.
        same_circle: Whether a circle must be followed by one of its color.
    """

    def __init__(
        self,
        round_values: RoundValues,
        budget: Budget = 64,
        player: str = "random",
        inner: int = 0,
        same_circle: bool = False,
    ) -> None:
        name = f"mc:{budget}" + (f":{inner}" if inner else "" if player == "random" else f":{player}")
        tools = Tools(PLAYERS[player], inner, round_values.values, np.zeros(HAND_SIZE + 1))
        game, scratch, sums = np.zeros(1, GAME), np.zeros(NUM_SCRATCH, GAME), np.zeros((_NUM_SUMS, NUM_KINDS))
        game["same_circle"] = same_circle
        super().__init__(name, _SEARCH, tools, budget, game, scratch, sums)
        self.nested = inner > 0
