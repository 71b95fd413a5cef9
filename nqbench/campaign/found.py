"""The solutions of one problem as they are found."""

from collections.abc import Callable, Generator, Iterator
from typing import Any, Self

from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Task
from nqbench.measure.solutions import Conclusion, Solving
from nqbench.problems.base import Problem
from nqbench.problems.clausal import Clausal
from nqbench.problems.options import Solution
from nqbench.problems.queens import as_board, placement_of


class Found(Iterator[Any]):
    """Solutions, each of them checked before it is returned: all that are wanted. `number` were
    returned so far, of `of_all` that were found.
    """

    def __init__(
        self,
        coming: Generator[Any, None, Conclusion],
        is_wanted: Callable[[Any], bool] = lambda _: True,
    ) -> None:
        self.number = self.of_all = 0
        self._coming = coming
        self._is_wanted = is_wanted
        self._end: Conclusion | None = None

    @classmethod
    def named(
        cls,
        problem: Problem,
        encoding: str | None,
        backend: str,
        task: Task,
        limits: Limits,
        *,
        fundamental: bool = False,
    ) -> Self:
        """The first solution or all, or with `fundamental` one of each class under symmetry; of a
        formula the models, on the variables that count.
        """
        from nqbench.measure.file_models import FileModels, counted_variables

        is_wanted = _is_first_of_class(problem) if fundamental else lambda _: True
        named = encoding, backend, task, limits
        if isinstance(problem, Clausal):
            models = FileModels.named(problem, *named).models(counted_variables(problem))
            return cls(models, is_wanted)
        return cls(Solving.named(problem, *named).solutions(), is_wanted)

    def __next__(self) -> Any:
        while self._end is None:
            try:
                solution = next(self._coming)
            except StopIteration as stop:
                self._end = stop.value
                break
            self.of_all += 1
            if self._is_wanted(solution):
                self.number += 1
                return solution
        raise StopIteration

    @property
    def end(self) -> Conclusion:
        """How the search ended, once there are no further solutions."""
        assert self._end is not None, "not all solutions were asked for"
        return self._end


def _is_first_of_class(problem: Problem) -> Callable[[Solution], bool]:
    from nqbench.problems import symmetry

    symmetries = symmetry.of_problem(as_board(problem, "`fundamental`"))
    return lambda solution: symmetry.is_fundamental(placement_of(solution), symmetries)
