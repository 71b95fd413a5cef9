"""Excluded diagonals, problem 079 of CSPLib, and its files: some diagonals must stay empty.

I. Gent, C. Jefferson, P. Nightingale, "Complexity of n-queens completion", Journal of Artificial
Intelligence Research 59, 2017. The pair (k, 1) is the sum diagonal, with the squares where
row + column = k; (k, 0) is the difference diagonal, where row - column = k - (n - 1). A file holds
`n = 8`, `numdiags = 2` and `diags = [[3, 0], [11, 1]]`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from nqbench.common.errors import InputError, Place
from nqbench.problems.board_text import place_at
from nqbench.problems.queens import LARGEST_N, Queens, Square

FAMILY: Final = "excluded-diagonals"

MOST_SQUARES: Final = 1 << 22
"""The largest n times the number of excluded diagonals. Excluding every diagonal of a board of
1000 rows stays below it.
"""

Diagonal = tuple[int, int]
"""(k, kind): k from 0 to 2n - 2, kind 1 for a sum diagonal and 0 for a difference diagonal."""


_PAIR: Final = re.compile(r"\[\s*(\d{1,6})\s*,\s*([01])\s*\]\s*(,\s*|(?=\]))")


def excluding(n: int, diagonals: Sequence[Diagonal], name: str) -> Queens:
    """The board without these diagonals; its density is their number divided by n."""
    count = len(diagonals)
    if n > LARGEST_N or n * count > MOST_SQUARES:
        raise InputError(f"n is {n}: too large a board for {count} excluded diagonals")
    blocked = tuple(square for diagonal in diagonals for square in squares(n, diagonal))
    return Queens(n, FAMILY, (), blocked, f"{name} d={count}".strip(), density=count / n)


def squares(n: int, diagonal: Diagonal) -> Iterator[Square]:
    """Yield the squares of a diagonal, from top to bottom."""
    k, kind = diagonal
    for row in range(n):
        column = k - row if kind else row - (k - (n - 1))
        if 0 <= column < n:
            yield row, column


@dataclass(frozen=True, slots=True)
class Listed:
    """The list of diagonals in a file. Its first d diagonals are an instance, for every d."""

    n: int
    diagonals: Sequence[Diagonal]
    name: str

    def problem(self, count: int) -> Queens:
        """The board without the first `count` diagonals."""
        return excluding(self.n, self.diagonals[:count], self.name)


def parse(text: str, source: str, name: str = "") -> Listed:
    """Parse the text of a file. Raises `InputError`."""
    n = _number(text, source, "n", least=1)
    num_diagonals = _number(text, source, "numdiags", least=0)
    pairs = _pairs(text, source, n)
    if len(pairs) != num_diagonals:
        reason = f"{len(pairs)} pairs, but numdiags is {num_diagonals}"
        raise InputError(reason, place=place_at(text, source, _start(text, source, "diags")))
    return Listed(n, pairs, name)


def _number(text: str, source: str, name: str, least: int) -> int:
    start = _start(text, source, name)
    value = text[start:].partition("\n")[0].strip()
    if not re.fullmatch(r"\d{1,6}", value) or int(value) < least:
        raise InputError(
            f"{name} is '{value[:20]}': expected a whole number from {least}",
            place=place_at(text, source, start),
        )
    return int(value)


def _pairs(text: str, source: str, n: int) -> list[Diagonal]:
    position = _start(text, source, "diags")
    opening = re.compile(r"\[\s*").match(text, position)
    position = opening.end() if opening else position
    pairs: list[Diagonal] = []
    while opening and (match := _PAIR.match(text, position)):
        k, kind = int(match[1]), int(match[2])
        if k > 2 * n - 2:
            raise InputError(
                f"no diagonal {k}: they go up to {2 * n - 2}",
                place=place_at(text, source, position),
            )
        pairs.append((k, kind))
        position = match.end()
    if not opening or text[position : position + 1] != "]":
        reason = "expected a list of pairs, [[k, 0], [k, 1], ...]"
        raise InputError(reason, place=place_at(text, source, position))
    return pairs


def _start(text: str, source: str, name: str) -> int:
    """The offset of a name's value."""
    match = re.search(rf"^[ \t]*{name}[ \t]*=[ \t]*", text, re.MULTILINE)
    if match is None:
        raise InputError(f"no line '{name} = ...'", place=Place(source))
    return match.end()
