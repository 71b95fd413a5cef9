"""Draws the transition from mostly satisfiable to mostly unsatisfiable boards."""

import math
from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Final

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, PercentFormatter

from nqbench import summary
from nqbench.common.errors import InputError, UnavailableError
from nqbench.problems.families.base import Family
from nqbench.show.plots import layout, scales, style
from nqbench.show.plots.kind import kind
from nqbench.show.plots.layout import Figure, Page, Sheet
from nqbench.show.plots.style import Look

_LIGHTEST: Final = 0.65


@kind(
    "transition",
    needs="random problems with a density",
    fits=lambda records: bool(records["density"].is_not_null().any()),
    place=8,
)
def transition(records: pl.DataFrame, sheet: Sheet) -> Figure:
    """For random boards: the share with a solution, and the effort, over the density.

    Effort is the number of conflicts if every solver reports it, otherwise seconds. Larger n are
    darker. Bands are 95 % confidence intervals.
    """
    swept = records.filter(pl.col("density").is_not_null())
    all_report_conflicts = swept.filter(summary.SOLVED)["conflicts"].is_not_null().all()
    metric, label = (
        ("conflicts", "conflicts") if all_report_conflicts else ("solve_s", "solve time")
    )
    efforts = summary.effort(swept, metric)
    shares = summary.satisfiable(swept)
    families = shares["family"].unique().sort().to_list()
    pairs = efforts.select(summary.PAIR).unique().sort(summary.PAIR).rows()
    page = Page(sheet, len(families) * (1 + len(pairs)), share_y=False, share_x=False)
    waiting = iter(page.panels)
    lines = _looks(shares["n"].unique().sort().to_list())
    for family in families:
        _shares(next(waiting), shares.filter(family=family), lines)
        of_family = efforts.filter(family=family)
        for encoding, backend in pairs:
            axes = next(waiting)
            rows = of_family.filter(encoding=encoding, backend=backend)
            _lines(axes, rows, "median", lines)
            page.name_panel(axes, f"{label}, {sheet.looks.label(encoding, backend)}")
            if (encoding, backend) in sheet.looks.highlighted:
                colour = sheet.looks.combination(encoding, backend)["color"]
                axes.title.set(weight="bold", color=colour)
            axes.set_xlabel(_measure(family))
            _effort_axis(axes, of_family, all_report_conflicts)
    key = [
        *(layout.line(f"n = {n}", look) for n, look in lines.items()),
        layout.band("95 % confidence interval"),
    ]
    subject = f"{summary.noun(swept).capitalize()}s with a solution"
    return page.finish(f"{subject}, and median {label}, over the density", key)


def _looks(sizes: Sequence[int]) -> dict[int, Look]:
    """A grey and a marker for each n, equal in all panels; colours show encodings or solvers."""
    greys = np.linspace(_LIGHTEST, 0, len(sizes)) if len(sizes) > 1 else [0.0]
    return {
        n: {"color": f"{grey:.3f}", "marker": marker}
        for n, grey, marker in zip(sizes, greys, cycle(style.MARKERS), strict=False)
    }


def _shares(axes: Axes, shares: pl.DataFrame, lines: Mapping[int, Look]) -> None:
    _lines(axes, shares, "share", lines)
    axes.set(title="share with a solution", ylim=(-0.03, 1.03))
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    axes.set_xlabel(_measure(shares["family"][0]))


def _effort_axis(axes: Axes, efforts: pl.DataFrame, conflicts: bool) -> None:
    """A logarithmic axis shared by all panels of a family; it includes 0 if a value is 0."""
    columns = [efforts[column].cast(pl.Float64) for column in ("low", "median", "high")]
    values = [value for value in pl.concat(columns).drop_nulls() if math.isfinite(value)]
    if not conflicts:
        scales.time_axis(axes.yaxis, values, "solve_s")
    elif min(values, default=0) >= 1:
        scales.count_axis(axes.yaxis, values)
    else:
        axes.set_yscale("symlog", linthresh=1)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: scales.short_count(value)))
        axes.set_ylim(0, 1.5 * max([1.0, *values]))


def _lines(axes: Axes, table: pl.DataFrame, value: str, lines: Mapping[int, Look]) -> None:
    for n, look in lines.items():
        rows = table.filter(n=n)
        low, high = (rows[end].cast(pl.Float64).fill_null(math.nan) for end in ("low", "high"))
        axes.fill_between(rows["density"], low, high, color=look["color"], alpha=0.18, lw=0)
        axes.plot(rows["density"], rows[value], label=f"n = {n}", **look)


def _measure(family: str) -> str:
    try:
        return Family.recorded(family).measure or "density"
    except (InputError, UnavailableError):
        return "density"  # the family of a plugin that is not installed here
