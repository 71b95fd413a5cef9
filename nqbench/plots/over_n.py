"""Time over n, a panel for each encoding or each backend."""

import polars as pl
from matplotlib.figure import Figure

from nqbench import summary
from nqbench.plots import layout


def time_over_n(records: pl.DataFrame) -> Figure:
    """Solve time over n: median line, band from fastest to slowest repeat, a panel an encoding.

    The dashed line is the time limit; a cross on it is an n with unsolved runs.
    """
    table = summary.over_n(records)
    return _over_n(table, "encoding", "backend", "solve time (s)")


def total_over_n(records: pl.DataFrame) -> Figure:
    """Time to encode, load and solve over n, in the same way, but a panel for each backend."""
    table = summary.over_n(records, summary.TOTAL)
    return _over_n(table, "backend", "encoding", "encode + load + solve (s)")


def _over_n(table: pl.DataFrame, panel: str, line: str, label: str) -> Figure:
    names, lines = layout.names(table, panel), layout.names(table, line)
    figure, panels = layout.panels(len(names))
    limits = table["time_limit_s"].unique().sort().to_list()
    for axes, name in zip(panels, names, strict=True):
        layout.log_scale(axes)
        axes.set_ylim(min(table["low_s"].to_list()) / 2, limits[-1] * 2)
        for one, look in layout.looks(lines):
            rows = table.filter(pl.col(panel) == name, pl.col(line) == one)
            n = rows["n"]
            axes.fill_between(
                n, rows["low_s"], rows["high_s"], color=look["color"], alpha=0.2, lw=0
            )
            axes.plot(n, rows["median_s"], label=one, **look)
            lost = rows.filter(pl.col("unsolved") > 0)
            axes.plot(lost["n"], lost["time_limit_s"], "x", color=look["color"], ms=6, mew=1.4)
        for limit in limits:
            axes.axhline(limit, color="#555555", lw=0.9, ls=(0, (4, 3)))
            axes.annotate(
                f"limit {limit:g} s",
                (1, limit),
                xycoords=("axes fraction", "data"),
                ha="right",
                xytext=(0, -9),
                textcoords="offset points",
                fontsize=7.5,
                color="#555555",
            )
        axes.set_title(name)
        layout.n_axis(axes, table["n"])
    panels[0].set_ylabel(label)
    layout.legend(figure, panels[0])
    return figure
