"""Clauses, and rows of literals of which at least and at most so many are true.

This is the form between what is asked and how it is encoded: families state it, files are read into
it, rewriting a formula yields it, and solvers that count take it as it is. Rows of one length with
the same bounds are one array, as clauses of one width are.

The constraints are those of M. Liffiton, J. Maglalang, "A cardinality solver: more expressive
constraints for free", SAT 2012, and J. Reeves, "Cardinality constraints in satisfiability solving",
CMU-CS-25-147, 2025. An item of an exact cover is a row of exactly one, or of at most one (D. Knuth,
The Art of Computer Programming, volume 4B, section 7.2.2.1). Rows with weights, and an objective,
are those of pseudo-Boolean optimisation: see `clauses.rows`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, groupby
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.cnf import CNF, Assignment, Block
from nqbench.clauses.facts import RowFacts
from nqbench.clauses.rows import LARGEST_SUM, Integers, Objective, Rows, whole_numbers
from nqbench.common import array_bytes
from nqbench.common.errors import InputError, TooManyClausesError

Literals = NDArray[np.int32]
"""Shape (k,): v for a variable that is true, -v for one that is false."""

_MAGIC: Final = 0x6E71_726F_7731
_MAGIC_OF_WEIGHTS: Final = 0x6E71_7767_7431
_MAGIC_OF_LARGE: Final = 0x6E71_7767_7432
_MAGICS_OF_WEIGHTS: Final = (_MAGIC_OF_WEIGHTS, _MAGIC_OF_LARGE)

_MOST_LITERALS: Final = 50_000_000
"""Literals of the clauses that rows stand for; writing them takes up to 1 GB."""


@dataclass(frozen=True, slots=True, eq=False)
class Constraints:
    """A formula, and rows of its literals, those with weights last. All have the variables of
    `cnf`. An objective says which models are better than others, and allows all of them. The last
    `num_fresh` variables are not those of the file: they stand for its soft clauses and products.
    """

    cnf: CNF
    rows: tuple[Rows, ...] = ()
    objective: Objective | None = None
    num_fresh: int = 0

    @classmethod
    def of(
        cls, num_variables: int, *rows: Rows, given: Sequence[int] | Block = ()
    ) -> "Constraints":
        """Constraints on so many variables, all of which are main ones. `given` are literals that
        are true.

        Rows have one form each: those of at least one of several literals are clauses; so are those
        of three and more of which not all are true, as clauses of the negations; and those that any
        values satisfy are left out.
        """
        units = np.asarray(given, np.int32).reshape(-1, 1)
        blocks = [units] if len(units) else []
        left = []
        for stated in rows:
            if stated.is_free or not stated.count:
                continue
            if stated.least == 1 and stated.most >= stated.length > 1:
                blocks.append(stated.literals)
            elif stated.least <= 0 and stated.most == stated.length - 1 and stated.length > 2:
                blocks.append(-stated.literals)
            else:
                left.append(stated)
        return cls(CNF(num_variables, num_variables, tuple(blocks)), tuple(left))

    @property
    def num_variables(self) -> int:
        """The number of variables."""
        return self.cnf.num_variables

    @property
    def num_main(self) -> int:
        """The number of main variables: see `CNF`."""
        return self.cnf.num_main

    @property
    def constraints(self) -> tuple[Rows, ...]:
        """The same as `rows`, for backends that were written for nqbench 0.3."""
        return self.rows

    @property
    def counted(self) -> tuple[Rows, ...]:
        """The rows without weights."""
        return tuple(rows for rows in self.rows if rows.weights is None)

    @property
    def weighted(self) -> tuple[Rows, ...]:
        """The rows with weights."""
        return tuple(rows for rows in self.rows if rows.weights is not None)

    @property
    def num_rows(self) -> int:
        """The number of rows."""
        return sum(rows.count for rows in self.rows)

    @property
    def num_literals(self) -> int:
        """The number of literals in all clauses and rows, counted with repeats."""
        return self.cnf.num_literals + sum(rows.literals.size for rows in self.rows)

    @property
    def largest_bound(self) -> int:
        """The largest k of a row of at least or at most k literals, or of their negations, which a
        scheme has to count to: 1 for exactly and at most one, 0 without rows. Rows with weights do
        not count here.
        """
        return max((_to_count(rows) for rows in self.counted), default=0)

    @property
    def longest_row(self) -> tuple[int, int] | None:
        """The length n of the longest row, and k: at most so many of its literals may be true, or
        if that is fewer, false; of several rows or bounds, the largest. None without rows.
        """
        upper = [each for rows in self.counted for each in rows.upper()]
        n = max((each.length for each in upper), default=0)
        of_longest = (max(0, min(each.most, n - each.most)) for each in upper if each.length == n)
        return (n, max(of_longest)) if upper else None

    @property
    def facts(self) -> RowFacts:
        """What the rows ask of an encoding, or of a solver that takes rows."""
        sums = (int(rows.totals.max(initial=0)) for rows in self.weighted)
        return RowFacts(
            self.largest_bound,
            self.longest_row,
            sum(rows.count for rows in self.weighted),
            max(sums, default=0),
            self.objective is not None,
            self.objective is not None and len(np.unique(self.objective.weights)) > 1,
            0 if self.objective is None else self.objective.total,
            0 if self.objective is None else self.objective.stated(self.objective.constant),
            self.objective is not None and self.objective.is_maximised,
        )

    def by_bound(self) -> Iterator[tuple[int, CNF]]:
        """Yield each upper bound, smallest first, with its rows in place of clauses; lower bounds
        are upper bounds of the negations: see `Rows.upper`.
        """
        upper = sorted((u for rows in self.counted for u in rows.upper()), key=_most)
        for most, alike in groupby(upper, _most):
            blocks = tuple(rows.literals for rows in alike)
            yield most, CNF(self.num_variables, self.num_main, blocks)

    @property
    def units(self) -> Literals:
        """The literals of unit clauses, shape (k,)."""
        blocks = [block.ravel() for block in self.cnf.blocks if block.shape[1] == 1]
        return np.concatenate([np.zeros(0, np.int32), *blocks])

    @property
    def clauses(self) -> tuple[Block, ...]:
        """The blocks of all other clauses."""
        return tuple(block for block in self.cnf.blocks if block.shape[1] != 1)

    def as_clauses(self) -> CNF:
        """The same constraints as clauses on the same variables: see `Rows.as_clauses`. The models
        are the same.

        Raises `TooManyClausesError` if these clauses would have more than 50 million literals, or
        if there are weights.
        """
        if self.weighted:
            raise TooManyClausesError("too many clauses: rows with weights are not written as such")
        literals = sum(rows.num_literals_as_clauses for rows in self.counted)
        if literals > _MOST_LITERALS:
            raise TooManyClausesError(
                f"too many clauses: those that the constraints stand for have {literals} literals"
            )
        blocks = (block for rows in self.counted for block in rows.as_clauses())
        return CNF(self.num_variables, self.num_main, (*self.cnf.blocks, *blocks))

    def broken_by(self, model: Assignment) -> str | None:
        """The first clause or row that the model breaks, in words; None if nothing.

        Raises `ValueError` unless the model has shape (num_variables,).
        """
        if clause := self.cnf.broken_by(model):
            return clause
        # Indexed by literal: positive from the start, negative from the end.
        truth = np.concatenate([[False], model, ~model[::-1]])
        return next(filter(None, (rows.broken_by(truth) for rows in self.rows)), None)

    def check(self) -> None:
        """Raise `ValueError` if the clauses or rows are not well formed: see `CNF.check`. A row
        must not have a variable twice.
        """
        self.cnf.check()
        objective = [self.objective.literals.reshape(1, -1)] if self.objective else []
        of_rows = [rows.literals for rows in self.rows] + objective
        CNF(self.num_variables, self.num_main, tuple(of_rows)).check()
        for literals in of_rows:
            variables = np.sort(np.abs(literals), axis=1)
            if (variables[:, 1:] == variables[:, :-1]).any():
                raise ValueError("a row has a variable twice")
        for rows in self.rows:
            rows.check()
        if self.objective:
            self.objective.check()

    def digest(self) -> str:
        """A hash of clauses and rows: 32 hexadecimal digits."""
        return array_bytes.digest(self.pack())

    def pack(self) -> Iterator[memoryview]:
        """Yield the constraints as bytes, piece by piece, for `Constraints.unpack`."""
        if self.weighted or self.objective:
            yield from self._pack_weights()
        facts = [fact for rows in self.counted for fact in (rows.count, rows.length, *rows.bounds)]
        header = [_MAGIC, len(self.counted), *facts]
        yield from array_bytes.pieces(np.array(header, dtype=np.int64))
        yield from self.cnf.pack()
        yield from array_bytes.pieces(*(rows.literals for rows in self.counted))

    def _pack_weights(self) -> Iterator[memoryview]:
        """Yield the weighted rows and the objective: numbers of 64 bits, the literals as well.
        Python's integers are of several 64 bits each, how many the first number says then.
        """
        shapes = [size for rows in self.weighted for size in (rows.count, rows.length)]
        constant = whole_numbers([0 if self.objective is None else self.objective.constant])
        weighted = [(rows.weights, rows.least, rows.most) for rows in self.weighted]
        numbers: list[Any] = [*chain.from_iterable(weighted), constant]
        numbers += [] if self.objective is None else [self.objective.weights]
        words = max(map(_num_words, numbers))
        header = [_MAGIC_OF_WEIGHTS] if words == 1 else [_MAGIC_OF_LARGE, words]
        yield from array_bytes.pieces(np.array([*header, len(self.weighted), *shapes], np.int64))
        for rows in self.weighted:
            arrays = (_in_words(numbers.pop(0), words) for _ in range(3))
            yield from array_bytes.pieces(rows.literals.astype(np.int64), *arrays)
        objective = self.objective
        if objective is None:
            yield from array_bytes.pieces(np.array([-1], np.int64))
            return
        is_maximised = int(objective.is_maximised)
        yield from array_bytes.pieces(
            np.array([len(objective.literals)], np.int64),
            _in_words(constant, words),
            np.array([is_maximised, self.num_fresh], np.int64),
            objective.literals.astype(np.int64),
            _in_words(objective.weights, words),
        )

    @classmethod
    def unpack(cls, buffer: memoryview) -> "Constraints":
        """A view of packed bytes as constraints, rows without weights without a copy. Raises
        `ValueError` if they are none; literals are not checked, see `check`.
        """
        if len(buffer) >= 8 and np.frombuffer(buffer, np.int64, 1)[0] in _MAGICS_OF_WEIGHTS:
            weighted, objective, num_fresh, end = _unpack_weights(buffer)
            counted = cls.unpack(buffer[end:])
            return cls(counted.cnf, (*counted.rows, *weighted), objective, num_fresh)
        magic, arrays = np.frombuffer(buffer, np.int64, 2).tolist()
        if magic != _MAGIC or not 0 <= arrays <= len(buffer):
            raise ValueError("these bytes are no packed constraints")
        facts = np.frombuffer(buffer, np.int64, 4 * arrays, offset=16).reshape(arrays, 4)
        shapes = facts[:, :2].tolist()
        sizes = [rows * length for rows, length in shapes]
        start, end = 16 + facts.nbytes, len(buffer) - 4 * sum(sizes)
        if facts[:, :2].min(initial=0) < 0 or end < start:
            raise ValueError(f"rows of shapes {shapes} in {len(buffer)} bytes")
        starts = accumulate((4 * size for size in sizes), initial=end)
        rows = tuple(
            Rows(np.frombuffer(buffer, np.int32, size, offset).reshape(shape), *bounds)
            for size, offset, shape, bounds in zip(
                sizes, starts, shapes, facts[:, 2:].tolist(), strict=False
            )
        )
        return cls(CNF.unpack(buffer[start:end]), rows)


def _num_words(numbers: Integers) -> int:
    """The 64-bit words that each of these numbers gets: one only in an array of int64."""
    if numbers.dtype != object:
        return 1
    bits = [abs(int(number)).bit_length() for number in numbers.ravel().tolist()]
    return max(2, max(bits, default=0) // 64 + 1)


def _in_words(numbers: Integers, words: int) -> NDArray[np.int64]:
    """The numbers in so many 64-bit words each, the lowest first."""
    if words == 1:
        return numbers.astype(np.int64, copy=False)
    each = (
        number.to_bytes(8 * words, "little", signed=True) for number in numbers.ravel().tolist()
    )
    return np.frombuffer(b"".join(each), np.int64)


def _of_words(numbers: NDArray[np.int64], words: int) -> Integers:
    """The numbers of which each has so many words, as `_in_words` yields them."""
    if words == 1:
        return numbers
    rows = numbers.reshape(-1, words)
    each = [int.from_bytes(row.tobytes(), "little", signed=True) for row in rows]
    return np.array(each, object)


def _unpack_weights(
    buffer: memoryview,
) -> tuple[tuple[Rows, ...], Objective | None, int, int]:
    """The weighted rows, the objective, and the number of fresh variables at the start of the
    bytes, and where these end. Raises `ValueError` if they are none.
    """
    place = 0

    def take(count: int) -> NDArray[np.int64]:
        nonlocal place
        if not 0 <= count <= (len(buffer) - place) // 8:
            raise ValueError(f"{count} numbers in {len(buffer) - place} bytes")
        numbers = np.frombuffer(buffer, np.int64, count, place)
        place += numbers.nbytes
        return numbers

    words = 1 if take(1)[0] == _MAGIC_OF_WEIGHTS else int(take(1)[0])
    if words < 1:
        raise ValueError(f"numbers of {words} words")

    def take_large(count: int) -> Integers:
        return _of_words(take(count * words), words)

    (arrays,) = take(1).tolist()
    weighted = []
    for rows, length in take(2 * arrays).reshape(-1, 2).tolist():
        if min(rows, length) < 0:
            raise ValueError(f"weighted rows of shape {rows}, {length}")
        literals = _narrow(take(rows * length)).reshape(rows, length)
        numbers = (take_large(count) for count in (rows * length, rows, rows))
        weights, least, most = _narrowed_together(*numbers)
        weighted.append(Rows(literals, least, most, weights.reshape(rows, length)))
    (terms,) = take(1).tolist()
    if terms < 0:
        return tuple(weighted), None, 0, place
    (constant,) = take_large(1).tolist()
    is_maximised, num_fresh = take(2).tolist()
    of_terms = _narrow(take(terms))
    weights = whole_numbers(take_large(terms).tolist()) if words > 1 else take(terms)
    objective = Objective(of_terms, weights, constant, bool(is_maximised))
    return tuple(weighted), objective, num_fresh, place


def _narrowed_together(weights: Integers, *bounds: Integers) -> Sequence[Integers]:
    """The weights and bounds of rows in int64, if each row adds up to at most 2^53."""
    if weights.dtype != object:
        return weights, *bounds
    rows = len(bounds[0])
    totals = weights.reshape(rows, -1).sum(axis=1) if rows and weights.size else weights[:0]
    if (totals > LARGEST_SUM).any():
        return weights, *bounds
    return [each.astype(np.int64) for each in (weights, *bounds)]


def _narrow(literals: NDArray[np.int64]) -> Literals:
    """The literals in 32 bits. Raises `ValueError` if they need more."""
    narrow = literals.astype(np.int32)
    if (narrow != literals).any():
        raise ValueError("a literal has more than 32 bits")
    return narrow


Formula = CNF | Constraints


def as_constraints(formula: Formula) -> Constraints:
    """The formula as constraints."""
    return formula if isinstance(formula, Constraints) else Constraints(formula)


def as_clauses(formula: Formula) -> CNF:
    """The formula with clauses in place of rows: see `Constraints.as_clauses`."""
    return formula if isinstance(formula, CNF) else formula.as_clauses()


def with_variables(formula: Formula, count: int) -> Formula:
    """The same formula with at least so many variables."""
    num_variables = max(formula.num_variables, count)
    if isinstance(formula, Constraints):
        return replace(formula, cnf=replace(formula.cnf, num_variables=num_variables))
    return replace(formula, num_variables=num_variables)


def num_stated_variables(formula: Formula) -> int:
    """The number of variables that the file of a formula has."""
    if isinstance(formula, CNF):
        return formula.num_variables
    return formula.num_variables - formula.num_fresh


def with_objective(formula: Formula, worst: int, source: str) -> Constraints:
    """The same formula with one more row, which allows no objective worse than this, as the file
    states it. Raises `InputError` with the source if it has no objective.
    """
    objective = None if isinstance(formula, CNF) else formula.objective
    if isinstance(formula, CNF) or objective is None:
        raise InputError(f"{source} has no objective, such as 'min: +2 x1 ;' in OPB")
    bound = objective.at_most(objective.stated(worst))
    assert bound.weights is not None
    weights = bound.weights[0]
    if (weights != weights[:1]).any():
        return replace(formula, rows=(*formula.rows, bound))
    # Equal weights are a row that is counted.
    least = -(-int(bound.least[0]) // int(weights[0])) if len(weights) else int(bound.least[0])
    if least <= 0:
        return formula
    counted = Rows.at_least(bound.literals, least)
    if least > counted.length:  # which nothing meets
        never = np.zeros((1, 0), np.int32)
        return replace(formula, cnf=formula.cnf.with_clauses(never))
    return replace(formula, rows=(*formula.counted, counted, *formula.weighted))


def occurring(formula: Formula) -> NDArray[np.bool_]:
    """Whether each variable is in a clause or row, shape (num_variables,)."""
    constraints = Constraints(formula) if isinstance(formula, CNF) else formula
    occurs = np.zeros(formula.num_variables + 1, np.bool_)
    of_rows = [rows.literals for rows in constraints.rows]
    if constraints.objective:
        of_rows.append(constraints.objective.literals)
    for block in (*constraints.cnf.blocks, *of_rows):
        occurs[np.abs(block)] = True
    return occurs[1:]


def _most(rows: Rows) -> int:
    return int(rows.most)


def _to_count(rows: Rows) -> int:
    """How far a scheme has to count for these rows, in the easier direction for each bound."""
    n = rows.length
    lower = min(rows.least, n - rows.least) if 1 < rows.least <= n else 0
    upper = min(rows.most, n - rows.most) if rows.most < n else 0
    return max(lower, upper, 0)
