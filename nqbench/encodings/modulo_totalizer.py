"""`modulo-totalizer`: a totalizer that counts in two digits, units and groups of p.

T. Ogawa, Y. Liu, R. Hasegawa, M. Koshimura, H. Fujita, "Modulo based CNF encoding of cardinality
constraints and its application to MaxSAT solvers", ICTAI 2013, with p = max(2, floor(sqrt k)) as in
PySAT, whose sizes these are. A node over m leaves has min(m, p-1) outputs for the units and
floor(m / p) for the groups, each digit in unary, and a carry where the units can reach p. At most
one of k > 2: at the root no group and no second unit; of 2, the pair. 56 auxiliary variables and
142 clauses for k = 16.

>>> from nqbench import dimacs
>>> print(dimacs.text(ModuloTotalizer("modulo-totalizer").at_most_one(3)))
p cnf 9 11
-8 0
-6 5 0
-5 8 0
-9 8 0
-5 -9 0
-3 4 6 0
-2 4 6 0
-2 -3 6 0
-4 7 9 0
-1 7 9 0
-1 -4 9 0
"""

import math
from functools import lru_cache

import numpy as np

from nqbench.cnf import CNF, Block, CNFBuilder
from nqbench.encodings.lines import LineEncoding
from nqbench.encodings.stamp import stamp


class ModuloTotalizer(LineEncoding):
    reference = "T. Ogawa, Y. Liu, R. Hasegawa, M. Koshimura, H. Fujita, ICTAI 2013"

    def constrain(self, cnf: CNFBuilder, x: Block) -> None:
        p = max(2, math.isqrt(len(x)))
        digits = _count(cnf, x.reshape(1, -1), p)[0]
        units, groups = np.split(digits, [_digits(len(x), p)[0]])
        cnf.add_each(-groups)
        cnf.add_each(-units[1:])


def _digits(leaves: int, p: int) -> tuple[int, int]:
    """How many outputs the units and the groups of a count of so many leaves have."""
    return min(leaves, p - 1), leaves // p


def _count(cnf: CNFBuilder, leaves: Block, p: int) -> Block:
    """How many of each m groups of k leaves are true, leaves of shape (m, k).

    Shape (m, units + groups). All nodes of a size are done at once.
    """
    trees, k = leaves.shape
    if k == 1:
        return leaves
    if k % 2 == 0:
        halves = _count(cnf, leaves.reshape(2 * trees, k // 2), p).reshape(trees, -1)
    else:
        parts = np.split(leaves, [k // 2], axis=1)
        halves = np.concatenate([_count(cnf, part, p) for part in parts], axis=1)
    outputs = stamp(cnf, _node(k // 2, k - k // 2, p), halves)
    return outputs[:, : sum(_digits(k, p))]


@lru_cache(maxsize=512)
def _node(left_leaves: int, right_leaves: int, p: int) -> CNF:
    """One node. Board: digits of the left and of the right; auxiliary: its own, and the carry."""
    sizes = [*_digits(left_leaves, p), *_digits(right_leaves, p)]
    cnf = CNFBuilder(board=sum(sizes))
    inputs = np.arange(1, cnf.board + 1, dtype=np.int32)
    left, left_groups, right, right_groups = np.split(inputs, np.cumsum(sizes)[:-1])
    most_units = len(left) + len(right)
    num_units, num_groups = _digits(left_leaves + right_leaves, p)
    units, groups = cnf.fresh_array(num_units), cnf.fresh_array(num_groups)
    carry = cnf.fresh_array(int(most_units >= p))
    _add_units(cnf, (left, right), (units, carry), p)
    _add_groups(cnf, (left_groups, right_groups, carry), groups)
    return cnf.build_by_width()


def _add_units(
    cnf: CNFBuilder, inputs: tuple[Block, Block], outputs: tuple[Block, Block], p: int
) -> None:
    """I and j make i + j units, or a carry and i + j - p; a carry excuses from units below p."""
    (left, right), (units, carry) = inputs, outputs
    i, j = _sums(len(left), len(right))
    remainder = np.where(i + j < p, i + j, i + j - p)
    excuse = np.where(i + j <= p, len(carry), 0)
    parts = [-_at(left, i), -_at(right, j), _at(units, remainder), _at(carry, excuse)]
    cnf.add_without_zeros(np.stack(parts, axis=1))


def _add_groups(cnf: CNFBuilder, inputs: tuple[Block, Block, Block], groups: Block) -> None:
    """I and j and the carry make as many groups; more than there can be are forbidden."""
    left, right, carry = inputs
    for with_carry in range(len(carry) + 1):
        i, j = _sums(len(left), len(right), least=1 - with_carry)
        total = i + j + with_carry
        possible = np.where(total <= len(groups), total, 0)
        carries = _at(carry, np.full_like(i, with_carry))
        parts = [-_at(left, i), -_at(right, j), -carries, _at(groups, possible)]
        cnf.add_without_zeros(np.stack(parts, axis=1))


def _sums(left: int, right: int, least: int = 1) -> tuple[Block, Block]:
    """All i <= left and j <= right with i + j >= least, shape (pairs,) each."""
    i, j = (side.reshape(-1) for side in np.indices((left + 1, right + 1), dtype=np.int32))
    enough = i + j >= least
    return i[enough], j[enough]


def _at(digit: Block, amount: Block) -> Block:
    """The literal that a digit is at least the amount, for each amount; 0 for an amount of 0."""
    return np.concatenate([np.zeros(1, dtype=np.int32), digit])[amount]
