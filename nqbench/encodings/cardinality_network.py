"""`cardinality-network`: pairs are sorted and merged, and of each merge the two largest go on.

R. Asin, R. Nieuwenhuis, A. Oliveras, E. Rodriguez-Carbonell, "Cardinality networks: a theoretical
and empirical study", Constraints 16, 2011, with two outputs, the second of which is false. At most
one of k > 2, k even: 4k - 6 auxiliary variables, 6k - 8 clauses; k odd: those of k + 1, and a
variable and a unit clause for the input that is missing. The sizes are those of PySAT's network.

>>> from nqbench import dimacs
>>> print(dimacs.text(CardinalityNetwork("cardinality-network").at_most_one(4)))
p cnf 14 16
-13 0
-1 5 0
-3 6 0
-2 5 0
-4 6 0
-5 9 0
-6 9 0
-7 11 0
-8 11 0
-10 13 0
-11 13 0
-1 -2 7 0
-3 -4 8 0
-5 -6 10 0
-7 -8 12 0
-10 -11 14 0
"""

import numpy as np

from nqbench.cnf import Block, CNFBuilder
from nqbench.encodings.lines import LineEncoding


class CardinalityNetwork(LineEncoding):
    reference = "R. Asin, R. Nieuwenhuis, A. Oliveras, E. Rodriguez-Carbonell, Constraints 16, 2011"

    def constrain(self, cnf: CNFBuilder, x: Block) -> None:
        if len(x) % 2:
            never = cnf.fresh_array(1)
            cnf.add_each(-never)
            x = np.concatenate([x, never])
        sorts = len(x) // 2
        larger, smaller = cnf.fresh_array(2 * sorts).reshape(2, sorts)
        _compare(cnf, (x[0::2], x[1::2]), (larger, smaller))
        merges = sorts - 1
        first, loser, winner, rest, second, third = cnf.fresh_array(6 * merges).reshape(6, merges)
        # The two outputs of a merge queue up behind the sorted pairs; merge i takes the next two.
        firsts, seconds = np.concatenate([larger, first]), np.concatenate([smaller, second])
        left, right = slice(0, 2 * merges, 2), slice(1, 2 * merges, 2)
        _compare(cnf, (firsts[left], firsts[right]), (first, loser))
        _compare(cnf, (seconds[left], seconds[right]), (winner, rest))
        _compare(cnf, (loser, winner), (second, third))
        cnf.add_each(-seconds[-1:])


def _compare(cnf: CNFBuilder, inputs: tuple[Block, Block], outputs: tuple[Block, Block]) -> None:
    """Comparators, one for each position: one input makes the first output true, two both."""
    (a, b), (larger, smaller) = inputs, outputs
    cnf.add_each(-a, larger)
    cnf.add_each(-b, larger)
    cnf.add_each(-a, -b, smaller)
