"""How many boards are solved within a time."""

from itertools import cycle

import polars as pl

from nqbench import summary
from nqbench.plots import layout
from nqbench.plots.layout import Figure


def cactus(records: pl.DataFrame, time: str = "solve_s") -> Figure:
    """Instances solved within a time: the further right and the lower a line ends, the better.

    Of encodings and backends those that are more have colours and markers, the others dashes.
    """
    table = summary.cactus(records, time)
    figure = Figure(figsize=(7.2, 4.4), layout="constrained")
    axes = figure.add_subplot()
    more, fewer = sorted(summary.PAIR, key=lambda column: table[column].n_unique(), reverse=True)
    dashes = dict(zip(layout.names(records, fewer), cycle(layout.DASHES), strict=False))
    for name, look in layout.looks(layout.names(records, more)):
        for other, dash in dashes.items():
            rows = table.filter(pl.col(more) == name, pl.col(fewer) == other)
            style = look | {"linestyle": dash, "markevery": max(1, len(rows) // 9)}
            axes.plot(rows["instances"], rows["time_s"], **style)
        axes.plot([], [], label=name, **(look | {"linestyle": "none"}))
    for other, dash in dashes.items():
        axes.plot([], [], label=other, color=layout.GREY, linestyle=dash)
    layout.log_scale(axes)
    axes.set_xlabel("instances solved")
    axes.set_ylabel(f"within a {layout.time_label(time)} of (s)")
    layout.whole_numbers(axes.xaxis)
    layout.legend(figure, axes)
    return figure
