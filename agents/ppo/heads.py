"""A policy of MaskablePPO with heads of its own over an extractor of features."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import nn

Heads = tuple[nn.Module, nn.Module, Iterable[tuple[nn.Linear, float]]]
"""What gives logits and values of features, and how large the weights of their last layers are at the start."""


class HeadsPolicy(MaskableActorCriticPolicy):
    """Has the heads that a subclass makes in place of Stable-Baselines3's."""

    def _make_heads(self) -> Heads:
        raise NotImplementedError

    def _build(self, lr_schedule: Any) -> None:
        self.net_arch = []
        super()._build(lr_schedule)
        logits, value, last = self._make_heads()
        for linear, gain in last:
            nn.init.orthogonal_(linear.weight, gain)
            nn.init.zeros_(linear.bias)
        self.action_net = logits
        self.value_net = value  # type: ignore[assignment]
        make_optimizer: Any = self.optimizer_class
        self.optimizer = make_optimizer(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)
