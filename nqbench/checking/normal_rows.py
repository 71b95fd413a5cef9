"""The rows that proofs are about: normal and each once, with at-most-ones in place of pairs.

Weights are positive, a variable is there once, and the weights of true literals add up to at least
the degree. An equation is two of them. What a soft clause costs is a variable after those of the
rows, which is true if the clause is false. A value that is wanted is one more row; without one, the
objective is stated. All numbers are Python's, which do not overflow.

Files state that at most one literal is true as a clause for each two of them. Cutting planes derive
the row that says the same from these clauses, but solvers seldom do, and without it they need a
time to refute pigeons in holes that is exponential in their number. So the judge states it.

A row of two literals of which each is enough forbids that both are false. If rows forbid each two
of some literals to be true together, at most one of them is true in whatever meets the rows. That
row implies each of the others, which are left out.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Final

from nqbench.checking.file_rows import FileRows

Terms = Iterable[tuple[int, int]]
"""Weights and literals."""


@dataclass(frozen=True, slots=True)
class NormalRow:
    """The `weights` of its true literals, each positive, add up to at least the `degree`."""

    weights: dict[int, int]
    degree: int

    @property
    def is_contradiction(self) -> bool:
        """Whether no values meet it."""
        return sum(self.weights.values()) < self.degree


@dataclass(frozen=True, slots=True)
class NormalRows:
    """Rows in their order, and the objective, whose sum is to be minimised. It is less than that of
    the file by the `constant`, or than the opposite of that which the file maximises.
    """

    num_variables: int
    rows: Sequence[NormalRow]
    objective: Sequence[tuple[int, int]] = ()
    constant: int = 0
    is_maximised: bool = False

    def opb(self) -> Iterator[bytes]:
        """Yield the lines of an OPB file in which row r, from 1, is the r-th one."""
        yield b"* #variable= %d #constraint= %d\n" % (self.num_variables, len(self.rows))
        if self.objective:
            yield b"min: %s;\n" % _spell(self.objective)
        for row in self.rows:
            terms = [(weight, literal) for literal, weight in row.weights.items()]
            yield b"%s>= %d ;\n" % (_spell(terms), row.degree)

    def excludes(self, bound: int | None, worst: int | None) -> bool:
        """Whether no value of the file is `worst` or better, if no sum is less than `bound`; None:
        if no values meet the rows.
        """
        if bound is None or worst is None:
            return bound is None
        return (-worst if self.is_maximised else worst) - self.constant < bound


def normal_row(terms: Terms, bound: int) -> NormalRow:
    """The row whose terms add up to at least the bound. They may have any weights, and a variable
    more than once.
    """
    factors: dict[int, int] = {}
    for weight, literal in terms:
        # w ~x is w - w x.
        factor = weight if literal > 0 else -weight
        bound -= weight if literal < 0 else 0
        factors[abs(literal)] = factors.get(abs(literal), 0) + factor
    for variable, factor in list(factors.items()):
        if factor <= 0:
            del factors[variable]
        if factor < 0:
            factors[-variable] = -factor
            bound -= factor
    return NormalRow(factors, bound)


def normal_rows(file: FileRows) -> NormalRows:
    """The rows of a file, with one for the objective that is wanted if there is a `worst`."""
    file = file.linear()
    rows = list[NormalRow]()
    starts, literals, weights = (x.tolist() for x in (file.starts, file.literals, file.weights))
    bounds = zip(file.relations.tolist(), file.bounds.tolist(), strict=True)
    for row, (relation, bound) in enumerate(bounds):
        place = slice(starts[row], starts[row + 1])
        terms = list(zip(weights[place], literals[place], strict=True))
        rows += _stated(terms, relation, bound)
    if file.costs is None:
        return NormalRows(file.num_variables, rows)
    last, constant = file.num_variables, 0
    objective = list[tuple[int, int]]()
    for weight, clause in file.costs.terms:
        if not clause:
            constant += weight
        elif len(clause) == 1:
            objective.append((weight, clause[0] if file.costs.is_sum else -clause[0]))
        else:
            last += 1
            objective.append((weight, last))
            rows.append(normal_row([(1, literal) for literal in (*clause, last)], 1))
    is_maximised = file.costs.is_maximised
    if file.worst is not None:
        rows += _stated(objective, 1 if is_maximised else -1, file.worst - constant)
        return NormalRows(last, rows)
    if is_maximised:
        objective, constant = _opposite(objective), -constant
    return NormalRows(last, rows, objective, constant, is_maximised)


def _stated(terms: Sequence[tuple[int, int]], relation: int, bound: int) -> Iterator[NormalRow]:
    if relation >= 0:
        yield normal_row(terms, bound)
    if relation <= 0:
        yield normal_row(_opposite(terms), -bound)


def _opposite(terms: Terms) -> list[tuple[int, int]]:
    return [(-weight, literal) for weight, literal in terms]


def _spell(terms: Terms) -> bytes:
    return b"".join(b"%+d %sx%d " % (w, b"~" * (x < 0), abs(x)) for w, x in terms)


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
