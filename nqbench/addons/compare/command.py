"""`compare`: show what changed between two campaigns, and fail on chosen changes."""

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

import click

from nqbench.addons.compare import tables
from nqbench.addons.compare.functions import compare as compare_results
from nqbench.cli.face import (
    TABLE,
    format_option,
    metric_option,
    name_option,
    print_table,
    print_text,
    shown_while_waiting,
    unit_option,
    where_option,
)
from nqbench.common.csv_text import to_csv
from nqbench.common.errors import InputError
from nqbench.common.parsing import parse_share
from nqbench.common.printable import printable
from nqbench.common.units import counted
from nqbench.common.vocabulary import as_combination, combination
from nqbench.results import Results
from nqbench.show.tables.columns import Column, Row
from nqbench.show.tables.formats import FOR_A_PAPER

if TYPE_CHECKING:
    import polars as pl

    from nqbench.addons.compare.gate import Comparison, Gate


_ELSEWHERE: Final = "write the output to a file"


@click.command
@click.argument("campaigns", metavar="OLD... NEW", nargs=-1, required=True)
@click.option(
    "--fail-above",
    metavar="PERCENT",
    help="Exit with status 1 if a combination is typically slower (with a counter, larger) by more "
    "than PERCENT, with all of its one-sided interval, or no longer solves a board.",
)
@click.option(
    "--fail-blind",
    metavar="PERCENT",
    help="With --fail-above: also if a change by more than PERCENT might not have been seen.",
)
@click.option(
    "--fail-on-change",
    is_flag=True,
    help="Exit with status 1 if a size, hash, counter or answer changed, or an answer is lost.",
)
@click.option(
    "--allow-missing",
    is_flag=True,
    help="Accept runs that only one campaign has, or that were not measured.",
)
@click.option(
    "--old",
    "old_backend",
    metavar="BACKEND",
    help="Compare this backend with that of --new, such as two revisions in one folder.",
)
@click.option("--new", "new_backend", metavar="BACKEND", help="See --old.")
@click.option(
    "--again",
    metavar="FOLDER",
    help="A second session of NEW: it clears what is not slower there as well.",
)
@where_option
@unit_option
@name_option
@metric_option("What to compare as ratios")
@format_option
@click.option(
    "--reference",
    "references",
    multiple=True,
    metavar="'ENCODING x BACKEND'",
    help="Judge the speed of the machine by this combination only. Its encoding or backend "
    "suffices if no other combination has it. Repeat for several. "
    "[all combinations]",
)
def compare(
    campaigns: tuple[str, ...],
    fail_above: str | None,
    fail_blind: str | None,
    fail_on_change: bool,
    allow_missing: bool,
    old_backend: str | None,
    new_backend: str | None,
    again: str | None,
    where: str | None,
    unit: str | None,
    shown: tuple[str, ...],
    metric: str,
    kind: str,
    width: str,
    references: tuple[str, ...],
) -> int:
    """Compare two campaigns. OLD and NEW are results folders, stores (.db), exports (.csv, .jsonl,
    .parquet), or exports in a git revision, such as main:results/records.csv.

    Sizes and hashes of formulas, counters of solvers and answers are compared exactly. Wrong and
    lost answers, crashes and missing solvers come first. What differs besides, such as versions,
    builds, files of plugins, limits and machines, is above them. Times are compared on the boards
    that both solved, as ratios: the typical one, which is tested, and that on average. Each ratio
    is divided by that of the machine, which is estimated from all combinations of encoding and
    backend, or from those of --reference. With a counter or a measure as --metric, the ratios are
    those of its values, undivided.

    If revisions of a solver were measured in one folder, run takes them in turns, and --old and
    --new compare them: no other way finds changes of a few percent. Otherwise give three or more
    old campaigns: how much they differ is the noise. A single OLD may differ from NEW by 3 % for
    nothing. Backends that differ in their revision only are one, if each campaign has one of them.

    Runs that only one campaign has, and runs that were not measured, are listed. With --fail-above
    or --fail-on-change they are a failure, unless --allow-missing is given.

    --format csv prints a row for each difference and each ratio, and the column `what` says which
    it is. --format json prints all as one document; `nqbench schema comparison` describes it.

    \b
    Examples:
      nqbench compare before/ after/ --fail-above 10%
      nqbench compare both/ --old 'git:.@main' --new 'git:.@HEAD' --fail-above 5%
      nqbench compare mon/ tue/ wed/ new/ --fail-above 5% --fail-blind 10%
      nqbench compare main:results/records.csv records.csv --fail-on-change
      nqbench compare old.db new.db --reference 'pairwise x minisat22'
      nqbench compare before/ after/ --format latex > compared.tex
      nqbench compare old/ new/ --metric conflicts --where "backend <> 'pyeda'"
      nqbench compare before/ after/ --format csv > compared.csv
      nqbench compare old/ new/ --fail-on-change --json
    """
    from nqbench.addons.compare.gate import Gate
    from nqbench.addons.compare.notes import notes_after, notes_before

    if fail_blind is not None and fail_above is None:
        raise InputError("--fail-blind is for a gate on ratios: add --fail-above")
    gate = Gate(
        None if fail_above is None else parse_share(fail_above),
        fail_on_change,
        allow_missing,
        None if fail_blind is None else parse_share(fail_blind),
    )
    *olds, new = campaigns
    backends = None
    if old_backend is not None and new_backend is not None:
        backends, olds = (old_backend, new_backend), olds or [new]
    elif old_backend is not None or new_backend is not None:
        raise InputError("--old and --new belong together: give both")
    elif not olds:
        raise InputError(
            f"{new} is to be compared with what? Give OLD and NEW, or two backends with --old and "
            "--new"
        )
    *earlier, old = olds
    with shown_while_waiting(f"comparing {', '.join(olds)} and {new}"):
        comparison = compare_results(
            Results(old, where=where, names=shown, unit=unit),
            new,
            metric,
            references=references,
            earlier=earlier,
            again=again,
            backends=backends,
        )
    _print_notes(notes_before(comparison, gate))
    _show_comparison(kind, width, comparison, gate, bool(references))
    named = {*references, *map(as_combination, references)}
    judges = [
        combination(*pair)
        for pair in comparison.times.table.select("encoding", "backend").rows()
        if named & {*pair, combination(*pair)}
    ]
    _print_notes(notes_after(comparison, gate, judges))
    return _judge(gate, comparison, old, new)


def _print_notes(notes: Iterable[str]) -> None:
    for note in notes:
        click.echo(f"nqbench: {note}", err=True)


def _judge(gate: "Gate", comparison: "Comparison", old: str, new: str) -> int:
    """Print why the gate fails, and return the exit status. Raises `InputError` if nothing could be
    tables.
    """
    from nqbench.addons.compare.notes import advice, verdict

    if failures := gate.failures(comparison):
        click.echo(f"nqbench: the gate failed: {'; '.join(failures)}", err=True)
        _print_notes(advice(comparison, gate))
        return 1
    if why := gate.blind(comparison):
        raise InputError(f"nothing to compare: {why} in {old} and {new}")
    _print_notes(verdict(comparison, gate))
    return 0


def _show_comparison(
    kind: str, width: str, comparison: "Comparison", gate: "Gate", has_reference: bool
) -> None:
    """Print the comparison in this format."""
    from nqbench.addons.compare.document import OF_RATIO, document, ratios

    if kind == "json":
        click.echo(json.dumps(document(comparison, gate), indent=2, allow_nan=False))
    elif kind == "csv":
        names = [*tables.OTHER, *(name for name in OF_RATIO if name not in tables.OTHER)]
        rows = tables.differences(comparison, ratios(comparison, gate))
        click.echo(
            to_csv(names, ({name: row.get(name) for name in names} for row in rows)), nl=False
        )
    elif kind == TABLE:
        _show_tables(comparison, gate, has_reference)
    else:
        found = tables.tables(comparison, gate.slower(comparison), has_reference)
        print_text(FOR_A_PAPER[kind](found, width))


def _show_tables(comparison: "Comparison", gate: "Gate", has_reference: bool) -> None:
    _show_besides(comparison)
    _show(comparison, tables.OUTCOMES, tables.OUTCOME, comparison.outcomes.to_dicts())
    _show_reasons(comparison.outcomes)
    if comparison.changes.is_empty() and not comparison.changed_answers and comparison.common_runs:
        runs = counted(comparison.common_runs, "common run")
        click.echo(f"No size, hash, counter or answer changed in {runs}.\n")
    _show(comparison, tables.CHANGES, tables.CHANGED, comparison.other_changes.to_dicts())
    _show(comparison, "Not compared", tables.MISSING, comparison.other_missing.to_dicts())
    _show_reasons(comparison.other_missing)
    _show(comparison, tables.ONE_SOLVED, tables.SOLVED, comparison.solved.to_dicts())
    if rows := tables.ratios(comparison, gate.slower(comparison)):
        click.echo(tables.heading(comparison, has_reference))
        shown = tables.shown_in_history(comparison, tables.RATIOS, rows)
        print_table(*shown, _ELSEWHERE)


def _show_besides(comparison: "Comparison") -> None:
    """Print what differs besides what was measured, if anything does."""
    if lines := tables.besides(comparison):
        click.echo(tables.BESIDES)
        for line in lines:
            click.echo(f"- {line}")
        click.echo()


def _show(
    comparison: "Comparison", title: str, columns: Sequence[Column], rows: Sequence[Row]
) -> None:
    if rows:
        click.echo(title)
        print_table(*tables.shown_in_history(comparison, columns, rows), _ELSEWHERE)
        click.echo()


def _show_reasons(rows: "pl.DataFrame") -> None:
    """Print why runs were not measured, or why an answer is wrong."""
    from nqbench.addons.compare.notes import reasons

    lines = [f"{pair} in {side}: {printable(why)}" for pair, side, why in reasons(rows)]
    for line in lines:
        click.echo(line)
    if lines:
        click.echo()
