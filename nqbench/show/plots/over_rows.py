"""Draws PAR-2 over k/n and over the length of rows."""

from typing import Final

import polars as pl

from nqbench import summary
from nqbench.common.metrics import SCORE_NAME
from nqbench.common.units import counted
from nqbench.records import derived
from nqbench.show.plots import curves, labels, layout, scales
from nqbench.show.plots.kind import kind, several_problems
from nqbench.show.plots.layout import Figure, Page, Sheet
from nqbench.show.plots.style import PALE, Look, show_equal

_CLASSES: Final = {
    derived.K_SHARE: (derived.SHARES, "k/n of the longest row"),
    derived.ROW_LENGTHS: (derived.LENGTHS, "literals of the longest row"),
}
_PALE: Final[Look] = {"color": PALE, "linewidth": 0.8, "zorder": 1.5}


@kind(
    "over-rows",
    needs="two or more problems with rows that all combinations ran on",
    fits=lambda records: (
        "row_length" in records.columns and several_problems(records.drop_nulls("row_length"))
    ),
    place=11,
    ranks=True,
)
def over_rows(records: pl.DataFrame, sheet: Sheet, time: str = "solve_s") -> Figure:
    """For problems with rows: PAR-2 of each combination over k/n and over the length n of the
    longest row. A problem has k literals of n that may be true, or that may be false if that is
    fewer. The numbers below a class are those of its problems.
    """
    table = summary.over_rows(records, time)
    order = (
        table.filter(by=derived.K_SHARE)
        .group_by(summary.PAIR)
        .agg((pl.col(summary.SCORE) * pl.col("problems")).sum() / pl.col("problems").sum())
        .sort(summary.SCORE, *summary.PAIR)
        .select(summary.PAIR)
        .rows()
    )
    best = curves.best(order, sheet.looks.highlighted)
    looks = sheet.looks.among(best)
    page = Page(sheet, len(_CLASSES), share_x=False)
    for axes, (by, (classes, name)) in zip(page.panels, _CLASSES.items(), strict=True):
        of_class = table.filter(by=by)
        numbers = dict(of_class.select("value", "problems").unique().rows())
        shown = [each for each in classes if each in numbers]
        values = {}
        for pair in reversed(order):
            rows = of_class.filter(encoding=pair[0], backend=pair[1])
            means = dict(rows.select("value", summary.SCORE).rows())
            values[pair] = tuple(means[each] for each in shown)
        seen = show_equal({pair: values[pair] for pair in values if pair in best})
        for pair, own in values.items():
            look = looks.combination(*pair) | seen.get(pair, {}) if pair in best else _PALE
            axes.plot(range(len(shown)), own, **look)
        axes.set_xticks(range(len(shown)), [f"{each}\n{numbers[each]}" for each in shown])
        axes.set_xlim(-0.3, len(shown) - 0.7)
        scales.time_axis(axes.yaxis, table[summary.SCORE], time)
        page.name_panel(axes, name)
    label = f"{SCORE_NAME} of {labels.time_label(time)}"
    page.name_axes("class, and its number of problems", label)
    key = [layout.line(looks.label(*pair), looks.combination(*pair)) for pair in best]
    if len(best) < len(order):
        key.append(layout.others(f"{len(order) - len(best)} others"))
    count = summary.problem_count(summary.common(records, time))
    title = f"{label} on {counted(count, summary.noun(records))} with rows"
    return page.finish(title, key, [labels.par2(time), *labels.notes_on(time)])
