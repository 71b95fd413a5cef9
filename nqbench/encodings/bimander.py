"""`bimander`: pairs within each group of squares, and the number of the group in shared bits.

S. Hoelldobler, V. Nguyen, "An efficient encoding of the at-most-one constraint", technical report
2013-04, TU Dresden. At most one of k in groups of g: m = ceil(k / g) groups,
b = ceil(log2 m) auxiliary variables, k * b clauses and the pairs of each group. The default g = 2
(m = k/2) is the best of the paper; g = 1 is `bitwise`.

>>> from nqbench.clauses import dimacs
>>> print(dimacs.text(Bimander("bimander").at_most_one(3)))
p cnf 4 4
-1 -2 0
-1 -4 0
-2 -4 0
-3 4 0
"""

import numpy as np

from nqbench.clauses.cnf import Block, CNFBuilder
from nqbench.encodings.bitwise import spell_numbers
from nqbench.encodings.lines import LineEncoding
from nqbench.encodings.pairwise import pairs
from nqbench.plugins.parameters import Whole


class Bimander(LineEncoding):
    """Pairs within groups, and shared bits for the number of the group that may hold the queen."""

    reference = "S. Hoelldobler, V. Nguyen, TU Dresden 2013-04"
    parameters = {"group": Whole(default=2, least=1), **LineEncoding.parameters}

    def constrain(self, cnf: CNFBuilder, x: Block) -> None:
        group = int(self.values["group"])
        k = len(x)
        num_grouped = k // group * group
        for groups in (x[:num_grouped].reshape(-1, group), x[num_grouped:].reshape(1, -1)):
            cnf.add(pairs(groups))
        bits = cnf.fresh_array((-(-k // group) - 1).bit_length())
        cnf.add(spell_numbers(x, np.arange(k) // group, bits))
