"""What to know about a comparison of two campaigns before and after its tables."""

from collections.abc import Iterator, Sequence
from typing import Final

import polars as pl

from nqbench.addons.compare.common_backends import unmatched
from nqbench.addons.compare.gate import Comparison, Gate, would_not_see
from nqbench.addons.compare.missing import ABSENT, FAILED, LEFT_OUT, MEASURED
from nqbench.addons.compare.sessions import OF_A_LAYOUT, OF_A_SESSION, Sessions
from nqbench.common import metrics
from nqbench.common.printable import listed
from nqbench.common.units import counted, factor
from nqbench.common.vocabulary import Outcome, combination
from nqbench.summary.findings.cautions import Output, cautions
from nqbench.summary.history import History, revisions, subject
from nqbench.summary.observed import GROUP, PAIR
from nqbench.summary.paired import LEVEL, fewest_units

_FEWEST_PAIRS: Final = 3
"""If one of three combinations changes, the median still shows the change of the others."""

_MEAN: Final = 1.1
"""A smaller ratio on average is not worth a line."""

_MOST_NAMED: Final = 5
"""Combinations that a line names."""

_MOST_REASONS: Final = 10
"""Reasons for missing runs that are shown."""

_REPAIR: Final = (
    "some of these runs failed, as the table says: repair the solver or encoding, and measure again"
)

_ADVICE: Final = (
    "measure the same problems, encodings, backends and repeats in OLD and NEW. If they differ on "
    "purpose, choose common ones with --where, or accept what is missing with --allow-missing"
)


def notes_before(comparison: Comparison, gate: Gate) -> Iterator[str]:
    """What a reader has to know before the tables: what --where left out, whether times are of the
    same machines, which runs were imported, and which solvers have no counters.
    """
    yield from _left_out(comparison)
    if comparison.times.common is not None:
        yield from _machines(
            *({*campaign["machine"]} for campaign in (comparison.old, comparison.new))
        )
    yield from _unmatched(comparison)
    for side, records in (("OLD", comparison.old), ("NEW", comparison.new)):
        yield from (f"{side}: {line}" for line in cautions(records, Output.COMPARISON))
    if gate.on_change:
        yield from _uncounted(comparison.old, comparison.new)


def _unmatched(comparison: Comparison) -> Iterator[str]:
    """The backends of which each campaign has versions that the other one lacks."""
    columns = ["backend", "backend_version"]
    versions = (records.select(columns) for records in (comparison.old, comparison.new))
    history = History.of(revisions(pl.concat(versions)))
    for name, several in unmatched(comparison.old, comparison.new).items():
        ordered = sorted(several, key=lambda version: history.places.get(version, -1))
        shown = [
            f"{version} '{subject(revision)}'"
            if (revision := history.revisions.get(version)) and revision.subject
            else version
            for version in ordered
        ]
        yield (
            f"several revisions of {name} ({listed(shown, _MOST_NAMED)}): name the two to "
            "compare with --old and --new"
        )


def notes_after(
    comparison: Comparison, gate: Gate, references: Sequence[str] = ()
) -> Iterator[str]:
    """What a reader has to know about the ratios: which boards have none, where the average says
    something else than the typical ratio, and whether the gate could notice a change. `references`
    are the combinations by which the machine is judged.
    """
    yield from _without_ratio(comparison)
    yield from _averages(comparison, gate)
    if gate.above is not None and len(comparison.times.table):
        yield from _too_few_boards(comparison, references)
        if comparison.times.sessions not in {None, Sessions.IN_TURNS} and not references:
            yield from _too_few_pairs(len(comparison.times.table))
        yield from _sessions(comparison, gate.above)
    else:
        yield from _too_few_for_intervals(comparison)


def verdict(comparison: Comparison, gate: Gate) -> Iterator[str]:
    """That a gate on ratios passed, and what it would not have seen."""
    if unseen := gate.unseen(comparison):
        yield f"the gate passed; {would_not_see(*unseen)}"


def advice(comparison: Comparison, gate: Gate) -> Iterator[str]:
    """What to do if the gate fails: because of a single session, or of runs that were not
    compared.
    """
    if gate.asks_again(comparison):
        yield (
            "one session may be slower by itself: measure NEW again in another folder, and add "
            "--again FOLDER. It fails if both are slower"
        )
    if not gate.misses(comparison):
        return
    states = comparison.missing["old"].to_list(), comparison.missing["new"].to_list()
    failed = [{*pair} & {*FAILED} for pair in zip(*states, strict=True)]
    if any(failed):
        yield _REPAIR
    if not all(failed):
        yield _ADVICE


def reasons(rows: pl.DataFrame) -> Iterator[tuple[str, str, str]]:
    """Why runs were not measured, or why an answer is wrong: the first combination with each
    reason, its side, OLD or NEW, and the reason.
    """
    first_rows = rows.drop_nulls("why").unique("why", keep="first", maintain_order=True)
    for row in first_rows.head(_MOST_REASONS).iter_rows(named=True):
        side = "OLD" if row["new"] in {MEASURED, LEFT_OUT, *ABSENT} else "NEW"
        yield combination(row["encoding"], row["backend"]), side, row["why"]


def _left_out(comparison: Comparison) -> Iterator[str]:
    """How many runs --where left out, and of which combinations it left nothing."""
    unfiltered, filtered = comparison.unfiltered, (comparison.old, comparison.new)
    if [*map(len, unfiltered)] == [*map(len, filtered)]:
        return
    numbers = [
        f"{len(before) - len(after)} of {counted(len(before), 'run')} in {side}"
        for side, before, after in zip(("OLD", "NEW"), unfiltered, filtered, strict=True)
    ]
    pairs, remaining_pairs = (
        {combination(e, b) for records in sides for e, b in records.select(PAIR).rows()}
        for sides in (unfiltered, filtered)
    )
    gone = sorted(pairs - remaining_pairs)
    nothing = f"; nothing is left of {listed(gone, _MOST_NAMED)}" if gone else ""
    yield f"--where leaves out {' and '.join(numbers)}{nothing}"


def _machines(old: set[str], new: set[str]) -> Iterator[str]:
    """Whether times are compared with those of other machines."""
    if old == new:
        return
    if shared := sorted(old & new):
        yield f"times are compared on {'; '.join(shared)} only, which both have"
    else:
        yield (
            f"times of {'; '.join(sorted(old))} are compared with times of "
            f"{'; '.join(sorted(new))}: only differences between combinations are meaningful"
        )


def _uncounted(old: pl.DataFrame, new: pl.DataFrame) -> Iterator[str]:
    """The backends whose searches are not compared, as neither campaign has a counter."""
    # nqbench itself counts rejected models, for every solver.
    searched = [name for name in metrics.COUNTERS if name != "rejected_models"]
    old_runs, new_runs = (
        records.filter(outcome=Outcome.FINISHED).select("backend", *searched)
        for records in (old, new)
    )
    runs = pl.concat([old_runs, new_runs]).join(old_runs, on="backend", how="semi")
    has = pl.any_horizontal(pl.col(name).is_not_null().any() for name in searched)
    silent = runs.join(new_runs, on="backend", how="semi").group_by("backend").agg(has=has)
    names = silent.filter(~pl.col("has"))["backend"].sort().to_list()
    if names:
        why = ""
        if any(name.startswith(("exe:", "git:")) for name in names):
            why = (
                ". nqbench reads the counters of a program by its file name, such as minisat or "
                "cadical: of others, record a number with --measure and compare it with --metric"
            )
        yield (
            f"no counters of {', '.join(names)}: --fail-on-change sees only formulas and answers"
            f"{why}"
        )


def _without_ratio(comparison: Comparison) -> Iterator[str]:
    """What is not in the ratios as it was recorded."""
    times, noun = comparison.times, metrics.noun(comparison.metric)
    if times.without_ratio:
        boards = counted(times.without_ratio, "board")
        yield f"{boards} without a ratio: {noun} of 0 or less in OLD or NEW"
    if times.raised:
        yield f"{counted(times.raised, 'run')} with 0 {noun}: in ratios, 0 counts as 1"
    if comparison.no_reference:
        yield f"no ratios: {comparison.no_reference}"
    elif comparison.is_unreported:
        yield f"no ratios: no solved run reports {noun}"
    elif times.unknown:
        boards = counted(sum(times.unknown.values()), "board")
        yield (
            f"{boards} without a ratio, as a run has no number of {noun}: "
            f"{listed([*times.unknown])}. The solver does not report it, or the run was not solved"
        )


def _averages(comparison: Comparison, gate: Gate) -> Iterator[str]:
    """Which combinations are slower on average, by more than the gate allows, but not typically:
    the average is described and not tested. The largest board may make it.
    """
    is_time = comparison.times.common is not None
    slower = "slower" if is_time else f"more {metrics.noun(comparison.metric)}"
    is_slower = pl.col("mean_ratio") > max(1 + (gate.above or 0.0), _MEAN)
    is_typical = (pl.col("p") < LEVEL) & (pl.col("typical_ratio") > 1)
    rows = comparison.times.table.filter(is_slower & ~is_typical).to_dicts()
    for row in rows[:_MOST_NAMED]:
        name = combination(row["encoding"], row["backend"])
        count = f"on {row['slower']} of {counted(row['boards'], 'board')}"
        low, high = (row[end] for end in ("mean_low", "mean_high"))
        ends = "" if None in (low, high) else f", {factor(low)} to {factor(high)}"
        rests = (
            ""
            if row["mean_without"] is None
            else f". That rests on one board: without it, {factor(row['mean_without'])}"
        )
        yield (
            f"{name} is not typically {slower} ({count}), but on average the ratio is about "
            f"{factor(row['mean_ratio'])}{ends}{rests}"
        )


def _too_few_boards(comparison: Comparison, references: Sequence[str]) -> Iterator[str]:
    """Which combinations were measured on too few boards to find a change."""
    table = comparison.times.table
    # Whatever its boards, the only combination that judges the machine has the ratio 1.
    judged = {*references} if len(table) > 1 else {*comparison.times.never}
    boards = [
        row["boards"]
        for row in table.iter_rows(named=True)
        if combination(row["encoding"], row["backend"]) in {*comparison.times.never} - judged
    ]
    if boards:
        yield (
            f"no change can be found of {len(boards)} of {counted(len(table), 'combination')}, "
            f"with as few as {counted(min(boards), 'board')}: {fewest_units(len(table))} boards of "
            "each are the least"
        )


def _too_few_for_intervals(comparison: Comparison) -> Iterator[str]:
    """Why there are no intervals."""
    table = comparison.times.table
    if table.is_empty() or table["low"].count() or len(comparison.times.never) < len(table):
        return
    noun = "group" if GROUP in comparison.old.columns else "board"
    most = max(table["boards"].to_list())
    yield (
        f"no change can be found: a combination has at most {counted(most, noun)}, and "
        f"{fewest_units(len(table))} of each are the least"
    )


def _sessions(comparison: Comparison, above: float) -> Iterator[str]:
    """How far sessions can be trusted."""
    sessions = comparison.times.sessions
    if sessions is Sessions.ONE_EACH and comparison.again is None:
        yield (
            f"one session against one session: up to {100 * OF_A_SESSION:g} % is nothing. Measure "
            "both in turns, or three old campaigns"
        )
    if sessions is not None and above < OF_A_LAYOUT:
        yield (
            f"a gate below {100 * OF_A_LAYOUT:g} % finds how the compiler laid out a binary: "
            f"choose {100 * OF_A_LAYOUT:g} % or more, or a counter as --metric"
        )


def _too_few_pairs(pairs: int) -> Iterator[str]:
    """Whether the change of one combination counts as a change of the machine."""
    if pairs < _FEWEST_PAIRS:
        hidden = "all" if pairs == 1 else "half"
        yield (
            f"with {counted(pairs, 'combination')} and no --reference, {hidden} of a slowdown "
            f"counts as the machine's: measure {_FEWEST_PAIRS} combinations or more"
        )
