"""`decision-diagram`: each node asks for a literal, and knows what the others have to add up to.

I. Abio, R. Nieuwenhuis, A. Oliveras, E. Rodriguez-Carbonell, V. Mayer-Eichberger, "A new look at
BDDs for pseudo-Boolean constraints", Journal of Artificial Intelligence Research 45, 2012: a
reduced ordered binary decision diagram, which asks for the largest weights first. A node stands for
an interval of bounds, between two neighbouring sums of the literals that are left: all of these
allow the same values. It has a variable and, since more true literals never break a row, two
clauses: without its literal the one child, and in any case the other, which allows more. Clauses
to what always holds are left out, and the root is true.

The size depends on how many sums there are: less than n times the bound, but it can double with
each literal. Rows with more than 10 million sums are refused before anything is encoded.
6 auxiliary variables and 10 clauses for the weights 7, 5, 3, 2 and 10 as bound. Unit propagation
finds each value that follows.

>>> from nqbench.clauses import dimacs
>>> print(dimacs.text(DecisionDiagram("decision-diagram").weighing(RowForm((2, 1, 1), 2))))
p cnf 6 5
6 0
-4 3 0
-5 2 0
-5 4 0
-6 5 1 0
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.cnf import Block, CNFBuilder
from nqbench.clauses.rows import RowForm
from nqbench.common.errors import InputError
from nqbench.encodings.weighing import WeighingEncoding

MOST_SUMS: Final = 10_000_000
"""Bounds that the nodes of a diagram know, before equal nodes are shared."""

_MOST_INTERVALS: Final = 4_000_000
"""Sums of literals that are left, of all levels together, which tell equal nodes early."""

_FALSE, _TRUE = 0, 1
"""Numbers of nodes: of those that ask for nothing, and the first of the others."""

_FIRST = 2

Numbers = NDArray[np.int64]


class DecisionDiagram(WeighingEncoding):
    """A reduced ordered binary decision diagram."""

    reference = "I. Abio and others, JAIR 45, 2012"

    def num_clauses(self, form: RowForm, most: int) -> int:  # noqa: ARG002 - it has its own limit
        diagram = self._diagram(form)
        return 1 + len(diagram.places) + int((diagram.more != _TRUE).sum())

    def weigh(self, cnf: CNFBuilder, x: Block, form: RowForm) -> None:
        diagram = self._diagram(form)
        variables = cnf.fresh_array(len(diagram.places))
        literals = x[diagram.places]
        is_false = diagram.fewer == _FALSE
        cnf.add_each(-variables[is_false], literals[is_false])
        for asked, child in ((literals, diagram.fewer), (None, diagram.more)):
            goes_on = child >= _FIRST
            clauses = [-variables[goes_on], variables[child[goes_on] - _FIRST]]
            cnf.add_each(*clauses, *([] if asked is None else [asked[goes_on]]))
        cnf.add([[variables[-1]]])

    def _diagram(self, form: RowForm) -> "_Diagram":
        diagram = _diagram(form)
        if diagram is None:
            raise InputError(
                f"encoding '{self.name}' needs more than {MOST_SUMS} sums for a row with weights: "
                "choose another one, for instance adder"
            )
        return diagram


@dataclass(frozen=True, slots=True)
class _Diagram:
    """Nodes with numbers from 2 on, the root last: the place of the literal that each asks for, and
    its children without and with the literal. All have shape (nodes,).
    """

    places: Numbers
    fewer: Numbers
    more: Numbers


@lru_cache(maxsize=1)  # since the size is asked for first
def _diagram(form: RowForm) -> _Diagram | None:
    """The diagram; None if it has more than `MOST_SUMS`."""
    weights = np.array(form.weights, np.int64)
    rest = np.append(np.cumsum(weights[::-1])[::-1], 0)
    intervals = _intervals(weights, form.least)

    def bounds_at(level: int, bounds: Numbers) -> Numbers:
        """The largest bound that allows the same values of the literals that are left."""
        if level not in intervals:
            return bounds
        sums = intervals[level]
        return sums[np.searchsorted(sums, bounds)]

    bounds = [bounds_at(0, np.array([form.least], np.int64))]
    reached = 0
    for level, weight in enumerate(form.weights, 1):
        below = np.concatenate([bounds[-1], bounds[-1] - weight])
        below = below[(below > 0) & (below <= rest[level])]
        bounds.append(np.unique(bounds_at(level, below)))
        reached += len(bounds[-1])
        if reached > MOST_SUMS:
            return None

    def nodes_at(level: int, numbers: Numbers, asked: Numbers) -> Numbers:
        """The nodes for bounds of a level; only undecided ones have numbers."""
        nodes = np.where(asked > 0, _FALSE, _TRUE)
        is_open = (asked > 0) & (asked <= rest[level])
        at = np.searchsorted(bounds[level], bounds_at(level, asked[is_open]))
        nodes[is_open] = numbers[at]
        return nodes

    last = _TRUE
    numbers = np.empty(0, np.int64)
    places, fewer, more = [], [], []
    for level in reversed(range(len(weights))):
        without = nodes_at(level + 1, numbers, bounds[level])
        within = nodes_at(level + 1, numbers, bounds[level] - weights[level])
        is_new = np.ones(len(without), bool)
        is_new[1:] = (np.diff(without) != 0) | (np.diff(within) != 0)
        is_new &= without != within
        numbers = np.where(without == within, without, last + np.cumsum(is_new))
        last += int(is_new.sum())
        places.append(np.full(int(is_new.sum()), level))
        fewer.append(without[is_new])
        more.append(within[is_new])
    return _Diagram(np.concatenate(places), np.concatenate(fewer), np.concatenate(more))


def _intervals(weights: Numbers, least: int) -> dict[int, Numbers]:
    """The sums up to `least` of the literals from some levels on: of the last ones, of which all
    together have few enough.
    """
    sums = np.zeros(1, np.int64)
    intervals, count = {len(weights): sums}, 0
    for level in reversed(range(len(weights))):
        sums = np.unique(np.concatenate([sums, sums + weights[level]]))
        sums = sums[sums < least + weights[0]]
        count += len(sums)
        if count > _MOST_INTERVALS:
            break
        intervals[level] = sums
    return intervals
