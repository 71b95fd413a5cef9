"""`compare`: show what changed between two campaigns, and fail on chosen changes."""

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import click

from nqbench.cli.options.results_folder import name_option, where_option
from nqbench.cli.options.shared_options import TABLE, format_option, metric_option
from nqbench.cli.printing.tables import print_table, print_text
from nqbench.common import metrics
from nqbench.common.errors import InputError
from nqbench.common.printable import printable
from nqbench.common.units import counted
from nqbench.common.vocabulary import as_combination, combination
from nqbench.results import Results
from nqbench.show.tables import compared
from nqbench.show.tables.columns import Column
from nqbench.show.tables.formats import to_csv, to_markdown
from nqbench.show.tables.typeset import to_latex

if TYPE_CHECKING:
    import polars as pl

    from nqbench.summary.gate import Comparison, Gate


_FEWEST_PAIRS: Final = 3
"""If one of three combinations changes, the median still shows the change of the others."""


_ELSEWHERE: Final = "write the output to a file"


_MOST_NAMED: Final = 5
"""Combinations that a line names."""

_MOST_REASONS: Final = 10
"""Reasons for missing runs that are printed."""

_REPAIR: Final = (
    "nqbench: some of these runs failed, as the table says: repair the solver or encoding, and "
    "measure again"
)

_ADVICE: Final = (
    "nqbench: measure the same problems, encodings, backends and repeats in OLD and NEW. If they "
    "differ on purpose, choose common ones with --where, or accept what is missing with "
    "--allow-missing"
)


def _part(text: str) -> float:
    match = re.fullmatch(r"(\d{1,4}(?:\.\d+)?)\s*%", text.strip())
    if match is None:
        raise InputError(f"'{text}' is not a percentage: write for instance 10%")
    return float(match[1]) / 100


@click.command
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option(
    "--fail-above",
    metavar="PERCENT",
    help="Exit with status 1 if a combination is significantly slower (with a counter, larger) by "
    "more than PERCENT, or no longer solves a board.",
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
@where_option
@name_option
@metric_option("What to compare as ratios")
@format_option
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
    allow_missing: bool,
    where: str | None,
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
    builds, files of plugins, limits and machines, is above them. Times are
    compared board by board, as ratios. Each ratio is divided by that of the machine, which is
    estimated from all combinations of encoding and backend, or from those of --reference. With a
    counter or a measure as --metric, the ratios are those of its values, undivided.

    Runs that only one campaign has, and runs that were not measured, are listed. With --fail-above
    or --fail-on-change they are a failure, unless --allow-missing is given.

    --format csv prints a row for each difference and each ratio, and the column `what` says which
    it is. --format json prints all as one document; `nqbench schema comparison` describes it.

    \b
    Examples:
      nqbench compare before/ after/ --fail-above 10%
      nqbench compare main:results/records.csv records.csv --fail-on-change
      nqbench compare old.db new.db --reference 'pairwise x minisat22'
      nqbench compare before/ after/ --format latex > compared.tex
      nqbench compare old/ new/ --metric conflicts --where "backend <> 'pyeda'"
      nqbench compare before/ after/ --format csv > compared.csv
      nqbench compare old/ new/ --fail-on-change --json
    """
    from nqbench.summary.gate import Gate

    gate = Gate(None if fail_above is None else _part(fail_above), fail_on_change, allow_missing)
    found = Results(old, where=where, names=shown).compare(new, metric, references=references)
    before, after = found.old, found.new
    _tell_left_out(found.whole, (before, after))
    if found.times.common is not None:
        _tell_machines(set(before["machine"]), set(after["machine"]))
    _tell_imported(before, after)
    if gate.on_change:
        _tell_uncounted(before, after)
    _show_found(kind, width, found, gate, bool(references))
    _tell_ratios(found)
    if gate.above is not None and len(found.times.table):
        _tell_boards(found, tuple(map(as_combination, references)))
        if found.times.common is not None and not references:
            _tell_common(len(found.times.table))
    return _judged(gate, found, old, new)


def _judged(gate: "Gate", found: "Comparison", old: str, new: str) -> int:
    """Print why the gate fails, and return the exit status. Raises `InputError` if nothing could be
    compared.
    """
    from nqbench.summary.missing import FAILED

    if failures := gate.failures(found):
        click.echo(f"nqbench: the gate failed: {'; '.join(failures)}", err=True)
        if gate.misses(found):
            states = found.missing["old"].to_list(), found.missing["new"].to_list()
            failed = [{*pair} & {*FAILED} for pair in zip(*states, strict=True)]
            if any(failed):
                click.echo(_REPAIR, err=True)
            if not all(failed):
                click.echo(_ADVICE, err=True)
        return 1
    if why := gate.blind(found):
        raise InputError(f"nothing to compare: {why} in {old} and {new}")
    return 0


def _show_found(
    kind: str, width: str, found: "Comparison", gate: "Gate", has_reference: bool
) -> None:
    """Print what was found in this format."""
    from nqbench.summary.document import OF_RATIO, document, ratios

    if kind == "json":
        click.echo(json.dumps(document(found, gate), indent=2, allow_nan=False))
    elif kind == "csv":
        names = [*compared.OTHER, *(name for name in OF_RATIO if name not in compared.OTHER)]
        rows = compared.differences(found, ratios(found, gate))
        click.echo(
            to_csv(names, ({name: row.get(name) for name in names} for row in rows)), nl=False
        )
    elif kind == TABLE:
        _show_tables(found, gate, has_reference)
    else:
        tables = compared.tables(found, gate.slower(found), has_reference)
        print_text(to_latex(tables, width) if kind == "latex" else to_markdown(tables))


def _show_tables(found: "Comparison", gate: "Gate", has_reference: bool) -> None:
    _show_besides(found)
    _show(compared.OUTCOMES, compared.OUTCOME, found.outcomes)
    _show_reasons(found.outcomes)
    if found.changes.is_empty() and not found.changed_answers and found.common_runs:
        runs = counted(found.common_runs, "common run")
        click.echo(f"No size, hash, counter or answer changed in {runs}.\n")
    _show(compared.CHANGES, compared.CHANGED, found.other_changes)
    _show("Not compared", compared.MISSING, found.other_missing)
    _show_reasons(found.other_missing)
    _show(compared.ONE_SOLVED, compared.SOLVED, found.solved)
    if rows := compared.ratios(found, gate.slower(found)):
        click.echo(compared.heading(found, has_reference))
        print_table(compared.RATIOS, rows, _ELSEWHERE)


def _show_besides(found: "Comparison") -> None:
    """Print what differs besides what was measured, if anything does."""
    if lines := compared.besides(found):
        click.echo(compared.BESIDES)
        for line in lines:
            click.echo(f"- {line}")
        click.echo()


def _show(title: str, columns: Sequence[Column], table: "pl.DataFrame") -> None:
    if len(table):
        click.echo(title)
        print_table(columns, table.iter_rows(named=True), _ELSEWHERE)
        click.echo()


def _show_reasons(rows: "pl.DataFrame") -> None:
    """Print why runs were not measured, or why an answer is wrong."""
    from nqbench.summary.missing import ABSENT, LEFT_OUT, MEASURED

    reasons = rows.drop_nulls("why").unique("why", keep="first", maintain_order=True)
    for row in reasons.head(_MOST_REASONS).iter_rows(named=True):
        whose = combination(row["encoding"], row["backend"])
        side = "OLD" if row["new"] in {MEASURED, LEFT_OUT, *ABSENT} else "NEW"
        click.echo(f"{whose} in {side}: {printable(row['why'])}")
    if len(reasons):
        click.echo()


def _tell_ratios(found: "Comparison") -> None:
    """Name what is not in the ratios as it was recorded, and explain their intervals."""
    times, noun = found.times, metrics.noun(found.metric)
    if times.without_ratio:
        click.echo(
            f"nqbench: {counted(times.without_ratio, 'board')} without a ratio: {noun} of 0 or "
            "less in OLD or NEW",
            err=True,
        )
    if times.raised:
        click.echo(
            f"nqbench: {counted(times.raised, 'run')} with 0 {noun}: in ratios, 0 counts as 1",
            err=True,
        )
    if found.no_reference:
        click.echo(f"nqbench: no ratios: {found.no_reference}", err=True)
    elif found.is_unreported:
        click.echo(f"nqbench: no ratios: no solved run reports {noun}", err=True)
    else:
        _tell_unknown(found)
    _tell_intervals(times.table)


def _tell_unknown(found: "Comparison") -> None:
    """Name the combinations of which boards have no ratio, since a run has no value."""
    unknown = found.times.unknown
    if not unknown:
        return
    boards = counted(sum(unknown.values()), "board")
    click.echo(
        f"nqbench: {boards} without a ratio, as a run has no number of "
        f"{metrics.noun(found.metric)}: {compared.listed([*unknown])}. The solver does not report "
        "it, or the run was not solved",
        err=True,
    )


def _tell_intervals(table: "pl.DataFrame") -> None:
    """Explain intervals that contain 1 beside a p below 5 %."""
    import polars as pl

    from nqbench.summary.significance import SIGNIFICANT

    one = pl.lit(1.0).is_between("low", "high")
    if found := len(table.filter(one & (pl.col("p") < SIGNIFICANT))):
        click.echo(
            f"nqbench: {counted(found, 'interval')} with 1 inside although p is below 5 %: from "
            "and to hold for all rows at once, and are wider than the test, which takes row by row",
            err=True,
        )


def _tell_boards(found: "Comparison", references: Sequence[str]) -> None:
    """Warn if too few boards were measured for significance."""
    from nqbench.summary.compare import boards_needed

    table = found.times.table
    # Whatever its boards, the only combination that judges the machine has the ratio 1.
    judged = set(references) if len(table) > 1 else set(found.times.never)
    boards = [
        row["boards"]
        for row in table.iter_rows(named=True)
        if combination(row["encoding"], row["backend"]) in {*found.times.never} - judged
    ]
    if boards:
        click.echo(
            f"nqbench: {len(boards)} of {counted(len(table), 'combination')} can never reach "
            f"significance, with as few as {counted(min(boards), 'board')}: "
            f"{boards_needed(len(table))} boards of each are enough",
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


def _tell_left_out(
    whole: "tuple[pl.DataFrame, pl.DataFrame]", chosen: "tuple[pl.DataFrame, pl.DataFrame]"
) -> None:
    """Say how many runs --where left out, and of which combinations it left nothing."""
    if [*map(len, whole)] == [*map(len, chosen)]:
        return
    parts = [
        f"{len(all_) - len(some)} of {counted(len(all_), 'run')} in {side}"
        for side, all_, some in zip(("OLD", "NEW"), whole, chosen, strict=True)
    ]
    pairs, left = (
        {combination(e, b) for each in part for e, b in each.select("encoding", "backend").rows()}
        for part in (whole, chosen)
    )
    gone = sorted(pairs - left)
    named = ", ".join(gone[:_MOST_NAMED])
    more = f" and {len(gone) - _MOST_NAMED} more" if len(gone) > _MOST_NAMED else ""
    nothing = f"; nothing is left of {named}{more}" if gone else ""
    click.echo(f"nqbench: --where leaves out {' and '.join(parts)}{nothing}", err=True)


def _tell_imported(before: "pl.DataFrame", after: "pl.DataFrame") -> None:
    """Say which runs of each side were imported."""
    from nqbench.summary import imported
    from nqbench.summary.findings.wording import of_imported

    for side, records in (("OLD", before), ("NEW", after)):
        if sources := imported(records):
            click.echo(f"nqbench: {side}: {of_imported(sources, len(records))}", err=True)


def _tell_uncounted(before: "pl.DataFrame", after: "pl.DataFrame") -> None:
    """Name the backends whose searches are not compared, as neither campaign has a counter."""
    import polars as pl

    from nqbench.common.vocabulary import Outcome

    # nqbench itself counts rejected models, for every solver.
    searched = [name for name in metrics.COUNTERS if name != "rejected_models"]
    one, other = (
        each.filter(outcome=Outcome.FINISHED).select("backend", *searched)
        for each in (before, after)
    )
    both = pl.concat([one, other]).join(one, on="backend", how="semi")
    has = pl.any_horizontal(pl.col(name).is_not_null().any() for name in searched)
    silent = both.join(other, on="backend", how="semi").group_by("backend").agg(has=has)
    names = silent.filter(~pl.col("has"))["backend"].sort().to_list()
    if names:
        why = ""
        if any(name.startswith("exe:") for name in names):
            why = (
                ". nqbench reads the counters of a program by its file name, such as minisat or "
                "cadical: of others, record a number with --measure and compare it with --metric"
            )
        click.echo(
            f"nqbench: no counters of {', '.join(names)}: --fail-on-change sees only formulas and "
            f"answers{why}",
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
