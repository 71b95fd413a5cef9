"""Turns the steps of a search into boards."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from nqbench.backends.base import Backend, Counters, StepKind
from nqbench.drawing.board import Board
from nqbench.encodings.base import Encoding
from nqbench.errors import InputError, UnavailableError
from nqbench.plugins import backend_names, load_backend
from nqbench.plugins.fit import loaded
from nqbench.problems.base import Placement, Problem, Square, square_of
from nqbench.units import counted
from nqbench.vocabulary import Task

LARGEST: Final = 60
"""Largest number of rows. On larger boards squares are too small and steps need much memory."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The state after a step, the number of the step from 1, and the work done until then."""

    number: int
    kind: StepKind
    queens: Placement
    free: tuple[Square, ...]
    counters: Counters

    def board(self, problem: Problem) -> Board:
        """The state as a picture, with a dot on each square that is still free."""
        return Board(problem, self.queens, dots=self.free)

    def __str__(self) -> str:
        work = {
            "nodes": self.counters.nodes,
            "made": self.counters.generated,
            "backtracks": self.counters.backtracks,
        }
        told = ", ".join(f"{count} {name}" for name, count in work.items() if count is not None)
        queens = counted(len(self.queens), "queen")
        return f"step {self.number}: {self.kind}, {queens} ({told})"


@dataclass(frozen=True, slots=True)
class Watched:
    """A problem and a search that reports its steps, in this process. Stop asking to stop it."""

    problem: Problem
    encoding: Encoding
    backend: Backend

    @classmethod
    def named(cls, problem: Problem, encoding: str | None, backend: str) -> "Watched":
        """Create one from the names of encoding and backend. None chooses a fitting encoding.

        Raises `InputError` for a board that is too large, a wrong name, an encoding and backend
        that do not fit, or a backend without steps.
        """
        if problem.n > LARGEST:
            raise InputError(f"{problem} is too large to watch: at most {LARGEST} rows")
        written, solver = loaded(problem, encoding, backend, Task.FIRST)
        if not solver.capabilities.steps:
            able = ", ".join(watchable())
            raise InputError(f"backend '{backend}' does not report its steps: choose from {able}")
        return cls(problem, written, solver)

    def moments(self) -> Iterator[Moment]:
        """All steps of the search for all solutions."""
        n = self.problem.n
        solver = self.backend.load(self.encoding.encode(self.problem))
        for number, step in enumerate(solver.steps(), 1):
            yield Moment(
                number,
                step.kind,
                tuple(square_of(variable, n) for variable in step.queens),
                tuple(square_of(variable, n) for variable in step.free),
                solver.counters(),
            )


def watchable() -> list[str]:
    """The names of the backends that report their steps."""
    return list(filter(_tells_steps, backend_names()))


def _tells_steps(name: str) -> bool:
    try:
        return load_backend(name).capabilities.steps
    except (InputError, UnavailableError):
        return False
