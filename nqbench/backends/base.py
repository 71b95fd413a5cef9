"""The interface of a backend."""

from __future__ import annotations

import shlex
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, Final, Protocol, Self

from nqbench.backends.snippet import BestSnippet, Snippet
from nqbench.common.errors import SolverError, UnavailableError
from nqbench.common.machine import builds
from nqbench.common.machine.builds import Build
from nqbench.common.metrics import Counters
from nqbench.common.vocabulary import Answer, Form, Loading, Task
from nqbench.encodings.base import Encoding
from nqbench.plugins import install
from nqbench.plugins.component import Component
from nqbench.plugins.loading import BACKENDS
from nqbench.plugins.parameters import Choice
from nqbench.problems.base import Problem
from nqbench.problems.queens import Queens

if TYPE_CHECKING:
    from nqbench.clauses.cnf import Assignment, Block

PHASE: Final = Choice("default", ("default", "false", "true"))
"""The value that decisions try first for a variable; by default the solver's own choice."""


class StepKind(StrEnum):
    """What a search did."""

    PLACE = "place"
    TAKE_BACK = "take back"
    EXPAND = "expand"
    SOLUTION = "solution"


@dataclass(frozen=True, slots=True)
class Step:
    """What a search did, and the state after it: the variables of the options that are chosen, and
    of those that may still be.
    """

    kind: StepKind
    chosen: tuple[int, ...]
    free: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a backend can do besides solving an instance once.

    `incremental`: clauses can be added after an answer. `enumeration`: it has its own enumeration
    of models. `proof`: it writes DRAT proofs that pass the check. `lrat`: it writes LRAT as well.
    `row_proofs`: it writes proofs about rows, in VeriPB's format.
    `counters`: it reports conflicts, decisions and the like. `steps`: it reports the steps of its
    search. `complete`: it can answer that there is no solution. `at_most_k`: besides what it
    takes, it takes clauses with at-most-k constraints, for any k. `optimises`: it finds a model
    with the least objective. `assumptions`: it can be asked under assumptions, and clauses and
    variables can be added after an answer; `testing` has a check. `work_limits`: the counters at
    which it can stop, such as conflicts.
    """

    incremental: bool = False
    enumeration: bool = False
    proof: bool = False
    lrat: bool = False
    row_proofs: bool = False
    counters: bool = False
    steps: bool = False
    complete: bool = True
    at_most_k: bool = False
    optimises: bool = False
    assumptions: bool = False
    work_limits: tuple[str, ...] = ()


def _missing(component: object, method: str) -> SolverError:
    """The error of a backend that declares a capability it does not implement."""
    return SolverError(f"{type(component).__name__} does not implement {method}()")


class Listener(Protocol):
    """Hears what a solver finds before it ends, so that it is kept if the solver is stopped."""

    def hear_model(self, model: Assignment) -> None:
        """Hear of a model, shape (model_size,). It need not be better than those before it."""

    def hear_bound(self, bound: float) -> None:
        """Hear that no model has a lower `clauses.linear.linear_objective`."""


class Solver(ABC):
    """A solver that holds one instance."""

    loading: Loading | None = None
    """How its clauses were loaded; None if it is not a library that is called in this process."""

    @abstractmethod
    def solve(self) -> Answer:
        """Solve the instance. Make only the solver's own call, since this is timed."""

    def limit(self, work: Mapping[str, int]) -> None:
        """Stop when a counter reaches its limit, counted over all calls of `solve`, which then
        return `unknown`. Called at most once, before the first `solve`, with counters that the
        backend has in its capability `work_limits`.
        """
        raise _missing(self, "limit")

    def show_output(self) -> None:  # noqa: B027 - most solvers have nothing to do
        """Write what the solver prints to standard output at once. Called at most once, before the
        first `solve`, if the run's output is wanted. Libraries usually print there anyway.
        """

    def report_to(self, listener: Listener) -> None:  # noqa: B027 - some find one model only
        """Report each better model and bound when it is found. Called at most once, before the
        first `solve`, if the instance has an objective.
        """

    @abstractmethod
    def model(self) -> Assignment:
        """The values after `solve` returned sat, shape (model_size,)."""

    def add(self, clause: Sequence[int]) -> None:
        """Add one clause, after which `solve` is called again. Called only before the first `solve`
        if the backend is not incremental, and never if it does not take clauses.
        """
        raise _missing(self, "add")

    def add_all(self, clauses: Block) -> None:
        """Add clauses of one width, shape (clauses, width)."""
        for clause in clauses.tolist():
            self.add(clause)

    def assume(self, literals: Sequence[int]) -> None:
        """Let these literals be true in the next `solve`, and in no later one. Called only if the
        backend has the capability `assumptions`.
        """
        raise _missing(self, "assume")

    def core(self) -> Sequence[int]:
        """After unsat, assumptions that are enough for that answer; by default a solver has to say
        which. Called only if the backend has the capability `assumptions`.
        """
        raise _missing(self, "core")

    def models(self) -> Iterator[Assignment]:
        """Yield every model once, by the solver's own enumeration. Called only on a fresh solver
        whose backend has the capability `enumeration`.
        """
        raise _missing(self, "models")

    def steps(self) -> Iterator[Step]:
        """Search for all solutions and yield each step. Called only on a fresh solver whose backend
        has the capability `steps`. Not measured.
        """
        raise _missing(self, "steps")

    @property
    def note(self) -> str:
        """What the record of the last `solve` should say about it, in words; empty if nothing."""
        return ""

    def counters(self) -> Counters:
        """The work done so far by all calls of `solve`, or by the steps yielded."""
        return Counters()


class Backend(Component, ABC):
    """Makes solvers. `takes` says of what: of clauses, which the defaults are for, of a CSP, of a
    cover, or of an unencoded board.
    """

    group: ClassVar[str] = BACKENDS

    takes: ClassVar[Form] = Form.CNF
    """The kind of instance that `load` takes."""

    takes_bounds: ClassVar[bool] = False
    """Whether the items of a cover that it takes may have bounds."""

    takes_weights: bool = False
    """Whether the constraints that it takes, a cover or `cnf+`, may have rows with weights."""

    largest_sum: int | None = None
    """What the weights of a row or an objective add up to at most; None if any will do."""

    default_encoding: ClassVar[str | None] = None
    """The encoding to use if no requested encoding makes what this backend takes."""

    needs_path: bool = False
    """Whether this name is incomplete, as `exe` is: a path has to follow, as in `exe:PATH`."""

    knows_lazy_clauses: ClassVar[bool] = False
    """Whether its models satisfy the encoding's `lazy_clauses` by themselves."""

    is_bound_by_proof: ClassVar[bool] = True
    """Whether a wrong proof refutes its answer. If not, the answer is checked otherwise."""

    capabilities: Capabilities = Capabilities()
    """What this backend can do besides solving an instance once. If it depends on a parameter, set
    it on the object in `__init__`.
    """

    @property
    def only_for(self) -> type[Problem]:
        """The kind of problems that it solves, even if the encoding is for others too."""
        return Problem

    @property
    def binaries(self) -> list[Path]:
        """The files with the solver's machine code. By default, those of `modules` that are
        compiled; a solver behind a module in Python has to name its library.
        """
        return [path for module in self.modules if (path := install.compiled(module))]

    @cached_property
    def builds(self) -> list[Build]:
        """What is known of the `binaries`."""
        return builds.of(self.binaries)

    @abstractmethod
    def load(self, instance: Any, /) -> Solver:
        """Return a solver that holds the instance and has not started to solve. A backend declares
        the type that it takes, such as `instance: CNF`. One with the capability `optimises` also
        gets `Constraints` with an objective, if a best model is asked for: then `sat` means that no
        model has a lower value.
        """

    def accepts(self, encoding: Encoding) -> bool:
        """Whether this backend can solve what the encoding makes."""
        if encoding.makes is Form.CNF_PLUS and self.capabilities.at_most_k:
            return True
        return encoding.makes is self.takes

    def can_do(self, task: Task) -> bool:
        """Whether it can do the task. For all solutions it has to take clauses, so that each
        solution can be excluded with one more clause, or have its own enumeration. For the best k
        it has to take clauses after an answer, and for the best objective of a file to optimise.
        """
        match task:
            case Task.FIRST:
                return True
            case Task.ALL:
                return self._takes_clauses or self.capabilities.enumeration
            case Task.BEST:
                return self.tightens or self.capabilities.optimises

    @property
    def tightens(self) -> bool:
        """Whether it takes clauses after an answer, as the search for the best k needs."""
        return self._takes_clauses and self.capabilities.incremental

    @property
    def phase(self) -> bool | None:
        """The value that decisions try first, from the parameter `PHASE`; None for its default."""
        value = self.values.get("phase", PHASE.default)
        return None if value == PHASE.default else value == "true"

    def why_not_limited(self, counter: str) -> str | None:
        """Why it cannot stop at a number of these, such as conflicts; None if it can."""
        if counter in self.capabilities.work_limits:
            return None
        return f"backend '{self.name}' has no limit of {counter}"

    @property
    def varies_with_seed(self) -> bool:
        """Whether another seed alone gives another search. If not, its seed decides little unless
        other parameters are set, or it has none.
        """
        return "seed" in self.parameters

    def with_seed(self, seed: int) -> Self:
        """The same backend with another seed. Called only if it has the parameter `seed`."""
        return type(self)(f"{self.name}:seed={seed}")

    @property
    def can_be_shuffled(self) -> bool:
        """Whether it uses nothing but the clauses, so that their variables can be renamed."""
        return self._takes_clauses and not self.knows_lazy_clauses

    @property
    def _takes_clauses(self) -> bool:
        return self.takes in {Form.CNF, Form.CNF_PLUS}

    def prove(self, instance: Any, proof: BinaryIO, /) -> None:
        """Solve an unsatisfiable instance once more and write the proof to this file, in the format
        DRAT, as text or binary. Called only if the backend has the capability `proof`.
        """
        raise _missing(self, "prove")

    def prove_with_hints(self, instance: Any, proof: BinaryIO, /) -> None:
        """The same in binary LRAT. Raises `UnavailableError` first if that is impossible here."""
        raise _missing(self, "prove_with_hints")

    def prove_about_rows(self, opb: bytes, proof: BinaryIO, /) -> None:
        """Write a proof in VeriPB's format about the rows of an OPB file: that no values meet them,
        or none with a better objective than one that the proof states. Row r of the file, from 1,
        is row r of the proof. Called only if the backend has the capability `row_proofs`.
        """
        raise _missing(self, "prove_about_rows")

    def snippet(self, form: Form) -> Snippet | None:
        """Python that solves a file of this form as `load` and `solve` do, with the library alone;
        None, the default, if only nqbench can call the solver so.
        """
        return None

    def best_snippet(self) -> BestSnippet | None:
        """Python that finds the best value of an objective as `load` and `solve` do; None, the
        default, if only nqbench can call the solver so.
        """
        return None

    def command(self, file: str) -> list[str]:
        """The words of a shell command that solves a file as it was measured; empty if the solver
        is not a program.
        """
        return []

    def how_to_install(self, version: str | None) -> str:
        """The shell command that installs what a record's `version` names, in another environment;
        empty if that is unknown.
        """
        parts = (version or self.distribution).split(", ")
        known = [part.split()[:2] for part in parts if part.split()[0] in self.distributions]
        line = shlex.join(["pip", "install", *map("==".join, known)]) if known else ""
        flags = f"CPPFLAGS={shlex.quote(self.toolchain.flags)} " if self.toolchain and line else ""
        return flags + line

    def probe(self) -> None:
        """Solve two clauses, or the smallest problem. Raises `UnavailableError` with the reason if
        that fails.
        """
        super().probe()
        solver = self.load(self.smallest())
        answer = solver.solve()
        if answer is not Answer.SAT or not solver.model().all():
            got = "a wrong model" if answer is Answer.SAT else repr(str(answer))
            raise UnavailableError(f"{self.version}: self-test failed: got {got}")

    def smallest(self) -> Any:
        """An instance whose only model makes every variable true."""
        import numpy as np  # not for the help of a command, which names backends only

        from nqbench.clauses.cnf import CNF
        from nqbench.clauses.constraints import Constraints
        from nqbench.clauses.csp import CSP
        from nqbench.clauses.rows import Rows

        match self.takes:
            case Form.CNF:
                return CNF(2, 2, (np.array([[1]], np.int32), np.array([[-1, 2]], np.int32)))
            case Form.CNF_PLUS:
                return Constraints(CNF(1, 1, (np.ones((1, 1), np.int32),)))
            case Form.CSP:
                return CSP(np.ones((1, 1), np.bool_), np.zeros((0, 3), np.int32))
            case Form.COVER:
                return Constraints.of(1, Rows.exactly(np.ones((1, 1), np.int32), 1))
            case Form.PROBLEM:
                return Queens(1)
