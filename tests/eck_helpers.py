"""What several of the tests of ECK share: variants, random play, and the engine's cards for the slow reference."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eck_env import RoundValues
from eck_env.batch import random_key, shuffle
from reference.eck import ALL, CARDS, KINDS, by_kind, kind

IDS = ("Eck-v0", "EckBeginner-v0", "EckHard-v0", "EckExpert-v0")
ID_KEYWORDS: dict[str, dict[str, Any]] = {
    "Eck-v0": {"target": 4},
    "EckBeginner-v0": {"target": 2},
    "EckHard-v0": {"target": 3, "trick_cards": ("2", "4", "12", "13/0")},
    "EckExpert-v0": {"target": 7},
}

FLAT_SIZE = 259
NUM_ACTIONS = 38
_FIRST_RESHUFFLE = 1  # the purpose of the first reshuffle's random stream; a deal has 0


def all_variants() -> list[dict[str, Any]]:
    """Return the keywords of every variant there is: 896 of them."""
    return [
        {"target": target, "trick_cards": cards, "circle_follow": follow}
        for size in range(1, len(ALL) + 1)
        for cards in itertools.combinations(ALL, size)
        for target in range(1, size + 1)
        for follow in ("any", "same")
    ]


def flat(observation: Any) -> NDArray[Any]:
    """Return an observation that is known to be one array, also for the type checker."""
    assert isinstance(observation, np.ndarray)
    return observation


def legal_actions(info: Mapping[str, Any]) -> list[int]:
    """Return the legal actions of one game."""
    actions: list[int] = np.flatnonzero(info["action_mask"]).tolist()
    return actions


def choose(legal: Sequence[int], style: str, generator: Random) -> int:
    """Choose a legal action: anything, or mostly a low or a high card, which leads to other rounds."""
    if style == "any" or generator.random() < 0.2:
        return generator.choice(legal)
    colored = [card for card in legal if card < KINDS.index("K")] or list(legal)
    return (min if style == "low" else max)(colored, key=lambda card: (card % 6, card))


def plain(value: Any) -> Any:
    """Return arrays, also those inside of something, as type and lists, so that == compares all of it."""
    if isinstance(value, np.ndarray):
        return [str(value.dtype), plain(value.tolist()) if value.dtype == object else value.tolist()]
    if isinstance(value, Mapping):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value


def reshuffled(seed: int, game: int, round_: int, number: int, cards: Iterable[str]) -> list[str]:
    """Return the order that a reshuffle gives these cards: keyed by nothing but seed, game, round and number."""
    kinds = np.array([kind(card) for card in by_kind(list(cards))], np.int8)
    with np.errstate(over="ignore"):
        shuffle(kinds, 0, len(kinds), random_key(seed, game, round_, _FIRST_RESHUFFLE + number))
    return [KINDS[card] for card in kinds]


def dealt(state: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Return hand and deck, top first, of a state at the start of a round."""
    assert state["lead"] is not None
    return list(state["hand"]), [state["lead"], *state["face_down"]]


class EngineSource:
    """Gives the reference the cards that the engine has: deals from its states, reshuffles by their key."""

    def __init__(self, state: Mapping[str, Any]) -> None:
        """Take the state at the start of a game."""
        self.state = state
        self.reshuffles = 0

    def deal(self, round_: int) -> tuple[list[str], list[str]]:
        """Return the engine's deal; the state at the start of this round must have been set before."""
        assert self.state["round"] == round_
        self.reshuffles = 0
        return dealt(self.state)

    def shuffle(self, round_: int, number: int, cards: list[str]) -> list[str]:
        """Return the order of the engine's reshuffle."""
        assert number == self.reshuffles
        self.reshuffles += 1
        return reshuffled(self.state["seed"], self.state["game"], round_, number, cards)


def pack_of(state: Mapping[str, Any]) -> Counter[str]:
    """Return how often each card lies in the hand, in ECK's deck and as ECK's lead."""
    lead = [] if state["lead"] is None else [state["lead"]]
    return Counter([*state["hand"], *state["face_down"], *state["face_up"], *lead])


def last_trick(state: Mapping[str, Any], tricks_won: int) -> tuple[dict[str, Any], int]:
    """Return the state with its round cut down to one last trick that ends it with these tricks won, and its action.

    ECK leads Y4; you take the trick with Y5, or for no trick at all lose it with Y3.
    """
    card = "Y5" if tricks_won else "Y3"
    rest = list(CARDS)
    for used in ("Y4", card):
        rest.remove(used)
    changed = {
        "hand": [card],
        "lead": "Y4",
        "leader": "eck",
        "face_down": rest[:9],
        "face_up": rest[9:16],
        "tied": 0,
        "tricks_won": max(tricks_won - 1, 0),
        "tricks_lost": 12 - max(tricks_won - 1, 0),
        "reshuffles": 0,
        "shuffles": [],
    }
    return {**state, **changed}, kind(card)


def made_up_values(target: int = 4, trick_cards: Sequence[str] = ALL) -> RoundValues:
    """Return a table of round values out of thin air: every entry another, none of them 0 or 1."""
    shape = (3, 128, 128)
    counter, yours, gray = np.indices(shape)
    values: NDArray[np.float64] = (1 + counter + 3 * yours + 3 * 128 * gray) / (3 * 128 * 128 + 2)
    visits = np.zeros(shape)
    visits[0, 0, 0], visits[1, 0, 1], visits[2, 1, 2] = 2.0, 1.0, 1.0
    return RoundValues(target, tuple(trick_cards), values, np.zeros(shape), visits)


def table_value(values: RoundValues, trick_cards: Mapping[str, str], counter: str) -> float:
    """Return the entry of a table for trick cards and counter in notation, read off apart from the package."""
    bits = {
        status: sum(1 << ALL.index(name) for name, is_now in trick_cards.items() if is_now == status)
        for status in ("yours", "gray")
    }
    return float(values.values[int(counter), bits["yours"], bits["gray"]])
