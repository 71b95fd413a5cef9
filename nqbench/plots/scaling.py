"""How the time grows with n."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from matplotlib.axes import Axes

from nqbench import summary
from nqbench.plots import layout
from nqbench.plots.layout import Figure
from nqbench.vocabulary import combination


def scaling(records: pl.DataFrame, time: str = "solve_s") -> Figure:
    """Median time over n with the fitted models, a panel for each pair: solid the one that the data
    support, both dotted where they cannot decide.
    """
    fits = summary.scaling(records, time)
    medians = summary.over_n(records, time)
    pairs = fits.select(summary.PAIR).unique(maintain_order=True).rows()
    figure, panels = layout.panels(len(pairs))
    for axes, (encoding, backend) in zip(panels, pairs, strict=False):
        rows = medians.filter(encoding=encoding, backend=backend)
        done = rows.filter(pl.col("unsolved") * 2 < pl.col("runs"))
        axes.plot(done["n"], done["median_s"], "o", color=layout.COLOURS[6], ms=3.5)
        layout.log_scale(axes)
        for colour, fit in zip(
            layout.COLOURS,
            fits.filter(encoding=encoding, backend=backend).iter_rows(named=True),
            strict=False,
        ):
            if fit["b"] is not None:
                _curve(axes, fit, colour)
                _name_of_curve(axes, fit, colour)
        axes.set_title(combination(encoding, backend), fontsize=8)
        layout.n_axis(axes, rows["n"])
    panels[0].set_ylabel(f"{layout.time_label(time)} (s)")
    layout.legend(figure, panels[0])
    return figure


def _curve(axes: Axes, fit: Mapping[str, Any], colour: str) -> None:
    n = np.linspace(fit["first_n"], fit["last_n"], 80)
    grows = n ** fit["b"] if fit["model"] == "polynomial" else fit["b"] ** n
    style: Any = "-" if fit["verdict"] == fit["model"] else (0, (1.2, 1.5))
    label = f"{fit['model']} fit"
    axes.plot(n, fit["a"] * grows, color=colour, linestyle=style, label=label)


def _name_of_curve(axes: Axes, fit: Mapping[str, Any], colour: str) -> None:
    """Its formula in the corner, in bold if the data support it."""
    polynomial = fit["model"] == "polynomial"
    axes.annotate(
        f"$n^{{{fit['b']:.2g}}}$" if polynomial else f"${fit['b']:.3g}^{{n}}$",
        (0.03, 0.97 if polynomial else 0.87),
        xycoords="axes fraction",
        va="top",
        fontsize=8,
        color=colour,
        fontweight="bold" if fit["verdict"] == fit["model"] else "normal",
    )
