"""Which formula of a folder is for which n: by a number in its name, or its number of variables."""

import math
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from nqbench.common import files
from nqbench.common.errors import InputError, Place
from nqbench.common.printable import printable
from nqbench.problems.queens import LARGEST_N

_LARGEST_FILE: Final = 256 * 2**20
_MOST_COMMENTS: Final = 10_000
_HEADER: Final = re.compile(rb"p\s+cnf\s+(\d{1,10})\s")


def assign_sizes(formulas: Sequence[Path]) -> tuple[tuple[int, Path], ...]:
    """The formula of each n, sorted.

    n is the last number in the file's name for which the formula has enough variables, n * n.
    Without such a number, it is the root of the number of variables. Raises `InputError` if a
    formula is for no n, or two are for the same.
    """
    assigned: dict[int, Path] = {}
    for path in formulas:
        n = _size(path)
        if n in assigned:
            names = f"{printable(assigned[n].name)} and {printable(path.name)}"
            raise InputError(f"{names} are both for n = {n}: name each after its n")
        assigned[n] = path
    return tuple(sorted(assigned.items()))


def _size(path: Path) -> int:
    variables = _variables(path)
    for number in reversed(re.findall(r"\d+", path.name.partition(".")[0])):
        if len(number) < 6 and 1 <= int(number) <= LARGEST_N:
            n = int(number)
            if variables is None or n * n <= variables:
                return n
    root = math.isqrt(variables or 0)
    if root and root * root == variables:
        return root
    raise InputError(
        "for which n is it? Name it after its n, as 8.cnf", place=Place(printable(path.name))
    )


def _variables(path: Path) -> int | None:
    """The number of variables in the header; None if it has none."""
    with files.opened(path, _LARGEST_FILE) as file:
        for line in _first_lines(file):
            if header := _HEADER.match(line):
                return int(header[1])
    return None


def _first_lines(file: Iterator[bytes]) -> Iterator[bytes]:
    return islice(file, _MOST_COMMENTS)
