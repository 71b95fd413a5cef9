"""How the time grows with n."""

import numpy as np
import polars as pl

from nqbench import summary
from nqbench.plots import layout
from nqbench.plots.layout import Figure


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
            if fit["b"] is None:
                continue
            n = np.linspace(fit["first_n"], fit["last_n"], 80)
            grows = n ** fit["b"] if fit["model"] == "polynomial" else fit["b"] ** n
            base = "n" if fit["model"] == "polynomial" else f"{fit['b']:.3g}"
            power = f"{fit['b']:.2g}" if fit["model"] == "polynomial" else "n"
            chosen = fit["verdict"] == fit["model"]
            axes.plot(
                n,
                fit["a"] * grows,
                color=colour,
                linestyle="-" if chosen else (0, (1.2, 1.5)),
                label=f"{fit['model']} fit",
            )
            axes.annotate(
                f"${base}^{{{power}}}$",
                (0.03, 0.97 if fit["model"] == "polynomial" else 0.87),
                xycoords="axes fraction",
                va="top",
                fontsize=8,
                color=colour,
                fontweight="bold" if chosen else "normal",
            )
        axes.set_title(f"{encoding} · {backend}", fontsize=8)
        layout.n_axis(axes, rows["n"])
    panels[0].set_ylabel(f"{layout.time_label(time)} (s)")
    layout.legend(figure, panels[0])
    return figure
