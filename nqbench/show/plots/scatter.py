"""Draws two combinations board by board."""

from collections.abc import Collection, Sequence
from typing import Final

import polars as pl

from nqbench import summary
from nqbench.common.errors import InputError
from nqbench.common.units import counted
from nqbench.common.vocabulary import combination
from nqbench.show.plots import labels, layout, scales, style
from nqbench.show.plots.kind import kind
from nqbench.show.plots.layout import Figure, Page, Sheet
from nqbench.show.plots.style import Look

_STYLE: Final[Look] = {"color": "black", "ls": "none", "ms": 4.5, "mfc": "none", "alpha": 0.8}
"""The look of a board. It has no colour because colours show encodings or solvers."""


def _can_be_drawn(records: pl.DataFrame) -> bool:
    """Whether two combinations were measured on the same board."""
    table = summary.boards(records, keys=summary.THERE).with_columns(summary.NAMED)
    if table["pair"].n_unique() < 2:
        return False
    costs = table.filter(pl.col("pair").is_in(_choose_pairs(table, ())))
    return bool((costs.group_by(summary.THERE).len()["len"] > 1).any())


@kind("scatter", needs="a problem that both combinations ran on", fits=_can_be_drawn)
def scatter(
    records: pl.DataFrame, sheet: Sheet, time: str = "solve_s", pairs: Sequence[str] = ()
) -> Figure:
    """Two combinations, instance by instance. Below the diagonal, the one on the vertical axis is
    faster. A cross marks an instance that one of them did not solve.

    `pairs` are two names 'encoding x backend' (default: those of least PAR-2, highlighted ones
    first). Raises `InputError` for an unknown name.
    """
    table = summary.boards(records, time, summary.THERE).with_columns(summary.NAMED)
    strong = {combination(*p): sheet.looks.combination(*p) for p in sheet.looks.highlighted}
    across, up = _choose_pairs(table, pairs, strong)
    columns = [*summary.THERE, "time_s", "solved"]
    costs_across, costs_up = (table.filter(pair=pair).select(columns) for pair in (across, up))
    boards = costs_across.join(costs_up, on=summary.THERE, suffix="_up", nulls_equal=True)
    if boards.is_empty():
        raise InputError(
            f"'{across}' and '{up}' were not measured on the same {summary.noun(records)}: name "
            "two others, or choose records"
        )
    page = Page(sheet, height=3.9 if sheet.paper.wide else 3.0)
    (axes,) = page.panels
    times = pl.concat([boards["time_s"], boards["time_s_up"]])
    near, far = scales.by_reach(table["time_limit_s"], times)
    for axis in (axes.xaxis, axes.yaxis):
        scales.time_axis(axis, [*times, *near], time)
    axes.plot(axes.get_xlim(), axes.get_xlim(), color=style.GREY, lw=0.8, zorder=0)
    scales.limits(axes.axhline, near)
    scales.limits(axes.axvline, near)
    axes.set_aspect("equal")
    names = {combination(*p): sheet.looks.label(*p) for p in table.select(summary.PAIR).rows()}
    axes.set(xlabel=names[across], ylabel=names[up])
    for name, axis in ((across, axes.xaxis), (up, axes.yaxis)):
        if name in strong:
            axis.label.set(weight="bold", color=strong[name]["color"])
    both_solved = pl.col("solved") & pl.col("solved_up")
    for rows, mark in ((boards.filter(both_solved), "o"), (boards.filter(~both_solved), "x")):
        axes.plot(rows["time_s"], rows["time_s_up"], **_STYLE, marker=mark)
    crosses = [layout.cross("unsolved by one of them, or by both")]
    count = counted(summary.problem_count(boards), summary.noun(records))
    return page.finish(
        f"{labels.title(labels.time_label(time))} of {count}, one combination against another",
        [*(crosses if len(boards.filter(~both_solved)) else []), *layout.limits(near, time)],
        [*labels.notes_on(time), *labels.far_limits(far, time)],
    )


def _choose_pairs(
    table: pl.DataFrame, selection: Sequence[str], strong: Collection[str] = ()
) -> tuple[str, str]:
    """The two requested combinations. Without a request, the first two that ran on a same board,
    `strong` ones before others, and then by PAR-2.
    """
    measured = (
        table.group_by("pair").agg(pl.col(summary.SCORE).mean()).sort(summary.SCORE, "pair")["pair"]
    )
    for pair in selection:
        if pair not in measured:
            raise InputError(f"no runs of '{pair}': choose from {', '.join(measured)}")
    if selection:
        across, up = selection
        return across, up
    ordered = sorted(measured, key=lambda pair: pair not in strong)
    for place, pair_across in enumerate(ordered):
        own = table.filter(pair=pair_across)
        partners = set(table.join(own, on=summary.THERE, how="semi", nulls_equal=True)["pair"])
        for pair_up in ordered[place + 1 :]:
            if pair_up in partners:
                return pair_across, pair_up
    return ordered[0], ordered[min(1, len(ordered) - 1)]
