"""Draws the sizes of the formulas."""

import polars as pl
from matplotlib.axes import Axes

from nqbench import summary
from nqbench.plots import ends, layout, scales
from nqbench.plots.ends import End
from nqbench.plots.layout import Figure, Page
from nqbench.plots.looks import PALE
from nqbench.plots.sheet import Sheet


def sizes(records: pl.DataFrame, sheet: Sheet) -> Figure:
    """Draw clauses and variables over n, a line for each encoding. Of more than ten lines, only the
    smallest in each panel have colours.
    """
    table = summary.sizes(records)
    names = table["encoding"].unique().sort().to_list()
    crowd = len(names) > ends.MOST_LINES
    page = Page(sheet, 2, share_y=False, most_columns=1 if crowd and not sheet.paper.wide else 2)
    measured = table["n"].unique().sort().to_list()
    for axes, quantity in zip(page.panels, ("clauses", "variables"), strict=True):
        scales.count_axis(axes.yaxis, table[quantity])
        scales.n_axis(axes, measured, page.panel_inches, sheet.paper.small)
        _lines(page, axes, table, quantity)
        axes.set_title(quantity)
    page.name_axes("n", "")
    own = [layout.line(name, sheet.looks.encoding(name)) for name in names]
    return page.finish(
        "Size of the formulas over n", [layout.others("other encodings")] if crowd else own
    )


def _lines(page: Page, axes: Axes, table: pl.DataFrame, quantity: str) -> None:
    """Draw the lines of a quantity. Name their ends if there are many."""
    largest = table.sort("n").group_by("encoding").agg(pl.col("n", quantity).last())
    ordered = largest.sort(pl.col("n").neg(), quantity, "encoding")["encoding"].to_list()
    best = ends.best(ordered)
    for position, name in enumerate(reversed(ordered)):
        rows = table.filter(encoding=name)
        look = page.sheet.looks.encoding(name) if name in best else {"color": PALE, "zorder": 1.5}
        # Later lines are thinner, so that a line does not hide an equal one.
        width = 0.8 + 2.0 * (1 - position / len(ordered)) if name in best else 0.8
        axes.plot(
            rows["n"],
            rows[quantity],
            **look | {"lw": width, "ms": 2.5 + 1.5 * width, "markerfacecolor": "none"},
        )
    if len(best) < len(ordered):
        found = largest.filter(pl.col("encoding").is_in(best)).rows()
        colour = page.sheet.looks.encoding
        ends.label(
            page, axes, [End(name, n, size, colour(name)["color"]) for name, n, size in found]
        )
