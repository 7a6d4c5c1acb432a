"""Flat and nested Monte Carlo search: the legal cards are judged by playing the round to its end many times.

The search sees what the player knows: before each playout the order of the face-down cards and all later randomness
are drawn anew (Ginsberg, "GIB: imperfect information in a computationally challenging game", 2001, calls this
sampling of worlds). The cards compared share their worlds and random numbers. A round's end is judged by the table of
round values. The playouts are spent by sequential halving (Karnin, Koren and Somekh, "Almost optimal exploration in
multi-armed bandits", 2013): after each stage the worse half of the cards is given up.

In flat search a simple player plays the playouts; in nested search a small flat search does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env.batch import advance, mix, random_key, shuffle
from eck_env.compiled import entry_point, lowest_bit, popcount, rule
from eck_env.eck.cards import DECK_SIZE, HAND_SIZE, NUM_KINDS
from eck_env.eck.engine import Setup, next_round
from eck_env.eck.observation import restore
from eck_env.eck.players import PLAYERS, RANDOM
from eck_env.eck.playouts import finish_tricks
from eck_env.eck.round_values import RoundValues, end_worths
from eck_env.eck.rules import legal_kinds, play_card
from eck_env.eck.state import GAME

_SEARCH_PURPOSE = 2**33  # the random stream of the search
_WORLD, _PLAYOUT, _END, _INNER = 0, 1, 2, 3  # the scratch records: a drawn world, a playout in it, the end of a round
NUM_SCRATCH = _INNER + 2


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
def start_playout(kind: int, scratch: NDArray[np.void], scripts: NDArray[np.int8]) -> Any:
    """Play a card in the world that has been drawn, and return the record to play on."""
    scratch[_PLAYOUT] = scratch[_WORLD]
    playout = scratch[_PLAYOUT]
    play_card(playout, kind, scripts)
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
    scripts = np.zeros((0, DECK_SIZE), np.int8)
    for _ in range(worlds):
        key = advance(key)
        scratch[_WORLD] = game
        draw_world(scratch[_WORLD], key)
        rest = cards
        while rest:
            kind = lowest_bit(rest)
            rest &= rest - 1
            playout = start_playout(kind, scratch, scripts)
            finish_tricks(playout, player, mix(~key), scripts)
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
    scripts = np.zeros((0, DECK_SIZE), np.int8)
    for _ in range(worlds):
        key = advance(key)
        scratch[_WORLD] = game
        draw_world(scratch[_WORLD], key)
        rest = cards
        while rest:
            kind = lowest_bit(rest)
            rest &= rest - 1
            playout = start_playout(kind, scratch, scripts)
            choice_key = mix(~key)
            while playout.hand != 0:
                legal = legal_kinds(playout.hand, playout.lead, playout.same_circle != 0)
                if popcount(legal) > 1:
                    inner_sums[:] = 0.0
                    choice_key = judge_flat(
                        playout, legal, inner, RANDOM, worths, choice_key, scratch[_INNER:], inner_sums
                    )
                    legal = 1 << best_card(legal, inner_sums)
                play_card(playout, lowest_bit(legal), scripts)
            sums[kind] += worths[playout.won]
    return key


@rule
def best_card(cards: int, sums: NDArray[np.float64]) -> int:
    """Return the kind with the highest sum out of a set of kinds, the lowest kind among equals."""
    best = lowest_bit(cards)
    rest = cards & (cards - 1)
    while rest:
        kind = lowest_bit(rest)
        rest &= rest - 1
        if sums[kind] > sums[best]:
            best = kind
    return best


@rule
def better_half(cards: int, sums: NDArray[np.float64]) -> int:
    """Return the half of a set of kinds, rounded up, with the higher sums."""
    kept = 0
    for _ in range((popcount(cards) + 1) // 2):
        best = best_card(cards & ~kept, sums)
        kept |= 1 << best
    return kept


@rule
def num_stages(cards: int) -> int:
    """Return how many stages of halving it takes to come down to one card."""
    stages = 0
    while (1 << stages) < popcount(cards):
        stages += 1
    return stages


@rule
def search_card(
    game: Any,
    legal: int,
    playouts: int,
    player: int,
    inner: int,
    worths: NDArray[np.float64],
    key: np.uint64,
    scratch: NDArray[np.void],
    sums: NDArray[np.float64],
) -> int:
    """Return the card that search plays with a budget of `playouts` times the number of legal cards.

    A forced card costs nothing. `sums` has two rows of 38 numbers, which are overwritten; `inner` is 0 for flat search.
    """
    stages = num_stages(legal)
    cards = legal
    sums[0] = 0.0
    for _ in range(stages):
        worlds = max(1, playouts * popcount(legal) // (stages * popcount(cards)))
        if inner > 0:
            key = judge_nested(game, cards, worlds, inner, worths, key, scratch, sums[0], sums[1])
        else:
            key = judge_flat(game, cards, worlds, player, worths, key, scratch, sums[0])
        cards = better_half(cards, sums[0])
    return lowest_bit(cards)


@entry_point
def search_rounds(
    games: NDArray[np.void],
    playouts: int,
    player: int,
    inner: int,
    setup: Setup,
    scratch: NDArray[np.void],
    tricks: NDArray[np.int64],
) -> None:
    """Play a round from its deal in every record by search, and note the tricks taken, shape (n,)."""
    worths, sums = np.zeros(HAND_SIZE + 1), np.zeros((2, NUM_KINDS))
    for index in range(games.shape[0]):
        game = games[index]
        next_round(game)
        end_worths(game, setup.values, scratch[_END], worths)
        key = random_key(game.seed, game.game_number, game.round_number, _SEARCH_PURPOSE)
        while game.hand != 0:
            key = mix(advance(key))
            legal = legal_kinds(game.hand, game.lead, game.same_circle != 0)
            kind = search_card(game, legal, playouts, player, inner, worths, key, scratch, sums)
            play_card(game, kind, setup.scripts[index])
        tricks[index] = game.won


@entry_point
def _search_all(
    observations: NDArray[Any],
    masks: NDArray[np.bool_],
    keys: NDArray[np.int64],
    playouts: int,
    player: int,
    inner: int,
    values: NDArray[np.float64],
    games: NDArray[np.void],
    scratch: NDArray[np.void],
    actions: NDArray[np.int64],
) -> None:
    worths, sums = np.zeros(HAND_SIZE + 1), np.zeros((2, NUM_KINDS))
    game = games[0]
    for index in range(observations.shape[0]):
        restore(observations[index], game)
        end_worths(game, values, scratch[_END], worths)
        key = random_key(keys[index, 0], keys[index, 1], keys[index, 2], _SEARCH_PURPOSE)
        legal = legal_bits(masks[index])
        actions[index] = search_card(game, legal, playouts, player, inner, worths, key, scratch, sums)


class MonteCarloAgent:
    """Flat or nested Monte Carlo search with a number of playouts for each legal card.

    Args:
        round_values: What the ends of rounds are worth.
        playouts: Playouts a legal card, on average; halving spends them on the better ones.
        player: Who plays the playouts of flat search: a name out of `players.PLAYERS`.
        inner: For nested search, the playouts a card of the search that plays the playouts; 0 for flat search.
        same_circle: Whether a circle must be followed by one of its color.
    """

    def __init__(
        self,
        round_values: RoundValues,
        playouts: int = 64,
        player: str = "random",
        inner: int = 0,
        same_circle: bool = False,
    ) -> None:
        self.name = f"mc:{playouts}" + (f":{inner}" if inner else "" if player == "random" else f":{player}")
        self._values = round_values.values
        self._playouts, self._player, self._inner = playouts, PLAYERS[player], inner
        self._game, self._scratch = np.zeros(1, GAME), np.zeros(NUM_SCRATCH, GAME)
        self._game["same_circle"] = same_circle

    def act(self, observations: NDArray[Any], action_masks: NDArray[Any], keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Choose an action in each game; see `Agent.act`."""
        actions = np.zeros(len(observations), np.int64)
        masks = np.asarray(action_masks, np.bool_)
        _search_all(
            observations, masks, keys, self._playouts, self._player, self._inner,
            self._values, self._game, self._scratch, actions,
        )  # fmt: skip
        return actions
