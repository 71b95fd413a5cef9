"""`modulo-totalizer`: a totalizer that counts in two digits, units and groups of p.

T. Ogawa, Y. Liu, R. Hasegawa, M. Koshimura, H. Fujita, "Modulo based CNF encoding of cardinality
constraints and its application to MaxSAT solvers", ICTAI 2013, with p = max(2, floor(sqrt k)) and
sizes as in PySAT. A node over m leaves has min(m, p-1) outputs for the units and floor(m / p) for
the groups, each digit in unary, and a carry if the units can reach p. At most one of k > 2: the
root has no group and no second unit; for k = 2, one clause. At most b of k: b in digits is the
largest count of the root. 56 auxiliary variables and 142 clauses
for k = 16.

>>> from nqbench.clauses import dimacs
>>> print(dimacs.text(ModuloTotalizer("modulo-totalizer").at_most_one(3)))
p cnf 9 11
-9 0
-4 6 0
-6 9 0
-7 9 0
-6 -7 0
-3 5 4 0
-2 5 4 0
-2 -3 4 0
-5 8 7 0
-1 8 7 0
-1 -5 7 0
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from nqbench.clauses.cnf import CNF, Block, CNFBuilder
from nqbench.clauses.stamp import stamp
from nqbench.encodings.counting import CountingEncoding


class ModuloTotalizer(CountingEncoding):
    """A tree that counts in two digits with a carry."""

    reference = "T. Ogawa, Y. Liu, R. Hasegawa, M. Koshimura, H. Fujita, ICTAI 2013"
    tightens = True

    def limit(self, cnf: CNFBuilder, x: Block, most: int) -> None:
        count_in_digits(cnf, x, most, p=max(2, math.isqrt(len(x))), most_groups=len(x))


def count_in_digits(cnf: CNFBuilder, x: Block, most: int, p: int, most_groups: int) -> None:
    """Add the tree over the variables x, shape (n,), and that at most so many are true. No node
    counts more than `most_groups` groups of p: more of them are forbidden.
    """
    base = _Base(p, most_groups)
    digits = _count(cnf, x.reshape(1, -1), base)[0]
    units, groups = np.split(digits, [base.digits(len(x))[0]])
    full, remainder = divmod(most, p)
    cnf.add_each(-groups[full:])
    # More units than the bound has need fewer groups.
    too_many = units[remainder:]
    fewer = [np.repeat(-groups[full - 1], len(too_many))] if full else []
    cnf.add_each(*fewer, -too_many)


@dataclass(frozen=True, slots=True)
class _Base:
    """Numbers in two digits: units below p, and at most so many groups of p."""

    p: int
    most_groups: int

    def digits(self, leaves: int) -> tuple[int, int]:
        """The numbers of outputs for the units and for the groups of a count of so many leaves."""
        return min(leaves, self.p - 1), min(leaves // self.p, self.most_groups)


def _count(cnf: CNFBuilder, leaves: Block, base: _Base) -> Block:
    """Count the true leaves of m sets of k leaves, shape (m, k). The counts have shape
    (m, units + groups).
    """
    k = leaves.shape[1]
    return stamp(cnf, _tree(k, base), leaves)[:, -sum(base.digits(k)) :] if k > 1 else leaves


@lru_cache(maxsize=1024)
def _tree(k: int, base: _Base) -> CNF:
    """A tree over k leaves, its main variables; its last variables are its units and groups.

    It is cached, since lines of different lengths share trees of the same size.
    """
    cnf = CNFBuilder(num_main=k)
    leaves = np.arange(1, k + 1, dtype=np.int32).reshape(1, k)
    digits = [_count(cnf, part, base)[0] for part in np.split(leaves, [k // 2], axis=1)]
    (left, left_groups), (right, right_groups) = (
        np.split(digit, [base.digits(size)[0]])
        for digit, size in zip(digits, (k // 2, k - k // 2), strict=True)
    )
    carry = cnf.fresh_array(int(len(left) + len(right) >= base.p))
    num_units, num_groups = base.digits(k)
    units, groups = cnf.fresh_array(num_units), cnf.fresh_array(num_groups)
    _add_units(cnf, (left, right), (units, carry), base.p)
    _add_groups(cnf, (left_groups, right_groups, carry), groups)
    return cnf.build_by_width()


def _add_units(
    cnf: CNFBuilder, inputs: tuple[Block, Block], outputs: tuple[Block, Block], p: int
) -> None:
    """Units i and j imply i + j units, or a carry and i + j - p; a carry waives sums below p."""
    (left, right), (units, carry) = inputs, outputs
    i, j = _sums(len(left), len(right))
    remainder = np.where(i + j < p, i + j, i + j - p)
    excuse = np.where(i + j <= p, len(carry), 0)
    literals = [-_at(left, i), -_at(right, j), _at(units, remainder), _at(carry, excuse)]
    cnf.add_without_zeros(np.stack(literals, axis=1))


def _add_groups(cnf: CNFBuilder, inputs: tuple[Block, Block, Block], groups: Block) -> None:
    """Groups i and j and the carry imply their sum of groups; impossible sums are forbidden."""
    left, right, carry = inputs
    for with_carry in range(len(carry) + 1):
        i, j = _sums(len(left), len(right), least=1 - with_carry)
        total = i + j + with_carry
        allowed_total = np.where(total <= len(groups), total, 0)
        carries = _at(carry, np.full_like(i, with_carry))
        literals = [-_at(left, i), -_at(right, j), -carries, _at(groups, allowed_total)]
        cnf.add_without_zeros(np.stack(literals, axis=1))


@lru_cache(maxsize=256)
def _sums(left: int, right: int, least: int = 1) -> tuple[Block, Block]:
    """All i <= left and j <= right with i + j >= least, shape (pairs,) each."""
    i, j = (side.reshape(-1) for side in np.indices((left + 1, right + 1), dtype=np.int32))
    enough = i + j >= least
    return i[enough], j[enough]


def _at(digit: Block, amount: Block) -> Block:
    """For each amount, the literal that the digit is at least this amount; 0 for an amount of 0."""
    return np.concatenate([np.zeros(1, dtype=np.int32), digit])[amount]
