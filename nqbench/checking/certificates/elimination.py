"""Finds functions for the auxiliary variables of a formula, by eliminating them.

M. Davis, H. Putnam, "A computing procedure for quantification theory", J. ACM 7, 1960. Resolving a
variable away keeps all models of the other variables. If these satisfy the resolvents, a value of
the variable that fits is: true if and only if one of the clauses that contained it has no other
true literal (N. Een, A. Biere, SAT 2005; J.-H. Jiang, CAV 2009, on Skolem functions).
"""

import heapq
from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from nqbench.checking.certificates.implications import Definition

Clause = frozenset[int]

MOST_RESOLVENTS: Final = 5_000_000
"""The largest number of resolvents that are looked at."""


class TooLarge(Exception):  # noqa: N818 - a result, not an error
    """The elimination would look at more than `MOST_RESOLVENTS` resolvents."""


def definitions(clauses: Iterable[list[int]], variables: Iterable[int]) -> list[Definition]:
    """Definitions of these variables in terms of the others and of those defined before.

    They make all clauses true wherever any values of these variables do. Raises `TooLarge`.
    """
    return _Elimination(clauses, variables).run()


class _Elimination:
    """The clauses that still contain a variable to eliminate, none of which subsumes another."""

    def __init__(self, clauses: Iterable[list[int]], variables: Iterable[int]) -> None:
        self._left = set(variables)
        self._clauses: dict[int, Clause] = {}
        self._with: defaultdict[int, set[int]] = defaultdict(set)
        self._added = self._resolvents = 0
        self._changed: set[int] = set()
        for clause in sorted(map(frozenset, clauses), key=len):
            self._add(clause)

    def run(self) -> list[Definition]:
        """Eliminate all variables, those with the fewest resolvents first."""
        found = []
        waiting = [(self._cost(variable), variable) for variable in self._left]
        heapq.heapify(waiting)
        while waiting:
            cost, variable = heapq.heappop(waiting)
            if variable not in self._left:
                continue
            if cost != self._cost(variable):
                heapq.heappush(waiting, (self._cost(variable), variable))
                continue
            found.append(self._eliminate(variable))
            for changed in self._changed & self._left:
                heapq.heappush(waiting, (self._cost(changed), changed))
            self._changed.clear()
        return found[::-1]

    def _cost(self, variable: int) -> int:
        """How many clauses its elimination adds at most."""
        true, false = len(self._with[variable]), len(self._with[-variable])
        return true * false - true - false

    def _eliminate(self, variable: int) -> Definition:
        self._left.remove(variable)
        true = [self._clauses[at] - {variable} for at in self._with[variable]]
        false = [self._clauses[at] - {-variable} for at in self._with[-variable]]
        self._resolvents += len(true) * len(false)
        if self._resolvents > MOST_RESOLVENTS:
            raise TooLarge
        for at in [*self._with[variable], *self._with[-variable]]:
            self._remove(at)
        for one in true:
            for other in false:
                self._add(one | other)
        if len(true) <= len(false):
            return Definition(variable, tuple(map(tuple, true)))
        return Definition(-variable, tuple(map(tuple, false)))

    def _add(self, clause: Clause) -> None:
        if not any(abs(literal) in self._left for literal in clause) or _is_tautology(clause):
            return
        if self._is_subsumed(clause):
            return
        rarest = min(clause, key=lambda literal: len(self._with[literal]))
        for at in [at for at in self._with[rarest] if clause < self._clauses[at]]:
            self._remove(at)
        self._clauses[self._added] = clause
        for literal in clause:
            self._with[literal].add(self._added)
            self._changed.add(abs(literal))
        self._added += 1

    def _is_subsumed(self, clause: Clause) -> bool:
        return any(self._clauses[at] <= clause for literal in clause for at in self._with[literal])

    def _remove(self, at: int) -> None:
        for literal in self._clauses.pop(at):
            self._with[literal].remove(at)
            self._changed.add(abs(literal))


def _is_tautology(clause: Clause) -> bool:
    return any(-literal in clause for literal in clause)
