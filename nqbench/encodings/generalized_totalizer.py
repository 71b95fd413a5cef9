"""`generalized-totalizer`: a tree that has an output for each sum that its leaves can have.

S. Joshi, R. Martins, V. Manquinho, "Generalized totalizer encoding for pseudo-Boolean constraints",
CP 2015. It states that the weights of some literals, here of the false ones, are at most a number
k. All sums above k are one output, which is k + 1; that of the root must be false. A node with a
and b outputs below it has a clause for each of these, and one for each two of them: together
(a+1)(b+1) - 1, which imply the output of the sum. The literals are halved down to single ones.

The size depends on how many sums there are: where few weights differ it is that of a totalizer, but
it can double with each literal. Rows that would need more than 20 million clauses are refused
before anything is encoded. 11 auxiliary variables and 22 clauses for the weights 7, 5, 3, 2 and 10
as bound. Unit propagation finds each value that follows.

>>> from nqbench.clauses import dimacs
>>> scheme = GeneralizedTotalizer("generalized-totalizer")
>>> print(dimacs.text(scheme.weighing(RowForm((2, 1, 1), 2))))
p cnf 8 9
-8 0
2 4 0
3 4 0
1 7 0
-4 6 0
-5 7 0
2 3 5 0
1 -4 8 0
1 -5 8 0
"""

import numpy as np

from nqbench.clauses.cnf import Block, CNFBuilder
from nqbench.clauses.rows import Integers, RowForm, whole_numbers
from nqbench.encodings.weighing import WeighingEncoding

Sums = Integers


class GeneralizedTotalizer(WeighingEncoding):
    """A tree with an output for each sum."""

    reference = "S. Joshi, R. Martins, V. Manquinho, CP 2015"

    def num_clauses(self, form: RowForm, most: int) -> int:
        clauses = 1

        def sums(weights: Sums) -> Sums:
            """The sums of a node, with its clauses counted; none after `most` clauses."""
            nonlocal clauses
            if len(weights) == 1:
                return weights
            left, right = (sums(part) for part in np.split(weights, [len(weights) // 2]))
            clauses += (len(left) + 1) * (len(right) + 1) - 1
            return _sums(left, right, _broken(form)) if clauses <= most else weights[:0]

        sums(whole_numbers(form.weights))
        return clauses

    def weigh(self, cnf: CNFBuilder, x: Block, form: RowForm) -> None:
        _, outputs = _add_node(cnf, -x, whole_numbers(form.weights), _broken(form))
        cnf.add([[-outputs[-1]]])


def _broken(form: RowForm) -> int:
    """The least sum of the weights of false literals that is too large."""
    return sum(form.weights) - form.least + 1


def _add_node(cnf: CNFBuilder, leaves: Block, weights: Sums, most: int) -> tuple[Sums, Block]:
    """The sums of some leaves, in order and up to `most`, and the outputs that they imply."""
    if len(leaves) == 1:
        return weights, leaves
    half = len(leaves) // 2
    left, x = _add_node(cnf, leaves[:half], weights[:half], most)
    right, y = _add_node(cnf, leaves[half:], weights[half:], most)
    sums = _sums(left, right, most)
    outputs = cnf.fresh_array(len(sums))
    for part, literals in ((left, x), (right, y)):
        cnf.add_each(-literals, outputs[np.searchsorted(sums, part)])
    for number, literal in zip(left.tolist(), x.tolist(), strict=True):
        places = np.searchsorted(sums, np.minimum(number + right, most))
        cnf.add_each(np.full_like(y, -literal), -y, outputs[places])
    return sums, outputs


def _sums(left: Sums, right: Sums, most: int) -> Sums:
    """The sums of none or one of each side, but not of none of both, in order and up to `most`."""
    both = np.minimum(np.add.outer(left, right).reshape(-1), most)
    return np.unique(np.concatenate([left, right, both]))
