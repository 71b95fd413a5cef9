"""What is known at the end of a race, as an object and in words."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from nqbench.addons.race.course import Course
from nqbench.addons.race.evidence import interval, standardised
from nqbench.addons.race.rules import Average
from nqbench.common import metrics
from nqbench.common.metrics import SCORE_NAME
from nqbench.common.units import counted, duration, factor, percent, plural, seconds
from nqbench.common.vocabulary import Outcome
from nqbench.summary.findings.cautions import Output, cautions
from nqbench.summary.findings.wording import MOST_NAMED, listed
from nqbench.summary.power import problems_for
from nqbench.summary.recommendation import notes, without_shuffle

if TYPE_CHECKING:
    import polars as pl

_MOST_NEEDED: Final = 10
"""Nobody measures more than so many times the problems to find a small difference."""


@dataclass(frozen=True, slots=True, repr=False)
class Standing:
    """The state of a race: who leads, by how much, and who left.

    `names` are the combinations, `spent_s` the seconds that the runs of each of them took, now or
    earlier, `grid_s` the seconds that the runs of the whole grid would take at least, and `runs`
    and `capped` how many were measured and how many of those were stopped by the race. `records`
    has a row for each run that was measured, as `nqbench.run` returns them. `unit` is the column
    whose values group the problems, if groups are the units of evidence.
    """

    names: Sequence[str]
    course: Course
    metric: str
    spent_s: Sequence[float]
    grid_s: float
    runs: int
    capped: int
    is_over: bool
    records: "pl.DataFrame"
    unit: str | None = None

    @property
    def leader(self) -> str | None:
        """The best combination so far; None before the first problem."""
        leader = self.course.leader
        return None if leader is None or not len(self.course.compared) else self.names[leader]

    @property
    def winner(self) -> str | None:
        """The leader, if all others left because they are worse with confidence, or failed."""
        return self.leader if len(self.course.left) == 1 else None

    @property
    def left(self) -> list[str]:
        """The combinations that have not left, the best first."""
        return [self.names[combination] for combination in self.course.left]

    def table(self) -> "pl.DataFrame":
        """A row for each combination, those that are left first, the best first.

        Columns: combination, average_s (mean or geometric mean of the metric: of those that are
        left, over the problems that all of them were measured on; of the others, over their own;
        null if it could not run), at_least (whether that is a lower bound), problems and capped
        (numbers), spent_s, left (why it left; null if it did not), after (the number of problems by
        then).
        """
        import polars as pl

        from nqbench.records.notebook_table import NotebookTable

        course = self.course
        gone = sorted(
            course.gone,
            key=lambda combination: (
                -course.gone[combination].problems,
                self._own_average(combination),
            ),
        )
        rows = [
            {
                "combination": self.names[combination],
                "average_s": self._average(combination),
                "at_least": bool(course.capped[:, combination].any()),
                "problems": int((~np.isnan(course.costs[:, combination])).sum()),
                "capped": int(course.capped[:, combination].sum()),
                "spent_s": self.spent_s[combination],
                "left": course.gone[combination].why if combination in course.gone else None,
                "after": course.gone[combination].problems if combination in course.gone else None,
            }
            for combination in [*course.left, *gone]
        ]
        columns = {
            "combination": pl.String,
            "average_s": pl.Float64,
            "at_least": pl.Boolean,
            "problems": pl.Int64,
            "capped": pl.Int64,
            "spent_s": pl.Float64,
            "left": pl.String,
            "after": pl.Int64,
        }
        return NotebookTable(rows, schema=columns)

    def _average(self, combination: int) -> float | None:
        departure = self.course.gone.get(combination)
        if departure is None:
            return self.course.of(combination)
        could_run = not departure.why.startswith(Outcome.UNAVAILABLE)
        return self._own_average(combination) if could_run else None

    def _own_average(self, combination: int) -> float:
        costs = self.course.costs[:, combination]
        return self.course.average.of(costs[~np.isnan(costs)])

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    __repr__ = __str__  # in a notebook

    def sentences(self) -> list[str]:
        """The answer in words, the most important first."""
        if self.leader is None:
            why = "give a larger budget" if not self.is_over else "none of those left was"
            if self.course.dropped and not self.course.seen:
                why = "none can be read"
            return [
                f"No problem was measured with every combination: {why}.",
                *self._describe_exits(),
                *self._describe_dropped(),
            ]
        return [
            self._describe_leader(),
            *self._describe_unit(),
            *self._describe_next(),
            *self._describe_close(),
            *self._describe_exits(),
            *self._describe_dropped(),
            self._describe_cost(),
            *(f"{line}." for line in cautions(self.records, Output.MESSAGES)),
            self.recommendation(),
            *notes(self.records, self.metric, self.leader),
        ]

    def recommendation(self) -> str:
        """What to use and how uncertain that is, in one sentence."""
        if self.leader is None:
            return "Nothing can be recommended: no problem was measured with every combination."
        used, _ = without_shuffle(self.names, self.leader)
        it = "it" if used == self.leader else self.leader
        course, others = self.course, len(self.course.left) - 1
        untested = sum(exit_.is_untested for exit_ in course.gone.values())
        by_probe = f", though {untested} of them left without a test" if untested else ""
        if not others:
            others_left = "all others left" if it == "it" else f"all but {it} left"
            return f"Use {used}: {others_left}{by_probe}."
        among = f"of the {others + 1} that are left"
        if course.evidence < 2:
            return f"Use {used} for now: {it} is the best {among}, but on one {self._noun} only."
        return (
            f"Use {used}: in {percent(course.stability())} of resamples of the "
            f"{counted(course.evidence, self._noun)}, {it} is within {percent(course.margin)} of "
            f"the best {among}."
        )

    @property
    def _noun(self) -> str:
        """What is one piece of evidence."""
        return "problem" if self.unit is None else "group"

    def _describe_unit(self) -> list[str]:
        if self.unit is None:
            return []
        groups = counted(self.course.evidence, "group")
        return [f"Problems of one {self.unit} are one piece of evidence: there are {groups}."]

    def _average_of_leader(self) -> str:
        """Both averages of the leader, that which decides first."""
        course, leader = self.course, self.course.leader
        assert leader is not None
        costs = course.costs[course.compared, leader]
        mean, typical = (seconds(average.of(costs)) for average in (Average.MEAN, Average.TYPICAL))
        noun = metrics.noun(self.metric)
        if course.average is Average.MEAN:
            return f"{mean} average {noun} ({SCORE_NAME}; {typical} typically)"
        return f"{typical} typical {noun} (geometric mean; {mean} on average)"

    def _describe_leader(self) -> str:
        course = self.course
        took = self._average_of_leader()
        on = f"on {counted(len(course.compared), 'problem')}"
        if len(course.left) > 1:
            return f"{self.leader} leads with {took} {on}."
        error = percent(1 - course.confidence)
        untested = (
            ". Whether its average is truly less is not tested"
            if course.average is Average.MEAN
            else ""
        )
        return (
            f"{self.leader} wins with {took} {on}: all others left. Of two combinations that are "
            f"typically equal, one leaves because of the other in at most {error} of "
            f"races{untested}."
        )

    def _describe_next(self) -> list[str]:
        """By how much the winner is better than the best of those that left."""
        course, leader = self.course, self.course.leader
        beaten = [combination for combination, exit_ in course.gone.items() if exit_.is_measured]
        if len(course.left) > 1 or not beaten:
            return []
        ratios = {combination: self._ratio(combination) for combination in beaten}
        nearest = min(beaten, key=ratios.__getitem__)
        shared = self._common_problems(nearest)
        costs, than = (course.costs[shared, one] for one in (nearest, leader))
        low, high = interval(costs, than, course.average, course.groups_of(shared))
        least = "at least " if course.capped[shared, nearest].any() else ""
        return [
            f"Next is {self.names[nearest]}, which takes {least}{factor(ratios[nearest])} times as "
            f"long {self._manner} on the {counted(len(shared), 'problem')} that it ran on (95 % "
            f"interval: {factor(low)} to {factor(high)})."
        ]

    @property
    def _manner(self) -> str:
        return "on average" if self.course.average is Average.MEAN else "typically"

    def _common_problems(self, combination: int) -> NDArray[np.intp]:
        """The problems that the leader and this combination were measured on."""
        costs = self.course.costs
        either = np.isnan(costs[:, combination]) | np.isnan(costs[:, self.course.leader or 0])
        return np.flatnonzero(~either)

    def _ratio(self, combination: int) -> float:
        """The average of a combination as a multiple of the leader's, on common problems."""
        course, shared = self.course, self._common_problems(combination)
        own, best = (
            course.average.of(course.costs[shared, e]) for e in (combination, course.leader)
        )
        return own / best if best else np.inf

    def _describe_close(self) -> list[str]:
        course, sentences = self.course, list[str]()
        others = [combination for combination in course.left if combination != course.leader]
        if not others or course.evidence < 2:
            return sentences
        slower = [c for c in others if course.ratio(c)[0] > 1]
        if equal := [combination for combination in others if combination not in slower]:
            sentences.append(f"No difference was found to {self._list_compared(equal)}.")
        if slower:
            sentences.append(
                f"It may be faster than {self._list_compared(slower)}; with all these comparisons, "
                "that is not certain."
            )
        if course.are_equivalent:
            sentences[-1] += f" They are all within {percent(course.margin)}."
        if not course.are_equivalent:
            sentences += self._describe_needed(others)
        return sentences

    def _list_compared(self, combinations: Sequence[int]) -> str:
        """The names, the first ones with the interval of their ratio to the leader."""
        compared = [self._compare_with_leader(c) for c in combinations[:MOST_NAMED]]
        return listed(compared + [self.names[c] for c in combinations[MOST_NAMED:]], MOST_NAMED)

    def _describe_needed(self, others: Sequence[int]) -> list[str]:
        """What would distinguish those that are left: their capped runs in full, or more problems,
        as a range.
        """
        course = self.course
        ahead = len(course.order) - len(course.seen) - len(course.dropped)
        if ahead > 0:
            return [f"The {counted(ahead, 'problem')} that the race did not reach may decide."]
        capped = int(course.capped[course.compared][:, others].sum())
        if capped:
            runs = f"{counted(capped, 'capped run')} of {'it' if len(others) == 1 else 'them'}"
            return [f"To decide, measure {runs} in full before more problems."]
        ranges = [self._needed_problems(combination) for combination in others]
        low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
        if math.isinf(low):
            return []
        count = course.evidence
        each_s = sum(self.spent_s[e] for e in course.left) / count
        units = [math.ceil(end) - count for end in (low, high) if end < _MOST_NEEDED * count]
        if not units:
            return [
                f"To find out would need over {_MOST_NEEDED} times as many {self._noun}s like "
                "these."
            ]
        times = " to ".join(dict.fromkeys(duration(number * each_s) for number in units))
        numbers = " to ".join(dict.fromkeys(map(str, units)))
        least = "" if len(units) == 2 else "at least "
        more = f"{least}{numbers} more {plural(max(units), self._noun)}"
        return [f"To find out would need {more} like these, in {times}."]

    def _compare_with_leader(self, combination: int) -> str:
        low, high = self.course.ratio(combination)
        least = "at least " if self.course.capped[self.course.compared, combination].any() else ""
        return f"{self.names[combination]} ({least}{factor(low)} to {factor(high)} times as long)"

    def _needed_problems(self, combination: int) -> tuple[float, float]:
        """The range of the number of units with which this combination would leave."""
        course, compared = self.course, self.course.compared
        costs, than = (course.costs[compared, e] for e in (combination, course.leader))
        statistic = standardised(costs, than, course.average, course.groups_of(compared))
        critical = NormalDist().inv_cdf(1 - course.level)
        return problems_for(statistic, critical, course.evidence)

    def _describe_exits(self) -> list[str]:
        course = self.course
        beaten = [
            c for c, exit_ in course.gone.items() if exit_.is_measured and not exit_.is_untested
        ]
        untested = [c for c, exit_ in course.gone.items() if exit_.is_untested]
        charged = [c for c, exit_ in course.gone.items() if exit_.never_begun]
        failed = [c for c, exit_ in course.gone.items() if not exit_.beaten]
        sentences = []
        if beaten:
            slower = "Typically slower than it"
            if course.average is Average.MEAN:
                slower += " and slower on average"
            sentences.append(f"{slower}, so they left: {self._list_exits(beaten)}.")
        if untested:
            sentences.append(
                "Left without a test, the worst first, since the budget did not suffice for all: "
                f"{self._list_exits(untested)}."
            )
        sentences += [
            f"{self.names[c]} left: on {counted(course.gone[c].never_begun, 'problem')}, it was "
            "stopped before it began to solve, so its solve time there is not known."
            for c in charged
        ]
        sentences += [f"{self.names[c]} left: {course.gone[c].why}." for c in failed]
        return sentences

    def _list_exits(self, combinations: Sequence[int]) -> str:
        """Who left after how many problems."""
        names: dict[int, list[str]] = {}
        for combination in combinations:
            problems = self.course.gone[combination].problems
            names.setdefault(problems, []).append(self.names[combination])
        return "; ".join(
            f"{listed(names_then, MOST_NAMED)} after {counted(problems, 'problem')}"
            for problems, names_then in sorted(names.items())
        )

    def _describe_dropped(self) -> list[str]:
        """The problems that were left out, and why."""
        reasons = list(self.course.dropped.values())
        more = len(reasons) - MOST_NAMED
        sentences = [f"Left out, for bad input: {why}." for why in reasons[:MOST_NAMED]]
        return sentences + (
            [f"{counted(more, 'more problem')} left out likewise."] if more > 0 else []
        )

    def _describe_cost(self) -> str:
        spent = sum(self.spent_s)
        is_known = 0 < spent < self.grid_s
        share = f", at most {percent(spent / self.grid_s)} of the whole grid" if is_known else ""
        how = "" if self.is_over else " It was stopped before its end: the same command goes on."
        verb = "was" if self.capped == 1 else "were"
        return (
            f"{counted(self.runs, 'run')}, of which {self.capped} {verb} capped, took "
            f"{seconds(spent)}{share}.{how}"
        )
