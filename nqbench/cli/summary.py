"""`summary`, and what `run` shows at its end: the table of what was measured."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nqbench.cli.options import METRICS, metric_option, results_option
from nqbench.cli.results import store_path, where_option, with_condition
from nqbench.cli.tables import print_table
from nqbench.errors import InputError
from nqbench.records import sources

if TYPE_CHECKING:
    import polars as pl


@click.command(short_help="Print a table of the results.")
@results_option
@where_option
@metric_option("The time to summarise.")
@click.option(
    "--pairs", is_flag=True, help="Compare every two combinations of encoding and backend."
)
@click.option("--scaling", is_flag=True, help="Fit how the time grows with n.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array of objects.")
def summary(
    results: Path, where: str | None, metric: str, pairs: bool, scaling: bool, as_json: bool
) -> None:
    """Print solved runs, median, PAR-2 and wrong answers of every encoding and backend.

    \b
    Examples:
      nqbench summary --results results
      nqbench summary --where "n >= 16" --metric total_s
      nqbench summary --pairs
      nqbench summary --scaling --json
    """
    from nqbench import summary as tables

    if pairs and scaling:
        raise InputError("--pairs and --scaling are two tables: ask for one at a time")
    records = with_condition(sources.read(str(store_path(results))), where)
    if not (pairs or scaling or as_json):
        print_summary(records, metric)
        return
    table = tables.overview(records, metric)
    if pairs:
        table = tables.comparisons(records, metric)
    elif scaling:
        table = tables.scaling(records, metric)
    if as_json:
        click.echo(json.dumps(table.to_dicts(), indent=2))
    else:
        print_table(table.columns, table.rows())


def print_summary(records: "pl.DataFrame", metric: str = METRICS[0]) -> None:
    """One line for each encoding x backend, best PAR-2 first."""
    from nqbench.summary import has_boards, machines, overview, versions

    if len(mixed := machines(records)) > 1:
        _warn(f"{len(mixed)} machines are mixed", mixed, "machine")
    for name, mixed in versions(records).items():
        kind = "backend" if name in set(records["backend"]) else "encoding"
        _warn(f"{len(mixed)} versions of {name} are mixed", mixed, f"{kind}_version")
    _warn_of_boards(records)
    rows = [
        {
            "encoding": row["encoding"],
            "backend": row["backend"],
            "solved": f"{row['solved']}/{row['runs']}",
            "median ms": _ms(row["median_s"]),
            "PAR-2 ms": _ms(row["par2_s"]),
            "largest n": row["largest_n"],
            "wrong": row["wrong"],
            "unsolved": row["unsolved"],
        }
        for row in overview(records, metric).iter_rows(named=True)
    ]
    if not has_boards(records):
        for each in rows:
            del each["largest n"]
    if rows:
        print_table(list(rows[0]), [list(each.values()) for each in rows])


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else 1e3 * seconds


def _warn_of_boards(records: "pl.DataFrame") -> None:
    from nqbench.summary import BOARD, PAIR

    measured = records.select(*PAIR, *BOARD).unique()
    of_pairs = measured.group_by(PAIR).len()["len"].to_list()
    every = measured.select(BOARD).n_unique()
    if min(of_pairs, default=every) < every:
        click.echo(
            f"nqbench: the combinations were measured on different boards ({min(of_pairs)} to "
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
