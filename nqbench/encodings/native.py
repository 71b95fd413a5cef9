"""`native`: at-most-k constraints as they are, for solvers that accept them beside clauses.

M. Liffiton, J. Maglalang, "A cardinality solver: more expressive constraints for free", SAT 2012;
J. Reeves, M. Heule, R. Bryant, "From clauses to klauses", CAV 2024. At most k of n options is one
constraint of n literals, without auxiliary variables. At least k is another one: at most n - k of
the negations. At least one, at most n - 1, and so at most one of two, are a clause; at most none is
n unit clauses. The instance is a CNF+: see `nqbench.plugin.CNFPlus`.

>>> from nqbench.clauses import dimacs
>>> from nqbench.problems.queens import Queens
>>> print(dimacs.text(Native("native").encode(Queens(3))))
p cnf+ 9 18
1 2 3 0
4 5 6 0
7 8 9 0
1 4 7 0
2 5 8 0
3 6 9 0
-2 -6 0
-4 -8 0
-2 -4 0
-6 -8 0
1 2 3 <= 1
4 5 6 <= 1
7 8 9 <= 1
1 4 7 <= 1
2 5 8 <= 1
3 6 9 <= 1
1 5 9 <= 1
3 5 7 <= 1

On the whole board: 2n + 4 clauses and 6n - 10 constraints for n > 2, that is 20 and 38 at n = 8.

At most two queens, each of which attacks the whole board of two rows:

>>> from nqbench.problems.families.base import Family
>>> board = Family.named("queen-domination:k=2").of_size(2)
>>> print(dimacs.text(Native("native").encode(board)))
p cnf+ 4 5
1 2 3 4 0
1 2 3 4 0
1 2 3 4 0
1 2 3 4 0
1 2 3 4 <= 2
"""

import numpy as np

from nqbench.clauses.cnf import CNF, CNFBuilder
from nqbench.clauses.cnf_plus import AtMost, CNFPlus
from nqbench.common.vocabulary import Form
from nqbench.encodings.pairwise import pairs
from nqbench.encodings.rewriting import RewritingEncoding
from nqbench.encodings.symmetry_breaking import keep_lex_leaders
from nqbench.problems.base import Problem
from nqbench.problems.cover import Items


class Native(RewritingEncoding):
    """A clause where one is enough, and otherwise a constraint."""

    reference = "M. Liffiton, J. Maglalang, SAT 2012"
    makes = Form.CNF_PLUS
    states_bounds = True
    breaks_symmetries = True

    def encode_cover(self, problem: Problem) -> CNFPlus:
        cover = problem.cover()
        cnf = CNFBuilder(cover.num_options)
        constraints: list[AtMost] = []
        bounded = list(zip(cover.arrays, cover.bounds, strict=True))
        for items, (least, _) in bounded:
            n = items.shape[1]
            if least > n:
                cnf.require(items[:, :0])
            else:
                constraints += _limit(cnf, -items, n - least)
        cnf.add(cover.given[:, np.newaxis])
        for items, (_, most) in bounded:
            constraints += _limit(cnf, items, most)
        keep_lex_leaders(cnf, problem)
        return CNFPlus(cnf.build(), tuple(constraints))

    def at_most_one(self, k: int) -> CNF:
        """The clauses that a constraint stands for."""
        cnf = CNFBuilder(num_main=k)
        cnf.add(pairs(np.arange(1, k + 1, dtype=np.int32)))
        return cnf.build()


def _limit(cnf: CNFBuilder, items: Items, most: int) -> list[AtMost]:
    """State that at most so many literals of each item are true, shape (items, n): add clauses, or
    return a constraint. Nothing is to be stated if it is all of them.
    """
    n = items.shape[1]
    if most == n - 1:
        cnf.add(-items)
    elif most == 0:
        cnf.add(-items.reshape(-1, 1))
    elif most < n:
        return [AtMost(items, most)]
    return []
