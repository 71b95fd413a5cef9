"""The tables of `Results.summary`: their columns, and what a paper says about them."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import polars as pl

from nqbench import summary
from nqbench.common.units import is_time, percents, time_unit
from nqbench.show.tables.by_problem import of_by_problem
from nqbench.show.tables.columns import Column, Table, name_column, pair_columns, shown
from nqbench.summary import BY_FAMILY, Group, caption, par_column, par_of

_TWO_ARE_NEEDED: Final = (
    "nothing to compare: this needs two combinations and a problem that all combinations were "
    "measured on; choose with --where"
)

NOTHING: Final = {
    "overview": "nothing to summarise: no run was possible",
    "pairs": _TWO_ARE_NEEDED,
    "best": _TWO_ARE_NEEDED,
    "scaling": "nothing to fit: this needs problems with a size",
    "schemes": "nothing to compare: this needs formulas that were measured as they are and in "
    "another scheme; measure with --amo",
    "portfolio": _TWO_ARE_NEEDED,
    "by-problem": "nothing to show: there are no runs",
}
"""Why a table of `summary.TABLES` has no rows."""


def tables(
    records: pl.DataFrame,
    metric: str,
    name: str,
    by: Sequence[str] = BY_FAMILY,
    **how: Any,
) -> list[Table]:
    """The table with this name of each group of records that has rows for it, with a caption and a
    label. That of `schemes` has all groups. `how` are further arguments of its function in
    `summary.TABLES`.
    """
    chosen: Callable[..., pl.DataFrame] = summary.TABLES[name]
    makes = partial(chosen, **how)
    if name == "schemes":
        frame = summary.grouped(records, by, lambda part: makes(part, metric))
        made = [(Group({}, records), frame, of_schemes(frame, by))]
    else:
        made = [
            (group, frame, _SHOWN[name](frame, group.records, metric, how))
            for group in summary.groups(records, by)
            if len(frame := makes(group.records, metric))
        ]
    return [
        Table(
            table.columns,
            table.rows,
            _of_group(group) + caption.of_table(name, frame, group.records, metric),
            _label(name, group.name if len(made) > 1 else ""),
        )
        for group, frame, table in made
        if len(frame)
    ]


def _of_group(group: Group) -> str:
    """The values of a group that the description of its records does not have."""
    others = {name: value for name, value in group.values.items() if name not in {"family", "n"}}
    return f"{Group(others, group.records).name}: " if others else ""


def _label(table: str, group: str) -> str:
    """A name that LaTeX can refer to: letters, digits and hyphens."""
    words = re.findall("[a-z0-9]+", f"{table} {group}".lower())
    return f"tab:{'-'.join(words)}"


_PAID: Final = {"encode_s": "encode", "load_s": "load", "solve_s": "solve", "total_s": "total"}
"""The medians that the main table always has, with their titles."""


def of_overview(
    frame: pl.DataFrame, metric: str, *, has_many_repeats: bool, whole: bool = False
) -> Table:
    """The main table, with times in one unit; a narrow terminal leaves out uninformative columns
    first. `whole`: with the share that was solved and the number of wrong answers, even if all are
    solved and right, as in a paper.
    """
    par = par_of(frame)
    timed = [*_PAID, *(["median_s", par_column(par)] if is_time(metric) else [])]
    unit, per_unit = time_unit(value for name in timed for value in frame[name])

    def in_unit(value: float | None) -> str:
        return shown(None if value is None else per_unit * value)

    def time(name: str, importance: float, title: str) -> Column:
        return Column(name, importance, title=f"{title} ({unit})", show=in_unit)

    def of_metric(name: str, importance: float, title: str) -> Column:
        if is_time(metric):
            return time(name, importance, title)
        return Column(name, importance, title=f"{title} ({metric})")

    # An imported run has only the time that its source states.
    paid = {name: name == "solve_s" or frame[name].is_not_null().any() for name in _PAID}
    importance = {"encode_s": 4, "load_s": 3.5, "solve_s": 5, "total_s": 6}
    with_share = whole or (frame["solved"] < frame["runs"]).any()
    spread = {"q1_s": "quartile 1", "q3_s": "quartile 3", "p95_s": "95 %"}
    columns = [
        *pair_columns(frame["encoding"]),
        Column("of_runs", 10, title="solved"),
        *([Column("solved_share", 1, title="solved (%)", show=percents)] if with_share else []),
        *(time(name, importance[name], title) for name, title in _PAID.items() if paid[name]),
        *([of_metric("median_s", 7, "median")] if metric not in _PAID else []),
        *(of_metric(name, 0, title) for name, title in spread.items() if has_many_repeats),
        of_metric(par_column(par), 9, f"PAR-{par}"),
        *([Column("largest_n", 3)] if frame["largest_n"].is_not_null().any() else []),
        *([Column("wrong", 8)] if whole or frame["wrong"].sum() else []),
        *([Column("unsolved", 5, wraps=12)] if any(frame["unsolved"]) else []),
    ]
    of_runs = pl.format("{}/{}", "solved", "runs")
    return Table(columns, frame.with_columns(of_runs=of_runs).to_dicts())


def of_pairs(frame: pl.DataFrame, metric: str) -> Table:
    """The table of `comparisons` by a metric."""
    return _compared([name_column("first"), name_column("second")], frame, metric)


def of_best(frame: pl.DataFrame, metric: str) -> Table:
    """The table of `comparisons_with_best` by a metric, without the name of the best."""
    return _compared([name_column("second", title="other")], frame, metric)


def _compared(names: list[Column], frame: pl.DataFrame, metric: str) -> Table:
    better, worse = ("faster", "slower") if is_time(metric) else ("fewer", "more")
    columns = [
        *names,
        Column("boards", 3, title="problems"),
        Column("faster", 4, title=better),
        Column("slower", 4, title=worse),
        Column("median_ratio", 8),
        Column("p", 1),
        Column("effect", 2),
        Column("p_corrected", 9),
    ]
    return Table(columns, frame.to_dicts())


def of_scaling(frame: pl.DataFrame, metric: str) -> Table:
    """The table of `scaling` of a metric. An undecided fit has no b."""
    decided = pl.when(pl.col("verdict") != "undecided")
    columns = [
        *pair_columns(frame["encoding"]),
        Column("model", 7),
        Column("sizes", 4),
        Column("first_n", 2),
        Column("last_n", 3),
        Column("unsolved", 2),
        Column("a", 1, title="a (s)" if is_time(metric) else "a"),
        Column("b", 8),
        Column("low", 6),
        Column("high", 6),
        Column("residual", 5),
        Column("verdict", 9),
    ]
    curve = (decided.then(name).alias(name) for name in ("a", "b", "low", "high"))
    return Table(columns, frame.with_columns(curve).to_dicts())


def of_schemes(frame: pl.DataFrame, by: Sequence[str]) -> Table:
    """The table of `schemes`, a row for each scheme in each group by these columns."""
    unit, per_unit = time_unit(frame["more_encode_s"].abs())

    def in_unit(value: float | None) -> str:
        return shown(None if value is None else per_unit * value)

    columns = [
        *(name_column(column) for column in by if frame[column].n_unique() > 1),
        name_column("encoding", title="scheme"),
        Column("formulas", 7),
        Column("changed", 3),
        Column("runs", 2),
        Column("solved", 6),
        Column("solved_as_it_is", 6, title="as it is"),
        Column("ratio", 9),
        Column("low", 8),
        Column("high", 8),
        Column("p", 5),
        Column("more_encode_s", 4, title=f"more encode ({unit})", show=in_unit),
    ]
    return Table(columns, frame.to_dicts())


def of_portfolio(frame: pl.DataFrame, metric: str) -> Table:
    """The table of `portfolio` by a metric."""
    par = par_of(frame)
    par_s = par_column(par)
    unit, per_unit = time_unit(frame[par_s]) if is_time(metric) else (metric, 1.0)

    def in_unit(value: float | None) -> str:
        return shown(None if value is None else per_unit * value)

    def cost(name: str, importance: float, title: str) -> Column:
        return Column(name, importance, title=f"{title} ({unit})", show=in_unit)

    columns = [
        *pair_columns(frame["encoding"]),
        Column("boards", 6, title="problems"),
        cost(par_s, 9, f"PAR-{par}"),
        Column("wins", 5),
        Column("share", 4),
        Column("only", 7, title="only it solves"),
        cost(f"vbs_{par_s}", 8, f"VBS PAR-{par}"),
        cost("vbs_without_s", 3, "VBS without it"),
        Column("over_vbs", 8, title="times the VBS"),
    ]
    return Table(columns, frame.to_dicts())


_SHOWN: Final[dict[str, Callable[[pl.DataFrame, pl.DataFrame, str, Mapping[str, Any]], Table]]] = {
    "overview": lambda frame, records, metric, _: of_overview(
        frame, metric, has_many_repeats=summary.has_many_repeats(records), whole=True
    ),
    "pairs": lambda frame, _, metric, __: of_pairs(frame, metric),
    "best": lambda frame, _, metric, __: of_best(frame, metric),
    "scaling": lambda frame, _, metric, __: of_scaling(frame, metric),
    "portfolio": lambda frame, _, metric, __: of_portfolio(frame, metric),
    summary.BY_PROBLEM: lambda frame, _, metric, how: of_by_problem(frame, metric, how["sort"]),
}
"""The tables of one group of records: from the result of the function in `summary.TABLES`, the
records, the metric, and further arguments of that function.
"""
