"""`native`: at-most-one constraints as they are, for solvers that accept them beside clauses.

M. Liffiton, J. Maglalang, "A cardinality solver: more expressive constraints for free", SAT 2012;
J. Reeves, M. Heule, R. Bryant, "From clauses to klauses", CAV 2024. At least one option of each
primary item is a clause. At most one of k > 2 options is a constraint without auxiliary variables;
for k = 2, it is a clause, as in every scheme. The instance is a CNF+: see
`nqbench.plugin.CNFPlus`.

>>> from nqbench.instances import dimacs
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
"""

import numpy as np

from nqbench.encodings.pairwise import pairs
from nqbench.encodings.rewriting import RewritingEncoding
from nqbench.encodings.symmetry_breaking import keep_lex_leaders
from nqbench.instances.cnf import CNF, CNFBuilder
from nqbench.instances.cnf_plus import CNFPlus
from nqbench.problems.base import Problem
from nqbench.vocabulary import Form


class Native(RewritingEncoding):
    """At least one as clauses, at most one as constraints."""

    reference = "M. Liffiton, J. Maglalang, SAT 2012"
    makes = Form.CNF_PLUS
    breaks_symmetries = True

    def encode_cover(self, problem: Problem) -> CNFPlus:
        cover = problem.cover()
        cnf = CNFBuilder(cover.num_options)
        for items in cover.primary:
            cnf.require(items)
        cnf.add(cover.given[:, np.newaxis])
        for items in cover.arrays:
            if items.shape[1] == 2:
                cnf.add(-items)
        keep_lex_leaders(cnf, problem)
        at_most_one = tuple(items for items in cover.arrays if items.shape[1] > 2)
        return CNFPlus(cnf.build(), at_most_one)

    def at_most_one(self, k: int) -> CNF:
        """The clauses that a constraint stands for."""
        cnf = CNFBuilder(num_main=k)
        cnf.add(pairs(np.arange(1, k + 1, dtype=np.int32)))
        return cnf.build()
