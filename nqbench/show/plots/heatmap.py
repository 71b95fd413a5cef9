"""Draws every encoding with every backend."""

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import polars as pl
from matplotlib.colors import LogNorm
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from nqbench import summary
from nqbench.common import units
from nqbench.common.metrics import SCORE_NAME
from nqbench.common.vocabulary import AS_IT_IS
from nqbench.show.plots import labels, scales
from nqbench.show.plots.kind import Chart, kind, several_pairs
from nqbench.show.plots.labels import COLOURED_BY_VALUE, add_tooltip
from nqbench.show.plots.layout import Figure, Page, Sheet

_INCHES: Final = 0.34
_LONGEST_NAME: Final = 24
_ROTATION: Final = 35
_LABEL_CHARACTERS: Final = 7
_LEAST_POINTS: Final = 4.0
_CELLS: Final = 0.66
"""Approximate share of the width for cells."""

_BESIDE_NAMES: Final = 0.83
"""Approximate share of the width for cells and the names of encodings. The texts of cells are left
out if they get too small.
"""

_GAP: Final = 10
"""Costs that are so many times as high as all others do not decide the colours of these,"""

_FEW: Final = 4
"""if only one in so many is that high."""

_CENTRED: Final[dict[str, Any]] = {"ha": "center", "va": "center", "linespacing": 1.0}


_MOST_IN_HALF: Final = 6
_LONGEST_IN_HALF: Final = 20
"""Solvers, and characters of an encoding, that fit half of the width of a report."""


def _chart(records: pl.DataFrame) -> Chart:
    """The chart of a report, which takes the whole width if it has many solvers."""
    drawn = summary.on_common(records)
    return Chart(
        f"{SCORE_NAME} of each encoding with each backend"
        if summary.has_encodings(records)
        else f"{SCORE_NAME} of each backend",
        wide=drawn["backend"].n_unique() > _MOST_IN_HALF
        or max(map(len, drawn["encoding"].unique()), default=0) > _LONGEST_IN_HALF,
    )


@kind(
    "heatmap",
    needs="problems that all of several combinations ran on",
    fits=several_pairs,
    place=5,
    ranks=True,
    chart=_chart,
)
def heatmap(records: pl.DataFrame, sheet: Sheet, time: str = "solve_s") -> Figure:
    """PAR-2 of each encoding with each solver, on the problems that all were measured on. If not
    all runs are solved, the share solved is below it.
    """
    table = summary.overview(records, time)
    encodings, backends = (
        table.group_by(column)
        .agg(pl.col(summary.SCORE).min())
        .sort(summary.SCORE, column)[column]
        .to_list()
        for column in summary.PAIR
    )
    names = [labels.shortened(name, _LONGEST_NAME) for name in backends]
    longest = sheet.paper.share(max(map(len, names), default=1) + 1)
    slanted = longest > _CELLS / len(backends)
    below = longest * sheet.paper.inches * math.sin(math.radians(_ROTATION)) if slanted else 0
    page = Page(sheet, height=0.35 + below + _INCHES * max(3, len(encodings)))
    (axes,) = page.panels
    values = {(row["encoding"], row["backend"]): row for row in table.iter_rows(named=True)}
    no_row = {summary.SCORE: math.nan}
    grid = [[values.get((e, b), no_row)[summary.SCORE] for b in backends] for e in encodings]
    costs = table[summary.SCORE].clip(1e-9).to_numpy()
    highest = _highest(costs)
    norm = LogNorm(*scales.widened(float(costs.min()), highest), clip=True)
    # Not as an image, which PGF would keep in a file beside it.
    edges = ([place - 0.5 for place in range(len(names) + 1)] for names in (backends, encodings))
    cells = axes.pcolormesh(*edges, grid, norm=norm, cmap="cividis_r", edgecolors="face", lw=0.2)
    COLOURED_BY_VALUE.add(cells)
    texts = (
        (backends.index(backend), encodings.index(encoding), _describe(cell, time))
        for (encoding, backend), cell in values.items()
    )
    add_tooltip(cells, "", texts, cells=True)
    axes.invert_yaxis()
    size = _text_size(sheet, encodings, len(backends))
    for row, encoding in enumerate(encodings):
        for column, backend in enumerate(backends):
            if size >= _LEAST_POINTS and (cell := values.get((encoding, backend))):
                # Black letters cannot be read on the darker half of the colours.
                colour = "white" if norm(max(cell[summary.SCORE], 1e-9)) > 0.55 else "black"
                text = axes.text(
                    column, row, _label(cell, time), fontsize=size, color=colour, **_CENTRED
                )
                COLOURED_BY_VALUE.add(text)
    for pair in sheet.looks.highlighted:
        if pair in values:
            colour = sheet.looks.combination(*pair)["color"]
            corner = (backends.index(pair[1]) - 0.5, encodings.index(pair[0]) - 0.5)
            axes.add_patch(Rectangle(corner, 1, 1, fill=False, ec=colour, lw=2.5, clip_on=False))
    turned: dict[str, Any] = (
        {"rotation": _ROTATION, "ha": "right", "rotation_mode": "anchor"} if slanted else {}
    )
    axes.set_xticks(range(len(backends)), names, **turned)
    axes.set_yticks(range(len(encodings)), labels.encodings(encodings))
    axes.tick_params(left=encodings != [AS_IT_IS])
    axes.grid(visible=False)
    beyond = "max" if highest < costs.max() else "neither"
    bar = page.figure.colorbar(cells, ax=axes, pad=0.02, extend=beyond)
    scales.time_ticks(bar.ax.yaxis, time)
    notes = [f"The darker, the {'slower' if units.is_time(time) else 'more'}", labels.par2(time)]
    if highest < costs.max():
        notes.append("Cells far above the scale have its darkest colour")
    if (table["solved"] < table["runs"]).any():
        notes.append("Percentages: runs solved, where not all are")
    title = f"{SCORE_NAME} of the {labels.time_label(time)}"
    return page.finish(title, notes=[*notes, *labels.notes_on(time)])


def _highest(costs: NDArray[np.float64]) -> float:
    """The end of the colours: the largest of these costs, or the largest below a gap, if few are
    beyond it. One colour for nearly all cells would show nothing.
    """
    ordered = np.sort(costs)
    few = len(ordered) // _FEW
    for beyond in range(few, 0, -1):
        below, above = ordered[-beyond - 1], ordered[-beyond]
        if above > _GAP * below:
            return float(below)
    return float(ordered[-1])


def _text_size(sheet: Sheet, encodings: Sequence[str], backends: int) -> float:
    """The text size that fits the cells, in points."""
    names = sheet.paper.share(max(map(len, encodings), default=0))
    cell = 72 * (_BESIDE_NAMES - names) * sheet.paper.inches / backends
    return min(sheet.paper.small, cell / (0.6 * _LABEL_CHARACTERS))


def _describe(row: dict[str, Any], time: str) -> str:
    """The cell in words."""
    name = labels.combined(row["encoding"], row["backend"])
    value = units.amount(row[summary.SCORE], time)
    return f"{name}: {SCORE_NAME} {value}, {row['solved']} of {row['runs']} runs solved"


def _label(row: dict[str, float], time: str) -> str:
    value = units.short_amount(row[summary.SCORE], time)
    share = row["solved"] / row["runs"]
    return value if share == 1 else f"{value}\n{units.percent(share)}"
