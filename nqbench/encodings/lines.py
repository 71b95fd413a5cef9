"""Encodings with a variable for each square and an at-most-one scheme on each line."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Final

import numpy as np

from nqbench.components.parameters import Choice, Parameter
from nqbench.encodings.base import SYMMETRY, Encoding, given, right_half
from nqbench.encodings.grid import Grid, Lines
from nqbench.encodings.stamp import stamp
from nqbench.instances.cnf import CNF, Block, CNFBuilder
from nqbench.problems.base import Problem

STATE: Final = Choice("both", ("both", "rows", "columns", "alo-rows", "alo-columns", "board"))
"""Which constraints are stated; the others follow from them by counting.

both: exactly one queen in each row and in each column
rows: exactly one in each row, at most one in each column; columns: the other way round
alo-rows: at least one in each row, at most one in each column; alo-columns: the other way round
board: at least one on the board, at most one in each row and column; does not force n queens

At most one on each diagonal is always stated.
"""

_AT_LEAST_ONE: Final = {
    "both": ("rows", "columns"),
    "rows": ("rows",),
    "columns": ("columns",),
    "alo-rows": ("rows",),
    "alo-columns": ("columns",),
    "board": ("board",),
}
_AT_MOST_ONE: Final = {"alo-rows": ("columns",), "alo-columns": ("rows",)}


class LineEncoding(Encoding):
    """At least one on some lines, and an at-most-one scheme on rows, columns and diagonals."""

    parameters: ClassVar[Mapping[str, Parameter]] = {"state": STATE, "symmetry": SYMMETRY}

    @property
    def state(self) -> str:
        """Which constraints are stated: one of `STATE`."""
        return str(self.values.get("state", STATE.default))

    @property
    def forces_all_queens(self) -> bool:
        return self.state != "board"

    @abstractmethod
    def constrain(self, cnf: CNFBuilder, x: Block) -> None:
        """Add the scheme for the variables x, shape (k,) with k > 2."""

    def at_most_one(self, k: int) -> CNF:
        """The scheme on k literals, as a formula whose board is variables 1..k.

        For two literals it is one clause in every scheme: no scheme can be simpler.
        """
        cnf = CNFBuilder(board=k)
        if k == 2:
            cnf.add([[-1, -2]])
        elif k > 2:
            self.constrain(cnf, np.arange(1, k + 1, dtype=np.int32))
        return cnf.build_by_width()

    def encode(self, problem: Problem) -> CNF:
        board = Grid(problem.n, problem.wraps)
        lines = {
            "rows": board.rows,
            "columns": board.columns,
            "board": board.rows.reshape(1, -1),
        }
        cnf = CNFBuilder(board.num_squares)
        for kind in _AT_LEAST_ONE[self.state]:
            cnf.add(lines[kind])
        cnf.add(given(problem)[:, np.newaxis])
        if self.breaks_symmetry(problem):
            cnf.add(-right_half(board.rows[0])[:, np.newaxis])
        crossing = [lines[kind] for kind in _AT_MOST_ONE.get(self.state, ("rows", "columns"))]
        self.constrain_lines(cnf, np.concatenate(crossing))
        for diagonals in board.diagonals():
            self.constrain_lines(cnf, diagonals)
        return cnf.build()

    def constrain_lines(self, cnf: CNFBuilder, lines: Lines) -> None:
        """Add the scheme for every line, shape (m, k)."""
        if lines.shape[1] > 1:
            stamp(cnf, self.at_most_one(lines.shape[1]), lines)
