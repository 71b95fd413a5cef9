"""What all figures share: colours, markers, panels, axes and legends."""

import io
from collections.abc import Iterable, Sequence
from typing import Any, Final

import matplotlib.figure
import polars as pl
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import (
    FuncFormatter,
    LogLocator,
    MaxNLocator,
    NullLocator,
    ScalarFormatter,
)

from nqbench import units

# Okabe and Ito's palette, told apart by readers with any common colour blindness; darkest last.
COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X")
DASHES: Final = ("-", (0, (5, 2)), (0, (1.2, 1.5)), (0, (6, 2, 1, 2)), (0, (3, 1, 1, 1, 1, 1)))
_PANELS_IN_A_ROW: Final = 3
_CHARACTERS_IN_WIDTH: Final = 100


_TIMES: Final = {
    "solve_s": "solve time",
    "total_s": "encode + load + solve",
    "wall_s": "time of the whole run",
    "cpu_s": "CPU time of the whole run",
    "load_s": "load time",
    "encode_s": "encode time",
}


class Figure(matplotlib.figure.Figure):
    """Shows itself in a notebook, also where nothing has prepared Matplotlib for that."""

    def _repr_png_(self) -> bytes:
        file = io.BytesIO()
        self.savefig(file, format="png")
        return file.getvalue()


def time_label(time: str) -> str:
    """The name of a column of times, without its unit."""
    return _TIMES.get(time, time)


def log_scale(axes: Axes) -> None:
    """A logarithmic y axis."""
    axes.set_yscale("log")
    # To lay out the minor ticks of many decades takes most of the time of a figure.
    axes.yaxis.set_minor_locator(NullLocator())


def time_ticks(axis: Axis, low: float, high: float) -> None:
    """Ticks of a logarithmic axis in units that read well; 1, 2 and 5 where it is short."""
    subs = (1.0, 2.0, 5.0) if high < 50 * low else (1.0,)
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_major_formatter(FuncFormatter(lambda value, _: units.seconds(value)))
    axis.set_minor_locator(NullLocator())


def n_axis(axes: Axes, n: pl.Series) -> None:
    """Whole numbers; powers of two where n spans a factor of 16 or more."""
    axes.set_xlabel("n")
    sizes = n.to_list()
    if sizes and max(sizes) >= 16 * min(sizes):
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter(ScalarFormatter())
        axes.xaxis.set_minor_locator(NullLocator())
    else:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def names(table: pl.DataFrame, column: str) -> list[str]:
    """What a column holds, each once, sorted."""
    return sorted(table[column].unique())


def looks(labels: Sequence[str], dashed: bool = False) -> Iterable[tuple[str, dict[str, Any]]]:
    """A look for each name: colour, marker and line, which are the same again after 35 names.

    With `dashed`, neighbours differ in their line as well, where lines may cover each other.
    """
    for position, name in enumerate(labels):
        round_, place = divmod(position, len(COLOURS))
        dash = position if dashed else round_
        yield (
            name,
            {
                "color": COLOURS[place],
                "marker": MARKERS[(place + round_) % len(MARKERS)],
                "linestyle": DASHES[dash % len(DASHES)],
            },
        )


def panels(count: int, share_y: bool = True) -> tuple[Figure, list[Axes]]:
    """A figure with so many panels, at least one, at most three in a row."""
    columns = max(1, min(count, _PANELS_IN_A_ROW))
    rows = max(1, -(-count // columns))
    figure = Figure(figsize=(7.2, 0.6 + 2.7 * rows), layout="constrained")
    grid = figure.subplots(rows, columns, sharey=share_y, squeeze=False).flatten().tolist()
    for unused in grid[count:]:
        unused.set_axis_off()
    return figure, grid[: max(1, count)]


def legend(figure: Figure, axes: Axes) -> None:
    """All names below the panels, in as many columns as the width holds."""
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        columns = int(_CHARACTERS_IN_WIDTH / (max(map(len, labels)) + 7))
        ncols = max(1, min(columns, len(labels)))
        figure.legend(handles, labels, loc="outside lower center", ncols=ncols)
