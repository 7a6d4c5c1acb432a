"""Gongor Whist as the shared environments see it."""

from __future__ import annotations

from eck_env.base.game import Game
from eck_env.gongor_whist.engine import ENGINE
from eck_env.gongor_whist.infos import illegal_action_message, told
from eck_env.gongor_whist.loading import load_state
from eck_env.gongor_whist.observation import LAYOUT, decode
from eck_env.gongor_whist.options import apply_options
from eck_env.gongor_whist.render import TABLES
from eck_env.gongor_whist.rules import BY_ILLEGAL_ACTION
from eck_env.gongor_whist.state import GAME, OUTCOMES, REASONS, SCRIPT_SIZE, new_games, shuffle_hidden, state_dict

GONGOR_WHIST = Game(
    name="Gongor Whist",
    action="a bid, a card, keep or twiddle",
    dtype=GAME,
    layout=LAYOUT,
    engine=ENGINE,
    script_length=SCRIPT_SIZE,
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
