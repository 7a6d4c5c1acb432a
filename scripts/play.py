"""Play one of the games in a terminal, watch an agent play, or look back at a replay.

python scripts/play.py --env EckBeginner-v0
python scripts/play.py --env GongorWhist-v0 --aces pass
python scripts/play.py --env Numberless-v0 --num-players 3 --opponents mc:16:heuristic,random
python scripts/play.py --coach agents/pretrained/Eck-v0.onnx --seconds 1 --save game.json
python scripts/play.py --watch mc:400 --delay 0.5
python scripts/play.py --replay game.json --rate agents/pretrained/Eck-v0.onnx

scripts/serve.py has the same as a page for the browser.
"""

from __future__ import annotations

import secrets
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.coach import check_seconds, make_coach
from agents.play.games import OPPONENT, PLAYED, kit_of, make_variant
from agents.play.opponents import NamedAgents, opponents_of
from agents.play.terminal import Console, TerminalGame, show_rating, show_replay
from eck_env.base.replay import BaseReplay
from eck_env.batch import MAX_SEED, TRAINING_SEEDS
from eck_env.checks import integer
from eck_env.files import check_target
from eck_env.numberless.variant import name_opponents
from eck_env.registry import AnyVariant, find_variant
from eck_env.replays import load_replay, replay_to_code, save_replay

MAX_DELAY = 3600.0
STANDARD = "Eck-v0"
ANY_SEAT = "any"

app = typer.Typer(add_completion=False)


@app.command()
def main(
    env: Annotated[
        str | None, typer.Option(help=f"The variant: one of {', '.join(PLAYED)}; {STANDARD} by default.")
    ] = None,
    target: Annotated[int | None, typer.Option(help="Instead of the variant's: trick cards that win.")] = None,
    trick_cards: Annotated[
        str | None, typer.Option(help="Instead of the variant's: those laid out, such as 2,4,13/0.")
    ] = None,
    circle_follow: Annotated[
        str | None, typer.Option(help="Of ECK: any, or same: a circle is followed by one of its color.")
    ] = None,
    aces: Annotated[
        str | None, typer.Option(help="Of Gongor Whist: game, or pass: every pass has a new pile of Aces.")
    ] = None,
    max_hands: Annotated[int | None, typer.Option(help="Of its first edition: hands until a game is lost.")] = None,
    num_players: Annotated[int | None, typer.Option(help="Of the game without numbers: 3 to 7.")] = None,
    draft: Annotated[
        bool | None, typer.Option("--draft/--no-draft", help="Of the same: whether hands are drafted or dealt.")
    ] = None,
    start_player: Annotated[
        str | None, typer.Option(help="Of the same: the seat that starts (you sit at 0), or any.")
    ] = None,
    opponents: Annotated[
        str | None,
        typer.Option(help=f"Of the same: an agent for all other seats, or a list a,b,c; {OPPONENT} if none."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="The seed of the deals; without it, any deal.")] = None,
    code: Annotated[
        str | None, typer.Option(help="The code of a deal, instead of all the above but opponents.")
    ] = None,
    coach: Annotated[str | None, typer.Option(help="An agent or policy file that advises you.")] = None,
    watch: Annotated[str | None, typer.Option(help="An agent or policy file that plays instead of you.")] = None,
    seconds: Annotated[float, typer.Option(help="How long coach or agent search for each decision.")] = 0.0,
    delay: Annotated[float | None, typer.Option(help="Seconds between the cards of an agent or a replay.")] = None,
    replay: Annotated[str | None, typer.Option(help="The file or code of a replay to look back at.")] = None,
    rate: Annotated[str | None, typer.Option(help="An agent or policy file that rates the replay.")] = None,
    save: Annotated[Path | None, typer.Option(help="Write the game as a replay to this file when it ends.")] = None,
) -> None:
    """Play one of the games in a terminal, watch an agent play, or look back at a replay."""
    console = Console(tell=typer.echo)
    try:
        if delay is not None and not 0 <= delay <= MAX_DELAY:
            raise ValueError(f"--delay is {delay}, but must be a number of seconds from 0 to {MAX_DELAY:g}")
        check_seconds(seconds, "--seconds")
        if replay is not None:
            _look_back(_of_game(load_replay(replay), env).check(), console, delay, rate, seconds)
            return
        if rate is not None:
            raise ValueError("--rate goes with --replay, a file or code of the game to rate")
        if coach is not None and watch is not None:
            raise ValueError("--coach advises you, and --watch plays for you: give one of the two")
        check_target("--save", save)
        if code is not None:
            deal = _of_game(load_replay(code), env).deal
        else:
            changes = {
                "target": target,
                "trick_cards": None if trick_cards is None else _split(trick_cards),
                "circle_follow": circle_follow,
                "aces": aces,
                "max_hands": max_hands,
                "num_players": num_players,
                "draft": draft,
                "start_player": start_player,
            }
            wanted = {name: value for name, value in changes.items() if value is not None}
            deal = _deal(_variant(env or STANDARD, wanted), seed)
        deal, agents = _seat(deal, opponents)
        adviser = coach or watch
        helper = make_coach(adviser, deal.variant) if adviser else None
        game = TerminalGame(deal, console, helper, seconds, coach is not None, agents.make)
        played = game.play() if watch is None else game.watch(1.0 if delay is None else delay)
        typer.echo(f"deal: {replay_to_code(deal)}\ngame: {replay_to_code(played)}")
        if save is not None:
            save_replay(save, played)
            typer.echo(f"saved: {save}")
    except (ValueError, TypeError, OSError, ImportError) as error:
        _fail(str(error))


def _look_back(replay: BaseReplay, console: Console, delay: float | None, rate: str | None, seconds: float) -> None:
    if rate is None:
        show_replay(replay, console, delay)
    else:
        show_rating(replay, console, make_coach(rate, replay.variant), seconds)


def _of_game(replay: BaseReplay, env: str | None) -> BaseReplay:
    """Return a replay; ValueError if it is none of the game that was asked for."""
    if env is not None and kit_of(find_variant(env)) is not kit_of(replay.variant):
        raise ValueError(f"the replay is one of {kit_of(replay.variant).title}, but --env is {env}: leave --env out")
    return replay


def _split(text: str) -> tuple[str, ...]:
    return tuple(map(str.strip, text.split(",")))


def _variant(env: str, wanted: dict[str, Any]) -> AnyVariant:
    """Return the variant of an id, with what is wanted in place of its own."""
    base = asdict(find_variant(env))
    for name in wanted:
        if name not in base:
            options = ", ".join(f"--{known.replace('_', '-')}" for known in base if known != "scoring")
            raise ValueError(f"--{name.replace('_', '-')} is nothing of {env}, which takes {options}")
    base.pop("opponents", None)  # there are as many as are wanted, whom `_seat` names
    if "start_player" in wanted:
        wanted = {**wanted, "start_player": _seat_number(wanted["start_player"])}
    return make_variant({**base, **wanted})


def _seat_number(text: str) -> int | None:
    if text != ANY_SEAT and not text.isdecimal():
        raise ValueError(f"--start-player is {text!r}, but must be the number of a seat, from 0, or {ANY_SEAT}")
    return None if text == ANY_SEAT else int(text)


def _seat(deal: BaseReplay, opponents: str | None) -> tuple[BaseReplay, NamedAgents]:
    """Return a deal with the players named at the other seats, and who makes them."""
    if opponents is None:
        return deal, NamedAgents((), deal.variant)
    if not opponents_of(deal.variant):
        raise ValueError(f"--opponents is nothing of {kit_of(deal.variant).title}, which is played alone")
    agents = NamedAgents(_split(opponents), deal.variant)
    names = agents.names[0] if len(agents.names) == 1 else agents.names
    return deal.with_variant(name_opponents(deal.variant, names)), agents


def _deal(variant: AnyVariant, seed: int | None) -> BaseReplay:
    number = secrets.randbelow(TRAINING_SEEDS) if seed is None else integer(seed, 0, MAX_SEED, "--seed")
    return kit_of(variant).new_deal(variant, number)


def _fail(message: str) -> NoReturn:
    typer.echo(f"error: {message}", err=True)
    raise typer.Exit(2)


if __name__ == "__main__":
    app()
