"""A network for the game without numbers that reads every card with the same weights, as a policy of MaskablePPO.

The 49 cards are a grid of foregrounds and backgrounds, and permuting its rows or its columns leaves the game unchanged.
So each card is read by the same layers, and hears of the others only through the means over its row, its column and the
whole grid (Hartford et al., "Deep models of interactions across sets", 2018): permuting rows or columns permutes the
logits and leaves the value, by construction.
"""

from __future__ import annotations

from typing import Any

import torch
from gymnasium import spaces
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn

from agents.ppo.heads import Heads, HeadsPolicy
from eck_env.numberless.cards import HAND_SIZE, NUM_CARDS, NUM_KINDS
from eck_env.numberless.observation import SIZE, SLICES
from eck_env.numberless.variant import MAX_PLAYERS

_FLAGS = ("hand", "kept", "gone")
_OTHERS = MAX_PLAYERS - 1
_PLACES = 3
"""How many places of the pot are told apart: the first, the second, and all later ones."""
_CARD = len(_FLAGS) + _PLACES + MAX_PLAYERS + 2 + _OTHERS
_TABLE = {"pattern": 1.0, "start": 1.0, "collected": 10.0, "hand_sizes": HAND_SIZE, "drafting": 1.0, "draft": 1.0}
"""The fields of the observation that belong to no card, and what they are divided by."""


_LINE_SCALE, _GRID_SCALE = 3.5, 7.0
"""What means over rows and columns and over the grid are multiplied by: one card of a row must weigh, too."""


def _size(name: str) -> int:
    return int(SLICES[name].stop - SLICES[name].start)


class GridLayer(nn.Module):
    """A layer that reads each card of the grid, the means of its row and column, and that of the grid."""

    def __init__(self, inputs: int, width: int) -> None:
        super().__init__()
        self.own = nn.Linear(inputs, width, bias=False)
        self.row = nn.Linear(inputs, width, bias=False)
        self.column = nn.Linear(inputs, width, bias=False)
        self.grid = nn.Linear(inputs, width)

    def forward(self, cards: Tensor) -> Tensor:
        """Return features, shape (n, 7, 7, width), of features of this shape."""
        rows, columns = _LINE_SCALE * cards.mean(2, keepdim=True), _LINE_SCALE * cards.mean(1, keepdim=True)
        grid = _GRID_SCALE / _LINE_SCALE * rows.mean(1, keepdim=True)
        features: Tensor = self.own(cards) + self.row(rows) + self.column(columns) + self.grid(grid)
        return features


class GridExtractor(BaseFeaturesExtractor):
    """Reads flat observations; returns the features of each card, then their mean: shape (n, 50 * width)."""

    def __init__(self, observation_space: spaces.Space[Any], width: int = 32, depth: int = 3) -> None:
        super().__init__(observation_space, (NUM_CARDS + 1) * width)
        if observation_space.shape != (SIZE,):
            raise ValueError('the grid network reads flat observations: observation must be "flat"')
        self.first = GridLayer(_CARD, width)
        self.table = nn.Linear(sum(_size(name) for name in _TABLE) + 1, width, bias=False)
        self.layers = nn.ModuleList(GridLayer(width, width) for _ in range(depth - 1))

    def forward(self, observations: Tensor) -> Tensor:
        """Return the features of flat observations, shape (n, 622)."""
        observations = observations.float()
        cards = self._cards(observations).reshape(-1, NUM_KINDS, NUM_KINDS, _CARD)
        table = [observations[:, SLICES[name]] / scale for name, scale in _TABLE.items()]
        table.append(observations[:, SLICES["players"]] / MAX_PLAYERS)
        features = torch.relu(self.first(cards) + self.table(torch.cat(table, 1))[:, None, None])
        for layer in self.layers:
            features = torch.relu(layer(features)) + features
        features = features.flatten(1, 2)
        return torch.cat([features.flatten(1), features.mean(1)], 1)

    def _cards(self, observations: Tensor) -> Tensor:
        """Return what is known of each card, shape (n, 49, inputs)."""
        pot, played, seen = (observations[:, SLICES[name]] for name in ("pot", "played_by", "seen"))
        columns = [observations[:, SLICES[name]] for name in _FLAGS]
        columns += [(pot == 1).float(), (pot == 2).float(), (pot > 2).float()]
        columns += [(played == 1 + seat).float() for seat in range(MAX_PLAYERS)]
        columns += [(seen > 0).float(), seen / HAND_SIZE]
        lacks = observations[:, SLICES["lacks"]].reshape(-1, _OTHERS, NUM_CARDS).transpose(1, 2)
        return torch.cat([torch.stack(columns, 2), lacks], 2)


class CardLogits(nn.Module):
    """The logits of the 49 cards, each from its own features."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width
        self.linear = nn.Linear(width, 1)

    def forward(self, features: Tensor) -> Tensor:
        """Return logits, shape (n, 49), from features of `GridExtractor`."""
        cards = features[:, : NUM_CARDS * self.width].reshape(-1, NUM_CARDS, self.width)
        logits: Tensor = self.linear(cards).squeeze(2)
        return logits


class GridValue(nn.Module):
    """The value, from the mean over the cards."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width
        self.hidden = nn.Linear(width, width)
        self.linear = nn.Linear(width, 1)

    def forward(self, features: Tensor) -> Tensor:
        """Return values, shape (n, 1), from features of `GridExtractor`."""
        mean = features[:, NUM_CARDS * self.width :]
        value: Tensor = self.linear(torch.relu(self.hidden(mean)))
        return value


class GridPolicy(HeadsPolicy):
    """MaskablePPO's policy with a `GridExtractor` and heads that share their weights over the cards too."""

    def _make_heads(self) -> Heads:
        width = self.features_dim // (NUM_CARDS + 1)
        logits, value = CardLogits(width), GridValue(width)
        return logits, value, ((logits.linear, 0.01), (value.linear, 1.0))
