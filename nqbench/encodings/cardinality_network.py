"""`cardinality-network`: groups are sorted and merged; each merge keeps the largest of both.

R. Asin, R. Nieuwenhuis, A. Oliveras, E. Rodriguez-Carbonell, "Cardinality networks: a theoretical
and empirical study", Constraints 16, 2011. The outputs that count are the w largest inputs, in
order, where w is the least power of two above the bound; the one after the bound is false. At most
b of k: g = ceil(k / w) groups of w inputs are sorted, and g - 1 merges keep w outputs each. Inputs
that are missing in the last group share one variable, which is false. With r = log2 w, these are
c = g * w/4 * (r(r - 1) + 4) - g + (g - 1)(w + r * w/2) comparators, 2c auxiliary variables and
3c + 1 clauses, and one of each for missing inputs. At most one of k > 2: 4k - 6 auxiliary variables
and 6k - 8 clauses if k is even. PySAT's network has the same sizes.

>>> from nqbench.clauses import dimacs
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

from nqbench.clauses.cnf import Block, CNFBuilder
from nqbench.encodings.counting import CountingEncoding, fill_up


class CardinalityNetwork(CountingEncoding):
    """A network of merges that keep as many outputs as the bound needs."""

    reference = "R. Asin, R. Nieuwenhuis, A. Oliveras, E. Rodriguez-Carbonell, Constraints 16, 2011"

    def limit(self, cnf: CNFBuilder, x: Block, most: int) -> None:
        width = 1 << most.bit_length()
        groups = -(-len(x) // width)
        x = fill_up(cnf, x, groups * width)
        comparators = _Comparators(cnf, _num_comparators(groups, width))
        # Outputs of merges are queued after the sorted groups; each merge takes the next two. The
        # queue is filled while the merges that read it are already noted.
        queue = np.empty((2 * groups - 1, width), np.int32)
        queue[:groups] = comparators.sort(x.reshape(groups, width))
        left, right = queue[0 : 2 * groups - 2 : 2], queue[1 : 2 * groups - 2 : 2]
        queue[groups:] = comparators.merge_largest(left, right)[:, :width]
        comparators.state()
        cnf.add_each(-queue[-1:, most])


def _num_comparators(groups: int, width: int) -> int:
    r = width.bit_length() - 1
    sort, merge = width * (r * (r - 1) + 4) // 4 - 1, width + r * width // 2
    return groups * sort + (groups - 1) * merge


class _Comparators:
    """Comparators of two literals, many in parallel: arrays have shape (m, ...), one row for each
    of m equal parts of the network.
    """

    def __init__(self, cnf: CNFBuilder, count: int) -> None:
        self._cnf = cnf
        self._outputs = cnf.fresh_array(2 * count).reshape(2, count)
        self._used = 0
        self._inputs: list[tuple[Block, Block]] = []

    def state(self) -> None:
        """Add the clauses of all comparators."""
        a, b = (
            np.concatenate([inputs.reshape(-1) for inputs in side])
            for side in zip(*self._inputs, strict=True)
        )
        larger, smaller = self._outputs
        self._cnf.add_each(-a, larger)
        self._cnf.add_each(-b, larger)
        self._cnf.add_each(-a, -b, smaller)

    def compare(self, a: Block, b: Block) -> tuple[Block, Block]:
        """The larger and the smaller of each two, shape (m, k) as a and b."""
        self._inputs.append((a, b))
        outputs = self._outputs[:, self._used : self._used + a.size]
        self._used += a.size
        larger, smaller = outputs.reshape(2, *a.shape)
        return larger, smaller

    def sort(self, x: Block) -> Block:
        """Sorted inputs, shape (m, w) with w a power of two."""
        groups, width = x.shape
        if width == 1:
            return x
        halves = self.sort(x.reshape(2 * groups, width // 2)).reshape(groups, width)
        return self.merge(halves[:, : width // 2], halves[:, width // 2 :])

    def merge(self, a: Block, b: Block) -> Block:
        """Two sorted sequences of shape (m, w) as one of shape (m, 2w)."""
        if a.shape[1] == 1:
            return np.concatenate(self.compare(a, b), axis=1)
        odd = self.merge(a[:, 0::2], b[:, 0::2])
        even = self.merge(a[:, 1::2], b[:, 1::2])
        return self._interleave(odd, even)

    def merge_largest(self, a: Block, b: Block) -> Block:
        """The w + 1 largest of two sorted sequences of shape (m, w)."""
        if a.shape[1] == 1:
            return np.concatenate(self.compare(a, b), axis=1)
        odd = self.merge_largest(a[:, 0::2], b[:, 0::2])
        even = self.merge_largest(a[:, 1::2], b[:, 1::2])
        return self._interleave(odd, even[:, :-1])

    def _interleave(self, odd: Block, even: Block) -> Block:
        """The first of `odd`, the next of it compared with those of `even`, and the last of `even`
        if it is as long as `odd`.
        """
        after = odd[:, 1:]
        pairs = np.stack(self.compare(after, even[:, : after.shape[1]]), axis=2)
        middle = pairs.reshape(len(odd), 2 * after.shape[1])
        return np.concatenate([odd[:, :1], middle, even[:, after.shape[1] :]], axis=1)
