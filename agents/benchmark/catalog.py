"""What the benchmark measures: every row, the library it belongs to, and what is inside one of its steps."""

from __future__ import annotations

from dataclasses import dataclass

from agents.benchmark.workers.eck import BATCHES, ENGINE_BATCHES, FAR, vector_name
from agents.benchmark.workers.gongor_whist import BATCH
from agents.benchmark.workers.pgx import BATCHES as PGX_BATCHES
from agents.benchmark.workers.rlcard import PETTINGZOO, RLCARD

OURS = ("eck", "gongor_whist", "numberless", "training")
"""The workers of eck_env itself."""
PEERS = ("open_spiel", "pgx", "rlcard", "envpool", "pufferlib")
"""Libraries with a requirements file and an environment of their own each; the worker has the same name."""


@dataclass(frozen=True)
class Entry:
    """A row of the table.

    Attributes:
        worker: The module in `workers` that measures it.
        row: Its name there.
        label: Its name in the table.
        inside: What is inside a step.
        main: Whether it is shown in the picture.
    """

    worker: str
    row: str
    label: str
    inside: str
    main: bool = True

    @property
    def key(self) -> str:
        """The row's name among all rows."""
        return f"{self.worker}: {self.row}"


def _ours() -> list[Entry]:
    step = "observation (259), mask, reward, flags, info, autoreset"
    entries = [Entry("eck", "single", 'EckEnv, gym.make("Eck-v0")', "observation, mask, info in words; a reset a game")]
    for batch in BATCHES:
        for dtype in ("int8", "float32"):
            for own in (False, True):
                label = f"EckVectorEnv, {batch:,} games, {dtype}{', out=' if own else ''}"
                main = dtype == "int8" and not own
                entries.append(Entry("eck", vector_name(batch, dtype, own), label, step, main))
    alone = "the compiled call of a step alone, which also notes tricks and rounds; no fresh arrays, no info"
    entries += [
        Entry("eck", f"engine {batch}", f"the engine alone, {batch:,} games, int8", alone, main=False)
        for batch in ENGINE_BATCHES
    ]
    late = vector_name(1024, first_game=FAR)
    entries += [
        Entry("eck", late, f"EckVectorEnv, 1,024 games, int8, from game {FAR:,} on", step, main=False),
        Entry("eck", "games random", "simulate_games, random player", "dealing and choosing; no observation"),
        Entry("eck", "rounds random", "simulate_rounds, random player", "dealing and choosing; no observation", False),
        Entry("eck", "games heuristic", "simulate_games, heuristic player", "dealing and choosing; no observation"),
        Entry("eck", "adapter", "EckSb3VecEnv, 256 games", f"{step}; a dict and a mask a game for SB3"),
        Entry(
            "training", "rollout", "MaskablePPO rollout, 256 games, mlp 128x128", "adapter, network, sampling, buffer"
        ),
        Entry(
            "training", "training", "MaskablePPO training, 256 games, mlp 128x128", "rollout and 3 epochs of updates"
        ),
    ]
    return entries


def _gongor_whist() -> list[Entry]:
    step = "observation (166), mask, reward, flags, info, autoreset"
    entries = [
        Entry("gongor_whist", f"vector {scoring}", f"GongorVectorEnv, {BATCH:,} games, int8, {title}", step, main)
        for scoring, title, main in (
            ("shut_the_box", "shut the box", True),
            ("two_columns", "two columns", False),
            ("first_edition", "first edition", False),
        )
    ]
    alone = "dealing and choosing; no observation"
    return [
        *entries,
        *(
            Entry("gongor_whist", f"games {player}", f"Gongor Whist playouts, two columns, {player} player", alone)
            for player in ("random", "heuristic")
        ),
    ]


def _numberless() -> list[Entry]:
    return [
        Entry("numberless", "vector", f"NumberlessVectorEnv, {BATCH:,} games of four, int8, your decisions",
              "observation (622), mask, reward, flags, info, autoreset; the decisions of three random players besides"),
        Entry("numberless", "all seats", f"game without numbers, the engine, {BATCH:,} games of four, int8, all seats",
              "observation (622) and mask of the seat to move, reward, autoreset; no fresh arrays, no info", False),
    ]  # fmt: skip


def _peers() -> list[Entry]:
    entries = []
    for game in ("spades", "hearts"):
        entries += [
            Entry("open_spiel", f"{game} C++ games", f"OpenSpiel {game}, C++ random bots",
                  "dealing and choosing, all in C++; no observation"),
            Entry("open_spiel", f"{game} C++ rollouts", f"OpenSpiel {game}, C++ rollouts of one deal",
                  "choosing; no dealing, no observation"),
            Entry("open_spiel", f"{game} Python", f"OpenSpiel {game}, Python",
                  "dealing, legal actions; no observation"),
            Entry("open_spiel", f"{game} Python tensors", f"OpenSpiel {game}, Python, tensors",
                  "dealing, legal actions, observer's NumPy tensor"),
            Entry("open_spiel", f"{game} Python replay", f"OpenSpiel {game}, Python, tensors, recorded deals",
                  "legal actions, observer's NumPy tensor", main=False),
        ]  # fmt: skip
    entries += [
        Entry("pgx", f"leduc {batch}", f"Pgx leduc_holdem, {batch:,} games, CPU",
              "observation (34), mask, rewards, flags, autoreset")
        for batch in PGX_BATCHES
    ]  # fmt: skip
    entries += [
        Entry("rlcard", f"rlcard {name}", f"RLCard {name}", "observation, mask; a reset a game") for name in RLCARD
    ]
    entries += [
        Entry("rlcard", f"pettingzoo {name}", f"PettingZoo {name}", "observation, mask; a reset a game")
        for name in PETTINGZOO
    ]
    return [
        *entries,
        Entry("envpool", "leduc", "EnvPool LeducHoldem, 1,024 games", "observation (2 x 34), mask, state, autoreset"),
        Entry("envpool", "cartpole", "EnvPool CartPole, 1,024", "observation (4), autoreset"),
        Entry("gymnasium", "cartpole", "Gymnasium vector CartPole, 1,024", "observation (4), autoreset"),
        Entry("pufferlib", "tripletriad", "PufferLib tripletriad, 1,024 games, any actions",
              "observation (114), autoreset; no mask, most actions illegal"),
        Entry("pufferlib", "tripletriad legal", "PufferLib tripletriad, 1,024 games, legal actions",
              "observation (114), autoreset; no mask"),
    ]  # fmt: skip


ENTRIES = (*_ours(), *_gongor_whist(), *_numberless(), *_peers())
QUICK = frozenset(
    {
        "eck: single", "eck: games random", "eck: adapter", "training: rollout", "training: training",
        *(f"eck: {vector_name(batch)}" for batch in BATCHES), f"eck: {vector_name(1024, first_game=FAR)}",
        "open_spiel: spades C++ games", "open_spiel: spades Python tensors", "pgx: leduc 4096", "pgx: leduc 16384",
        "rlcard: rlcard leduc-holdem", "rlcard: rlcard blackjack", "rlcard: pettingzoo leduc_holdem_v4",
        "envpool: leduc", "gymnasium: cartpole", "pufferlib: tripletriad",
    }
)  # fmt: skip
"""The rows of a quick run."""
