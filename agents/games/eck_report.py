"""The pictures and tables of a report that only ECK has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from agents.charts import (
    Picture,
    ShareTable,
    endings_chart,
    endings_table,
    heat_map,
    legend,
    new_figure,
    percentages,
    stacked,
)
from agents.games.eck import EckResult
from agents.results import variant_title
from eck_env.eck.cards import HAND_SIZE
from eck_env.eck.round_values import RoundValues, load_round_values
from eck_env.eck.rules import COUNTERS, NO_CARD, your_card
from eck_env.eck.variant import TRICK_CARDS, Variant

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COUNTER_STYLES = (("#0072B2", "o", "-"), ("#D55E00", "s", "--"), ("#009E73", "^", ":"))
_SPREAD = (0.05, 0.95)  # the quantiles of the bars of round values

Groups = Sequence[Sequence[EckResult]]
"""Results by variant."""


def pictures(groups: Groups) -> list[Picture]:
    """Return the pictures of ECK's results by variant."""
    tables = _round_values([group[0].variant for group in groups])
    found = [
        Picture(
            "tricks",
            "Tricks in a round",
            "How often each number of tricks was taken in a round, in percent of the agent's rounds. Above: the trick "
            "card that the number collects while it lies there.",
            "Shares of the rounds with 0 to 13 tricks, by agent and variant; a table below has the same.",
            tricks_chart(groups),
        ),
        Picture(
            "collected",
            "Trick cards collected",
            "In how many games the agent collected each trick card, in percent.",
            "Shares of the games in which each card was collected, by agent and variant; a table below has the same.",
            collected_chart(groups),
        ),
        Picture(
            "endings",
            "How games end",
            "Games that were won, or lost by the counter, by ECK's card, or by both in the same round, in percent.",
            "Shares of the games won and lost by each reason, by agent and variant; a table below has the same.",
            endings_chart(groups),
        ),
    ]
    if tables:
        found.append(
            Picture(
                "round_values",
                "Round values",
                "The chance to win at the start of a round, by cards collected and counter, in the shipped tables: "
                "the mean over the states that games come to, and the middle 90 % of them. The states differ in which "
                "cards are collected and which are gray.",
                f"Chance to win by cards collected, a line for each counter. {_value_texts(tables)}",
                round_values_chart(tables),
            )
        )
    return found


def _round_values(variants: Sequence[Variant]) -> list[tuple[Variant, RoundValues]]:
    tables = []
    for variant in variants:
        try:
            tables.append((variant, load_round_values(variant)))
        except ValueError:  # none is shipped for this variant
            continue
    return tables


def _value_texts(tables: Sequence[tuple[Variant, RoundValues]]) -> str:
    return " ".join(f"{variant_title(variant)}: {table.values[0, 0, 0]:.1%} at the start." for variant, table in tables)


def tricks_chart(groups: Groups) -> Figure:
    """Draw how often each number of tricks is taken in a round, a panel for each variant and a row for each agent."""
    figure, panels = stacked(groups, extra=1.25)
    for axes, group in zip(panels, groups, strict=True):
        shares = np.array([100 * result.tricks / max(1, result.tricks.sum()) for result in group])
        heat_map(axes, shares, group, [str(count) for count in range(HAND_SIZE + 1)])
        axes.set_xlabel("tricks in a round", fontsize=9)
        cards = {count: your_card(count) for count in range(HAND_SIZE + 1)}
        laid = group[0].variant.trick_cards
        collecting = [count for count, card in cards.items() if card != NO_CARD and TRICK_CARDS[card] in laid]
        top = axes.secondary_xaxis("top")
        top.set_xticks(collecting, [TRICK_CARDS[cards[count]] for count in collecting], fontsize=9)
        top.set_xlabel("card that they collect", fontsize=9)
        top.spines["top"].set_visible(False)
    figure.suptitle("Rounds in percent", fontsize=11)
    return figure


def collected_chart(groups: Groups) -> Figure:
    """Draw how often each trick card is collected in a game, a panel for each variant and a row for each agent."""
    figure, panels = stacked(groups, extra=0.85)
    for axes, group in zip(panels, groups, strict=True):
        counts = [list(result.collected.values()) for result in group]
        shares = np.array([100 * np.array(row) / len(result.games) for row, result in zip(counts, group, strict=True)])
        heat_map(axes, shares, group, list(group[0].variant.trick_cards))
        axes.set_xlabel("trick card", fontsize=9)
    figure.suptitle("Games in which the card was collected, in percent", fontsize=11)
    return figure


def round_values_chart(tables: Sequence[tuple[Variant, RoundValues]]) -> Figure:
    """Draw the chance to win at the start of a round by cards collected and counter, a panel for each variant."""
    columns = min(2, len(tables))
    rows = math.ceil(len(tables) / columns)
    figure = new_figure(0.7 + 2.9 * rows)
    panels = np.ravel(figure.subplots(rows, columns, squeeze=False))
    for axes, (variant, table) in zip(panels, tables, strict=False):
        for counter, (color, marker, line) in enumerate(_COUNTER_STYLES):
            places, means, lows, highs = by_collected(table, counter)
            axes.errorbar(
                places + 0.18 * (counter - 1), means, [means - lows, highs - means], color=color, marker=marker,
                linestyle=line, capsize=3, elinewidth=1.0, markersize=6, label=f"counter at {COUNTERS[counter]}",
            )  # fmt: skip
        axes.set_title(variant_title(variant))
        axes.set_xticks(range(variant.target))
        axes.set_xlim(-0.5, variant.target - 0.5)
        axes.set_ylim(0, 100)
        axes.grid(axis="y", color="#dddddd", linewidth=0.6)
        axes.set_axisbelow(True)
    for axes in panels[len(tables) :]:
        axes.remove()
    figure.supxlabel("trick cards collected", fontsize=10)
    figure.supylabel("chance to win in percent", fontsize=10)
    figure.legend(*legend(panels[0]), loc="outside upper center", ncols=3, frameon=False, fontsize=9)
    return figure


def by_collected(table: RoundValues, counter: int) -> tuple[NDArray[Any], ...]:
    """Return the counts of collected cards that a counter occurs with; mean and quantiles of 100 W over the visits."""
    yours, gray = np.nonzero(table.visits[counter] > 0)
    values, weights = 100 * table.values[counter, yours, gray], table.visits[counter, yours, gray]
    counts = np.bitwise_count(yours)
    rows = []
    for count in np.unique(counts):
        chosen = counts == count
        order = np.argsort(values[chosen])
        ranked, shares = values[chosen][order], weights[chosen][order] / weights[chosen].sum()
        low, high = (ranked[np.searchsorted(np.cumsum(shares), part).clip(0, len(ranked) - 1)] for part in _SPREAD)
        mean = float(ranked @ shares)
        rows.append((count, mean, min(low, mean), max(high, mean)))
    return tuple(np.array(rows, np.float64).T)


def share_tables(group: Sequence[EckResult]) -> list[ShareTable]:
    """Return the tables that have the numbers of the pictures of a variant."""
    title, cards = variant_title(group[0].variant), list(group[0].variant.trick_cards)
    tricks = [(result.agent, *percentages(result.tricks.tolist(), int(result.tricks.sum()))) for result in group]
    collected = [(result.agent, *percentages(list(result.collected.values()), len(result.games))) for result in group]
    counts = [str(count) for count in range(HAND_SIZE + 1)]
    return [
        ShareTable(f"{title}: rounds with this many tricks, in percent", ["agent", *counts], tricks),
        ShareTable(f"{title}: games in which the card was collected, in percent", ["agent", *cards], collected),
        endings_table(group),
        *_round_value_tables([group[0].variant]),
    ]


def _round_value_tables(variants: Sequence[Variant]) -> list[ShareTable]:
    return [
        ShareTable(
            f"{variant_title(variant)}: mean chance to win at the start of a round, in percent",
            ["trick cards collected", *(f"counter at {name}" for name in COUNTERS[:-1])],
            [(str(count), *row) for count, row in enumerate(_mean_values(variant, table))],
        )
        for variant, table in _round_values(variants)
    ]


def _mean_values(variant: Variant, table: RoundValues) -> list[list[str]]:
    columns = []
    for counter in range(len(COUNTERS) - 1):
        places, means, _, _ = by_collected(table, counter)
        known = dict(zip(places.astype(int).tolist(), means.tolist(), strict=True))
        columns.append([f"{known[count]:.1f}" if count in known else "" for count in range(variant.target)])
    return [list(row) for row in zip(*columns, strict=True)]
