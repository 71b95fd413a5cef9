"""Time over n, a panel for each encoding or each backend."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.ticker import ScalarFormatter

from nqbench import summary
from nqbench.plots import layout
from nqbench.plots.layout import Figure


def time_over_n(records: pl.DataFrame, time: str = "solve_s") -> Figure:
    """Time over n: median line, band from fastest to slowest repeat, a panel for each encoding. The
    dashed line is the time limit; a cross on it is an n with unsolved runs.
    """
    label = f"{layout.time_label(time)} (s)"
    return _over_n(summary.over_n(records, time), "encoding", "backend", label)


def total_over_n(records: pl.DataFrame) -> Figure:
    """Time to encode, load and solve over n, in the same way, but a panel for each backend."""
    label = f"{layout.time_label(summary.TOTAL)} (s)"
    return _over_n(summary.over_n(records, summary.TOTAL), "backend", "encoding", label)


def memory_over_n(records: pl.DataFrame) -> Figure:
    """Peak memory over n, of unsolved runs what they had until then, a panel for each backend."""
    table = summary.memory(records)
    names, lines = layout.names(table, "backend"), layout.names(table, "encoding")
    figure, panels = layout.panels(len(names))
    most, least = (float(f(table["median_mib"].to_numpy())) for f in (np.max, np.min))
    for axes, name in zip(panels, names, strict=False):
        if most > 8 * least:
            axes.set_yscale("log", base=2)
            axes.yaxis.set_major_formatter(ScalarFormatter())
        else:
            axes.set_ylim(0, 1.15 * most)
        for one, look in layout.looks(lines):
            rows = table.filter(backend=name, encoding=one)
            _median_and_band(axes, rows, one, look, "mib")
        axes.set_title(name)
        layout.n_axis(axes, table["n"])
    panels[0].set_ylabel("peak memory of a run (MiB)")
    layout.legend(figure, panels[0])
    return figure


def _over_n(table: pl.DataFrame, panel: str, line: str, label: str) -> Figure:
    names, lines = layout.names(table, panel), layout.names(table, line)
    figure, panels = layout.panels(len(names))
    limits = table["time_limit_s"].unique().sort().to_list()
    for axes, name in zip(panels, names, strict=True):
        layout.log_scale(axes)
        highest = max([*limits, *table["high_s"]])
        axes.set_ylim(min(table["low_s"].to_list()) / 2, highest * 2)
        for one, look in layout.looks(lines):
            rows = table.filter(pl.col(panel) == name, pl.col(line) == one)
            _median_and_band(axes, rows, one, look, "s")
            lost = rows.filter(pl.col("unsolved") > 0)
            axes.plot(lost["n"], lost["time_limit_s"], "x", color=look["color"], ms=6, mew=1.4)
        for limit in limits:
            _limit(axes, limit)
        axes.set_title(name)
        layout.n_axis(axes, table["n"])
    panels[0].set_ylabel(label)
    layout.legend(figure, panels[0])
    return figure


def _median_and_band(
    axes: Axes, rows: pl.DataFrame, name: str, look: Mapping[str, Any], unit: str
) -> None:
    low, median, high = (rows[f"{value}_{unit}"] for value in ("low", "median", "high"))
    axes.fill_between(rows["n"], low, high, color=look["color"], alpha=0.2, lw=0)
    axes.plot(rows["n"], median, label=name, **look)


def _limit(axes: Axes, limit: float) -> None:
    """A line with its name on the left, where there is room: small boards take little time."""
    layout.limit(axes.axhline, limit)
    axes.annotate(
        f"limit {limit:g} s",
        (0, limit),
        xycoords=("axes fraction", "data"),
        xytext=(3, -9),
        textcoords="offset points",
        fontsize=7.5,
        color=layout.GREY,
    )
