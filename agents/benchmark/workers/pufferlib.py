"""Measures PufferLib's card game, tripletriad, by its C binding's own vectorized step; 1,024 games."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from agents.benchmark.workers.serve import Row, serve

BATCH = 1024
SIZE = 114
CARDS, PLACES = 5, 9
_STEPS = 200
_KEYWORDS = {"width": 990, "height": 690, "card_width": 192, "card_height": 224}
_MASK, _SELECTED, _PLACED = 9, 24, 104  # where the observation has them


class Games:
    """A batch of games with the arrays that the C code works on."""

    def __init__(self) -> None:
        self.binding: Any = import_module("binding")
        self.observations = np.zeros((BATCH, SIZE), np.float32)
        self.actions = np.zeros(BATCH, np.int32)
        self.rewards = np.zeros(BATCH, np.float32)
        self.terminals, self.truncations = np.zeros((2, BATCH), np.bool_)
        arrays = (self.observations, self.actions, self.rewards, self.terminals, self.truncations)
        self.games = self.binding.vec_init(*arrays, BATCH, 1, **_KEYWORDS)
        self.binding.vec_reset(self.games, 1)

    def legal_actions(self, generator: np.random.Generator) -> Any:
        """Return random actions that do something: choose a card that is left, then put it on a free place."""
        free_cards = self.observations[:, _PLACED : _PLACED + CARDS] == 0
        free_places = self.observations[:, _MASK + CARDS : _MASK + CARDS + PLACES] == 0
        choosing = self.observations[:, _SELECTED] < 0
        mask = np.hstack([free_cards & choosing[:, np.newaxis], free_places & ~choosing[:, np.newaxis]])
        return np.argmax(mask * (1 - generator.random(mask.shape)), axis=1)


def uniform() -> Row:
    """Return games on uniformly random actions, most of which are illegal and do little."""
    games = Games()
    actions = np.random.default_rng(1).integers(0, CARDS + PLACES, (_STEPS, BATCH), np.int32)

    def run() -> int:
        for batch_actions in actions:
            games.actions[:] = batch_actions
            games.binding.vec_step(games.games)
        return len(actions) * BATCH

    return Row(run)


def legal() -> Row:
    """Return games on random legal actions: the C library's random numbers are recorded with them."""
    games = Games()
    generator = np.random.default_rng(1)
    actions = []
    for _ in range(_STEPS):
        actions.append(games.legal_actions(generator))
        games.actions[:] = actions[-1]
        games.binding.vec_step(games.games)

    def prepare() -> None:
        games.binding.vec_reset(games.games, 1)

    def run() -> int:
        for batch_actions in actions:
            games.actions[:] = batch_actions
            games.binding.vec_step(games.games)
        return len(actions) * BATCH

    return Row(run, prepare)


ROWS = {"tripletriad": uniform, "tripletriad legal": legal}

if __name__ == "__main__":
    serve(ROWS)
