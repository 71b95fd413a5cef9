"""A* (P. Hart, N. Nilsson, B. Raphael, IEEE Trans. Systems Science and Cybernetics 4, 1968).

As in 'SAT approach for 8 queens', it searches on the clauses of `level2`. A state is a set of
queens that do not attack each other, with the squares that are still free. A successor has one more
queen, on a free square, at a cost of 1. A goal has n queens and satisfies every clause.

A clause of two negative literals means that two squares attack each other. A clause of one literal
places a queen or blocks a square. Any other clause is checked only in a goal. `level2` does not
state that each row and each column needs a queen, which follows by counting; the search takes it
from the board.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush

import numpy as np

from nqbench.backends.base import Backend, Capabilities, Solver, Step, StepKind
from nqbench.clauses.cnf import CNF, Assignment
from nqbench.common.metrics import Counters
from nqbench.common.vocabulary import Answer
from nqbench.encodings.base import Encoding
from nqbench.encodings.pairwise import Pairwise
from nqbench.plugins.parameters import Choice
from nqbench.problems.board_lines import Grid
from nqbench.problems.queens import Queens

Squares = int
"""A set of squares: bit v is the square of variable v."""


class AStar(Backend):
    """A* from the placed queens to n queens.

    `heuristic`: `queens` is the number of queens still to place, which is a lower bound. `free`
    adds the number of free squares, which prefers states with less left to try. It is not a lower
    bound, but loses nothing, since all solutions cost the same. Both are infinite if a row or
    column without a queen has no free square; that state is dropped.

    `branch`: `all` tries every free square. `line` tries only the squares of one line: of the rows
    and columns without a queen, the one with the fewest free squares. Every solution has a queen
    there, so none is lost, and its queens are placed in one order instead of all orders.
    """

    only_for = Queens
    default_encoding = "level2"
    knows_lazy_clauses = True

    parameters = {
        "heuristic": Choice("queens", ("queens", "free")),
        "branch": Choice("line", ("line", "all")),
    }
    capabilities = Capabilities(enumeration=True, counters=True, steps=True)

    def accepts(self, encoding: Encoding) -> bool:
        """Only `pairwise`: variables must be squares, and attacks must be clauses of two."""
        return isinstance(encoding, Pairwise)

    def load(self, cnf: CNF) -> Solver:
        return _AStarSolver(
            cnf,
            counts_free=self.values["heuristic"] == "free",
            one_line=self.values["branch"] == "line",
        )

    def smallest(self) -> CNF:
        return CNF(1, 1, (np.array([[1]], np.int32),))


class _AStarSolver(Solver):
    def __init__(self, cnf: CNF, counts_free: bool, one_line: bool) -> None:
        self._counts_free = counts_free
        self._one_line = one_line
        self._num_variables = cnf.num_variables
        self._n = math.isqrt(cnf.num_main)
        self._board = _squares(range(1, cnf.num_main + 1))
        rows = Grid(self._n).rows.tolist()
        self._lines = [_squares(line) for line in (*rows, *zip(*rows, strict=True))]
        self._attacks = [1 << square for square in range(cnf.num_main + 1)]
        self._placed = self._blocked = 0
        self._checked: list[tuple[Squares, Squares]] = []
        self._expanded = self._generated = 0
        self._goal = 0
        for clause in cnf.clauses():
            self.add(clause)

    def add(self, clause: Sequence[int]) -> None:
        match sorted(set(clause)):
            case [literal] if literal > 0:
                self._placed |= 1 << literal
            case [literal]:
                self._blocked |= 1 << -literal
            case [a, b] if b < 0:
                self._attacks[-a] |= 1 << -b
                self._attacks[-b] |= 1 << -a
            case literals:
                queens = _squares(literal for literal in literals if literal > 0)
                empty = _squares(-literal for literal in literals if literal < 0)
                self._checked.append((queens, empty))

    def solve(self) -> Answer:
        goal = next(self._goals(), None)
        if goal is None:
            return Answer.UNSAT
        self._goal = goal
        return Answer.SAT

    def model(self) -> Assignment:
        return self._assignment(self._goal)

    def models(self) -> Iterator[Assignment]:
        return map(self._assignment, self._goals())

    def steps(self) -> Iterator[Step]:
        for queens, free in self._states():
            kind = StepKind.EXPAND if self._missing(queens) else StepKind.SOLUTION
            yield Step(kind, tuple(_each(queens)), tuple(_each(free)))

    def counters(self) -> Counters:
        return Counters(nodes=self._expanded, generated=self._generated)

    def _goals(self) -> Iterator[Squares]:
        """Yield every goal once."""
        return (queens for queens, _ in self._states() if not self._missing(queens))

    def _missing(self, queens: Squares) -> int:
        """The number of queens still to place."""
        return self._n - queens.bit_count()

    def _states(self) -> Iterator[tuple[Squares, Squares]]:
        """Yield the queens and free squares of every expanded state and goal once, in order of f.
        If f is equal, states with more queens come first, then those made first.
        """
        frontier: list[tuple[int, int, int, Squares, Squares]] = []
        reached: set[Squares] = set()

        def generate(queens: Squares, free: Squares) -> None:
            self._generated += 1
            # A set of queens costs the same in any order, so only the first is kept.
            if queens in reached or self._is_dead_end(queens, free):
                return
            reached.add(queens)
            f = self._n + (free.bit_count() if self._counts_free else 0)
            heappush(frontier, (f, self._missing(queens), self._generated, queens, free))

        if start := self._start():
            generate(*start)
        while frontier:
            _, num_missing, _, queens, free = heappop(frontier)
            if num_missing:
                self._expanded += 1
                yield queens, free
                for square in _each(self._candidates(queens, free)):
                    generate(queens | 1 << square, free & ~self._attacks[square])
            elif self._satisfies(queens):
                yield queens, free

    def _start(self) -> tuple[Squares, Squares] | None:
        """The state of the placed queens; None if one is attacked or on a blocked square."""
        excluded = self._blocked
        for square in _each(self._placed):
            if excluded >> square & 1:
                return None
            excluded |= self._attacks[square]
        return self._placed, self._board & ~excluded

    def _is_dead_end(self, queens: Squares, free: Squares) -> bool:
        usable = queens | free
        return any(not line & usable for line in self._lines)

    def _candidates(self, queens: Squares, free: Squares) -> Squares:
        """The squares to try for the next queen."""
        if not self._one_line:
            return free
        return min((line & free for line in self._lines if not line & queens), key=int.bit_count)

    def _satisfies(self, queens: Squares) -> bool:
        return all(queens & true or ~queens & false for true, false in self._checked)

    def _assignment(self, queens: Squares) -> Assignment:
        values = np.zeros(self._num_variables, dtype=np.bool_)
        values[[square - 1 for square in _each(queens)]] = True
        return values


def _squares(variables: Iterable[int]) -> Squares:
    return sum(1 << variable for variable in variables)


def _each(squares: Squares) -> Iterator[int]:
    """The variables of the squares, ascending."""
    while squares:
        lowest = squares & -squares
        yield lowest.bit_length() - 1
        squares ^= lowest
