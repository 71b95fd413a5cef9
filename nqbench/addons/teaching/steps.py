"""Turns the steps of a search into boards."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from nqbench.backends.base import Backend, StepKind
from nqbench.backends.fit import loaded
from nqbench.common.errors import InputError, UnavailableError
from nqbench.common.metrics import Counters
from nqbench.common.units import counted
from nqbench.common.vocabulary import Form, Task
from nqbench.encodings import choices
from nqbench.encodings.base import Encoding
from nqbench.plugins import backend_names
from nqbench.problems.base import Problem
from nqbench.problems.options import Solution
from nqbench.problems.queens import Queens, placement_of
from nqbench.show.boards.board import Board

LARGEST: Final = 60
"""Largest number of rows. On larger boards squares are too small and steps need much memory."""


@dataclass(frozen=True, slots=True, repr=False)
class Moment:
    """The state after a step, the number of the step from 1, and the work done until then."""

    number: int
    kind: StepKind
    chosen: Solution
    free: Solution
    counters: Counters
    noun: str = "queen"

    def board(self, problem: Queens) -> Board:
        """The state as a picture, with a dot on each square that is still free."""
        return Board(problem, placement_of(self.chosen), dots=placement_of(self.free))

    def __str__(self) -> str:
        work = {
            "nodes": self.counters.nodes,
            "made": self.counters.generated,
            "backtracks": self.counters.backtracks,
        }
        counts = ", ".join(f"{count} {name}" for name, count in work.items() if count is not None)
        pieces = counted(len(self.chosen), self.noun)
        return f"step {self.number}: {self.kind}, {pieces} ({counts})"

    def __repr__(self) -> str:
        return f"<{self}>"


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
        if len(problem.options) > LARGEST**2:
            raise InputError(f"{problem} is too large to watch: at most {LARGEST} rows")
        encoder, solver = loaded(problem, encoding, backend, Task.FIRST)
        if not solver.capabilities.steps:
            able = ", ".join(watchable())
            raise InputError(f"backend '{backend}' does not report its steps: choose from {able}")
        return cls(problem, encoder, solver)

    def moments(self) -> Iterator[Moment]:
        """All steps of the search for all solutions."""
        noun = "queen" if isinstance(self.problem, Queens) else "option"
        solver = self.backend.load(self.encoding.encode(self.problem))
        for number, step in enumerate(solver.steps(), 1):
            yield Moment(
                number,
                step.kind,
                self._options(step.chosen),
                self._options(step.free),
                solver.counters(),
                noun,
            )

    def _options(self, variables: Sequence[int]) -> Solution:
        if self.encoding.makes is Form.CSP:
            return choices.options_at(self.problem, np.array(variables, dtype=np.int64) - 1)
        return tuple(self.problem.options[v - 1] for v in variables)


def watchable() -> list[str]:
    """The names of the backends that report their steps."""
    return list(filter(_reports_steps, backend_names()))


def _reports_steps(name: str) -> bool:
    try:
        return Backend.named(name).capabilities.steps
    except (InputError, UnavailableError):
        return False
