"""`k-modulo-totalizer`: a modulo totalizer that counts no further than the bound.

A. Morgado, A. Ignatiev, J. Marques-Silva, "MSCG: robust core-guided MaxSAT solving", JSAT 9, 2014:
the modulo totalizer of Ogawa et al., cut off above the bound. With a bound of b, the modulus is
p = max(2, floor(sqrt b)); a node counts at most floor(b / p) groups of p, and more are forbidden.
For a bound of 1, each inner node has one output and a carry, which is false. At most one of k > 2:
2k - 2 auxiliary variables, 4k - 4 clauses; for k = 2, one clause. PySAT's encoding has the same
sizes.

>>> from nqbench.clauses import dimacs
>>> print(dimacs.text(KModuloTotalizer("k-modulo-totalizer").at_most_one(3)))
p cnf 7 8
-6 0
-7 0
-1 4 6 0
-3 5 7 0
-2 4 6 0
-4 5 7 0
-1 -2 6 0
-3 -4 7 0
"""

import math

import numpy as np

from nqbench.clauses.cnf import Block, CNFBuilder
from nqbench.encodings.counting import CountingEncoding
from nqbench.encodings.modulo_totalizer import count_in_digits


class KModuloTotalizer(CountingEncoding):
    """A tree that counts in two digits up to the bound, with all larger counts forbidden."""

    reference = "A. Morgado, A. Ignatiev, J. Marques-Silva, JSAT 9, 2014"

    def limit(self, cnf: CNFBuilder, x: Block, most: int) -> None:
        p = max(2, math.isqrt(most))
        count_in_digits(cnf, x, most, p, most_groups=most // p)

    def constrain(self, cnf: CNFBuilder, x: Block) -> None:
        # The same tree as for larger bounds: its nodes are all alike, and are written at once.
        nodes = len(x) - 1
        outputs, carries = cnf.fresh_array(nodes), cnf.fresh_array(nodes)
        # Outputs are queued after the leaves; node i takes the next two of the queue.
        queue = np.concatenate([x, outputs])
        left, right = queue[0 : 2 * nodes : 2], queue[1 : 2 * nodes : 2]
        cnf.add_each(-left, outputs, carries)
        cnf.add_each(-right, outputs, carries)
        cnf.add_each(-left, -right, carries)
        cnf.add_each(-carries)
