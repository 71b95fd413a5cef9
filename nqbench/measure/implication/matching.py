"""Finds the rows of a file that copies of templates state. Nothing relies on what it finds: see
`checking.stamping`.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np

from nqbench.checking.file_rows import FileRows
from nqbench.checking.row_clauses import grouped
from nqbench.checking.stamping import Stamping
from nqbench.clauses.cnf import Block
from nqbench.clauses.stamp import Copies


def match_rows(file: FileRows, copies: Iterable[Copies]) -> list[Stamping]:
    """The copies with the numbers of their rows, in the order of the file where several rows are
    alike; -1 for a copy of no row.

    Raises `InputError` if weights of a row differ.
    """
    # By upper bound and literals: at least k of n is at most n - k of the negations.
    waiting: defaultdict[tuple[int, bytes], list[int]] = defaultdict(list)
    for group in grouped(file)[::-1]:
        n, rows = group.length, group.rows[::-1].tolist()
        stated = [(group.most, group.literals)] if group.most < n else []
        stated += [(n - group.least, -group.literals)] if group.least > 0 else []
        for most, literals in stated:
            for row, key in zip(rows, _keys(literals[::-1]), strict=True):
                waiting[most, key].append(row)

    def row_of(most: int, key: bytes) -> int:
        rows = waiting.get((most, key), [-1])
        return rows.pop() if len(rows) > 1 else rows[0]

    return [
        Stamping(
            each.template,
            0,
            each.most,
            np.array([row_of(each.most, key) for key in _keys(each.literals)], np.int64),
            each.literals,
            each.auxiliaries,
        )
        for each in copies
    ]


def _keys(literals: Block) -> Iterator[bytes]:
    """Bytes for the literals of each row, whatever their order."""
    return (row.tobytes() for row in np.sort(literals.astype(np.int32, copy=False), axis=1))
