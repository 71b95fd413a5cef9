"""Two pairs, board by board."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from matplotlib.axes import Axes

from nqbench import summary
from nqbench.errors import InputError
from nqbench.plots import layout
from nqbench.plots.layout import Figure
from nqbench.units import counted
from nqbench.vocabulary import COMBINATION


def scatter(records: pl.DataFrame, time: str = "solve_s", pairs: Sequence[str] = ()) -> Figure:
    """The time of one pair against that of another on the same boards, each on one machine: below
    the diagonal the one on the vertical axis is faster. Dashed lines are the limit, crosses on them
    unsolved boards.

    `pairs` are two of 'encoding x backend'; none: those of least PAR-2. Raises `InputError` for a
    pair that is not there.
    """
    table = summary.boards(records, time, summary.THERE).with_columns(
        pair=pl.format(COMBINATION, *summary.PAIR)
    )
    across, up = _chosen(table, pairs)
    columns = [*summary.THERE, "time_s", "solved"]
    first, second = (table.filter(pair=pair).select(columns) for pair in (across, up))
    both = first.join(second, on=summary.THERE, suffix="_up")
    figure = Figure(figsize=(4.6, 4.6), layout="constrained")
    axes = figure.add_subplot()
    for family, look in layout.looks(layout.names(both, "family")):
        _boards(axes, both.filter(family=family), family, look)
    limit = float(table["time_limit_s"].to_numpy().max())
    times = [*both["time_s"], *both["time_s_up"]]
    low = min(times, default=1e-3) / 2
    # Encoding and solving each have the limit: together they may take longer.
    high = 1.6 * max([limit, *times])
    axes.plot([low, high], [low, high], color=layout.GREY, lw=0.8, zorder=0)
    for draw in (axes.axhline, axes.axvline):
        layout.limit(draw, limit)
    layout.log_scale(axes)
    axes.set_xscale("log")
    layout.log_ticks(axes.xaxis)
    axes.set(xlim=(low, high), ylim=(low, high), aspect="equal")
    noun = "board" if summary.has_boards(records) else "formula"
    count = both.select(summary.BOARD).n_unique()
    axes.set_title(f"{layout.time_label(time)} of {counted(count, noun)}")
    axes.set_xlabel(f"{across} (s)")
    axes.set_ylabel(f"{up} (s)")
    layout.legend(figure, axes)
    return figure


def _chosen(table: pl.DataFrame, asked: Sequence[str]) -> tuple[str, str]:
    """The two pairs that are asked for, or those of least PAR-2."""
    known = table.group_by("pair").agg(pl.col("par2_s").mean()).sort("par2_s", "pair")["pair"]
    across, up = asked or (known[0], known[min(1, len(known) - 1)])
    for pair in (across, up):
        if pair not in known:
            raise InputError(f"no runs of '{pair}': choose from {', '.join(known)}")
    return across, up


def _boards(axes: Axes, rows: pl.DataFrame, family: str, look: Mapping[str, Any]) -> None:
    style = {**look, "linestyle": "none", "alpha": 0.8}
    solved = pl.col("solved") & pl.col("solved_up")
    done, lost = rows.filter(solved), rows.filter(~solved)
    axes.plot(done["time_s"], done["time_s_up"], label=family, **style)
    axes.plot(lost["time_s"], lost["time_s_up"], **(style | {"marker": "x", "markersize": 6}))
