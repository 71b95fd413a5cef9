"""`pyeda-onehot`: the constraints written as PyEDA expressions and turned into clauses by PyEDA.

`OneHot` on rows and columns, `OneHot0` on diagonals. 84 clauses at n = 4, 744 at n = 8: the clauses
of `pairwise` in another order.
"""

import itertools
from typing import Any, Final

import numpy as np

from nqbench.components import install
from nqbench.encodings.base import Encoding, given
from nqbench.encodings.grid import Grid, Lines
from nqbench.instances.cnf import CNF, CNFBuilder
from nqbench.problems.base import Problem

BUILD: Final = install.Build(c_flags="-Wno-error=incompatible-pointer-types")
"""gcc 14 made this warning an error: PyEDA 0.29 does not compile there without the flag."""


class PyedaOneHot(Encoding):
    """PyEDA's `OneHot` and `OneHot0`, and the clauses that PyEDA makes of them."""

    reference = "C. Drake, 'PyEDA: Data Structures and Algorithms for EDA', SciPy 2015"
    distribution = "pyeda"
    build = BUILD
    modules = ("pyeda.boolalg.expr", "pyeda.boolalg.bfarray")

    def encode(self, problem: Problem) -> CNF:
        from pyeda.boolalg.bfarray import exprvars
        from pyeda.boolalg.expr import And, OneHot, OneHot0

        board = Grid(problem.n, problem.wraps)
        squares = list(exprvars("q", problem.n, problem.n).flat)

        def stated(constraint: Any, lines: Lines) -> list[Any]:
            return [constraint(*(squares[v - 1] for v in line)) for line in lines.tolist()]

        parts = stated(OneHot, board.rows) + stated(OneHot, board.columns)
        for lines in board.diagonals():
            parts += stated(OneHot0, lines)
        # Without simplify() the conjunction is nested and is_cnf() is false. PyEDA then falls back
        # to backtracking: 222 s instead of 5 ms at n = 12.
        conjunction = And(*parts).simplify()
        literals, _, clauses = conjunction.encode_cnf()

        ours = {literals[square]: v for v, square in enumerate(squares, start=1)}
        cnf = CNFBuilder(board.num_squares)
        # Not through PyEDA: its simplify() turns 'q and not q' into a constant, not into a CNF.
        cnf.add(given(problem)[:, np.newaxis])
        for width, group in _by_width(clauses):
            block = np.array([list(clause) for clause in group], dtype=np.int32)
            names = np.zeros(max(ours) + 1, dtype=np.int32)
            names[list(ours)] = list(ours.values())
            block = np.sort(np.sign(block) * names[np.abs(block)], axis=1)
            # PyEDA returns a set: sort it, so that a problem always gives the same formula.
            cnf.add(block[np.lexsort(block.T[::-1])].reshape(-1, width))
        return cnf.build()


def _by_width(clauses: Any) -> list[tuple[int, list[Any]]]:
    ordered = sorted(clauses, key=len, reverse=True)
    return [(width, list(group)) for width, group in itertools.groupby(ordered, key=len)]
