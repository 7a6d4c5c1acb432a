"""Pictures of evaluations and of round values, as matplotlib figures.

Colors are those of Okabe and Ito, which people with any color vision can tell apart; beside them, markers, hatches or
numbers say the same.
"""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from agents.results import ENDINGS, Result, variant_title
from eck_env.eck.cards import HAND_SIZE
from eck_env.eck.round_values import RoundValues
from eck_env.eck.rules import COUNTERS, NO_CARD, your_card
from eck_env.eck.variant import TRICK_CARDS, Variant

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLORS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")  # nine, so that only the 73rd agent looks like the first
DPI = 150

_ENDING_STYLES = (("#0072B2", ""), ("#E69F00", "//"), ("#56B4E9", "\\\\"), ("#CC79A7", "xx"), ("#000000", ""))
_COUNTER_STYLES = (("#0072B2", "o", "-"), ("#D55E00", "s", "--"), ("#009E73", "^", ":"))
_LEGIBLE = 5  # percent: a narrower part of a bar has no room for its number
_LABEL = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"}
_SPREAD = (0.05, 0.95)  # the quantiles of the bars of round values
_WIDE, _ROW = 9.0, 0.34  # inches: the width of all pictures, the height of a row

Groups = Sequence[Sequence[Result]]
"""Results by variant."""


def to_png(figure: Figure) -> bytes:
    """Return a figure as a PNG file."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DPI, metadata={"Software": None})
    return buffer.getvalue()


def strength_chart(groups: Groups) -> Figure:
    """Draw the win rate of every agent against its time for a decision, a panel for each variant."""
    columns = min(2, len(groups))
    rows = math.ceil(len(groups) / columns)
    figure = _new_figure(1.0 + 3.1 * rows)
    panels = np.ravel(figure.subplots(rows, columns, squeeze=False, sharex=True))
    styles = _agent_styles(groups)
    for axes, group in zip(panels, groups, strict=False):
        for result in group:
            color, marker = styles[result.agent]
            low, high = (100 * bound for bound in result.interval)
            rate = 100 * result.win_rate
            axes.errorbar(
                max(result.ms_per_decision, 1e-6), rate, [[rate - low], [high - rate]], color=color, marker=marker,
                markersize=8, markeredgecolor="black", markeredgewidth=0.6, ecolor="#444444", elinewidth=1.2,
                capsize=3, linestyle="none", label=result.agent,
            )  # fmt: skip
        axes.set_title(variant_title(group[0].variant))
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_ylim(bottom=-0.04 * axes.get_ylim()[1])  # or a marker at 0 were cut
        axes.grid(color="#dddddd", linewidth=0.6)
        axes.set_axisbelow(True)
    for axes in panels[len(groups) :]:
        axes.remove()
    for axes in panels[max(0, len(groups) - columns) : len(groups)]:
        axes.tick_params(labelbottom=True)
    figure.supxlabel("processor time for a decision in milliseconds (log scale)", fontsize=10)
    figure.supylabel("games won in percent, with 95 % intervals", fontsize=10)
    handles = {label: handle for axes in panels[: len(groups)] for handle, label in zip(*_legend(axes), strict=True)}
    figure.legend(handles.values(), handles.keys(), loc="outside right upper", frameon=False, fontsize=9)
    return figure


def tricks_chart(groups: Groups) -> Figure:
    """Draw how often each number of tricks is taken in a round, a panel for each variant and a row for each agent."""
    figure, panels = _stacked(groups, extra=1.25)
    for axes, group in zip(panels, groups, strict=True):
        shares = np.array([100 * result.tricks / max(1, result.tricks.sum()) for result in group])
        _heat_map(axes, shares, group, [str(count) for count in range(HAND_SIZE + 1)])
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
    figure, panels = _stacked(groups, extra=0.85)
    for axes, group in zip(panels, groups, strict=True):
        counts = [list(result.collected.values()) for result in group]
        shares = np.array([100 * np.array(row) / len(result.games) for row, result in zip(counts, group, strict=True)])
        _heat_map(axes, shares, group, list(group[0].variant.trick_cards))
        axes.set_xlabel("trick card", fontsize=9)
    figure.suptitle("Games in which the card was collected, in percent", fontsize=11)
    return figure


def endings_chart(groups: Groups) -> Figure:
    """Draw how the games end, a panel for each variant and a bar for each agent."""
    figure, panels = _stacked(groups, extra=0.75)
    for axes, group in zip(panels, groups, strict=True):
        names = [result.agent for result in group]
        left = np.zeros(len(group))
        for ending, (color, hatch) in zip(ENDINGS, _ENDING_STYLES, strict=True):
            shares = np.array([100 * result.endings[ending] / len(result.games) for result in group])
            if not any(result.endings[ending] for shown in groups for result in shown):
                continue
            axes.barh(names, shares, left=left, color=color, hatch=hatch, edgecolor="white", linewidth=0.8,
                      height=0.78, label=ending if ending == "won" else f"lost by {ending}")  # fmt: skip
            for row in np.flatnonzero(shares >= _LEGIBLE):
                center = left[row] + shares[row] / 2
                axes.text(center, float(row), f"{shares[row]:.0f}", bbox=_LABEL, fontsize=8, ha="center", va="center")
            left += shares
        axes.invert_yaxis()
        axes.set_xlim(0, 100)
        axes.set_title(variant_title(group[0].variant), loc="left", fontsize=10)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(left=False, labelsize=9)
    panels[-1].set_xlabel("games in percent", fontsize=9)
    figure.legend(*_legend(panels[0]), loc="outside lower center", ncols=len(ENDINGS), frameon=False, fontsize=9)
    return figure


def round_values_chart(tables: Sequence[tuple[Variant, RoundValues]]) -> Figure:
    """Draw the chance to win at the start of a round by cards collected and counter, a panel for each variant."""
    columns = min(2, len(tables))
    rows = math.ceil(len(tables) / columns)
    figure = _new_figure(0.7 + 2.9 * rows)
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
    figure.legend(*_legend(panels[0]), loc="outside upper center", ncols=3, frameon=False, fontsize=9)
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


def _new_figure(height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(_WIDE, height), layout="constrained", facecolor="white")


def _stacked(groups: Groups, extra: float) -> tuple[Figure, list[Axes]]:
    """Return a figure with a panel below the other for each variant, each as high as its agents need."""
    heights = [_ROW * len(group) + extra for group in groups]
    figure = _new_figure(sum(heights) + 0.4)
    panels = figure.subplots(len(groups), 1, squeeze=False, height_ratios=heights)
    return figure, list(np.ravel(panels))


def _heat_map(axes: Axes, shares: NDArray[np.float64], group: Sequence[Result], labels: Sequence[str]) -> None:
    """Draw percentages as shades, with the numbers written into them."""
    top = max(1.0, float(shares.max()))
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=top, aspect="auto")
    axes.set_xticks(range(len(labels)), labels, fontsize=9)
    axes.set_yticks(range(len(group)), [result.agent for result in group], fontsize=9)
    axes.set_title(variant_title(group[0].variant), loc="left", fontsize=10)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    for (row, column), share in np.ndenumerate(shares):
        color = "white" if share > 0.6 * top else "black"
        text = "0" if share == 0 else "<1" if share < 0.5 else f"{share:.0f}"
        axes.text(column, row, text, ha="center", va="center", color=color, fontsize=8)


def _agent_styles(groups: Groups) -> dict[str, tuple[str, str]]:
    names = dict.fromkeys(result.agent for group in groups for result in group)
    return {name: (COLORS[i % len(COLORS)], MARKERS[i % len(MARKERS)]) for i, name in enumerate(names)}


def _legend(axes: Axes) -> tuple[list[Any], list[Any]]:
    handles, labels = axes.get_legend_handles_labels()
    return handles, labels
