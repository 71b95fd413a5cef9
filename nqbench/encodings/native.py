"""`native`: at-most-k constraints as they are, for solvers that accept them beside clauses.

M. Liffiton, J. Maglalang, "A cardinality solver: more expressive constraints for free", SAT 2012;
J. Reeves, M. Heule, R. Bryant, "From clauses to klauses", CAV 2024. At most k of n options is one
constraint of n literals, without auxiliary variables. At least k is another one: at most n - k of
the negations. At least one, at most n - 1, and so at most one of two, are a clause; at most none is
n unit clauses. The instance has upper bounds only: see `nqbench.plugin.Constraints`. Rows with
weights and an objective are left as they are, for solvers that take these as well.

>>> from nqbench.clauses import constraint_files
>>> from nqbench.problems.queens import Queens
>>> print(constraint_files.text(Native("native").encode(Queens(3)), ".cnf+"))
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
>>> print(constraint_files.text(Native("native").encode(board), ".cnf+"))
p cnf+ 4 5
1 2 3 4 0
1 2 3 4 0
1 2 3 4 0
1 2 3 4 0
1 2 3 4 <= 2
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from nqbench.clauses.cnf import CNF, CNFBuilder
from nqbench.clauses.constraints import Constraints
from nqbench.clauses.rows import Rows
from nqbench.common.vocabulary import Form
from nqbench.encodings.boards import keep_lex_leaders
from nqbench.encodings.pairwise import pairs
from nqbench.encodings.rewriting import RewritingEncoding
from nqbench.problems.base import Problem


class Native(RewritingEncoding):
    """A clause where one is enough, and otherwise a constraint."""

    reference = "M. Liffiton, J. Maglalang, SAT 2012"
    makes = Form.CNF_PLUS
    states_bounds = True
    states_weights = True
    breaks_symmetries = True

    def encode_constraints(self, problem: Problem, constraints: Constraints) -> Constraints:
        cnf = CNFBuilder(constraints.num_variables)
        lower = [Rows.at_least(rows.literals, rows.least) for rows in constraints.counted]
        left = [upper for rows in lower for upper in _stated(cnf, rows)]
        for block in constraints.cnf.blocks:
            cnf.require(block)
        upper = [Rows.at_most(rows.literals, rows.most) for rows in constraints.counted]
        left += [upper for rows in upper for upper in _stated(cnf, rows)]
        keep_lex_leaders(cnf, problem)
        return replace(constraints, cnf=cnf.build(), rows=(*left, *constraints.weighted))

    def at_most_one(self, k: int) -> CNF:
        """The clauses that a constraint stands for."""
        cnf = CNFBuilder(num_main=k)
        cnf.add(pairs(np.arange(1, k + 1, dtype=np.int32)))
        return cnf.build()


def _stated(cnf: CNFBuilder, rows: Rows) -> Iterator[Rows]:
    """State rows with one bound: add clauses where these are enough, and yield the others."""
    for upper in rows.upper():
        if upper.most < 0:
            cnf.require(upper.literals[:, :0])
        elif upper.most == 0:
            cnf.add(-upper.literals.reshape(-1, 1))
        elif upper.most == upper.length - 1:
            cnf.add(-upper.literals)
        else:
            yield upper
