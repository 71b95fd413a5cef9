"""From boards that nearly all have a solution to boards that nearly none has."""

import math
from collections.abc import Mapping
from typing import Any

import polars as pl
from matplotlib.axes import Axes

from nqbench import summary
from nqbench.plots import layout
from nqbench.plots.layout import Figure
from nqbench.problems.generate import MODELS
from nqbench.vocabulary import combination


def transition(records: pl.DataFrame) -> Figure:
    """Over the density: the share of boards that have a solution, and for each encoding x backend
    the median effort, a line for each n. Bands are 95 % confidence intervals.

    Effort is counted in conflicts if every solver tells them, else in seconds.
    """
    swept = records.filter(pl.col("density").is_not_null())
    told = swept.filter(summary.SOLVED)["conflicts"].is_not_null().all()
    metric, label = (
        ("conflicts", "conflicts (median)") if told else ("solve_s", "solve time (s, median)")
    )
    efforts = summary.effort(swept, metric)
    shares = summary.satisfiable(swept)
    families = layout.names(shares, "family")
    pairs = efforts.select(summary.PAIR).unique().sort(summary.PAIR).rows()
    figure, panels = layout.panels(len(families) * (1 + len(pairs)), share_y=False)
    waiting = iter(panels)
    for family in families:
        looks = _looks(shares.filter(family=family))
        _shares(next(waiting), shares.filter(family=family), looks)
        top = _top(efforts.filter(family=family))
        for encoding, backend in pairs:
            axes = next(waiting)
            rows = efforts.filter(family=family, encoding=encoding, backend=backend)
            _lines(axes, rows, "median", looks)
            axes.set_title(combination(encoding, backend))
            axes.set_ylabel(label)
            axes.set_xlabel(_measure(family))
            if told:
                _scale_with_zero(axes, top)
            else:
                layout.log_scale(axes)
    layout.legend(figure, panels[0])
    return figure


def _shares(axes: Axes, shares: pl.DataFrame, looks: Mapping[int, Mapping[str, Any]]) -> None:
    _lines(axes, shares, "share", looks)
    axes.set(title="has a solution", ylabel="share of boards", ylim=(-0.03, 1.03))
    axes.set_xlabel(_measure(shares["family"][0]))


def _scale_with_zero(axes: Axes, top: float) -> None:
    axes.set_yscale("symlog", linthresh=1)
    axes.set_ylim(0, top)


def _looks(table: pl.DataFrame) -> dict[int, dict[str, Any]]:
    """A look for each n, the same in every panel, whichever sizes a pair was measured on."""
    sizes = table["n"].unique().sort().to_list()
    return {int(n): look for n, look in layout.looks([str(n) for n in sizes])}


def _lines(
    axes: Axes, table: pl.DataFrame, value: str, looks: Mapping[int, Mapping[str, Any]]
) -> None:
    for n, look in looks.items():
        rows = table.filter(n=n)
        axes.fill_between(
            rows["density"],
            rows["low"].cast(pl.Float64).fill_null(float("nan")),
            rows["high"].cast(pl.Float64).fill_null(float("nan")),
            color=look["color"],
            alpha=0.15,
            lw=0,
        )
        axes.plot(rows["density"], rows[value], label=f"n = {n}", **look)


def _top(efforts: pl.DataFrame) -> float:
    """A little above the highest median or bound that is finite."""
    values: list[float] = [*efforts["median"].drop_nulls(), *efforts["high"].drop_nulls()]
    return 2 * max([1.0, *filter(math.isfinite, values)])


def _measure(family: str) -> str:
    return MODELS[family].measure if family in MODELS else "density"
