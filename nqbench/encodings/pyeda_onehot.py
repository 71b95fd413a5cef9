"""`pyeda-onehot`: the constraints written as PyEDA expressions and turned into clauses by PyEDA.

`OneHot` on rows of exactly one, `OneHot0` on those of at most one. On a board, 84 clauses at n = 4,
744 at n = 8: the clauses of `pairwise` in another order.
"""

import itertools
from typing import Any, Final

import numpy as np

from nqbench.clauses.cnf import CNF, CNFBuilder
from nqbench.encodings.base import Encoding
from nqbench.encodings.boards import keep_lex_leaders
from nqbench.plugins import install
from nqbench.problems.base import Problem
from nqbench.problems.cover import CoverView, Items

TOOLCHAIN: Final = install.Toolchain(flags="-O3 -Wno-error=incompatible-pointer-types")
"""gcc 14 made this warning an error: PyEDA 0.29 does not compile there without the flag."""


class PyedaOneHot(Encoding):
    """PyEDA's `OneHot` and `OneHot0`, and the clauses that PyEDA makes of them."""

    reference = "C. Drake, 'PyEDA: Data Structures and Algorithms for EDA', SciPy 2015"
    distribution = "pyeda"
    toolchain = TOOLCHAIN
    modules = ("pyeda.boolalg.expr", "pyeda.boolalg.bfarray")
    breaks_symmetries = True

    def encode(self, problem: Problem) -> CNF:
        from pyeda.boolalg.bfarray import exprvars
        from pyeda.boolalg.expr import And, OneHot, OneHot0

        cover = problem.cover()
        options = list(exprvars("q", cover.num_options).flat)

        def express(constraint: Any, items: Items) -> list[Any]:
            return [constraint(*(options[v - 1] for v in item)) for item in items.tolist()]

        expressions = [part for items in cover.primary for part in express(OneHot, items)]
        for items in cover.secondary:
            expressions += express(OneHot0, items)
        if not cover.num_options or any(part.is_zero() for part in expressions):
            return _without_options(cover)
        # Without simplify() the conjunction is nested and is_cnf() is false. PyEDA then falls back
        # to backtracking: 222 s instead of 5 ms at n = 12.
        conjunction = And(*expressions).simplify()
        cnf = CNFBuilder(cover.num_options)
        if conjunction.is_zero():  # an item without options; a constant is not a CNF
            cnf.require(np.zeros((1, 0), dtype=np.int32))
            return cnf.build()
        literals, _, clauses = conjunction.encode_cnf()

        ours = {literals[x]: v for v, x in enumerate(options, start=1) if x in literals}
        # Not through PyEDA: its simplify() turns 'q and not q' into a constant, not into a CNF.
        cnf.add(cover.given[:, np.newaxis])
        names = np.zeros(max(ours, default=0) + 1, dtype=np.int32)
        names[list(ours)] = list(ours.values())
        for width, group in itertools.groupby(sorted(clauses, key=len, reverse=True), key=len):
            block = np.array([list(clause) for clause in group], dtype=np.int32)
            block = np.sort(np.sign(block) * names[np.abs(block)], axis=1)
            # PyEDA returns a set: sort it, so that a problem always gives the same formula.
            cnf.add(block[np.lexsort(block.T[::-1])].reshape(-1, width))
        keep_lex_leaders(cnf, problem)
        return cnf.build()


def _without_options(cover: CoverView) -> CNF:
    """The formula of a cover with an item without options: PyEDA has no CNF for a constant."""
    cnf = CNFBuilder(cover.num_options)
    for items in cover.primary:
        cnf.require(items[:, :0])
    return cnf.build()
