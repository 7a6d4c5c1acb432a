"""Masked PPO in one file of plain torch, in CleanRL's manner: to be read from top to bottom, and changed.

python scripts/examples/cleanrl_style_ppo.py
python scripts/examples/cleanrl_style_ppo.py --total_steps 500000 --learning_rate 1e-3
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from torch import Tensor, nn
from torch.distributions import Categorical

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from eck_env.eck.cards import BLACK, COLORS, HAND_SIZE, NUM_KINDS, NUM_SHAPES
from eck_env.eck.observation import SIZE, SLICES
from eck_env.eck.round_values import load_round_values
from eck_env.eck.state import STATUSES
from eck_env.eck.variant import make_variant
from scripts.examples.judging import ENV_ID, ROUNDS, conclude, judge, positive

BAGS = "hand", "lead", "face_down", "face_up"
TRICKS = "tricks_won", "tricks_lost", "tied", "leader"


@dataclass
class Options:
    """Everything that can be set on the command line."""

    seed: int = 1
    total_steps: int = 3_000_000  # decisions, over all games
    num_envs: int = 1024  # games at the same time
    num_steps: int = 26  # decisions in each game between updates: two rounds
    epochs: int = 4  # passes over what was collected
    minibatch_size: int = 4096
    learning_rate: float = 2e-3  # at the start; falls to 0 in a straight line
    entropy_weight: float = 0.005  # likewise
    value_weight: float = 2.0
    gamma: float = 1.0  # no discounting: a round has 13 decisions, and its reward comes at its end
    gae_lambda: float = 0.95
    clip: float = 0.2
    max_grad_norm: float = 0.5
    width: int = 64  # of the network
    judge_every: int = 500_000  # decisions between evaluations


def parse_options() -> Options:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser()
    for field in fields(Options):
        kind = positive if isinstance(field.default, int) and field.name != "seed" else type(field.default)
        parser.add_argument(f"--{field.name}", type=kind, default=field.default)
    return Options(**vars(parser.parse_args()))


class Policy(nn.Module):
    """Logits and value; the layers that read a color are the same for all colors, as colors are interchangeable.

    A color hears of the others through the mean over them. What belongs to no color is read once: the circles, the
    tricks, and what each number of tricks more would change in the chance to win, by the table of round values. Those
    changes, and the rewards, are divided by what is at stake in the round, so that all rounds weigh the same.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        table = load_round_values(make_variant(ROUNDS["target"]))
        changes = np.nan_to_num(table.end_worths() - table.values[..., np.newaxis])
        self.changes = torch.tensor(changes, dtype=torch.float32)  # by counter, your cards, gray cards; tricks
        self.stakes = self.changes.std(-1).clamp(min=1e-6)
        bags, circles = len(BAGS), NUM_KINDS - BLACK
        self.first = layer(bags * NUM_SHAPES, width)
        self.first_table = layer(bags * circles + 4 + 2 * (HAND_SIZE + 1), width)
        self.own = nn.ModuleList(layer(width, width) for _ in range(2))
        self.mean = nn.ModuleList(layer(width, width) for _ in range(2))
        self.shapes, self.circles = layer(width, NUM_SHAPES, 0.01), layer(width, circles, 0.01)
        self.value = layer(width, 1, 1.0)

    def forward(self, observations: Tensor, masks: Tensor) -> tuple[Categorical, Tensor]:
        """Return the distribution over the legal actions and the value, shape (n,)."""
        bags = torch.stack([observations[:, SLICES[name]] for name in BAGS], 1)
        colors = bags[:, :, :BLACK].reshape(-1, len(BAGS), len(COLORS), NUM_SHAPES).transpose(1, 2).flatten(2)
        table = torch.cat([bags[:, :, BLACK:].flatten(1), self.tricks(observations)], 1)
        features = torch.relu(self.first(colors) + self.first_table(table).unsqueeze(1))
        for own, mean in zip(self.own, self.mean, strict=True):
            features = torch.relu(own(features) + mean(features.mean(1)).unsqueeze(1))
        average = features.mean(1)
        logits = torch.cat([self.shapes(features).flatten(1), self.circles(average)], 1)
        logits = logits.masked_fill(~masks, -1e8)  # a chance of 0, and still a gradient and an entropy
        return Categorical(logits=logits, validate_args=False), self.value(average).squeeze(1)

    def tricks(self, observations: Tensor) -> Tensor:
        """Return the tricks, which counts of tricks more are possible, and what each changes in the chance to win."""
        won, lost, tied, leader = (observations[:, SLICES[name]] for name in TRICKS)
        counts = torch.arange(HAND_SIZE + 1)
        taken = (counts + won.long()).clamp(max=HAND_SIZE)
        possible = (counts <= HAND_SIZE - won - lost).float()
        state = self.state(observations)
        worths = (self.changes[state] / self.stakes[state].unsqueeze(1)).gather(1, taken) * possible
        return torch.cat([won / HAND_SIZE, lost / HAND_SIZE, tied, leader, possible, worths], 1)

    def state(self, observations: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return where the rounds stand in the table: counter, your cards, gray cards, each of shape (n,)."""
        cards = observations[:, SLICES["trick_cards"]].long().reshape(len(observations), -1, len(STATUSES))
        bits = 2 ** torch.arange(cards.shape[1])
        yours, gray = ((cards[:, :, STATUSES.index(name)] * bits).sum(1) for name in ("yours", "gray"))
        counter = observations[:, SLICES["counter"]].argmax(1)
        return counter.clamp(max=len(self.changes) - 1), yours, gray  # the observation after a lost game included


def layer(inputs: int, outputs: int, gain: float = 2**0.5) -> nn.Linear:
    """Return a linear layer with orthogonal weights."""
    linear = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(linear.weight, gain)
    nn.init.zeros_(linear.bias)
    return linear


options = parse_options()
torch.manual_seed(options.seed)
torch.set_num_threads(1)
# An illegal card would raise an error: that the training ends shows that there was none.
envs = gym.make_vec(
    ENV_ID, num_envs=options.num_envs, vectorization_mode="vector_entry_point", autoreset_mode="SameStep",
    dtype="float32", illegal_action="raise", **ROUNDS,
)  # fmt: skip
policy = Policy(options.width)
optimizer = torch.optim.Adam(policy.parameters(), lr=options.learning_rate, eps=1e-5)


def choose(observations: Any, masks: Any) -> Any:
    """Return the likeliest actions."""
    with torch.no_grad():
        return policy(torch.tensor(observations, dtype=torch.float32), torch.tensor(masks))[0].probs.argmax(1).numpy()


start = judge("start", choose)
end = start
began = time.monotonic()

shape = (options.num_steps, options.num_envs)
observations, masks = torch.zeros((*shape, SIZE)), torch.zeros((*shape, NUM_KINDS), dtype=torch.bool)
actions, log_probs = torch.zeros(shape, dtype=torch.long), torch.zeros(shape)
rewards, ends, values = torch.zeros(shape), torch.zeros(shape), torch.zeros(shape)

observation, info = envs.reset(seed=options.seed)
updates = max(1, options.total_steps // (options.num_steps * options.num_envs))
steps = 0
for update in range(updates):
    left = 1 - update / updates
    optimizer.param_groups[0]["lr"] = options.learning_rate * left

    # Play on in all games.
    for step in range(options.num_steps):
        observations[step] = torch.from_numpy(observation)
        masks[step] = torch.from_numpy(info["action_mask"]).bool()
        with torch.no_grad():
            distribution, values[step] = policy(observations[step], masks[step])
            actions[step] = distribution.sample()
            log_probs[step] = distribution.log_prob(actions[step])
        # With the autoreset mode SameStep the observation after an end belongs to the next round.
        observation, reward, terminated, _, info = envs.step(actions[step].numpy())
        rewards[step] = torch.from_numpy(reward) / (4 * policy.stakes[policy.state(observations[step])])
        ends[step] = torch.from_numpy(terminated)
    steps += options.num_steps * options.num_envs

    # Advantages, from the last decision back to the first (generalized advantage estimation).
    with torch.no_grad():
        _, next_value = policy(torch.from_numpy(observation), torch.from_numpy(info["action_mask"]).bool())
    advantages, advantage = torch.zeros(shape), torch.zeros(options.num_envs)
    for step in reversed(range(options.num_steps)):
        goes_on = 1 - ends[step]
        error = rewards[step] + options.gamma * next_value * goes_on - values[step]
        advantage = error + options.gamma * options.gae_lambda * goes_on * advantage
        advantages[step], next_value = advantage, values[step]
    targets = advantages + values

    # Improve the policy and the value on what was collected.
    batch = [part.flatten(0, 1) for part in (observations, masks, actions, log_probs, advantages, targets)]
    for _ in range(options.epochs):
        for chosen in torch.split(torch.randperm(len(batch[0])), options.minibatch_size):
            seen, legal, action, old_log_prob, gain, target = (part[chosen] for part in batch)
            distribution, value = policy(seen, legal)
            ratio = (distribution.log_prob(action) - old_log_prob).exp()
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            policy_loss = -torch.min(gain * ratio, gain * ratio.clamp(1 - options.clip, 1 + options.clip)).mean()
            value_loss = nn.functional.mse_loss(value, target)
            entropy = distribution.entropy().mean()
            loss = policy_loss + options.value_weight * value_loss - options.entropy_weight * left * entropy
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), options.max_grad_norm)
            optimizer.step()

    if steps // options.judge_every > (steps - len(batch[0])) // options.judge_every or update == updates - 1:
        end = judge(f"{steps:,} steps, {time.monotonic() - began:.0f} s", choose)

conclude(start, end)
