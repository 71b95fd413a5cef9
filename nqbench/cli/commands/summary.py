"""`summary`: print the table of what was measured. `run` also prints it at its end."""

import functools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from nqbench.campaign import arguments
from nqbench.cli.options.results_folder import name_option, tell_outdated, where_option
from nqbench.cli.options.shared_options import (
    COUNT,
    TABLE,
    Parsed,
    format_option,
    metric_option,
    results_option,
)
from nqbench.cli.printing.findings import print_findings, print_wrapped
from nqbench.cli.printing.tables import print_table, print_text
from nqbench.common import metrics
from nqbench.common.errors import InputError
from nqbench.records.origin import MACHINE_OF
from nqbench.results import Results
from nqbench.show.tables.columns import shown

if TYPE_CHECKING:
    import polars as pl

    from nqbench.show.tables.columns import Table
    from nqbench.summary import Group

_PAR: Final = 2
"""The usual k of PAR-k, as in `summary.PAR`, which is not imported for `--help`."""


@click.command
@results_option
@where_option
@name_option
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
    "--by-problem",
    is_flag=True,
    help="What each combination answered on each problem, and its time.",
)
@click.option(
    "--sort",
    metavar="ORDER",
    help="Sort the rows of --by-problem: by 'problem' (its name), 'n', 'spread' (the greatest time "
    "divided by the least), or the time of a combination: 'ENCODING x BACKEND'.  [default: "
    "problem]",
)
@click.option("--descending", is_flag=True, help="Reverse the order of --by-problem.")
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
@format_option
def summary(
    results: Path,
    where: str | None,
    shown: tuple[str, ...],
    metric: str,
    pairs: bool,
    best: bool,
    scaling: bool,
    schemes: bool,
    portfolio: bool,
    by_problem: bool,
    sort: str | None,
    descending: bool,
    par: int,
    by: Sequence[Sequence[str]],
    kind: str,
    width: str,
) -> None:
    """Print a row for every encoding and backend: solved runs, the median times to encode, load and
    solve, the total, PAR-2, and wrong answers. Then print the findings in sentences.

    Times and order are of the problems that every combination was measured on. Each family has a
    separate table. --by-problem prints a row for every problem instead.

    \b
    Examples:
      nqbench summary --results results
      nqbench summary --where "n >= 16" --metric total_s
      nqbench summary --by family,n
      nqbench summary --best
      nqbench summary --scaling --json
      nqbench summary --name 'exe:/opt/solver --fast=MySolver' --format latex
      nqbench summary --best --format latex > best.tex
      nqbench summary --schemes --by formula_family,known_answer
      nqbench summary --portfolio --par 10
      nqbench summary --by-problem --sort spread --descending
      nqbench summary --by-problem --metric conflicts --format csv > problems.csv
      nqbench summary --results results/reference/campaign/records.csv
    """
    from nqbench import summary as tables

    asked = {
        "pairs": pairs,
        "best": best,
        "scaling": scaling,
        "schemes": schemes,
        "portfolio": portfolio,
        "by-problem": by_problem,
    }
    if sum(asked.values()) > 1:
        options = [f"--{name}" for name in asked]
        raise InputError(
            f"{', '.join(options[:-1])} and {options[-1]} are different tables: choose one"
        )
    table = next((name for name, is_asked in asked.items() if is_asked), "overview")
    if par != tables.PAR and table not in tables.OF_PAR:
        raise InputError(f"--par does not change the table --{table}: leave it out")
    if (sort is not None or descending) and not by_problem:
        option = "--descending" if sort is None else "--sort"
        raise InputError(f"{option} is for --by-problem: add that, or leave it out")
    order = "problem" if sort is None else sort
    found = Results(results, where=where, names=shown)
    tell_outdated(found)
    columns = [column for each in by for column in each] if by else tables.BY_FAMILY
    if kind != TABLE:
        text = found.summary_text(
            kind, metric, table=table, by=columns, par=par, width=width, sort=order,
            descending=descending,
        )  # fmt: skip
        for group in tables.groups(found.records, columns) if kind in _FOR_A_PAPER else ():
            _warn_of_mixtures(group.records)
        print_text(text)
        return
    records = found.records_for(metric, columns)
    metric = tables.metric(records, metric)
    if table == "overview":
        print_results(records, metric, columns, par)
        return
    if table == "schemes":
        compare = functools.partial(tables.schemes, time=metric)
        print_schemes(tables.grouped(records, columns, compare), columns)
        _print_imported(records)
        return
    order = found.shown_name(order)
    how = arguments.of_table(table, records, par, order, descending=descending)
    for group in _headed(groups := tables.groups(records, columns)):
        made = tables.TABLES[table](group.records, metric, **how)
        if by_problem:
            print_by_problem(made, metric, str(how["sort"]))
        else:
            _SHOW[table](made, metric)
        if group is not groups[-1]:
            click.echo()
    _print_imported(records)


def _print_imported(records: "pl.DataFrame") -> None:
    """Say which runs were imported, below tables without findings, which say that."""
    from nqbench.summary import imported
    from nqbench.summary.findings.wording import of_imported

    if sources := imported(records):
        print_wrapped(f"{of_imported(sources, len(records))}.")


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
    from nqbench.show.tables.summarised import of_overview
    from nqbench.summary import caption, coverage, has_many_repeats, overview

    _warn_of_mixtures(records)
    frame = overview(records, metric, par)
    if len(frame):
        table = of_overview(frame, metric, has_many_repeats=has_many_repeats(records))
        print_table(table.columns, table.rows, "nqbench summary --json")
        has_times = frame["problems"].sum()
        below = [
            caption.legend(frame, records, metric) if legend and has_times else "",
            coverage(records).caution,
        ]
        if any(below):
            print_wrapped(" ".join(filter(None, below)))


def _warn_of_mixtures(records: "pl.DataFrame") -> None:
    """Print what differs between records of one table: families, machines, limits and versions."""
    from nqbench.summary import builds, machines, time_limits, versions

    families = dict(records.group_by("family").len().sort("family").iter_rows())
    if len(families) > 1:
        _warn(f"{len(families)} families are mixed", families, "family")
    if len(mixed := machines(records)) > 1:
        _warn(f"{len(mixed)} machines are mixed", mixed, "machine", _of_one_machine(mixed))
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


def print_comparisons(table: "pl.DataFrame", metric: str = metrics.USUAL) -> None:
    """Print the table of `comparisons` by a metric, a row for each two combinations."""
    from nqbench.show.tables.summarised import of_pairs

    _print(of_pairs(table, metric), "pairs")


def print_comparisons_with_best(table: "pl.DataFrame", metric: str = metrics.USUAL) -> None:
    """Print the table of `comparisons_with_best` by a metric, a row for each combination except the
    best.
    """
    from nqbench.show.tables.summarised import of_best

    if len(table):
        click.echo(f"{shown(table['first'][0])} has the least PAR-2. Compared with the others:")
    _print(of_best(table, metric), "best")


def print_scaling(table: "pl.DataFrame", metric: str = metrics.USUAL) -> None:
    """Print the table of `scaling` of a metric, two rows for each combination."""
    from nqbench.show.tables.summarised import of_scaling

    fits = of_scaling(table, metric)
    print_table(fits.columns, fits.rows)


def print_schemes(table: "pl.DataFrame", by: Sequence[str]) -> None:
    """Print the table of `schemes`, a row for each scheme in each group by these columns."""
    from nqbench.show.tables.summarised import of_schemes

    _print(of_schemes(table, by), "schemes")


def _print(table: "Table", name: str) -> None:
    """Print a table of `summary.TABLES`, or why it has no rows."""
    from nqbench.show.tables.summarised import NOTHING

    if table.rows:
        print_table(table.columns, table.rows)
    else:
        click.echo(f"nqbench: {NOTHING[name]}", err=True)


def print_portfolio(table: "pl.DataFrame", metric: str = metrics.USUAL) -> None:
    """Print the table of `portfolio`, a row for each combination."""
    from nqbench.show.tables.summarised import of_portfolio

    _print(of_portfolio(table, metric), "portfolio")


def print_by_problem(table: "pl.DataFrame", metric: str, sort: str) -> None:
    """Print the table of `by_problem`, a row for each problem, with what its values are below."""
    from nqbench.show.tables.by_problem import of_by_problem
    from nqbench.summary import caption

    made = of_by_problem(table, metric, sort)
    print_table(made.columns, made.rows, "--format csv")
    print_wrapped(caption.of_values(table, metric))


_FOR_A_PAPER: Final = ("latex", "markdown")
"""The formats that say less than the terminal, on which warnings come with a table."""

_SHOW: Final = {
    "pairs": print_comparisons,
    "best": print_comparisons_with_best,
    "scaling": print_scaling,
    "portfolio": print_portfolio,
}
"""How to print these tables of `Results.summary`."""


def _of_one_machine(mixed: Mapping[str, int]) -> str:
    """What to do if imported sources, each of which counts as a machine, are of one machine."""
    if not any(name.startswith(MACHINE_OF) for name in mixed):
        return ""
    return "; if they are one, import their files with one --source or with --set machine=NAME"


def _warn(what: str, mixed: Mapping[str, int], column: str, also: str = "") -> None:
    told = "; ".join(f"{name} ({count} runs)" for name, count in mixed.items())
    first = next(iter(mixed))
    click.echo(
        f"nqbench: {what}: {told}; to keep one: nqbench summary --where "
        f"\"{column} = '{first}'\"{also}",
        err=True,
    )
