"""Recorded games without numbers, by all seats, that must never change: deals, observations, masks, infos, rewards.

Record anew, where that is meant, with `python tests/test_numberless_golden.py`.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from eck_env.files import write_text
from eck_env.numberless.aec import NumberlessAECEnv
from numberless_helpers import VARIANTS, names

FILE = Path(__file__).parent / "golden" / "numberless_v0.json"
GAMES = 2


def play(players: int, draft: bool, seed: int, actions: list[int] | None) -> dict[str, Any]:
    """Play some games of one seed by all seats, with these actions or random ones, and return the record of them."""
    env, generator = NumberlessAECEnv(players, draft, None), Random(seed)
    digest = hashlib.blake2b(digest_size=16)
    given = iter(actions or [])
    record: dict[str, Any] = {"seed": seed, "hands": [], "actions": [], "starts": [], "rewards": []}
    for game in range(GAMES):
        env.reset(seed=seed if game == 0 else None)
        record["hands"].append(env.state_dict()["hands"])
        record["starts"].append(env.state_dict()["start"])
        while not any(env.terminations.values()):
            for agent in env.possible_agents:
                digest.update(env.observe(agent)["observation"].tobytes())
            mask = env.observe(env.agent_selection)["action_mask"]
            digest.update(mask.tobytes())
            action = generator.choice(np.flatnonzero(mask).tolist()) if actions is None else next(given)
            record["actions"].append(action)
            env.step(action)
            told = {key: value for key, value in env.infos["player_0"].items() if key != "action_mask"}
            digest.update(json.dumps([told, list(env.rewards.values())], sort_keys=True).encode())
        digest.update(json.dumps(env.state_dict(), sort_keys=True).encode())
        record["rewards"].append([round(reward, 12) for reward in env.rewards.values()])
    return {**record, "digest": digest.hexdigest()}


def recorded() -> dict[str, Any]:
    games: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
    return games


def key(players: int, draft: bool) -> str:
    return f"{players} players, {'draft' if draft else 'dealt'}"


@pytest.mark.parametrize(("players", "draft"), VARIANTS)
def test_golden_games(players: int, draft: bool) -> None:
    expected = recorded()[key(players, draft)]
    assert play(players, draft, expected["seed"], expected["actions"]) == expected


def test_golden_file() -> None:
    assert recorded().keys() == {key(*variant) for variant in VARIANTS}
    assert names([0]) == ["AR"]


def record_anew() -> None:
    """Write the file, a record a line."""
    records: dict[str, Any] = {
        key(players, draft): play(players, draft, 2**30 + number, None)
        for number, (players, draft) in enumerate(VARIANTS)
    }
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(record)}" for name, record in records.items())
    write_text(FILE, f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    record_anew()
