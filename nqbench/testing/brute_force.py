"""Finds solutions by the rules alone: by trying what could be one."""

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from nqbench.clauses.constraints import Constraints
from nqbench.clauses.rows import Rows
from nqbench.problems.base import Problem
from nqbench.problems.cover import by_length
from nqbench.problems.options import Box, Option, Solution
from nqbench.problems.queens import Queens
from nqbench.problems.rules import Counted, Flags, Numbers, Rules

SMALL_BOARDS: Final = (
    *(Queens(n) for n in range(1, 7)),
    *(Queens(n, "torus") for n in range(1, 7)),
    Queens(5, "torus", placed=((1, 3),), blocked=((0, 0),)),
    Queens(1, "blocked", blocked=((0, 0),)),
    Queens(4, "completion", placed=((0, 1),)),
    Queens(4, "completion", placed=((0, 0),)),
    Queens(5, "blocked", blocked=((0, 0), (0, 1), (2, 2), (4, 4))),
    Queens(6, "blocked", blocked=((0, 1), (0, 4))),
    Queens(6, "completion", placed=((1, 3), (4, 2)), blocked=((0, 0),)),
)
"""Empty boards and tori, boards with one or two placed queens, and boards with blocked squares."""


@dataclass(frozen=True, slots=True)
class AnyCover(Problem):
    """A cover whose items list the options that cover them, as variables from 1. In `given`, v is
    an option that is chosen already, and -v one that must not be. In `bounded`, each item has its
    literals, and how many of them are true at least and at most.
    """

    num_options: int
    primary: tuple[tuple[int, ...], ...] = ()
    secondary: tuple[tuple[int, ...], ...] = ()
    given: tuple[int, ...] = ()
    bounded: tuple[tuple[tuple[int, ...], int, int], ...] = ()
    instance: str = ""
    has_choices: bool = False
    n: int | None = None
    family: str = "cover"

    @property
    def options(self) -> Box:
        """The numbers of the options, from 0."""
        return Box(self.num_options)

    @property
    def has_bounds(self) -> bool:
        """Whether there are bounded items."""
        return bool(self.bounded)

    def constraints(self) -> Constraints:
        """The items as they are."""
        return Constraints.of(
            self.num_options,
            *(Rows.exactly(items, 1) for items in by_length(self.primary)),
            *(Rows.at_most(items, 1) for items in by_length(self.secondary)),
            *(Rows(np.array([item], np.int32), k, most) for item, k, most in self.bounded),
            given=self.given,
        )

    def rules(self) -> Rules:
        """No two options are in one item, and each primary item has one that is chosen."""
        items = [np.array(item) - 1 for item in (*self.primary, *self.secondary)]

        def clash(one: Numbers, other: Numbers) -> Flags:
            clashes = np.zeros(one.shape[1], dtype=np.bool_)
            for item in items:
                clashes |= np.isin(one[0], item) & np.isin(other[0], item)
            return clashes

        return Rules(
            self.options,
            clash,
            self.primary,
            chosen=[(v - 1,) for v in self.given if v > 0],
            excluded=[(-v - 1,) for v in self.given if v < 0],
            counted=[Counted(item, *bounds) for item, *bounds in self.bounded],
        )

    def violation(self, solution: Iterable[Option]) -> str | None:
        """The first item that is covered too often or not at all, or the first option that is not
        as given.
        """
        times = Counter(number + 1 for (number,) in solution)
        for item in (*self.primary, *self.secondary):
            covered = sum(times[v] for v in item)
            if covered > 1 or (covered < 1 and item in self.primary):
                return f"item {item} is covered {covered} times"
        for item, least, most in self.bounded:
            if not least <= sum((times[abs(v)] > 0) == (v > 0) for v in item) <= most:
                return f"of item {item}, not {least} to {most} are true"
        for v in self.given:
            if (times[abs(v)] > 0) != (v > 0):
                return f"option {abs(v)} is {'missing' if v > 0 else 'excluded'}"
        return None


_CELLS: Final = ((1, 2), (3, 4), (5, 6), (7, 8))
_LATIN: Final = (*_CELLS, (1, 3), (2, 4), (5, 7), (6, 8), (1, 5), (2, 6), (3, 7), (4, 8))
_TILING: Final = ((1, 5), (1, 2, 6), (2, 7), (3, 5), (3, 4, 6), (4, 7))
_KNUTH: Final = ((2, 4), (3, 5), (1, 3), (2, 4, 6), (1, 6), (3, 4), (2, 5, 6))

SMALL_COVERS: Final = (
    AnyCover(8, _LATIN, instance="latin", has_choices=True),
    AnyCover(8, _LATIN, given=(-1,), instance="latin-excluded", has_choices=True),
    AnyCover(8, _LATIN, given=(1, 8), instance="latin-wrong", has_choices=True),
    AnyCover(4, _CELLS[:2], ((1, 3), (2, 4)), instance="two-pigeons", has_choices=True),
    AnyCover(6, _CELLS[:3], ((1, 3, 5), (2, 4, 6)), instance="three-pigeons", has_choices=True),
    AnyCover(7, _TILING, instance="dominoes"),
    AnyCover(7, _TILING, given=(2, 3), instance="dominoes-wrong"),
    AnyCover(6, _KNUTH, instance="knuth"),
    AnyCover(5, ((1, 2),), ((2, 3, 4),), instance="free"),
    AnyCover(5, ((1, 2),), ((2, 3, 4),), given=(3, -5), instance="free-given"),
    AnyCover(3, (), ((1, 2), (2, 3)), instance="secondary"),
)
"""Latin squares of order 2, pigeons in two holes, tilings of 2 x 3 squares, the first example of
D. Knuth, TAOCP 4B, section 7.2.2.1, and options that cover only secondary items or nothing.
"""

BOUNDED_COVERS: Final = (
    AnyCover(7, bounded=((tuple(range(1, 8)), 3, 5),), instance="three-to-five"),
    AnyCover(6, bounded=(((1, 2, 3, 4, 5), 0, 2), ((2, 4, 6), 2, 3)), instance="two-items"),
    AnyCover(6, ((1, 2),), ((3, 4),), bounded=(((1, 3, 4, 5, 6), 3, 3),), instance="mixed"),
    AnyCover(5, bounded=(((1, 2, 3, 4, 5), 0, 0),), instance="none"),
    AnyCover(5, bounded=(((1, 2, 3, 4, 5), 5, 9),), instance="all"),
    AnyCover(3, bounded=(((1, 2, 3), 4, 4),), instance="too-many"),
    AnyCover(8, given=(1, -8), bounded=((tuple(range(1, 9)), 4, 4),), instance="half-given"),
    AnyCover(
        6,
        bounded=((tuple(range(1, 7)), 4, 6), ((1, 2, 3), 0, 1), ((3, 4, 5, 6), 0, 2)),
        instance="too-few",
    ),
    AnyCover(
        6,
        bounded=(((1, -2, 3, -4, 5), 2, 3), ((-1, -2, -6), 1, 3), ((4, -5), 0, 1)),
        instance="negative",
    ),
)
"""Items with bounds of every kind: none, all, equal ones, more than there are options, bounds that
contradict each other, and literals of options that are not chosen.
"""

MOST_SUBSETS: Final = 16
"""The largest number of options whose every subset is tried."""


def solutions(problem: Problem) -> Iterator[Solution]:
    """Yield all solutions, by trying every permutation of the columns of a board, or every set of
    at most 16 options. Raises `ValueError` if there are more.
    """
    candidates: Iterable[Solution]
    if isinstance(problem, Queens):
        permutations = itertools.permutations(range(problem.n))
        candidates = (tuple(enumerate(columns)) for columns in permutations)
    elif len(problem.options) <= MOST_SUBSETS:
        candidates = subsets(problem)
    else:
        raise ValueError(f"{problem} has too many options to try every set of them")
    return (candidate for candidate in candidates if problem.violation(candidate) is None)


def is_small(problem: Problem) -> bool:
    """Whether `solutions` can find them."""
    return isinstance(problem, Queens) or len(problem.options) <= MOST_SUBSETS


def subsets(problem: Problem) -> Iterator[Solution]:
    """Yield every set of options."""
    options = list(problem.options)
    for size in range(len(options) + 1):
        yield from itertools.combinations(options, size)
