"""Tests whether a solver that is loaded directly does the same as one loaded through its binding.

A library may change between two versions, and its functions with it. So each is tested on two small
formulas before it is used, in a separate process: a function that is not the expected one may
do anything.
"""

import itertools
import random
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import numpy as np

from nqbench import isolate
from nqbench.backends.direct import in_memory
from nqbench.clauses.cnf import CNF
from nqbench.common.limits import PatientLimits
from nqbench.common.vocabulary import Answer, Loading, Outcome

Facts = tuple[Answer, *tuple[Any, ...]]
"""The answer, and what else a solver reports: its model, counters, and the size of the formula."""

_LIMITS: Final = PatientLimits(time_s=10.0)


@cache
def passes(facts_of: Callable[..., Facts], *arguments: str) -> bool:
    """Whether `facts_of(cnf, loading, *arguments)`, which loads and solves a formula, returns the
    same for both ways of loading. False if nothing can be loaded directly.
    """
    if not in_memory.is_built():
        return False

    formulas = _formulas()

    def test() -> bytes:
        by = [[facts_of(cnf, loading, *arguments) for cnf in formulas] for loading in Loading]
        answers = [answer for answer, *_ in by[0]]
        return bytes([by[0] == by[1] and answers == [Answer.SAT, Answer.UNSAT]])

    ending = isolate.call(test, _LIMITS)
    return ending.outcome is Outcome.FINISHED and ending.payload == b"\1"


@cache
def _formulas() -> tuple[CNF, CNF]:
    """One with a model, and one without."""
    return _satisfiable(), _unsatisfiable()


def _satisfiable() -> CNF:
    """Clauses of one to four literals that a random assignment satisfies, but few others."""
    source = random.Random(1)
    model = [source.choice((-1, 1)) * variable for variable in range(1, 81)]
    blocks = []
    for width, clauses in ((3, 330), (4, 30), (2, 4), (1, 2)):
        rows = [source.sample(model, width) for _ in range(clauses)]
        literals = [
            [true, *(source.choice((-1, 1)) * literal for literal in rest)] for true, *rest in rows
        ]
        blocks.append(np.array(literals, np.int32))
    return CNF(len(model), 0, tuple(blocks))


def _unsatisfiable() -> CNF:
    """Five pigeons in four holes; variable 4p + h + 1 says that pigeon p is in hole h."""
    holes = np.arange(1, 21, dtype=np.int32).reshape(5, 4)
    pairs = np.array([-holes[list(two)] for two in itertools.combinations(range(5), 2)])
    return CNF(holes.size, 0, (holes, pairs.transpose(0, 2, 1).reshape(-1, 2).copy()))
