"""`watchdog`: a counter in unary for each binary place of the weights; one output must stay false.

O. Bailleux, Y. Boufkhad, O. Roussel, "New encodings of pseudo-Boolean constraints into CNF",
SAT 2009: the global polynomial watchdog. It states that the weights of some literals, here of the
false ones, do not reach a number b. The bucket of place r has the literals whose weight has a one
there, and a totalizer counts them. Its count is added to every second output of the place below,
which are the carries. A constant is added to both sides, so that b becomes m times 2^p, where p is
the highest place: then the output m of place p must be false. Outputs that it does not depend on
are left out.

Where a and b outputs are added, of which c are needed, there are min(a + b, c) auxiliary variables,
and a clause for each i on the left and j on the right with 1 <= i + j <= c. For n literals that is
about 1.5 n^2 clauses at most for each binary place of the largest weight. 18 auxiliary variables
and 32 clauses for the weights 7, 5, 3, 2 and 10 as bound. Unit propagation finds when a row can no
longer hold, but not each value that follows.

>>> from nqbench.clauses import dimacs
>>> print(dimacs.text(Watchdog("watchdog").weighing(RowForm((2, 1, 1), 2))))
p cnf 7 7
-7 0
2 4 0
3 4 0
1 6 0
-4 6 0
2 3 5 0
1 -4 7 0
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from nqbench.clauses.cnf import CNF, Block, CNFBuilder
from nqbench.clauses.rows import RowForm
from nqbench.encodings.counting import WeighedRow, WeighingEncoding, cnf_variables
from nqbench.encodings.step_by_step import StepByStep


class Watchdog(WeighingEncoding):
    """A totalizer for each binary place of the weights, with carries."""

    reference = "O. Bailleux, Y. Boufkhad, O. Roussel, SAT 2009"

    def num_clauses(self, form: RowForm, most: int) -> int:  # noqa: ARG002 - it is quick to find
        clauses, carries = 1, 0
        for place in _places(form):
            bucket = min(len(place.bucket), place.most)
            clauses += _tree_clauses(len(place.bucket), place.most)
            clauses += _sum_clauses(bucket, carries, place.most)
            outputs = min(bucket + carries, place.most)
            carries = (outputs + place.constant) // 2
        return clauses

    def weigh(self, cnf: CNFBuilder, x: Block, form: RowForm) -> None:
        self.weigh_rows(cnf, [(form, x)])

    def weigh_rows(self, cnf: CNFBuilder, rows: Sequence[WeighedRow]) -> None:
        steps, tree, adds = StepByStep(cnf), cache(_tree), cache(_adds)
        for form, x in rows:
            of_false = (-x).tolist()
            outputs: list[int] = []
            carries: list[int] = []
            for place in _places(form):
                bucket = [of_false[i] for i in place.bucket]
                if len(bucket) > 1:
                    size = min(len(bucket), place.most)
                    bucket = steps.take(tree(len(bucket), size), bucket)[-size:]
                if bucket and carries:
                    size = min(len(bucket) + len(carries), place.most)
                    added = adds(len(bucket), len(carries), size)
                    outputs = steps.take(added, bucket + carries)
                else:
                    outputs = (bucket or carries)[: place.most]
                carries = outputs[1 - place.constant :: 2]
            cnf.add([[-outputs[-1]]])
        steps.write()


@dataclass(frozen=True, slots=True)
class _Place:
    """A binary place: the literals whose weights have a one there, the bit of the constant, and how
    many outputs are needed.
    """

    bucket: list[int]
    constant: int
    most: int


def _places(form: RowForm) -> Iterator[_Place]:
    """Yield the places of the weights, lowest first."""
    highest = form.weights[0].bit_length() - 1
    broken = sum(form.weights) - form.least + 1
    """What the weights of the false literals must not reach."""
    constant = -broken % (1 << highest)
    for place in range(highest + 1):
        bucket = [i for i, weight in enumerate(form.weights) if weight >> place & 1]
        yield _Place(bucket, constant >> place & 1, -(-broken >> place))


def _tree(k: int, most: int) -> CNF:
    """The unary count, up to `most`, of k leaves: its outputs are the last variables."""
    cnf = CNFBuilder(num_main=k)
    _count(cnf, cnf_variables(cnf)[np.newaxis], most)
    return cnf.build_by_width()


def _adds(left: int, right: int, most: int) -> CNF:
    """The sum, up to `most`, of two numbers in unary with so many outputs."""
    cnf = CNFBuilder(num_main=left + right)
    both = cnf_variables(cnf)[np.newaxis]
    _sum(cnf, both[:, :left], both[:, left:], most)
    return cnf.build_by_width()


def _count(cnf: CNFBuilder, leaves: Block, most: int) -> Block:
    """Unary counts, up to `most`, of groups of leaves, shape (groups, leaves), each with a tree."""
    groups, k = leaves.shape
    if k <= 1:
        return leaves
    if k % 2 == 0:
        halves = _count(cnf, leaves.reshape(2 * groups, k // 2), most).reshape(groups, 2, -1)
        left, right = halves[:, 0], halves[:, 1]
    else:
        left, right = (_count(cnf, part, most) for part in np.split(leaves, [k // 2], axis=1))
    return _sum(cnf, left, right, most)


def _sum(cnf: CNFBuilder, left: Block, right: Block, most: int) -> Block:
    """Sums, up to `most`, of numbers in unary, shape (numbers, outputs)."""
    if not (left.shape[1] and right.shape[1]):
        return (left if left.shape[1] else right)[:, :most]
    numbers, size = len(left), min(left.shape[1] + right.shape[1], most)
    total = cnf.fresh_array(numbers * size).reshape(numbers, size)
    for part in (left[:, :size], right[:, :size]):
        cnf.add(np.stack([-part, total[:, : part.shape[1]]], axis=2).reshape(-1, 2))
    i, j = np.nonzero(np.add.outer(range(left.shape[1]), range(right.shape[1])) < size - 1)
    clauses = np.stack([-left[:, i], -right[:, j], total[:, i + j + 1]], axis=2)
    cnf.add(clauses.reshape(-1, 3))
    return total


@cache
def _tree_clauses(k: int, most: int) -> int:
    """The number of clauses of `_count` for one group."""
    if k <= 1:
        return 0
    left, right = k // 2, k - k // 2
    clauses = _tree_clauses(left, most) + _tree_clauses(right, most)
    return clauses + _sum_clauses(min(left, most), min(right, most), most)


def _sum_clauses(left: int, right: int, most: int) -> int:
    """The number of clauses of `_sum` for one number."""
    if not (left and right):
        return 0
    pairs = sum(min(right, max(0, most - i)) for i in range(1, left + 1))
    return min(left, most) + min(right, most) + pairs
