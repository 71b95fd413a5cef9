"""Random boards of the NP-complete families, from empty to as full as possible.

The board of a seed and number is filled in one random order, so a denser board contains everything
that is on a sparser one. A sweep over densities then shows the effect of the density alone.
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
    """How random boards of a family are drawn. `parts` returns as many parts as fit, in random
    order; `board` makes a board of the first of them; `part` is their name. `measure` describes the
    density, which is 1 for `whole(n)` parts.
    """

    part: str
    measure: str
    whole: Callable[[int], int]
    parts: Callable[[int, random.Random], Sequence[Any]]
    board: Callable[[int, Sequence[Any], str], Problem]


def _queens(n: int, source: random.Random) -> list[Square]:
    """Random squares that do not attack each other, until all others are attacked."""
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
    """Boards that could not be drawn, since so many parts do not fit."""

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
    """Yield `instances` random boards for each n and density, rounded to whole parts, each board
    once.

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
