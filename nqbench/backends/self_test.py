"""Tests whether a solver that is loaded directly does the same as one loaded through its binding.

A library may change between two versions, and its functions with it. So each is tested on two small
formulas before it is used, in a process of its own: a function that is not what it was taken for
may do anything.
"""

import itertools
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import numpy as np

from nqbench import isolate
from nqbench.backends import direct
from nqbench.instances.cnf import CNF
from nqbench.limits import Limits
from nqbench.vocabulary import Answer, Loading, Outcome

Facts = tuple[Answer, *tuple[Any, ...]]
"""The answer, and what else a solver tells: its model, counters, and the size of the formula."""

_LIMITS: Final = Limits(time_s=10.0)


@cache
def passes(told: Callable[..., Facts], *arguments: str) -> bool:
    """Whether `told(cnf, loading, *arguments)`, which loads and solves a formula, gives the same
    facts for both ways of loading. False if nothing can be loaded directly.
    """
    if not direct.is_built():
        return False

    def test() -> bytes:
        formulas = _satisfiable(), _unsatisfiable()
        by = [[told(cnf, loading, *arguments) for cnf in formulas] for loading in Loading]
        answers = [answer for answer, *_ in by[0]]
        return bytes([by[0] == by[1] and answers == [Answer.SAT, Answer.UNSAT]])

    ending = isolate.call(test, _LIMITS)
    return ending.outcome is Outcome.FINISHED and ending.payload == b"\1"


def _satisfiable() -> CNF:
    """Clauses of one to four literals that a random assignment satisfies, but few others."""
    source = np.random.default_rng(1)
    model = source.choice([-1, 1], 120)
    blocks = []
    for width, clauses in ((3, 500), (4, 40), (2, 6), (1, 2)):
        variables = np.argsort(source.random((clauses, model.size)), axis=1)[:, :width]
        signs = source.choice([-1, 1], variables.shape)
        signs[:, 0] = model[variables[:, 0]]
        blocks.append(((variables + 1) * signs).astype(np.int32))
    return CNF(model.size, 0, tuple(blocks))


def _unsatisfiable() -> CNF:
    """Six pigeons in five holes; variable 5p + h + 1 says that pigeon p is in hole h."""
    holes = np.arange(1, 31, dtype=np.int32).reshape(6, 5)
    pairs = np.array([-holes[list(two)] for two in itertools.combinations(range(6), 2)])
    return CNF(holes.size, 0, (holes, pairs.transpose(0, 2, 1).reshape(-1, 2).copy()))
