"""A proof that a re-encoded formula follows from its original, as the first part of a DRAT proof.

After these steps, a checker that began with the original has the clauses of the new formula, and
continues with a solver's proof. So the whole shows that the original has no model.

1. The pairs of each constraint with auxiliary variables, by propagation.
2. For each auxiliary variable of the scheme, its definition: of the literals of a constraint, one
   or none is true. So the variable, or its negation, is true exactly if one of some literals is.
   Which, is read from a model of the scheme for each literal. The first clause with a new variable
   is a RAT on it, and so are all of its definition.
3. Lemmas: a clause of the scheme is true whichever literal is. For each literal for which that does
   not follow by propagation, "if this literal, then the clause" does.
4. The clauses of the scheme.
5. What the new formula does not have is deleted: a step of the solver may be a RAT, and depends on
   all clauses that there are.

None of this is trusted. The checker checks it like the rest of the proof.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.cnf import CNF, Block, CNFBuilder
from nqbench.clauses.rewriting import AtMostOne
from nqbench.clauses.rewriting.rewrite import Reencoded, replaced_in
from nqbench.clauses.stamp import stamped
from nqbench.common.errors import InputError

_SOLVER: Final = "glucose4"


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """Clauses that are added, or deleted."""

    adds: bool
    clauses: Block


def derivation(reencoded: Reencoded) -> Iterator[Step]:
    """Yield the steps from the source of a re-encoded formula to its clauses. Raises `InputError`
    if the scheme has no model for one of the literals of a constraint.
    """
    helping: list[Block] = []
    for constraint in reencoded.replaced:
        if constraint.auxiliary:
            helping.append(-np.array(list(combinations(constraint.literals, 2)), np.int32))
            yield Step(adds=True, clauses=helping[-1])
    for literals in reencoded.required:
        yield Step(adds=True, clauses=np.array([literals], np.int32))
    for application in reencoded.stamped:
        for block in stamped(_explain(application.template), application.items, application.fresh):
            helping.append(block)
            yield Step(adds=True, clauses=block)
        for block in stamped(application.template, application.items, application.fresh):
            yield Step(adds=True, clauses=block)
    for block in (*_dropped_clauses(reencoded.source, reencoded.replaced), *helping):
        yield Step(adds=False, clauses=block)


def write_drat(steps: Iterable[Step], *, binary: bool) -> Iterator[bytes]:
    """The steps as DRAT, in text or in the binary format, piece by piece."""
    for step in steps:
        for clause in step.clauses.tolist():
            if binary:
                yield (b"a" if step.adds else b"d") + b"".join(map(_bytes, clause)) + b"\0"
            else:
                yield f"{'' if step.adds else 'd '}{' '.join(map(str, clause))} 0\n".encode()


def _bytes(literal: int) -> bytes:
    """Seven bits a byte, the lowest first; all but the last byte have the highest bit set."""
    number, encoded = 2 * abs(literal) + (literal < 0), bytearray()
    while number > 127:
        encoded.append(number & 127 | 128)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def _dropped_clauses(source: CNF, replaced: list[AtMostOne]) -> Iterator[Block]:
    """The clauses that the new formula does not have; but for those of one literal, since checkers
    keep these, and the variables are in no other clause any more.
    """
    formula = source.by_width()
    for block, is_dropped in zip(formula.blocks, replaced_in(formula, replaced), strict=True):
        if block.shape[1] > 1:
            yield block[is_dropped]


def _explain(template: CNF) -> CNF:
    """Definitions of the auxiliary variables, and lemmas from which each clause follows by
    propagation, for the literals 1..k of which at most one is true.
    """
    from pysat.solvers import Solver

    k = template.num_main
    explained = CNFBuilder(k)
    explained.fresh(template.num_variables - k)
    if template.num_variables == k:
        return explained.build()  # the clauses are pairs
    literals = range(1, k + 1)
    by_literal = _values(template)
    for number, values in enumerate(by_literal.T, k + 1):
        # The last value is that for none of the literals.
        literal = -number if values[-1] else number
        members = [v for v in literals if values[v - 1] != values[-1]]
        for v in members:
            explained.add([[literal, -v]])
        explained.add([[-literal, *members]])
    pairs = ([-a, -b] for a, b in combinations(literals, 2))
    definitions = explained.build().clauses()
    with Solver(_SOLVER, bootstrap_with=[*pairs, *definitions]) as solver:
        for clause in template.clauses():
            is_possible, implied = solver.propagate([-literal for literal in clause])
            if is_possible:
                for v in set(literals).difference(map(abs, implied), map(abs, clause)):
                    explained.add([[-v, *clause]])
    return explained.build()


def _values(template: CNF) -> NDArray[np.bool_]:
    """The values of the auxiliary variables if literal 1..k is true, and if none is, shape
    (k + 1, auxiliary).
    """
    from pysat.solvers import Solver

    k = template.num_main
    values = []
    with Solver(_SOLVER, bootstrap_with=list(template.clauses())) as solver:
        for true in (*range(1, k + 1), 0):
            if not solver.solve(assumptions=[v if v == true else -v for v in range(1, k + 1)]):
                raise InputError(f"the scheme has no model for literal {true} of {k}")
            values.append(solver.get_model()[k:])
    return np.array(values) > 0
