"""`compare`: show what changed between two campaigns, and fail on chosen changes."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import click

from nqbench.cli.options import metric_option
from nqbench.cli.tables import Column, name_column, print_table, shown
from nqbench.errors import InputError
from nqbench.records import sources
from nqbench.units import counted
from nqbench.vocabulary import as_combination, combination

if TYPE_CHECKING:
    import polars as pl


_FEWEST_PAIRS: Final = 3
"""If one of three combinations changes, the median still shows the change of the others."""


_ELSEWHERE: Final = "write the output to a file"


def _short(value: object) -> str:
    """A value of a campaign; a hash is cut to its beginning."""
    text = shown(value)
    return f"{text[:12]}..." if re.fullmatch("[0-9a-f]{32,}", text) else text


_CHANGED: Final = (
    Column("quantity"),
    name_column("encoding"),
    name_column("backend"),
    Column("runs", 2),
    Column("example", 1, wraps=12, title="first in"),
    Column("old", 8, wraps=12, show=_short),
    Column("new", 8, wraps=12, show=_short),
)

_SOLVED: Final = (
    name_column("encoding"),
    name_column("backend"),
    name_column("family", 2),
    name_column("instance", 7),
    Column("n", 8),
    Column("task", 1),
    Column("change", 9),
)

_TIMES: Final = (
    name_column("encoding"),
    name_column("backend"),
    Column("boards", 2),
    Column("ratio", 9),
    Column("low", 5, title="from"),
    Column("high", 5, title="to"),
    Column("p", 6),
    Column("change", 8),
)


def _part(text: str) -> float:
    match = re.fullmatch(r"(\d{1,4}(?:\.\d+)?)\s*%", text.strip())
    if match is None:
        raise InputError(f"'{text}' is not a percentage: write for instance 10%")
    return float(match[1]) / 100


@click.command(short_help="Show what changed between two campaigns.")
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option(
    "--fail-above",
    metavar="PERCENT",
    help="Exit with status 1 if a combination is significantly slower by more than PERCENT, or no "
    "longer solves a board.",
)
@click.option(
    "--fail-on-change",
    is_flag=True,
    help="Exit with status 1 if a size, hash, counter or answer changed.",
)
@metric_option("The time to compare.")
@click.option(
    "--reference",
    "references",
    multiple=True,
    metavar="'ENCODING x BACKEND'",
    help="Judge the speed of the machine by this combination only. Repeat for several. "
    "[all combinations]",
)
def compare(
    old: str,
    new: str,
    fail_above: str | None,
    fail_on_change: bool,
    metric: str,
    references: tuple[str, ...],
) -> int:
    """Compare two campaigns. OLD and NEW are results folders, stores (.db), exports (.csv, .jsonl,
    .parquet), or exports in a git revision, such as main:results/records.csv.

    Sizes and hashes of formulas, counters of solvers and answers are compared exactly. Times are
    compared board by board, as ratios. Each ratio is divided by that of the machine, which is
    estimated from all combinations of encoding and backend, or from those of --reference.

    \b
    Examples:
      nqbench compare before/ after/ --fail-above 10%
      nqbench compare main:results/records.csv records.csv --fail-on-change
      nqbench compare old.db new.db --metric total_s --reference 'pairwise x minisat22'
    """
    from nqbench.summary import compare as compared

    above = None if fail_above is None else _part(fail_above)
    before, after = sources.read_both(old, new)
    references = tuple(map(as_combination, references))
    for pair in references:
        for source, records in ((old, before), (new, after)):
            _check_measured(pair, records, source)
    changes = compared.changes(before, after)
    solved = compared.solved(before, after)
    times = compared.times(before, after, metric, references)
    slower = compared.slower(times.table, 0.0 if above is None else above)
    differs = len(times.table) or len(changes) or len(solved)
    if not differs and not compared.have_runs_in_common(before, after):
        raise InputError(
            f"nothing to compare: no encoding and backend solved the same board in {old} and {new}"
        )
    _tell_machines(set(before["machine"]), set(after["machine"]))
    _tell_builds(before, after)
    if changes.is_empty():
        click.echo("No size, hash, counter or answer changed.\n")
    _show("Changes in sizes, hashes, counters and answers", _CHANGED, changes)
    _show("Boards that only one campaign solved", _SOLVED, solved)
    click.echo(
        f"Times (machine{', by the reference' if references else ''}: "
        f"{times.common:#.3g} x as slow overall; ratios are relative to that)"
    )
    _show_times(times.table, slower)
    if above is not None:
        _tell_boards(times.table)
        if not references:
            _tell_common(len(times.table))
    failed = above is not None and (len(slower) > 0 or "unsolved" in set(solved["change"]))
    return 1 if failed or (fail_on_change and len(changes)) else 0


def _check_measured(pair: str, records: "pl.DataFrame", source: str) -> None:
    if pair not in {combination(e, b) for e, b in records.select("encoding", "backend").rows()}:
        raise InputError(f"no runs of '{pair}' in {source}")


def _show(title: str, columns: Sequence[Column], table: "pl.DataFrame") -> None:
    if len(table):
        click.echo(title)
        print_table(columns, table.iter_rows(named=True), _ELSEWHERE)
        click.echo()


def _show_times(times: "pl.DataFrame", slower: "pl.DataFrame") -> None:
    surely = set(slower.select("encoding", "backend").rows())
    rows = [
        {**row, "change": "slower" if (row["encoding"], row["backend"]) in surely else ""}
        for row in times.iter_rows(named=True)
    ]
    print_table(_TIMES, rows, _ELSEWHERE)


def _tell_boards(table: "pl.DataFrame") -> None:
    """Warn if too few boards were measured for significance."""
    from nqbench.summary.compare import boards_needed

    needed = boards_needed(len(table))
    boards = [count for count in table["boards"].to_list() if count < needed]
    if boards:
        click.echo(
            f"nqbench: {len(boards)} of {counted(len(table), 'combination')} can never reach "
            f"significance: that takes {needed} boards, but there are as few as {min(boards)}",
            err=True,
        )


def _tell_common(pairs: int) -> None:
    """Warn if the change of one combination counts as a change of the machine."""
    if pairs < _FEWEST_PAIRS:
        hidden = "all" if pairs == 1 else "half"
        click.echo(
            f"nqbench: with {counted(pairs, 'combination')} and no --reference, {hidden} of a "
            f"slowdown counts as the machine's: measure {_FEWEST_PAIRS} combinations or more",
            err=True,
        )


def _tell_builds(before: "pl.DataFrame", after: "pl.DataFrame") -> None:
    """Name each backend of which one version was compiled differently for the two campaigns."""
    import polars as pl

    from nqbench import summary

    def built(records: "pl.DataFrame", backend: str) -> str:
        found = records.filter(backend=backend)["backend_build"].drop_nulls().unique().sort()
        return "; ".join(found) or "not recorded"

    columns = ["backend", "backend_version", "backend_build"]
    for backend in summary.builds(pl.concat([before.select(columns), after.select(columns)])):
        click.echo(
            f"nqbench: {backend} is the same version in other builds: {built(before, backend)} in "
            f"OLD, {built(after, backend)} in NEW",
            err=True,
        )


def _tell_machines(old: set[str], new: set[str]) -> None:
    if old == new:
        return
    shared = sorted(old & new)
    if shared:
        told = f"times are compared on {'; '.join(shared)} only, which both have"
    else:
        told = f"times of {'; '.join(sorted(old))} are compared with times of "
        told += f"{'; '.join(sorted(new))}: only differences between combinations are meaningful"
    click.echo(f"nqbench: {told}", err=True)
