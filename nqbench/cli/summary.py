"""`summary`: print the table of what was measured. `run` also prints it at its end."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from nqbench.cli.findings import print_findings
from nqbench.cli.options import METRICS, json_option, metric_option, results_option
from nqbench.cli.results import tell_outdated, where_option, with_condition
from nqbench.cli.tables import Column, name_column, print_table, shown
from nqbench.errors import InputError
from nqbench.records import sources
from nqbench.units import is_time, time_unit

if TYPE_CHECKING:
    import polars as pl


@click.command(short_help="Print a table of the results.")
@results_option
@where_option
@metric_option("The time to summarise.")
@click.option(
    "--pairs", is_flag=True, help="Compare every two combinations of encoding and backend."
)
@click.option(
    "--best", is_flag=True, help="Compare the combination of least PAR-2 with all others."
)
@click.option("--scaling", is_flag=True, help="Fit how the time grows with n.")
@json_option
def summary(
    results: Path,
    where: str | None,
    metric: str,
    pairs: bool,
    best: bool,
    scaling: bool,
    as_json: bool,
) -> None:
    """Print solved runs, median, PAR-2 and wrong answers of every encoding and backend, and the
    findings in sentences.

    \b
    Examples:
      nqbench summary --results results
      nqbench summary --where "n >= 16" --metric total_s
      nqbench summary --best
      nqbench summary --scaling --json
      nqbench summary --results results/reference/campaign/records.csv
    """
    from nqbench import summary as tables

    if pairs + best + scaling > 1:
        raise InputError("--pairs, --best and --scaling are different tables: choose one")
    tell_outdated(results)
    records = with_condition(sources.read(results), where)
    if pairs:
        table, show = tables.comparisons(records, metric), print_comparisons
    elif best:
        table, show = tables.comparisons_with_best(records, metric), print_comparisons_with_best
    elif scaling:
        table, show = tables.scaling(records, metric), print_scaling
    elif as_json:
        table = tables.overview(records, metric)
    else:
        print_summary(records, metric)
        print_findings(records, metric)
        return
    if as_json:
        click.echo(json.dumps(table.to_dicts(), indent=2))
    else:
        show(table)


def print_summary(records: "pl.DataFrame", metric: str = METRICS[0]) -> None:
    """Print one line for each encoding x backend, best PAR-2 first."""
    import polars as pl

    from nqbench.summary import (
        builds,
        has_many_repeats,
        has_sizes,
        machines,
        overview,
        versions,
    )

    if len(mixed := machines(records)) > 1:
        _warn(f"{len(mixed)} machines are mixed", mixed, "machine")
    for name, mixed in versions(records).items():
        kind = "backend" if name in set(records["backend"]) else "encoding"
        _warn(f"{len(mixed)} versions of {name} are mixed", mixed, f"{kind}_version")
    for name, mixed in builds(records).items():
        _warn(f"{len(mixed)} builds of {name} are mixed", mixed, "backend_build")
    _warn_of_boards(records)
    table = overview(records, metric)
    if len(table):
        of_runs = pl.format("{}/{}", "solved", "runs")
        rows = table.with_columns(of_runs=of_runs).iter_rows(named=True)
        columns = _overview_columns(table, metric, has_sizes(records), has_many_repeats(records))
        print_table(columns, rows, "nqbench summary --json")


def _overview_columns(
    table: "pl.DataFrame", metric: str, has_sizes: bool, has_many_repeats: bool
) -> list[Column]:
    """The columns of the main table, with times in one unit; uninformative ones leave first."""
    unit, per_unit = metric, 1.0
    if is_time(metric):
        unit, per_unit = time_unit([*table["median_s"], *table["par2_s"]])

    def in_unit(value: float | None) -> str:
        return shown(None if value is None else per_unit * value)

    columns = [
        name_column("encoding"),
        name_column("backend"),
        Column("of_runs", 8, title="solved"),
        Column("q1_s", 0, title=f"quartile 1 ({unit})", show=in_unit),
        Column("median_s", 4, title=f"median ({unit})", show=in_unit),
        Column("q3_s", 0, title=f"quartile 3 ({unit})", show=in_unit),
        Column("p95_s", 0, title=f"95 % ({unit})", show=in_unit),
        Column("par2_s", 9, title=f"PAR-2 ({unit})", show=in_unit),
        Column("largest_n", 3),
        Column("wrong", 7 if table["wrong"].sum() else 1),
        Column("unsolved", 6 if any(table["unsolved"]) else 2, wraps=12),
    ]
    left_out = set() if has_sizes else {"largest_n"}
    if not has_many_repeats:
        left_out |= {"q1_s", "q3_s", "p95_s"}
    return [each for each in columns if each.name not in left_out]


def print_comparisons(table: "pl.DataFrame") -> None:
    """Print the table of `comparisons`, a row for each two combinations."""
    _print_compared([name_column("first"), name_column("second")], table)


def print_comparisons_with_best(table: "pl.DataFrame") -> None:
    """Print the table of `comparisons_with_best`, a row for each combination except the best."""
    if len(table):
        click.echo(f"{shown(table['first'][0])} has the least PAR-2. Compared with the others:")
    _print_compared([name_column("second", title="other")], table)


def _print_compared(names: list[Column], table: "pl.DataFrame") -> None:
    if len(table):
        print_table([*names, *_COMPARED], table.iter_rows(named=True))
    else:
        click.echo(
            "nqbench: nothing to compare: this needs two combinations and a board that all "
            "combinations were measured on; choose with --where",
            err=True,
        )


_COMPARED: Final = (
    Column("boards", 3),
    Column("faster", 4),
    Column("slower", 4),
    Column("median_ratio", 8),
    Column("p", 1),
    Column("effect", 2),
    Column("p_corrected", 9),
)


def print_scaling(table: "pl.DataFrame") -> None:
    """Print the table of `scaling`, two rows for each combination."""
    columns = [
        name_column("encoding"),
        name_column("backend"),
        Column("model", 7),
        Column("sizes", 4),
        Column("first_n", 2),
        Column("last_n", 3),
        Column("unsolved", 2),
        Column("a", 1, title="a (s)"),
        Column("b", 8),
        Column("low", 6),
        Column("high", 6),
        Column("residual", 5),
        Column("verdict", 9),
    ]
    print_table(columns, table.iter_rows(named=True))


def _warn_of_boards(records: "pl.DataFrame") -> None:
    from nqbench.summary import BOARD, PAIR

    measured = records.select(*PAIR, *BOARD).unique()
    of_pairs = measured.group_by(PAIR).len()["len"].to_list()
    every = measured.select(BOARD).n_unique()
    if min(of_pairs, default=every) < every:
        click.echo(
            f"nqbench: the combinations were measured on different problems ({min(of_pairs)} to "
            f"{max(of_pairs)} of {every}), so their times are not comparable: choose by --where, "
            "or see summary --pairs",
            err=True,
        )


def _warn(what: str, mixed: Mapping[str, int], column: str) -> None:
    told = "; ".join(f"{name} ({count} runs)" for name, count in mixed.items())
    first = next(iter(mixed))
    click.echo(
        f"nqbench: {what}: {told}; to keep one: nqbench summary --where \"{column} = '{first}'\"",
        err=True,
    )
