"""`summary`: print the table of what was measured. `run` also prints it at its end."""

import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nqbench.campaign import arguments
from nqbench.cli.options.results_folder import name_option, tell_outdated, unit_option, where_option
from nqbench.cli.options.shared_options import (
    COUNT,
    DURATION,
    TABLE,
    Parsed,
    format_option,
    metric_option,
    results_option,
)
from nqbench.cli.printing.sentences import print_findings, print_sentences, print_wrapped
from nqbench.cli.printing.tables import print_table, print_text
from nqbench.cli.printing.waiting import shown_while_waiting
from nqbench.common import metrics
from nqbench.common.errors import InputError
from nqbench.common.metrics import PAR, SCORE_NAME
from nqbench.results import Results
from nqbench.show.tables.columns import Table
from nqbench.show.tables.formats import FOR_A_PAPER
from nqbench.show.tables.kind import OVERVIEW, USUAL_ORDER, Asked, Kind
from nqbench.show.tables.kinds import KINDS

if TYPE_CHECKING:
    import polars as pl

    from nqbench.summary import Group, Measured


def _table_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option of each table. The command gets the table as its parameter `table`."""

    @functools.wraps(command)
    def with_table(**values: Any) -> Any:
        chosen_tables = [name for name in optional if values.pop(_parameter(name))]
        if len(chosen_tables) > 1:
            options = [f"--{name}" for name in optional]
            raise InputError(
                f"{', '.join(options[:-1])} and {options[-1]} are different tables: choose one"
            )
        return command(table=KINDS[chosen_tables[0] if chosen_tables else OVERVIEW], **values)

    optional = [name for name in KINDS if name != OVERVIEW]
    for name in reversed(optional):
        click.option(f"--{name}", _parameter(name), is_flag=True, help=KINDS[name].help)(with_table)
    return with_table


def _parameter(table: str) -> str:
    return f"is_{table.replace('-', '_')}"


@click.command
@results_option
@where_option
@unit_option
@name_option
@metric_option("What to summarise")
@_table_options
@click.option(
    "--against",
    metavar="NAME",
    help="Compare this combination with all others, in place of the one of least "
    f"{SCORE_NAME}: "
    "'ENCODING x BACKEND', or an encoding or a backend that only one has.",
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
    default=PAR,
    show_default=True,
    metavar="K",
    help="An unsolved run costs K times its limit, in PAR-K.",
)
@click.option(
    "--sgm",
    type=DURATION,
    metavar="SHIFT",
    help="Add the geometric mean to the main table, shifted by this time, or by this count of "
    "another metric: 10 s is usual.",
)
@click.option(
    "--by",
    multiple=True,
    type=Parsed("columns", arguments.columns),
    metavar="COLUMNS",
    help="Summarise separately for each value of these columns of the records, separated by comma; "
    "'none' summarises everything together, 'known_answer' separates satisfiable problems from "
    "others, 'formula_family' the commands of CNFgen and the folders of files, 'k_share' and "
    "'row_lengths' problems by k/n and by the length n of their longest rows.  [default: family]",
)
@click.option(
    "--findings",
    "is_whole",
    is_flag=True,
    help="Print all findings below the main table, and not only what is first, what to use, and "
    "what was not solved.",
)
@format_option
def summary(
    results: Path,
    where: str | None,
    unit: str | None,
    shown: tuple[str, ...],
    metric: str,
    table: Kind,
    against: str | None,
    sort: str | None,
    descending: bool,
    par: int,
    sgm: float | None,
    by: Sequence[Sequence[str]],
    is_whole: bool,
    kind: str,
    width: str,
) -> None:
    """Print a row for every encoding and backend: solved runs, the median times to encode, load and
    solve, the total, PAR-2, and wrong answers. Then print what is first, what to use, and what was
    not solved; with --findings all that the records show, in sentences.

    Times and order are of the problems that every combination was measured on. Each family has a
    separate table. --by-problem prints a row for every problem instead. Of files with an objective,
    the tables show how the searches for the best value ended, and what is known of each file.

    \b
    Examples:
      nqbench summary --results results --findings
      nqbench summary --where "n >= 16" --metric total_s
      nqbench summary --by family,n
      nqbench summary --best
      nqbench summary --against 'pairwise x minisat22'
      nqbench summary --scaling --json
      nqbench summary --name 'exe:/opt/solver --fast=MySolver' --format latex
      nqbench summary --best --format latex > best.tex
      nqbench summary --schemes --by formula_family,known_answer
      nqbench summary --by k_share,row_lengths --results results/constraints
      nqbench summary --portfolio --par 10
      nqbench summary --stability
      nqbench summary --work --where "n == 30"
      nqbench summary --sgm 10s
      nqbench summary --by-problem --sort spread --descending
      nqbench summary --by-problem --metric conflicts --format csv > problems.csv
      nqbench summary --results results/reference/campaign/records.csv
    """
    from nqbench import summary as tables
    from nqbench.cli.printing.sentences import hints_for

    if par != PAR and not table.takes("par"):
        raise InputError(f"--par does not change the table --{table.name}: leave it out")
    if sgm is not None and not table.takes("sgm"):
        raise InputError(f"--sgm is for the main table: leave out --{table.name}")
    if (sort is not None or descending) and not table.takes("sort"):
        option = "--descending" if sort is None else "--sort"
        raise InputError(f"{option} is for --by-problem: add that, or leave it out")
    if against is not None:
        if table.name not in {OVERVIEW, "pairs", "best"}:
            raise InputError(f"--against is for --best: leave out --{table.name}")
        table = KINDS["best"]
    if is_whole and not (table.has_findings and kind == TABLE):
        raise InputError("--findings is for the main table on the terminal: leave it out")
    order = USUAL_ORDER if sort is None else sort
    result_set = Results(results, where=where, names=shown, unit=unit)
    tell_outdated(result_set)
    columns = [column for names in by for column in names] if by else tables.BY_FAMILY
    if kind != TABLE:
        with shown_while_waiting(f"summarising {results}"):
            text = result_set.summary_text(
                kind, metric, table=table.name, by=columns, par=par, sgm=sgm, width=width,
                sort=order, descending=descending, against=against,
            )  # fmt: skip
        for group in tables.groups(result_set.records, columns) if kind in FOR_A_PAPER else ():
            _warn_of_mixtures(group.measured)
        print_text(text)
        return
    with shown_while_waiting(f"reading {results}"):
        records = result_set.records_for(metric, [*columns, *table.reads])
    metric = tables.metric(records, metric)
    settings = table.settings(
        records,
        par,
        result_set.shown_name(order),
        descending=descending,
        sgm=sgm,
        against=None if against is None else result_set.shown_name(against),
    )
    asked = Asked(tables.Measured(records), metric, columns, settings.get("sort", order))
    hints = hints_for(records, results, where, is_whole=is_whole) if table.has_findings else {}
    print_tables(table, asked, result_set.names, hints, is_whole=is_whole, **settings)


def print_results(records: "pl.DataFrame", readers_names: Mapping[str, str], results: Path) -> None:
    """Print the main table of each family and three sentences. Encodings and backends have these
    names for readers, and the records are in the folder `results`.
    """
    from nqbench.cli.printing.sentences import hints_for
    from nqbench.summary import Measured

    hints = hints_for(records, results)
    print_tables(KINDS[OVERVIEW], Asked(Measured(records), metrics.USUAL), readers_names, hints)


def print_tables(
    kind: Kind,
    asked: Asked,
    readers_names: Mapping[str, str],
    hints: Mapping[str, str] | None = None,
    *,
    is_whole: bool = False,
    **settings: Any,
) -> None:
    """Print the table of each group of records, with a heading above it if there are several. That
    with findings has three sentences below it, or all if it `is_whole`, and how to use what is
    best; the last one also `hints`, the commands that show more. Below others is what to keep in
    mind, which findings say.
    """
    from nqbench.cli.printing.sentences import print_use
    from nqbench.show.use import Use
    from nqbench.summary.findings import in_brief
    from nqbench.summary.findings.cautions import Output, cautions
    from nqbench.summary.recommendation import recommend

    with shown_while_waiting("summarising"):
        groups = list(kind.tables(asked, **settings))
    for group, table in groups:
        if len(groups) > 1:
            click.secho(group.heading, bold=True)
        print_table_of_group(kind, group, table)
        if kind.has_findings:
            with shown_while_waiting("comparing combinations"):
                found = recommend(group.measured, asked.metric)
            if is_whole:
                print_findings(group.measured, asked.metric)
            else:
                print_sentences(in_brief(group.measured, asked.metric, found))
            use = Use.of_recommendation(group.measured, found, readers_names) if found else None
            print_use(use, hints if group is groups[-1][0] else None)
        elif group is not groups[-1][0]:
            click.echo()
    if not kind.has_findings:
        for sentence in cautions(asked.measured, Output.BELOW):
            print_wrapped(sentence)


def print_table_of_group(kind: Kind, group: "Group", table: Table) -> None:
    """Print a table, or why it has no rows; above the one with findings, what is mixed in it."""
    if kind.has_findings:
        _warn_of_mixtures(group.measured)
    if not (table.rows or kind.prints_empty):
        click.echo(f"nqbench: {kind.nothing}", err=True)
        return
    if table.above:
        click.echo(table.above)
    visible = print_table(table.columns, table.rows, kind.elsewhere)
    if text := table.below_of(visible):
        print_wrapped(text)


def _warn_of_mixtures(measured: "Measured") -> None:
    """Print what differs between records of one table: families, machines, limits and versions."""
    from nqbench.summary.findings.cautions import Output, cautions

    for line in cautions(measured, Output.WARNINGS):
        click.echo(f"nqbench: {line}", err=True)
