"""The interface of a backend."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

import numpy as np

from nqbench.components.component import Component
from nqbench.encodings.base import Encoding
from nqbench.errors import SolverError, UnavailableError
from nqbench.instances.cnf import CNF, Assignment
from nqbench.instances.csp import CSP
from nqbench.problems.base import Problem
from nqbench.vocabulary import Answer, Form, Task


@dataclass(frozen=True, slots=True)
class Counters:
    """The solver's own count of its work; None where it does not tell.

    `nodes` are the partial assignments that a search visits or, of a best-first search, expands,
    and the moves of a local search; `generated` the states that a best-first search makes;
    `checks` the constraints looked at, `backtracks` the values taken back.
    """

    conflicts: int | None = None
    decisions: int | None = None
    propagations: int | None = None
    restarts: int | None = None
    nodes: int | None = None
    generated: int | None = None
    checks: int | None = None
    backtracks: int | None = None


class StepKind(StrEnum):
    """What a search did."""

    PLACE = "place"
    TAKE_BACK = "take back"
    EXPAND = "expand"
    SOLUTION = "solution"


@dataclass(frozen=True, slots=True)
class Step:
    """What a search did, and the state that it left: the variables that are true, which are squares
    r*n + c + 1 with a queen, and those that may still become so.
    """

    kind: StepKind
    queens: tuple[int, ...]
    free: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a backend can do besides solving an instance once.

    `incremental`: clauses can be added after an answer. `enumeration`: it enumerates models by
    itself. `proof`: it writes DRAT proofs that check. `counters`: it tells its conflicts, decisions
    and the like. `steps`: it tells what it does while it searches. `complete`: it can tell that
    there is no solution.
    """

    incremental: bool = False
    enumeration: bool = False
    proof: bool = False
    counters: bool = False
    steps: bool = False
    complete: bool = True


def _missing(component: object, method: str) -> SolverError:
    """For a backend that declares a capability it does not implement."""
    return SolverError(f"{type(component).__name__} does not implement {method}()")


class Solver(ABC):
    """A solver that holds one instance."""

    @abstractmethod
    def solve(self) -> Answer:
        """Solve the instance: the solver's own call and nothing besides, since it is timed."""

    @abstractmethod
    def model(self) -> Assignment:
        """The values after `solve` returned sat, shape (model_size,)."""

    def add(self, clause: Sequence[int]) -> None:
        """Add one clause, so that `solve` can be asked again. Of a backend that is not incremental
        this is asked before the first `solve` only, and of one that takes no clauses never.
        """
        raise _missing(self, "add")

    def models(self) -> Iterator[Assignment]:
        """Every model once, by the solver's own enumeration. Only asked of a fresh solver whose
        backend has the capability `enumeration`.
        """
        raise _missing(self, "models")

    def steps(self) -> Iterator[Step]:
        """Search for all solutions, and tell each step. Only asked of a fresh solver whose backend
        has the capability `steps`. Not measured.
        """
        raise _missing(self, "steps")

    def counters(self) -> Counters:
        """The work done so far by all calls of `solve`, or by the steps told."""
        return Counters()


class Backend(Component, ABC):
    """Makes solvers. `takes` says of what: of clauses (`CNF`), as most do, of a `CSP`, or of a
    `Problem` as it is.
    """

    takes: ClassVar[Form] = Form.CNF
    """What `load` is given."""

    default_encoding: ClassVar[str | None] = None
    """The encoding to use if none of those asked for makes what this backend takes."""

    places_all_queens: ClassVar[bool] = False
    """Whether its models have n queens even where the encoding does not force it."""

    capabilities: Capabilities = Capabilities()
    """What this backend can do besides solving an instance once. Where it depends on the name, as
    on a parameter, it is an attribute of the instance.
    """

    @abstractmethod
    def load(self, instance: Any, /) -> Solver:
        """A solver that holds the instance and has not started to solve. A backend declares the
        type that it takes: `instance: CNF`, for example.
        """

    def accepts(self, encoding: Encoding) -> bool:
        """Whether this backend can solve what the encoding makes."""
        return encoding.makes is self.takes

    @property
    def solves_formulas(self) -> bool:
        """Whether it can be given any formula, and not only what encodings make of boards."""
        return self.takes is Form.CNF

    def can_do(self, task: Task) -> bool:
        """Whether the task can be asked of it: all solutions of one that takes clauses, since it
        can be asked again with one more, or that enumerates by itself.
        """
        return task is Task.FIRST or self.takes is Form.CNF or self.capabilities.enumeration

    @property
    def can_be_shuffled(self) -> bool:
        """Whether it is given clauses and nothing else, so that their variables can be renamed."""
        return self.takes is Form.CNF and not self.places_all_queens

    def prove(self, instance: Any, /) -> str:
        """Solve an unsatisfiable instance once more and return the proof, as DRAT text. Only asked
        of a backend that has the capability `proof`.
        """
        raise _missing(self, "prove")

    def probe(self) -> None:
        """Solve a board of one square, or two clauses; raises `UnavailableError` with the reason
        if that fails.
        """
        super().probe()
        solver = self.load(self._smallest())
        answer = solver.solve()
        if answer is not Answer.SAT or not solver.model().all():
            got = "a wrong model" if answer is Answer.SAT else repr(answer)
            raise UnavailableError(f"{self.version}: self-test failed: got {got}")

    def _smallest(self) -> Any:
        """An instance whose only model is true everywhere."""
        match self.takes:
            case Form.CNF:
                return CNF(2, 2, (np.array([[1]], np.int32), np.array([[-1, 2]], np.int32)))
            case Form.CSP:
                return CSP(np.ones((1, 1), np.bool_), np.zeros((0, 3), np.int32))
            case Form.PROBLEM:
                return Problem(1)
