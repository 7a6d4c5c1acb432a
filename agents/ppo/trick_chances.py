"""What every kind of card would do in a trick, for batches of observations: ratios, which small networks learn slowly.

`eck_env.eck.players.trick_chances` says the same of one card, compiled.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from eck_env.eck.cards import NUM_KINDS
from eck_env.eck.rules import eck_answers, leader_wins

NUM_CHANCES = 4
"""For each kind: the chances that it takes the trick and that it gives it away if you lead it, over the cards that ECK
may turn up; and whether it takes or gives away the trick that ECK has led to, zeros if you are to lead."""

NUM_RESULTS = 2
"""What a card may do in the present trick, beside tying it: take it, or give it away."""


class TrickChances(nn.Module):
    """What each kind of card would do, by the cards that are face down, face up, and led."""

    led: Tensor
    followed: Tensor

    def __init__(self) -> None:
        super().__init__()
        kinds = range(NUM_KINDS)
        answers = np.array([[eck_answers(lead) >> other & 1 for lead in kinds] for other in kinds])
        results = np.array([[leader_wins(lead, other) for lead in kinds] for other in kinds])
        tables = {  # a row for each card of ECK's, a column for each of yours
            "led": (answers, answers * (results > 0), answers * (results < 0)),
            "followed": (results.T < 0, results.T > 0),
        }
        for name, table in tables.items():
            self.register_buffer(name, torch.tensor(np.hstack(table), dtype=torch.float32), persistent=False)

    def forward(self, decks: Tensor, lead: Tensor) -> Tensor:
        """Return the chances of each kind, shape (n, 4, 38).

        Args:
            decks: The cards face down and those face up, counts a kind, shape (n, 2, 38).
            lead: The card that ECK led, shape (n, 38).
        """
        counts = (decks @ self.led).reshape(-1, 2, NUM_RESULTS + 1, NUM_KINDS)
        down, up = counts.unbind(1)
        total, *results = torch.where(down[:, :1] > 0, down, up).tensor_split(NUM_RESULTS + 1, 1)
        takes, gives = (result / total.clamp(min=1) for result in results)
        takes = takes + (total == 0)  # nothing can answer: the trick is yours
        return torch.cat([takes, gives, (lead @ self.followed).reshape(-1, NUM_RESULTS, NUM_KINDS)], 1)


def trick_results(chances: Tensor, follows: Tensor) -> Tensor:
    """Return how likely each kind of card takes the present trick, and gives it away, shape (n, 2, 38).

    Args:
        chances: What `TrickChances` says, shape (n, 4, 38).
        follows: 1 where ECK has led, else 0, shape (n, 1).
    """
    return torch.where(follows.unsqueeze(2) > 0, chances[:, NUM_RESULTS:], chances[:, :NUM_RESULTS])
