"""What the tests that run over every registered environment share: what there is to know of each game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import pytest

from eck_env import EckEnv, EckVectorEnv, GongorEnv, GongorVectorEnv, NumberlessEnv, NumberlessVectorEnv
from eck_env.base.env import GameEnv
from eck_helpers import ID_KEYWORDS, made_up_values, plain
from gongor_helpers import made_up_values as made_up_gongor_values
from reference.eck import KINDS
from reference.gongor_whist import ACTIONS
from reference.numberless import PACK


class FirstLegal:
    """An agent for other seats: it chooses the first legal action."""

    def act(self, observations: Any, action_masks: Any, keys: Any) -> Any:
        """Choose an action in each game."""
        return np.argmax(action_masks, axis=1)


@dataclass(frozen=True)
class Kit:
    """A game: its classes, its ids with their keywords, the sizes of its arrays, and other keywords to try.

    `told` are the keys of an info that tell of tricks and of what they are part of, `counted` the key of a state that
    numbers the latter. `hand` is the key of a state that tells of the cards dealt.
    """

    name: str
    env: Any
    vector_env: Any
    ids: dict[str, dict[str, Any]]
    size: int
    actions: Sequence[str]
    other: dict[str, Any]
    variants: tuple[dict[str, Any], ...]
    options: dict[str, Any]
    told: tuple[str, str]
    counted: str
    hand: str = "hand"

    @property
    def num_actions(self) -> int:
        """How many actions there are."""
        return len(self.actions)


ECK = Kit(
    "eck",
    EckEnv,
    EckVectorEnv,
    ID_KEYWORDS,
    259,
    KINDS,
    {
        "target": 2,
        "trick_cards": ("2", "6", "13/0"),
        "circle_follow": "same",
        "observation": "dict",
        "dtype": "float32",
        "reward": "round_value",
        "round_values": made_up_values(2, ("2", "6", "13/0")),
    },
    (
        {},
        {"target": 2, "observation": "dict", "dtype": "float32"},
        {"episode": "round", "round_values": made_up_values()},
    ),
    {"counter": "2", "trick_cards": {"4": "gray"}},
    ("trick", "round"),
    "round",
)
GONGOR = Kit(
    "gongor",
    GongorEnv,
    GongorVectorEnv,
    {
        "GongorWhist-v0": {"scoring": "shut_the_box"},
        "GongorWhistColumns-v0": {"scoring": "two_columns"},
        "GongorWhistFirst-v0": {"scoring": "first_edition"},
    },
    166,
    ACTIONS,
    {"scoring": "two_columns", "aces": "pass", "observation": "dict", "dtype": "float32", "reward": "score"},
    (
        {},
        {"scoring": "two_columns", "observation": "dict", "dtype": "float32"},
        {"scoring": "first_edition", "aces": "pass", "max_hands": 3},
        {"episode": "round", "round_values": made_up_gongor_values()},
    ),
    {"hand": ["2MK", "9WY", "CL", "5SW", "8MS", "3SK", "4YK"], "ace_orders": [["AY", "AM", "AS", "AW", "AL", "AK"]]},
    ("trick", "hand"),
    "hand_number",
)
NUMBERLESS = Kit(
    "numberless",
    NumberlessEnv,
    NumberlessVectorEnv,
    {"Numberless-v0": {"num_players": 4}},
    622,
    PACK,
    {
        "num_players": 5,
        "draft": False,
        "start_player": 2,
        "opponents": ["random", FirstLegal(), FirstLegal(), "random"],
        "observation": "dict",
        "dtype": "float32",
    },
    (
        {},
        {"num_players": 3, "start_player": None, "observation": "dict", "dtype": "float32"},
        {"num_players": 7, "draft": False, "start_player": 4, "opponents": FirstLegal()},
    ),
    {"hands": [["AR", "BO", "CY", "DG", "EB", "FP", "GW"], None, None, None], "start_player": 2},
    ("plays", "rounds"),
    "round",
    "hands",
)
KITS = (ECK, GONGOR, NUMBERLESS)
IDS = tuple(env_id for kit in KITS for env_id in kit.ids)
KIT_OF = {env_id: kit for kit in KITS for env_id in kit.ids}

over_variants = pytest.mark.parametrize(
    ("kit", "number"),
    [pytest.param(kit, number, id=f"{kit.name}-{number}") for kit in KITS for number in range(len(kit.variants))],
)
over_games = pytest.mark.parametrize("kit", KITS, ids=lambda kit: kit.name)


def play_on(env: GameEnv, generator: Random, steps: int = 10_000) -> list[Any]:
    """Play at random until the game ends or so many steps are done, and return all that the steps returned."""
    records: list[Any] = []
    masks = env.action_masks()
    for _ in range(steps):
        action = generator.choice(np.flatnonzero(masks).tolist())
        observation, reward, terminated, truncated, info = env.step(action)
        records.append((plain(observation), reward, terminated, truncated, plain(info), env.state_dict()))
        if terminated:
            break
        masks = env.action_masks()
    return records
