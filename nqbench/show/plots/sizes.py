"""Draws the sizes of the formulas."""

import polars as pl
from matplotlib.axes import Axes

from nqbench import summary
from nqbench.common.units import counted
from nqbench.show.plots import curves, labels, layout, scales
from nqbench.show.plots.curves import End
from nqbench.show.plots.kind import Chart, kind, several_sizes
from nqbench.show.plots.labels import add_tooltip
from nqbench.show.plots.layout import Figure, Page, Sheet
from nqbench.show.plots.style import PALE, Look


@kind(
    "sizes",
    needs="formulas of at least two sizes",
    fits=lambda records: several_sizes(records.drop_nulls("clauses")),
    place=7,
    over_n=True,
    chart=Chart("Size of the formulas"),
)
def sizes(records: pl.DataFrame, sheet: Sheet) -> Figure:
    """Clauses and variables over n."""
    table = summary.sizes(records)
    names = table["encoding"].unique().sort().to_list()
    crowd = len(names) > curves.MOST_LINES
    page = Page(sheet, 2, share_y=False, most_columns=1 if crowd and not sheet.paper.wide else 2)
    measured_n = table["n"].unique().sort().to_list()
    for axes, quantity in zip(page.panels, ("clauses", "variables"), strict=True):
        scales.count_axis(axes.yaxis, table[quantity])
        scales.n_axis(axes, measured_n, page.panel_inches, sheet.paper.small)
        _lines(page, axes, table, quantity)
        axes.set_title(quantity)
    page.name_axes("n", "")
    strong = [encoding for encoding, _ in sheet.looks.highlighted]
    own = [
        layout.line(name, sheet.looks.encoding(name))
        for name in names
        if name in strong or not strong
    ]
    grey = [layout.others("other encodings")] if set(names) - set(strong) else []
    key = [*own, *grey] if strong else [layout.others("other encodings")] if crowd else own
    return page.finish("Size of the formulas over n", key)


def _lines(page: Page, axes: Axes, table: pl.DataFrame, quantity: str) -> None:
    """Draw the lines of a quantity. Name their ends if there are many."""
    largest = table.sort("n").group_by("encoding").agg(pl.col("n", quantity).last())
    ordered = largest.sort(pl.col("n").neg(), quantity, "encoding")["encoding"].to_list()
    looks = page.sheet.looks
    best = curves.best(ordered, [encoding for encoding, _ in looks.highlighted])
    if looks.by_colour == "encoding":
        looks = looks.among_names(best)
    for position, name in enumerate(reversed(ordered)):
        rows = table.filter(encoding=name)
        look = looks.encoding(name) if name in best else {"color": PALE, "zorder": 1.5}
        # Later lines are thinner, so that a line does not hide an equal one.
        width = 0.8 + 2.0 * (1 - position / len(ordered)) if name in best else 0.8
        form: Look = {"linewidth": width, "ms": 2.5 + 1.5 * width, "markerfacecolor": "none"}
        (line,) = axes.plot(rows["n"], rows[quantity], **look | form)
        points, short = rows.select("n", quantity).rows(), labels.shortened(name, 80)
        texts = (f"{short}, n = {n}: {counted(size, quantity[:-1])}" for n, size in points)
        add_tooltip(line, short, ((*at, text) for at, text in zip(points, texts, strict=True)))
    if len(best) < len(ordered) and not looks.highlighted:
        ends = largest.filter(pl.col("encoding").is_in(best)).rows()
        colour = looks.encoding
        curves.label(
            page, axes, [End(name, n, size, colour(name)["color"]) for name, n, size in ends]
        )
