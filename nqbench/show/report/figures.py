"""The charts of a page as pictures: those without controls, and all if Vega is not installed."""

import base64
import io

import matplotlib.style
import polars as pl

from nqbench.show import plots
from nqbench.show.plots.kind import Chart


def picture(records: pl.DataFrame, chart: Chart) -> str:
    """A chart of these records of one family, as the source of an `img` element, which isolates its
    ids and styles. A chart beside another one is as wide as a column of a paper, so that its text
    has the same size.
    """
    figure = plots.draw(records, chart.kind, width="two" if chart.wide else "one", title=False)
    file = io.BytesIO()
    with matplotlib.style.context(plots.STYLE):
        plots.lay_out(figure)
        figure.savefig(file, format="svg", metadata={"Date": None})
    return f"data:image/svg+xml;base64,{base64.b64encode(file.getvalue()).decode()}"
