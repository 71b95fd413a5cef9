"""A solution that displays itself, as text."""

from dataclasses import dataclass
from html import escape

from nqbench.problems.base import Problem
from nqbench.problems.options import Solution


@dataclass(frozen=True, slots=True)
class Solved:
    """A problem and the options of a solution; prints as the family draws it."""

    problem: Problem
    solution: Solution

    def __str__(self) -> str:
        return self.problem.drawing(self.solution)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"
