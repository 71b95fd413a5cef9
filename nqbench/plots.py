"""Figures from summaries, nothing else. Colours and markers follow backends, panels encodings."""

from collections.abc import Callable, Iterable, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any, Final

import matplotlib.style
import polars as pl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullLocator, ScalarFormatter

from nqbench import summary

# Okabe and Ito's palette, told apart by readers with any common colour blindness; darkest last.
_COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X")
_DASHES: Final = ("-", (0, (5, 2)), (0, (1.2, 1.5)), (0, (6, 2, 1, 2)), (0, (3, 1, 1, 1, 1, 1)))
_PANELS_IN_A_ROW: Final = 3
_CHARACTERS_IN_WIDTH: Final = 100
_STYLE: Final = Path(__file__).with_name("plots.mplstyle")


def time_over_n(records: pl.DataFrame) -> Figure:
    """Solve time over n: median line, band from fastest to slowest repeat, a panel an encoding.

    The dashed line is the time limit; a cross on it is an n with unsolved runs.
    """
    table = summary.over_n(records)
    return _over_n(table, "encoding", "backend", "solve time (s)")


def total_over_n(records: pl.DataFrame) -> Figure:
    """Time to encode, load and solve over n, in the same way, but a panel for each backend."""
    table = summary.over_n(records, summary.TOTAL)
    return _over_n(table, "backend", "encoding", "encode + load + solve (s)")


def _over_n(table: pl.DataFrame, panel: str, line: str, label: str) -> Figure:
    names, lines = _names(table, panel), _names(table, line)
    figure, panels = _panels(len(names))
    limits = table["time_limit_s"].unique().sort().to_list()
    for axes, name in zip(panels, names, strict=True):
        _log_scale(axes)
        axes.set_ylim(min(table["low_s"].to_list()) / 2, limits[-1] * 2)
        for one, look in _looks(lines):
            rows = table.filter(pl.col(panel) == name, pl.col(line) == one)
            n = rows["n"]
            axes.fill_between(
                n, rows["low_s"], rows["high_s"], color=look["color"], alpha=0.2, lw=0
            )
            axes.plot(n, rows["median_s"], label=one, **look)
            lost = rows.filter(pl.col("unsolved") > 0)
            axes.plot(lost["n"], lost["time_limit_s"], "x", color=look["color"], ms=6, mew=1.4)
        for limit in limits:
            axes.axhline(limit, color="#555555", lw=0.9, ls=(0, (4, 3)))
            axes.annotate(
                f"limit {limit:g} s",
                (1, limit),
                xycoords=("axes fraction", "data"),
                ha="right",
                xytext=(0, -9),
                textcoords="offset points",
                fontsize=7.5,
                color="#555555",
            )
        axes.set_title(name)
        _n_axis(axes, table["n"])
    panels[0].set_ylabel(label)
    _legend(figure, panels[0])
    return figure


def sizes(records: pl.DataFrame) -> Figure:
    """Clauses and variables over n, a line for each encoding, in the order of their clauses."""
    table = summary.sizes(records)
    largest = table.group_by("encoding").agg(pl.col("clauses").max())
    names = largest.sort("clauses", "encoding", descending=True)["encoding"].to_list()
    figure, panels = _panels(2, share_y=False)
    for axes, quantity in zip(panels, ("clauses", "variables"), strict=True):
        for position, (encoding, look) in enumerate(_looks(names, dashed=True)):
            rows = table.filter(encoding=encoding)
            # Later lines are thinner, so that one that lies on another does not hide it.
            width = 0.8 + 2.4 * (1 - position / len(names))
            hollow = {"markerfacecolor": "none", "linewidth": width, "markersize": 2 + 2 * width}
            axes.plot(rows["n"], rows[quantity], label=encoding, **(look | hollow))
        axes.set_ylabel(quantity)
        _log_scale(axes)
        _n_axis(axes, table["n"])
    _legend(figure, panels[0])
    return figure


def phases(records: pl.DataFrame) -> Figure:
    """Where the time of a finished run goes: one stacked bar for each encoding x backend."""
    table = summary.phases(records)
    figure = Figure(figsize=(7.2, 1.3 + 0.26 * max(3, len(table))), layout="constrained")
    axes = figure.add_subplot()
    labels = [f"{encoding} · {backend}" for encoding, backend in table.select(summary.PAIR).rows()]
    left = [0.0] * len(table)
    parts = [
        ("encode_s", "encode (once a formula)", _COLOURS[4], "//"),
        ("load_s", "load", _COLOURS[5], ""),
        ("solve_s", "solve", _COLOURS[0], ""),
        ("other_s", "rest of the process", "#bbbbbb", ""),
    ]
    for column, label, colour, hatch in parts:
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
    _legend(figure, axes)
    return figure


def cactus(records: pl.DataFrame) -> Figure:
    """Instances solved within a time: the further right and the lower a line ends, the better.

    Of encodings and backends those that are more have colours and markers, the others dashes.
    """
    table = summary.cactus(records)
    figure = Figure(figsize=(7.2, 4.4), layout="constrained")
    axes = figure.add_subplot()
    more, fewer = sorted(summary.PAIR, key=lambda column: table[column].n_unique(), reverse=True)
    dashes = dict(zip(_names(records, fewer), cycle(_DASHES), strict=False))
    for name, look in _looks(_names(records, more)):
        for other, dash in dashes.items():
            rows = table.filter(pl.col(more) == name, pl.col(fewer) == other)
            style = look | {"linestyle": dash, "markevery": max(1, len(rows) // 9)}
            axes.plot(rows["instances"], rows["time_s"], **style)
        axes.plot([], [], label=name, **(look | {"linestyle": "none"}))
    for other, dash in dashes.items():
        axes.plot([], [], label=other, color="#555555", linestyle=dash)
    _log_scale(axes)
    axes.set_xlabel("boards solved")
    axes.set_ylabel("within a solve time of (s)")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    _legend(figure, axes)
    return figure


KINDS: Final[dict[str, Callable[[pl.DataFrame], Figure]]] = {
    "time-over-n": time_over_n,
    "total-over-n": total_over_n,
    "sizes": sizes,
    "phases": phases,
    "cactus": cactus,
}


def save_all(records: pl.DataFrame, folder: Path, kinds: Iterable[str] = KINDS) -> list[Path]:
    """Draw figures of the records as PNG and SVG, and return the files written.

    Raises `OSError` if the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    with matplotlib.style.context(_STYLE):
        for kind in kinds:
            figure = KINDS[kind](records)
            FigureCanvasAgg(figure)
            for suffix in ("png", "svg"):
                path = folder / f"{kind}.{suffix}"
                metadata = {"Date": None} if suffix == "svg" else {}
                figure.savefig(path, metadata=metadata)
                figure.set_layout_engine("none")  # keep the layout of the first drawing
                written.append(path)
    return written


def _log_scale(axes: Axes) -> None:
    axes.set_yscale("log")
    # To lay out the minor ticks of many decades takes most of the time of a figure.
    axes.yaxis.set_minor_locator(NullLocator())


def _n_axis(axes: Axes, n: pl.Series) -> None:
    """Whole numbers; powers of two where n spans a factor of 16 or more."""
    axes.set_xlabel("n")
    sizes = n.to_list()
    if sizes and max(sizes) >= 16 * min(sizes):
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter(ScalarFormatter())
        axes.xaxis.set_minor_locator(NullLocator())
    else:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def _names(table: pl.DataFrame, column: str) -> list[str]:
    return sorted(table[column].unique())


def _looks(names: Sequence[str], dashed: bool = False) -> Iterable[tuple[str, dict[str, Any]]]:
    """A look for each name: colour, marker and line, which are the same again after 35 names.

    With `dashed`, neighbours differ in their line as well, where lines may cover each other.
    """
    for position, name in enumerate(names):
        round_, place = divmod(position, len(_COLOURS))
        dash = position if dashed else round_
        yield (
            name,
            {
                "color": _COLOURS[place],
                "marker": _MARKERS[(place + round_) % len(_MARKERS)],
                "linestyle": _DASHES[dash % len(_DASHES)],
            },
        )


def _panels(count: int, share_y: bool = True) -> tuple[Figure, list[Axes]]:
    columns = max(1, min(count, _PANELS_IN_A_ROW))
    rows = max(1, -(-count // columns))
    figure = Figure(figsize=(7.2, 0.6 + 2.7 * rows), layout="constrained")
    grid = figure.subplots(rows, columns, sharey=share_y, squeeze=False).flatten().tolist()
    for unused in grid[count:]:
        unused.set_axis_off()
    return figure, grid[: max(1, count)]


def _legend(figure: Figure, axes: Axes) -> None:
    """All names below the panels, in as many columns as the width holds."""
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        columns = int(_CHARACTERS_IN_WIDTH / (max(map(len, labels)) + 7))
        ncols = max(1, min(columns, len(labels)))
        figure.legend(handles, labels, loc="outside lower center", ncols=ncols)
