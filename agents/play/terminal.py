"""The table in a terminal: to play, with or without a coach, to watch an agent, and to look back at a replay."""

from __future__ import annotations

import difflib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agents.agent import make_agent
from agents.coach import Advice, BaseCoach, Rated, rate, summary_of
from agents.play.games import PlayKit, kit_of
from agents.play.opponents import MakeOpponent, start_deal
from agents.play.words import advice_to_data, percent
from eck_env.base.infos import IllegalActionError
from eck_env.base.render import has_color, paint
from eck_env.base.replay import BaseReplay, Moment
from eck_env.files import naming
from eck_env.replays import replay_to_code, save_replay

COMMANDS = """
  coach       advice on or off          code        the codes of this deal and of the game so far
  memory      the cards still hidden    save FILE   write the game so far as a replay
  help        this text                 quit        stop"""
_COMMANDS = ("coach", "code", "memory", "save", "help", "quit")


@dataclass
class Console:
    """Where a terminal's table is shown, and what is asked.

    Attributes:
        tell: Shows a text.
        ask: Asks for a line; raises EOFError where there is none.
        sleep: Waits for seconds.
        color: Whether the terminal has colors.
    """

    tell: Callable[[str], None] = print
    ask: Callable[[str], str] = input
    sleep: Callable[[float], None] = time.sleep
    color: bool = field(default_factory=has_color)


class TerminalGame:
    """A game in a terminal.

    Args:
        deal: What is played; its moves are not made.
        console: Where it is shown.
        coach: Whoever advises, or plays by `watch`.
        seconds: How long the coach searches for each decision.
        advising: Whether advice is shown from the start.
        make_opponent: Makes the players that the variant names at other seats; by default those of `make_agent`.
    """

    def __init__(
        self,
        deal: BaseReplay,
        console: Console,
        coach: BaseCoach | None = None,
        seconds: float = 0.0,
        advising: bool = False,
        make_opponent: MakeOpponent | None = None,
    ) -> None:
        self._deal, self._console, self._coach, self._seconds = deal.deal, console, coach, seconds
        self._kit: PlayKit = kit_of(deal.variant)
        self._advising = advising
        env, self._observation, self._info = start_deal(
            self._deal, make_opponent or (lambda name: make_agent(name, deal.variant)), render_mode="ansi"
        )
        self._env = self._deal.record(env)
        self._decisions = 0

    @property
    def replay(self) -> BaseReplay:
        """The game so far."""
        game: BaseReplay = self._env.replay
        return game

    def play(self) -> BaseReplay:
        """Let a person play until the game ends or the person stops, and return the game."""
        self._console.tell(f"{self._kit.help}{COMMANDS}\n")
        try:
            self._introduce()
            self._show()
            while "outcome" not in self._info:
                words = self._console.ask(f"{self._prompt()}> ").split(maxsplit=1)
                if words and words[0].lower() == "quit":
                    break
                if words:
                    self._answer(words[0], words[1] if len(words) > 1 else "")
        except (EOFError, KeyboardInterrupt):
            self._console.tell("")
        return self.replay

    def _prompt(self) -> str:
        return self._kit.prompt[self._view().get("phase", "")]

    def watch(self, delay: float) -> BaseReplay:
        """Let the coach play to the end, with a pause of so many seconds after each card, and return the game.

        Ctrl-C ends it before.
        """
        assert self._coach is not None
        try:
            self._introduce()
            self._show()
            while "outcome" not in self._info:
                advice = self._advise()
                self._console.tell(_advice_text(advice, self._kit, self._console.color))
                self._console.sleep(delay)
                self._step(advice.card)
        except KeyboardInterrupt:
            self._console.tell("")
        return self.replay

    def _answer(self, word: str, rest: str) -> None:
        command = word.lower()
        if command == "help" or command == "?":
            self._console.tell(f"{self._kit.help}{COMMANDS}")
        elif command == "coach":
            self._switch_coach()
        elif command == "code":
            self._console.tell(f"deal: {replay_to_code(self._deal)}\ngame: {replay_to_code(self.replay)}")
        elif command == "memory":
            name, cards = self._kit.memory(self._view())
            self._console.tell(f"{name}: {self._painted(cards)}")
        elif command == "save":
            self._save(rest.strip())
        elif (move := self._kit.parse(f"{word} {rest}".strip().upper(), self._view())) is not None:
            self._step(move)
        else:
            known = [*_COMMANDS, *(name for name in self._kit.forms.names if len(name) > len("9WY"))]
            near = difflib.get_close_matches(command, known, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            self._console.tell(f"{word!r} is no card and no word that is known here: {hint}'help' says what is")

    def _step(self, move: str) -> None:
        before, number = self._observation, self._deal.number_of(move)
        try:
            self._observation, _, _, _, self._info = self._env.step(number)
        except IllegalActionError as error:
            if self._info["action_mask"][number]:  # somebody else's was
                raise
            self._console.tell(str(error))
            return
        self._decisions += 1
        words = self._kit.make_view(self._observation, self._info, before)["words"]
        if words["trick"]:
            self._console.tell(f"\n{_trick_text(words)}")
        if words["round"]:
            self._console.tell(f"\n{self._kit.part_over} {words['round']}\n")
        if words["outcome"]:
            self._console.tell(words["outcome"])
        else:
            self._show()

    def _introduce(self) -> None:
        text = self._kit.introduce(self._deal.variant)
        if text:
            self._console.tell(f"{text}\n")

    def _show(self) -> None:
        self._console.tell(str(self._env.render()))
        if self._advising and self._coach is not None:
            self._console.tell(_advice_text(self._advise(), self._kit, self._console.color))

    def _advise(self) -> Advice:
        assert self._coach is not None
        key = (self._deal.seed, self._deal.game, self._decisions)
        return self._coach.advise(self._observation, self._info["action_mask"], key, self._seconds)

    def _switch_coach(self) -> None:
        if self._coach is None:
            self._console.tell("there is no coach: start with --coach AGENT, such as --coach mc:64")
            return
        self._advising = not self._advising
        self._console.tell(f"advice is {'on' if self._advising else 'off'}")
        if self._advising:
            self._console.tell(_advice_text(self._advise(), self._kit, self._console.color))

    def _save(self, path: str) -> None:
        if not path:
            self._console.tell("save needs the name of a file: save game.json")
            return
        try:
            with naming(Path(path)):
                save_replay(path, self.replay)
            self._console.tell(f"saved: {path}")
        except OSError as error:
            self._console.tell(f"not saved: {error}")

    def _view(self) -> dict[str, Any]:
        return self._kit.make_view(self._observation, self._info, None)

    def _painted(self, cards: Sequence[str]) -> str:
        return " ".join(self._kit.paint(card, self._console.color) for card in cards) or "-"


def show_replay(replay: BaseReplay, console: Console, delay: float | None = None) -> None:
    """Show a replay move by move: after a pause of so many seconds each or, without `delay`, when Enter is pressed.

    Raises:
        ReplayError: If a card does not fit the rules.
    """
    kit, before = kit_of(replay.variant), None
    if intro := kit.introduce(replay.variant):
        console.tell(intro)
    for moment in replay.moments():
        words = kit.make_view(moment.observation, moment.info, before)["words"]
        before = moment.observation
        if words["trick"]:
            console.tell(_trick_text(words))
        if words["round"]:
            console.tell(f"\n{kit.part_over} {words['round']}\n")
        if moment.move is None:
            console.tell(words["outcome"] or "The replay ends here.")
            return
        hand = " ".join(kit.paint(card["card"], console.color) for card in _hand(moment, kit))
        console.tell(f"{words['turn']} Hand: {hand}; played: {kit.paint(moment.move, console.color)}")
        if delay is not None:
            console.sleep(delay)
            continue
        try:
            if console.ask("Enter: next card, q: stop > ").strip().lower().startswith("q"):
                return
        except (EOFError, KeyboardInterrupt):
            return


def _trick_text(words: Mapping[str, Any]) -> str:
    """Return what happened in a trick, or since your decision before, as a line."""
    return " ".join(filter(None, (words["trick"], words["taker"])))


def _hand(moment: Moment, kit: PlayKit) -> list[dict[str, Any]]:
    hand: list[dict[str, Any]] = kit.make_view(moment.observation, moment.info, None)["hand"]
    return hand


def show_rating(replay: BaseReplay, console: Console, coach: BaseCoach, seconds: float) -> None:
    """Show for each decision of a replay what the coach would have played, and what the choice cost.

    Raises:
        ReplayError: If a card does not fit the rules.
    """
    kit = kit_of(replay.variant)
    rated: list[Rated] = []
    for entry in rate(replay, coach, seconds):
        rated.append(entry)
        if len(entry.advice.probabilities) > 1:
            console.tell(_rating_text(entry, kit, console.color))
    figures = summary_of(rated)
    text = f"{figures['as_advised']} of {figures['decisions']} decisions as {coach.name} would decide"
    if figures["cost"] is not None:
        text += f"; the choices cost {percent(figures['cost'])} of a win in all"
    if figures["worst"] is not None and rated[figures["worst"]].cost:
        worst = rated[figures["worst"]]
        what = f"{replay.unit} {worst.number + 1}, {kit.move_words(worst.card)}"
        text += f", most of it {what} ({percent(worst.cost or 0.0)})"
    console.tell(text)


def _rating_text(entry: Rated, kit: PlayKit, color: bool) -> str:
    played, advised = (kit.paint(card, color) for card in (entry.card, entry.advice.card))
    cost = "" if entry.cost is None else f"costs {percent(entry.cost)}"
    said = "as advised" if entry.card == entry.advice.card else f"not {advised}"
    return f"{entry.number + 1:>4}. {played}  {said}  {cost}"


def _advice_text(advice: Advice, kit: PlayKit, color: bool) -> str:
    """Return a line for each legal move, and the advice in words."""
    data = advice_to_data(advice, kit)
    lines = [_advice_line(entry, entry["card"] == advice.card, kit, color) for entry in data["cards"]]
    notes = [f"({advice.note})"] if advice.note else []
    return "\n".join([*(lines if len(lines) > 1 else []), data["words"], *notes]) + "\n"


def _advice_line(entry: dict[str, Any], best: bool, kit: PlayKit, color: bool) -> str:
    card = entry["card"]
    parts = [f"plays it {percent(entry['probability'], 0):>6}"]
    parts += [f"value {percent(entry['value']):>7}"] if entry["value"] is not None else []
    parts += [f"win chance {percent(entry['chance']):>7}"] if entry["chance"] is not None else []
    shown = f"{kit.paint(card, color)}{' ' * (kit.width - len(card))}{kit.move_words(card):<{kit.words_width}}"
    line = f"  {shown}  {'  '.join(parts)}"
    return f"{line}  {paint('<-', '1', color)}" if best else line
