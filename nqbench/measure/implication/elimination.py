"""Finds functions for the auxiliary variables of a formula: by clauses that define them, and by
eliminating the others.

A variable whose value follows from known ones can be defined by the clauses that say so alone: F.
Slivovsky, "Interpolation-based semantic gate extraction and its applications to QBF preprocessing",
CAV 2020. Before that, literals that imply another literal of their clause are removed, which keeps
all models: M. Heule, M. Jarvisalo, A. Biere, "Efficient CNF simplification based on binary
implication graphs", SAT 2011.

M. Davis, H. Putnam, "A computing procedure for quantification theory", J. ACM 7, 1960. Resolving a
variable away keeps all models of the other variables. If these satisfy the resolvents, a value of
the variable that fits is: true if and only if one of the clauses that contained it has no other
true literal (N. Een, A. Biere, SAT 2005; J.-H. Jiang, CAV 2009, on Skolem functions). If all other
variables of these clauses are known already, no resolvents are needed to find that.
"""

import heapq
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Final

from nqbench.measure.implication.implications import Definition

Clause = frozenset[int]


def find_definitions(
    clauses: Iterable[Collection[int]],
    variables: Iterable[int],
    is_contradiction: Callable[[list[list[int]]], bool],
) -> tuple[list[Definition], list[Clause]]:
    """Definitions of the defined variables, in an order in which each depends on undefined ones and
    on earlier ones only; and a part of each clause, in the order of the clauses. All parts together
    have the models of the clauses.

    `is_contradiction` says whether clauses have no model.
    """
    undefined = set(variables)
    parts = list(_without_implied(list(map(frozenset, clauses)), undefined))
    containing = defaultdict(list)
    for clause in dict.fromkeys(parts):
        for literal in clause:
            containing[literal].append(clause)
    definitions: dict[int, Definition] = {}
    waiting = sorted(undefined)
    while waiting:
        variable = waiting.pop()
        if variable not in undefined:
            continue
        true, false = (
            [
                rest
                for clause in containing[literal]
                if undefined.isdisjoint(map(abs, rest := clause - {literal}))
            ]
            for literal in (variable, -variable)
        )
        if true and false and is_contradiction(list(map(sorted, [*true, *false]))):
            definitions[variable] = Definition(variable, tuple(map(tuple, true)))
            undefined.remove(variable)
            for clause in [*containing[variable], *containing[-variable]]:
                waiting += {abs(literal) for literal in clause} & undefined
    return list(definitions.values()), parts


def _without_implied(clauses: list[Clause], variables: Collection[int]) -> Iterator[Clause]:
    """The clauses, without literals of these variables that imply another one of the clause."""
    implied = _find_implied(clauses, variables)
    for clause in clauses:
        literals = set(clause)
        for literal in sorted(clause) if len(clause) > 2 else ():
            if not implied.get(literal, frozenset()).isdisjoint(literals - {literal}):
                literals.remove(literal)
        yield frozenset(literals)


def _find_implied(clauses: Iterable[Clause], variables: Collection[int]) -> Mapping[int, Clause]:
    """What literals of these variables imply by clauses of two of them, one after the other."""
    allowed = set(variables)
    next_ones: defaultdict[int, set[int]] = defaultdict(set)
    for clause in clauses:
        if len(clause) == 2 and allowed.issuperset(map(abs, clause)):
            one, other = clause
            next_ones[-one].add(other)
            next_ones[-other].add(one)
    implied = {}
    for literal in list(next_ones):
        reached: set[int] = set()
        waiting = [literal]
        while waiting:
            fresh = next_ones.get(waiting.pop(), set()) - reached
            reached |= fresh
            waiting += fresh
        implied[literal] = frozenset(reached)
    return implied


MOST_RESOLVENTS: Final = 5_000_000
"""The largest number of resolvents that are looked at."""


class TooLarge(Exception):  # noqa: N818 - a result, not an error
    """The elimination would look at more than `MOST_RESOLVENTS` resolvents."""


def definitions(clauses: Iterable[Collection[int]], variables: Iterable[int]) -> list[Definition]:
    """Definitions of these variables in terms of the others and of those defined before.

    They make all clauses true wherever any values of these variables do. Raises `TooLarge`.
    """
    return _Elimination(clauses, variables).run()


def define(
    clauses: Iterable[Collection[int]],
    variables: Collection[int],
    is_contradiction: Callable[[list[list[int]]], bool],
) -> tuple[list[Definition], list[Clause]]:
    """Definitions of all these variables, and parts of the clauses: see `find_definitions`. What
    that does not define is eliminated. Raises `TooLarge`.
    """
    found, parts = find_definitions(clauses, variables, is_contradiction)
    known = {abs(definition.literal) for definition in found}
    left = [variable for variable in variables if variable not in known]
    return [*found, *definitions(dict.fromkeys(parts), left)], parts


class _Elimination:
    """The clauses that still contain a variable to eliminate, none of which subsumes another."""

    def __init__(self, clauses: Iterable[Collection[int]], variables: Iterable[int]) -> None:
        self._left = set(variables)
        self._clauses: dict[int, Clause] = {}
        self._with: defaultdict[int, set[int]] = defaultdict(set)
        self._added = self._resolvents = 0
        self._changed: set[int] = set()
        for clause in sorted(map(frozenset, clauses), key=len):
            self._add(clause)

    def run(self) -> list[Definition]:
        """Define what needs no elimination; eliminate the others, those with the fewest resolvents
        first.
        """
        forced = self._define_forced()
        definitions = []
        waiting = [(self._cost(variable), variable) for variable in self._left]
        heapq.heapify(waiting)
        while waiting:
            cost, variable = heapq.heappop(waiting)
            if variable not in self._left:
                continue
            # Costs change while a variable waits: it goes back with the one of now.
            if cost != self._cost(variable):
                heapq.heappush(waiting, (self._cost(variable), variable))
                continue
            definitions.append(self._eliminate(variable))
            for changed in self._changed & self._left:
                heapq.heappush(waiting, (self._cost(changed), changed))
            self._changed.clear()
        return forced + definitions[::-1]

    def _define_forced(self) -> list[Definition]:
        """Define each variable that has a literal whose clauses have no other variable that is not
        defined yet. Where none of these clauses needs the literal, its being false harms none.

        Of variables that share clauses, directly or through others, all are defined here or none:
        with some of them known, the others would have more resolvents.
        """
        definitions = {}
        every = frozenset(self._left)
        waiting = sorted(every)
        while waiting:
            variable = waiting.pop()
            for literal in (variable, -variable) if variable in self._left else ():
                clauses = [self._clauses[at] - {literal} for at in self._with[literal]]
                if all(abs(other) not in self._left for clause in clauses for other in clause):
                    definitions[variable] = Definition(literal, tuple(map(tuple, clauses)))
                    self._left.remove(variable)
                    waiting += self._neighbours(variable) & self._left
                    break
        waiting = list(self._left)
        while waiting:
            back = self._neighbours(waiting.pop()) & every - self._left
            self._left |= back
            waiting += back
        return [
            definition for variable, definition in definitions.items() if variable not in self._left
        ]

    def _neighbours(self, variable: int) -> set[int]:
        """The variables of all clauses that contain this one."""
        clauses = (self._clauses[at] for at in self._with[variable] | self._with[-variable])
        return {abs(literal) for clause in clauses for literal in clause}

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
        # Every clause that this one subsumes has its rarest literal, too.
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
