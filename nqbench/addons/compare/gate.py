"""Whether a comparison of two campaigns fails a gate, and why."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from nqbench.addons.compare.besides import Difference, Environments, besides
from nqbench.addons.compare.changes import (
    NoReferenceError,
    Times,
    changes,
    runs_in_common,
    slower,
    solved,
    times,
)
from nqbench.addons.compare.missing import missing
from nqbench.addons.compare.outcomes import (
    OF_ANSWERS,
    besides_answers,
    besides_failures,
    changed,
    outcomes,
)
from nqbench.addons.compare.sessions import Sessions
from nqbench.common import metrics
from nqbench.common.units import counted
from nqbench.common.vocabulary import combination
from nqbench.summary.observed import BOARD, PAIR, SOLVED, boards, is_measured_time
from nqbench.summary.paired import fewest_units


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """Two campaigns compared by a metric. `besides`, `outcomes`, `missing`, `changes`, `solved` and
    `times` are what the functions of these names return, and `common_runs` is the number of runs
    that `changes` compares. `old` and `new` are the records, and `unfiltered` those of both before
    a condition chose some of them. `no_reference` says why there are no ratios, if the reference is
    the reason. `again` compares the old campaign with a second session of the new one.
    """

    metric: str
    besides: list[Difference]
    outcomes: pl.DataFrame
    missing: pl.DataFrame
    changes: pl.DataFrame
    solved: pl.DataFrame
    times: Times
    common_runs: int
    old: pl.DataFrame
    new: pl.DataFrame
    unfiltered: tuple[pl.DataFrame, pl.DataFrame]
    no_reference: str | None = None
    again: "Comparison | None" = None

    def __repr__(self) -> str:
        numbers = (
            counted(self.common_runs, "common run"),
            f"outcomes: {len(self.outcomes)}",
            f"changes: {len(self.changes)}",
            f"missing: {len(self.missing)}",
            f"solved: {len(self.solved)}",
            f"times.table: {len(self.times.table)}",
        )
        return f"<comparison by {self.metric} with {', '.join(numbers)}>"

    @property
    def compares_times(self) -> bool:
        """Whether there is a ratio, or a board that only one campaign solved."""
        return len(self.times.table) > 0 or len(self.solved) > 0

    @property
    def other_changes(self) -> pl.DataFrame:
        """The changes that are not among the outcomes: of sizes, hashes and counters."""
        return besides_answers(self.changes)

    @property
    def other_missing(self) -> pl.DataFrame:
        """The missing runs that are not among the outcomes."""
        return besides_failures(self.missing, self.new)

    @property
    def changed_answers(self) -> dict[str, int]:
        """The number of runs of each change of answers that there is, the worst first."""
        counts = {str(change): changed(self.outcomes, change) for change in OF_ANSWERS}
        return {change: count for change, count in counts.items() if count}

    @property
    def is_unreported(self) -> bool:
        """Whether no solved run of either campaign has a value of the metric."""
        campaigns = (records.filter(SOLVED) for records in (self.old, self.new))
        values = (
            [runs[self.metric] for runs in campaigns] if self.metric in self.old.columns else []
        )
        return any(map(len, values)) and all(
            column.null_count() == len(column) for column in values
        )


def compared(
    old: pl.DataFrame,
    new: pl.DataFrame,
    time: str = "solve_s",
    reference: Sequence[str] = (),
    unfiltered: tuple[pl.DataFrame, pl.DataFrame] | None = None,
    *,
    environments: tuple[Environments, Environments] = ({}, {}),
    earlier: Sequence[pl.DataFrame] = (),
    again: pl.DataFrame | None = None,
) -> Comparison:
    """Compare two campaigns. The arguments are passed on: `time`, `reference` and `earlier` to
    `times`, `unfiltered` to `missing`, `environments` to `besides`; `again` is a second session of
    the new one. Raises `InputError` as these do.
    """
    lacking, changing = missing(old, new, unfiltered), changes(old, new)
    no_reference = None
    try:
        ratios = times(old, new, time, reference, earlier)
    except NoReferenceError as error:
        # Perhaps it crashed in the new campaign, which the rest of the comparison says.
        no_reference, ratios = str(error), times(old.clear(), new.clear(), time)
    return Comparison(
        time,
        besides(old, new, environments),
        outcomes(old, new, changing, lacking),
        lacking,
        changing,
        solved(old, new),
        ratios,
        runs_in_common(old, new),
        old,
        new,
        unfiltered or (old, new),
        no_reference,
        None if again is None else compared(old, again, time, reference, earlier=earlier),
    )


@dataclass(frozen=True, slots=True)
class Gate:
    """What fails: a combination that is typically slower by more than the share `above` (0.1 is
    10 %), with all of its one-sided interval, or a board that is no longer solved; with
    `on_change`, a difference that no machine explains; and runs that were not compared, unless
    `allow_missing`. With `blind_above`, it also fails if it would not have seen a change by more
    than this share. With None and False there is no gate, and nothing fails.

    A second session of the new code, `Comparison.again`, clears what is not slower or lost there.
    """

    above: float | None = None
    on_change: bool = False
    allow_missing: bool = False
    blind_above: float | None = None

    @property
    def is_set(self) -> bool:
        """Whether anything can fail."""
        return self.above is not None or self.on_change

    def slower(self, comparison: Comparison) -> pl.DataFrame:
        """The rows of the times that are too slow; without `above`, those slower at all."""
        above = self.above or 0.0
        found = slower(comparison.times.table, above)
        if comparison.again is None:
            return found
        second = comparison.again.times.table
        cleared = second.join(slower(second, above), on=PAIR, how="anti")
        return found.join(cleared, on=PAIR, how="anti", maintain_order="left")

    def lost(self, comparison: Comparison) -> pl.DataFrame:
        """The boards that are no longer solved: rows of `changes.solved`."""
        found = comparison.solved.filter(change="unsolved")
        if comparison.again is None:
            return found
        solved_again = boards(comparison.again.new).filter("solved")
        return found.join(solved_again, on=[*PAIR, *BOARD], how="anti", nulls_equal=True)

    def unseen(self, comparison: Comparison) -> tuple[float, str] | None:
        """The least change that the gate would surely have seen, as a share, and in which
        combination that is the greatest: infinite if no change could be seen. None without `above`
        or ratios.

        If all new values of a combination were larger by a factor, so would be its ratio and the
        end of its interval. So the gate would have passed with each smaller factor.
        """
        if self.above is None or comparison.times.table.is_empty():
            return None
        tables = [one.times.table for one in (comparison, comparison.again) if one is not None]
        factor = (1 + self.above) * pl.col("typical_ratio") / pl.col("at_least")
        rows = pl.concat(tables).select(*PAIR, share=(factor - 1).fill_null(math.inf))
        *pair, share = rows.sort("share", *PAIR, descending=[True, False, False]).row(0)
        return share, combination(*pair)

    def asks_again(self, comparison: Comparison) -> bool:
        """Whether a second session of the new code has to confirm what is slower."""
        is_one = comparison.times.sessions is Sessions.ONE_EACH and comparison.again is None
        return self.above is not None and is_one and len(self.slower(comparison)) > 0

    def failures(self, comparison: Comparison) -> list[str]:
        """Why the comparison fails, a few words for each reason; empty if it passes."""
        reasons: list[str] = []
        if self.on_change:
            reasons += [
                counted(count, change) for change, count in comparison.changed_answers.items()
            ]
            if count := int(comparison.other_changes["runs"].sum()):
                reasons.append(f"{counted(count, 'change')} of sizes, hashes or counters")
        if self.above is not None:
            reasons += self._list_worse(comparison, self.above)
            reasons += self._list_blind(comparison)
        if self.misses(comparison):
            reasons.append(f"{counted(int(comparison.missing['runs'].sum()), 'run')} not compared")
        without = comparison.times.without_ratio + sum(comparison.times.unknown.values())
        if self.above is not None and without and not self.allow_missing:
            reasons.append(f"{counted(without, 'board')} without a ratio")
        return reasons

    def misses(self, comparison: Comparison) -> bool:
        """Whether it fails because of runs that were not compared."""
        return self.is_set and not self.allow_missing and len(comparison.missing) > 0

    def blind(self, comparison: Comparison) -> str | None:
        """Why there was nothing to compare or to check, in words; None if there was."""
        if comparison.is_unreported and not self.on_change:
            metric = comparison.metric
            return f"no solved run reports {metrics.noun(metric)}: {metrics.remedy(metric)}"
        if comparison.no_reference:
            return comparison.no_reference
        # Counters of common runs are something to compare, too, unless the gate is about times.
        needs_times = self.above is not None or not comparison.common_runs
        if needs_times and not comparison.compares_times:
            return "no encoding and backend solved the same board"
        if (
            self.above is not None
            and len(comparison.times.never) == len(comparison.times.table) > 0
        ):
            comparative = "slower" if is_measured_time(comparison.metric) else "larger"
            return f"no combination can be found {comparative}: {_name_remedy(comparison)}"
        if self.on_change and not comparison.common_runs:
            return "no run with the same seed finished"
        return None

    def _list_worse(self, comparison: Comparison, above: float) -> Iterator[str]:
        percent = f"{100 * above:g} %"
        is_time = is_measured_time(comparison.metric)
        more = (
            f"typically more than {percent} slower"
            if is_time
            else f"typically over {percent} more {metrics.noun(comparison.metric)}"
        )
        if count := len(self.slower(comparison)):
            yield f"{counted(count, 'combination')}: {more}"
        if lost := len(self.lost(comparison)):
            yield f"{counted(lost, 'board')} no longer solved"

    def _list_blind(self, comparison: Comparison) -> Iterator[str]:
        unseen = self.unseen(comparison)
        if self.blind_above is None or unseen is None or unseen[0] <= self.blind_above:
            return
        yield f"{would_not_see(*unseen)}, and {100 * self.blind_above:g} % should be"


def would_not_see(share: float, name: str) -> str:
    """What a gate would not have seen, in words: see `Gate.unseen`."""
    if math.isinf(share):
        return f"no change of {name} would have been seen"
    percent = 100 * share
    shown = f"{percent:.0f}" if percent >= 10 else f"{percent:.2g}"
    return f"with these runs, a change of {name} by less than {shown} % would not have been seen"


def _name_remedy(comparison: Comparison) -> str:
    """How to measure so that a change of one combination could be found."""
    enough = f"{fewest_units(len(comparison.times.table))} or more boards"
    is_divided = comparison.times.sessions not in {None, Sessions.IN_TURNS}
    if is_divided and len(comparison.times.table) == 1:
        return f"the change of a single one counts as the machine's: add others, on {enough}"
    return f"measure {enough}"
