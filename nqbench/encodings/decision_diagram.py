"""`decision-diagram`: each node asks for a literal, and knows what the others have to add up to.

I. Abio, R. Nieuwenhuis, A. Oliveras, E. Rodriguez-Carbonell, V. Mayer-Eichberger, "A new look at
BDDs for pseudo-Boolean constraints", Journal of Artificial Intelligence Research 45, 2012: a
reduced ordered binary decision diagram, which asks for the largest weights first. A node stands for
an interval of bounds, between two neighbouring sums of the literals that are left: all of these
allow the same values. It has a variable and, since more true literals never break a row, two
clauses: without its literal the one child, and in any case the other, which allows more. Clauses
to what always holds are left out, and the root is true.

The size depends on how many sums there are: less than n times the bound, but it can double with
each literal. A row with more than 10 million sums is refused.
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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.cnf import Block, CNFBuilder
from nqbench.clauses.rows import RowForm
from nqbench.common.errors import InputError
from nqbench.encodings.counting import WeighedRow, WeighingEncoding

MOST_SUMS: Final = 10_000_000
"""Bounds that the nodes of a diagram know, before equal nodes are shared."""

_MOST_INTERVALS: Final = 4_000_000
"""Sums of literals that are left, of all levels together, which tell equal nodes early."""

_MOST_TERMS: Final = 1 << 20
"""Literals of rows whose diagrams are made at once, with each row as long as the longest."""

_LARGEST_KEY: Final = 1 << 62

_FALSE, _TRUE = 0, 1
"""Numbers of nodes: of those that ask for nothing, and the first of the others."""

_FIRST = 2

Numbers = NDArray[np.int64]

Sums = NDArray[Any]
"""int64, or Python's integers if those of a row add up to more than 2^62."""


class DecisionDiagram(WeighingEncoding):
    """A reduced ordered binary decision diagram."""

    reference = "I. Abio and others, JAIR 45, 2012"
    knows_sizes = False  # without the diagrams

    def num_clauses(self, form: RowForm, most: int) -> int:  # noqa: ARG002 - it has its own limit
        return sum(diagrams.num_clauses for diagrams in self._diagrams([form]))

    def weigh(self, cnf: CNFBuilder, x: Block, form: RowForm) -> None:
        self.weigh_rows(cnf, [(form, x)])

    def weigh_rows(self, cnf: CNFBuilder, rows: Sequence[WeighedRow]) -> None:
        clauses = done = 0
        for diagrams in self._diagrams([form for form, _ in rows]):
            clauses += diagrams.num_clauses
            self.check_number(clauses)
            several = rows[done : done + diagrams.count]
            _add(cnf, diagrams, [x for _, x in several])
            done += diagrams.count

    def _diagrams(self, forms: Sequence[RowForm]) -> "Iterator[_Diagrams]":
        """Yield diagrams of all forms, in order, as many at once as fit."""
        for several in _batches(forms):
            diagrams = _diagrams(several)
            if diagrams is not None:
                yield diagrams
            elif len(several) > 1:
                for half in (several[: len(several) // 2], several[len(several) // 2 :]):
                    yield from self._diagrams(half)
            else:
                raise InputError(
                    f"encoding '{self.name}' needs more than {MOST_SUMS} sums for a row with "
                    "weights: choose another one, for instance adder"
                )


@dataclass(frozen=True, slots=True)
class _Diagrams:
    """The nodes of `count` diagrams, those of each with its root last, numbered from 2 on: the
    diagram, the place of the literal that each asks for, and its children without and with the
    literal. All arrays have shape (nodes,).
    """

    count: int
    of: Numbers
    places: Numbers
    fewer: Numbers
    more: Numbers

    @property
    def num_clauses(self) -> int:
        return self.count + len(self.places) + int((self.more != _TRUE).sum())


def _add(cnf: CNFBuilder, diagrams: _Diagrams, x: Sequence[Block]) -> None:
    """Add the clauses of diagrams over these literals."""
    variables = cnf.fresh_array(len(diagrams.places))
    starts = np.cumsum([0, *map(len, x)])
    literals = np.concatenate(x)[starts[diagrams.of] + diagrams.places]
    roots = np.append(np.flatnonzero(np.diff(diagrams.of)), len(variables) - 1)
    cnf.add(variables[roots, np.newaxis])
    is_false = diagrams.fewer == _FALSE
    cnf.add_each(-variables[is_false], literals[is_false])
    for asked, child in ((None, diagrams.more), (literals, diagrams.fewer)):
        goes_on = child >= _FIRST
        clauses = [-variables[goes_on], variables[child[goes_on] - _FIRST]]
        cnf.add_each(*clauses, *([] if asked is None else [asked[goes_on]]))


def _batches(forms: Sequence[RowForm]) -> Iterator[Sequence[RowForm]]:
    """Yield the forms in order, as many at once as the arrays of `_diagrams` have room for."""
    start = longest = largest = 0
    for end, form in enumerate(forms):
        longest = max(longest, len(form.weights))
        largest = max(largest, sum(form.weights))
        count = end + 1 - start
        if count > 1 and (count * longest > _MOST_TERMS or count * (largest + 1) > _LARGEST_KEY):
            yield forms[start:end]
            start, longest, largest = end, len(form.weights), sum(form.weights)
    if forms:
        yield forms[start:]


def _diagrams(forms: Sequence[RowForm]) -> _Diagrams | None:
    """The diagrams; None if they have more than `MOST_SUMS` together."""
    count, longest = len(forms), max(len(form.weights) for form in forms)
    is_large = max(sum(form.weights) for form in forms) >= _LARGEST_KEY
    kind = np.dtype(object if is_large else np.int64)
    weights = np.zeros((count, longest), kind)
    for weights_of_one, form in zip(weights, forms, strict=True):
        weights_of_one[: len(form.weights)] = form.weights
    rest = np.zeros((count, longest + 1), kind)
    rest[:, :-1] = np.cumsum(weights[:, ::-1], axis=1)[:, ::-1]
    least = np.array([form.least for form in forms], kind)
    # A bound of a row is one number with its row, so that all rows are sorted at once.
    span = int(rest[:, 0].max()) + 1
    intervals = _intervals(weights, least + weights[:, 0], span)

    def largest(level: int, bounds: Sums) -> Sums:
        """The largest bounds that allow the same values of the literals that are left."""
        if level not in intervals:
            return bounds
        sums = intervals[level]
        return sums[np.searchsorted(sums, bounds)]

    rows = np.arange(count)
    bounds = largest(0, rows.astype(kind) * span + least)
    levels = []
    reached = 0
    for level in range(1, longest + 1):
        rows = (bounds // span).astype(np.int64)
        asked = np.concatenate([bounds, bounds - weights[rows, level - 1]])
        both = np.concatenate([rows, rows])
        left = asked - both.astype(kind) * span
        children = np.where(left > 0, _FALSE, _TRUE)
        is_open = (left > 0) & (left <= rest[both, level])
        reaches = largest(level, asked[is_open])
        bounds = _distinct(reaches)
        children[is_open] = _FIRST + np.searchsorted(bounds, reaches)
        levels.append((rows, children.reshape(2, -1)))
        reached += len(bounds)
        if reached > MOST_SUMS:
            return None

    ends = np.array([_FALSE, _TRUE])
    numbers = ends
    last = _TRUE
    nodes = []
    for place, (rows, children) in reversed(list(enumerate(levels))):
        without, within = numbers[children]
        is_new = np.ones(len(rows), bool)
        is_new[1:] = (np.diff(without) != 0) | (np.diff(within) != 0) | (np.diff(rows) != 0)
        is_new &= without != within
        numbers = np.append(ends, np.where(without == within, without, last + np.cumsum(is_new)))
        last += int(is_new.sum())
        places = np.full(len(rows), place)
        nodes.append(np.stack([rows, places, without, within])[:, is_new])
    return _row_by_row(count, np.concatenate(nodes, axis=1))


def _row_by_row(count: int, nodes: Numbers) -> _Diagrams:
    """The diagrams of nodes that are in the order of their places, last ones first."""
    order = np.argsort(nodes[0], kind="stable")
    numbers = np.arange(_FIRST + len(order))
    numbers[_FIRST + order] = np.arange(_FIRST, _FIRST + len(order))
    of, places, fewer, more = nodes[:, order]
    return _Diagrams(count, of, places, numbers[fewer], numbers[more])


def _intervals(weights: Sums, limits: Sums, span: int) -> dict[int, Sums]:
    """The sums below the limits of the literals from some levels on, each with its row: of the last
    ones, of which all together have few enough.
    """
    sums = np.arange(len(weights)).astype(weights.dtype) * span
    intervals, count = {weights.shape[1]: sums}, 0
    for level in reversed(range(weights.shape[1])):
        rows = (sums // span).astype(np.int64)
        more = sums + weights[rows, level]
        more = more[more - rows.astype(weights.dtype) * span < limits[rows]]
        sums = _distinct(np.concatenate([sums, more]))
        count += len(sums)
        if count > _MOST_INTERVALS:
            break
        intervals[level] = sums
    return intervals


def _distinct(numbers: Sums) -> Sums:
    """The numbers in order, each once. `np.unique` hashes them, and these collide."""
    ordered = np.sort(numbers, kind="stable")  # which merges two halves that are in order
    return ordered[np.append(True, ordered[1:] != ordered[:-1])] if len(ordered) else ordered
