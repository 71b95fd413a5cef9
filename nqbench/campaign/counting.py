"""Counts the solutions of one problem: by nqbench's own search, with a backend, or as models of
clauses. It shows how far a count is, and stops it at a time limit.
"""

import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from nqbench.campaign.found import Found
from nqbench.campaign.progress import Progress, State
from nqbench.checking.verify import Check
from nqbench.common.errors import InputError, SolverError
from nqbench.common.limits import Limits
from nqbench.common.units import counted
from nqbench.common.vocabulary import USUAL_ENCODING, Task
from nqbench.encodings.base import Encoding
from nqbench.problems.base import Problem
from nqbench.problems.clausal import Clausal
from nqbench.problems.published_counts import published_count
from nqbench.problems.queens import Queens, as_board

_FIRST_AFTER_S: Final = 1.5
"""Most counts take less: they show nothing."""


class CountProgress:
    """Counts solutions as they are found. `display` shows how many, None for nowhere; `limit_s` is
    the time that the count may take, None for any.
    """

    def __init__(
        self, display: Progress | None, limit_s: float | None = None, noun: str = "solution"
    ) -> None:
        self._display = display
        self._limit_s = limit_s
        self._noun = noun
        self._started = time.monotonic()
        self._is_shown = False
        self._solutions = self._partial = self._done = 0
        self._total = 1

    def split(self, parts: int) -> None:
        """Note that the problem has so many parts."""
        self._total = parts

    def end_part(self) -> None:
        """Note that one part has ended."""
        self._done += 1
        self._show()

    def update(self, solutions: int) -> None:
        """Note how many solutions were found so far."""
        self._solutions = solutions
        self._show()

    def look(self, partial: int) -> None:
        """Note that so many more partial solutions were looked at. Raises `SolverError` at the time
        limit.
        """
        self._partial += partial
        if self._limit_s is not None and self._elapsed_s > self._limit_s:
            so_far = counted(self._solutions, self._noun)
            raise SolverError(f"stopped at the time limit of {self._limit_s:g} s: {so_far} so far")
        self._show()

    def end(self) -> None:
        """Show nothing more."""
        if self._display and self._is_shown:
            self._display.end()

    @property
    def _elapsed_s(self) -> float:
        return time.monotonic() - self._started

    def _show(self) -> None:
        if self._display is None or self._elapsed_s < _FIRST_AFTER_S:
            return
        is_first, self._is_shown = not self._is_shown, True
        if is_first:
            self._display.begin(self._total)
        self._display.update(self._done, self._state, always=is_first)

    def _state(self) -> State:
        looked_at = f" in {self._partial:,} partial solutions" if self._partial else ""
        found = f"{self._solutions:,} {self._noun}s so far{looked_at}"
        return State(self._done, self._total, found, f"{found}, {self._elapsed_s:.0f} s")


_LISTS_MODELS: Final = "minisat22"


@dataclass(frozen=True, slots=True)
class Count:
    """The number of solutions; how a backend's number was checked; the source of a number that was
    published, and not counted.
    """

    number: int
    checked: Check | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Counting:
    """How the solutions of a problem are counted. `for_solvers` are the names of the arguments that
    the caller was given and that only solvers use. `own_time_s` is the time that nqbench's own
    search may take, None for any: then a published number takes the place of a long count.
    """

    backend: str | None
    encoding: str | None
    ganak: bool
    models: bool
    fundamental: bool
    limits: Limits
    for_solvers: Collection[str]
    own_time_s: float | None = None

    def count(self, problem: Problem, display: Progress | None = None) -> Count:
        """Count the solutions of the problem, and show on `display` how many were found so far.

        Raises `InputError` for what does not fit together, `UnavailableError` if the solver does
        not work here, and `SolverError` if it reaches a limit or counts wrongly.
        """
        is_own = not (self.backend or self.ganak or self.models or isinstance(problem, Clausal))
        noun = "model" if isinstance(problem, Clausal) else "solution"
        progress = CountProgress(display, self.own_time_s if is_own else None, noun)
        try:
            return self._count(problem, progress)
        finally:
            progress.end()

    def _count(self, problem: Problem, progress: CountProgress) -> Count:
        if self.models:
            if self.backend or self.fundamental or self.ganak:
                raise InputError(
                    "`models` cannot be combined with `backend`, `ganak` or `fundamental`"
                )
            return Count(self._count_models(problem))
        if self.ganak:
            if self.backend or self.fundamental:
                raise InputError("`ganak` cannot be combined with `backend` or `fundamental`")
            return Count(self._count_with_ganak(problem))
        if isinstance(problem, Clausal):
            if self.fundamental:
                as_board(problem, "`fundamental`")
            return self._count_in_file(problem, progress)
        if self.backend is None:
            for name in self.for_solvers:
                raise InputError(f"`{name}` needs a solver: add `backend`, `ganak` or `models`")
            published = published_count(problem, self.fundamental)
            if published and self.own_time_s is None:
                return Count(published.number, source=published.source)
            return Count(_count_exhaustively(problem, self.fundamental, progress))
        named = self.encoding, self.backend, Task.ALL, self.limits
        found = Found.named(problem, *named, fundamental=self.fundamental)
        return Count(_follow(found, progress), found.end.checked)

    def _count_in_file(self, problem: Clausal, progress: CountProgress) -> Count:
        """The number of models of a formula, on the variables that count."""
        from nqbench.measure.file_models import FileModels, counted_variables, split_free

        backend = self.backend or _LISTS_MODELS
        finding = FileModels.named(problem, self.encoding, backend, Task.ALL, self.limits)
        variables, free = split_free(problem, counted_variables(problem))
        found = Found(finding.models(variables))
        return Count(_follow(found, progress) << free, found.end.checked)

    def _count_models(self, problem: Problem) -> int:
        from nqbench.measure import models

        return models.count(problem, self._encoding_of(problem), self.limits)

    def _count_with_ganak(self, problem: Problem) -> int:
        from nqbench.measure import ganak

        return ganak.count(problem, self._encoding_of(problem), self.limits)

    def _encoding_of(self, problem: Problem) -> Encoding:
        usual = problem.default_encoding if isinstance(problem, Clausal) else USUAL_ENCODING
        return Encoding.named(self.encoding or usual)


def _follow(found: Found, progress: CountProgress) -> int:
    for _ in found:
        progress.update(found.of_all)
    return found.number


def _count_exhaustively(problem: Problem, fundamental: bool, progress: CountProgress) -> int:
    from nqbench.checking import exhaustive, oracle
    from nqbench.problems import symmetry

    if not (isinstance(problem, Queens) or fundamental):
        return _add_up(exhaustive.solution_counts(problem, progress.look), 1, 0, progress)
    board = as_board(problem, "`fundamental`")
    symmetries = symmetry.of_problem(board) if fundamental else []
    parts = oracle.parts(board)
    progress.split(len(parts))
    number = 0
    for weight, part in parts:
        if fundamental:
            # If a solution's first queen is in the right half, its mirror image comes earlier in
            # the order.
            numbers: Iterable[int] = (
                int(symmetry.fundamental(columns, symmetries).sum())
                for columns in oracle.solutions(part, progress.look)
            )
            number = _add_up(numbers, 1, number, progress)
        else:
            number = _add_up(oracle.solution_counts(part, progress.look), weight, number, progress)
        progress.end_part()
    return number


def _add_up(numbers: Iterable[int], weight: int, start: int, progress: CountProgress) -> int:
    """Add the weighted numbers to `start`, and show the sum as it grows."""
    total = start
    for number in numbers:
        total += weight * number
        progress.update(total)
    return total
