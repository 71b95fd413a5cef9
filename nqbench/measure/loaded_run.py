"""A run with its components: what was asked, and what answers it."""

from dataclasses import dataclass
from typing import Self

from nqbench.backends.base import Backend
from nqbench.backends.fit import loaded
from nqbench.common.errors import InputError, UnavailableError
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Task
from nqbench.encodings.base import Encoding
from nqbench.plugins.availability import why_unavailable
from nqbench.problems.base import Problem
from nqbench.records.record import Run


@dataclass(frozen=True, slots=True)
class LoadedRun:
    """A run, or a search that leaves no record, with its encoding and its backend loaded. The
    backend has the seed of the run, and `solver` is its name with that seed.
    """

    problem: Problem
    encoding: Encoding
    backend: Backend
    task: Task
    limits: Limits
    solver: str

    @classmethod
    def of(cls, run: Run, encoding: Encoding, backend: Backend) -> Self:
        """The run with its components, which have no seed yet."""
        if run.solver_seed is not None:
            backend = backend.with_seed(run.solver_seed)
        return cls(run.problem, encoding, backend, run.task, run.limits, run.solver)

    @classmethod
    def named(
        cls, problem: Problem, encoding: str | None, backend: str, task: Task, limits: Limits
    ) -> Self:
        """Look up the encoding and the backend by name; without an encoding, use one that fits.

        Raises `InputError` for a wrong name or a combination that does not fit or cannot do the
        task, and `UnavailableError` for a backend that does not work here.
        """
        # In campaigns, all solutions are for problems with rules; here also all models of a file.
        task_of_runs = task if problem.has_rules or task is Task.BEST else Task.FIRST
        loaded_encoding, solver = loaded(problem, encoding, backend, task_of_runs)
        if not solver.can_do(task):
            raise InputError(f"backend '{solver.name}' cannot enumerate all models")
        if reason := why_unavailable(Backend.named, backend):
            raise UnavailableError(f"{solver.name} is unavailable: {reason}")
        return cls(problem, loaded_encoding, solver, task, limits, solver.name)
