"""Finds auxiliary variables whose values follow from variables that are known, clause by clause.

Such a variable can be defined by these clauses alone: F. Slivovsky, "Interpolation-based semantic
gate extraction and its applications to QBF preprocessing", CAV 2020. Before that, literals that
imply another literal of their clause are removed, which keeps all models: M. Heule, M. Jarvisalo,
A. Biere, "Efficient CNF simplification based on binary implication graphs", SAT 2011.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

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
