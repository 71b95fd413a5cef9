"""Asks a backend for solutions, one after the other, and times each phase."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from typing import Final

import numpy as np

from nqbench.backends.base import Backend, Solver
from nqbench.clauses.cnf import CNF, Assignment, Block, no_clauses
from nqbench.clauses.constraints import Constraints, Formula, Literals
from nqbench.clauses.rows import Objective
from nqbench.common.errors import (
    REFUSALS,
    InputError,
    RefusedError,
    SolverError,
    TooManyClausesError,
    UnavailableError,
)
from nqbench.common.metrics import Counters
from nqbench.common.vocabulary import Answer, Loading, Task
from nqbench.encodings.base import Encoding, decoded
from nqbench.isolate.shared_memory import Incumbent, Incumbents
from nqbench.measure.shuffle import Shuffled
from nqbench.measure.timing import PhaseTime
from nqbench.problems.base import Problem
from nqbench.problems.clausal import Clausal
from nqbench.problems.instances import Instance, model_size
from nqbench.problems.options import Solution

_LARGEST_BOUND: Final = 2.0**53
"""Solvers state bounds as floating-point numbers, which are not exact beyond this."""

_BOUND_TOLERANCE: Final = 1e-6

_COUNTERS: Final = tuple(field.name for field in fields(Counters))


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A model and its solution."""

    model: Assignment
    solution: Solution


@dataclass(slots=True)
class Search:
    """One backend on one instance of a problem.

    `lazy` are the encoding's lazy clauses. With `shuffle`, the solver gets what it returns instead,
    and models are translated back. `work` has the limits of the solver's counters, and with
    `shows_output` the solver shows what it prints. `answer` is the solver's last answer, `rejected`
    the number of its models that break one of the lazy clauses. A model of the wrong size is
    returned unchanged, without a solution, and ends the search; the check refutes it later.

    `counted` are the variables of which each choice of values is found once; by default the main
    variables. The backend gets the `objective` to minimise, if there is one. Without it, any model
    will do, also of constraints that have one. The better models that it finds before it ends are
    kept as `incumbents`, if these are given.
    """

    problem: Problem
    encoding: Encoding
    backend: Backend
    instance: Instance
    lazy: Block = field(default_factory=no_clauses)
    shuffle: Callable[[Formula], Shuffled] | None = None
    work: Mapping[str, int] = field(default_factory=dict)
    shows_output: bool = False
    counted: Literals | None = None
    objective: Objective | None = None
    incumbents: Incumbents | None = None
    answer: Answer = Answer.UNKNOWN
    rejected: int = 0
    load: PhaseTime = field(default_factory=PhaseTime)
    solve: PhaseTime = field(default_factory=PhaseTime)
    decode: PhaseTime = field(default_factory=PhaseTime)
    shuffling: PhaseTime = field(default_factory=PhaseTime)
    _shuffled: Shuffled | None = None
    _solver: Solver | None = None
    _before: Counters = field(default_factory=Counters)
    _excluded: list[Sequence[int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        if isinstance(self.instance, Constraints):
            self.instance = replace(self.instance, objective=self.objective)
        elif isinstance(self.instance, CNF) and self.objective is not None:
            self.instance = Constraints(self.instance, objective=self.objective)
        self._shuffle()

    def first(self) -> Found | None:
        """Return a solution, or None if the solver finds none."""
        return next(self._ask_repeatedly(), None)

    def all(self) -> Iterator[Found]:
        """Yield every solution once.

        Each is excluded by a clause on its main variables, so that all encodings are treated
        alike. The backend's own enumeration is used only if it cannot take another clause after an
        answer. Raises `UnavailableError` if the backend can do neither.
        """
        if not self.backend.can_do(Task.ALL):
            raise UnavailableError(f"{self.backend.name} cannot enumerate solutions")
        return self._enumerated() if self._enumerates_by_itself() else self._ask_repeatedly()

    def best(self, better_than: Callable[[Problem], Problem | None]) -> Iterator[Found]:
        """Yield a solution of the problem, then of the one `better_than` it, until there is none or
        no better problem. `problem` is always the one that was asked for last.

        The solver keeps what it has learned, and gets only the clauses that are new. It is loaded
        again if a formula has other variables.
        """
        solver = self.load_solver()
        while (found := self._ask_solver(solver)) is not None:
            yield found
            with self.load:
                next_problem = better_than(self.problem)
            if next_problem is None or found.model.shape != (model_size(self.instance),):
                return  # the check refutes a broken model
            solver = self._tighten(next_problem)

    def counters(self) -> Counters:
        """The solver's count of its work so far, over all calls, even if each needed a solver that
        was loaded again. Raises `SolverError` if it is not valid.
        """
        with self.decode:
            counters = self._solver.counters() if self._solver else Counters()
        if not isinstance(counters, Counters):
            raise SolverError(f"counters() returned {counters!r}: expected Counters")
        for name in _COUNTERS:
            value = getattr(counters, name)
            if not isinstance(value, int | None) or (value or 0) < 0:
                raise SolverError(f"counters() returned {name}={value!r}: expected an int or None")
        return _sum(self._before, counters)

    @property
    def loading(self) -> Loading | None:
        """How the clauses entered the solver, if it reports that."""
        return self._solver.loading if self._solver else None

    @property
    def note(self) -> str:
        """What the solver has to say for the record."""
        return self._solver.note if self._solver else ""

    @property
    def _is_lazy(self) -> bool:
        return bool(len(self.lazy)) and not self.backend.knows_lazy_clauses

    def _enumerates_by_itself(self) -> bool:
        can = self.backend.capabilities
        if not can.enumeration or can.incremental or self._is_lazy or self.counted is not None:
            return False
        # With auxiliary variables, one solution may have many models.
        instance = self.instance
        return (
            not isinstance(instance, CNF | Constraints)
            or instance.num_main == instance.num_variables
        )

    def _enumerated(self) -> Iterator[Found]:
        solver = self.load_solver()
        with self.solve:
            models = solver.models()
        while True:
            with self.solve:
                model = next(models, None)
            if model is None:
                self.answer = Answer.UNSAT
                return
            self.answer = Answer.SAT
            yield self._decode_model(model)

    def _ask_repeatedly(self) -> Iterator[Found]:
        solver = self.load_solver()
        earlier: set[Solution | bytes] = set()
        while (found := self._ask_solver(solver)) is not None:
            broken = found.model.shape != (model_size(self.instance),)
            lazy = None if broken else self._broken_lazy_clause(found)
            if lazy is None:
                yield found
            else:
                self.rejected += 1
            if broken or (key := self._key(found)) in earlier:
                return  # nothing new will come: the check refutes broken and repeated models
            earlier.add(key)
            solver = self._exclude(found, lazy)

    def _key(self, found: Found) -> Solution | bytes:
        """What no two models have in common."""
        if self.counted is None:
            return found.solution
        return found.model[self.counted - 1].tobytes()

    def _ask_solver(self, solver: Solver) -> Found | None:
        """The solver's next model; None if it has none."""
        with self.solve:
            self.answer = solver.solve()
        if not isinstance(self.answer, Answer):
            raise SolverError(f"solve() returned {self.answer!r}: expected an Answer")
        if self.answer is not Answer.SAT:
            return None
        with self.decode:
            model = solver.model()
        return self._decode_model(model)

    def _shuffle(self) -> None:
        if self.shuffle and isinstance(self.instance, CNF | Constraints):
            with self.shuffling:
                self._shuffled = self.shuffle(self.instance)

    def _tighten(self, problem: Problem) -> Solver:
        """The solver with the clauses of this problem, which has a tighter bound."""
        assert self._solver is not None
        with self.load, _refused_by(f"encoding '{self.encoding.name}'"):
            earlier, formula = self.instance, self.encoding.clauses(problem)
        assert isinstance(earlier, CNF)
        self.problem, self.instance = problem, formula
        if formula.num_variables != earlier.num_variables:
            self._shuffle()
            return self.load_solver()
        with self.load:
            for clause in set(map(tuple, formula.clauses())) - set(map(tuple, earlier.clauses())):
                self._solver.add(self._rename(clause))
        return self._solver

    def _rename(self, clause: Sequence[int]) -> Sequence[int]:
        return self._shuffled.renamed(clause) if self._shuffled else clause

    def load_solver(self) -> Solver:
        """Load a solver, also for who asks it himself."""
        self._before = work_done = self.counters()
        with self.load:
            with _refused_by(f"backend '{self.backend.name}'"):
                self._solver = self.backend.load(self._loaded_instance)
            if self.shows_output:
                self._solver.show_output()
            if self.objective is not None and self.incumbents is not None:
                self._solver.report_to(_Keeper(self, self.objective, self.incumbents))
            if self.work:
                remaining = {
                    name: limit - (getattr(work_done, name) or 0)
                    for name, limit in self.work.items()
                }
                self._solver.limit(remaining)
        return self._solver

    def original(self, model: Assignment) -> Assignment:
        """A model of the solver as one of the instance."""
        return self._shuffled.original(model) if self._shuffled else model

    @property
    def _loaded_instance(self) -> Instance:
        return self._shuffled.formula if self._shuffled else self.instance

    def _decode_model(self, model: Assignment) -> Found:
        if not isinstance(model, np.ndarray) or model.dtype != np.bool_ or model.ndim != 1:
            raise SolverError(
                "a model is a NumPy array of bool, shape (model_size,), not "
                f"{getattr(model, 'dtype', type(model).__name__)}"
            )
        with self.decode:
            broken = model.shape != (model_size(self.instance),)
            model = self.original(model)
            return Found(model, () if broken else decoded(self.encoding, self.problem, model))

    def _broken_lazy_clause(self, found: Found) -> list[int] | None:
        """The first lazy clause that a model breaks; None if it breaks none, or has as many options
        as a solution: then the check decides.

        On a board, such a clause asks for a queen in an empty row. It rejects this model and all
        others with that row empty, so n clauses are always enough. Forbidding models one by one
        would take up to 119,000 clauses at n = 8.
        """
        if not self._is_lazy or len(found.solution) == self.problem.solution_size:
            return None
        is_true = found.model[np.abs(self.lazy) - 1] == (self.lazy > 0)
        broken = self.lazy[~is_true.any(axis=1)]
        return broken[0].tolist() if len(broken) else None

    def _exclude(self, found: Found, clause: list[int] | None) -> Solver:
        assert self._solver is not None
        assert isinstance(self.instance, CNF | Constraints)
        in_solver_names = self._rename(clause or self._blocking_clause(self.instance, found))
        self._excluded.append(in_solver_names)
        if not self.backend.capabilities.incremental:
            self.load_solver()
            with self.load:
                for earlier in self._excluded[:-1]:
                    self._solver.add(earlier)
        with self.load:
            self._solver.add(in_solver_names)
        return self._solver

    def _blocking_clause(self, formula: Formula, found: Found) -> list[int]:
        """A clause on the first variables that this solution breaks, and every other satisfies."""
        if self.counted is not None:
            is_true = found.model[self.counted - 1]
            others: list[int] = np.where(is_true, -self.counted, self.counted).tolist()
            return others
        values = found.model[: formula.num_main]
        true = np.flatnonzero(values) + 1
        has_options = formula.num_main == len(self.problem.options)
        shows_options = has_options and self.encoding.shows_options(self.problem)
        if shows_options and len(true) == self.problem.solution_size:
            return (-true).tolist()  # any other solution leaves out one of these options
        main_variables = np.arange(1, formula.num_main + 1)
        literals: list[int] = np.where(values, -main_variables, main_variables).tolist()
        return literals


class _Keeper:
    """Keeps the incumbents of a search, with the names and values of the original."""

    def __init__(self, search: Search, objective: Objective, incumbents: Incumbents) -> None:
        self._search, self._objective, self._incumbents = search, objective, incumbents
        self._best: int | None = None
        negated = int(objective.weights[objective.literals < 0].sum())
        self._offset = negated + objective.constant

    def hear_model(self, model: Assignment) -> None:
        """Keep a model if it is better than those before it; one of another size is none."""
        if model.shape != (model_size(self._search.instance),):
            return
        model = self._search.original(model)
        value = self._objective.value(model)
        if self._best is not None and value >= self._best:
            return
        self._best = value
        seconds, stated = self._search.solve.so_far_s, self._objective.stated(value)
        self._incumbents.add(Incumbent(seconds, stated, np.packbits(model).tobytes()))

    def hear_bound(self, bound: float) -> None:
        """Keep a bound, rounded to what a sum of whole numbers can be."""
        if not abs(bound) < _LARGEST_BOUND:
            return
        least = math.ceil(bound - _BOUND_TOLERANCE) + self._offset
        self._incumbents.bound = self._objective.stated(least)


@contextmanager
def _refused_by(component: str) -> Iterator[None]:
    """Raise `RefusedError` for an input that the component does not take."""
    try:
        yield
    except (InputError, TooManyClausesError) as error:
        message = str(error)
        message = message if message.startswith(REFUSALS) else f"{component}: {message}"
        raise RefusedError(message) from error


def _sum(one: Counters, other: Counters) -> Counters:
    values = {name: (getattr(one, name), getattr(other, name)) for name in _COUNTERS}
    return Counters(
        **{
            name: None if a is None and b is None else (a or 0) + (b or 0)
            for name, (a, b) in values.items()
        }
    )


def objective_for(task: Task, problem: Problem, instance: Instance) -> Objective | None:
    """The objective that this task asks the best model of. Encodings leave it out of clauses, whose
    first variables are those of the file.
    """
    if task is not Task.BEST or not isinstance(problem, Clausal):
        return None
    constraints = instance if isinstance(instance, Constraints) else problem.constraints()
    return constraints.objective
