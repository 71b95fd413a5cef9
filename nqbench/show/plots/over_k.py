"""Draws time over k, of problems that ask for k things."""

from typing import Any, Final

import polars as pl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from nqbench import summary
from nqbench.common import units
from nqbench.show.plots import curves, labels, layout, scales
from nqbench.show.plots.curves import costs
from nqbench.show.plots.kind import kind
from nqbench.show.plots.layout import Figure, Page, Sheet
from nqbench.show.plots.style import GREY, PALE, Look, show_equal

_HEIGHT: Final = 3.4
_HOLLOW: Final[Look] = {"markerfacecolor": "white"}
_BETWEEN: Final[dict[str, Any]] = {"fc": "none", "ec": PALE, "hatch": "////", "lw": 0}


def _several_k(records: pl.DataFrame) -> bool:
    return bool((records.group_by("n").agg(pl.col("k").n_unique())["k"] > 1).any())


@kind(
    "time-over-k",
    needs="several k of one n, of a family such as queen-domination:k=3",
    fits=_several_k,
    place=10,
    over_k=True,
)
def time_over_k(records: pl.DataFrame, sheet: Sheet, time: str = "solve_s") -> Figure:
    """For families with a k in their names, as `queen-domination:k=3`: median time over k, one
    panel per n. A k with a solution has a filled mark, one without a hollow mark, and one with
    unsolved runs a cross at the limit. The hatched strip is between a k that is verified to have no
    solution and one that is verified to have some; the title of the panel names the best k.
    """
    table, best_k = summary.over_k(records, time), summary.optima(records)
    sizes = table["n"].unique().sort().to_list()
    order = costs(table, "s", summary.PAIR).select(summary.PAIR).rows()
    best = curves.best(order, sheet.looks.highlighted)
    looks = sheet.looks.among(best)
    drawn = sizes[-layout.MOST_PANELS :]
    page = Page(sheet, len(drawn), share_x=False, height=_HEIGHT if len(drawn) == 1 else None)
    near, far = scales.by_reach(table["time_limit_s"], table["high_s"])
    for axes, n in zip(page.panels, drawn, strict=True):
        of_n = table.filter(n=n)
        rows_of = {pair: of_n.filter(encoding=pair[0], backend=pair[1]) for pair in reversed(order)}
        seen = show_equal(
            {p: tuple(rows_of[p].select("k", "median_s").rows()) for p in rows_of if p in best}
        )
        for pair, rows in rows_of.items():
            look = looks.combination(*pair) | seen.get(pair, {}) if pair in best else None
            _line(axes, rows, look)
        scales.whole_numbers(axes.xaxis)
        scales.time_axis(axes.yaxis, [*table["low_s"], *table["high_s"], *near], time)
        scales.limits(axes.axhline, near)
        optima_of_n = best_k.filter(n=n).to_dicts()
        for optimum in optima_of_n:
            axes.axvspan(optimum["has"], optimum["lacks"], **_BETWEEN)
        page.name_panel(axes, ": ".join([f"n = {n}", *map(_describe_optimum, optima_of_n)]))
    label = labels.time_label(time)
    page.name_axes("k", label)
    key: list[Artist] = [
        layout.line(looks.label(*p), _fill_marker(looks.combination(*p))) for p in best
    ]
    if len(best) < len(order):
        key.append(layout.others(f"{len(order) - len(best)} others"))
    key += _key(table, records)
    if not best_k.is_empty():
        key.append(Patch(**_BETWEEN, label="from no solution to a solution"))
    key += layout.limits(near, time)
    notes = [*labels.notes_on(time), *labels.far_limits(far, time)]
    if len(drawn) < len(sizes):
        notes.append(f"The {len(drawn)} largest of {len(sizes)} n")
    return page.finish(labels.title(f"{label} over k"), key, notes)


def _line(axes: Axes, rows: pl.DataFrame, look: Look | None) -> None:
    """Draw the times of one combination; one without a look is a pale line without marks."""
    own = look or {"color": PALE, "linewidth": 0.8, "zorder": 1.5}
    colour = own["color"]
    axes.plot(rows["k"], rows["median_s"], **own | {"marker": "none"})
    if look:
        axes.fill_between(rows["k"], rows["low_s"], rows["high_s"], color=colour, alpha=0.18, lw=0)
        closed = rows.filter(pl.col("unsolved") * 2 <= pl.col("runs"))
        for answer, form in (("sat", _fill_marker(look)), ("unsat", look | _HOLLOW)):
            marked = closed.filter(answer=answer)
            axes.plot(marked["k"], marked["median_s"], **form | {"linestyle": "none"})
    lost = rows.filter(pl.col("unsolved") > 0)
    axes.plot(lost["k"], lost["time_limit_s"], "x", color=colour, ms=5, mew=1.2)


def _fill_marker(look: Look) -> Look:
    return look | {"markerfacecolor": look["color"]}


def _describe_optimum(optimum: dict[str, Any]) -> str:
    """The best k in words, or the range that it is in."""
    has, lacks = optimum["has"], optimum["lacks"]
    span = units.span([has, lacks + (1 if has > lacks else -1)])
    return f"{optimum['best']} k is {span}"


def _key(table: pl.DataFrame, records: pl.DataFrame) -> list[Artist]:
    """The key entries of marks and bands, as far as they are drawn."""
    mark: Look = {"color": GREY, "marker": "o", "linestyle": "none"}
    key: list[Artist] = []
    if (table["answer"] == "sat").any():
        key.append(layout.line("a solution", mark))
    if (table["answer"] == "unsat").any():
        key.append(layout.line("no solution", mark | _HOLLOW))
    if table["unsolved"].sum():
        key.append(layout.cross("with unsolved runs, counted at the limit"))
    return [*key, *layout.bands(table, "s", labels.spread(table, records))]
