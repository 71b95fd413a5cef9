"""Problems that have rows with bounds above one, and those that ask for a number k."""

from typing import ClassVar

from nqbench.common.errors import InputError
from nqbench.problems.base import Problem


class BoundedProblem(Problem):
    """A problem of size n that has rows with bounds; its options form no choices."""

    n: int

    largest_n: ClassVar[int]

    def __post_init__(self) -> None:
        if not 1 <= self.n <= self.largest_n:
            raise InputError(f"n is {self.n}: expected 1 to {self.largest_n}")

    @property
    def has_choices(self) -> bool:
        return False

    @property
    def has_bounds(self) -> bool:
        return True


class ProblemOfK(BoundedProblem):
    """A problem that asks for k things on the n^2 squares of a board: as few or as many as that. No
    board has n^2 + 1, which shows that n^2 is the greatest number.
    """

    k: int

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.k <= self.largest_k:
            raise InputError(f"k is {self.k}: expected 0 to {self.largest_k}")

    @property
    def largest_k(self) -> int:
        """The largest k that can be asked for."""
        return self.n**2 + 1
