"""The pictures and tables of a report that only Gongor Whist has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from agents.charts import (
    Picture,
    ShareTable,
    endings_chart,
    endings_table,
    heat_map,
    percentages,
    stacked,
    strength_chart,
)
from agents.games.gongor_whist import GongorResult
from agents.results import variant_title
from eck_env.gongor_whist.rules import NUM_BIDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BIDS = [str(bid) for bid in range(NUM_BIDS)]

Groups = Sequence[Sequence[GongorResult]]
"""Results by variant."""


def pictures(groups: Groups) -> list[Picture]:
    """Return the pictures of Gongor Whist's results by variant."""
    return [
        Picture(
            "gongor_measures",
            "Gongor Whist: measures and time",
            "Bids made in percent of those bid, points more than the dummy's, or hands needed to win, against the "
            "processor time that an agent takes for a decision. Bars: 95 % intervals.",
            "The first measure of each variant against milliseconds a decision; the first tables have all numbers.",
            strength_chart(groups, measure=True),
        ),
        Picture(
            "gongor_bids",
            "Gongor Whist: bids made",
            "How often each bid was made, in percent of the hands in which it was bid.",
            "Shares of the hands in which a bid of 0 to 7 was made, by agent and variant; a table below has the same.",
            made_chart(groups),
        ),
        Picture(
            "gongor_endings",
            "Gongor Whist: how games end",
            "Games that were won or drawn, or lost by a missed bid, by points, or for want of hands, in percent.",
            "Shares of the games won, drawn and lost by each reason, by agent and variant; a table below has the same.",
            endings_chart(groups),
        ),
    ]


def made_chart(groups: Groups) -> Figure:
    """Draw how often each bid is made, a panel for each variant and a row for each agent."""
    figure, panels = stacked(groups, extra=0.85)
    for axes, group in zip(panels, groups, strict=True):
        counts = [result.hands for result in group]
        heat_map(axes, np.array([100 * made / np.maximum(1, bid) for made, bid in counts]), group, _BIDS)
        axes.set_xlabel("bid", fontsize=9)
    figure.suptitle("Hands in which the bid was made, in percent", fontsize=11)
    return figure


def share_tables(group: Sequence[GongorResult]) -> list[ShareTable]:
    """Return the tables that have the numbers of the pictures of a variant."""
    title = variant_title(group[0].variant)
    made, bids = [], []
    for result in group:
        hands = result.hands.tolist()
        made.append((result.agent, *(percentages([top], bottom)[0] for top, bottom in zip(*hands, strict=True))))
        bids.append((result.agent, *percentages(hands[1], sum(hands[1]))))
    return [
        ShareTable(f"{title}: hands in which this bid was made, in percent of those", ["agent", *_BIDS], made),
        ShareTable(f"{title}: hands with this bid, in percent", ["agent", *_BIDS], bids),
        endings_table(group),
    ]
