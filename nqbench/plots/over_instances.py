"""Time of each formula, where there is no n."""

from collections.abc import Sequence

import polars as pl
from matplotlib.axes import Axes

from nqbench import summary
from nqbench.plots import layout
from nqbench.plots.layout import Figure

_MOST_NAMES = 40
_LONGEST_NAME = 24


def time_over_instances(records: pl.DataFrame, time: str = "solve_s") -> Figure:
    """A mark for each backend and formula: the median, a bar from the fastest to the slowest
    repeat, on the dashed line of the time limit a cross for each formula with unsolved runs.

    Formulas come in the order of what the fastest takes.
    """
    table = summary.over_instances(records, time)
    count = int(table["place"].to_numpy().max())
    figure = Figure(figsize=(max(7.2, min(0.24 * count, 14)), 4.6), layout="constrained")
    axes = figure.add_subplot()
    layout.log_scale(axes)
    names = layout.names(table, "backend")
    for position, (name, look) in enumerate(layout.looks(names)):
        rows = table.filter(backend=name)
        # Side by side within the place of the formula, so that equal times stay visible.
        aside = 0.5 * ((position + 0.5) / len(names) - 0.5)
        x = rows["place"] + aside
        axes.vlines(x, rows["low_s"], rows["high_s"], color=look["color"], lw=0.8, alpha=0.6)
        axes.plot(x, rows["median_s"], label=name, **(look | {"linestyle": "none"}))
        lost = rows.filter(pl.col("unsolved") > 0)
        axes.plot(lost["place"] + aside, lost["time_limit_s"], "x", color=look["color"], ms=6)
    for limit in table["time_limit_s"].unique().sort().to_list():
        layout.limit(axes.axhline, limit)
    axes.set_xlim(0.4, count + 0.6)
    axes.set_ylabel(f"{layout.time_label(time)} (s); dashed: the limit")
    if count <= _MOST_NAMES:
        _name_places(axes, table.unique("place").sort("place")["instance"].to_list())
    else:
        axes.set_xlabel("formula, in the order of the fastest time")
    layout.legend(figure, axes)
    return figure


def _name_places(axes: Axes, names: Sequence[str]) -> None:
    axes.set_xticks(range(1, len(names) + 1), map(_short, names), rotation=60, ha="right")
    axes.tick_params(axis="x", labelsize=7)


def _short(name: str) -> str:
    """A long name without its middle, where names of one family differ least."""
    half = _LONGEST_NAME // 2
    return name if len(name) <= _LONGEST_NAME else f"{name[:half]}…{name[-half:]}"
