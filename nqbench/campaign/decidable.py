"""What the problems of a plan can decide about its combinations: before anything is measured, and
more exactly when it is known how much the ratios of their times spread.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from statistics import fmean, median, stdev
from typing import Final

from nqbench.common.vocabulary import Answer, Outcome
from nqbench.problems.base import Problem
from nqbench.problems.queens import Queens
from nqbench.records.record import Record, Run
from nqbench.records.runs import Runs

ENOUGH: Final = 20
"""Problems that two combinations have to solve before the spread of their ratios says anything."""

_MOST: Final = 3
"""Families of which each gets a sentence."""

_MORE: Final = 1.2
"""By which factor the measured times have to become more before their spread is looked at again."""

_Combination = tuple[str, str]
_Problem = tuple[str, int | None]


@dataclass(slots=True)
class _Family:
    """The problems and combinations of a family, and the times that were measured so far."""

    problems: int
    combinations: int
    noun: str
    choose: str
    times_s: dict[_Combination, dict[_Problem, list[float]]] = field(default_factory=dict)
    capped: set[_Combination] = field(default_factory=set)
    _next_look: float = ENOUGH
    _is_refined: bool = False

    def sentence(self, spread: float = 1.0) -> str:
        """What so many problems can find."""
        from nqbench.summary.power import can_find

        return can_find(
            self.problems, self.combinations, self.noun, spread=spread, choose=self.choose
        )

    def refine(self, record: Record) -> str:
        """The same once more if this record shows how much the ratios spread; otherwise empty."""
        combination = record.encoding, record.backend
        if record.outcome is Outcome.CAPPED:
            self.capped.add(combination)
        if self._is_refined or not _is_solved(record):
            return ""
        from nqbench.summary.evidence import LEAST_S

        of_combination = self.times_s.setdefault(combination, {})
        time_s = max(record.solve_s or 0.0, LEAST_S)
        of_combination.setdefault((record.instance, record.n), []).append(time_s)
        known = sum(map(len, self.times_s.values()))
        if known < self._next_look:
            return ""
        self._next_look = _MORE * known
        spread = self._spread()
        self._is_refined = spread > 0
        if not spread:
            return ""
        return (
            f"times vary {'more' if spread > 1 else 'less'} than assumed, their logarithms by "
            f"{spread:.2g} and not by 1: {self.sentence(spread)}"
        )

    def _spread(self) -> float:
        """The standard deviation of the logarithms of the ratios of two combinations, of the median
        pair; 0 until half of the pairs have solved `ENOUGH` problems. Without the runs that a race
        stopped, the ratios of a combination would be too alike.
        """
        in_full = [times for pair, times in self.times_s.items() if pair not in self.capped]
        of_pairs = []
        for one, other in combinations(in_full, 2):
            both = one.keys() & other.keys()
            if len(both) >= ENOUGH:
                of_pairs.append(stdev(math.log(fmean(one[p]) / fmean(other[p])) for p in both))
        is_known = 2 * len(of_pairs) >= math.comb(self.combinations, 2)
        return median(of_pairs) if is_known else 0.0


def _is_solved(record: Record) -> bool:
    return record.outcome is Outcome.FINISHED and record.answer in (Answer.SAT, Answer.UNSAT)


class Forecast:
    """What the problems of these runs can find, for each family in a sentence or two; nothing about
    one combination, and about one problem whose shuffles or seeds are compared.
    """

    def __init__(self, runs: Sequence[Run]) -> None:
        planned = Runs.of(runs)
        problems_of: dict[str, list[Problem]] = {}
        for problem in planned.problems:
            problems_of.setdefault(problem.family, []).append(problem)
        self._families: dict[str, _Family] = {}
        for name, problems in problems_of.items():
            pairs = {(r.encoding, r.backend) for r in planned.kinds if r.problem.family == name}
            if len(pairs) < 2:
                continue
            from nqbench.summary.power import option_to_choose
            from nqbench.summary.shuffles import FEWEST as FEWEST_SHUFFLES

            if len(problems) == 1:
                own = planned.of_problems(lambda problem: problem.family) == name
                if planned.repeat[own].max() + 1 >= FEWEST_SHUFFLES:
                    continue
            noun = "formula" if not any(problem.has_rules for problem in problems) else "problem"
            noun = "board" if all(isinstance(problem, Queens) for problem in problems) else noun
            self._families[name] = _Family(len(problems), len(pairs), noun, option_to_choose(pairs))

    def sentences(self) -> Iterator[str]:
        """What can be found if ratios spread as usual."""
        for name, family in list(self._families.items())[:_MOST]:
            yield self._named(name, family.sentence())

    def refine(self, record: Record) -> Iterator[str]:
        """The same with the spread that was measured, once: when there are enough records. This is
        the next one.
        """
        family = self._families.get(record.family)
        if family and (sentence := family.refine(record)):
            yield self._named(record.family, sentence)

    def _named(self, name: str, sentence: str) -> str:
        return sentence if len(self._families) == 1 else f"{name}: {sentence}"
