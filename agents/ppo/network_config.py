"""The section `policy` of a configuration: the networks there are, and their sizes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from agents.ppo.sections import Section, Whole


class MlpConfig(Section):
    """A plain network: two stacks of dense layers, one for the policy and one for the value."""

    network: Literal["mlp"]
    """The kind of network."""
    hidden: Annotated[list[Annotated[Whole, Field(ge=1)]], Field(min_length=1)] = Field(default=[128, 128])
    """The widths of the hidden layers, for the policy and for the value alike."""
    activation: Literal["tanh", "relu"] = "tanh"
    """The function between the layers."""


class ColorSharedConfig(Section):
    """A small network that reads each color with the same weights; see `agents/ppo/network.py`."""

    network: Literal["color_shared"]
    """The kind of network."""
    width: Annotated[Whole, Field(ge=1)] = 96
    """Numbers a color in each layer."""
    depth: Annotated[Whole, Field(ge=1)] = 3
    """Layers."""
    chances: bool = False
    """Whether it is told the chances of each kind of card in a trick, which its logits then weigh by what taking the
    trick and giving it away are worth, and has a layer more for the value; see `agents/ppo/network.py`."""
    reads: Literal["relative_worths", "worths", "prospects", "trick_cards"] = "relative_worths"
    """How it knows what the counts of tricks are good for. ``worths``: it looks up what each changes in the chance to
    win; ``relative_worths``: these, and the rewards of PPO, divided by what is at stake in the round, for episodes of a
    round whose reward is `round_value`; ``prospects``: by those of the observation, which say what each does;
    ``trick_cards``: by the trick cards and the counter alone."""

    @property
    def relative(self) -> bool:
        """Whether the rewards are divided by what is at stake in the round."""
        return self.reads == "relative_worths"


class TrumpConfig(Section):
    """A network for Gongor Whist that is told what the rules say; see `agents/ppo/gongor_network.py`."""

    network: Literal["trump"]
    """The kind of network."""
    width: Annotated[Whole, Field(ge=1)] = 128
    """Numbers in each layer of what reads the whole."""
    depth: Annotated[Whole, Field(ge=1)] = 2
    """Its layers."""
    relative: bool = True
    """Whether the rewards are divided by what is at stake in the hand, for episodes of a hand whose reward is
    `round_value`."""


class GridConfig(Section):
    """A network for the game without numbers that reads each card with the same weights; see `grid_network.py`."""

    network: Literal["grid"]
    """The kind of network."""
    width: Annotated[Whole, Field(ge=1)] = 32
    """Numbers a card in each layer."""
    depth: Annotated[Whole, Field(ge=1)] = 3
    """Layers."""


NETWORKS = ("mlp", "color_shared", "trump", "grid")
PolicyConfig = Annotated[MlpConfig | ColorSharedConfig | TrumpConfig | GridConfig, Field(discriminator="network")]
