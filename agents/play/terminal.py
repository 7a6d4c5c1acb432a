"""The table in a terminal: to play, with or without a coach, to watch an agent, and to look back at a replay."""

from __future__ import annotations

import difflib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agents.coach import Advice, Coach, Rated, rate, summary_of
from agents.play.view import make_view, tied_tricks
from agents.play.words import advice_to_data, card_words, percent
from eck_env.base.infos import IllegalActionError
from eck_env.base.render import has_color, paint
from eck_env.eck.cards import NAMES, card_kind
from eck_env.eck.render import paint_card
from eck_env.eck.replay import Replay
from eck_env.eck.replay_forms import replay_to_code, save_replay
from eck_env.files import naming

HELP = """A card is played by its notation: a color letter (R O Y G B P) and the number of corners (2 3 4 5 6 8),
K for a black circle, W for a white one. Other words:
  coach       advice on or off          code        the codes of this deal and of the game so far
  memory      ECK's face-down cards     save FILE   write the game so far as a replay
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
        deal: What is played; its cards are not played.
        console: Where it is shown.
        coach: Whoever advises, or plays by `watch`.
        seconds: How long the coach searches for each decision.
        advising: Whether advice is shown from the start.
    """

    def __init__(
        self, deal: Replay, console: Console, coach: Coach | None = None, seconds: float = 0.0, advising: bool = False
    ) -> None:
        self._deal, self._console, self._coach, self._seconds = deal.deal, console, coach, seconds
        self._advising = advising
        self._env, self._observation, self._info = self._deal.start(render_mode="ansi")
        self._cards: list[str] = []

    @property
    def replay(self) -> Replay:
        """The game so far."""
        deal = self._deal
        return Replay(deal.variant, deal.seed, deal.game, tuple(self._cards), deal.options, self._info.get("outcome"))

    def play(self) -> Replay:
        """Let a person play until the game ends or the person stops, and return the game."""
        self._console.tell(HELP + "\n")
        try:
            self._show()
            while "outcome" not in self._info:
                words = self._console.ask("card> ").split(maxsplit=1)
                if words and words[0].lower() == "quit":
                    break
                if words:
                    self._answer(words[0], words[1] if len(words) > 1 else "")
        except (EOFError, KeyboardInterrupt):
            self._console.tell("")
        return self.replay

    def watch(self, delay: float) -> Replay:
        """Let the coach play to the end, with a pause of so many seconds after each card, and return the game.

        Ctrl-C ends it before.
        """
        assert self._coach is not None
        try:
            self._show()
            while "outcome" not in self._info:
                advice = self._advise()
                self._console.tell(_advice_text(advice, self._console.color))
                self._console.sleep(delay)
                self._step(advice.card)
        except KeyboardInterrupt:
            self._console.tell("")
        return self.replay

    def _answer(self, word: str, rest: str) -> None:
        command = word.lower()
        if command == "help" or command == "?":
            self._console.tell(HELP)
        elif command == "coach":
            self._switch_coach()
        elif command == "code":
            self._console.tell(f"deal: {replay_to_code(self._deal)}\ngame: {replay_to_code(self.replay)}")
        elif command == "memory":
            self._console.tell(f"face down: {self._painted(self._view()['face_down'])}")
        elif command == "save":
            self._save(rest.strip())
        elif word.upper() in NAMES:
            self._step(word.upper())
        else:
            near = difflib.get_close_matches(command, _COMMANDS, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            self._console.tell(f"{word!r} is no card and no word that is known here: {hint}'help' says what is")

    def _step(self, card: str) -> None:
        tied_before = tied_tricks(self._observation)
        try:
            self._observation, _, _, _, self._info = self._env.step(card_kind(card))
        except IllegalActionError as error:
            self._console.tell(str(error))
            return
        self._cards.append(card)
        words = make_view(self._observation, self._info, tied_before)["words"]
        self._console.tell(f"\n{words['trick']} {words['taker']}")
        if words["round"]:
            self._console.tell(f"\nThe round is over. {words['round']}\n")
        if words["outcome"]:
            self._console.tell(words["outcome"])
        else:
            self._show()

    def _show(self) -> None:
        self._console.tell(self._env.render())
        if self._advising and self._coach is not None:
            self._console.tell(_advice_text(self._advise(), self._console.color))

    def _advise(self) -> Advice:
        assert self._coach is not None
        key = (self._deal.seed, self._deal.game, len(self._cards))
        return self._coach.advise(self._observation, self._info["action_mask"], key, self._seconds)

    def _switch_coach(self) -> None:
        if self._coach is None:
            self._console.tell("there is no coach: start with --coach AGENT, such as --coach mc:64")
            return
        self._advising = not self._advising
        self._console.tell(f"advice is {'on' if self._advising else 'off'}")
        if self._advising:
            self._console.tell(_advice_text(self._advise(), self._console.color))

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
        return make_view(self._observation, self._info, 0)

    def _painted(self, cards: Sequence[str]) -> str:
        return " ".join(paint_card(card, self._console.color) for card in cards) or "-"


def show_replay(replay: Replay, console: Console, delay: float | None = None) -> None:
    """Show a replay card by card: after a pause of so many seconds each or, without `delay`, when Enter is pressed.

    Raises:
        ReplayError: If a card does not fit the rules.
    """
    tied_before = 0
    for moment in replay.moments():
        words = make_view(moment.observation, moment.info, tied_before)["words"]
        tied_before = tied_tricks(moment.observation)
        if words["trick"]:
            console.tell(f"{words['trick']} {words['taker']}")
        if words["round"]:
            console.tell(f"\nThe round is over. {words['round']}\n")
        if moment.card is None:
            console.tell(words["outcome"] or "The replay ends here.")
            return
        hand = " ".join(paint_card(card["card"], console.color) for card in _hand(moment))
        console.tell(f"{words['turn']} Hand: {hand}; played: {paint_card(moment.card, console.color)}")
        if delay is not None:
            console.sleep(delay)
            continue
        try:
            if console.ask("Enter: next card, q: stop > ").strip().lower().startswith("q"):
                return
        except (EOFError, KeyboardInterrupt):
            return


def _hand(moment: Any) -> list[dict[str, Any]]:
    hand: list[dict[str, Any]] = make_view(moment.observation, moment.info, 0)["hand"]
    return hand


def show_rating(replay: Replay, console: Console, coach: Coach, seconds: float) -> None:
    """Show for each decision of a replay what the coach would have played, and what the choice cost.

    Raises:
        ReplayError: If a card does not fit the rules.
    """
    rated: list[Rated] = []
    for entry in rate(replay, coach, seconds):
        rated.append(entry)
        if len(entry.advice.probabilities) > 1:
            console.tell(_rating_text(entry, console.color))
    figures = summary_of(rated)
    text = f"{figures['as_advised']} of {figures['decisions']} decisions as {coach.name} would decide"
    if figures["cost"] is not None:
        text += f"; the choices cost {percent(figures['cost'])} of a win in all"
    if figures["worst"] is not None and rated[figures["worst"]].cost:
        worst = rated[figures["worst"]]
        text += f", most of it card {worst.number + 1}, {card_words(worst.card)} ({percent(worst.cost or 0.0)})"
    console.tell(text)


def _rating_text(entry: Rated, color: bool) -> str:
    played, advised = (paint_card(card, color) for card in (entry.card, entry.advice.card))
    cost = "" if entry.cost is None else f"costs {percent(entry.cost)}"
    said = "as advised" if entry.card == entry.advice.card else f"not {advised}"
    return f"{entry.number + 1:>4}. {played}  {said}  {cost}"


def _advice_text(advice: Advice, color: bool) -> str:
    """Return a line for each card that may be played, and the advice in words."""
    data = advice_to_data(advice)
    lines = [_advice_line(entry, entry["card"] == advice.card, color) for entry in data["cards"]]
    notes = [f"({advice.note})"] if advice.note else []
    return "\n".join([*(lines if len(lines) > 1 else []), data["words"], *notes]) + "\n"


def _advice_line(entry: dict[str, Any], best: bool, color: bool) -> str:
    card = entry["card"]
    parts = [f"plays it {percent(entry['probability'], 0):>6}"]
    parts += [f"value {percent(entry['value']):>7}"] if entry["value"] is not None else []
    parts += [f"win chance {percent(entry['chance']):>7}"] if entry["chance"] is not None else []
    line = f"  {paint_card(card, color)}{' ' * (3 - len(card))}{card_words(card):<16}  {'  '.join(parts)}"
    return f"{line}  {paint('<-', '1', color)}" if best else line
