"""Min-conflicts local search: R. Sosič and J. Gu, "Efficient local search with conflict
minimization: a case study of the n-queens problem", IEEE Trans. Knowledge and Data Engineering
6(5), 1994, there QS4.

The queens are a permutation, the column of each row, so that they collide on diagonals only. A
start places all it can without a collision and the rest anywhere, and is repaired by swaps: two
queens exchange their columns. With the queens on each diagonal counted, a swap is judged in O(1).

Placed queens and blocked squares leave fewer swaps. So where QS4 tries random squares and takes the
first swap after which neither queen collides, here a queen may go to any safe square of its row,
and takes the swap that leaves fewest collisions.
"""

from random import Random

import numpy as np
from numpy.typing import NDArray

from nqbench.backends.base import Backend, Capabilities, Counters, Solver
from nqbench.components.parameters import Whole
from nqbench.instances.cnf import Assignment
from nqbench.problems.base import Problem
from nqbench.vocabulary import Answer, Form

Integers = NDArray[np.int64]
"""Shape (k,): rows, columns, or counts of queens."""

Allowed = NDArray[np.bool_]
"""Shape (n, n): whether a queen may stand there."""


class MinConflicts(Backend):
    """Starts anew after `moves` moves for each row of the board, and gives up after `restarts`."""

    takes = Form.PROBLEM
    default_encoding = "none"

    parameters = {
        "seed": Whole(default=0, least=0),
        "moves": Whole(default=10, least=1),
        "restarts": Whole(default=100, least=0),
    }
    capabilities = Capabilities(counters=True, complete=False)

    def load(self, problem: Problem) -> Solver:
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
        self._columns = np.full(len(allowed), -1)  # -1 where a row has no queen yet
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
        """In each row a queen where no other attacks it, if there is such a square."""
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
        """In the other rows a queen where it may collide; False if there is no permutation."""
        return all(self._augment(row) for row in np.flatnonzero(self._columns < 0).tolist())

    def _augment(self, row: int) -> bool:
        """Find a column for the row, and others for the rows that have to give theirs away: along
        an augmenting path (C. Berge, "Two theorems in graph theory", PNAS 43, 1957), breadth first.
        """
        holder, asker = np.full_like(self._columns, -1), np.full_like(self._columns, -1)
        (matched,) = np.nonzero(self._columns >= 0)
        holder[self._columns[matched]] = matched
        queue = [row]
        for asking in queue:
            (asked,) = np.nonzero(self._allowed[asking] & (asker < 0))
            asker[asked] = asking
            if (unmatched := asked[holder[asked] < 0]).size:
                column = self._any_of(unmatched)
                while column >= 0:
                    taker = asker[column]
                    self._columns[taker], column = column, int(self._columns[taker])
                return True
            queue += holder[asked].tolist()
        return False

    def _repair(self) -> bool:
        """Swap until no queens collide; False if that takes too long."""
        diagonals = Diagonals(self._columns, self._wraps)
        for _ in range(self._moves):
            # More than the queen itself, which stands on both of its diagonals.
            colliding = np.flatnonzero(diagonals.queens(self._rows, self._columns) > 2)
            if not colliding.size:
                return True
            self._swap(self._any_of(colliding), diagonals)
        return False

    def _swap(self, row: int, diagonals: "Diagonals") -> None:
        """Swap the queen of the row with the best partner, if both may stand where they come to."""
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
    """How many queens stand on each diagonal; on a torus these go on at the opposite edge."""

    def __init__(self, columns: Integers, wraps: bool = False) -> None:
        self._count = len(columns) if wraps else 2 * len(columns)
        (rows,) = np.nonzero(columns >= 0)
        columns = columns[rows]
        self._falling = np.bincount((rows - columns) % self._count, minlength=self._count)
        self._rising = np.bincount((rows + columns) % self._count, minlength=self._count)

    def add(self, row: int, column: int, queens: int) -> None:
        """Put so many queens on the square, or with -1 take one away."""
        self._falling[(row - column) % self._count] += queens
        self._rising[(row + column) % self._count] += queens

    def queens(self, rows: Integers | int, columns: Integers | int) -> Integers:
        """On the two diagonals of each square, together."""
        falling, rising = (rows - columns) % self._count, (rows + columns) % self._count
        found: Integers = self._falling[falling] + self._rising[rising]
        return found

    def after_swap(self, row: int, column: int, rows: Integers, columns: Integers) -> Integers:
        """The collisions that a queen's swap with each of some others leaves, but for a number that
        is the same for all.
        """
        # Two that collide do so again after their swap, on the diagonal across. The rest takes that
        # collision away with either queen and does not bring it back.
        apart, aside = rows - row, columns - column
        again = ((apart - aside) % self._count == 0) | ((apart + aside) % self._count == 0)
        arriving = self.queens(row, columns) + self.queens(rows, column)
        left: Integers = arriving - self.queens(rows, columns) + 2 * again
        return left


def allowed_squares(problem: Problem) -> Allowed:
    """All but the blocked squares and those that a placed queen attacks.

    So a placed queen stays: its row has no other square left. If another one attacks it there is
    none at all.
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
