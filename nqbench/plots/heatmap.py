"""Every encoding with every backend, at a glance."""

import math

import polars as pl
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm

from nqbench import summary, units
from nqbench.plots import layout
from nqbench.plots.layout import Figure


def heatmap(records: pl.DataFrame, time: str = "solve_s") -> Figure:
    """PAR-2 of each encoding x backend: the darker, the slower. Below it the share of runs solved,
    where not all are. Encodings and backends are in the order of their best.
    """
    table = summary.overview(records, time)
    encodings, backends = (
        table.group_by(column).agg(pl.col("par2_s").min()).sort("par2_s", column)[column].to_list()
        for column in summary.PAIR
    )
    values = {(row["encoding"], row["backend"]): row for row in table.iter_rows(named=True)}
    missing = {"par2_s": math.nan}
    grid = [[values.get((e, b), missing)["par2_s"] for b in backends] for e in encodings]
    width = max(4.0, 1.6 + 0.85 * len(backends))
    figure = Figure(figsize=(width, 1.6 + 0.42 * len(encodings)), layout="constrained")
    axes = figure.add_subplot()
    costs = table["par2_s"].clip(1e-9).to_numpy()
    norm = LogNorm(*layout.widened(float(costs.min()), float(costs.max())))
    image = axes.imshow(grid, norm=norm, cmap="cividis_r", aspect="auto")
    for row, encoding in enumerate(encodings):
        for column, backend in enumerate(backends):
            if found := values.get((encoding, backend)):
                colour = "white" if norm(max(found["par2_s"], 1e-9)) > 0.55 else "black"
                _write(axes, column, row, _label(found), colour)
    axes.set_xticks(range(len(backends)), backends, rotation=40, ha="right")
    axes.set_yticks(range(len(encodings)), encodings)
    axes.grid(visible=False)
    # Above, for beside a single row of cells there is no room for it.
    figure.suptitle(f"PAR-2 of the {layout.time_label(time)}", fontsize=9)
    layout.time_ticks(figure.colorbar(image, ax=axes).ax.yaxis)
    return figure


def _write(axes: Axes, column: int, row: int, text: str, colour: str) -> None:
    axes.text(column, row, text, ha="center", va="center", fontsize=7, color=colour)


def _label(row: dict[str, float]) -> str:
    value = units.seconds(row["par2_s"])
    solved = row["solved"] / row["runs"]
    return value if solved == 1 else f"{value}\n{units.percent(solved)} solved"
