"""Who is fastest how often, and what a perfect choice would save."""

import polars as pl

from nqbench import summary
from nqbench.plots import layout
from nqbench.plots.layout import Figure


def portfolio(records: pl.DataFrame, time: str = "solve_s") -> Figure:
    """The share of boards on which each pair is fastest, and PAR-2: of the pair (dot), and of the
    virtual best solver with and without it (lines).
    """
    table = summary.portfolio(records, time).with_columns(pair=pl.format("{} · {}", *summary.PAIR))
    height = 1.2 + 0.26 * max(3, len(table))
    figure = Figure(figsize=(7.2, height), layout="constrained")
    shares, costs = figure.subplots(1, 2, sharey=True)
    pairs = table["pair"].to_list()
    shares.barh(pairs, [100 * (share or 0.0) for share in table["share"]], color=layout.COLOURS[0])
    shares.set_xlabel("fastest on … % of the solved boards")
    shares.grid(visible=False, axis="y")
    costs.plot(
        table["par2_s"], pairs, "o", color=layout.COLOURS[0], label="PAR-2 of the combination"
    )
    costs.plot(
        table["vbs_without_s"], pairs, "|", ms=9, mew=2, color=layout.COLOURS[1],
        label="of the best choice without it",
    )  # fmt: skip
    for best in table["vbs_par2_s"].head(1):
        layout.limit(costs.axvline, best, label="of the best choice")
    costs.set_xscale("log")
    layout.time_ticks(costs.xaxis)
    costs.set_xlabel(layout.time_label(time))
    shares.invert_yaxis()
    layout.legend(figure, costs)
    return figure
