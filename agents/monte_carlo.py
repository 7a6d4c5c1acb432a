"""Flat and nested Monte Carlo search: the legal cards are judged by playing the round to its end many times.

The search sees what the player knows: before each playout the order of the face-down cards and all later randomness
are drawn anew (Ginsberg, "GIB: imperfect information in a computationally challenging game", 2001, calls this
sampling of worlds). The cards compared share their worlds and random numbers. A round's end is judged by the table of
round values. The playouts are spent by sequential halving (`halving.py`).

In flat search a simple player plays the playouts; in nested search a small flat search does. The last cards of a round
are judged by expectimax instead (`endgame.py`).
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.endgame import EXACT_CARDS, NUM_RECORDS, cards_left, judge_last_cards
from agents.halving import Budget, Milliseconds, best_card, better_half, halve, num_stages, stage_worlds
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

_SEARCH_PURPOSE = 2**33  # the random stream of the search
_WORLD, _PLAYOUT, _END, _INNER = 0, 1, 2, 3  # the scratch records: a drawn world, a playout in it, the end of a round
_ENDGAME = _INNER + 2  # from here on: those of expectimax
NUM_SCRATCH = _ENDGAME + NUM_RECORDS
_NUM_SUMS = 1 + NUM_RECORDS


@rule
def legal_bits(mask: NDArray[np.bool_]) -> int:
    """Return the legal kinds as a set of bits."""
    legal = 0
    for kind in range(NUM_KINDS):
        if mask[kind]:
            legal |= 1 << kind
    return legal


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
    player: int,
    inner: int,
    worths: NDArray[np.float64],
    key: np.uint64,
    scratch: NDArray[np.void],
    sums: NDArray[np.float64],
) -> np.uint64:
    """As `judge_flat`, or for `inner` > 0 as `judge_nested`; the last cards of a round are judged by expectimax.

    The sums are those in the first row of `sums`; `first` is how many worlds there were before.
    """
    if cards_left(game) <= EXACT_CARDS:
        scratch[_ENDGAME] = game
        sums[1] = 0.0
        key = judge_last_cards(scratch[_ENDGAME:], cards, first, worlds, worths, key, sums[1:])
        sums[0] += sums[1]
        return key
    if inner > 0:
        return judge_nested(game, cards, worlds, inner, worths, key, scratch, sums[0], sums[1])
    return judge_flat(game, cards, worlds, player, worths, key, scratch, sums[0])


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

    A forced card costs nothing. `sums` has rows of 38 numbers, which are overwritten; `inner` is 0 for flat search.
    """
    cards, worlds_before = legal, 0
    sums[0] = 0.0
    for _ in range(num_stages(legal)):
        worlds = stage_worlds(cards, legal, playouts)
        key = judge_cards(game, cards, worlds_before, worlds, player, inner, worths, key, scratch, sums)
        worlds_before += worlds
        cards = better_half(cards, sums[0])
    return lowest_bit(cards)


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
    worths, sums = np.zeros(HAND_SIZE + 1), np.zeros((_NUM_SUMS, NUM_KINDS))
    for index in range(games.shape[0]):
        game = games[index]
        next_round(game)
        end_worths(game, values, scratch[_END], worths)
        key = random_key(game.seed, game.game_number, game.round_number, _SEARCH_PURPOSE)
        while game.hand != 0:
            key = mix(advance(key))
            legal = legal_kinds(game.hand, game.lead, game.same_circle != 0)
            kind = search_card(game, legal, playouts, player, inner, worths, key, scratch, sums)
            play_card(game, kind)
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
    worths, sums = np.zeros(HAND_SIZE + 1), np.zeros((_NUM_SUMS, NUM_KINDS))
    game = games[0]
    for index in range(observations.shape[0]):
        restore(observations[index], game)
        end_worths(game, values, scratch[_END], worths)
        key = random_key(keys[index, 0], keys[index, 1], keys[index, 2], _SEARCH_PURPOSE)
        legal = legal_bits(masks[index]) & bag_kinds(game.hand)
        if legal != 0:  # else the game is over, and any action will do
            actions[index] = search_card(game, legal, playouts, player, inner, worths, key, scratch, sums)


@entry_point
def _judge_cards(
    observation: NDArray[Any],
    cards: int,
    first: int,
    worlds: int,
    player: int,
    inner: int,
    values: NDArray[np.float64],
    key: np.uint64,
    games: NDArray[np.void],
    scratch: NDArray[np.void],
    sums: NDArray[np.float64],
) -> np.uint64:
    """Add to the first row of `sums` what so many worlds say of each card, and return the state of the stream."""
    worths, game = np.zeros(HAND_SIZE + 1), games[0]
    restore(observation, game)
    end_worths(game, values, scratch[_END], worths)
    return judge_cards(game, cards, first, worlds, player, inner, worths, key, scratch, sums)


class MonteCarloAgent:
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
        self.name = f"mc:{budget}" + (f":{inner}" if inner else "" if player == "random" else f":{player}")
        self.nested = inner > 0
        self._values = round_values.values
        self._budget, self._player, self._inner = budget, PLAYERS[player], inner
        self._game, self._scratch = np.zeros(1, GAME), np.zeros(NUM_SCRATCH, GAME)
        self._game["same_circle"] = same_circle

    def act(self, observations: NDArray[Any], action_masks: NDArray[Any], keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Choose an action in each game; see `Agent.act`."""
        masks = np.asarray(action_masks, np.bool_)
        if isinstance(self._budget, Milliseconds):
            rows = zip(observations, masks, keys.tolist(), strict=True)
            return np.array([self._choose(*row) for row in rows], np.int64).reshape(len(observations))
        actions = np.zeros(len(observations), np.int64)
        _search_all(
            observations, masks, keys, self._budget, self._player, self._inner,
            self._values, self._game, self._scratch, actions,
        )  # fmt: skip
        return actions

    def judge(
        self, observation: NDArray[Any], mask: NDArray[np.bool_], key: list[int], worlds: int
    ) -> NDArray[np.float64]:
        """Return the chance to win that so many playouts give each legal card, shape (38,); 0 for the others.

        All cards are given the same number of playouts, other than in `act`.
        """
        sums = np.zeros((_NUM_SUMS, NUM_KINDS))
        self._judge(observation, legal_bits(mask), 0, worlds, _start_key(key), sums)
        means: NDArray[np.float64] = sums[0] / worlds
        return means

    def _choose(self, observation: NDArray[Any], mask: NDArray[np.bool_], key: list[int]) -> int:
        """Choose a card in the time that the budget gives; a forced card takes none of it."""
        start = time.perf_counter()
        mask = playable(observation, mask)
        if np.count_nonzero(mask) <= 1:
            return int(np.argmax(mask))
        sums, stream, done = np.zeros((_NUM_SUMS, NUM_KINDS)), _start_key(key), 0

        def judge(cards: int, worlds: int) -> None:
            nonlocal stream, done
            stream = self._judge(observation, cards, done, worlds, stream, sums)
            done += worlds

        return halve(legal_bits(mask), self._budget, judge, sums[0], start)

    def _judge(
        self,
        observation: NDArray[Any],
        cards: int,
        first: int,
        worlds: int,
        key: np.uint64,
        sums: NDArray[np.float64],
    ) -> np.uint64:
        stream = _judge_cards(
            observation, cards, first, worlds, self._player, self._inner, self._values, key, self._game, self._scratch,
            sums,
        )  # fmt: skip
        return np.uint64(stream)


def _start_key(key: list[int]) -> np.uint64:
    """Return the start of the random stream of a decision."""
    with np.errstate(over="ignore"):
        return random_key(key[0], key[1], key[2], _SEARCH_PURPOSE)
