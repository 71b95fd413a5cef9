"""The rows of a file as the judge's own clauses.

Of the literals of a row, at least `least` and at most `most` are true. A short row is stated on its
literals alone: one of every n - `least` + 1 is true, and one of every `most` + 1 is false. A longer
one is counted by a tree. Its nodes have an output for each number up to `most` + 1, which is true
if and only if so many of the node's literals are. So each choice of the literals has exactly one
extension to the outputs. This is the tree of O. Bailleux, Y. Boufkhad, CP 2003, with its clauses in
both directions. A row whose weights differ is a decision diagram: see `weighted_clauses`. It shares
no code with the encoders.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nqbench.checking.file_rows import FileRows
from nqbench.checking.weighted_clauses import (
    FalseClauses,
    WeightedRow,
    diagram_clauses,
    weighted_row,
)
from nqbench.clauses.cnf import CNF, Block, as_blocks
from nqbench.common.errors import InputError, Place, TooManyClausesError

MOST_LITERALS: Final = 50_000_000
"""The largest number of literals in the clauses of a file, about 200 MB."""

Tree = int | tuple["Tree", ...]
"""A variable, or two trees; without variables, none."""


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Rows of one length with the same bounds: of each, at least `least` and at most `most` of the
    literals are true. `literals` has shape (rows, length); no row has a variable twice. `rows` are
    their numbers in the file.
    """

    rows: NDArray[np.int64]
    literals: Block
    least: int
    most: int

    @property
    def length(self) -> int:
        """The number of literals of each row."""
        return int(self.literals.shape[1])


def grouped(file: FileRows, weighted: list[WeightedRow] | None = None) -> list[Group]:
    """The rows of a file, without weights; rows whose weights differ are added to `weighted`.
    Opposite literals of a row are one that is always true. Bounds that say nothing are 0 and the
    length; those that no row meets are -1 and the length + 1.

    Raises `InputError`, which names the line, if weights differ and there is no list for them.
    """
    lengths = np.diff(file.starts)
    groups: list[Group] = []
    others: defaultdict[tuple[int, int, int], list[tuple[int, list[int]]]] = defaultdict(list)
    for length in np.unique(lengths):
        rows = np.flatnonzero(lengths == length)
        at = file.starts[rows, np.newaxis] + np.arange(length)
        weights, literals = file.weights[at], file.literals[at]
        variables = np.sort(np.abs(literals), axis=1)
        is_plain = (np.abs(weights) == 1).all(axis=1)
        is_plain &= (variables[:, 1:] != variables[:, :-1]).all(axis=1)
        for row in rows[~is_plain].tolist():
            of_row = weighted_row(file, row)
            if weighted is not None and len(set(of_row.weights)) > 1:
                weighted.append(of_row)
                continue
            left, low, high = _unweighted(of_row, file.lines[row])
            others[len(left), low, high].append((row, left))
        rows, weights, literals = rows[is_plain], weights[is_plain], literals[is_plain]
        # -1 x is 1 ~x - 1. The sum must not leave 64 bits.
        bounds = np.clip(file.bounds[rows], -length - 1, length + 1) + (weights < 0).sum(axis=1)
        least = np.where(file.relations[rows] >= 0, np.clip(bounds, 0, length + 1), 0)
        most = np.where(file.relations[rows] <= 0, np.clip(bounds, -1, length), length)
        both = np.stack([least, most], axis=1).astype(np.int64)
        for pair in np.unique(both, axis=0):
            chosen = (both == pair).all(axis=1)
            block = (literals[chosen] * weights[chosen]).astype(np.int32)
            groups.append(Group(rows[chosen], block, *pair.tolist()))
    for (size, low, high), some in others.items():
        block = np.array([left for _, left in some], np.int32).reshape(len(some), size)
        groups.append(Group(np.array([row for row, _ in some]), block, low, high))
    return groups


def _unweighted(row: WeightedRow, line: int) -> tuple[list[int], int, int]:
    """The literals of a row without weights, and its bounds."""
    if len(set(row.weights)) > 1:
        raise InputError("weights that differ are not supported", place=Place(line=line))
    n, size = len(row.literals), row.weights[0] if row.weights else 1
    least = min(max(-(-row.least // size), 0), n + 1)
    most = n if row.most >= row.total else max(row.most // size, -1)
    return list(row.literals), least, most


def as_clauses(file: FileRows) -> CNF:
    """A formula that has a model if and only if the file has one. Its main variables are those of
    the file, whose rows its models meet; each choice of them that does has exactly one model.

    Raises `TooManyClausesError`.
    """
    blocks: list[Block] = []
    num_main, file = file.num_variables, file.linear()
    variables, literals = file.num_variables, 0
    weighted: list[WeightedRow] = []
    groups = [
        (row_clauses(group.length, group.least, group.most), group.literals)
        for group in grouped(file, weighted)
    ]
    if file.worst is not None and file.costs is not None:
        false_clauses = FalseClauses(file.costs, variables)
        blocks += false_clauses.blocks()
        variables = false_clauses.last
        weighted.append(false_clauses.bound(file.worst))
    for row in weighted:
        diagram = diagram_clauses(row.weights, row.least, row.most)
        groups.append((diagram, np.array([row.literals], np.int32)))
    for template, some in groups:
        literals += len(some) * template.num_literals
        if literals > MOST_LITERALS:
            raise TooManyClausesError(
                f"too many clauses: those of the rows have more than {MOST_LITERALS} literals"
            )
        auxiliaries = fresh(template, len(some), variables)
        blocks += placed(template, some, auxiliaries)
        variables += auxiliaries.size
    return CNF(variables, num_main, tuple(blocks))


def fresh(template: CNF, rows: int, after: int) -> Block:
    """The auxiliary variables of the template for each row: shape (rows, auxiliary variables), with
    different ones after `after`.
    """
    each = template.num_variables - template.num_main
    return np.arange(after + 1, after + 1 + rows * each, dtype=np.int32).reshape(rows, each)


def placed(template: CNF, literals: Block, auxiliaries: Block) -> Iterator[Block]:
    """The clauses of the template for each row: with row r of `literals`, shape (rows, main
    variables), in place of the main variables, and row r of `auxiliaries`, shape (rows, auxiliary
    variables), in place of the others.
    """
    names = np.concatenate([literals, auxiliaries], axis=1)
    for block in template.blocks:
        if block.shape[0] and len(names):
            clauses = np.sign(block) * names[:, np.abs(block) - 1]
            yield clauses.reshape(-1, block.shape[1]).astype(np.int32, copy=False)


@lru_cache(maxsize=64)
def row_clauses(n: int, least: int, most: int) -> CNF:
    """A formula with the main variables 1..n, of which at least `least` and at most `most` are true
    in a model. Each choice of these that is allowed has exactly one model.

    Of the two ways to state it, this is the one with fewer literals.
    """
    if least > min(n, most) or most < 0:
        return impossible(n)
    too_few = math.comb(n, n - least + 1) * (n - least + 1) if least > 0 else 0
    too_many = math.comb(n, most + 1) * (most + 1)
    tree = counted(n, least, most)
    return tree if too_few + too_many > tree.num_literals else subsets(n, least, most)


def impossible(n: int) -> CNF:
    """A formula with the main variables 1..n, and no model. Solvers treat an empty clause
    differently: two unit clauses contradict each other instead.
    """
    return CNF(n + 1, n, (np.array([[n + 1], [-n - 1]], dtype=np.int32),))


def subsets(n: int, least: int, most: int) -> CNF:
    """The same as `row_clauses`, always on the main variables alone."""
    x = range(1, n + 1)
    some_true = combinations(x, n - least + 1) if least > 0 else ()
    some_false = combinations((-v for v in x), most + 1)
    return _formula(n, n, chain(some_true, some_false))


def num_subsets(n: int, least: int, most: int) -> int:
    """The number of clauses of `subsets`."""
    return (math.comb(n, n - least + 1) if 0 < least <= n else 0) + math.comb(n, most + 1)


def counted(n: int, least: int, most: int, after: int = 0, tree: Tree | None = None) -> CNF:
    """The same, always by a tree. Its outputs are variables after max(n, `after`).

    Raises `ValueError` unless the bounds can be met, and the tree has each variable once.
    """
    if not 0 <= least <= most <= n:
        raise ValueError(f"{least} to {most} of {n} variables")
    tree = tree or (balanced(range(1, n + 1)) if n else ())
    if sorted(leaves(tree)) != list(range(1, n + 1)):
        raise ValueError(f"a tree that has not each of {n} variables once")
    # Of the literals or of their negations, those of which fewer have to be counted.
    up = max(least, most + 1 if most < n else 0)
    up_negated = max(n - most, n - least + 1 if least > 0 else 0)
    sign = 1
    if up_negated < up:
        sign, up, least, most = -1, up_negated, n - most, n - least
    counter = _Counter(max(n, after), sign, up)
    total = counter.count(tree)
    if least > 0:
        counter.clauses.append((total[least - 1],))
    if most < n:
        counter.clauses.append((-total[most],))
    return _formula(counter.last, n, counter.clauses)


def balanced(parts: Sequence[Tree]) -> Tree:
    """A tree with these parts in their order, one or more. The first ones are as many as the
    largest power of two below their number, as in networks that sort.
    """
    if len(parts) == 1:
        return parts[0]
    middle = 1 << ((len(parts) - 1).bit_length() - 1)
    return balanced(parts[:middle]), balanced(parts[middle:])


def leaves(tree: Tree) -> list[int]:
    """The variables of a tree, from left to right."""
    found: list[int] = []
    waiting: list[Tree] = [tree]
    while waiting:
        part = waiting.pop()
        if isinstance(part, int):
            found.append(part)
        else:
            waiting += part[::-1]
    return found


class _Counter:
    """Counts the variables of trees, or with the `sign` -1 their negations, up to the number `up`,
    with new variables after `last`.
    """

    def __init__(self, last: int, sign: int, up: int) -> None:
        self.last, self._sign, self._up = last, sign, up
        self.clauses: list[tuple[int, ...]] = []

    def count(self, tree: Tree) -> list[int]:
        """Element j - 1 is true if and only if at least j of the literals are."""
        if isinstance(tree, int):
            return [self._sign * tree][: self._up]
        left, right = (self.count(part) for part in tree) if tree else ([], [])
        length = min(len(left) + len(right), self._up)
        if 3 * (len(self.clauses) + len(left) * len(right)) > MOST_LITERALS:
            raise TooManyClausesError(
                f"too many clauses: those that count a row have more than {MOST_LITERALS} literals"
            )
        outputs = list(range(self.last + 1, self.last + length + 1))
        self.last += length
        for i in range(len(left) + 1):
            for j in range(min(len(right), length - i) + 1):
                # At least i and at least j are at least i + j.
                if i + j > 0:
                    both = (-left[i - 1],) * (i > 0) + (-right[j - 1],) * (j > 0)
                    self.clauses.append((*both, outputs[i + j - 1]))
                # At most i and at most j are less than i + j + 1.
                if i + j < length:
                    more = tuple(left[i : i + 1]) + tuple(right[j : j + 1])
                    self.clauses.append((*more, -outputs[i + j]))
        return outputs


def _formula(variables: int, n: int, clauses: Iterable[tuple[int, ...]]) -> CNF:
    return CNF(variables, n, as_blocks(sorted(clauses, key=len)))
