"""At-most-one rows in place of rows of two literals, for the judge's own proofs about rows.

Files state that at most one literal is true as a clause for each two of them. Cutting planes derive
the row that says the same from these clauses, but solvers seldom do, and without it they need a
time to refute pigeons in holes that is exponential in their number. So the judge states it.

A row of two literals of which each is enough forbids that both are false. If rows forbid each two
of some literals to be true together, at most one of them is true in whatever meets the rows. That
row implies each of the others, which are left out.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from typing import Final

from nqbench.checking.file_rows import FileRows
from nqbench.checking.normal_rows import NormalRow, NormalRows, normal_rows

_MOST: Final = 100_000
"""Rows of two literals, above which no cliques are looked for."""


def rows_with_cliques(file: FileRows) -> NormalRows:
    """The rows of a file as solvers get them, where three or more literals that exclude each other
    have one row in place of those of two literals: a solver that has both would go on with these.
    """
    stated = normal_rows(file)
    pairs = list(map(_forbidden, stated.rows))
    forbidden: dict[int, set[int]] = {}
    for first, second in filter(None, pairs):
        forbidden.setdefault(first, set()).add(second)
        forbidden.setdefault(second, set()).add(first)
    if sum(map(len, forbidden.values())) > 2 * _MOST:
        return stated
    cliques = list(_cliques(forbidden))
    covered = {pair for clique in cliques for pair in permutations(clique, 2)}
    kept = [row for row, pair in zip(stated.rows, pairs, strict=True) if pair not in covered]
    added = [NormalRow(dict.fromkeys((-x for x in each), 1), len(each) - 1) for each in cliques]
    return replace(stated, rows=[*kept, *added])


def _forbidden(row: NormalRow) -> tuple[int, int] | None:
    """The two literals that a row forbids to be true together; None if it is another row."""
    if len(row.weights) != 2 or not 0 < row.degree <= min(row.weights.values()):
        return None
    first, second = row.weights
    return -first, -second


def _cliques(forbidden: dict[int, set[int]]) -> Iterator[list[int]]:
    """Yield cliques of three or more literals that cover each pair that is in a triangle."""
    covered = set[tuple[int, int]]()
    for first in sorted(forbidden):
        for second in sorted(forbidden[first]):
            if (first, second) in covered:
                continue
            clique = [first, second]
            able = forbidden[first] & forbidden[second]
            while able:
                clique.append(min(able))
                able &= forbidden[clique[-1]]
            covered.update(permutations(clique, 2))
            if len(clique) > 2:
                yield clique
