"""Random boards of the families that are NP-complete, from empty to as full as they get.

The board of one seed and number fills up in one random order, so that a denser one holds all that
is on a thinner one: a sweep over the density shows the density, and not another draw.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

from nqbench.errors import InputError
from nqbench.problems import excluded_diagonals
from nqbench.problems.base import Problem, Square


@dataclass(frozen=True, slots=True)
class Model:
    """How boards of a family are drawn: parts in random order, as many as there can be, and the
    board with the first of them. `part` is what they are called; `measure` says what the density
    counts: 1 is `whole(n)` parts.
    """

    part: str
    measure: str
    whole: Callable[[int], int]
    parts: Callable[[int, random.Random], Sequence[Any]]
    board: Callable[[int, Sequence[Any], str], Problem]


def _queens(n: int, source: random.Random) -> list[Square]:
    """Squares that do not attack each other, until every other one is attacked."""
    queens: list[Square] = []
    taken: set[tuple[str, int]] = set()
    for row, column in _all_squares(n, source):
        lines = {("|", column), ("-", row), ("\\", row - column), ("/", row + column)}
        if taken.isdisjoint(lines):
            queens.append((row, column))
            taken |= lines
    return queens


def _all_squares(n: int, source: random.Random) -> list[Square]:
    squares = list(product(range(n), range(n)))
    source.shuffle(squares)
    return squares


MODELS: Final = {
    "completion": Model(
        "queens",
        "queens placed / n",
        lambda n: n,
        _queens,
        lambda n, queens, name: Problem(
            n, "completion", tuple(queens), (), f"{name} q={len(queens)}", len(queens) / n
        ),
    ),
    "blocked": Model(
        "squares",
        "squares blocked / n²",
        lambda n: n * n,
        _all_squares,
        lambda n, squares, name: Problem(
            n, "blocked", (), tuple(squares), f"{name} b={len(squares)}", len(squares) / n**2
        ),
    ),
    excluded_diagonals.FAMILY: Model(
        "diagonals",
        "diagonals excluded / n",
        lambda n: n,
        excluded_diagonals.random_list,
        excluded_diagonals.excluding,
    ),
}


@dataclass(frozen=True, slots=True)
class TooDense:
    """What could not be drawn: that many parts do not get on these boards."""

    family: str
    n: int
    parts: int
    instances: int

    def __str__(self) -> str:
        return (
            f"{self.family} n={self.n}: {self.instances} of the random boards hold fewer than "
            f"{self.parts} {MODELS[self.family].part}"
        )


def boards(
    family: str, sizes: Iterable[int], densities: Sequence[float], instances: int, seed: int
) -> Iterator[Problem | TooDense]:
    """For each n as many random boards as `instances` of each density, as near to it as whole parts
    allow, each board once.

    Raises `InputError` if the family has no random boards, or a density is below 0.
    """
    if family not in MODELS:
        raise InputError(f"family '{family}' has no random boards: choose from {', '.join(MODELS)}")
    if min(densities) < 0:
        raise InputError(f"a density of {min(densities):g} is below 0")
    model = MODELS[family]
    for n in sizes:
        counts = sorted({int(density * model.whole(n) + 0.5) for density in densities})
        names = [f"{seed}-{number}" for number in range(1, instances + 1)]
        drawn = {name: model.parts(n, random.Random(f"{family} {n} {name}")) for name in names}
        for count in counts:
            fitting = {name: parts for name, parts in drawn.items() if len(parts) >= count}
            for name, parts in fitting.items():
                yield model.board(n, parts[:count], name)
            if len(fitting) < instances:
                yield TooDense(family, n, count, instances - len(fitting))
