"""Names an auxiliary variable that the clauses of two rows share, as they do if each row counts its
auxiliary variables from the same number.

If no row has all variables that an auxiliary variable stands with, that shows it. If the two rows
have the same variables, or one those of the other, the order of the clauses is used: those of a row
come together. Where the numbers of a part of the clauses begin anew, its later clauses get
variables of their own. These are named only if the formula then allows the choice that it forbade,
and is still proved to allow no other than the rows do.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from nqbench.addons.certify.weighted_rows import WeightedDirections
from nqbench.checking.file_rows import FileRows
from nqbench.checking.proof import NotCheckedError
from nqbench.clauses.cnf import CNF, as_blocks
from nqbench.measure.implication.steps import Direction, State, Steps

Clauses = Sequence[Sequence[int]]

_MOST_CLAUSES: Final = 100_000
_MOST_CUTS: Final = 20


def shared_variable(formula: CNF, rows: FileRows, every: Direction, steps: Steps) -> str:
    """A sentence that names an auxiliary variable that two rows share; empty if none is found.
    `every` says which choice the formula forbids.
    """
    if named := next(_beside_several_rows(formula, rows), ""):
        return named
    if every.state is not State.REFUTED or every.witness is None:
        return ""
    choice = [literal for (literal,) in every.witness]
    try:
        return next(_by_order(formula, rows, choice, steps), "")
    except NotCheckedError:
        return ""


def _beside_several_rows(formula: CNF, rows: FileRows) -> Iterator[str]:
    """Yield a sentence for each auxiliary variable that stands with variables of several rows, none
    of which has all of these.
    """
    of_rows = _variables_of(rows)
    for auxiliary, main in sorted(_beside(formula.clauses(), rows.num_variables).items()):
        if any(main <= variables for variables in of_rows):
            continue
        first = max(range(len(of_rows)), key=lambda row: len(main & of_rows[row]), default=None)
        if first is None:
            continue
        left = main - of_rows[first]
        second = max(range(len(of_rows)), key=lambda row: len(left & of_rows[row]))
        yield _sentence(auxiliary, rows, first, second)


def _by_order(formula: CNF, rows: FileRows, choice: Sequence[int], steps: Steps) -> Iterator[str]:
    """Yield a sentence for each place in the order of the clauses from which variables of their own
    make the formula right.
    """
    n, of_rows = rows.num_variables, _variables_of(rows)
    if formula.num_clauses > _MOST_CLAUSES:
        return
    clauses = list(formula.clauses())
    for cut in _resets(clauses, n):
        before, after = (_beside(part, n) for part in (clauses[:cut], clauses[cut:]))
        shared = sorted(before.keys() & after.keys())
        own = {v: formula.num_variables + at for at, v in enumerate(shared, 1)}
        renamed = [[_renamed(x, own) for x in clause] for clause in clauses[cut:]]
        blocks = as_blocks([*clauses[:cut], *renamed])
        apart = replace(formula, num_variables=formula.num_variables + len(own), blocks=blocks)
        chosen = apart.with_clauses(np.array(choice, np.int32)[:, np.newaxis])
        if steps.find_model(chosen) is None:
            continue
        if WeightedDirections(apart, rows, steps).only_solutions().state is not State.PROVED:
            continue
        for auxiliary in shared:
            with_all = [
                [row for row, variables in enumerate(of_rows) if beside[auxiliary] <= variables]
                for beside in (before, after)
            ]
            first = next(iter(with_all[0]), None)
            second = next((row for row in with_all[1] if row != first), None)
            if first is not None and second is not None:
                yield _sentence(auxiliary, rows, first, second)


def _resets(clauses: Clauses, n: int) -> list[int]:
    """The places of clauses from which the numbers of auxiliary variables may begin anew: those
    that fall back the furthest behind the largest number so far.
    """
    falls, largest = [], n
    for place, clause in enumerate(clauses):
        own = [abs(x) for x in clause if abs(x) > n]
        if own:
            falls.append((largest - min(own), -place))
            largest = max(largest, *own)
    # The first clauses of a row may have none of its auxiliary variables, and belong to no side.
    return [-place for fall, place in sorted(falls, reverse=True)[:_MOST_CUTS] if fall >= 0]


def _renamed(literal: int, own: dict[int, int]) -> int:
    variable = own.get(abs(literal), abs(literal))
    return variable if literal > 0 else -variable


def _beside(clauses: Iterator[list[int]] | Clauses, n: int) -> dict[int, set[int]]:
    """For each variable beyond n, those up to n that occur in a clause with it."""
    beside: defaultdict[int, set[int]] = defaultdict(set)
    for clause in clauses:
        variables = {abs(literal) for literal in clause}
        main = {variable for variable in variables if variable <= n}
        for auxiliary in variables - main:
            beside[auxiliary] |= main
    return beside


def _variables_of(rows: FileRows) -> list[set[int]]:
    bounds = zip(rows.starts[:-1].tolist(), rows.starts[1:].tolist(), strict=True)
    return [set(np.abs(rows.literals[start:end]).tolist()) for start, end in bounds]


def _sentence(auxiliary: int, rows: FileRows, first: int, second: int) -> str:
    one, other = sorted((int(rows.lines[first]), int(rows.lines[second])))
    return (
        f"the auxiliary variable {auxiliary} is shared by the rows of lines {one} and {other}: "
        "number those of each row anew"
    )
