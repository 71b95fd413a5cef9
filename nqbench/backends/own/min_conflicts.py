"""Min-conflicts local search: algorithm QS4 of R. Sosič and J. Gu, "Efficient local search with
conflict minimization: a case study of the n-queens problem", IEEE Trans. Knowledge and Data
Engineering 6(5), 1994.

The queens are a permutation, the column of each row, so they collide only on diagonals. A start
places as many queens as possible without a collision and the rest anywhere. It is then repaired by
swaps: two queens exchange their columns. The number of queens on each diagonal is stored, so a swap
is evaluated in O(1).

QS4 tries random squares and takes the first swap after which neither queen collides. Placed queens
and blocked squares leave fewer swaps, so here a queen starts on any safe square of its row, and
takes the swap that leaves the fewest collisions.
"""

from random import Random

import numpy as np
from numpy.typing import NDArray

from nqbench.backends.base import Backend, Capabilities, Solver
from nqbench.clauses.cnf import Assignment
from nqbench.common.metrics import Counters
from nqbench.common.vocabulary import Answer, Form
from nqbench.plugins.parameters import Whole
from nqbench.problems.queens import Queens

Integers = NDArray[np.int64]
"""Rows, columns, or counts of queens; shape (k,)."""

Allowed = NDArray[np.bool_]
"""Whether a queen may be on each square, shape (n, n)."""


class MinConflicts(Backend):
    """Restarts after `moves` moves for each row, and gives up after `restarts` restarts."""

    takes = Form.PROBLEM
    default_encoding = "none"

    parameters = {
        "seed": Whole(default=0, least=0),
        "moves": Whole(default=10, least=1),
        "restarts": Whole(default=100, least=0),
    }
    capabilities = Capabilities(counters=True, complete=False)

    def load(self, problem: Queens) -> Solver:
        return _MinConflictsSolver(
            problem.wraps,
            allowed_squares(problem),
            Random(int(self.values["seed"])),
            moves=problem.n * int(self.values["moves"]),
            restarts=int(self.values["restarts"]),
        )


class _MinConflictsSolver(Solver):
    def __init__(
        self, wraps: bool, allowed: Allowed, random: Random, *, moves: int, restarts: int
    ) -> None:
        self._wraps = wraps
        self._allowed = allowed
        self._random = random
        self._moves = moves
        self._restarts = restarts
        self._rows = np.arange(len(allowed))
        self._columns = np.full(len(allowed), -1)  # -1: the row has no queen yet
        self._moves_made = self._restarts_made = 0

    def solve(self) -> Answer:
        for attempt in range(self._restarts + 1):
            if attempt:
                self._restarts_made += 1
            self._place_safely()
            if not self._place_others():
                return Answer.UNKNOWN
            if self._repair():
                return Answer.SAT
        return Answer.UNKNOWN

    def model(self) -> Assignment:
        queens = np.zeros_like(self._allowed)
        queens[self._rows, self._columns] = True
        return queens.ravel()

    def counters(self) -> Counters:
        return Counters(nodes=self._moves_made, restarts=self._restarts_made)

    def _place_safely(self) -> None:
        """Place a queen in each row that has a square which no other queen attacks."""
        self._columns[:] = -1
        empty = np.ones_like(self._rows, dtype=np.bool_)
        diagonals = Diagonals(self._columns, self._wraps)
        for row, allowed in enumerate(self._allowed):
            alone = diagonals.queens(row, self._rows) == 0
            if (safe := np.flatnonzero(allowed & empty & alone)).size:
                column = self._any_of(safe)
                self._columns[row] = column
                empty[column] = False
                diagonals.add(row, column, 1)

    def _place_others(self) -> bool:
        """Place queens in the other rows, where they may collide. Returns False if there is no
        permutation.
        """
        return all(self._augment(row) for row in np.flatnonzero(self._columns < 0).tolist())

    def _augment(self, row: int) -> bool:
        """Find a column for the row, and new columns for rows that give theirs away, along an
        augmenting path (C. Berge, "Two theorems in graph theory", PNAS 43, 1957), breadth first.
        """
        holder, asker = np.full_like(self._columns, -1), np.full_like(self._columns, -1)
        (matched,) = np.nonzero(self._columns >= 0)
        holder[self._columns[matched]] = matched
        queue = [row]
        for asking_row in queue:
            (columns,) = np.nonzero(self._allowed[asking_row] & (asker < 0))
            asker[columns] = asking_row
            if (unmatched := columns[holder[columns] < 0]).size:
                column = self._any_of(unmatched)
                while column >= 0:
                    taker = asker[column]
                    self._columns[taker], column = column, int(self._columns[taker])
                return True
            queue += holder[columns].tolist()
        return False

    def _repair(self) -> bool:
        """Swap until no queens collide. Returns False after too many moves."""
        diagonals = Diagonals(self._columns, self._wraps)
        for _ in range(self._moves):
            # More than 2, since the queen itself is counted on both of its diagonals.
            colliding = np.flatnonzero(diagonals.queens(self._rows, self._columns) > 2)
            if not colliding.size:
                return True
            self._swap(self._any_of(colliding), diagonals)
        return False

    def _swap(self, row: int, diagonals: "Diagonals") -> None:
        """Swap the queen of the row with the best partner whose swap uses allowed squares."""
        column = int(self._columns[row])
        may = self._allowed[row, self._columns] & self._allowed[:, column]
        may[row] = False
        if not (partners := np.flatnonzero(may)).size:
            return
        collisions = diagonals.after_swap(row, column, partners, self._columns[partners])
        partner = self._any_of(partners[collisions == collisions.min()])
        other = int(self._columns[partner])
        for queen, old, new in ((row, column, other), (partner, other, column)):
            diagonals.add(queen, old, -1)
            diagonals.add(queen, new, 1)
            self._columns[queen] = new
        self._moves_made += 1

    def _any_of(self, choices: Integers) -> int:
        return int(choices[self._random.randrange(len(choices))])


class Diagonals:
    """The number of queens on each diagonal; on a torus these continue at the opposite edge."""

    def __init__(self, columns: Integers, wraps: bool = False) -> None:
        self._count = len(columns) if wraps else 2 * len(columns)
        (rows,) = np.nonzero(columns >= 0)
        columns = columns[rows]
        self._falling = np.bincount((rows - columns) % self._count, minlength=self._count)
        self._rising = np.bincount((rows + columns) % self._count, minlength=self._count)

    def add(self, row: int, column: int, queens: int) -> None:
        """Add `queens` queens to the square; -1 removes one."""
        self._falling[(row - column) % self._count] += queens
        self._rising[(row + column) % self._count] += queens

    def queens(self, rows: Integers | int, columns: Integers | int) -> Integers:
        """The number of queens on the two diagonals of each square together."""
        falling, rising = (rows - columns) % self._count, (rows + columns) % self._count
        number: Integers = self._falling[falling] + self._rising[rising]
        return number

    def after_swap(self, row: int, column: int, rows: Integers, columns: Integers) -> Integers:
        """The collisions that are left after a queen's swap with each of the others, up to a
        constant.
        """
        # Two queens that collide do so again after their swap, on the crossing diagonal. The other
        # terms subtract their collision with either queen and do not add it again.
        apart, aside = rows - row, columns - column
        again = ((apart - aside) % self._count == 0) | ((apart + aside) % self._count == 0)
        arriving = self.queens(row, columns) + self.queens(rows, column)
        collisions: Integers = arriving - self.queens(rows, columns) + 2 * again
        return collisions


def allowed_squares(problem: Queens) -> Allowed:
    """All squares except the blocked ones and those that a placed queen attacks.

    A placed queen stays, because its row has no other allowed square. If another placed queen
    attacks it, its row has no allowed square at all.
    """
    n, rows = problem.n, np.arange(problem.n)
    allowed = np.ones((n, n), dtype=np.bool_)
    for square in problem.blocked:
        allowed[square] = False
    for row, column in problem.placed:
        stays = allowed[row, column]
        allowed[row] = allowed[:, column] = False
        for diagonal in (column + rows - row, column - rows + row):
            columns = diagonal % n
            on_board = problem.wraps | (columns == diagonal)
            allowed[rows[on_board], columns[on_board]] = False
        allowed[row, column] = stays
    return allowed
