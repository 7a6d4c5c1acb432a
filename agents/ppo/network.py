"""A network for ECK whose weights are shared over the colors, as a policy of MaskablePPO.

All 720 permutations of the colors leave the game unchanged. So each color is read by the same layers, and the colors
hear of one another only through the mean over them (Zaheer et al., "Deep sets", 2017): permuting the colors permutes
the logits and leaves the value, by construction.

With `chances` it is told what each kind of card would do in a trick: see `trick_chances.py`. Its logits then weigh
these chances by what it thinks that taking the trick and giving it away are worth, products that layers of sums learn
slowly; and its value has a layer of its own, for the best of several cards is no sum either.

What the trick cards and the counter mean for this round is known: the table of round values says what every count of
tricks would be worth at its end. The network looks that up and reads it, shifted to "k tricks more", instead of
learning it. With relative worths, what is at stake is read and learned in units of its own: see
`state_scales`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn

from agents.ppo.heads import Heads, HeadsPolicy
from agents.ppo.trick_chances import NUM_CHANCES, NUM_RESULTS, TrickChances, trick_results
from eck_env.eck.cards import BLACK, COLORS, HAND_SIZE, NUM_KINDS, NUM_SHAPES
from eck_env.eck.observation import SIZE, SLICES
from eck_env.eck.round_values import RoundValues, load_round_values
from eck_env.eck.rules import COUNTERS
from eck_env.eck.state import STATUSES
from eck_env.eck.variant import NUM_TRICK_CARDS, make_variant

NUM_COLORS = len(COLORS)
NUM_CIRCLES = NUM_KINDS - BLACK
_BAGS = ("hand", "lead", "face_down", "face_up")
_DECKS = slice(2, 4)
_ALL_BAGS = slice(SLICES["hand"].start, SLICES["face_up"].stop)  # they lie side by side, and so do these:
_NUMBERS = slice(SLICES["tricks_won"].start, SLICES["leader"].stop)  # tricks won, lost and tied, and who leads
_NUMBER_SCALES = (1 / HAND_SIZE, 1 / HAND_SIZE, 1.0, 1.0)
_NUM_COUNTS = HAND_SIZE + 1
_WORTH_SCALE = 4.0  # brings the differences of win chances to the size of the other inputs
_GLOBALS = NUM_CIRCLES * len(_BAGS) + 5
_READ_FIELDS = {"prospects": ("prospects",), "trick_cards": ("trick_cards", "counter", "target")}
"""The fields of the observation that a network reads which does not look up worths."""


def state_scales(table: RoundValues) -> NDArray[np.float64]:
    """Return how much is at stake in a round that starts from each state: shape (3, 128, 128), indexed as the table is.

    Divided by this, the rewards of a round are of one size, whether the game is nearly lost or nearly won. Each round
    keeps its best play, for all its rewards are divided by the same number; what changes is how much the rounds from
    different states weigh against one another. In a variant that is seldom won, few states would weigh at all.
    """
    deviations = table.end_worths().std(axis=-1)
    scales: NDArray[np.float64] = np.where(deviations > 0, _WORTH_SCALE * deviations, 1.0)  # NaN where unknown
    return scales


def worth_table(
    target: int, trick_cards: tuple[str, ...] | None, round_values: str | None, relative: bool = False
) -> tuple[Tensor, Tensor]:
    """Return what each count of tricks changes in the chance to win, for every state that a round can start from.

    Args:
        target: The variant's target.
        trick_cards: Its trick cards; None for all.
        round_values: The path of the table of round values; None for the shipped one.
        relative: Whether in units of `state_scales`.

    Returns:
        Shape (3 * 3**7, 14): the row of a state is `counter` times 3**7 plus, for card i, 3**i times 0 for colored, 1
        for gray, 2 for yours. And the units, shape (3 * 3**7,).
    """
    variant = make_variant(target, trick_cards)
    table = load_round_values(variant, round_values)
    scales = state_scales(table) if relative else np.ones_like(table.values)
    changes = (table.end_worths() - table.values[..., np.newaxis]) / scales[..., np.newaxis]
    codes = np.arange(3**NUM_TRICK_CARDS)[:, np.newaxis] // 3 ** np.arange(NUM_TRICK_CARDS) % 3
    bits = 1 << np.arange(NUM_TRICK_CARDS)
    gray, yours = ((codes == 1) * bits).sum(1), ((codes == 2) * bits).sum(1)
    rows = np.nan_to_num(changes[:, yours, gray]).reshape(-1, _NUM_COUNTS)
    units = scales[:, yours, gray].reshape(-1)
    return torch.tensor(rows * _WORTH_SCALE, dtype=torch.float32), torch.tensor(units, dtype=torch.float32)


class ColorSharedExtractor(BaseFeaturesExtractor):
    """Reads flat observations; returns the features of each color, then their mean: shape (n, 7 * width)."""

    worths: Tensor
    units: Tensor
    _digits: Tensor
    _number_scales: Tensor

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        target: int,
        trick_cards: tuple[str, ...] | None = None,
        round_values: str | None = None,
        reads: str = "relative_worths",
        width: int = 96,
        depth: int = 3,
        chances: bool = False,
    ) -> None:
        super().__init__(observation_space, (NUM_COLORS + 1) * width + (NUM_RESULTS * NUM_KINDS if chances else 0))
        if observation_space.shape != (SIZE,):
            raise ValueError('the color-shared network reads flat observations: observation must be "flat"')
        self.width = width
        self.relative = reads == "relative_worths"
        self._fields = _READ_FIELDS.get(reads, ())
        worths, units = worth_table(target, trick_cards, round_values, self.relative)
        self.register_buffer("worths", worths)
        self.register_buffer("units", units)
        self.register_buffer("_digits", _state_digits(), persistent=False)
        self.register_buffer("_number_scales", torch.tensor(_NUMBER_SCALES), persistent=False)
        self.chances = TrickChances() if chances else None
        known = NUM_CHANCES if chances else 0
        self.first = nn.Linear((len(_BAGS) + known) * NUM_SHAPES, width, bias=False)
        read = sum(SLICES[name].stop - SLICES[name].start for name in self._fields) or 2 * _NUM_COUNTS
        self.first_globals = nn.Linear(_GLOBALS + read + known * NUM_CIRCLES, width)
        self.own = nn.ModuleList(nn.Linear(width, width, bias=False) for _ in range(depth - 1))
        self.mean = nn.ModuleList(nn.Linear(width, width) for _ in range(depth - 1))

    def forward(self, observations: Tensor) -> Tensor:
        """Return the features of flat observations, shape (n, 259)."""
        observations = observations.float()
        bags = observations[:, _ALL_BAGS].reshape(-1, len(_BAGS), NUM_KINDS)
        table = self._globals(observations, bags[:, :, BLACK:].flatten(1))
        results = []
        if self.chances is not None:
            chances = self.chances(bags[:, _DECKS], bags[:, _BAGS.index("lead")])
            bags = torch.cat([bags, chances], 1)
            table = torch.cat([table, chances[:, :, BLACK:].flatten(1)], 1)
            results = [trick_results(chances, observations[:, SLICES["leader"]]).flatten(1)]
        colors = bags[:, :, :BLACK].reshape(-1, bags.shape[1], NUM_COLORS, NUM_SHAPES).transpose(1, 2).flatten(2)
        features = torch.relu(self.first(colors) + self.first_globals(table).unsqueeze(1))
        for own, mean in zip(self.own, self.mean, strict=True):
            features = torch.relu(own(features) + mean(features.mean(1)).unsqueeze(1))
        return torch.cat([features.flatten(1), features.mean(1), *results], 1)

    def _globals(self, observations: Tensor, circles: Tensor) -> Tensor:
        """Return what belongs to no color: circles, tricks, and what counts are good for."""
        numbers = observations[:, _NUMBERS]
        won = numbers[:, :1]
        to_come = HAND_SIZE - numbers[:, :2].sum(1, keepdim=True)
        table = [circles, numbers * self._number_scales, to_come / HAND_SIZE]
        if self._fields:
            return torch.cat([*table, *(observations[:, SLICES[name]] for name in self._fields)], 1)
        counts = torch.arange(_NUM_COUNTS, device=observations.device).unsqueeze(0)
        possible = (counts <= to_come).float()
        places = (counts + won).clamp(max=HAND_SIZE).long()
        worths = self.worths[self._rows(observations)].gather(1, places) * possible
        return torch.cat([*table, worths, possible], 1)

    def reward_units(self, observations: Tensor) -> Tensor:
        """Return what the values of flat observations are to be multiplied by, shape (n,)."""
        return self.units[self._rows(observations.float())]

    def _rows(self, observations: Tensor) -> Tensor:
        """Return which rows of the table of worths are those of the observations, shape (n,)."""
        state = observations[:, SLICES["trick_cards"].start : SLICES["counter"].stop]
        return (state @ self._digits).long()


def _state_digits() -> Tensor:
    """Return what each bit of trick cards and counter adds to the row of a state, shape (32,); see `worth_table`."""
    statuses = torch.tensor([{"gray": 1.0, "yours": 2.0}.get(name, 0.0) for name in STATUSES])
    cards = 3.0 ** torch.arange(NUM_TRICK_CARDS).unsqueeze(1) * statuses
    counters = 3.0**NUM_TRICK_CARDS * (torch.arange(len(COUNTERS)) % (len(COUNTERS) - 1))
    return torch.cat([cards.flatten(), counters])


class ColorLogits(nn.Module):
    """The logits of the 38 kinds: of a color's shapes from its features, of the circles from the mean.

    With `results` they have three parts: what the card is worth if it ties the trick, and what it is worth more if it
    takes the trick, or gives it away, times the chances of that.
    """

    def __init__(self, width: int, results: bool = False) -> None:
        super().__init__()
        self.width = width
        self.parts = 1 + NUM_RESULTS if results else 1
        self.shapes = nn.Linear(width, self.parts * NUM_SHAPES)
        self.circles = nn.Linear(width, self.parts * NUM_CIRCLES)

    def forward(self, features: Tensor) -> Tensor:
        """Return logits, shape (n, 38), from features of `ColorSharedExtractor`."""
        colors, mean, results = split_features(features, self.width)
        if self.parts == 1:
            return torch.cat([self.shapes(colors).flatten(1), self.circles(mean)], 1)
        shapes = self.shapes(colors).reshape(-1, NUM_COLORS, self.parts, NUM_SHAPES).transpose(1, 2).flatten(2)
        worths = torch.cat([shapes, self.circles(mean).reshape(-1, self.parts, NUM_CIRCLES)], 2)
        return worths[:, 0] + (worths[:, 1:] * results.reshape(-1, NUM_RESULTS, NUM_KINDS)).sum(1)


class MeanValue(nn.Module):
    """The value, from the mean over the colors."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width
        self.linear = nn.Linear(width, 1)

    def forward(self, features: Tensor) -> Tensor:
        """Return values, shape (n, 1), from features of `ColorSharedExtractor`."""
        _, mean, _ = split_features(features, self.width)
        value: Tensor = self.linear(mean)
        return value


class DeepValue(MeanValue):
    """Adds to the value what a layer more makes of the mean."""

    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.hidden = nn.Linear(width, width)
        self.last = nn.Linear(width, 1)

    def forward(self, features: Tensor) -> Tensor:
        """Return values, shape (n, 1), from features of `ColorSharedExtractor`."""
        _, mean, _ = split_features(features, self.width)
        value: Tensor = super().forward(features) + self.last(torch.relu(self.hidden(mean)))
        return value


def split_features(features: Tensor, width: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return the parts of what `ColorSharedExtractor` returns.

    Returns:
        The features of each color, shape (n, 6, width); their mean, shape (n, width); and what each kind of card would
        do in the trick, shape (n, 3 * 38), or (n, 0) where that is not told.
    """
    colors, mean, results = features.tensor_split([NUM_COLORS * width, (NUM_COLORS + 1) * width], dim=1)
    return colors.reshape(-1, NUM_COLORS, width), mean, results


class ColorSharedPolicy(HeadsPolicy):
    """MaskablePPO's policy with a `ColorSharedExtractor` and heads that share their weights over the colors too."""

    def _make_heads(self) -> Heads:
        extractor: Any = self.features_extractor
        width = extractor.width
        logits = ColorLogits(width, results=extractor.chances is not None)
        value = MeanValue(width) if extractor.chances is None else DeepValue(width)
        deep = [(value.last, 0.0)] if isinstance(value, DeepValue) else []
        return logits, value, [(logits.shapes, 0.01), (logits.circles, 0.01), (value.linear, 1.0), *deep]
