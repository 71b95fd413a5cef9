"""Rows of literals with weights, and objectives.

Weights are positive: w ~x is w - w x, so that a negative one is a positive one of the negation.
Where those of a row or an objective add up to at most 2^53, they are int64, which sums cannot
leave. Beyond that, arrays hold Python's integers: see `whole_numbers`.

N. Eén, N. Sörensson, "Translating pseudo-Boolean constraints into SAT", JSAT 2, 2006, section 3.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.cnf import Assignment, Block

LARGEST_SUM: Final = 2**53
"""What weights in int64 add up to at most: also exact as floating-point numbers."""

Integers = NDArray[Any]
"""int64, or Python's integers as objects."""

Row = tuple[list[int], list[int], int, int]
"""One row: its literals, their weights, and what the weights of the true ones add up to, at least
and at most.
"""


def whole_numbers(numbers: Sequence[int]) -> Integers:
    """The numbers as an array: int64, or Python's integers if the absolute values add up to more
    than 2^53.
    """
    is_small = sum(map(abs, numbers)) <= LARGEST_SUM
    return np.array(numbers, np.int64 if is_small else object)


@dataclass(frozen=True, slots=True, eq=False)
class WeightedRows:
    """Rows of one length: the weights of the true literals of row r add up to at least `least[r]`
    and at most `most[r]`.

    `literals` and `weights` have shape (rows, length), `least` and `most` shape (rows,). All but
    the literals are int64, or all are Python's integers. No row has a variable twice.
    """

    literals: Block
    weights: Integers
    least: Integers
    most: Integers

    @classmethod
    def at_least(cls, literals: Block, weights: Integers, least: Integers) -> "WeightedRows":
        """Rows without an upper bound."""
        return cls(literals, weights, least, np.maximum(least, weights.sum(axis=1)))

    @property
    def count(self) -> int:
        """The number of rows."""
        return int(self.literals.shape[0])

    @property
    def length(self) -> int:
        """The number of literals of each row."""
        return int(self.literals.shape[1])

    @property
    def totals(self) -> Integers:
        """The sum of all weights of each row, shape (rows,)."""
        totals: Integers = self.weights.sum(axis=1)
        return totals

    def lower(self) -> Iterator["WeightedRows"]:
        """Yield the same rows with lower bounds only, where they say something: at most k of the
        weights is at least the rest of them for the negations.
        """
        totals = self.totals
        from_below, from_above = self.least > 0, self.most < totals
        if from_below.any():
            yield WeightedRows.at_least(
                self.literals[from_below], self.weights[from_below], self.least[from_below]
            )
        if from_above.any():
            yield WeightedRows.at_least(
                -self.literals[from_above],
                self.weights[from_above],
                (totals - self.most)[from_above],
            )

    def one_by_one(self) -> Iterator[Row]:
        """Yield each row by itself, for solvers and formats that take one at a time."""
        arrays = (self.literals, self.weights, self.least, self.most)
        yield from zip(*(array.tolist() for array in arrays), strict=True)

    def broken_by(self, truth: Assignment) -> str | None:
        """The first row that is broken, in words; None if none is. `truth` has the values of the
        literals: of variables from the start, of negations from the end.
        """
        sums = np.where(truth[self.literals], self.weights, 0).sum(axis=1)
        wrong = np.flatnonzero((sums < self.least) | (sums > self.most))
        if not wrong.size:
            return None
        row = slice(wrong[0], wrong[0] + 1)
        ((literals, weights, least, most),) = WeightedRows(
            self.literals[row], self.weights[row], self.least[row], self.most[row]
        ).one_by_one()
        terms = " ".join(f"{w:+d} {v}" for w, v in zip(weights, literals, strict=True))
        return f"of {terms}, the model has {sums[wrong[0]]}, not {least} to {most}"

    def check(self) -> None:
        """Raise `ValueError` if the arrays do not fit each other, a weight is not positive, those
        of a row in int64 add up to more than 2^53, or bounds are not in order.
        """
        rows, kind = self.count, self.weights.dtype
        if self.weights.shape != self.literals.shape or kind not in (np.int64, object):
            raise ValueError("weights are whole numbers, one for each literal")
        for bounds in (self.least, self.most):
            if bounds.shape != (rows,) or bounds.dtype != kind:
                raise ValueError("bounds are whole numbers like weights, one for each row")
        if self.weights.size and not self.weights.min() > 0:
            raise ValueError("a weight is not positive")
        if ((self.least < 0) | (self.least > self.most)).any():
            raise ValueError("a row has bounds that are not in order")
        if kind != np.int64:
            return
        if self.weights.max(initial=0) > LARGEST_SUM or self.most.max(initial=0) > 2 * LARGEST_SUM:
            raise ValueError("a number in int64 is larger than 2^53")
        if (self.weights.astype(float).sum(axis=1) > LARGEST_SUM / 2).any():
            for row in self.weights.tolist():
                if sum(row) > LARGEST_SUM:
                    raise ValueError("the weights of a row in int64 add up to more than 2^53")


@dataclass(frozen=True, slots=True, eq=False)
class Objective:
    """What is asked for besides: `constant` and the weights of the true literals, as little as
    possible. Both arrays have shape (k,); weights are positive, int64 or Python's integers, and
    each variable is there once. If `is_maximised`, the file asks for as much as possible of the
    opposite number.
    """

    literals: NDArray[np.int32]
    weights: Integers
    constant: int = 0
    is_maximised: bool = False

    @classmethod
    def of(
        cls,
        literals: Sequence[int],
        weights: Sequence[int],
        constant: int = 0,
        *,
        is_maximised: bool = False,
    ) -> "Objective":
        """The objective of any terms, which may have a variable several times and negative weights.
        `constant` is what the file adds.

        >>> Objective.of([1, -1, 2], [3, 1, -5]).weights.tolist()
        [2, 5]
        """
        sign = -1 if is_maximised else 1
        factors: defaultdict[int, int] = defaultdict(int)
        lowest = sign * constant
        for literal, weight in zip(literals, weights, strict=True):
            signed = sign * int(weight)
            factors[abs(int(literal))] += signed if literal > 0 else -signed
            lowest += 0 if literal > 0 else signed
        lowest += sum(factor for factor in factors.values() if factor < 0)
        terms = [(x if f > 0 else -x, abs(f)) for x, f in factors.items() if f]
        return cls(
            np.array([literal for literal, _ in terms], np.int32),
            whole_numbers([weight for _, weight in terms]),
            lowest,
            is_maximised,
        )

    @property
    def total(self) -> int:
        """The sum of all weights."""
        return int(self.weights.sum())

    def stated(self, value: int) -> int:
        """A value to be minimised, as the file states it, and the other way round."""
        return -value if self.is_maximised else value

    def value(self, model: Assignment) -> int:
        """The value to be minimised of a model, shape (num_variables,)."""
        is_true = model[np.abs(self.literals) - 1] == (self.literals > 0)
        return self.constant + int(self.weights[is_true].sum())

    def check(self) -> None:
        """Raise `ValueError` if the arrays do not fit each other, a weight is not positive, or they
        are int64 and add up to more than 2^53.
        """
        kind = self.weights.dtype
        if self.weights.shape != self.literals.shape or kind not in (np.int64, object):
            raise ValueError("weights of an objective are whole numbers, one for each literal")
        weights = self.weights.tolist()
        if any(weight <= 0 for weight in weights):
            raise ValueError("a weight of an objective is not positive")
        if kind == np.int64 and sum(weights) > LARGEST_SUM:
            raise ValueError("the weights of an objective in int64 add up to more than 2^53")

    def at_most(self, value: int) -> WeightedRows:
        """The row that allows no model with a larger value: it has no literals if none is left, and
        its bound may be one that nothing meets.
        """
        least = self.total - (value - self.constant)
        return WeightedRows.at_least(
            -self.literals.reshape(1, -1),
            self.weights.reshape(1, -1),
            np.array([max(0, min(least, self.total + 1))], self.weights.dtype),
        )


@dataclass(frozen=True, slots=True)
class RowForm:
    """What is left of a row with a lower bound, but for its literals: their weights, the largest
    first, add up to at least `least`.
    """

    weights: tuple[int, ...]
    least: int

    @property
    def is_counted(self) -> bool:
        """Whether all weights are 1."""
        return not self.weights or self.weights[0] == 1


@dataclass(frozen=True, slots=True, eq=False)
class SimpleRows:
    """Rows with lower bounds as an encoder states them: the literals that have to be true, shape
    (k,); whether a row never holds; and of all other rows the literals by their `RowForm`, each of
    shape (rows, length).
    """

    forced: NDArray[np.int32]
    is_impossible: bool
    by_form: dict[RowForm, Block]

    @classmethod
    def of(cls, weighted: Iterable[WeightedRows]) -> "SimpleRows":
        """The simple rows of all these."""
        forced: list[int] = []
        is_impossible = False
        literals_by_form: defaultdict[RowForm, list[Sequence[int]]] = defaultdict(list)
        for rows in (lower for each in weighted for lower in each.lower()):
            for literals, weights, least, _ in rows.one_by_one():
                needed, left, form = simplest(literals, weights, least)
                forced += needed
                if form.least > sum(form.weights):
                    is_impossible = True
                elif form.least > 0:
                    literals_by_form[form].append(left)
        blocks = {form: np.array(some, np.int32) for form, some in literals_by_form.items()}
        return cls(np.array(forced, np.int32), is_impossible, blocks)


def simplest(
    literals: Sequence[int], weights: Sequence[int], least: int
) -> tuple[list[int], list[int], RowForm]:
    """The literals that have to be true in a row with a lower bound, and the others with their
    form: a common factor is divided out, and no weight is larger than the bound.

    >>> simplest([1, -2, 3, 4], [20, 2, 4, 4], 26)
    ([1], [3, 4, -2], RowForm(weights=(2, 2, 1), least=3))
    """
    terms = sorted(zip(weights, literals, strict=True), key=lambda term: -term[0])
    needed: list[int] = []
    while terms and least > 0:
        slack = sum(weight for weight, _ in terms) - least
        if slack < 0:
            break
        # The largest weights come first.
        if terms[0][0] > slack:
            weight, literal = terms.pop(0)
            needed.append(literal)
            least -= weight
            continue
        terms = [(min(weight, least), literal) for weight, literal in terms]
        factor = math.gcd(*(weight for weight, _ in terms))
        if factor == 1:
            break
        terms = [(weight // factor, literal) for weight, literal in terms]
        least = -(-least // factor)
    if least <= 0:
        return needed, [], RowForm((), 0)
    form = RowForm(tuple(weight for weight, _ in terms), least)
    return needed, [literal for _, literal in terms], form
