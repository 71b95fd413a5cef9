"""`commander`: each group of squares has a commander, and at most one commander is true.

W. Klieber, G. Kwon, "Efficient CNF encoding for selecting 1 from N objects", CFV 2007. In each
group of g, exactly one of the members and the negated commander is true: at most one by pairs, and
at least one. Commanders are queued after the squares and form groups as well, until at most g are
left, which are constrained by pairs.

At most one of k in groups of g: c = ceil((k - g) / (g - 1)) groups and auxiliary variables (0 if
k <= g) and, with r = k - c(g - 1) left at the end, c(g(g-1)/2 + g + 1) + r(r-1)/2 clauses. About
k/2 variables and 3.5k clauses for g = 3, which is the default and the paper's choice.

>>> from nqbench.instances import dimacs
>>> print(dimacs.text(Commander("commander:group=2").at_most_one(3)))
p cnf 4 5
-1 -2 0
-1 4 0
-2 4 0
-3 -4 0
-4 1 2 0
"""

import numpy as np

from nqbench.encodings.lines import LineEncoding
from nqbench.encodings.pairwise import pairs
from nqbench.instances.cnf import Block, CNFBuilder
from nqbench.plugins.parameters import Whole


class Commander(LineEncoding):
    """Groups of squares with a commander each, at most one of which is true."""

    reference = "W. Klieber, G. Kwon, CFV 2007"
    parameters = {"group": Whole(default=3, least=2), **LineEncoding.parameters}

    def constrain(self, cnf: CNFBuilder, x: Block) -> None:
        size = int(self.values["group"])
        count = max(0, -(-(len(x) - size) // (size - 1)))
        commanders = cnf.fresh_array(count)
        queue = np.concatenate([x, commanders])
        groups, last = queue[: count * size].reshape(count, size), queue[count * size :]
        cnf.add(pairs(groups))
        for member in groups.T:
            cnf.add_each(-member, commanders)
        cnf.add_each(-commanders, *groups.T)
        cnf.add(pairs(last))
