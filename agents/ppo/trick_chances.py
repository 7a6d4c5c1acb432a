"""What every kind of card would do in a trick, for batches of observations: ratios, which small networks learn slowly.

`eck_env.eck.players.trick_chances` says the same of one card, compiled.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from eck_env.eck.cards import NUM_KINDS
from eck_env.eck.observation import SLICES
from eck_env.eck.rules import eck_answers, leader_wins

NUM_CHANCES = 4
"""For each kind: the chances that it takes the trick and that it gives it away if you lead it, over the cards that ECK
may turn up; and whether it takes or gives away the trick that ECK has led to, zeros if you are to lead."""

NUM_RESULTS = 3
"""What a card does in a trick: it takes it, gives it away, or ties."""


def trick_results(chances: Tensor, observations: Tensor) -> Tensor:
    """Return how likely each kind of card takes, gives away and ties the present trick, shape (n, 3, 38).

    Args:
        chances: What `TrickChances` says, shape (n, 4, 38).
        observations: The flat observations, shape (n, 259).
    """
    follows = observations[:, SLICES["lead"]].sum(1).reshape(-1, 1, 1) > 0
    results = torch.where(follows, chances[:, 2:], chances[:, :2])
    return torch.cat([results, 1 - results.sum(1, keepdim=True)], 1)


class TrickChances(nn.Module):
    """Flat observations to what each kind of card would do: shape (n, 4, 38)."""

    answers: Tensor
    led: Tensor
    followed: Tensor

    def __init__(self) -> None:
        super().__init__()
        kinds = range(NUM_KINDS)
        answers = np.array([[eck_answers(lead) >> other & 1 for lead in kinds] for other in kinds], np.float32)
        results = np.array([[leader_wins(lead, other) for lead in kinds] for other in kinds])
        tables = {
            "answers": answers,  # each by the card that ECK may turn up, and by yours
            "led": answers * np.stack([results > 0, results < 0]),
            "followed": np.stack([results.T < 0, results.T > 0]),  # by the card led, and by yours
        }
        for name, table in tables.items():
            self.register_buffer(name, torch.from_numpy(table.astype(np.float32)), persistent=False)

    def forward(self, observations: Tensor) -> Tensor:
        """Return the chances of flat observations, float, shape (n, 259)."""
        down, up, lead = (observations[:, SLICES[name]] for name in ("face_down", "face_up", "lead"))
        hidden, open_ = down @ self.answers, up @ self.answers
        total = torch.where(hidden > 0, hidden, open_)
        takes, gives = (torch.where(hidden > 0, down @ table, up @ table) / total.clamp(min=1) for table in self.led)
        takes = torch.where(total > 0, takes, 1.0)  # nothing can answer: the trick is yours
        return torch.stack([takes, gives, *(lead @ table for table in self.followed)], 1)
