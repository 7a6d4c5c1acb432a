"""`EckEnv`: one game of ECK as a Gymnasium environment."""

from __future__ import annotations

from collections.abc import Sequence

from eck_env.base.env import GameEnv
from eck_env.base.env import Observation as Observation
from eck_env.base.render import PICTURE_SIZE, check_render_mode, check_render_size
from eck_env.eck.definition import ECK
from eck_env.eck.round_values import RoundValues, StartStates
from eck_env.eck.settings import Settings, make_settings


class EckEnv(GameEnv):
    """ECK, a solo trick-taking card game by John Burton: collect trick cards by taking exactly their number of tricks.

    A game is a series of rounds of 13 tricks against ECK, a deck that plays by fixed rules. After each round you
    collect the trick card of the number of tricks you took, if it is still to be had; otherwise the counter advances,
    and the card of ECK's number turns gray, or is ECK's if it was gray. You win with `target` cards; you lose when ECK
    takes a card or the counter reaches X. Each step plays one card of yours and finishes its trick.

    **Action**: `Discrete(38)`: the kind of the card to play (`cards.py`).
    **Mask**: `info["action_mask"]` after every reset and step, int8, shape (38,); `action_masks()` as bool. All ones
    once the episode is over.
    **Observation**: what a player who remembers the round knows; `observation.py` shows the layout.
    **Reward**: +1 for a win, -1 for a loss, 0 before; see `reward` in `settings.make_settings`.
    **Info**: `trick` after every step; `round` at the end of a round; `outcome` and `reasons` at the end of a game;
    `illegal_action` after an illegal action.
    **Randomness**: the deals follow from the seed, the number of the game since seeding and the round alone. A reset
    without a seed starts the next game; without any seed ever given, a seed is drawn (below 2**30).

    Args:
        target: See `settings.make_settings`; so for all but the last.
        trick_cards: Names of the trick cards laid out.
        circle_follow: ``"any"`` or ``"same"``.
        observation: ``"flat"`` or ``"dict"``.
        dtype: ``"int8"`` or ``"float32"``.
        reward: ``"win"`` or ``"round_value"``.
        illegal_action: ``"forfeit"`` or ``"raise"``.
        episode: ``"game"`` or ``"round"``.
        round_values: The table of round values, where it is needed.
        start_states: The states that round episodes start from.
        render_mode: None; ``"ansi"``: text; ``"rgb_array"``: a picture; ``"human"``: a window that follows the game.
        render_size: Width and height of the picture or window, in pixels.

    Raises:
        ValueError: If a keyword has a value that is not allowed.
        TypeError: If a keyword has the wrong type.
    """

    definition = ECK
    settings: Settings

    def __init__(
        self,
        target: int = 4,
        trick_cards: Sequence[str] | None = None,
        circle_follow: str = "any",
        observation: str = "flat",
        dtype: str = "int8",
        reward: str | None = None,
        illegal_action: str = "forfeit",
        episode: str = "game",
        round_values: RoundValues | str | None = None,
        start_states: StartStates | None = None,
        render_mode: str | None = None,
        render_size: Sequence[int] = PICTURE_SIZE,
    ) -> None:
        settings = make_settings(
            target, trick_cards, circle_follow, observation, dtype, reward, illegal_action, episode, round_values,
            start_states,
        )  # fmt: skip
        self._set_up(settings, check_render_mode(render_mode), check_render_size(render_size))
