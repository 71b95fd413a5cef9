"""Draws lines over n: a panel for each solver, a line for each encoding. If there is only one
encoding, its solvers share a panel. So do all combinations if some are highlighted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

import polars as pl
from matplotlib.artist import Artist
from matplotlib.axes import Axes

from nqbench.common.metrics import PAR
from nqbench.common.vocabulary import combination
from nqbench.show.plots import curves as end_labels
from nqbench.show.plots import labels, layout, scales
from nqbench.show.plots.curves import End
from nqbench.show.plots.labels import add_tooltip
from nqbench.show.plots.layout import Page, Sheet
from nqbench.show.plots.style import PALE, Look, Looks, show_equal
from nqbench.summary import NAMED, PAIR

_MOST_MARKERS: Final = 16


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a table over n, drawn in the panels of a page.

    `unit` is the end of the column names `median_`, `low_` and `high_`. `best` lists the encodings
    or solvers that have colours in each panel, best first. `left_out` counts the panels for which
    there was no room. `looks` are those of these lines. `show` writes a value.
    """

    page: Page
    table: pl.DataFrame
    unit: str
    best: dict[str, Sequence[str]]
    left_out: int
    looks: Looks
    show: Callable[[float], str]

    @classmethod
    def of(cls, table: pl.DataFrame, sheet: Sheet, unit: str, show: Callable[[float], str]) -> Self:
        """Draw the lines in as many panels as fit a page."""
        looks = sheet.looks
        if looks.highlighted:
            looks, table = _in_one_panel(looks, table)
        ranked = costs(table, unit, [looks.by_dash, looks.by_colour])
        panels = ranked[looks.by_dash].unique(maintain_order=True).to_list()
        drawn = sorted(panels[: layout.MOST_PANELS])
        best = {
            name: ranked.filter(pl.col(looks.by_dash) == name)[looks.by_colour] for name in drawn
        }
        crowded = (
            max(map(len, best.values()), default=0) > end_labels.MOST_LINES or looks.highlighted
        )
        page = Page(sheet, len(drawn), most_columns=1 + sheet.paper.wide if crowded else 4)
        own = [combination(*pair) for pair in looks.highlighted]
        coloured = {name: end_labels.best(names.to_list(), own) for name, names in best.items()}
        lines = cls(page, table, unit, coloured, len(panels) - len(drawn), looks, show)
        lines._draw()
        return lines

    def _rows(self, panel: str, line: str) -> pl.DataFrame:
        by_panel, by_line = pl.col(self.looks.by_dash), pl.col(self.looks.by_colour)
        return self.table.filter(by_panel == panel, by_line == line)

    def _draw(self) -> None:
        sizes = self.table["n"].unique().sort().to_list()
        for axes, panel in zip(self.page.panels, self.best, strict=True):
            looks = self.looks.among_names(self.best[panel])
            rows_of = {line: self._rows(panel, line) for line in looks.colours}
            points = {
                line: tuple(rows.select("n", f"median_{self.unit}").rows())
                for line, rows in rows_of.items()
                if line in self.best[panel]
            }
            seen = show_equal(points)
            for position, (line, rows) in enumerate(rows_of.items()):
                look = looks.named(line) | seen.get(line, {}) if line in points else None
                self._line(axes, rows, position, look)
            if len(self.looks.dashes) > 1:
                self.page.name_panel(axes, panel)
            scales.n_axis(axes, sizes, self.page.panel_inches, self.page.sheet.paper.small)

    def _line(self, axes: Axes, rows: pl.DataFrame, position: int, look: Look | None) -> None:
        """Draw the line of these rows; one without a look is pale."""
        if rows.is_empty():
            return
        low, median, high = (rows[f"{value}_{self.unit}"] for value in ("low", "median", "high"))
        if look is None:
            look = {"color": PALE, "lw": 0.8, "zorder": 1.5}
        else:
            look = look | {"markevery": _marker_rows(rows, position)}
            axes.fill_between(rows["n"], low, high, color=look["color"], alpha=0.18, lw=0)
        (drawn,) = axes.plot(rows["n"], median, **look)
        name = labels.combined(*rows.select(PAIR).row(0))
        texts = (
            f"{name}, n = {n}: {text}"
            for n, text in zip(rows["n"], labels.medians(rows, self.unit, self.show), strict=True)
        )
        add_tooltip(drawn, name, zip(rows["n"], median, texts, strict=True))
        if "unsolved" in rows.columns:
            lost = rows.filter(pl.col("unsolved") > 0)
            axes.plot(
                lost["n"], lost["time_limit_s"], "x", color=look["color"], ms=5, mew=1.2,
                zorder=look.get("zorder", 2),
            )  # fmt: skip

    def name_ends(self) -> None:
        """Name the best lines if there are too many for a key. The axes must be final."""
        if len(self.looks.colours) <= end_labels.MOST_LINES or self.looks.highlighted:
            return
        for axes, (panel, names) in zip(self.page.panels, self.best.items(), strict=True):
            last_rows = {line: self._rows(panel, line).row(-1, named=True) for line in names}
            median = f"median_{self.unit}"
            looks = self.looks.among_names(names)
            colours = {line: looks.named(line)["color"] for line in names}
            ends = [End(n, row["n"], row[median], colours[n]) for n, row in last_rows.items()]
            end_labels.label(self.page, axes, ends)

    def key(self) -> list[Artist]:
        """The key to the lines: their names, or an entry for the grey ones."""
        colours = self.looks.colours
        if len(colours) > end_labels.MOST_LINES and not self.looks.highlighted:
            return [layout.others("other lines")]
        drawn = set().union(*self.best.values())
        key = [layout.line(name, self.looks.named(name)) for name in colours if name in drawn]
        return [*key, *([layout.others("other combinations")] if self.looks.highlighted else [])]

    def notes(self, best: str = "fastest") -> list[str]:
        """Notes on what is not shown: only the `best` are."""
        count = len(self.best)
        return [f"The {count} {best} of {count + self.left_out}"] if self.left_out else []


def _marker_rows(rows: pl.DataFrame, position: int) -> list[int]:
    """Rows at which a line has markers. If most runs are unsolved, there is a cross instead.

    Markers of neighbouring lines alternate, so that they do not hide each other.
    """
    every = -(-len(rows) // _MOST_MARKERS) or 1
    positions = range(position % every, len(rows), every)
    if "unsolved" not in rows.columns:
        return list(positions)
    crossed = (rows["unsolved"] * 2 > rows["runs"]).to_list()
    return [row for row in positions if not crossed[row]]


def _in_one_panel(looks: Looks, table: pl.DataFrame) -> tuple[Looks, pl.DataFrame]:
    """The looks and the table of a panel in which each combination is a line with its own look."""
    with_names = table.with_columns(combination=NAMED, panel=pl.lit(""))
    names = with_names["combination"].unique().sort().to_list()
    own = replace(looks, by_colour="combination", by_dash="panel", colours=names, dashes=[""])
    return own, with_names


def costs(table: pl.DataFrame, unit: str, keys: Sequence[str]) -> pl.DataFrame:
    """Mean cost of each line, with an unsolved n at `PAR` times its limit; least first."""
    cost = pl.col(f"median_{unit}")
    if "unsolved" in table.columns:
        lost = pl.col("unsolved") * 2 > pl.col("runs")
        cost = pl.when(lost).then(PAR * pl.col("time_limit_s")).otherwise(cost)
    return table.group_by(keys).agg(cost=cost.mean()).sort("cost", *keys)
