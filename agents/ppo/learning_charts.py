"""Pictures of learning: the curves of runs, and the trials of a sweep, in the colors of `agents.charts`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from agents.charts import COLORS, MARKERS
from agents.ppo.curves import Curve, common_grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from agents.ppo.sweep import Dimension, Outcome

_WIDE = 10.0  # inches
_COLUMNS = 3


def curves_chart(groups: Mapping[str, Sequence[Curve]], title: str = "") -> Figure:
    """Draw win rates against decisions and against minutes.

    A label with one run: its line and the 95 % intervals; with several: their mean and the range between them.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDE, 4.6), layout="constrained", facecolor="white")
    panels = figure.subplots(1, 2, sharey=True)
    for index, (label, curves) in enumerate(groups.items()):
        style = {"color": COLORS[index % len(COLORS)], "marker": MARKERS[index % len(MARKERS)]}
        said = label if len(curves) == 1 else f"{label} ({len(curves)} seeds)"
        _draw(panels[0], curves, [curve.decisions / 1e6 for curve in curves], style, said)
        _draw(panels[1], curves, [curve.minutes for curve in curves], style, said)
    for axes, what in zip(panels, ("decisions learned from, in millions", "minutes of training"), strict=True):
        axes.set_xlabel(what, fontsize=10)
        axes.set_xlim(left=0)
        axes.grid(color="#dddddd", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    bands = "bands: 95 % intervals" if all(len(curves) == 1 for curves in groups.values()) else (
        "bands: between the seeds; of one seed, 95 % intervals"
    )  # fmt: skip
    panels[0].set_ylabel("games won in percent", fontsize=10)
    figure.suptitle(f"{title}; {bands}" if title else bands[0].upper() + bands[1:], fontsize=11)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    return figure


def _draw(
    axes: Axes, curves: Sequence[Curve], places: Sequence[NDArray[np.float64]], style: dict[str, str], label: str
) -> None:
    """Draw the curves of a label into a panel, each at its own places."""
    if len(curves) == 1:
        grid, middle = places[0], 100 * curves[0].win_rates
        low, high = 100 * curves[0].intervals
    else:
        grid = common_grid(places)
        rates = [np.interp(grid, place, 100 * curve.win_rates) for place, curve in zip(places, curves, strict=True)]
        middle, low, high = np.mean(rates, axis=0), np.min(rates, axis=0), np.max(rates, axis=0)
    axes.fill_between(grid, low, high, color=style["color"], alpha=0.2, linewidth=0)
    axes.plot(grid, middle, **style, markersize=5, linewidth=1.5, label=label)  # type: ignore[arg-type]


def sweep_chart(outcomes: Sequence[Outcome], space: Mapping[str, Dimension]) -> Figure:
    """Draw the win rates of trials against what they tried, a panel for each key; hollow: cut short."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

    rows = -(-len(space) // _COLUMNS)
    figure = Figure(figsize=(_WIDE, 0.6 + 2.7 * rows), layout="constrained", facecolor="white")
    panels = np.ravel(figure.subplots(rows, _COLUMNS, squeeze=False, sharey=True))
    shown = [one for one in outcomes if one.win_rate is not None]
    for axes, (key, dimension) in zip(panels, space.items(), strict=False):
        for complete in (False, True):
            chosen = [one for one in shown if (one.state == "complete") == complete]
            values = [_place(dimension, one.values[key]) for one in chosen]
            axes.plot(
                values, [100 * float(one.win_rate or 0.0) for one in chosen], linestyle="none", marker="o",
                color=COLORS[0], markerfacecolor=COLORS[0] if complete else "white",
            )  # fmt: skip
        axes.plot(
            [_place(dimension, outcomes[0].values[key])], [100 * float(outcomes[0].win_rate or 0.0)],
            marker="*", markersize=14, color=COLORS[3], markeredgecolor="black",
        )  # fmt: skip
        if dimension.choices is not None:
            axes.set_xticks(range(len(dimension.choices)), [str(value) for value in dimension.choices])
        elif dimension.log:
            axes.set_xscale("log")
            axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            axes.xaxis.set_major_formatter("{x:g}")
            axes.xaxis.set_minor_formatter(NullFormatter())
        else:
            axes.xaxis.set_major_locator(MaxNLocator(5, integer=dimension.whole))
        axes.set_xlabel(key, fontsize=9)
        axes.grid(color="#dddddd", linewidth=0.6)
        axes.set_axisbelow(True)
    for axes in panels[len(space) :]:
        axes.remove()
    figure.supylabel("games won in percent", fontsize=10)
    figure.suptitle("Trials: filled, run to the end; hollow, cut short; star, the best", fontsize=11)
    return figure


def _place(dimension: Dimension, value: Any) -> Any:
    return value if dimension.choices is None else dimension.choices.index(value)
