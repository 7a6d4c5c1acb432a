"""Pictures of evaluations, as matplotlib figures: what is the same in every game, and what its own pictures need.

Colors are those of Okabe and Ito, which people with any color vision can tell apart; beside them, markers, hatches or
numbers say the same.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.results import Result, variant_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLORS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")  # nine, so that only the 73rd agent looks like the first
DPI = 150

_ENDING_STYLES = (
    ("#0072B2", ""), ("#E69F00", "//"), ("#56B4E9", "\\\\"), ("#CC79A7", "xx"), ("#009E73", ".."), ("#000000", ""),
)  # fmt: skip
_LEGIBLE = 5  # percent: a narrower part of a bar has no room for its number
_BUDGET = re.compile(r"(mc|search):[0-9.]+(ms)?")
_LABEL = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"}
_WIDE, _ROW = 9.0, 0.34  # inches: the width of all pictures, the height of a row

Groups = Sequence[Sequence[Result]]
"""Results by variant."""


@dataclass(frozen=True)
class Picture:
    """A picture of the report.

    Attributes:
        name: The file's name without its suffix.
        heading: The heading over it.
        caption: What it shows.
        alt: The text in its place for those who cannot see it.
        figure: The picture.
    """

    name: str
    heading: str
    caption: str
    alt: str
    figure: Figure


class ShareTable(NamedTuple):
    """A table of the report: its title, its headings, and its rows."""

    title: str
    headings: list[str]
    rows: list[tuple[str, ...]]


def percentages(counts: Sequence[int], total: int) -> list[str]:
    """Return counts in percent of a total, as texts."""
    return [f"{100 * count / max(1, total):.1f}" for count in counts]


def endings_table(group: Sequence[Result]) -> ShareTable:
    """Return how the games of each agent ended."""
    rows = [(result.agent, *percentages(list(result.endings.values()), len(result.games))) for result in group]
    title = f"{variant_title(group[0].variant)}: games that ended so, in percent"
    return ShareTable(title, ["agent", *group[0].ENDINGS], rows)


def to_png(figure: Figure) -> bytes:
    """Return a figure as a PNG file."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DPI, metadata={"Software": None})
    return buffer.getvalue()


def strength_chart(groups: Groups, measure: bool = False) -> Figure:
    """Draw the win rate of every agent against its time for a decision, a panel for each variant.

    Searches that differ in nothing but their budget are joined by a line.

    Args:
        groups: The results.
        measure: Draw the first measure of the game instead of the win rate.
    """
    columns = min(2, len(groups))
    rows = math.ceil(len(groups) / columns)
    figure = new_figure(1.0 + 3.1 * rows)
    panels = np.ravel(figure.subplots(rows, columns, squeeze=False, sharex=True))
    styles = _agent_styles(groups)
    for axes, group in zip(panels, groups, strict=False):
        for alike in searches_alike(group):
            times, rates = [_ms(result) for result in alike], [_strength(result, measure)[0] for result in alike]
            axes.plot(times, rates, color="#888888", linewidth=0.9, zorder=1)
        for result in group:
            color, marker = styles[result.agent]
            rate, low, high = _strength(result, measure)
            axes.errorbar(
                _ms(result), rate, [[rate - low], [high - rate]], color=color, marker=marker,
                markersize=8, markeredgecolor="black", markeredgewidth=0.6, ecolor="#444444", elinewidth=1.2,
                capsize=3, linestyle="none", label=result.agent,
            )  # fmt: skip
        axes.set_title(variant_title(group[0].variant) + (f": {group[0].measures[0].name}" if measure else ""))
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
        if not measure:
            axes.set_ylim(bottom=-0.04 * axes.get_ylim()[1])  # or a marker at 0 were cut
        axes.grid(color="#dddddd", linewidth=0.6)
        axes.set_axisbelow(True)
    for axes in panels[len(groups) :]:
        axes.remove()
    for axes in panels[max(0, len(groups) - columns) : len(groups)]:
        axes.tick_params(labelbottom=True)
    figure.supxlabel("processor time for a decision in milliseconds (log scale)", fontsize=10)
    figure.supylabel("measure" if measure else "games won in percent, with 95 % intervals", fontsize=10)
    handles = {label: handle for axes in panels[: len(groups)] for handle, label in zip(*legend(axes), strict=True)}
    figure.legend(handles.values(), handles.keys(), loc="outside right upper", frameon=False, fontsize=9)
    return figure


def searches_alike(group: Sequence[Result]) -> list[list[Result]]:
    """Return the searches that differ in nothing but their budget, the quickest first; none that is alone."""
    alike: dict[str, list[Result]] = {}
    for result in sorted(group, key=_ms):
        if _BUDGET.search(result.agent):
            alike.setdefault(_BUDGET.sub(r"\1", result.agent), []).append(result)
    return [results for results in alike.values() if len(results) > 1]


def _ms(result: Result) -> float:
    return max(result.ms_per_decision, 1e-6)  # the axis is logarithmic


def _strength(result: Result, measure: bool) -> tuple[float, float, float]:
    """Return the win rate of an agent in percent or its first measure, and the ends of its interval."""
    if not measure:
        return 100 * result.win_rate, 100 * result.interval[0], 100 * result.interval[1]
    first = result.measures[0]
    scale = 100 if first.percent else 1
    return scale * first.value, scale * first.interval[0], scale * first.interval[1]


def endings_chart(groups: Groups) -> Figure:
    """Draw how the games end, a panel for each variant and a bar for each agent."""
    figure, panels = stacked(groups, extra=0.75)
    for axes, group in zip(panels, groups, strict=True):
        names = [result.agent for result in group]
        left = np.zeros(len(group))
        for ending, (color, hatch) in zip(group[0].ENDINGS, _ENDING_STYLES, strict=False):
            shares = np.array([100 * result.endings[ending] / len(result.games) for result in group])
            if not any(result.endings[ending] for shown in groups for result in shown):
                continue
            axes.barh(names, shares, left=left, color=color, hatch=hatch, edgecolor="white", linewidth=0.8,
                      height=0.78, label=ending if group[0].ENDINGS[ending] == 0 else f"lost by {ending}")  # fmt: skip
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
    figure.legend(
        *legend(panels[0]), loc="outside lower center", ncols=len(groups[0][0].ENDINGS), frameon=False, fontsize=9
    )
    return figure


def new_figure(height: float) -> Figure:
    """Return an empty figure of the common width."""
    from matplotlib.figure import Figure

    return Figure(figsize=(_WIDE, height), layout="constrained", facecolor="white")


def stacked(groups: Groups, extra: float) -> tuple[Figure, list[Axes]]:
    """Return a figure with a panel below the other for each variant, each as high as its agents need."""
    heights = [_ROW * len(group) + extra for group in groups]
    figure = new_figure(sum(heights) + 0.4)
    panels = figure.subplots(len(groups), 1, squeeze=False, height_ratios=heights)
    return figure, list(np.ravel(panels))


def heat_map(axes: Axes, shares: NDArray[np.float64], group: Sequence[Result], labels: Sequence[str]) -> None:
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


def legend(axes: Axes) -> tuple[list[Any], list[Any]]:
    """Return the handles and labels of a panel's legend."""
    handles, labels = axes.get_legend_handles_labels()
    return handles, labels
