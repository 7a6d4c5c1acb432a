"""ECK as the shared environments see it."""

from __future__ import annotations

from eck_env.base.game import Game
from eck_env.eck.cards import DECK_SIZE
from eck_env.eck.engine import ENGINE
from eck_env.eck.infos import illegal_action_message, misfit_message, told
from eck_env.eck.loading import load_state
from eck_env.eck.observation import LAYOUT, decode
from eck_env.eck.options import apply_options
from eck_env.eck.render import TABLES
from eck_env.eck.rules import BY_ILLEGAL_ACTION
from eck_env.eck.state import GAME, OUTCOMES, REASONS, new_games, shuffle_hidden, state_dict

ECK = Game(
    name="ECK",
    action="a card kind",
    dtype=GAME,
    layout=LAYOUT,
    engine=ENGINE,
    script_length=DECK_SIZE,
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
    misfit_message=misfit_message,
)
