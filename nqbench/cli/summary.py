"""`summary`: print the table of what was measured. `run` also prints it at its end."""

import functools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from nqbench import metrics
from nqbench.campaign import arguments
from nqbench.cli.findings import print_findings, print_wrapped
from nqbench.cli.results_folder import tell_outdated, where_option
from nqbench.cli.shared_options import COUNT, Parsed, json_option, metric_option, results_option
from nqbench.cli.tables import Column, name_column, pair_columns, print_table, shown
from nqbench.errors import InputError
from nqbench.results import Results
from nqbench.units import has_limit, is_time, time_unit

if TYPE_CHECKING:
    import polars as pl

    from nqbench.summary import Group

_PAR: Final = 2
"""The usual k of PAR-k, as in `summary.PAR`, which is not imported for `--help`."""


@click.command
@results_option
@where_option
@metric_option("What to summarise")
@click.option(
    "--pairs", is_flag=True, help="Compare every two combinations of encoding and backend."
)
@click.option(
    "--best", is_flag=True, help="Compare the combination of least PAR-2 with all others."
)
@click.option("--scaling", is_flag=True, help="Fit how the time grows with n.")
@click.option(
    "--schemes", is_flag=True, help="Compare at-most-one schemes with the formulas as they are."
)
@click.option(
    "--portfolio", is_flag=True, help="Compare with a perfect choice for each problem (VBS)."
)
@click.option(
    "--par",
    type=COUNT,
    default=_PAR,
    show_default=True,
    metavar="K",
    help="An unsolved run costs K times its limit, in PAR-K.",
)
@click.option(
    "--by",
    multiple=True,
    type=Parsed("columns", arguments.columns),
    metavar="COLUMNS",
    help="Summarise separately for each value of these columns of the records, separated by comma; "
    "'none' summarises everything together, 'known_answer' separates satisfiable problems from "
    "others, 'formula_family' the commands of CNFgen and the folders of files.  [default: family]",
)
@json_option
def summary(
    results: Path,
    where: str | None,
    metric: str,
    pairs: bool,
    best: bool,
    scaling: bool,
    schemes: bool,
    portfolio: bool,
    par: int,
    by: Sequence[Sequence[str]],
    as_json: bool,
) -> None:
    """Print a row for every encoding and backend: solved runs, the median times to encode, load and
    solve, the total, PAR-2, and wrong answers. Then print the findings in sentences.

    Times and order are of the problems that every combination was measured on. Each family has a
    separate table.

    \b
    Examples:
      nqbench summary --results results
      nqbench summary --where "n >= 16" --metric total_s
      nqbench summary --by family,n
      nqbench summary --best
      nqbench summary --scaling --json
      nqbench summary --schemes --by formula_family,known_answer
      nqbench summary --portfolio --par 10
      nqbench summary --results results/reference/campaign/records.csv
    """
    from nqbench import summary as tables

    asked = {
        "pairs": pairs,
        "best": best,
        "scaling": scaling,
        "schemes": schemes,
        "portfolio": portfolio,
    }
    if sum(asked.values()) > 1:
        options = [f"--{name}" for name in asked]
        raise InputError(
            f"{', '.join(options[:-1])} and {options[-1]} are different tables: choose one"
        )
    table = next((name for name, is_asked in asked.items() if is_asked), "overview")
    if par != tables.PAR and table not in tables.OF_PAR:
        raise InputError(f"--par does not change the table --{table}: leave it out")
    found = Results(results, where=where)
    tell_outdated(found)
    columns = [column for each in by for column in each] if by else tables.BY_FAMILY
    if as_json:
        rows = found.summary(metric, table=table, by=columns, par=par).to_dicts()
        click.echo(json.dumps(rows, indent=2, default=str))
        return
    metric = tables.metric(found.records, metric)
    if table == "overview":
        print_results(found.records, metric, columns, par)
        return
    if table == "schemes":
        compare = functools.partial(tables.schemes, time=metric)
        print_schemes(tables.grouped(found.records, columns, compare), columns)
        return
    how = {"par": par} if table in tables.OF_PAR else {}
    for group in _headed(groups := tables.groups(found.records, columns)):
        _SHOW[table](tables.TABLES[table](group.records, metric, **how), metric)
        if group is not groups[-1]:
            click.echo()


def print_results(
    records: "pl.DataFrame",
    metric: str = metrics.USUAL,
    by: Sequence[str] = ("family",),
    par: int = _PAR,
) -> None:
    """Print the main table and the findings of each group of records."""
    from nqbench.summary import groups

    for group in _headed(found := groups(records, by)):
        print_summary(group.records, metric, par, legend=group is found[0])
        print_findings(group.records, metric)


def _headed(groups: "Sequence[Group]") -> "Iterator[Group]":
    """The groups, with a heading printed before each if there are several."""
    for group in groups:
        if len(groups) > 1:
            click.secho(group.heading, bold=True)
        yield group


def print_summary(
    records: "pl.DataFrame",
    metric: str = metrics.USUAL,
    par: int = _PAR,
    *,
    legend: bool = True,
) -> None:
    """Print one line for each encoding x backend, best PAR-k first, with a `legend` below."""
    import polars as pl

    from nqbench.summary import (
        builds,
        coverage,
        has_many_repeats,
        imported,
        machines,
        overview,
        time_limits,
        versions,
    )

    families = dict(records.group_by("family").len().sort("family").iter_rows())
    if len(families) > 1:
        _warn(f"{len(families)} families are mixed", families, "family")
    if len(mixed := machines(records)) > 1:
        _warn(f"{len(mixed)} machines are mixed", mixed, "machine")
    if len(limits := time_limits(records)) > 1:
        told = "; ".join(f"{limit:g} s ({count} runs)" for limit, count in limits.items())
        click.echo(
            f"nqbench: {len(limits)} time limits are mixed: {told}; to keep one: nqbench summary "
            f'--where "time_limit_s = {next(iter(limits)):g}"',
            err=True,
        )
    for name, mixed in versions(records).items():
        kind = "backend" if name in set(records["backend"]) else "encoding"
        _warn(f"{len(mixed)} versions of {name} are mixed", mixed, f"{kind}_version")
    for name, mixed in builds(records).items():
        _warn(f"{len(mixed)} builds of {name} are mixed", mixed, "backend_build")
    table = overview(records, metric, par)
    if len(table):
        of_runs = pl.format("{}/{}", "solved", "runs")
        rows = table.with_columns(of_runs=of_runs).iter_rows(named=True)
        columns = _overview_columns(table, metric, par, has_many_repeats(records))
        print_table(columns, rows, "nqbench summary --json")
        has_times = table["problems"].sum()
        has_total = table["total_s"].is_not_null().any()
        stated = time_limits(records) if imported(records) else {}
        said = _legend(metric, par, stated, has_total=has_total) if legend and has_times else ""
        below = [said, coverage(records).caution]
        if any(below):
            print_wrapped(" ".join(filter(None, below)))


def _legend(metric: str, par: int, limits: Iterable[float], *, has_total: bool) -> str:
    """What the columns of the main table are. Limits are named where a source states them."""
    mean = metrics.noun(metric) if is_time(metric) else metrics.label(metric)
    times = "twice" if par == _PAR else f"{par} times"
    named = " and ".join(f"{limit:g} s" for limit in sorted(limits) if is_time(metric))
    which = f" of {named}" if named else ""
    lost = f", with unsolved runs at {times} the limit{which}" if has_limit(metric) else ""
    total = "; the total includes decoding" if has_total else ""
    return f"Times are medians over the runs{total}. PAR-{par} is the mean {mean}{lost}."


_PAID: Final = {"encode_s": "encode", "load_s": "load", "solve_s": "solve", "total_s": "total"}
"""The medians that the main table always has, with their titles."""


def _overview_columns(
    table: "pl.DataFrame", metric: str, par: int, has_many_repeats: bool
) -> list[Column]:
    """The columns of the main table, with times in one unit; uninformative ones leave first."""
    par_s = f"par{par}_s"
    timed = [*_PAID, *(["median_s", par_s] if is_time(metric) else [])]
    unit, per_unit = time_unit(value for name in timed for value in table[name])

    def in_unit(value: float | None) -> str:
        return shown(None if value is None else per_unit * value)

    def time(name: str, importance: float, title: str) -> Column:
        return Column(name, importance, title=f"{title} ({unit})", show=in_unit)

    def of_metric(name: str, importance: float, title: str) -> Column:
        if is_time(metric):
            return time(name, importance, title)
        return Column(name, importance, title=f"{title} ({metric})")

    # An imported run has only the time that its source states.
    paid = {name: name == "solve_s" or table[name].is_not_null().any() for name in _PAID}
    importance = {"encode_s": 4, "load_s": 3.5, "solve_s": 5, "total_s": 6}
    spread = {"q1_s": "quartile 1", "q3_s": "quartile 3", "p95_s": "95 %"}
    return [
        *pair_columns(table["encoding"]),
        Column("of_runs", 10, title="solved"),
        *(time(name, importance[name], title) for name, title in _PAID.items() if paid[name]),
        *([of_metric("median_s", 7, "median")] if metric not in _PAID else []),
        *(of_metric(name, 0, title) for name, title in spread.items() if has_many_repeats),
        of_metric(par_s, 9, f"PAR-{par}"),
        *([Column("largest_n", 3)] if table["largest_n"].is_not_null().any() else []),
        *([Column("wrong", 8)] if table["wrong"].sum() else []),
        *([Column("unsolved", 5, wraps=12)] if any(table["unsolved"]) else []),
    ]


def print_comparisons(table: "pl.DataFrame", metric: str = metrics.USUAL) -> None:
    """Print the table of `comparisons` by a metric, a row for each two combinations."""
    _print_compared([name_column("first"), name_column("second")], table, metric)


def print_comparisons_with_best(table: "pl.DataFrame", metric: str = metrics.USUAL) -> None:
    """Print the table of `comparisons_with_best` by a metric, a row for each combination except the
    best.
    """
    if len(table):
        click.echo(f"{shown(table['first'][0])} has the least PAR-2. Compared with the others:")
    _print_compared([name_column("second", title="other")], table, metric)


def _print_compared(names: list[Column], table: "pl.DataFrame", metric: str) -> None:
    if len(table):
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
        print_table(columns, table.iter_rows(named=True))
    else:
        click.echo(
            "nqbench: nothing to compare: this needs two combinations and a problem that all "
            "combinations were measured on; choose with --where",
            err=True,
        )


def print_scaling(table: "pl.DataFrame", metric: str = metrics.USUAL) -> None:
    """Print the table of `scaling` of a metric, two rows for each combination. An undecided fit has
    no b.
    """
    import polars as pl

    decided = pl.when(pl.col("verdict") != "undecided")
    table = table.with_columns(decided.then(name).alias(name) for name in ("a", "b", "low", "high"))
    columns = [
        *pair_columns(table["encoding"]),
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
    print_table(columns, table.iter_rows(named=True))


def print_schemes(table: "pl.DataFrame", by: Sequence[str]) -> None:
    """Print the table of `schemes`, a row for each scheme in each group by these columns."""
    if not len(table):
        click.echo(
            "nqbench: nothing to compare: this needs formulas that were measured as they are and "
            "in another scheme; measure with --amo",
            err=True,
        )
        return
    unit, per_unit = time_unit(table["more_encode_s"].abs())

    def in_unit(value: float | None) -> str:
        return shown(None if value is None else per_unit * value)

    columns = [
        *(name_column(column) for column in by if table[column].n_unique() > 1),
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
    print_table(columns, table.iter_rows(named=True))


def print_portfolio(table: "pl.DataFrame", metric: str = metrics.USUAL) -> None:
    """Print the table of `portfolio`, a row for each combination."""
    (par_s,) = (name for name in table.columns if name.startswith("par"))
    unit, per_unit = time_unit(table[par_s]) if is_time(metric) else (metric, 1.0)

    def in_unit(value: float | None) -> str:
        return shown(None if value is None else per_unit * value)

    def cost(name: str, importance: float, title: str) -> Column:
        return Column(name, importance, title=f"{title} ({unit})", show=in_unit)

    name = par_s.removesuffix("_s").replace("par", "PAR-")
    columns = [
        *pair_columns(table["encoding"]),
        Column("boards", 6, title="problems"),
        cost(par_s, 9, name),
        Column("wins", 5),
        Column("share", 4),
        Column("only", 7, title="only it solves"),
        cost(f"vbs_{par_s}", 8, f"VBS {name}"),
        cost("vbs_without_s", 3, "VBS without it"),
        Column("over_vbs", 8, title="times the VBS"),
    ]
    print_table(columns, table.iter_rows(named=True))


_SHOW: Final = {
    "portfolio": print_portfolio,
    "pairs": print_comparisons,
    "best": print_comparisons_with_best,
    "scaling": print_scaling,
}
"""How to print these tables of `Results.summary`."""


def _warn(what: str, mixed: Mapping[str, int], column: str) -> None:
    told = "; ".join(f"{name} ({count} runs)" for name, count in mixed.items())
    first = next(iter(mixed))
    click.echo(
        f"nqbench: {what}: {told}; to keep one: nqbench summary --where \"{column} = '{first}'\"",
        err=True,
    )
