"""Rows of literals, of which at least and at most so many are true, and objectives.

Weights are positive: w ~x is w - w x, so that a negative one is a positive one of the negation.
Where those of a row or an objective add up to at most 2^53, they are int64, which sums cannot
leave. Beyond that, arrays hold Python's integers: see `whole_numbers`.

N. Eén, N. Sörensson, "Translating pseudo-Boolean constraints into SAT", JSAT 2, 2006, section 3.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.cnf import Assignment, Block

CLAUSE, AT_LEAST, AT_MOST, EXACTLY = range(4)
"""What a row states. Clauses are kept as they are; others are normalised: see `stated_rows`."""


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
class Rows:
    """Rows of one length: of each, at least `least` and at most `most` of the literals are true, or
    with weights, those of the true ones add up to so much.

    `literals` has shape (rows, length). Without weights, all rows have the same bounds, and these
    are numbers. `weights` have the shape of the literals, and then the bounds shape (rows,): all
    three are int64, or Python's integers, and no row has a variable twice.
    """

    literals: Block
    least: Any
    most: Any
    weights: Integers | None = None

    @classmethod
    def exactly(cls, literals: Block, k: int) -> "Rows":
        """Rows of which exactly k literals are true."""
        return cls(literals, k, k)

    @classmethod
    def at_most(cls, literals: Block, k: int) -> "Rows":
        """Rows without a lower bound."""
        return cls(literals, 0, k)

    @classmethod
    def at_least(
        cls, literals: Block, k: int | Integers, weights: Integers | None = None
    ) -> "Rows":
        """Rows without an upper bound."""
        if weights is None:
            return cls(literals, k, max(k, literals.shape[1]))
        return cls(literals, k, np.maximum(k, weights.sum(axis=1)), weights)

    @property
    def count(self) -> int:
        """The number of rows."""
        return int(self.literals.shape[0])

    @property
    def length(self) -> int:
        """The number of literals of each row."""
        return int(self.literals.shape[1])

    @property
    def bounds(self) -> tuple[int, int]:
        """How many literals are true, at least and at most, without weights."""
        return self.least, self.most

    @property
    def rows(self) -> Block:
        """The same as `literals`, for backends that were written for nqbench 0.3."""
        return self.literals

    @property
    def totals(self) -> Integers:
        """The sum of all weights of each row, shape (rows,)."""
        assert self.weights is not None
        totals: Integers = self.weights.sum(axis=1)
        return totals

    @property
    def is_free(self) -> bool:
        """Whether any number of literals may be true."""
        return bool(self.least <= 0 and self.most >= self.length)

    def upper(self) -> Iterator["Rows"]:
        """Yield the same rows with upper bounds only, where they say something: at least k of n is
        at most n - k of the negations. A row of which more than all are needed is at most -1.
        """
        if self.least > 0:
            yield Rows(-self.literals, 0, max(-1, self.length - self.least))
        if self.most < self.length:
            yield Rows(self.literals, 0, self.most)

    def lower(self) -> Iterator["Rows"]:
        """Yield the same rows, which have weights, with lower bounds only, where they say
        something: at most k of the weights is at least the rest of them for the negations.
        """
        assert self.weights is not None
        totals = self.totals
        for literals, least, is_said in (
            (self.literals, self.least, self.least > 0),
            (-self.literals, totals - self.most, self.most < totals),
        ):
            if is_said.any():
                yield Rows.at_least(literals[is_said], least[is_said], self.weights[is_said])

    @property
    def num_literals_as_clauses(self) -> int:
        """The number of literals of `as_clauses`."""
        return sum(
            upper.count * math.comb(upper.length, upper.most + 1) * (upper.most + 1)
            for upper in self.upper()
        )

    def as_clauses(self) -> Iterator[Block]:
        """Yield the same rows as clauses, without other variables: of every `most` + 1 literals,
        one is false; and of every n - `least` + 1, one is true.
        """
        for upper in self.upper():
            n, width = upper.length, upper.most + 1
            subsets = chain.from_iterable(combinations(range(n), width))
            places = np.fromiter(subsets, np.intp, math.comb(n, width) * width)
            yield (-upper.literals).take(places, axis=1).reshape(-1, width)

    def one_by_one(self) -> Iterator[Row]:
        """Yield each row by itself, for solvers and formats that take one at a time."""
        weights = np.ones(self.literals.shape, np.int64) if self.weights is None else self.weights
        bounds = (np.broadcast_to(bound, self.count) for bound in (self.least, self.most))
        arrays = (self.literals, weights, *bounds)
        yield from zip(*(array.tolist() for array in arrays), strict=True)

    def broken_by(self, truth: Assignment) -> str | None:
        """The first row that is broken, in words; None if none is. `truth` has the values of the
        literals: of variables from the start, of negations from the end.
        """
        is_true = truth[self.literals]
        sums = np.where(is_true, 1 if self.weights is None else self.weights, 0).sum(axis=1)
        wrong = np.flatnonzero((sums < self.least) | (sums > self.most))
        if not wrong.size:
            return None
        row = wrong[0]
        literals = self.literals[row].tolist()
        if self.weights is None:
            of = " ".join(map(str, literals))
            return f"of {of}, the model has {sums[row]} true, not {self._in_words()}"
        pairs = zip(self.weights[row].tolist(), literals, strict=True)
        of = " ".join(f"{weight:+d} {literal}" for weight, literal in pairs)
        return f"of {of}, the model has {sums[row]}, not {self.least[row]} to {self.most[row]}"

    def _in_words(self) -> str:
        if self.least == self.most:
            return f"exactly {self.least}"
        if self.least <= 0:
            return f"at most {self.most}"
        if self.most >= self.length:
            return f"at least {self.least}"
        return f"{self.least} to {self.most}"

    def check(self) -> None:
        """Raise `ValueError` if the arrays do not fit each other, a weight is not positive, those
        of a row in int64 add up to more than 2^53, or bounds are not in order.
        """
        if self.weights is not None:
            self._check_weights(self.weights)
        elif not 0 <= self.least <= self.most:
            raise ValueError(f"a row has the bounds {self.least} and {self.most}")

    def _check_weights(self, weights: Integers) -> None:
        kind = weights.dtype
        if weights.shape != self.literals.shape or kind not in (np.int64, object):
            raise ValueError("weights are whole numbers, one for each literal")
        for bounds in (self.least, self.most):
            if bounds.shape != (self.count,) or bounds.dtype != kind:
                raise ValueError("bounds are whole numbers like weights, one for each row")
        if weights.size and not weights.min() > 0:
            raise ValueError("a weight is not positive")
        if ((self.least < 0) | (self.least > self.most)).any():
            raise ValueError("a row has bounds that are not in order")
        if kind != np.int64:
            return
        if weights.max(initial=0) > LARGEST_SUM or self.most.max(initial=0) > 2 * LARGEST_SUM:
            raise ValueError("a number in int64 is larger than 2^53")
        if (weights.astype(float).sum(axis=1) > LARGEST_SUM / 2).any():
            for row in weights.tolist():
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
        costs = whole_numbers(weights) * (-1 if is_maximised else 1)
        signs = np.array(literals, np.int64)
        variables, first, of = np.unique(np.abs(signs), return_index=True, return_inverse=True)
        factors = np.zeros(len(variables), costs.dtype)
        np.add.at(factors, of, np.where(signs > 0, costs, -costs))
        lowest = -constant if is_maximised else constant
        lowest += sum(costs[signs < 0].tolist()) + sum(factors[factors < 0].tolist())
        in_order = np.argsort(first)
        kept = in_order[factors[in_order] != 0]
        return cls(
            np.where(factors[kept] > 0, variables[kept], -variables[kept]).astype(np.int32),
            whole_numbers(np.abs(factors[kept]).tolist()),
            lowest,
            is_maximised,
        )

    @property
    def by_variable(self) -> tuple[dict[int, int], int]:
        """The weight of each variable, and the constant then: w ~x is w - w x, and most files have
        variables only.
        """
        terms: dict[int, int] = {}
        constant = self.constant
        for literal, weight in zip(self.literals.tolist(), self.weights.tolist(), strict=True):
            terms[abs(literal)] = weight if literal > 0 else -weight
            constant += weight if literal < 0 else 0
        return terms, constant

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

    def at_most(self, value: int) -> Rows:
        """The row that allows no model with a larger value: it has no literals if none is left, and
        its bound may be one that nothing meets.
        """
        least = self.total - (value - self.constant)
        return Rows.at_least(
            -self.literals.reshape(1, -1),
            np.array([max(0, min(least, self.total + 1))], self.weights.dtype),
            self.weights.reshape(1, -1),
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
    def of(cls, weighted: Iterable[Rows]) -> "SimpleRows":
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
