"""Axes of times, sizes and n: their ticks and their ends."""

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.axis import Axis, XAxis
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator

from nqbench.common import units
from nqbench.show.plots.style import DASHED

_REACH: Final = 10
"""A limit this many times as high as the data is not drawn: it would squeeze the data."""

_MARGIN: Final = 0.04
"""Share of the axis above the data, and below it."""

_STEPS: Final = (1, 2, 4, 5, 8, 10, 16, 20, 25, 32, 50, 64, 100, 128, 200, 250, 256, 500, 512, 1000)
_DIGIT: Final = 0.68
"""The width of a digit with its part of a gap, as a share of the font size."""


_FEWEST_TICKS: Final = 3
_TICKS: Final = ((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0), (1.0, 1.5, 2.0, 3.0, 5.0, 7.0))


class _LogTicks(LogLocator):
    """Ticks at powers of ten. If a range contains fewer than three of them, there are steps between
    them: with three ticks a reader sees that the axis is logarithmic. A minimum range keeps nearly
    equal values close together.
    """

    def nonsingular(self, v0: float, v1: float) -> tuple[float, float]:
        return widened(*super().nonsingular(v0, v1))

    def tick_values(self, vmin: float, vmax: float) -> Any:
        decades = 10.0 ** np.arange(np.floor(np.log10(vmin)), np.ceil(np.log10(vmax)) + 1)
        for steps in _TICKS:
            ticks = np.outer(decades, steps).ravel()
            ticks = ticks[(vmin <= ticks) & (ticks <= vmax)]
            if len(ticks) >= _FEWEST_TICKS:
                break
        return super().tick_values(vmin, vmax) if len(steps) == 1 else ticks


def widened(low: float, high: float) -> tuple[float, float]:
    """The range, widened to a factor of five if it is narrower, so that it contains three ticks."""
    factor = math.sqrt(max(1.0, 5 * low / high))
    return low / factor, high * factor


def around(values: Iterable[float]) -> tuple[float, float]:
    """The ends of a logarithmic axis that the values fill except for a small margin."""
    positive = [value for value in values if value > 0] or [1e-3]
    low, high = widened(min(positive), max(positive))
    margin = (high / low) ** _MARGIN
    return low / margin, high * margin


def _log_axis(
    axis: Axis, label: Callable[[float], str], values: Iterable[float], ticks: int | None = None
) -> None:
    which = "x" if isinstance(axis, XAxis) else "y"
    axis.axes.set(**{f"{which}scale": "log"})
    _log_ticks(axis, label, ticks)
    axis.axes.set(**{f"{which}lim": around(values)})


def _log_ticks(axis: Axis, label: Callable[[float], str], ticks: int | None = None) -> None:
    axis.set_major_locator(_LogTicks(numticks=ticks))
    axis.set_major_formatter(FuncFormatter(lambda value, _: label(value)))
    # Laying out the minor ticks of many decades takes most of the time of a figure.
    axis.set_minor_locator(NullLocator())


def time_ticks(axis: Axis, time: str) -> None:
    """Write ticks as times in suitable units, or as counts, on an axis that is already logarithmic.
    `time` is the column that is shown.
    """
    _log_ticks(axis, _label(time))


def time_axis(axis: Axis, values: Iterable[float], time: str, ticks: int | None = None) -> None:
    """Make a logarithmic axis of times in suitable units, or of counts, which the values fill.
    `time` is the column shown, `ticks` the number of powers of ten that fit on a short axis.
    """
    _log_axis(axis, _label(time), values, ticks)


def _label(time: str) -> Callable[[float], str]:
    return units.seconds if units.is_time(time) else short_count


def plain_times(axis: Axis, highest: float) -> None:
    """Write ticks of a linear axis of times from 0, all in the unit of the highest."""
    factor, unit = next(
        (f, u) for f, u in ((1, "s"), (1e3, "ms"), (1e6, "µs")) if highest * f >= 1 or f == 1e6
    )
    axis.set_major_locator(MaxNLocator(6, steps=(1, 2, 5, 10)))
    axis.set_major_formatter(
        FuncFormatter(lambda value, _: f"{factor * value:.6g} {unit}" if value else "0")
    )


def count_axis(axis: Axis, values: Iterable[float]) -> None:
    """Make a logarithmic axis of short numbers, which the values fill."""
    _log_axis(axis, short_count, values)


def short_count(value: float) -> str:
    """A number in thousands, millions or billions if it is that large.

    >>> [short_count(value) for value in (0.5, 1, 200, 5000, 2e6, 1e10)]
    ['0.5', '1', '200', '5k', '2M', '10G']
    """
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def by_reach(limits: pl.Series, times: pl.Series) -> tuple[list[float], list[float]]:
    """The limits that a time comes within a factor of ten of, and the other limits."""
    highest = float(times.to_numpy().max())
    recorded: list[float] = limits.drop_nulls().unique().sort().to_list()
    near = [limit for limit in recorded if highest * _REACH >= limit]
    return near, [limit for limit in recorded if limit not in near]


def limits(draw: Callable[..., Any], values: Iterable[float]) -> None:
    """Draw a dashed line at each limit, with `axhline` or `axvline` of some axes."""
    for value in values:
        draw(value, **DASHED, zorder=1)


def whole_numbers(axis: Axis) -> None:
    """Set ticks at whole numbers only, even if there are few."""
    axis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))


def n_axis(axes: Axes, sizes: Sequence[int], inches: float, points: float) -> None:
    """Set ticks at all measured n; without room for all, at the first, the last and round ones.

    The axis is logarithmic if n spans a factor of 16 or more. `inches` is its approximate length,
    `points` the size of its labels.
    """
    wide = bool(sizes) and sizes[-1] >= 16 * sizes[0]
    if wide:
        axes.set_xscale("log", base=2)
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_major_locator(FixedLocator(_choose_sizes(sizes, wide, 72 * inches / points)))


def _choose_sizes(sizes: Sequence[int], logarithmic: bool, widths: float) -> list[int]:
    """The sorted sizes whose labels fit on an axis that is `widths` letters wide."""
    if len(sizes) < 2:
        return list(sizes)
    places = {size: math.log(size) if logarithmic else size for size in sizes}
    scale = widths / (places[sizes[-1]] - places[sizes[0]])

    def apart(size: int, next_size: int) -> bool:
        """Whether the two labels do not touch."""
        letters = _DIGIT * (1 + (len(str(size)) + len(str(next_size))) / 2)
        return scale * (places[next_size] - places[size]) >= letters

    if logarithmic:
        return _spread_sizes(sizes, apart)
    between: list[int] = []
    for step in _STEPS:
        multiples = [n for n in sizes[1:-1] if n % step == 0]
        round_ones = [n for n in multiples if apart(sizes[0], n) and apart(n, sizes[-1])]
        if len(round_ones) > len(between) and all(apart(*two) for two in pairwise(round_ones)):
            between = round_ones
    return [sizes[0], *between, sizes[-1]]


def _spread_sizes(sizes: Sequence[int], apart: Callable[[int, int], bool]) -> list[int]:
    """The first and the last size, and those between that are far enough from their neighbours."""
    spread = [sizes[0]]
    for size in sizes[1:-1]:
        if apart(spread[-1], size) and apart(size, sizes[-1]):
            spread.append(size)
    return [*spread, sizes[-1]]
