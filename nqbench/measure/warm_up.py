"""Does a run many times in the fork server, so that its workers copy fewer pages.

Python adapts code when it is first executed, by writing into it. In a worker, the kernel has to
copy each page to which that happens. What the server has executed is adapted already.
"""

from typing import Final

import numpy as np

from nqbench.backends.base import Backend, Solver
from nqbench.clauses.cnf import CNF, Assignment, no_clauses
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Answer, Task
from nqbench.encodings.pairwise import Pairwise
from nqbench.measure.worker import answer
from nqbench.problems.queens import Queens
from nqbench.records.record import Run

_TIMES: Final = 16
"""As often as Python 3.11 to 3.14 need to adapt code, and some more."""

_RUN: Final = Run(
    problem=Queens(1),
    encoding="pairwise",
    encoding_version=None,
    backend="satisfied",
    backend_version=None,
    limits=Limits(),
    seed=0,
    task=Task.FIRST,
    repeat=0,
    machine="",
    harness="",
)


class _Satisfied(Backend, Solver):
    """Makes all variables true, which solves the smallest board."""

    def load(self, cnf: CNF) -> Solver:
        self.size = cnf.num_variables
        return self

    def solve(self) -> Answer:
        return Answer.SAT

    def model(self) -> Assignment:
        return np.ones(self.size, np.bool_)


def warm_up() -> None:
    """Execute what a worker does with a run, except for the calls of a real solver."""
    encoding, backend = Pairwise(_RUN.encoding), _Satisfied(_RUN.backend)
    instance = encoding.encode(_RUN.problem)
    for _ in range(_TIMES):
        answer(_RUN, encoding, backend, instance, no_clauses())
