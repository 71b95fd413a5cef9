"""Divides a formula into parts that share no auxiliary variables, as the clauses of different rows
do. The formula has a model with some values of the first variables if and only if each part has.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from nqbench.clauses.cnf import CNF, as_blocks

Clause = Sequence[int]


@dataclass(frozen=True, slots=True)
class Part:
    """Clauses, and their variables: the main ones, which other parts may have, and the others."""

    clauses: list[Clause]
    main: list[int]
    auxiliaries: list[int]

    def renumbered(self) -> CNF:
        """The clauses, with the main variables as 1..m in their order, and the others after."""
        number = {v: at for at, v in enumerate((*self.main, *self.auxiliaries), start=1)}
        clauses = [
            [number[abs(x)] * (1 if x > 0 else -1) for x in clause] for clause in self.clauses
        ]
        return CNF(len(number), len(self.main), as_blocks(clauses))


def parts_of(formula: CNF, num_main: int, groups: Iterable[Collection[int]]) -> list[Part]:
    """The parts of a formula. Clauses of its main variables alone, 1..`num_main`, are divided by
    the first of these groups of variables that has all of theirs.
    """
    parent = list(range(formula.num_variables + 1))

    def root(variable: int) -> int:
        while parent[variable] != variable:
            parent[variable] = variable = parent[parent[variable]]
        return variable

    clauses = list(formula.clauses())
    for clause in clauses:
        auxiliaries = [abs(literal) for literal in clause if abs(literal) > num_main]
        for variable in auxiliaries[1:]:
            parent[root(variable)] = root(auxiliaries[0])
    group_of = _Groups(groups)
    by_part: defaultdict[tuple[bool, int], list[Clause]] = defaultdict(list)
    for clause in clauses:
        auxiliary = next((abs(x) for x in clause if abs(x) > num_main), 0)
        key = (True, root(auxiliary)) if auxiliary else (False, group_of(set(map(abs, clause))))
        by_part[key].append(clause)
    return [_part(some, num_main) for some in by_part.values()]


class _Groups:
    """Finds groups by their variables."""

    def __init__(self, groups: Iterable[Collection[int]]) -> None:
        self._with: defaultdict[int, list[int]] = defaultdict(list)
        for number, group in enumerate(groups):
            for variable in group:
                self._with[variable].append(number)

    def __call__(self, variables: Collection[int]) -> int:
        """The number of the first group that has all of these, -1 without one."""
        common = [set(self._with[variable]) for variable in variables]
        return min(set.intersection(*common), default=-1) if common else -1


def _part(clauses: list[Clause], num_main: int) -> Part:
    variables = sorted({abs(literal) for clause in clauses for literal in clause})
    main = [variable for variable in variables if variable <= num_main]
    return Part(clauses, main, variables[len(main) :])
