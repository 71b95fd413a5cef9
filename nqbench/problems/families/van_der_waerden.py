"""`van-der-waerden`: colour 1..n red or blue without an arithmetic progression of one colour.

B. van der Waerden, "Beweis einer Baudetschen Vermutung", Nieuw Archief voor Wiskunde 15, 1927; D.
Knuth, TAOCP 4B, section 7.2.2.2. A red progression may have fewer than `red` numbers, a blue one
fewer than `blue`. An option (i,), from 0, says that i + 1 is red. Each progression of `red` numbers
is a bounded item [0, red - 1], and each of `blue` numbers one [1, all]. There is a solution if and
only if n is less than the van der Waerden number: 9 for 3 and 3, 18 for 3 and 4, 35 for 4 and 4
(V. Chvatal, "Some unknown van der Waerden numbers", 1970).

>>> from nqbench.clauses import dimacs
>>> from nqbench.encodings.base import Encoding
>>> from nqbench.problems.families.base import Family
>>> numbers = Family.named("van-der-waerden").of_size(5)
>>> print(dimacs.text(Encoding.named("pairwise").clauses(numbers)))
p cnf 5 8
-1 -2 -3 0
-2 -3 -4 0
-3 -4 -5 0
-1 -3 -5 0
1 2 3 0
2 3 4 0
3 4 5 0
1 3 5 0
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from nqbench.clauses.constraints import Constraints
from nqbench.clauses.rows import Rows
from nqbench.plugins.parameters import Whole
from nqbench.problems.base import BoundedProblem
from nqbench.problems.cover import Items
from nqbench.problems.families.base import Family
from nqbench.problems.options import Box, Option
from nqbench.problems.picture import Cell, Picture, strip
from nqbench.problems.rules import Counted, Rules

LARGEST_N: Final = 2000
"""The largest n, which has a million progressions of three numbers."""


_BLUE, _RED = 0, 5
"""Colours of pictures."""


@dataclass(frozen=True, slots=True)
class VanDerWaerden(BoundedProblem):
    """Colour 1..n so that no `red` numbers in arithmetic progression are red, and no `blue` ones
    blue. The options are the red numbers, from 0.
    """

    n: int
    red: int = 3
    blue: int = 3
    family: str = "van-der-waerden"

    plural: ClassVar[str] = "colourings without a progression"
    largest_n: ClassVar[int] = LARGEST_N

    @property
    def options(self) -> Box:
        return Box(self.n)

    def constraints(self) -> Constraints:
        red, blue = self._progressions(self.red), self._progressions(self.blue)
        return Constraints.of(self.n, Rows.at_most(red, self.red - 1), Rows.at_least(blue, 1))

    def _progressions(self, length: int) -> Items:
        """Each progression of so many numbers, as variables; shape (progressions, length)."""
        steps = np.arange(1, (self.n - 1) // (length - 1) + 1)
        progressions = [
            np.arange(1, self.n - step * (length - 1) + 1)[:, np.newaxis] + step * np.arange(length)
            for step in steps
        ]
        return np.concatenate([np.zeros((0, length)), *progressions]).astype(np.int32)

    def rules(self) -> Rules:
        """Of the numbers of each progression one has the other colour."""
        red, blue = (
            [np.array(progression) + 1 for progression in _in_progression(self.n, length)]
            for length in (self.red, self.blue)
        )
        return Rules(
            self.options,
            None,
            blue,
            counted=[Counted(progression, 0, self.red - 1) for progression in red],
        )

    def violation(self, solution: Iterable[Option]) -> str | None:
        red = {number for (number,) in solution}
        if wrong := [number for number in red if not 0 <= number < self.n]:
            return f"no number {wrong[0] + 1}"
        for name, length, own in (
            ("red", self.red, red),
            ("blue", self.blue, set(range(self.n)) - red),
        ):
            for progression in _in_progression(self.n, length):
                if own.issuperset(progression):
                    return f"{', '.join(str(number + 1) for number in progression)} are {name}"
        return None

    def picture(self, solution: Iterable[Option]) -> Picture:
        """The numbers in two colours; those that are red also have a letter."""
        red = {number for (number,) in solution}
        cells = [
            Cell(f"{number + 1}R", _RED) if number in red else Cell(str(number + 1), _BLUE)
            for number in range(self.n)
        ]
        return strip(f"1 to {self.n} in two colours", cells)

    def drawing(self, solution: Iterable[Option]) -> str:
        """R or B for each number."""
        red = {number for (number,) in solution}
        return "".join("R" if number in red else "B" for number in range(self.n))


def _in_progression(n: int, length: int) -> Iterator[range]:
    """Each arithmetic progression of so many of the numbers 0..n-1."""
    for first in range(n):
        for second in range(first + 1, n):
            last = first + (length - 1) * (second - first)
            if last < n:
                yield range(first, last + 1, second - first)


class Colourings(Family):
    """The numbers 1..n for each n, without three of one colour in arithmetic progression."""

    meaning = "1..n in two colours, without arithmetic progressions of one colour"
    reference = "B. van der Waerden, Nieuw Archief voor Wiskunde 15, 1927"
    problem = VanDerWaerden
    parameters = {"red": Whole(default=3, least=2), "blue": Whole(default=3, least=2)}

    def of_size(self, n: int) -> VanDerWaerden:
        return VanDerWaerden(n, int(self.values["red"]), int(self.values["blue"]), self.name)
