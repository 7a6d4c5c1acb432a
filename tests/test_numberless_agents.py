"""Agents of the game without numbers, and the cross table of all against all."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from agents import cross_table
from agents.agent import make_agent
from agents.cross_table import (
    Pairing,
    chunks_of,
    join,
    pairings_of,
    play_chunk,
    play_pairing,
    play_pairings,
    standard_variant,
)
from agents.cross_table_files import entry_of, read_table, table_markdown, write_table
from agents.evaluation import FIRST_SEED, evaluate
from agents.games.numberless import NumberlessResult
from agents.results import results_from_json, results_to_json
from eck_env import NumberlessEnv
from eck_env.numberless.aec import NumberlessAECEnv
from eck_env.numberless.players import heuristic_card
from eck_env.numberless.playouts import play_games
from eck_env.numberless.state import new_games
from eck_env.numberless.variant import HEURISTIC, RANDOM, make_table, make_variant
from numberless_helpers import VARIANTS
from scripts.cross_table import app

VARIANT = standard_variant()
NAMES = ("random", "heuristic", "mc:2", "mc:3:heuristic")


def observe(env: NumberlessAECEnv) -> tuple[Any, Any, Any]:
    """Return what an agent is given for the seat to move, a batch of one."""
    seen = env.observe(env.agent_selection)
    state = env.state_dict()
    key = np.array([[state["seed"], state["game"], state["decision"]]])
    return seen["observation"][None], seen["action_mask"][None], key


@pytest.mark.parametrize(("players", "draft"), VARIANTS)
def test_agents_play_whole_games(players: int, draft: bool) -> None:
    """Legally, and the same card alone as in a batch."""
    variant = standard_variant(players, draft)
    agents = [make_agent(name, variant) for name in NAMES]
    env = NumberlessAECEnv(players, draft, None)
    env.reset(seed=4)
    given: list[tuple[Any, Any, Any]] = []
    chosen: list[list[int]] = []
    while not any(env.terminations.values()):
        seen = observe(env)
        cards = [int(agent.act(*seen)[0]) for agent in agents]
        assert all(seen[1][0, card] for card in cards)
        given.append(seen)
        chosen.append(cards)
        env.step(cards[len(given) % len(cards)])
    batch = [np.concatenate(part) for part in zip(*given, strict=True)]
    for number, agent in enumerate(agents):
        assert agent.act(batch[0], batch[1], batch[2]).tolist() == [cards[number] for cards in chosen]


@pytest.mark.parametrize(("players", "draft"), VARIANTS)
def test_the_compiled_heuristic_player_knows_no_more_than_the_agent(players: int, draft: bool) -> None:
    """It chooses by the record what the agent chooses by the observation."""
    agent = make_agent("heuristic", standard_variant(players, draft))
    env, generator = NumberlessAECEnv(players, draft, None), Random(3)
    for seed in range(4):
        env.reset(seed=seed)
        while not any(env.terminations.values()):
            card = int(heuristic_card(env._games.view(np.recarray)[0]))
            assert agent.act(*observe(env)).tolist() == [card]
            legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()
            env.step(generator.choice([card, *legal]))


@pytest.mark.parametrize("name", ["mc:4", "mc:4:heuristic"])
def test_search_does_not_peek(name: str) -> None:
    """It plays the same when all that its seat cannot know is drawn anew before it is asked."""
    agent, rng, generator = make_agent(name, VARIANT), np.random.default_rng(1), Random(2)
    env = NumberlessEnv(opponents="heuristic")
    for seed in range(6):
        seen, info = env.reset(seed=seed)
        terminated, decision = False, 0
        while not terminated:
            key = np.array([[seed, 0, decision]])
            card = agent.act(seen[None], info["action_mask"][None], key)[0]
            env.determinize(rng)
            again, told = env.set_state(env.state_dict())
            assert agent.act(again[None], told["action_mask"][None], key)[0] == card
            seen, _, terminated, _, info = env.step(generator.choice(np.flatnonzero(info["action_mask"]).tolist()))
            decision += 1


@pytest.mark.parametrize("spec", ["mc:0", "mc:many", "mc:4:policy.onnx", "mc:4:mc"])
def test_searches_there_are_none_of(spec: str) -> None:
    with pytest.raises(ValueError, match="mc:64"):
        make_agent(spec, VARIANT)


def test_search_in_milliseconds() -> None:
    agent = make_agent("mc:5ms:heuristic", VARIANT)
    env = NumberlessAECEnv(4)
    env.reset(seed=1)
    assert observe(env)[1][0, agent.act(*observe(env))[0]]


def test_whole_games_in_compiled_code() -> None:
    """Whole games in compiled code: all cards are somewhere at the end, and they depend on their seeds alone."""
    games = new_games(30, make_table(4, True, None))
    games["seed"], games["players"][:, :4] = np.arange(30), [RANDOM, HEURISTIC, RANDOM, HEURISTIC]
    counts = np.zeros((30, 7), np.int64)
    play_games(games, counts)
    again = np.zeros((10, 7), np.int64)
    part = new_games(10, make_table(4, True, None))
    part["seed"], part["players"][:, :4] = np.arange(20, 30), [RANDOM, HEURISTIC, RANDOM, HEURISTIC]
    play_games(part, again)
    assert (counts[20:] == again).all()
    assert (counts[:, :4].sum(axis=1) == 28).all()
    assert not counts[:, 4:].any()
    assert len({tuple(row) for row in counts.tolist()}) > 20


# --- The cross table -------------------------------------------------------------------------------------------------


def by_hand(pairing: Pairing) -> list[float]:
    """Play a pairing in PettingZoo's environment, and return the one agent's shares of the win by deal."""
    one, others = (make_agent(spec, pairing.variant) for spec in (pairing.one, pairing.others))
    players, shares = pairing.variant.num_players, []
    env = NumberlessAECEnv(players, pairing.variant.draft, None)
    for seed in range(pairing.first_seed, pairing.first_seed + pairing.deals):
        found = []
        for seat in range(players):
            env.reset(seed=seed)
            while not any(env.terminations.values()):
                agent = one if env.agent_selection == f"player_{seat}" else others
                env.step(int(agent.act(*observe(env))[0]))
            found.append(env.rewards[f"player_{seat}"] + 1 / players)
        shares.append(sum(found) / players)
    return shares


@pytest.mark.parametrize("players", [3, 4, 7])
def test_a_pairing_is_what_its_games_come_to(players: int) -> None:
    pairing = Pairing("heuristic", "random", standard_variant(players), FIRST_SEED, 4)
    shares = play_chunk(pairing)
    assert shares.shares.tolist() == pytest.approx(by_hand(pairing))
    assert shares.mean == pytest.approx(np.mean(shares.shares))
    assert shares.interval[0] <= shares.mean <= shares.interval[1]


def test_equal_agents_share_the_wins() -> None:
    """Whatever the deals: with the seats rotated every deal is won once in all."""
    agent = make_agent("heuristic", VARIANT)
    shares = play_pairing(Pairing("heuristic", "heuristic", VARIANT, FIRST_SEED, 30), agent, agent)
    assert shares.shares.tolist() == pytest.approx([0.25] * 30)


def test_chunks_and_processes_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cross_table, "CHUNK", 7)
    pairings = pairings_of(["random", "heuristic"], VARIANT, FIRST_SEED, 20)
    whole = play_chunk(pairings[1])
    parts = join([play_chunk(chunk) for chunk in chunks_of(pairings[1], 7)])
    assert whole.shares.tolist() == parts.shares.tolist()
    assert whole.decisions == parts.decisions
    one, two = (play_pairings(pairings, processes) for processes in (1, 2))
    for key, shares in one.items():
        assert shares.shares.tolist() == two[key].shares.tolist()
    assert one["heuristic", "random"].shares.tolist() == whole.shares.tolist()


class Cheat:
    """Plays what is not legal."""

    name = "cheat"

    def act(self, observations: Any, action_masks: Any, keys: Any) -> Any:
        return np.argmin(action_masks, axis=1)


def test_illegal_actions_are_found_out() -> None:
    with pytest.raises(ValueError, match="illegal action"):
        play_pairing(Pairing("cheat", "cheat", VARIANT, FIRST_SEED, 2), Cheat(), Cheat())


@pytest.mark.parametrize("agents", [["random"], [], ["random", "random"]])
def test_a_table_needs_two_agents(agents: list[str]) -> None:
    with pytest.raises(ValueError, match="two agents"):
        pairings_of(agents, VARIANT, FIRST_SEED, 2)


def test_files(tmp_path: Path) -> None:
    pairings = pairings_of(["random", "heuristic"], VARIANT, FIRST_SEED, 10)
    table = {key: entry_of(shares) for key, shares in play_pairings(pairings).items()}
    path = tmp_path / "table.json"
    write_table(path, table, VARIANT, FIRST_SEED, 10, "command")
    assert read_table(path, VARIANT, FIRST_SEED, 10) == table
    with pytest.raises(ValueError, match="other deals"):
        read_table(path, VARIANT, FIRST_SEED, 11)
    path.write_text("{}")
    with pytest.raises(ValueError, match="no cross table"):
        read_table(path, VARIANT, FIRST_SEED, 10)
    text = table_markdown(table, ["random", "heuristic"], {"random": "random", "heuristic": "h"})
    assert text.splitlines()[0] == "| one of | against `random` | against `h` | ms a decision |"
    assert str(table["heuristic", "random"]) in text.splitlines()[3]


def test_script(tmp_path: Path) -> None:
    path, text = tmp_path / "table.json", tmp_path / "table.md"
    arguments = ["random", "heuristic", "--deals", "20", "--json", str(path)]
    first = CliRunner().invoke(app, arguments)
    assert first.exit_code == 0, first.output
    assert CliRunner().invoke(app, arguments).exit_code == 2
    more = CliRunner().invoke(app, [*arguments, "mc:1", "--resume", "--markdown", str(text), "--processes", "2"])
    assert more.exit_code == 0, more.output
    pairings = json.loads(path.read_text())["pairings"]
    assert len({(one["one"], one["others"]) for one in pairings}) == len(pairings) == 6
    assert text.read_text() in more.output
    for words, arguments in (
        ("two agents", ["random"]),
        ("nobody", ["random", "nobody"]),
        ("1073741824", ["random", "heuristic", "--seed", "5"]),
        ("num_players", ["random", "heuristic", "--players", "9"]),
        ("--json", ["random", "heuristic", "--resume"]),
    ):
        failed = CliRunner().invoke(app, arguments)
        assert failed.exit_code == 2
        assert words in failed.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--json", "no/such/folder/table.json"], "--json 'no/such/folder/table.json': there is no folder"),
        (["--markdown", "no/such/folder/table.md"], "there is no folder 'no/such/folder'"),
        (["--json", "."], "is a folder"),
        (["--processes", "0"], "the number of processes is 0, but must be an integer from 1 to 1024"),
        (["--processes", "-5"], "the number of processes is -5"),
    ],
)
def test_script_refuses_before_anything_is_played(
    arguments: list[str], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def played(*arguments: Any) -> None:
        pytest.fail("a chunk was played")

    monkeypatch.setattr(cross_table, "play_chunk", played)
    failed = CliRunner().invoke(app, ["random", "heuristic", "--deals", "2", *arguments])
    assert failed.exit_code == 2
    assert words in failed.stderr


def test_pairings_need_a_process() -> None:
    with pytest.raises(ValueError, match="the number of processes is 0"):
        play_pairings(pairings_of(["random", "heuristic"], VARIANT, FIRST_SEED, 2), processes=0)


# --- Evaluations of one agent ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("keywords", [{"num_players": 3}, {"num_players": 7, "draft": False, "start_player": None}])
def test_evaluation(keywords: dict[str, Any]) -> None:
    """What is noted is what the environment tells."""
    agent = make_agent("random", make_variant(**keywords))
    result = evaluate(agent, keywords, 30, batch=7)
    assert isinstance(result, NumberlessResult)
    env = NumberlessEnv(**keywords)
    for number, game in enumerate(result.games):
        seed = FIRST_SEED + number
        seen, info = env.reset(seed=seed)
        terminated, decisions = False, 0
        while not terminated:
            key = np.array([[seed, 0, decisions]])
            seen, reward, terminated, _, info = env.step(agent.act(seen[None], info["action_mask"][None], key)[0])
            decisions += 1
        state = env.state_dict()
        assert (game["won"], game["decisions"]) == (info["outcome"] == "win", decisions)
        assert game["rounds"] == state["round"]
        assert game["cards"] == state["collected"][0] + len(state["hands"][0])
        assert game["share"] / 420 == pytest.approx(reward + 1 / keywords["num_players"])
        assert bool(game["reasons"]) == (info["outcome"] == "loss")
    share, cards = result.measures
    assert share.value == pytest.approx(result.games["share"].mean() / 420)
    assert cards.value == pytest.approx(result.games["cards"].mean())
    again = results_from_json(results_to_json([result], "command"))[0]
    assert again.summary() == result.summary()
    assert dict(result.columns())["shared"] == f"{result.shared / 30:.1%}"


# --- Strength --------------------------------------------------------------------------------------------------------


def entries(one: str, other: str, deals: int) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the intervals of one agent among three of the other, and of the other among three of the one."""
    pairings = pairings_of([one, other], VARIANT, FIRST_SEED + 2**21, deals)
    found = play_pairings(pairings)
    return found[one, other].interval, found[other, one].interval


def test_the_heuristic_player_beats_random_ones() -> None:
    better, worse = entries("heuristic", "random", 300)
    assert better[0] > 0.25 > worse[1]


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("one", "other", "deals"),
    [("heuristic", "random", 10_000), pytest.param("mc:32:heuristic", "heuristic", 1500, marks=pytest.mark.exhaustive)],
)
def test_strength(one: str, other: str, deals: int) -> None:
    better, worse = entries(one, other, deals)
    assert better[0] > 0.25 > worse[1]


@pytest.mark.slow
def test_the_shipped_policy_is_stronger_than_the_heuristic_player() -> None:
    policy, heuristic = entries("pretrained", "heuristic", 3000)
    assert policy[0] > heuristic[1]
