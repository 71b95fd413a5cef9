"""`cardinality-network`: pairs are sorted and merged; each merge keeps the two largest.

R. Asin, R. Nieuwenhuis, A. Oliveras, E. Rodriguez-Carbonell, "Cardinality networks: a theoretical
and empirical study", Constraints 16, 2011, with two outputs, the second of which is false. At most
one of k > 2: 4k - 6 auxiliary variables and 6k - 8 clauses if k is even; if k is odd, those of
k + 1, with a variable and a unit clause for the missing input. PySAT's network has the same sizes.

>>> from nqbench.instances import dimacs
>>> print(dimacs.text(CardinalityNetwork("cardinality-network").at_most_one(4)))
p cnf 14 16
-9 0
-1 5 0
-3 6 0
-5 7 0
-10 8 0
-12 9 0
-2 5 0
-4 6 0
-6 7 0
-11 8 0
-8 9 0
-1 -2 10 0
-3 -4 11 0
-5 -6 12 0
-10 -11 13 0
-12 -8 14 0
"""

import numpy as np

from nqbench.encodings.lines import LineEncoding
from nqbench.instances.cnf import Block, CNFBuilder


class CardinalityNetwork(LineEncoding):
    """A network of merges with two outputs, the second of which is false."""

    reference = "R. Asin, R. Nieuwenhuis, A. Oliveras, E. Rodriguez-Carbonell, Constraints 16, 2011"

    def constrain(self, cnf: CNFBuilder, x: Block) -> None:
        if len(x) % 2:
            never = cnf.fresh_array(1)
            cnf.add_each(-never)
            x = np.concatenate([x, never])
        sorts = len(x) // 2
        merges = sorts - 1
        larger, smaller = cnf.fresh_array(2 * (sorts + 3 * merges)).reshape(2, -1)
        # One comparator for each pair of inputs. Three for each merge: of the two firsts, of the
        # two seconds, and of the smaller first with the larger second.
        of_firsts = slice(sorts, sorts + merges)
        of_seconds = slice(sorts + merges, sorts + 2 * merges)
        # The outputs of merges are queued after the sorted pairs; merge i takes the next two.
        first = larger[: sorts + merges]
        second = np.concatenate([smaller[:sorts], larger[sorts + 2 * merges :]])
        left, right = slice(0, 2 * merges, 2), slice(1, 2 * merges, 2)
        a = np.concatenate([x[0::2], first[left], second[left], smaller[of_firsts]])
        b = np.concatenate([x[1::2], first[right], second[right], larger[of_seconds]])
        cnf.add_each(-a, larger)
        cnf.add_each(-b, larger)
        cnf.add_each(-a, -b, smaller)
        cnf.add_each(-second[-1:])
