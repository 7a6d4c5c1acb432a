"""`GongorEnv`: one game of Gongor Whist as a Gymnasium environment."""

from __future__ import annotations

from collections.abc import Sequence

from eck_env.base.env import GameEnv
from eck_env.base.render import PICTURE_SIZE, check_render_mode, check_render_size
from eck_env.gongor_whist.definition import GONGOR_WHIST
from eck_env.gongor_whist.round_values import RoundValues, StartStates
from eck_env.gongor_whist.settings import Settings, make_settings


class GongorEnv(GameEnv):
    """Gongor Whist, a solo trick-taking game by P. D. Magnus: bid how many tricks you take, and take exactly these.

    A game is a series of hands of seven tricks against a dummy, whose top card always leads. Most cards have two
    suits; after each card you may twiddle trump, which turns the next of six Aces. How hands are scored, and what wins
    the game, is the variant's.

    **Action**: `Discrete(40)`: 0 to 7 bid, 8 to 37 play a card (`cards.py`), 38 keeps the trump and 39 twiddles it.
    Which of them is to be decided is in the observation's `phase`; keeping or twiddling only where a twiddle is left.
    **Mask**: `info["action_mask"]` after every reset and step, int8, shape (40,); `action_masks()` as bool. All ones
    once the game is over.
    **Observation**: what a player who remembers the pass knows; `observation.py` shows the layout.
    **Reward**: +1 for a win, -1 for a loss, 0 before and for a draw; see `reward` in `settings.make_settings`.
    **Info**: `trick` where a trick is decided; `hand` at the end of a hand; `outcome` (`win`, `loss`, `draw`) and
    `reasons` at the end of a game; `illegal_action` after an illegal action.
    **Randomness**: the deals follow from the seed, the number of the game since seeding and the hand alone. A reset
    without a seed starts the next game; without any seed ever given, a seed is drawn (below 2**30).

    Args:
        scoring: See `settings.make_settings`; so for all but the last two.
        aces: ``"game"`` or ``"pass"``.
        max_hands: For the first edition alone.
        observation: ``"flat"`` or ``"dict"``.
        dtype: ``"int8"`` or ``"float32"``.
        reward: ``"win"``, ``"score"`` or ``"round_value"``.
        illegal_action: ``"forfeit"`` or ``"raise"``.
        episode: ``"game"`` or ``"round"``.
        round_values: A table of round values, or its file.
        start_states: States that episodes of one hand start from.
        render_mode: None; ``"ansi"``: text; ``"rgb_array"``: a picture; ``"human"``: a window that follows the game.
        render_size: Width and height of the picture or window, in pixels.

    Raises:
        ValueError: If a keyword has a value that is not allowed.
    """

    definition = GONGOR_WHIST
    settings: Settings

    def __init__(
        self,
        scoring: str = "shut_the_box",
        aces: str = "game",
        max_hands: int | None = None,
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
            scoring, aces, max_hands, observation, dtype, reward, illegal_action, episode, round_values, start_states
        )
        self._set_up(settings, check_render_mode(render_mode), check_render_size(render_size))
