"""Draws mean ranks, and how many others each combination beats."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from nqbench import summary
from nqbench.common.units import counted
from nqbench.common.vocabulary import combination
from nqbench.show.paper import Paper
from nqbench.show.plots import labels
from nqbench.show.plots.kind import kind, several_pairs, several_problems
from nqbench.show.plots.layout import Figure, Page, Sheet
from nqbench.show.plots.style import GREY

_ROW_INCHES: Final = 0.2
_LONGEST: Final = 34


@kind(
    "ranks",
    needs="two or more problems that all of several combinations ran on",
    fits=lambda records: several_pairs(records) and several_problems(records),
    ranks=True,
)
def ranks(records: pl.DataFrame, sheet: Sheet, time: str = "solve_s") -> Figure:
    """Mean rank over the instances. At each name stand how many combinations it is typically better
    than, and how many are typically better than it.

    After the critical-difference diagram (J. Demsar, Journal of Machine Learning Research 7, 2006),
    whose bars can only join neighbours. On one column of a paper all names are at the left.
    """
    table = summary.ranks(records, time)
    means = table["rank"].to_list()
    places = set(table["pair"])
    names = _names(records, table["pair"].to_list(), sheet)
    strong = [pair for pair in sheet.looks.highlighted if combination(*pair) in places]
    colours = {
        labels.shortened(sheet.looks.label(*p), _LONGEST): sheet.looks.combination(*p)["color"]
        for p in strong
    }
    counts = [_counts(*row) for row in table.select("beats", "beaten_by").rows()]
    diagram = _Diagram(sheet.paper, len(names))
    page = Page(sheet, height=0.4 + _ROW_INCHES * diagram.height)
    (axes,) = page.panels
    width = max(len(name) + len(count) for name, count in zip(names, counts, strict=True))
    share = sheet.paper.share(width + 8)
    diagram.scale_on_top(axes, max(len(names), 2), share, labels.best(time))
    for position, (*texts, mean) in enumerate(zip(names, counts, means, strict=True)):
        diagram.point_at(axes, texts, mean, position, colours.get(texts[0]))
    noun = summary.noun(records)
    count = summary.problem_count(summary.common(records, time))
    title = f"Mean rank by {labels.time_label(time)} on {counted(count, noun)}"
    beats = "In brackets: how many it typically beats : by how many it is beaten"
    notes = [beats] if any(counts) else []
    return page.finish(title, [], [*notes, *labels.notes_on(time, counts=False)])


def _counts(beats: int | None, beaten_by: int | None) -> str:
    """How many it beats, and how many beat it; empty if nothing can be decided."""
    return "" if beats is None else f"  ({beats} : {beaten_by})"


def _names(records: pl.DataFrame, pairs: list[str], sheet: Sheet) -> list[str]:
    """The names of these combinations in figures."""
    combinations = records.select(summary.PAIR).unique().rows()
    names = {combination(*pair): sheet.looks.label(*pair) for pair in combinations}
    return [labels.shortened(names[pair], _LONGEST) for pair in pairs]


@dataclass(frozen=True, slots=True)
class _Diagram:
    """A scale, with the names below it in one or two columns."""

    paper: Paper
    count: int

    @property
    def rows(self) -> int:
        """The number of names at the left."""
        return (self.count + 1) // 2 if self.paper.wide else self.count

    @property
    def height(self) -> float:
        """The height of the diagram, in rows."""
        return self.rows + 0.8

    def scale_on_top(self, axes: Axes, last: int, beside: float, best: str) -> None:
        """Draw the ranks from 1, the `best`, to the last, with a share of the width for names at
        each side.
        """
        width = (last - 1) / (0.96 - beside * (1 + self.paper.wide))
        right = beside if self.paper.wide else 0.04
        axes.set(xlim=(1 - beside * width, last + right * width), ylim=(self.height, 0), yticks=[])
        ticks = MaxNLocator(8, integer=True).tick_values(1, last)
        axes.set_xticks([1, *(tick for tick in ticks if 1 < tick <= last)])
        axes.xaxis.set_ticks_position("top")
        axes.xaxis.set_label_position("top")
        axes.set_xlabel(f"mean rank (1: always the {best})")
        axes.spines[:].set_visible(False)
        axes.spines["top"].set_visible(True)
        axes.spines["top"].set_bounds(1, last)
        axes.grid(visible=False)

    def point_at(
        self, axes: Axes, texts: Sequence[str], mean: float, position: int, strong: str | None
    ) -> None:
        """Draw a line from the mean rank down and to the side, and write the name and the counts on
        it; both in the `strong` colour if there is one.
        """
        name, counts = texts
        on_left = position < self.rows
        row = position if on_left else self.count - 1 - position
        y = row + 0.8
        side = axes.get_xlim()[0 if on_left else 1]
        axes.plot([mean, mean, side], [0, y, y], color=strong or GREY, lw=1.4 if strong else 0.6)
        axes.annotate(
            f"{name}{counts}  {mean:.1f}" if on_left else f"{mean:.1f}  {name}{counts}",
            (side, y),
            xytext=(2 if on_left else -2, 1),
            textcoords="offset points",
            ha="left" if on_left else "right",
            va="bottom",
            fontsize=self.paper.small,
            color=strong or "black",
            weight="bold" if strong else "normal",
        )
