"""The course of a race: which runs are needed next, and which combinations leave.

Problems come in random order. On each, the leader is measured first and every other combination
after it, and a run is stopped at a multiple of the best so far on that problem, or of the leader's
run if the typical cost decides: it is *capped*, and its cost is only known to be larger. A leader
must have no capped run: they are measured in full, until another one leads or there is none.

Within a budget, the worst also leave without a test if the time does not suffice for all: at most
half of the combinations each time that an equal part of the budget is used (successive halving: K.
Jamieson and A. Talwalkar, AISTATS 2016). Nobody is called worse because of it, and the second best
never leaves by it.

After 8, 16, 32, ... problems, and after the last, combinations leave that are worse than the leader
with confidence (see `racing.evidence`). To look several times would find differences that are none,
so the error is divided by the number of looks, and by two since either of two equal combinations
may look worse. Looking after each doubling, and not after each problem, also keeps few problems
from deciding when a few others are much harder.

The ideas are those of F-race and irace (M. López-Ibáñez et al., Operations Research Perspectives 3,
2016: leaving after blocks of problems) and of adaptive capping (F. Hutter et al., Journal of
Artificial Intelligence Research 36, 2009). It differs in that capped runs are lower bounds.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nqbench.addons.race.evidence import fewest_units, interval, share_within, slower_on, worse
from nqbench.addons.race.rules import Average, Costs, Groups
from nqbench.common.units import counted, factor
from nqbench.summary.bounded import CAP, looks
from nqbench.summary.evidence import LEAST_S

FAR: Final = 2.0
"""Within a budget, a run is stopped when its combination has taken so many times as long as the
leader on all problems.
"""

FIRST_DROP: Final = 5
"""Problems before a combination leaves without a test."""

LIFTED: Final = 0.25
"""After the last problem, capped runs are measured again for this part of the time so far. That
decides only what can be said of those that are left: the leader has no capped runs.
"""

_LEAST: Final = 0.01
"""Half of the least cap that is worth another run."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A combination to measure on a problem, both by number; `in_full` without a cap, or with one
    that is raised to `cap`.
    """

    combination: int
    problem: int
    in_full: bool = False
    cap: float = 0.0


@dataclass(frozen=True, slots=True)
class Exit:
    """Why a combination left, and after how many problems. `beaten`: it was worse, or did not begin
    what decides on so many problems as `never_begun` says, and shows nothing without them.
    `is_untested`: it left to save time.
    """

    why: str
    problems: int
    beaten: bool = False
    never_begun: int = 0
    is_untested: bool = False

    @property
    def is_measured(self) -> bool:
        """Whether it was worse in what was measured."""
        return self.beaten and not self.never_begun


@dataclass
class Course:
    """The state of a race between `combinations` on `problems`, both numbered from 0, in this
    order of problems.

    `confidence` is the probability that a combination that equals another one does not leave
    because of it. The race also ends when all that are left are within `margin` of the leader.
    `used` returns the used share of a budget, if there is one. With `groups`, tests and intervals
    are of groups of problems; averages are still over problems.
    """

    combinations: int
    order: Sequence[int]
    average: Average
    confidence: float
    margin: float
    random: np.random.Generator
    used: Callable[[], float] | None = None
    groups: Groups | None = None
    seen: list[int] = field(default_factory=list)
    gone: dict[int, Exit] = field(default_factory=dict)
    dropped: dict[int, str] = field(default_factory=dict)
    leader: int | None = None
    are_equivalent: bool = False

    def __post_init__(self) -> None:
        shape = (len(self.order), self.combinations)
        self.costs = np.full(shape, np.nan)
        self.capped = np.zeros(shape, np.bool_)
        self._shown = np.full(shape, np.nan)
        self._best = np.full(len(self.order), np.inf)
        self._rank = self.random.permutation(self.combinations).tolist()

    @property
    def left(self) -> list[int]:
        """The combinations that have not left, the best first."""
        return [combination for combination in self._rank if combination not in self.gone]

    @property
    def compared(self) -> NDArray[np.intp]:
        """The problems that all combinations that are left were measured on."""
        problems: NDArray[np.intp] = np.array(self.seen, dtype=np.intp)
        is_known: NDArray[np.bool_] = ~np.isnan(self.costs[problems][:, self.left]).any(axis=1)
        return problems[is_known]

    def cap(self, ask: Ask) -> float:
        """The cost at which to stop this run; infinity if it is measured in full."""
        if ask.in_full:
            return np.inf
        cap = max(ask.cap, CAP * self._reference(ask.problem))
        return max(cap, self._cap_of_total(ask)) if self.used else cap

    def _reference(self, problem: int) -> float:
        """The cost of which a multiple is the cap on a problem. If the typical cost decides, it is
        that of the leader: a bound that is a multiple of less would hide its advantage.
        """
        if self.average is Average.TYPICAL and self.leader is not None:
            cost = float(self.costs[problem, self.leader])
            if not np.isnan(cost) and not self.capped[problem, self.leader]:
                return cost
        return float(self._best[problem])

    def _cap_of_total(self, ask: Ask) -> float:
        """The cost at which this run would put its combination far behind on all problems so far. A
        multiple of the best on one problem would not: it may be small by luck, and whoever it stops
        then looks better than the leader, and has to be measured again.
        """
        if self.average is Average.TYPICAL or self.leader is None:
            return 0.0
        earlier = self.compared[self.compared != ask.problem]
        own, best = (self.costs[earlier, c].sum() for c in (ask.combination, self.leader))
        best += np.nan_to_num(self.costs[ask.problem, self.leader])
        # On a problem that is much harder than the others, all would take the time of the race.
        longest = self._best[earlier].max(initial=0.0)
        return float(min(FAR * best - own, FAR * longest))

    def note_cost(
        self, ask: Ask, cost: float, *, is_bound: bool = False, measured_cost: float | None = None
    ) -> None:
        """Note the cost of a run, or a lower bound of the cost of a capped run. What is
        above `measured_cost` is charged to a run that did not even begin.
        """
        at = ask.problem, ask.combination
        self.costs[at], self.capped[at] = cost, is_bound
        self._shown[at] = cost if measured_cost is None else measured_cost
        if not is_bound:
            self._best[ask.problem] = min(self._best[ask.problem], cost)

    def disqualify(self, combination: int, why: str) -> None:
        """Have a combination leave, whatever its costs are."""
        self.gone.setdefault(combination, Exit(why, len(self.seen)))

    def drop(self, problem: int, why: str) -> None:
        """Leave out a problem that no combination can be measured on, whatever was noted."""
        if problem not in self.dropped:
            self.dropped[problem] = why
            self.seen.remove(problem)
            self.costs[problem], self.capped[problem] = np.nan, False

    def groups_of(self, problems: NDArray[np.intp]) -> Groups | None:
        """The groups of these problems, if groups are the units of evidence."""
        return None if self.groups is None else self.groups[problems]

    def of(self, combination: int) -> float:
        """The average cost of a combination on the problems that are compared: a lower bound if it
        has capped runs.
        """
        return self.average.of(self.costs[self.compared, combination])

    def batches(self) -> Iterator[list[Ask]]:
        """Yield runs that may be measured at the same time. Each has to be noted, or its
        combination disqualified, or its problem dropped, before the next ones are asked for.
        """
        for number, problem in enumerate(self.order, 1):
            # The best so far goes first, since its cost caps all others on this problem.
            first, *others = self.left
            self.seen.append(problem)
            yield [Ask(first, problem, in_full=self.leader is not None)]
            if problem not in self.dropped:
                yield [Ask(other, problem) for other in others if other not in self.gone]
            yield from self._settle_leader()
            self._drop_worst()
            if number in self.looks and self.compared.size:
                self._look_for_exits()
            if len(self.left) <= 1 or self.are_equivalent:
                return
        yield from self._lift_caps()

    def _lift_caps(self) -> Iterator[list[Ask]]:
        """After the last problem, measure capped runs again up to twice their bounds, until their
        combinations leave or this has cost a part of all before: those of the nearest to the
        leader first, and the longest first, more each time. To look at the same problems again is
        no further chance to err, since nothing looks worse by its bounds than by its costs.
        """
        left_cost, count = LIFTED * float(np.nansum(self.costs)), 1
        while len(self.left) > 1 and not self.are_equivalent and self.compared.size:
            asks = list[Ask]()
            for ask in self._raised_runs():
                if len(asks) == count or ask.cap > left_cost:
                    break
                left_cost -= ask.cap
                asks.append(ask)
            if not asks:
                return
            yield asks
            yield from self._settle_leader()
            self._look_for_exits()
            count *= 2

    def _raised_runs(self) -> Iterator[Ask]:
        """The capped runs of those that are left, with higher caps."""
        compared = self.compared
        for combination in self.left:
            if combination == self.leader:
                continue
            capped = compared[self.capped[compared, combination]]
            for problem in capped[np.argsort(-self.costs[capped, combination])].tolist():
                least = max(
                    self.costs[problem, combination], CAP * self._reference(problem), _LEAST
                )
                yield Ask(combination, problem, cap=2 * float(least))

    def _settle_leader(self) -> Iterator[list[Ask]]:
        """Measure the capped runs of whoever leads in full, until the leader has none."""
        while (combinations := self.left) and (compared := self.compared).size:
            averages = {
                combination: self.average.of(self.costs[compared, combination])
                for combination in combinations
            }
            self._rank = sorted(combinations, key=averages.__getitem__)
            self.leader = leader = self._rank[0]
            capped = compared[self.capped[compared, leader]]
            if not capped.size:
                return
            longest = capped[self.costs[capped, leader].argmax()]
            yield [Ask(leader, int(longest), in_full=True)]

    @property
    def evidence(self) -> int:
        """The number of units of evidence: problems that are compared, or their groups."""
        compared = self.compared
        return len(compared if self.groups is None else np.unique(self.groups[compared]))

    @property
    def looks(self) -> list[int]:
        """The numbers of problems after which combinations may leave."""
        return looks(len(self.order))

    @property
    def level(self) -> float:
        """The p-value of one look at which a combination leaves."""
        return (1 - self.confidence) / (2 * len(self.looks))

    def p_values(self, combinations: Sequence[int]) -> Costs:
        """The p-values that these combinations are not worse than the leader."""
        return self._p_values(self.costs[self.compared][:, combinations])

    def _p_values(self, costs: Costs) -> Costs:
        compared = self.compared
        than = self.costs[compared, self.leader]
        return worse(costs, than, self.average, self.groups_of(compared))

    @property
    def fewest_groups(self) -> int:
        """The least number of groups that can show that a combination is worse."""
        return fewest_units(self.level)

    def _look_for_exits(self) -> None:
        if self.groups is not None and self.evidence < self.fewest_groups:
            return  # intervals of few groups are too narrow, too
        others = [combination for combination in self.left if combination != self.leader]
        for combination, p in zip(others, self.p_values(others), strict=True):
            if exit_ := self._exit(combination, p):
                self.gone[combination] = exit_
        others = [combination for combination in others if combination not in self.gone]
        self.are_equivalent = bool(others) and all(map(self._is_equivalent, others))

    def _drop_worst(self) -> None:
        """Have the worst leave if the budget does not suffice for all that are left, except the
        second best: somebody has to be shown to be worse.
        """
        compared = self.compared
        if not self.used or compared.size < FIRST_DROP:
            return
        used, ahead = self.used(), len(self.order) - len(self.seen) - len(self.dropped)
        part = self.costs[compared][:, self.left].sum() / max(float(np.nansum(self.costs)), _LEAST)
        if used * (1 + part * ahead / len(compared)) <= 1:
            return
        halvings = int(used * math.log2(self.combinations))
        for combination in self.left[max(2, math.ceil(self.combinations / 2**halvings)) :]:
            ratio = self.of(combination) / max(self.of(self.leader or 0), _LEAST)
            why = f"no time, at {factor(ratio)} times as long"
            self.gone[combination] = Exit(why, len(self.seen), beaten=True, is_untested=True)

    def _exit(self, combination: int, p: float) -> Exit | None:
        """The exit of a combination that is worse than the leader by this p-value, or that never
        began what decides while the leader did; None if it stays.
        """
        compared = self.compared
        costs, measured = self.costs[compared, combination], self._shown[compared, combination]
        has_not_begun = (measured < costs) | (measured == 0)
        never = bool(has_not_begun.all()) and bool(self._shown[compared, self.leader].any())
        if not never and p > self.level:
            return None
        if never or self._p_values(measured[:, np.newaxis])[0] > self.level:
            number = int(has_not_begun.sum())
            why = f"not begun on {counted(number, 'problem')}"
            return Exit(why, len(self.seen), beaten=True, never_begun=number)
        return Exit(self.advantage(combination), len(self.seen), beaten=True)

    def advantage(self, combination: int) -> str:
        """On how many problems a combination is slower than the leader; and how many times its mean
        is, if that decides, too.
        """
        compared = self.compared
        costs, than = (self.costs[compared, one] for one in (combination, self.leader))
        typically = f"typically slower, on {slower_on(costs, than)} of {len(compared)}"
        if self.average is Average.TYPICAL:
            return typically
        least = "at least " if self.capped[compared, combination].any() else ""
        ratio = self.average.of(costs) / max(self.average.of(than), LEAST_S)
        return f"{typically}, and {least}{factor(ratio)} times on average"

    def _is_equivalent(self, combination: int) -> bool:
        if self.capped[self.compared, combination].any():
            return False
        return self.ratio(combination)[1] <= 1 + self.margin

    def ratio(self, combination: int) -> tuple[float, float]:
        """The interval of the average of a combination, as a multiple of that of the leader."""
        compared = self.compared
        costs, than = (self.costs[compared, one] for one in (combination, self.leader))
        return interval(costs, than, self.average, self.groups_of(compared), self.confidence)

    def stability(self) -> float:
        """The share of resamples of the units in which the leader is within the margin of the best
        that is left.
        """
        compared = self.compared
        return share_within(
            self.costs[compared][:, self.left],
            self.left.index(self.leader or 0),
            self.average,
            self.margin,
            self.groups_of(compared),
        )
