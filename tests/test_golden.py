"""Recorded games that must never change: deals, observations, masks, infos, rewards, outcomes.

A change here breaks every published seed list and every exported policy. Record anew, where that is meant, with
`python tests/test_golden.py`.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from eck_env import EckEnv, EckVectorEnv
from eck_helpers import ID_KEYWORDS, dealt

FILE = Path(__file__).parent / "golden" / "eck_v0.json"
GAMES = 3
VARIANTS: dict[str, tuple[dict[str, Any], int]] = {
    **{env_id: (keywords, 2**30 + number) for number, (env_id, keywords) in enumerate(ID_KEYWORDS.items())},
    "circle_follow same": ({"circle_follow": "same"}, 12),
    "one card": ({"target": 1, "trick_cards": ("13/0",)}, 2**63 - 1),
    "every card but one, low cards": ({"target": 6, "trick_cards": ("2", "4", "6", "8", "10", "12")}, 0),
}


def play(keywords: dict[str, Any], seed: int, actions: list[int] | None) -> dict[str, Any]:
    """Play some games of one seed, with these actions or random ones, and return the record of them.

    The last of the games ends with an illegal action after 20 steps, if it has not ended by then.
    """
    env, generator = EckEnv(**keywords), Random(seed)
    digest = hashlib.blake2b(digest_size=16)
    given = iter(actions or [])
    record: dict[str, Any] = {"seed": seed, "actions": [], "rounds": [], "ends": [], "rewards": []}
    for game in range(GAMES):
        seen, info = env.reset(seed=seed if game == 0 else None)
        if game == 0:
            record["hand"], record["deck"] = dealt(env.state_dict())
        terminated, steps = False, 0
        while not terminated:
            mask = info["action_mask"]
            digest.update(np.asarray(seen).astype(np.int8).tobytes() + mask.tobytes())
            legal = np.flatnonzero(mask == (game < GAMES - 1 or steps < 20)).tolist()
            action = generator.choice(legal) if actions is None else next(given)
            record["actions"].append(action)
            seen, reward, terminated, _, info = env.step(action)
            told = {key: value for key, value in info.items() if key != "action_mask"}
            digest.update(json.dumps([told, reward], sort_keys=True).encode())
            steps += 1
            if "round" in info:
                record["rounds"].append(info["round"]["tricks_won"])
        digest.update(np.asarray(seen).astype(np.int8).tobytes())
        record["rewards"].append(reward)
        record["ends"].append([info["outcome"], *info["reasons"]])
    return {**record, "digest": digest.hexdigest()}


def recorded() -> dict[str, dict[str, Any]]:
    games: dict[str, dict[str, Any]] = json.loads(FILE.read_text("utf-8"))
    return games


@pytest.mark.parametrize("name", VARIANTS)
def test_golden_games(name: str) -> None:
    keywords, seed = VARIANTS[name]
    expected = recorded()[name]
    assert play(keywords, seed, expected["actions"]) == expected


@pytest.mark.parametrize("name", VARIANTS)
def test_golden_games_in_a_batch(name: str) -> None:
    """The vector environment, too, plays the first game of the record, in a slot of its own."""
    keywords, seed = VARIANTS[name]
    expected = recorded()[name]
    env = EckVectorEnv(3, **keywords)
    env.reset(seed=[5, seed, 6])
    assert dealt(env.state_dict(1)) == (expected["hand"], expected["deck"])
    for action in expected["actions"]:
        actions = np.argmax(env.action_masks(), axis=1)
        actions[1] = action
        _, rewards, terminated, _, infos = env.step(actions)
        if terminated[1]:
            break
    assert rewards[1] == expected["rewards"][0]
    assert [infos["outcome"][1], *infos["reasons"][1]] == expected["ends"][0]


def test_golden_file() -> None:
    assert recorded().keys() == VARIANTS.keys()
    ends = [end for record in recorded().values() for end in record["ends"]]
    assert {tuple(end) for end in ends} >= {("loss", "counter"), ("loss", "eck_card"), ("loss", "illegal_action")}
    assert ["win"] in ends


def record_anew() -> None:
    """Write the file, all of it or nothing, a record a line."""
    records = {name: play(keywords, seed, None) for name, (keywords, seed) in VARIANTS.items()}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(record)}" for name, record in records.items())
    FILE.parent.mkdir(exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=FILE.parent, delete=False, encoding="utf-8") as file:
        file.write(f"{{\n{lines}\n}}\n")
    os.chmod(file.name, 0o644)  # noqa: PTH101
    Path(file.name).replace(FILE)


if __name__ == "__main__":
    record_anew()
