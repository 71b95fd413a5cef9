"""Where the time of a run goes."""

from typing import Final

import polars as pl

from nqbench import summary
from nqbench.plots import layout
from nqbench.plots.layout import Figure
from nqbench.vocabulary import combination

_PARTS: Final = (
    ("encode_s", "encode (once a formula)", layout.COLOURS[4], "//"),
    ("load_s", "load", layout.COLOURS[5], ""),
    ("solve_s", "solve", layout.COLOURS[0], ""),
    ("other_s", "rest of the process", "#bbbbbb", ""),
)


def phases(records: pl.DataFrame) -> Figure:
    """Where the time of a finished run goes: one stacked bar for each encoding x backend."""
    table = summary.phases(records)
    figure = Figure(figsize=(7.2, 1.3 + 0.26 * max(3, len(table))), layout="constrained")
    axes = figure.add_subplot()
    labels = [
        combination(encoding, backend) for encoding, backend in table.select(summary.PAIR).rows()
    ]
    left = [0.0] * len(table)
    for column, label, colour, hatch in _PARTS:
        widths = [1e3 * seconds for seconds in table[column]]
        axes.barh(
            labels,
            widths,
            left=left,
            label=label,
            color=colour,
            hatch=hatch,
            edgecolor="white",
            linewidth=0.6,
            height=0.72,
        )
        left = [start + width for start, width in zip(left, widths, strict=True)]
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("mean time of a finished run (ms)")
    layout.legend(figure, axes)
    return figure
