"""Draws how the time grows with n."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import polars as pl
from matplotlib.axes import Axes

from nqbench import summary
from nqbench.show.plots import labels, layout, scales
from nqbench.show.plots.kind import kind
from nqbench.show.plots.layout import Figure, Page, Sheet
from nqbench.show.plots.style import GREY

_MODELS: Final = {"polynomial": "power of n", "exponential": "exponential"}
_DASHES: Final = {"polynomial": "-", "exponential": (0, (4, 2))}


@kind(
    "scaling",
    needs="at least three sizes",
    fits=lambda records: records["n"].n_unique() > 2,
    over_n=True,
)
def scaling(records: pl.DataFrame, sheet: Sheet, time: str = "solve_s") -> Figure:
    """Medians over n, with a power of n and an exponential fitted. A thick line is the model that
    the data support, with its formula. If the data do not decide, both lines are thin and the panel
    says *undecided*. There is no line with fewer than three sizes from 1 ms on; the panel says *too
    few sizes*. The twelve fastest combinations are shown.
    """
    fits = summary.scaling(records, time)
    medians = summary.over_n(records, time).with_columns(
        solved=pl.col("unsolved") * 2 < pl.col("runs")
    )
    pairs = _fastest_first(medians)
    drawn_pairs = pairs[: layout.MOST_PANELS]
    page = Page(sheet, len(drawn_pairs))
    solved = medians.filter("solved").join(
        pl.DataFrame(drawn_pairs, summary.PAIR, orient="row"), on=summary.PAIR
    )
    sizes = medians["n"].unique().sort().to_list()
    for axes, (encoding, backend) in zip(page.panels, drawn_pairs, strict=True):
        of_pair = solved.filter(encoding=encoding, backend=backend)
        look = sheet.looks.combination(encoding, backend) | {"linestyle": "none"}
        axes.plot(of_pair["n"], of_pair["median_s"], **look)
        fitted = fits.filter(encoding=encoding, backend=backend).drop_nulls("b")
        for fit in fitted.iter_rows(named=True):
            _curve(axes, fit)
        _name_of_curve(axes, fitted, sheet.paper.small)
        page.name_panel(axes, sheet.looks.label(encoding, backend))
        scales.time_axis(axes.yaxis, solved["median_s"], time)
        scales.n_axis(axes, sizes, page.panel_inches, sheet.paper.small)
    page.name_axes("n", labels.time_label(time))
    notes = [*layout.notes_on_rows(len(pairs), time, layout.MOST_PANELS), *labels.notes_on(time)]
    drawn = fits.drop_nulls("b").join(
        pl.DataFrame(drawn_pairs, summary.PAIR, orient="row"), on=summary.PAIR
    )
    return page.finish(f"How the {labels.time_label(time)} grows with n", _key(drawn), notes)


def _fastest_first(medians: pl.DataFrame) -> list[tuple[str, str]]:
    cost = pl.when("solved").then("median_s").otherwise(summary.PAR * pl.col("time_limit_s")).mean()
    costs = medians.group_by(summary.PAIR).agg(cost=cost)
    return costs.sort("cost", *summary.PAIR).select(summary.PAIR).rows()


def _look(model: str, supported: bool) -> dict[str, Any]:
    weight = {"color": "black", "lw": 1.8} if supported else {"color": GREY, "lw": 0.8}
    return {"ls": _DASHES[model], "zorder": 1.8, **weight}


def _key(fits: pl.DataFrame) -> list[Any]:
    """The key to the curves of these fits: only what some panel has."""
    drawn = set(fits.select("model", supported=pl.col("model") == pl.col("verdict")).rows())
    entries = [
        layout.line(f"{name}{suffix}", _look(model, supported))
        for supported, suffix in ((False, ""), (True, ", supported by the data"))
        for model, name in _MODELS.items()
        if (model, supported) in drawn
    ]
    return [layout.line("median", {"color": GREY, "marker": "o", "ls": "none"}), *entries]


def _curve(axes: Axes, fit: Mapping[str, Any]) -> None:
    n = np.linspace(fit["first_n"], fit["last_n"], 80)
    grows = n ** fit["b"] if fit["model"] == "polynomial" else fit["b"] ** n
    axes.plot(n, fit["a"] * grows, **_look(fit["model"], fit["verdict"] == fit["model"]))


def _name_of_curve(axes: Axes, fits: pl.DataFrame, points: float) -> None:
    """Write the formula of the curve that the data support in the corner, or why there is none."""
    text, weight = "undecided" if len(fits) else "too few sizes", "normal"
    for fit in fits.filter(pl.col("verdict") == pl.col("model")).iter_rows(named=True):
        polynomial, weight = fit["model"] == "polynomial", "bold"
        text = f"$n^{{{fit['b']:.2g}}}$" if polynomial else f"${fit['b']:.3g}^{{n}}$"
    axes.annotate(
        text,
        (0.03, 0.97),
        xycoords="axes fraction",
        va="top",
        ha="left",
        fontsize=points,
        color="black" if weight == "bold" else GREY,
        fontweight=weight,
        parse_math=True,
    )
