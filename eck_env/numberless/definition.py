"""The game without numbers as the shared environments see it."""

from __future__ import annotations

from eck_env.base.game import Game
from eck_env.numberless.engine import ENGINE
from eck_env.numberless.infos import illegal_action_message, told
from eck_env.numberless.loading import load_state
from eck_env.numberless.observation import LAYOUT, decode
from eck_env.numberless.options import apply_options
from eck_env.numberless.render import TABLES
from eck_env.numberless.rules import BY_ILLEGAL_ACTION
from eck_env.numberless.state import GAME, OUTCOMES, REASONS, new_games, state_dict
from eck_env.numberless.worlds import shuffle_hidden

NUMBERLESS = Game(
    name="the game without numbers",
    action="the card to take or to play",
    dtype=GAME,
    layout=LAYOUT,
    engine=ENGINE,
    script_length=1,
    outcomes=OUTCOMES,
    reasons=REASONS,
    illegal_action=BY_ILLEGAL_ACTION,
    new_games=new_games,
    state_dict=state_dict,
    load_state=load_state,
    apply_options=apply_options,
    shuffle_hidden=shuffle_hidden,
    decode=decode,
    told=told,
    illegal_action_message=illegal_action_message,
    tables=TABLES,
)
