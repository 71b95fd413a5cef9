"""Encodings with a variable for each option and an at-most-one scheme on each item."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from nqbench.encodings.base import SYMMETRY, Encoding, right_half
from nqbench.encodings.stamp import stamp
from nqbench.instances.cnf import CNF, Block, CNFBuilder
from nqbench.plugins.parameters import Choice, Parameter
from nqbench.problems import kinds
from nqbench.problems.base import Problem
from nqbench.problems.cover import Cover, Items
from nqbench.problems.grid import Grid

STATE: Final = Choice("both", ("both", "rows", "columns", "alo-rows", "alo-columns", "board"))
"""Which constraints of a board are stated; the others follow from them by counting.

both: exactly one queen in each row and in each column
rows: exactly one in each row, at most one in each column; columns: the other way round
alo-rows: at least one in each row, at most one in each column; alo-columns: the other way round
board: at least one on the board, at most one in each row and column; does not force n queens

At most one on each diagonal is always stated.
"""

_AT_LEAST_ONE: Final = {
    "rows": ("rows",),
    "columns": ("columns",),
    "alo-rows": ("rows",),
    "alo-columns": ("columns",),
    "board": ("board",),
}
_AT_MOST_ONE: Final = {"alo-rows": ("columns",), "alo-columns": ("rows",)}


class LineEncoding(Encoding):
    """At least one on each primary item, and an at-most-one scheme on all items."""

    parameters: Mapping[str, Parameter] = {"state": STATE, "symmetry": SYMMETRY}

    @property
    def state(self) -> str:
        """Which constraints are stated: one of `STATE`."""
        return str(self.values.get("state", STATE.default))

    @property
    def is_for_boards(self) -> bool:
        return self.state != STATE.default or super().is_for_boards

    @property
    def forces_all_queens(self) -> bool:
        return self.state != "board"

    @abstractmethod
    def constrain(self, cnf: CNFBuilder, x: Block) -> None:
        """Add the scheme for the variables x, shape (k,) with k > 2."""

    def at_most_one(self, k: int) -> CNF:
        """The scheme on k literals, as a formula with main variables 1..k.

        For two literals it is one clause in every scheme: no scheme can be simpler.
        """
        cnf = CNFBuilder(num_main=k)
        if k == 2:
            cnf.add([[-1, -2]])
        elif k > 2:
            self.constrain(cnf, np.arange(1, k + 1, dtype=np.int32))
        return cnf.build_by_width()

    def encode(self, problem: Problem) -> CNF:
        cover = problem.cover()
        at_least_one, at_most_one = self._stated(problem, cover)
        cnf = CNFBuilder(cover.num_options)
        for items in at_least_one:
            cnf.require(items)
        cnf.add(cover.given[:, np.newaxis])
        if self.breaks_symmetry(problem):
            board = kinds.board(problem, "symmetry")
            cnf.add(-right_half(Grid(board.n).rows[0])[:, np.newaxis])
        for items in (*at_most_one, *cover.secondary):
            self.constrain_items(cnf, items)
        return cnf.build()

    def _stated(self, problem: Problem, cover: Cover) -> tuple[Sequence[Items], Sequence[Items]]:
        """The primary items of which at least one option is stated, and those with at most one."""
        if self.state == STATE.default:
            return cover.primary, cover.primary
        grid = Grid(kinds.board(problem, f"state={self.state}").n)
        lines = {"rows": grid.rows, "columns": grid.columns, "board": grid.rows.reshape(1, -1)}
        crossing = [lines[kind] for kind in _AT_MOST_ONE.get(self.state, ("rows", "columns"))]
        return [lines[kind] for kind in _AT_LEAST_ONE[self.state]], [np.concatenate(crossing)]

    def constrain_items(self, cnf: CNFBuilder, items: Items) -> None:
        """Add the scheme for every item, shape (m, k)."""
        if items.shape[1] > 1:
            stamp(cnf, self.at_most_one(items.shape[1]), items)
