"""What the engines of all games share: random numbers that belong to a game, and the autoreset modes.

A random stream is a SplitMix64 sequence (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
2014) whose start is a hash of the words it is keyed by. So a deal depends on (seed, game, round) alone: not on what
was played before, not on the batch.
"""

from __future__ import annotations

import numpy as np
from gymnasium.vector import AutoresetMode

from eck_env.compiled import rule

AUTORESET_CODES = {AutoresetMode.NEXT_STEP: 0, AutoresetMode.SAME_STEP: 1, AutoresetMode.DISABLED: 2}
SAME_STEP = AUTORESET_CODES[AutoresetMode.SAME_STEP]

# How a game stands.
PLAYING, WON, LOST, DRAWN = 0, 1, 2, 3

NO_CARD = -1
"""Stands for a card that is not there, such as no lead."""

MAX_SEED = 2**63 - 1
TRAINING_SEEDS = 2**30
"""Seeds from here up are for evaluation alone; training and unseeded environments stay below."""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLY_1 = np.uint64(0xBF58476D1CE4E5B9)
_MULTIPLY_2 = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


@rule
def mix(bits: np.uint64) -> np.uint64:
    """Scramble 64 bits (SplitMix64's finalizer)."""
    bits = (bits ^ (bits >> _S30)) * _MULTIPLY_1
    bits = (bits ^ (bits >> _S27)) * _MULTIPLY_2
    return bits ^ (bits >> _S31)


@rule
def random_key(seed: int, game: int, round_: int, purpose: int) -> np.uint64:
    """Return the start of the random stream for one purpose (the deal, a reshuffle, ...) in one round of a game."""
    key = mix(np.uint64(seed) + _GOLDEN)
    key = mix((key ^ np.uint64(game)) + _GOLDEN)
    key = mix((key ^ np.uint64(round_)) + _GOLDEN)
    return mix((key ^ np.uint64(purpose)) + _GOLDEN)


@rule
def advance(key: np.uint64) -> np.uint64:
    """Return the next state of a stream; `mix` of a state is its random number."""
    return key + _GOLDEN


@rule
def below(key: np.uint64, limit: int) -> int:
    """Return a random integer from 0 to limit - 1; the bias is under limit / 2**32 (Lemire, 2019)."""
    return int(((mix(key) >> _S32) * np.uint64(limit)) >> _S32)


@rule
def shuffle(cards: np.ndarray, start: int, stop: int, key: np.uint64) -> None:
    """Shuffle cards[start:stop] in place (Fisher and Yates), with the stream that starts at `key`."""
    for last in range(stop - 1, start, -1):
        key = advance(key)
        other = start + below(key, last - start + 1)
        cards[last], cards[other] = cards[other], cards[last]


def as_autoreset_mode(mode: AutoresetMode | str) -> AutoresetMode:
    """Return an autoreset mode given by itself, its name or its value; ValueError names those there are."""
    if isinstance(mode, AutoresetMode):
        return mode
    for known in AutoresetMode:
        if mode in (known.value, known.name):
            return known
    names = ", ".join(known.name for known in AutoresetMode)
    raise ValueError(f"autoreset_mode is {mode!r}, but must be an AutoresetMode or one of {names}")
