"""`python -m eck_env`: the version, the ids, and a short game, to see that everything works."""

from __future__ import annotations

import random
import sys
from dataclasses import asdict

import gymnasium as gym

import eck_env
from eck_env.registry import REGISTRY, find_variant

SEED = 5
ENV_ID = "EckBeginner-v0"


def main() -> None:
    """Print them."""
    print(f"eck_env {eck_env.__version__}, Python {sys.version.split()[0]}, Gymnasium {gym.__version__}")
    for env_id in REGISTRY:
        keywords = asdict(find_variant(env_id)).items()
        print(f"  {env_id}: {', '.join(f'{name}={value!r}' for name, value in keywords)}")
    print(f"\n{ENV_ID}, seed {SEED}, legal cards at random:\n")
    _play()


def _play() -> None:
    """Play a game and print its first table, a line for each round, and its last table."""
    env = gym.make(ENV_ID, render_mode="ansi")
    _, info = env.reset(seed=SEED)
    print(env.render())
    choice = random.Random(SEED)
    over, number = False, 0
    while not over:
        legal = [kind for kind, allowed in enumerate(info["action_mask"]) if allowed]
        _, _, over, _, info = env.step(choice.choice(legal))
        if "round" in info:
            number += 1
            told = info["round"]
            collected = f"collected {told['collected']}" if told["collected"] else f"no card, counter {told['counter']}"
            print(f"round {number}: {told['tricks_won']} tricks, {collected}")
    print(f"\n{env.render()}\n\n{info['outcome']}")


if __name__ == "__main__":
    main()
