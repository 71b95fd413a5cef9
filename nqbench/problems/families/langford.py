"""`langford`: two copies of each of 1..n in a row, the two copies of k at a distance of k + 1.

C. D. Langford, Mathematical Gazette 42, 1958; D. Knuth, TAOCP 4B, section 7.2.2.1. Options are
(k - 1, place of the first copy), both from 0. Numbers and places are primary items. There is a
solution if and only if n mod 4 is 0 or 3 (R. Davies, Mathematical Gazette 43, 1959).

A row and its mirror image count once, as in OEIS A014552: the odd number n or n - 1 has its options
in the left half only. Its copies are an even distance apart, so they never mirror themselves.

>>> from nqbench.clauses import dimacs
>>> from nqbench.encodings.base import Encoding
>>> from nqbench.problems.families.base import Family
>>> pairs = Family.named("langford").of_size(3)
>>> pairs.options
((0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 2), (2, 0))
>>> print(dimacs.text(Encoding.named("pairwise").clauses(pairs)))
p cnf 8 32
1 2 3 4 0
5 6 7 0
8 0
1 5 8 0
1 3 7 0
2 4 5 0
3 6 8 0
2 6 0
4 7 0
-1 -2 0
-1 -3 0
-1 -4 0
-2 -3 0
-2 -4 0
-3 -4 0
-5 -6 0
-5 -7 0
-6 -7 0
-1 -5 0
-1 -8 0
-5 -8 0
-1 -3 0
-1 -7 0
-3 -7 0
-2 -4 0
-2 -5 0
-4 -5 0
-3 -6 0
-3 -8 0
-6 -8 0
-2 -6 0
-4 -7 0
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.constraints import Constraints
from nqbench.clauses.rows import Rows
from nqbench.common.errors import InputError
from nqbench.problems.base import Problem
from nqbench.problems.cover import by_length
from nqbench.problems.families.base import Family
from nqbench.problems.options import Option, Solution
from nqbench.problems.picture import Cell, Picture, strip
from nqbench.problems.rules import Flags, Numbers, Rules, numbers

Places = NDArray[np.int64]
"""A place for each of some options, shape (options,)."""

LARGEST_N: Final = 200
"""The largest n: a solution is looked up in the list of options, here 59,600."""


@dataclass(frozen=True, slots=True)
class Langford(Problem):
    """Two copies of each of 1..n in 2n places, the copies of k at a distance of k + 1.

    An option is (k - 1, place of the first copy), both from 0. Of a row and its mirror image, only
    one is a solution: the one whose copies of `pivot` have their middle in the left half.
    """

    n: int
    family: str = "langford"

    def __post_init__(self) -> None:
        if not 1 <= self.n <= LARGEST_N:
            raise InputError(f"n is {self.n}: expected 1 to {LARGEST_N}")

    @property
    def pivot(self) -> int:
        """The largest odd number up to n. Its copies never mirror themselves, since their distance
        is even and the number of places as well.
        """
        return self.n - 1 + self.n % 2

    @property
    def satisfiable(self) -> bool:
        """Whether n mod 4 is 0 or 3 (R. Davies, Mathematical Gazette 43, 1959)."""
        return self.n % 4 in {0, 3}

    @property
    def solution_size(self) -> int:
        """The number of pairs."""
        return self.n

    @property
    def options(self) -> Solution:
        return _options(self.n, self.pivot)

    def constraints(self) -> Constraints:
        """Each number has one position, and each place one number."""
        numbers: list[list[int]] = [[] for _ in range(self.n)]
        places: list[list[int]] = [[] for _ in range(2 * self.n)]
        for variable, (number, place) in enumerate(self.options, 1):
            for item in (numbers[number], places[place], places[place + number + 2]):
                item.append(variable)
        items = (*by_length(numbers), *by_length(places))
        return Constraints.of(len(self.options), *(Rows.exactly(i, 1) for i in items))

    def rules(self) -> Rules:
        """No number has two pairs of places, and no place has two numbers. Each number is
        there, and each place has a number.
        """

        def places(pairs: Numbers) -> tuple[Places, Places]:
            number, first = pairs
            return first, first + number + 2

        def clash(one: Numbers, other: Numbers) -> Flags:
            shared = [mine == theirs for mine in places(one) for theirs in places(other)]
            clashes: Flags = (one[0] == other[0]) | np.any(shared, axis=0)
            return clashes

        every = numbers(self.options, 2)
        first, second = places(every)
        has_number = [every[0] == number for number in range(self.n)]
        filled = [(first == place) | (second == place) for place in range(2 * self.n)]
        return Rules(self.options, clash, has_number + filled)

    def violation(self, solution: Iterable[Option]) -> str | None:
        row: dict[int, int] = {}
        for number, first in solution:
            k, second = number + 1, first + number + 2
            if not (1 <= k <= self.n and first >= 0 and second < 2 * self.n):
                return f"no {k} in the places {first + 1} and {second + 1}"
            if k in row.values():
                return f"{k} is there more than twice"
            if k == self.pivot and first + second >= 2 * self.n - 1:
                return f"{k} has its middle in the right half: take the mirror image"
            for place in (first, second):
                if place in row:
                    return f"{row[place]} and {k} are both in place {place + 1}"
                row[place] = k
        missing = set(range(1, self.n + 1)).difference(row.values())
        return f"{min(missing)} is missing" if missing else None

    def picture(self, solution: Iterable[Option]) -> Picture:
        """The row; both copies of a number have one colour."""
        row = [Cell()] * (2 * self.n)
        for number, first in solution:
            row[first] = row[first + number + 2] = Cell(str(number + 1), number)
        return strip(f"Langford pairs of 1 to {self.n}", row)

    def drawing(self, solution: Iterable[Option]) -> str:
        """The row, with a dot for an empty place."""
        row = ["."] * (2 * self.n)
        for number, first in solution:
            row[first] = row[first + number + 2] = str(number + 1)
        return " ".join(row)


@lru_cache(maxsize=8)
def _options(n: int, pivot: int) -> Solution:
    counts = [(2 * n - 1 - k) // (2 if k == pivot else 1) for k in range(1, n + 1)]
    return tuple((number, place) for number, count in enumerate(counts) for place in range(count))


class LangfordPairs(Family):
    """The numbers 1..n, twice each, for each n."""

    meaning = (
        "two copies of each of 1..n, those of k at a distance of k + 1; mirror images count once"
    )
    reference = "C. D. Langford, Mathematical Gazette 42, 1958"
    problem = Langford
