"""`commander`: each group of variables has commanders, and at most so many commanders are true.

W. Klieber, G. Kwon, "Efficient CNF encoding for selecting 1 from N objects", CFV 2007; for any
bound, A. Frisch, P. Giannaros, "SAT encodings of the at-most-k constraint: some old, some new, some
fast, some slow", ModRef 2010. With a bound of b, each group of s has b commanders: of the members
and the negated commanders, exactly b are true, and a commander implies the one before it.
Commanders are queued after the variables and form groups as well, until at most s are left, of
which at most b are true. "At most" and "exactly" are stated by all subsets, as in `pairwise`.

`group` is the size of groups for a bound of 1, and s = group + b - 1. For k variables these are
c = ceil((k - s) / (s - b)) groups (0 if k <= s), cb auxiliary variables and, with r = k - c(s - b)
left at the end, c(C(s+b, b+1) + C(s+b, s+1) + b - 1) + C(r, b+1) clauses. For at most one, that is
about k/2 variables and 3.5k clauses for groups of 3, which is the default and the first paper's
choice.

>>> from nqbench.clauses import dimacs
>>> print(dimacs.text(Commander("commander:group=2").at_most_one(3)))
p cnf 4 5
-1 -2 0
-1 4 0
-2 4 0
-3 -4 0
-4 1 2 0
"""

import math

import numpy as np

from nqbench.clauses.cnf import Block, CNFBuilder
from nqbench.encodings.counting import CountingEncoding
from nqbench.encodings.pairwise import subsets
from nqbench.plugins.parameters import Whole


class Commander(CountingEncoding):
    """Groups with as many commanders as the bound, at most so many of which are true."""

    reference = "W. Klieber, G. Kwon, CFV 2007; A. Frisch, P. Giannaros, ModRef 2010"
    parameters = {"group": Whole(default=3, least=2), **CountingEncoding.parameters}

    def limit(self, cnf: CNFBuilder, x: Block, most: int) -> None:
        lost = int(self.values["group"]) - 1
        size = lost + most
        count = max(0, -(-(len(x) - size) // lost))
        of_group = math.comb(size + most, most + 1) + math.comb(size + most, size + 1)
        self.check_size(count * of_group, most, len(x))
        commanders = cnf.fresh_array(count * most).reshape(count, most)
        queue = np.concatenate([x, commanders.reshape(-1)])
        groups, remainder = queue[: count * size].reshape(count, size), queue[count * size :]
        if count:
            _add_groups(cnf, groups, commanders)
        cnf.add(-remainder[subsets(len(remainder), most + 1)])


def _add_groups(cnf: CNFBuilder, groups: Block, commanders: Block) -> None:
    """Add the clauses of groups of members, shape (groups, size), with commanders of shape
    (groups, most).
    """
    size, most = groups.shape[1], commanders.shape[1]
    too_many, too_few = subsets(size + most, most + 1), subsets(size + most, size + 1)
    has_commander = too_many[:, -1] >= size
    cnf.add(-groups[:, too_many[~has_commander]].reshape(-1, most + 1))
    literals = np.concatenate([groups, -commanders], axis=1)
    cnf.add(-literals[:, too_many[has_commander]].swapaxes(0, 1).reshape(-1, most + 1))
    literals = np.concatenate([-commanders, groups], axis=1)
    cnf.add(literals[:, too_few].reshape(-1, size + 1))
    cnf.add_each(-commanders[:, 1:].reshape(-1), commanders[:, :-1].reshape(-1))
