"""Mean ranks, and who cannot be told apart."""

import polars as pl
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from nqbench import summary
from nqbench.plots import layout
from nqbench.plots.layout import Figure


def ranks(records: pl.DataFrame, time: str = "solve_s") -> Figure:
    """Critical-difference diagram (J. Demsar, Journal of Machine Learning Research 7, 2006): each
    pair at its mean rank over the boards; a bar joins pairs whose differences are not significant.
    """
    table, groups = summary.ranks(records, time)
    names, means = table["pair"].to_list(), table["rank"].to_list()
    places = dict(zip(names, means, strict=True))
    rows = (len(names) + 1) // 2
    bars = 0.28 * len(groups)
    figure = Figure(figsize=(7.2, 0.9 + 0.24 * rows + bars), layout="constrained")
    axes = figure.add_subplot()
    _scale_on_top(axes, max(len(names), 2))
    axes.set_ylim(len(groups) * 0.6 + rows + 0.8, 0)
    for position, group in enumerate(groups):
        _join(axes, places[group[0]], places[group[-1]], 0.5 + 0.6 * position)
    for position, (name, mean) in enumerate(zip(names, means, strict=True)):
        on_left = position < rows
        row = position if on_left else len(names) - 1 - position
        _point_at(axes, name, mean, len(groups) * 0.6 + row + 0.8, on_left)
    return figure


def _scale_on_top(axes: Axes, last: int) -> None:
    """The ranks from 1 to the last, with room for names on both sides."""
    beside = 0.3 * last
    axes.set_xlim(1 - beside, last + beside)
    ticks = MaxNLocator(8, integer=True).tick_values(1, last)
    axes.set_xticks([tick for tick in ticks if 1 <= tick <= last])
    axes.xaxis.set_ticks_position("top")
    axes.xaxis.set_label_position("top")
    axes.set_xlabel("mean rank (1 is the fastest)")
    axes.spines[:].set_visible(False)
    axes.spines["top"].set_visible(True)
    axes.set_yticks([])
    axes.grid(visible=False)


def _join(axes: Axes, first: float, last: float, y: float) -> None:
    ends = [first - 0.04, last + 0.04]
    axes.plot(ends, [y, y], color=layout.COLOURS[1], lw=3.5, solid_capstyle="round")


def _point_at(axes: Axes, name: str, mean: float, y: float, on_left: bool) -> None:
    """A line from the mean rank down and to the side, where the name stands on it."""
    left, right = axes.get_xlim()
    side = left if on_left else right
    axes.plot([mean, mean, side], [0, y, y], color="#777777", lw=0.8)
    axes.annotate(
        f"{name}  {mean:.2f}" if on_left else f"{mean:.2f}  {name}",
        (side, y),
        xytext=(2 if on_left else -2, 1),
        textcoords="offset points",
        ha="left" if on_left else "right",
        va="bottom",
        fontsize=7.5,
    )
