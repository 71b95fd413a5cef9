"""Parameters of encodings for boards of queens only: `state`, and `symmetry` with its clauses.

The clauses that compare two vectors lexicographically are from D. Knuth, TAOCP 4B, section 7.2.2.2:
for m options each, m - 1 auxiliary variables and 3m - 2 clauses. Two options are compared only
once, and an option that is its own image is not compared at all.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from nqbench.clauses.cnf import Block, CNFBuilder
from nqbench.clauses.rows import Rows
from nqbench.encodings.base import Encoding
from nqbench.plugins.parameters import Choice, Parameter
from nqbench.problems.base import Problem
from nqbench.problems.board_lines import Grid
from nqbench.problems.cover import Items
from nqbench.problems.queens import Queens

SYMMETRY: Final = Choice("none", ("none", "half"))
"""`half`: the queen of the first row is in its left half, the middle included.

At least one of a solution and its mirror image meets this. A problem that is its own mirror image
therefore stays satisfiable, or unsatisfiable, but loses about half of its solutions. On any other
board the parameter has no effect.
"""

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


class BoardEncoding(Encoding):
    """Has one of these parameters, or both. With their defaults, it is for every problem."""

    parameters: Mapping[str, Parameter] = {"state": STATE, "symmetry": SYMMETRY}

    @property
    def state(self) -> str:
        """Which constraints are stated: one of `STATE`."""
        return str(self.values.get("state", STATE.default))

    breaks_symmetries = True

    @property
    def _is_half(self) -> bool:
        return self.values.get("symmetry", SYMMETRY.default) != SYMMETRY.default

    @property
    def only_for(self) -> type[Problem]:
        return Queens if self._is_half or self.state != STATE.default else Problem

    def halves(self, problem: Problem) -> bool:
        """Whether the queen of the first row is in the left half: see `SYMMETRY`."""
        return self._is_half and isinstance(problem, Queens) and problem.mirror_symmetric

    def breaks_symmetry(self, problem: Problem) -> bool:
        return self.halves(problem) or super().breaks_symmetry(problem)

    def lazy_clauses(self, problem: Problem) -> Block:
        """A queen in each row, if the state does not force that."""
        return self._grid(problem).rows if self.state == "board" else super().lazy_clauses(problem)

    def right_half(self, problem: Problem) -> Block:
        """The squares that symmetry breaking leaves empty: those of the first row right of the
        middle, shape (squares,).
        """
        grid = self._grid(problem)
        return grid.rows[0, (grid.n + 1) // 2 :]

    def stated(
        self, problem: Problem, rows: Sequence[Rows]
    ) -> tuple[Sequence[Items], Sequence[Items]]:
        """The items of which at least one option is stated, and those of which at most one is."""
        exactly_one = [each.literals for each in rows if each.bounds == (1, 1)]
        at_most_one = [each.literals for each in rows if each.bounds == (0, 1)]
        if self.state == STATE.default:
            return exactly_one, [*exactly_one, *at_most_one]
        grid = self._grid(problem)
        lines = {"rows": grid.rows, "columns": grid.columns, "board": grid.rows.reshape(1, -1)}
        crossing = [lines[kind] for kind in _AT_MOST_ONE.get(self.state, ("rows", "columns"))]
        at_least_one = [lines[kind] for kind in _AT_LEAST_ONE[self.state]]
        return at_least_one, [np.concatenate(crossing), *at_most_one]

    @staticmethod
    def _grid(problem: Problem) -> Grid:
        assert isinstance(problem, Queens), "see only_for"
        return Grid(problem.n)


def keep_lex_leaders(cnf: CNFBuilder, problem: Problem, not_chosen: Block | None = None) -> None:
    """Add the clauses that keep the lex-leaders, if the problem defines some: `Problem.lex_leader`.

    `not_chosen`, shape (options, literals), has for each option the clause that it is not chosen,
    with 0 for no literal. By default, the first variables are the options.
    """
    if not problem.has_symmetries:
        return
    if not_chosen is None:
        not_chosen = -np.arange(1, len(problem.options) + 1, dtype=np.int32)[:, np.newaxis]
    leader = problem.lex_leader()
    for image in leader.images:
        options, images = _drop_equal(leader.order, image[leader.order - 1])
        _at_least(cnf, not_chosen[options - 1], not_chosen[images - 1])


def _drop_equal(options: Block, images: Block) -> Block:
    """The options and their images, without those that are known to be equal: shape (2, m)."""
    pairs = np.stack([options, images])[:, options != images]
    _, first = np.unique(np.sort(pairs, axis=0), axis=1, return_index=True)
    distinct: Block = pairs[:, np.sort(first)]
    return distinct


def _at_least(cnf: CNFBuilder, not_x: Block, not_y: Block) -> None:
    """State that x are lexicographically at least y, each m options, by the clauses that they are
    not chosen, shapes (m, literals).
    """
    if not len(not_x):
        return
    # Variable i is true if all options up to i are equal. The last one needs none.
    equal = cnf.fresh_array(len(not_x) - 1)
    differ = np.append(np.int32(0), -equal)
    for literals in -not_x.T:
        has = literals != 0
        cnf.add_without_zeros(np.column_stack([differ, literals, not_y])[has])
        still_equal = np.column_stack([differ[:-1], equal, literals[:-1]])
        cnf.add_without_zeros(still_equal[has[:-1]])
    cnf.add_without_zeros(np.column_stack([differ[:-1], equal, not_y[:-1]]))
