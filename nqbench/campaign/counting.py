"""Counts the solutions of one problem: by nqbench's own search, with a backend, or as models of
clauses.
"""

from collections.abc import Callable, Collection, Generator
from dataclasses import dataclass
from typing import Final, TypeVar

from nqbench.campaign.progress import tracked
from nqbench.checking.verify import Check
from nqbench.common.errors import InputError
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import USUAL_ENCODING, Task
from nqbench.encodings.base import Encoding
from nqbench.measure.solutions import Conclusion, Solving
from nqbench.problems.base import Problem
from nqbench.problems.clausal import Clausal
from nqbench.problems.options import Solution
from nqbench.problems.queens import Queens, as_board, placement_of

T = TypeVar("T")

_LISTS_MODELS: Final = "minisat22"


@dataclass(frozen=True, slots=True)
class Counting:
    """How the solutions of a problem are counted. `for_solvers` are the names of the arguments that
    the caller was given and that only solvers use.
    """

    backend: str | None
    encoding: str | None
    ganak: bool
    models: bool
    fundamental: bool
    limits: Limits
    for_solvers: Collection[str]

    def count(
        self, problem: Problem, observe: Callable[[int], None] | None = None
    ) -> tuple[int, Check | None]:
        """The number of solutions, and for a backend's number how it was checked. `observe` is
        called with the number of solutions that a backend has found so far.

        Raises `InputError` for what does not fit together, `UnavailableError` if the solver does
        not work here, and `SolverError` if it reaches a limit or counts wrongly.
        """
        if self.models:
            if self.backend or self.fundamental or self.ganak:
                raise InputError(
                    "`models` cannot be combined with `backend`, `ganak` or `fundamental`"
                )
            return self._count_models(problem), None
        if self.ganak:
            if self.backend or self.fundamental:
                raise InputError("`ganak` cannot be combined with `backend` or `fundamental`")
            return self._count_with_ganak(problem), None
        if isinstance(problem, Clausal):
            if self.fundamental:
                as_board(problem, "`fundamental`")
            return self._count_in_file(problem, observe)
        if self.backend is None:
            for name in self.for_solvers:
                raise InputError(f"`{name}` needs a solver: add `backend`, `ganak` or `models`")
            return _count_exhaustively(problem, self.fundamental), None
        solving = Solving.named(problem, self.encoding, self.backend, Task.ALL, self.limits)
        number, end = follow(
            solving.solutions(), is_counted(problem, self.fundamental), observe=observe
        )
        return number, end.checked

    def _count_in_file(
        self, problem: Clausal, observe: Callable[[int], None] | None
    ) -> tuple[int, Check]:
        """The number of models of a formula, on the variables that count."""
        from nqbench.measure.file_models import FileModels, counted_variables, split_free

        backend = self.backend or _LISTS_MODELS
        finding = FileModels.named(problem, self.encoding, backend, Task.ALL, self.limits)
        variables, free = split_free(problem, counted_variables(problem))
        number, end = follow(finding.models(variables), lambda _: True, observe=observe)
        return number << free, end.checked

    def _count_models(self, problem: Problem) -> int:
        from nqbench.measure import models

        return models.count(problem, self._encoding_of(problem), self.limits)

    def _count_with_ganak(self, problem: Problem) -> int:
        from nqbench.measure import ganak

        return ganak.count(problem, self._encoding_of(problem), self.limits)

    def _encoding_of(self, problem: Problem) -> Encoding:
        usual = problem.default_encoding if isinstance(problem, Clausal) else USUAL_ENCODING
        return Encoding.named(self.encoding or usual)


def is_counted(problem: Problem, fundamental: bool) -> Callable[[Solution], bool]:
    """Says whether a solution counts: all do, or with `fundamental` one of each class."""
    if not fundamental:
        return lambda _: True
    from nqbench.problems import symmetry

    symmetries = symmetry.of_problem(as_board(problem, "`fundamental`"))
    return lambda solution: symmetry.is_fundamental(placement_of(solution), symmetries)


def follow(
    solutions: Generator[T, None, Conclusion],
    is_wanted: Callable[[T], bool],
    *,
    show: Callable[[T, bool], None] | None = None,
    observe: Callable[[int], None] | None = None,
) -> tuple[int, Conclusion]:
    """Show each wanted solution, with whether it is the first; `observe` gets the number of all so
    far. Return the number of wanted solutions, and how it ended.
    """
    seen_solutions = wanted_solutions = 0
    while True:
        try:
            solution = next(solutions)
        except StopIteration as stop:
            return wanted_solutions, stop.value
        if is_wanted(solution):
            if show:
                show(solution, wanted_solutions == 0)
            wanted_solutions += 1
        seen_solutions += 1
        if observe:
            observe(seen_solutions)


def _count_exhaustively(problem: Problem, fundamental: bool) -> int:
    from nqbench.checking import exhaustive, oracle
    from nqbench.problems import symmetry

    if not (isinstance(problem, Queens) or fundamental):
        return exhaustive.count(problem)
    board = as_board(problem, "`fundamental`")
    steps = tracked(oracle.parts(board), "counting")
    if not fundamental:
        return sum(weight * oracle.count_part(part) for weight, part in steps)
    symmetries = symmetry.of_problem(board)
    # If a solution's first queen is in the right half, its mirror image comes earlier in the order.
    return sum(
        int(symmetry.fundamental(columns, symmetries).sum())
        for _, part in steps
        for columns in oracle.solutions(part)
    )
