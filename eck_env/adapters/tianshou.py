"""ECK for Tianshou: an environment with the mask where Tianshou looks for it, and modules for policies.

from eck_env.adapters.tianshou import MaskedActor, ObservationOnly, make_tianshou_env

envs = DummyVectorEnv([lambda: make_tianshou_env(target=4)] * 16)
actor = MaskedActor(Net(state_shape=259, action_shape=38, hidden_sizes=(256,)))

The DQN family reads the mask by itself; policies that draw actions from logits need `MaskedActor`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eck_env.adapters.masked_observation import ILLEGAL_LOGIT, MaskedObservation
from eck_env.eck.cards import NUM_KINDS
from eck_env.eck.env import EckEnv
from eck_env.needed import needed

with needed("tianshou"):
    import torch
    from tianshou.utils.net.common import AbstractDiscreteActor, ModuleWithVectorOutput
    from torch import Tensor, nn


def make_tianshou_env(**keywords: Any) -> MaskedObservation:
    """Return a game whose observations have the keys `obs` and `mask`, and whose infos are empty.

    Tianshou stores infos in arrays, so that it takes none that differ from step to step.

    Args:
        keywords: Those of `EckEnv`.

    Raises:
        ValueError: If a keyword has a value that is not allowed.
        TypeError: If a keyword is unknown or has the wrong type.
    """
    return MaskedObservation(EckEnv(**keywords), "obs", "mask", np.bool_, keep_info=False)


class MaskedActor(AbstractDiscreteActor):  # type: ignore[misc]
    """Puts the mask on the logits of a network.

    Args:
        network: Tianshou's `Net` or a like module: gives logits, shape (n, 38), and a state for flat observations.
    """

    def __init__(self, network: nn.Module) -> None:
        super().__init__(NUM_KINDS)
        self.network = network

    def get_preprocess_net(self) -> ModuleWithVectorOutput:
        """Return the network, as Tianshou's actors must."""
        return ModuleWithVectorOutput.from_module(self.network, NUM_KINDS)

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> tuple[Tensor, Any]:
        """Return the logits, those of illegal actions at -1e8, and the network's state."""
        logits, state = self.network(obs.obs, state=state, info=info)
        masks = torch.as_tensor(obs.mask, dtype=torch.bool, device=logits.device)
        return logits.masked_fill(~masks, ILLEGAL_LOGIT), state


class ObservationOnly(nn.Module):
    """Gives a module, such as a critic, the observations without their masks.

    Args:
        module: Takes flat observations.
    """

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, obs: Any, *args: Any, **keywords: Any) -> Any:
        """Return what the module says of the observations."""
        return self.module(obs.obs, *args, **keywords)
