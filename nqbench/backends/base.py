"""The interface of a backend."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nqbench.cnf import CNF, Assignment
from nqbench.component import Component
from nqbench.errors import UnavailableError
from nqbench.vocabulary import Answer


@dataclass(frozen=True, slots=True)
class Counters:
    """The solver's own count of its work; None where it does not tell."""

    conflicts: int | None = None
    decisions: int | None = None
    propagations: int | None = None
    restarts: int | None = None


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a backend can do besides solving a formula once.

    `incremental`: clauses can be added after an answer. `assumptions`: an answer can be asked for
    under literals taken as true. `enumeration`: it enumerates models by itself. `interrupt`:
    another thread can stop it. `proof`: it writes DRAT proofs that check. `counters`: it tells its
    conflicts, decisions and the like.
    """

    incremental: bool = False
    assumptions: bool = False
    enumeration: bool = False
    interrupt: bool = False
    proof: bool = False
    counters: bool = False


class Solver(ABC):
    """A solver that holds one formula."""

    @abstractmethod
    def solve(self) -> Answer:
        """Solve the formula: the solver's own call and nothing besides, since it is timed."""

    @abstractmethod
    def model(self) -> Assignment:
        """The values after `solve` returned sat, shape (num_variables,)."""

    @abstractmethod
    def add(self, clause: Sequence[int]) -> None:
        """Add one clause, so that `solve` can be asked again. Of a backend that is not incremental
        this is asked before the first `solve` only.
        """

    def counters(self) -> Counters:
        """The work done by all calls of `solve` so far."""
        return Counters()


class Backend(Component, ABC):
    """Makes solvers."""

    @property
    @abstractmethod
    def capabilities(self) -> Capabilities:
        """What this backend can do besides solving a formula once."""

    @abstractmethod
    def load(self, cnf: CNF) -> Solver:
        """A solver that holds the clauses of the formula and has not started to solve."""

    def probe(self) -> None:
        """Solve two clauses; raises `UnavailableError` with the reason if that fails."""
        super().probe()
        cnf = CNF(2, 2, (np.array([[1]], np.int32), np.array([[-1, 2]], np.int32)))
        solver = self.load(cnf)
        status = solver.solve()
        if status is not Answer.SAT or not solver.model().all():
            raise UnavailableError(f"{self.version} answers the probe (1) and (-1 or 2) wrongly")
