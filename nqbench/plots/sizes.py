"""How large the formulas are."""

import polars as pl

from nqbench import summary
from nqbench.plots import layout
from nqbench.plots.layout import Figure


def sizes(records: pl.DataFrame) -> Figure:
    """Clauses and variables over n, a line for each encoding, in the order of their clauses."""
    table = summary.sizes(records)
    largest = table.group_by("encoding").agg(pl.col("clauses").max())
    names = largest.sort("clauses", "encoding", descending=True)["encoding"].to_list()
    figure, panels = layout.panels(2, share_y=False)
    for axes, quantity in zip(panels, ("clauses", "variables"), strict=True):
        for position, (encoding, look) in enumerate(layout.looks(names, dashed=True)):
            rows = table.filter(encoding=encoding)
            # Later lines are thinner, so that one that lies on another does not hide it.
            width = 0.8 + 2.4 * (1 - position / len(names))
            hollow = {"markerfacecolor": "none", "linewidth": width, "markersize": 2 + 2 * width}
            axes.plot(rows["n"], rows[quantity], label=encoding, **(look | hollow))
        axes.set_ylabel(quantity)
        layout.log_scale(axes)
        layout.n_axis(axes, table["n"])
    layout.legend(figure, panels[0])
    return figure
