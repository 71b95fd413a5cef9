"""A short proof of the pigeonhole principle: if each of n rows has a queen, and no column has two,
then each column has one, and no row has two.

S. Cook, "A short proof of the pigeon hole principle using extended resolution", SIGACT News 8,
1976. By resolution alone, proofs are exponentially long (A. Haken, TCS 39, 1985). Here each step
moves the queen of the last row, if it is in the way, and leaves one row and one column fewer: about
n^5 / 3 clauses, 83,000 at n = 12.
"""

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import BinaryIO, Final

import numpy as np

from nqbench.checking import proof as checking
from nqbench.clauses.cnf import CNF, Block, CNFBuilder
from nqbench.measure.implication import implications
from nqbench.measure.implication.steps import Steps
from nqbench.problems.base import Problem
from nqbench.problems.queens import Queens

LARGEST_N: Final = 16
"""The largest n for which the proof is used; longer proofs take too long to check."""

Squares = dict[tuple[int, int], int]
"""The variable of each queen, by pigeon and hole."""


def board_to_cross(problem: Problem, formula: CNF) -> Block | None:
    """The board, rotated so that each row has a queen and each column at most one, if the formula
    does not state that each row and each column has one. None if it does, or for other problems.
    """
    if not isinstance(problem, Queens):
        return None
    n = problem.n
    rows = np.arange(1, n * n + 1, dtype=np.int32).reshape(n, n)
    wide = [block for block in formula.blocks if block.shape[1] == n]
    stated_lines = set().union(*map(_lines, wide))
    has_rows, has_columns = (_lines(lines) <= stated_lines for lines in (rows, rows.T))
    if has_rows and has_columns:
        return None
    return rows if has_rows or not has_columns else rows.T


@dataclass(frozen=True, slots=True)
class Pigeonholes:
    """Checks proofs of the principle, once for each n: rotating the board only renames the
    variables of claim and proof.
    """

    steps: Steps
    _checked: dict[int, bool] = field(default_factory=dict)

    def basis(self, problem: Problem, formula: CNF) -> list[str]:
        """The principle, if a proof that the formula implies the rules relies on it and it is not
        proved itself.
        """
        board = board_to_cross(problem, formula)
        return [] if board is None or self._is_checked(board) else ["the pigeonhole principle"]

    def _is_checked(self, board: Block) -> bool:
        def check() -> bytes:
            return b"" if checking.flaw(claim(board), proof(board)) else b"holds"

        n = len(board)
        if n not in self._checked:
            try:
                doing = "checking the pigeonhole principle"
                self._checked[n] = n <= LARGEST_N and self.steps.call(doing, check) == b"holds"
            except checking.NotCheckedError:
                self._checked[n] = False
        return self._checked[n]


def claim(board: Block) -> CNF:
    """A formula without a model: each row of `board`, shape (n, n), has a queen, and no column has
    two, but a clause of `following` is false.
    """
    premise = CNFBuilder(num_main=board.size)
    premise.add(board)
    premise.add(_pairs(board.T))
    return implications.implies(premise.build(), following(board))


def following(board: Block) -> list[list[int]]:
    """The clauses that follow: each column has a queen, and no row has two."""
    return [*board.T.tolist(), *_pairs(board).tolist()]


def proof(board: Block) -> BinaryIO:
    """A DRAT proof that `claim` has no model."""
    text = "".join(f"{' '.join(map(str, [*step, 0]))}\n" for step in _steps(board))
    return io.BytesIO(text.encode())


def _lines(lines: Block) -> set[frozenset[int]]:
    return set(map(frozenset, lines.tolist()))


def _pairs(groups: Block) -> Block:
    """The clauses (-a or -b) of every two variables of a row, shape (clauses, 2)."""
    first, second = np.triu_indices(groups.shape[1], 1)
    return -np.stack([groups[:, first], groups[:, second]], axis=2).reshape(-1, 2)


def _steps(board: Block) -> Iterator[list[int]]:
    n = len(board)
    fresh = count(claim(board).num_variables + 1)
    for column in range(n):
        squares = np.delete(board, column, axis=1)
        outside = [next(fresh) for _ in range(n)]
        needless = next(fresh)
        # Definitions: a row has a queen outside the column; every row has.
        for row, is_outside in enumerate(outside):
            yield from ([is_outside, -queen] for queen in squares[row].tolist())
            yield [-is_outside, *squares[row].tolist()]
        yield [needless, *(-is_outside for is_outside in outside)]
        yield from ([-needless, is_outside] for is_outside in outside)
        for row, is_outside in enumerate(outside):
            yield [is_outside, int(board[row, column])]
        queens = {(i, j): int(squares[i, j]) for i in range(n) for j in range(n - 1)}
        yield from _refute(queens, n - 1, needless, fresh)
    if n > 1:
        # The claim has a variable for each following clause, which says that it is false.
        yield from ([-(n * n + 1 + at)] for at in range(len(following(board))))
    yield []


def _refute(
    queens: Squares, holes: int, needless: int, fresh: Iterator[int]
) -> Iterator[list[int]]:
    """Yield clauses that end with the one that the column is not `needless`: that not every row has
    a queen outside it. There is one row more (a pigeon) than there are other columns (holes).
    """
    while holes > 1:
        last, holes = holes, holes - 1
        fewer = {(i, j): next(fresh) for i in range(last) for j in range(holes)}
        for (i, j), new in fewer.items():
            old, moved, mover = queens[i, j], queens[i, holes], queens[last, j]
            # The definition: pigeon i is in hole j, or in the last one, and the last pigeon in j.
            yield from ([new, -old], [new, -moved, -mover], [-new, old, moved], [-new, old, mover])
        for i in range(last):
            yield [*(fewer[i, j] for j in range(holes)), -needless]
        for (i, j), new in fewer.items():
            yield from ([-new, -queens[h, j]] for h in range(last) if h != i)
        for (i, j), new in fewer.items():
            yield from ([-new, -fewer[h, j]] for h in range(i))
        queens = fewer
    yield [-needless]
