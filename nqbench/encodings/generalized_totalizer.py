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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.cnf import Block, CNFBuilder
from nqbench.clauses.rows import RowForm, SimpleRows
from nqbench.encodings.counting import MOST_CLAUSES, WeighedRow, WeighingEncoding

_AT_ONCE: Final = 64
"""Rows whose trees are made at once: fewer take longer, and more need more memory."""

_LARGEST_KEY: Final = 1 << 62

Numbers = NDArray[np.integer[Any]]

Sums = NDArray[Any]
"""int64, or Python's integers if those of a row may leave 64 bits."""


class GeneralizedTotalizer(WeighingEncoding):
    """A tree with an output for each sum."""

    reference = "S. Joshi, R. Martins, V. Manquinho, CP 2015"

    def num_clauses(self, form: RowForm, most: int) -> int:
        return int(_Trees([form], most).num_clauses.sum())

    def check_sizes(self, simple: SimpleRows) -> None:
        clauses = 0
        of_forms = {form: rows for form, rows in simple.by_form.items() if not form.is_counted}
        copies = np.array([len(literals) for literals in of_forms.values()])
        for start, trees in _trees(list(of_forms)):
            sizes = trees.num_clauses
            clauses += int((sizes * copies[start : start + len(sizes)]).sum())
            self.check_number(clauses)

    def weigh(self, cnf: CNFBuilder, x: Block, form: RowForm) -> None:
        self.weigh_rows(cnf, [(form, x)])

    def weigh_rows(self, cnf: CNFBuilder, rows: Sequence[WeighedRow]) -> None:
        clauses = 0
        for start, trees in _trees([form for form, _ in rows]):
            clauses += int(trees.num_clauses.sum())
            self.check_number(clauses)
            trees.add(cnf, [x for _, x in rows[start : start + len(trees.num_clauses)]])


def _trees(forms: Sequence[RowForm]) -> "Iterator[tuple[int, _Trees]]":
    """Yield the trees of all forms, some at once, with the number of the first one."""
    for start in range(0, len(forms), _AT_ONCE):
        yield start, _Trees(forms[start : start + _AT_ONCE], MOST_CLAUSES)


@dataclass(slots=True)
class _Node:
    """One place of the trees of several rows of one length: the sums there, in order, each with
    its row as one number. `starts` says where those of each row begin. Of a leaf, `place` is that
    of its literal. Others have the nodes below and, for each sum below and each pair of them, the
    position of its sum here.
    """

    keys: Sums
    starts: Numbers
    place: int = -1
    below: "tuple[_Node, ...]" = ()
    pairs: tuple[Numbers, ...] = ()
    implied: tuple[Numbers, ...] = ()
    literals: Block = field(default_factory=lambda: np.zeros(0, np.int32))

    @property
    def counts(self) -> Numbers:
        """The number of sums of each row."""
        return np.diff(self.starts)


class _Trees:
    """The trees of several rows, made place by place for all rows of one length at once. They are
    not complete if they have more clauses than `most`.
    """

    def __init__(self, forms: Sequence[RowForm], most: int) -> None:
        self.num_clauses = np.ones(len(forms), np.int64)
        self._most = most
        self._groups: list[tuple[Numbers, list[_Node]]] = []
        """The rows of one length, and their nodes, those below first."""
        lengths = np.array([len(form.weights) for form in forms])
        for length in np.unique(lengths).tolist():
            rows = np.flatnonzero(lengths == length)
            nodes: list[_Node] = []
            self._groups.append((rows, nodes))
            self._grow([forms[row] for row in rows.tolist()], rows, nodes)

    def _grow(self, forms: Sequence[RowForm], rows: Numbers, nodes: list[_Node]) -> None:
        span = max(_broken(form) for form in forms) + 1
        kind = np.dtype(object if span * len(forms) >= _LARGEST_KEY else np.int64)
        weights = np.array([form.weights for form in forms], kind)
        first = np.arange(len(forms)).astype(kind) * span
        limits = first + np.array([_broken(form) for form in forms], kind)

        def grow(begin: int, end: int) -> _Node:
            if end - begin == 1:
                node = _Node(first + weights[:, begin], np.arange(len(forms) + 1), begin)
            else:
                middle = begin + (end - begin) // 2
                left, right = grow(begin, middle), grow(middle, end)
                self.num_clauses[rows] += (left.counts + 1) * (right.counts + 1) - 1
                if self.num_clauses.sum() > self._most:
                    return left
                node = _joined(left, right, first, limits, span)
            nodes.append(node)
            return node

        grow(0, weights.shape[1])

    def add(self, cnf: CNFBuilder, x: Sequence[Block]) -> None:
        """Add the clauses of the trees over the negations of these literals: those of each width in
        the order of the rows, and of a row from its leaves to its root.
        """
        needed = np.zeros(len(x), np.int64)
        for rows, nodes in self._groups:
            needed[rows] += sum(node.counts for node in nodes if node.below)
        outputs = cnf.fresh_array(int(needed.sum()))
        next_output = np.cumsum(needed) - needed
        by_width: dict[int, list[tuple[Numbers, Block]]] = {1: [], 2: [], 3: []}
        for rows, nodes in self._groups:
            of_group = np.stack([x[row] for row in rows.tolist()])
            for node in nodes:
                if not node.below:
                    node.literals = -of_group[:, node.place]
                    continue
                owners = np.repeat(rows, node.counts)
                node.literals = outputs[
                    np.repeat(next_output[rows] - node.starts[:-1], node.counts)
                    + np.arange(len(owners))
                ]
                next_output[rows] += node.counts
                for width, clauses, of_rows in _clauses(node, owners):
                    by_width[width].append((of_rows, clauses))
            roots = nodes[-1]
            by_width[1].append((rows, -roots.literals[roots.starts[1:] - 1][:, np.newaxis]))
        for parts in by_width.values():
            if len(x) == 1:  # perhaps a large one, which is not copied
                for _, clauses in parts:
                    cnf.add(clauses)
            elif parts:
                of_rows, clauses = (np.concatenate(some) for some in zip(*parts, strict=True))
                # Of 8 bits, so NumPy sorts by digits.
                cnf.add(clauses[np.argsort(of_rows.astype(np.uint8), kind="stable")])


def _broken(form: RowForm) -> int:
    """The least sum of the weights of false literals that is too large."""
    return sum(form.weights) - form.least + 1


def _joined(left: _Node, right: _Node, first: Sums, limits: Sums, span: int) -> _Node:
    """The node above two others: the sums, up to the limits, of none or one of each side, but not
    of none of both.
    """
    of_left = np.repeat(np.arange(len(first)), left.counts)
    repeats = right.counts[of_left]
    # Positions of 32 bits, since a large row has millions of pairs.
    i = np.repeat(np.arange(len(of_left), dtype=np.int32), repeats)
    begins = np.cumsum(repeats) - repeats
    j = np.repeat((right.starts[of_left] - begins).astype(np.int32), repeats)
    j += np.arange(len(i), dtype=np.int32)
    row = of_left[i]
    both = np.minimum(left.keys[i] + right.keys[j] - first[row], limits[row])
    parts = left.keys, right.keys, both
    keys, positions = _ranked(np.concatenate(parts), span * len(first))
    starts = np.append(np.searchsorted(keys, first), len(keys))
    implied = np.split(positions, np.cumsum([len(part) for part in parts[:-1]]))
    return _Node(keys, starts, below=(left, right), pairs=(i, j), implied=tuple(implied))


def _ranked(keys: Sums, end: int) -> tuple[Sums, Numbers]:
    """The keys, all from 0 to `end` - 1, in order and each once, and the position of each."""
    if end > 4 * len(keys):
        distinct = np.unique(keys)
        return distinct, np.searchsorted(distinct, keys).astype(np.int32)
    is_there = np.zeros(end, bool)
    is_there[keys] = True
    return np.flatnonzero(is_there), (np.cumsum(is_there, dtype=np.int32) - 1)[keys]


def _clauses(node: _Node, owners: Numbers) -> Iterator[tuple[int, Block, Numbers]]:
    """Yield clauses that imply the outputs of a node, with their width and their rows."""
    (left, right), (i, j) = node.below, node.pairs
    for below, implied in zip((left, right), node.implied[:2], strict=True):
        yield 2, np.stack([-below.literals, node.literals[implied]], axis=1), owners[implied]
    of_both = node.implied[2]
    clauses = [-left.literals[i], -right.literals[j], node.literals[of_both]]
    yield 3, np.stack(clauses, axis=1), owners[of_both]
