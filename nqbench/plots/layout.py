"""What all figures share: colours, markers, panels, axes and legends."""

import io
import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, Final

import matplotlib.figure
import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import (
    FixedLocator,
    FuncFormatter,
    LogFormatterSciNotation,
    LogLocator,
    MaxNLocator,
    NullLocator,
    ScalarFormatter,
)

from nqbench import units

# Okabe and Ito's palette, told apart by readers with any common colour blindness; darkest last.
COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
GREY: Final = "#555555"
MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X")
DASHES: Final = ("-", (0, (5, 2)), (0, (1.2, 1.5)), (0, (6, 2, 1, 2)), (0, (3, 1, 1, 1, 1, 1)))
_PANELS_IN_A_ROW: Final = 3
_CHARACTERS_IN_WIDTH: Final = 100
_MOST_SIZES: Final = 12
_DIGIT_POINTS: Final = 6
_PLOTTED_SHARE: Final = 0.8
"""About so much of a figure's width is between the axes."""


_TIMES: Final = {
    "solve_s": "solve time",
    "total_s": "encode + load + solve + decode",
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


class _LogTicks(LogLocator):
    """Powers of ten; where a range holds fewer than two of them, 1, 2 and 5 of each. No range is so
    narrow that what is nearly the same seems far apart.
    """

    def nonsingular(self, v0: float, v1: float) -> tuple[float, float]:
        return widened(*super().nonsingular(v0, v1))

    def tick_values(self, vmin: float, vmax: float) -> Any:
        self.set_params(subs=(1.0,))
        ticks = np.asarray(super().tick_values(vmin, vmax))
        if np.count_nonzero((vmin <= ticks) & (ticks <= vmax)) >= 2:
            return ticks
        self.set_params(subs=(1.0, 2.0, 5.0))
        return super().tick_values(vmin, vmax)


def widened(low: float, high: float) -> tuple[float, float]:
    """The range, or one around it that spans a factor of five, which has two of 1, 2 and 5."""
    factor = math.sqrt(max(1.0, 5 * low / high))
    return low / factor, high * factor


def log_scale(axes: Axes) -> None:
    """A logarithmic y axis."""
    axes.set_yscale("log")
    log_ticks(axes.yaxis)


def log_ticks(axis: Axis) -> None:
    """Ticks of a logarithmic axis as powers of ten."""
    axis.set_major_locator(_LogTicks())
    # By default it leaves out the labels of what is no power of ten.
    axis.set_major_formatter(LogFormatterSciNotation(minor_thresholds=(math.inf, math.inf)))
    # To lay out the minor ticks of many decades takes most of the time of a figure.
    axis.set_minor_locator(NullLocator())
    # The limits may have been chosen already, when the scale was set.
    axis.axes.autoscale_view()


def time_ticks(axis: Axis) -> None:
    """Ticks of a logarithmic axis in units that read well."""
    log_ticks(axis)
    axis.set_major_formatter(FuncFormatter(lambda value, _: units.seconds(value)))


def limit(draw: Callable[..., Any], value: float, **named: Any) -> None:
    """A dashed line at a limit, by `axhline` or `axvline` of some axes."""
    draw(value, color=GREY, lw=0.9, ls=(0, (4, 3)), **named)


def whole_numbers(axis: Axis) -> None:
    """Ticks at whole numbers only, however few there are."""
    axis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))


def n_axis(axes: Axes, n: pl.Series) -> None:
    """The measured n where there is room for all; else whole numbers, or powers of two where n
    spans a factor of 16 or more.
    """
    axes.set_xlabel("n")
    sizes = n.unique().sort().to_list()
    wide = bool(sizes) and sizes[-1] >= 16 * sizes[0]
    if wide:
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter(ScalarFormatter())
        axes.xaxis.set_minor_locator(NullLocator())
    if len(sizes) <= _MOST_SIZES and not _crowded(axes, sizes, wide):
        axes.xaxis.set_major_locator(FixedLocator(sizes))
    elif not wide:
        whole_numbers(axes.xaxis)


def _crowded(axes: Axes, sizes: Sequence[int], logarithmic: bool) -> bool:
    """Whether the labels of neighbours would touch each other."""
    if len(sizes) < 2:
        return False
    figure, place = axes.get_figure(root=True), axes.get_subplotspec()
    assert figure is not None
    assert place is not None
    width = _PLOTTED_SHARE * 72 * figure.get_figwidth() / place.get_gridspec().ncols
    places = [math.log(size) if logarithmic else size for size in sizes]
    scale = width / (places[-1] - places[0])
    return any(
        scale * (places[i + 1] - places[i])
        < _DIGIT_POINTS * (1 + (len(str(one)) + len(str(next_one))) / 2)
        for i, (one, next_one) in enumerate(pairwise(sizes))
    )


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
