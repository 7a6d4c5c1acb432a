"""Recorded games that must never change: deals, observations, masks, infos, rewards, outcomes.

A change here breaks every published seed list and every exported policy. Record anew, where that is meant, with
`python tests/test_golden.py`.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from eck_env.base import records
from eck_env.gongor_whist.loading import load_state
from eck_env.gongor_whist.players import heuristic_action
from eck_helpers import ID_KEYWORDS, dealt
from game_helpers import ECK, GONGOR, KITS, NUMBERLESS, Kit
from gongor_helpers import choose

GAMES = 3


@dataclass(frozen=True)
class Golden:
    """What is recorded of a game.

    Attributes:
        kit: The game.
        file: Where it is.
        variants: Keywords and seed of each record.
        deal: Returns what is noted of a state at the start of a game.
        choose: Chooses a legal action: `(env, legal, number of the game, generator)`.
        told: The key of the infos that tell how a round or hand ended, what is noted of these, and under which name.
        legal_steps: After so many steps the last of the games goes on with an illegal action.
    """

    kit: Kit
    file: str
    variants: dict[str, tuple[dict[str, Any], int]]
    deal: Callable[[Mapping[str, Any]], dict[str, Any]]
    choose: Callable[[Any, list[int], int, Random], int]
    told: tuple[str, str, str]
    legal_steps: int = 20

    @property
    def path(self) -> Path:
        """The file."""
        return Path(__file__).parent / "golden" / self.file

    def recorded(self) -> dict[str, dict[str, Any]]:
        """Return the records by their names."""
        games: dict[str, dict[str, Any]] = json.loads(self.path.read_text("utf-8"))
        return games


def eck_deal(state: Mapping[str, Any]) -> dict[str, Any]:
    hand, deck = dealt(state)
    return {"hand": hand, "deck": deck}


def gongor_deal(state: Mapping[str, Any]) -> dict[str, Any]:
    aces = [*state["aces_seen"], *state["aces"]]
    return {**{key: state[key] for key in ("hand", "dummy", "rest")}, "aces": aces}


def gongor_choose(env: Any, legal: list[int], game: int, generator: Random) -> int:
    """Play well in the first game, and so that the Aces run out in the second; let the third last."""
    state = env.state_dict()
    if game > 0:
        return choose(legal, state, "twiddle" if game == 1 else "made", generator)
    return int(heuristic_action(records.record(load_state(state, env.settings.variant)[0], 0)))


def numberless_deal(state: Mapping[str, Any]) -> dict[str, Any]:
    return {key: state[key] for key in ("hands", "start", "turn")}


GOLDEN = {
    "eck": Golden(
        ECK,
        "eck_v0.json",
        {
            **{env_id: (keywords, 2**30 + number) for number, (env_id, keywords) in enumerate(ID_KEYWORDS.items())},
            "circle_follow same": ({"circle_follow": "same"}, 12),
            "one card": ({"target": 1, "trick_cards": ("13/0",)}, 2**63 - 1),
            "every card but one, low cards": ({"target": 6, "trick_cards": ("2", "4", "6", "8", "10", "12")}, 0),
        },
        eck_deal,
        lambda env, legal, game, generator: generator.choice(legal),
        ("round", "tricks_won", "rounds"),
    ),
    "gongor": Golden(
        GONGOR,
        "gongor_whist_v0.json",
        {
            **{
                f"{env_id}, aces {aces}": ({**keywords, "aces": aces}, 2**30 + number)
                for number, (env_id, keywords) in enumerate(GONGOR.ids.items())
                for aces in ("game", "pass")
            },
            "six hands": ({"scoring": "first_edition", "max_hands": 6}, 2**63 - 1),
            "points as rewards": ({"scoring": "two_columns", "reward": "score"}, 4),
            "a draw": ({"scoring": "two_columns"}, 6),
        },
        gongor_deal,
        gongor_choose,
        ("hand", "taken", "hands"),
    ),
    "numberless": Golden(
        NUMBERLESS,
        "numberless_alone_v0.json",
        {
            **{env_id: (keywords, 2**30 + number) for number, (env_id, keywords) in enumerate(NUMBERLESS.ids.items())},
            "seven, any start": ({"num_players": 7, "start_player": None}, 2**63 - 1),
            "dealt": ({"num_players": 3, "draft": False, "start_player": 2}, 1),
        },
        numberless_deal,
        lambda env, legal, game, generator: generator.choice(legal),
        ("rounds", "taker", "takers"),
        legal_steps=10,
    ),
}
ALL = [(game, name) for game, golden in GOLDEN.items() for name in golden.variants]

over_records = pytest.mark.parametrize(("game", "name"), ALL)


def play(golden: Golden, keywords: dict[str, Any], seed: int, actions: list[int] | None) -> dict[str, Any]:
    """Play some games of one seed, with these actions or random ones, and return the record of them.

    The last of the games ends with an illegal action after `legal_steps`, if it has not ended by then.
    """
    env, generator = golden.kit.env(**keywords), Random(seed)
    digest = hashlib.blake2b(digest_size=16)
    given = iter(actions or [])
    part, count, listed = golden.told
    record: dict[str, Any] = {"seed": seed, "actions": [], listed: [], "ends": [], "rewards": []}
    for game in range(GAMES):
        seen, info = env.reset(seed=seed if game == 0 else None)
        if game == 0:
            record.update(golden.deal(env.state_dict()))
        terminated, steps = False, 0
        while not terminated:
            mask = info["action_mask"]
            digest.update(np.asarray(seen).astype(np.int8).tobytes() + mask.tobytes())
            if actions is not None:
                action = next(given)
            elif game < GAMES - 1 or steps < golden.legal_steps:
                action = golden.choose(env, np.flatnonzero(mask).tolist(), game, generator)
            else:
                action = generator.choice(np.flatnonzero(mask == 0).tolist())
            record["actions"].append(action)
            seen, reward, terminated, _, info = env.step(action)
            told = {key: value for key, value in info.items() if key != "action_mask"}
            digest.update(json.dumps([told, reward], sort_keys=True).encode())
            steps += 1
            if part in info:
                ended = info[part] if isinstance(info[part], list) else [info[part]]
                record[listed] += [one[count] for one in ended]
        digest.update(np.asarray(seen).astype(np.int8).tobytes())
        record["rewards"].append(reward)
        record["ends"].append([info["outcome"], *info["reasons"]])
    return {**record, "digest": digest.hexdigest()}


@over_records
def test_golden_games(game: str, name: str) -> None:
    golden = GOLDEN[game]
    expected = golden.recorded()[name]
    assert play(golden, *golden.variants[name], expected["actions"]) == expected


@over_records
def test_golden_games_in_a_batch(game: str, name: str) -> None:
    """The vector environment, too, plays the first game of the record, in a slot of its own."""
    golden = GOLDEN[game]
    keywords, seed = golden.variants[name]
    expected = golden.recorded()[name]
    env = golden.kit.vector_env(3, **keywords)
    env.reset(seed=[5, seed, 6])
    deal = golden.deal(env.state_dict(1))
    assert deal == {key: expected[key] for key in deal}
    for action in expected["actions"]:
        actions = np.argmax(env.action_masks(), axis=1)
        actions[1] = action
        _, rewards, terminated, _, infos = env.step(actions)
        if terminated[1]:
            break
    assert rewards[1] == expected["rewards"][0]
    assert [infos["outcome"][1], *infos["reasons"][1]] == expected["ends"][0]


def ends_of(game: str) -> set[tuple[str, ...]]:
    return {tuple(end) for record in GOLDEN[game].recorded().values() for end in record["ends"]}


def test_golden_files() -> None:
    assert [golden.kit for golden in GOLDEN.values()] == list(KITS)
    for golden in GOLDEN.values():
        assert golden.recorded().keys() == golden.variants.keys()
        assert all(env_id in " ".join(golden.variants) for env_id in golden.kit.ids)
    assert ends_of("eck") >= {("win",), ("loss", "counter"), ("loss", "eck_card"), ("loss", "illegal_action")}
    assert ends_of("numberless") >= {("win",), ("shared win",), ("loss", "more_cards"), ("loss", "illegal_action")}
    assert ends_of("gongor") >= {
        ("win",), ("draw",), ("loss", "missed_bid"), ("loss", "points"), ("loss", "max_hands"),
        ("loss", "illegal_action"),
    }  # fmt: skip


def record_anew(golden: Golden) -> None:
    """Write the file, all of it or nothing, a record a line."""
    played = {name: play(golden, *variant, None) for name, variant in golden.variants.items()}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(record)}" for name, record in played.items())
    golden.path.parent.mkdir(exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=golden.path.parent, delete=False, encoding="utf-8") as file:
        file.write(f"{{\n{lines}\n}}\n")
    os.chmod(file.name, 0o644)  # noqa: PTH101
    Path(file.name).replace(golden.path)


if __name__ == "__main__":
    for every in GOLDEN.values():
        record_anew(every)
