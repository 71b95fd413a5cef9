"""`totalizer`: a tree that counts its leaves in unary, and whose root must not reach the bound.

O. Bailleux, Y. Boufkhad, "Efficient CNF encoding of Boolean cardinality constraints", CP 2003, in
the direction that an upper bound needs. A node over a and b leaves has a + b outputs and
(a+1)(b+1) - 1 clauses: i on the left and j on the right imply i + j. At most one of k > 2: the k
leaves are halved down to single leaves, and a unit clause forbids the second output of the root;
for k = 2, one clause. At most k of n: the same tree over n leaves, with the output k + 1 forbidden.

>>> from nqbench.clauses import dimacs
>>> print(dimacs.text(Totalizer("totalizer").at_most_one(3)))
p cnf 8 9
-7 0
-2 4 0
-3 4 0
-1 6 0
-4 6 0
-5 7 0
-2 -3 5 0
-1 -4 7 0
-1 -5 8 0
"""

import numpy as np

from nqbench.clauses.cnf import Block, CNFBuilder
from nqbench.encodings.counting import CountingEncoding


class Totalizer(CountingEncoding):
    """A tree that counts in unary."""

    reference = "O. Bailleux, Y. Boufkhad, CP 2003"
    tightens = True

    def limit(self, cnf: CNFBuilder, x: Block, most: int) -> None:
        total = _count(cnf, x.reshape(1, -1))
        cnf.add(-total[:, most : most + 1])


def _count(cnf: CNFBuilder, leaves: Block) -> Block:
    """Unary counts of m groups of k leaves, both of shape (m, k).

    Any i true leaves imply element i - 1 of their count. All groups of one size are done at once.
    """
    groups, k = leaves.shape
    if k == 1:
        return leaves
    if k % 2 == 0:
        halves = _count(cnf, leaves.reshape(2 * groups, k // 2)).reshape(groups, k)
        left, right = halves[:, : k // 2], halves[:, k // 2 :]
    else:
        left, right = _count(cnf, leaves[:, : k // 2]), _count(cnf, leaves[:, k // 2 :])
    total = cnf.fresh_array(groups * k).reshape(groups, k)
    for part in (left, right):
        cnf.add(np.stack([-part, total[:, : part.shape[1]]], axis=2).reshape(-1, 2))
    i, j = (side.reshape(-1) for side in np.indices((left.shape[1], right.shape[1])))
    clauses = np.stack([-left[:, i], -right[:, j], total[:, i + j + 1]], axis=2)
    cnf.add(clauses.reshape(-1, 3))
    return total
