"""Chronological backtracking on a CSP, optionally with forward checking and dynamic order.

S. Golomb, L. Baumert, "Backtrack programming", Journal of the ACM 12, 1965; forward checking and
the order by remaining values: R. Haralick, G. Elliott, "Increasing tree search efficiency for
constraint satisfaction problems", Artificial Intelligence 14, 1980.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cache
from typing import NamedTuple

import numpy as np

from nqbench.backends.base import Backend, Capabilities, Solver, Step, StepKind
from nqbench.clauses.cnf import Assignment
from nqbench.clauses.csp import CSP
from nqbench.common.metrics import Counters
from nqbench.common.vocabulary import Answer, Form
from nqbench.plugins.parameters import Choice

Excludes = Mapping[int, Set[int]]
"""The values of one variable that each value of another excludes."""


class _AtDistance(dict[int, Set[int]]):
    """The values at a distance from a value, found when first asked for."""

    def __init__(self, distance: int) -> None:
        self._distance = distance

    def __missing__(self, value: int) -> Set[int]:
        excluded = self[value] = frozenset((value - self._distance, value + self._distance))
        return excluded


def _group_excluded(pairs: Iterable[tuple[int, int]]) -> Excludes:
    """For each first value, the second values that the pairs exclude."""
    excluded: defaultdict[int, set[int]] = defaultdict(set)
    for value, other in pairs:
        excluded[value].add(other)
    return excluded


class _Neighbour(NamedTuple):
    """A variable that a constraint relates to this one."""

    variable: int
    excluded_by: Excludes
    """The values of this variable that a value of the neighbour excludes."""
    excludes: Excludes
    """The values of the neighbour that a value of this variable excludes."""


def _neighbours(csp: CSP) -> list[list[_Neighbour]]:
    """The neighbours of each variable, one for each constraint."""
    neighbours: list[list[_Neighbour]] = [[] for _ in csp.domains]
    at_distance = cache(_AtDistance)

    def relate(i: int, j: int, by_i: Excludes, by_j: Excludes) -> None:
        neighbours[i].append(_Neighbour(j, by_j, by_i))
        neighbours[j].append(_Neighbour(i, by_i, by_j))

    for i, j, distance in csp.constraints.tolist():
        relate(i, j, at_distance(distance), at_distance(distance))
    for i, j, pairs in csp.tables():
        relate(i, j, _group_excluded(pairs), _group_excluded((b, a) for a, b in pairs))
    return neighbours


class Backtracking(Backend):
    """Tries values in ascending order: plain, or as in `backtracking:forward=on:order=mrv`.

    `forward=on` removes values that a new one rules out from unassigned variables. `order=mrv`
    continues with the variable that has the fewest values left (minimum remaining values), and with
    the first of several. A check tests one constraint: with an assigned variable, or with
    `forward=on` with an unassigned one. All excluded values of two variables are one constraint.
    """

    takes = Form.CSP
    default_encoding = "csp"
    parameters = {
        "forward": Choice("off", ("off", "on")),
        "order": Choice("static", ("static", "mrv")),
    }
    capabilities = Capabilities(enumeration=True, counters=True, steps=True)

    def load(self, csp: CSP) -> Solver:
        search = _ForwardChecking if self.values["forward"] == "on" else _Backtracking
        return search(csp, mrv=self.values["order"] == "mrv")


class _Backtracking(Solver):
    """A value is kept if it breaks no constraint with the values before it."""

    def __init__(self, csp: CSP, mrv: bool) -> None:
        self._csp = csp
        self._mrv = mrv
        self._domains: list[list[int]] = [np.flatnonzero(row).tolist() for row in csp.domains]
        self._neighbours = _neighbours(csp)
        self._values: dict[int, int] = {}
        self._nodes = self._checks = self._backtracks = 0

    def solve(self) -> Answer:
        return Answer.UNSAT if next(self._solutions(), None) is None else Answer.SAT

    def model(self) -> Assignment:
        return self._csp.assignment(np.array([self._values[v] for v in range(len(self._values))]))

    def models(self) -> Iterator[Assignment]:
        for _ in self._solutions():
            yield self.model()

    def steps(self) -> Iterator[Step]:
        for kind in self._search():
            queens = [self._square(row, value) for row, value in self._values.items()]
            free = [
                self._square(row, value)
                for row in range(len(self._domains))
                if row not in self._values
                for value in self._still_possible(row)
            ]
            yield Step(kind, tuple(sorted(queens)), tuple(free))

    def counters(self) -> Counters:
        return Counters(nodes=self._nodes, checks=self._checks, backtracks=self._backtracks)

    def _solutions(self) -> Iterator[StepKind]:
        return (kind for kind in self._search() if kind is StepKind.SOLUTION)

    def _search(self) -> Iterator[StepKind]:
        """Search depth first, and yield the kind of each step: a variable got a value, or has none
        left to try, or all variables have one.

        The path is a list of generators instead of nested calls, so it may have any length.
        """
        self._values.clear()
        if not all(self._domains):
            return
        path = [self._try_values(self._next_variable())]
        while path:
            if next(path[-1], None) is None:
                path.pop()
                yield StepKind.TAKE_BACK
            elif len(path) < len(self._domains):
                path.append(self._try_values(self._next_variable()))
                yield StepKind.PLACE
            else:
                yield StepKind.SOLUTION

    def _next_variable(self) -> int:
        if not self._mrv:
            return len(self._values)
        unassigned = (v for v in range(len(self._domains)) if v not in self._values)
        return min(unassigned, key=self._count_remaining)

    def _try_values(self, variable: int) -> Iterator[int]:
        """Assign each consistent value to the variable, and take it back afterwards."""
        before = self._excluded_values(variable)
        for value in self._domains[variable]:
            self._nodes += 1
            if self._is_consistent(value, before):
                self._values[variable] = value
                yield value
                del self._values[variable]
                self._backtracks += 1

    def _excluded_values(self, variable: int) -> list[Set[int]]:
        """The values that this variable must not have, for each constraint with an assigned one."""
        values = self._values
        return [by[values[v]] for v, by, _ in self._neighbours[variable] if v in values]

    def _is_consistent(self, value: int, before: list[Set[int]]) -> bool:
        for excluded in before:
            self._checks += 1
            if value in excluded:
                return False
        return True

    def _count_remaining(self, variable: int) -> int:
        before = self._excluded_values(variable)
        return sum(self._is_consistent(value, before) for value in self._domains[variable])

    def _still_possible(self, variable: int) -> list[int]:
        """The values that break no constraint so far. These checks are for display, not counted."""
        before = self._excluded_values(variable)
        return [
            value
            for value in self._domains[variable]
            if not any(value in excluded for excluded in before)
        ]

    def _square(self, variable: int, value: int) -> int:
        """The model variable for this value of the variable; on a board, the square."""
        return variable * int(self._csp.domains.shape[1]) + value + 1


class _ForwardChecking(_Backtracking):
    """A value is kept if it leaves every unassigned variable a value."""

    def _search(self) -> Iterator[StepKind]:
        self._remaining = [set(domain) for domain in self._domains]
        return super()._search()

    def _try_values(self, variable: int) -> Iterator[int]:
        # Ascending, as without forward checking; sets have no order.
        for value in sorted(self._remaining[variable]):
            self._nodes += 1
            self._values[variable] = value
            removed: list[tuple[int, set[int]]] = []
            if self._look_ahead(variable, value, removed):
                yield value
                self._backtracks += 1
            del self._values[variable]
            for other, values in removed:
                self._remaining[other] |= values

    def _look_ahead(self, variable: int, value: int, removed: list[tuple[int, set[int]]]) -> bool:
        """Remove what the value rules out, and add it to `removed`. Returns False as soon as a
        variable has no value left.
        """
        for other, _, excludes in self._neighbours[variable]:
            if other in self._values:
                continue
            self._checks += 1
            remaining = self._remaining[other]
            if ruled_out := remaining & excludes[value]:
                removed.append((other, ruled_out))
                remaining -= ruled_out
                if not remaining:
                    return False
        return True

    def _count_remaining(self, variable: int) -> int:
        return len(self._remaining[variable])

    def _still_possible(self, variable: int) -> list[int]:
        return sorted(self._remaining[variable])
