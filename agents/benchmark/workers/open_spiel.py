"""Measures OpenSpiel's trick-taking games, spades and hearts: in C++, and through Python."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from agents.benchmark.workers.serve import Row, serve

GAMES = ("spades", "hearts")
_RECORDED = 50
_IN_CPP = 1000


def deal(state: Any, generator: random.Random) -> int:
    """Sample the chance outcome of a state and apply it, as OpenSpiel's own examples do; return it."""
    actions, chances = zip(*state.chance_outcomes(), strict=True)
    action: int = generator.choices(actions, chances)[0]
    state.apply_action(action)
    return action


def record(game: Any, seed: int) -> list[tuple[int, bool]]:
    """Play a game at random and return all actions, each with whether it was a decision; the seed is the deal's."""
    dealer, chooser = random.Random(seed), random.Random(-seed - 1)
    state, actions = game.new_initial_state(), []
    while not state.is_terminal():
        if state.is_chance_node():
            actions.append((deal(state, dealer), False))
        else:
            actions.append((chooser.choice(state.legal_actions()), True))
            state.apply_action(actions[-1][0])
    return actions


def decisions_a_game(game: Any) -> float:
    """Return how many decisions a game of random play has on average."""
    games = [record(game, seed) for seed in range(200)]
    return sum(decided for actions in games for _, decided in actions) / len(games)


def cpp_games(name: str) -> Row:
    """Return whole games by C++ random bots, dealing included; Python starts each game and reads its result."""
    spiel: Any = import_module("pyspiel")
    game = spiel.load_game(name)
    bots = [spiel.make_uniform_random_bot(player, player) for player in range(game.num_players())]
    decisions, seeds = round(_IN_CPP * decisions_a_game(game)), iter(range(2**31))

    def run() -> int:
        for _ in range(_IN_CPP):
            spiel.evaluate_bots(game.new_initial_state(), bots, next(seeds))
        return decisions

    return Row(run)


def cpp_rollouts(name: str) -> Row:
    """Return random rollouts in C++ from one dealt state: nothing is dealt, nothing comes back to Python."""
    spiel: Any = import_module("pyspiel")
    game = spiel.load_game(name)
    generator = random.Random(2)
    state = game.new_initial_state()
    while state.is_chance_node():
        deal(state, generator)
    decisions = round(_IN_CPP * decisions_a_game(game))

    def run() -> int:
        # A search of one simulation evaluates its root by rollouts and does nothing else.
        evaluator = spiel.RandomRolloutEvaluator(_IN_CPP, generator.randrange(2**31))
        spiel.MCTSBot(game, evaluator, 1.0, 1, 10, False, 1, False).mcts_search(state)
        return decisions

    return Row(run)


def python_loop(name: str, tensors: bool) -> Row:
    """Return games stepped from Python: the deal sampled, legal actions, with `tensors` the observer's, the step."""
    game: Any = import_module("pyspiel").load_game(name)
    games = [[action for action, decided in record(game, seed) if decided] for seed in range(_RECORDED)]
    decisions = sum(map(len, games))
    observer = make_observer(game) if tensors else None

    def run() -> int:
        for seed, actions in enumerate(games):
            state, dealer, chosen = game.new_initial_state(), random.Random(seed), iter(actions)
            while not state.is_terminal():
                if state.is_chance_node():
                    deal(state, dealer)
                    continue
                state.legal_actions()
                if observer is not None:
                    observer.set_from(state, state.current_player())
                state.apply_action(next(chosen))
        return decisions

    return Row(run)


def replay(name: str) -> Row:
    """Return games stepped from Python on a recording of everything, deals too: only legal actions, tensor, step."""
    game: Any = import_module("pyspiel").load_game(name)
    games = [record(game, seed) for seed in range(_RECORDED)]
    decisions = sum(decided for actions in games for _, decided in actions)
    observer = make_observer(game)

    def run() -> int:
        for actions in games:
            state = game.new_initial_state()
            for action, decided in actions:
                if decided:
                    state.legal_actions()
                    observer.set_from(state, state.current_player())
                state.apply_action(action)
        return decisions

    return Row(run)


def make_observer(game: Any) -> Any:
    """Return OpenSpiel's observer that writes into a NumPy array."""
    observation: Any = import_module("open_spiel.python.observation")
    if game.get_type().provides_observation_tensor:
        return observation.make_observation(game)
    return observation.make_observation(game, observation.INFO_STATE_OBS_TYPE)


ROWS: dict[str, Callable[[], Row]] = {}
for _name in GAMES:
    ROWS[f"{_name} C++ games"] = partial(cpp_games, _name)
    ROWS[f"{_name} C++ rollouts"] = partial(cpp_rollouts, _name)
    ROWS[f"{_name} Python"] = partial(python_loop, _name, False)
    ROWS[f"{_name} Python tensors"] = partial(python_loop, _name, True)
    ROWS[f"{_name} Python replay"] = partial(replay, _name)

if __name__ == "__main__":
    serve(ROWS)
