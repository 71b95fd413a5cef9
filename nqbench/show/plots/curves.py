"""Lines over n: a panel for each solver, a line for each encoding, and names at their ends.

If there is only one encoding, its solvers share a panel. So do all combinations if some are
highlighted. Names are at the ends of lines where a key would be too far away.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Final, Self, TypeVar

import polars as pl
from matplotlib.artist import Artist
from matplotlib.axes import Axes

from nqbench.common.metrics import PAR
from nqbench.common.vocabulary import combination
from nqbench.show.plots import labels, layout, scales, style
from nqbench.show.plots.labels import add_tooltip
from nqbench.show.plots.layout import Page, Sheet
from nqbench.show.plots.style import PALE, Look, Looks, show_equal
from nqbench.summary import NAMED, PAIR

MOST_LINES: Final = 10
"""With more lines than this, only the best ones have colours."""

BEST: Final = 8
"""Number of lines that have colours then."""

T = TypeVar("T")

_GAP: Final = 1.15
_TEXT: Final = 0.7
"""Share of the light of a line's colour. Letters are thin and must be darker than lines."""

# Light dots: a line in the colour of the data would look like more data.
_LEADER: Final = {
    "arrowstyle": "-", "lw": 0.7, "ls": (0, (1, 2.5)), "color": "#888888", "shrinkA": 1,
    "shrinkB": 3, "relpos": (0, 0.5),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class End:
    """The end of a line, with its name and its colour."""

    name: str
    x: float
    y: float
    colour: str


def order(table: pl.DataFrame) -> list[tuple[str, str]]:
    """The combinations of a table with a row for each solved run or problem: most solved first,
    then least time.
    """
    judged = table.group_by(PAIR).agg(solved=pl.len(), cost=pl.col("time_s").sum())
    ordered = judged.sort("solved", "cost", *PAIR, descending=[True, False, False, False])
    return ordered.select(PAIR).rows()


def best(names: Sequence[T], highlighted: Sequence[T] = ()) -> Sequence[T]:
    """The names that have colours, from names sorted best first: the highlighted ones, if any."""
    if highlighted:
        return [name for name in names if name in highlighted]
    return names if len(names) <= MOST_LINES else names[:BEST]


def label(page: Page, axes: Axes, ends: Sequence[End]) -> None:
    """Write the names to the right of the axes, each at or near the end of its line.

    The limits of the axes must be final.
    """
    size = page.sheet.paper.small
    to_share = axes.transScale + axes.transLimits
    ordered = sorted(ends, key=lambda end: (end.y, end.name))
    shares = [float(to_share.transform((end.x, end.y))[1]) for end in ordered]
    for end, share in zip(
        ordered, _move_apart(shares, _GAP * size / page.panel_points), strict=True
    ):
        axes.annotate(
            labels.shortened(end.name, 34 if page.sheet.paper.wide else 28),
            (end.x, end.y),
            xytext=(1.03, share),
            textcoords="axes fraction",
            arrowprops=_LEADER,
            annotation_clip=False,
            va="center",
            fontsize=size,
            color=style.darker(end.colour, _TEXT),
        )


def _move_apart(places: Sequence[float], gap: float) -> list[float]:
    """Move sorted places as little as possible, so that neighbours are a gap apart and, if there is
    room, all lie between 0 and 1.
    """
    blocks: list[list[float]] = []
    for position, place in enumerate(places):
        blocks.append([place - gap * position])
        # A block moves as a whole. It absorbs the block before it if they would overlap.
        while len(blocks) > 1 and fmean(blocks[-2]) > fmean(blocks[-1]):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    lowest = [fmean(block) for block in blocks for _ in block]
    highest = max(0.0, 1 - gap * (len(places) - 1))
    return [min(max(low, 0.0), highest) + gap * position for position, low in enumerate(lowest)]


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
        names_of = {
            name: ranked.filter(pl.col(looks.by_dash) == name)[looks.by_colour] for name in drawn
        }
        crowded = max(map(len, names_of.values()), default=0) > MOST_LINES or looks.highlighted
        page = Page(sheet, len(drawn), most_columns=1 + sheet.paper.wide if crowded else 4)
        own = [combination(*pair) for pair in looks.highlighted]
        coloured = {name: best(names.to_list(), own) for name, names in names_of.items()}
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
        if len(self.looks.colours) <= MOST_LINES or self.looks.highlighted:
            return
        for axes, (panel, names) in zip(self.page.panels, self.best.items(), strict=True):
            last_rows = {line: self._rows(panel, line).row(-1, named=True) for line in names}
            median = f"median_{self.unit}"
            looks = self.looks.among_names(names)
            colours = {line: looks.named(line)["color"] for line in names}
            ends = [End(n, row["n"], row[median], colours[n]) for n, row in last_rows.items()]
            label(self.page, axes, ends)

    def key(self) -> list[Artist]:
        """The key to the lines: their names, or an entry for the grey ones."""
        colours = self.looks.colours
        if len(colours) > MOST_LINES and not self.looks.highlighted:
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
