"""`parallel-counter`: adders count in binary, and a comparator forbids numbers above the bound.

C. Sinz, "Towards an optimal CNF encoding of Boolean cardinality constraints", CP 2005, LT-PAR, with
the counter of D. Muller, F. Preparata, "Bounds to complexities of networks for sorting and for
switching", JACM 22, 1975. Of n variables, two counters take 2^m - 1 and the rest but one, and that
one is the carry into the adder of the two numbers. Adders are clauses in the direction that an
upper bound needs: 7 for a full one and 3 for a half one, with two auxiliary variables each. If n
has d binary digits, z of them 0, there are n - d full adders and z half ones. The comparator has a
clause for each of these digits that is 0 in the bound: d - 1 for at most one. Unit propagation does
not find all that follows from the values of some variables.

>>> from nqbench.clauses import dimacs
>>> print(dimacs.text(ParallelCounter("parallel-counter").at_most_one(3)))
p cnf 5 8
-5 0
-1 -3 5 0
-1 -2 5 0
-3 -2 5 0
-1 3 2 4 0
1 -3 2 4 0
1 3 -2 4 0
-1 -3 -2 4 0
"""

from nqbench.clauses.cnf import Block, CNFBuilder
from nqbench.encodings.counting import CountingEncoding


class ParallelCounter(CountingEncoding):
    """Adders that count in binary, and a comparator."""

    reference = "C. Sinz, CP 2005"
    tightens = True

    def limit(self, cnf: CNFBuilder, x: Block, most: int) -> None:
        bits = _Adders(cnf).count(x.tolist())
        ones = [place for place in range(len(bits)) if most >> place & 1]
        for place, bit in enumerate(bits):
            if place not in ones:
                cnf.add([[-bit, *(-bits[above] for above in ones if above > place)]])


class _Adders:
    """Adds binary numbers, which are lists of literals from the lowest bit on. The clauses imply
    outputs from inputs, so that a number can be too large, but not too small.
    """

    def __init__(self, cnf: CNFBuilder) -> None:
        self._cnf = cnf

    def count(self, x: list[int]) -> list[int]:
        """How many of x are true."""
        if len(x) <= 1:
            return x
        split = (1 << (len(x).bit_length() - 1)) - 1
        left, right, carry = self.count(x[:split]), self.count(x[split:-1]), x[-1]
        total = []
        for place, bit in enumerate(left):
            added = [bit, carry, *right[place : place + 1]]
            digit, carry = self._half(*added) if len(added) == 2 else self._full(*added)
            total.append(digit)
        return [*total, carry]

    def _half(self, a: int, b: int) -> tuple[int, int]:
        digit, carry = self._cnf.fresh_array(2).tolist()
        self._cnf.add([[-a, -b, carry], [-a, b, digit], [a, -b, digit]])
        return digit, carry

    def _full(self, a: int, b: int, c: int) -> tuple[int, int]:
        digit, carry = self._cnf.fresh_array(2).tolist()
        self._cnf.add([[-a, -b, carry], [-a, -c, carry], [-b, -c, carry]])
        self._cnf.add(
            [[-a, b, c, digit], [a, -b, c, digit], [a, b, -c, digit], [-a, -b, -c, digit]]
        )
        return digit, carry
