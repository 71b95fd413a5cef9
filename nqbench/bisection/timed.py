"""Judges commits by their times, with as many repeats as the noise needs.

A commit and the good one are run in turns, so that a machine which slows down slows down both. Each
pair of runs is one piece of evidence: the logarithm of the ratio of their times, over all problems.
Bad is a commit that takes more than the square root of the ratio of the bad one to the good one,
halfway between them, or that is slower by more than the share `above`. The signed-rank test, that
of `compare`, decides whether the ratio is on this side or on that. It looks up to three times, with
twice as many pairs each time, and then says that it cannot tell.

A wrong mark would lead to a wrong commit, so all looks at all commits share one error of 5 %.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from nqbench.bisection.judgement import CannotTellError, Judge, Judgement, Mark
from nqbench.bisection.trials import Trials
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import Outcome, Verdict
from nqbench.records.record import Record
from nqbench.revisions.repository import Commit
from nqbench.summary.paired import LEVEL, Pair, decide, typical_ratios

METRICS: Final = ("solve_cpu_s", "solve_s", "cpu_s", "wall_s")
"""The times by which commits can be judged, the usual one first."""

LOOKS: Final = 3
_SHORTEST_S: Final = 1e-6


@dataclass(frozen=True, slots=True)
class _Seen:
    """What pairs showed: the ratio of the times, its interval, the p of one side, and whether the
    ratio is above that which was asked about. `why` says why a pair cannot be used.
    """

    ratio: float
    low: float
    high: float
    p: float
    is_above: bool
    pairs: int
    why: str = ""

    def __str__(self) -> str:
        if self.why:
            return self.why
        is_known = self.low > 0 and self.high < math.inf
        interval = f", {self.low:.3g} to {self.high:.3g}" if is_known else ""
        return f"{self.ratio:.3g} times as long{interval} ({self.pairs} pairs)"


def pairs_of_first_look(commits: int) -> int:
    """The fewest pairs that can decide, if all agree. There are so many `commits` between
    the ends.
    """
    return math.ceil(-math.log2(_alpha(commits)))


def _alpha(commits: int) -> float:
    """The error that each look may have."""
    judged = math.ceil(math.log2(commits + 1)) + 1
    return LEVEL / (judged * LOOKS)


class ByTime(Judge):
    """Judges by a time. `commits` are those between the ends: they decide how much error each
    look may have.
    """

    def __init__(self, trials: Trials, metric: str, above: float | None, commits: int) -> None:
        self._trials, self._metric = trials, metric
        self._threshold = math.log1p(above or 0.0)
        self._is_stated = above is not None
        self._alpha = _alpha(commits)
        self._first_pairs = pairs_of_first_look(commits)
        self._good: Commit | None = None
        self._good_runs = 0

    def begin(self, good: Commit, bad: Commit) -> tuple[Judgement, Judgement]:
        """Judge the two ends, as `Judge` has it."""
        self._good = good
        seen = self._compare(bad)
        if seen.why:
            raise InputError(f"{good.short} and {bad.short} cannot be compared by time: {seen}")
        if seen.p > self._alpha:
            raise CannotTellError(f"{bad.short} takes {seen} of {good.short}")
        if not seen.is_above:
            raise InputError(f"{bad.short} is not slower: it takes {seen} of {good.short}")
        if not self._is_stated:
            self._threshold = math.log(seen.ratio) / 2
        runs = seen.pairs * len(self._trials.problems)
        return Judgement(Mark.GOOD, "the reference", runs), Judgement(Mark.BAD, str(seen), runs)

    def judge(self, commit: Commit) -> Judgement:
        """Judge a commit between them."""
        before = self._trials.asked
        seen = self._compare(commit)
        mark = Mark.BAD if seen.is_above else Mark.GOOD
        why = str(seen)
        if seen.why or seen.p > self._alpha:
            mark = Mark.SKIP
            why = seen.why or f"cannot tell: {why}, against {math.exp(self._threshold):.3g}"
        return Judgement(mark, why, self._trials.asked - before)

    def _compare(self, commit: Commit) -> _Seen:
        """Measure pairs of the good commit and this one until they show on which side it is."""
        log_ratios: list[float] = []
        for look in range(LOOKS):
            more = self._first_pairs * 2**look - len(log_ratios)
            for good, other in self._pairs(commit, len(log_ratios), more):
                log_ratio = self._log_ratio(good, other)
                if isinstance(log_ratio, str):
                    return _Seen(math.nan, 0.0, math.inf, 1.0, False, len(log_ratios), log_ratio)
                log_ratios.append(log_ratio)
            values = np.array(log_ratios)
            number = len(values)
            shifted = decide([Pair(values - self._threshold)], number, 2 * self._alpha)
            (ratio,), (low,), (high,) = typical_ratios([Pair(values)], number, shifted.critical)
            is_above = bool(shifted.statistic[0] > 0)
            seen = _Seen(ratio, low, high, shifted.p[0] / 2, is_above, number)
            if seen.p <= self._alpha:
                break
        return seen

    def _pairs(
        self, commit: Commit, first: int, count: int
    ) -> Sequence[tuple[Sequence[Record], Sequence[Record]]]:
        """The records of the good commit and of this one, in turns: each comes first as often."""
        assert self._good is not None, "see begin"
        wanted: list[tuple[Commit, int]] = []
        for at in range(count):
            pair = [(self._good, self._good_runs + at), (commit, first + at)]
            wanted += pair if at % 2 else pair[::-1]
        self._good_runs += count
        records = self._trials.records(wanted)
        pairs = []
        for at in range(count):
            one, other = records[2 * at : 2 * at + 2]
            pairs.append((one, other) if at % 2 else (other, one))
        return pairs

    def _log_ratio(self, good: Sequence[Record], other: Sequence[Record]) -> float | str:
        """The logarithm of the ratio of the times; why there is none, in words."""
        good_s, other_s = (self._time(records) for records in (good, other))
        for time in (good_s, other_s):
            if isinstance(time, str):
                return time
        assert isinstance(good_s, tuple)
        assert isinstance(other_s, tuple)
        if good_s[1]:
            return "the good commit reached its limit: raise the time limit"
        log_ratio = math.log(other_s[0] / good_s[0])
        if other_s[1] and log_ratio <= self._threshold:
            return "it reached its limit, which is too low to say how much slower it is"
        return log_ratio

    def _time(self, records: Sequence[Record]) -> tuple[float, bool] | str:
        """The time of all problems together, and whether it is a lower bound; or why there is none,
        in words.
        """
        total_s, is_bound = 0.0, False
        for record in records:
            if record.outcome is Outcome.TIMEOUT:
                time_s, is_bound = _least_time(record, self._metric), True
            elif record.outcome is Outcome.FINISHED and record.verdict is not Verdict.REFUTED:
                time_s = getattr(record, self._metric)
            else:
                return f"{record.outcome} {record.message}".strip()
            total_s += time_s or 0.0
        return max(total_s, _SHORTEST_S), is_bound


def _least_time(record: Record, metric: str) -> float | None:
    """A lower bound of the time of a run that reached its limit."""
    if metric == "solve_s":
        return record.solve_at_least_s
    if metric == "solve_cpu_s":
        return min(record.cpu_s or 0.0, record.solve_at_least_s or 0.0)
    bound: float | None = getattr(record, metric)
    return bound
