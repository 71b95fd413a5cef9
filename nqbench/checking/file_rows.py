"""The rows of a file as the judge reads them, and what they say of a model.

A product of literals, and a soft row, is a variable after those of the file: its value follows from
theirs. `FileRows.linear` states that as rows, for what takes rows only.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.cnf import Assignment

_IN_WORDS: Final = {-1: "at most", 0: "exactly", 1: "at least"}

LARGEST_SUM: Final = 2**62
"""What the weights of all rows of a file in int64 add up to at most."""

Integers = NDArray[Any]
"""int64, or Python's integers as objects where sums may leave 64 bits."""

Row = tuple[Sequence[int], Sequence[int], int, int]
"""Literals, their weights, the relation (-1, 0 or 1) and the bound."""


@dataclass(frozen=True, slots=True)
class ProductOf:
    """True if and only if all of these literals are."""

    literals: tuple[int, ...]

    def value(self, values: Sequence[bool]) -> bool:
        """The value in a model, which has the value of variable v at v - 1."""
        return all(values[abs(literal) - 1] == (literal > 0) for literal in self.literals)

    def rows(self, variable: int) -> Iterator[Row]:
        """Yield rows in which the variable has this value."""
        ones = (1,) * (len(self.literals) + 1)
        yield (*(-literal for literal in self.literals), variable), ones, 1, 1
        for literal in self.literals:
            yield (literal, -variable), (1, 1), 1, 1


@dataclass(frozen=True, slots=True)
class BrokenRow:
    """True if and only if this row does not hold, which costs the `cost`."""

    cost: int
    literals: tuple[int, ...]
    weights: tuple[int, ...]
    relation: int
    bound: int

    def value(self, values: Sequence[bool]) -> bool:
        """The value in a model: see `ProductOf.value`."""
        total = sum(
            weight
            for weight, literal in zip(self.weights, self.literals, strict=True)
            if values[abs(literal) - 1] == (literal > 0)
        )
        return not {-1: total <= self.bound, 0: total == self.bound, 1: total >= self.bound}[
            self.relation
        ]

    def rows(self, variable: int) -> Iterator[Row]:
        """Yield rows that hold if the variable is true, or if the row holds."""
        literals = (*self.literals, variable)
        least = sum(weight for weight in self.weights if weight < 0)
        most = sum(weight for weight in self.weights if weight > 0)
        if self.relation >= 0:
            yield literals, (*self.weights, max(0, self.bound - least)), 1, self.bound
        if self.relation <= 0:
            yield literals, (*self.weights, min(0, self.bound - most)), -1, self.bound


Definition = ProductOf | BrokenRow


@dataclass(frozen=True, slots=True)
class Costs:
    """An objective: the sum of the weights of true literals, or of soft clauses that are false.

    Each of the `terms` is a weight and literals: one if it `is_sum`, those of a clause otherwise.
    """

    terms: Sequence[tuple[int, tuple[int, ...]]]
    is_sum: bool
    is_maximised: bool = False

    @property
    def largest_variable(self) -> int:
        """The largest variable, 0 if there is none. Raises `ValueError` if one is 0."""
        variables = [abs(literal) for _, literals in self.terms for literal in literals]
        if not all(variables):
            raise ValueError("a variable of the objective is 0")
        return max(variables, default=0)

    def value(self, values: Sequence[bool]) -> int:
        """The value in a model, which has the value of variable v at v - 1."""
        total = 0  # of Python, which does not overflow
        for weight, literals in self.terms:
            is_true = any(values[abs(literal) - 1] == (literal > 0) for literal in literals)
            if is_true == self.is_sum:
                total += weight
        return total

    def is_worse(self, value: int, other: int) -> bool:
        """Whether one value is worse than another one."""
        return value < other if self.is_maximised else value > other


@dataclass(frozen=True, slots=True, eq=False)
class FileRows:
    """The rows of a file. Row r begins in line `lines[r]` of the file and has the literals
    `starts[r]` to `starts[r + 1]` - 1. The weights of those that are true sum up to at most, to
    exactly or to at least `bounds[r]`, as `relations[r]` is -1, 0 or 1. Objectives worse than
    `worst` are not wanted, if it is not None. Literals beyond `num_variables` are those of the
    `definitions`, in their order. `names` are those of the variables, if they are not x1, x2, ...
    """

    num_variables: int
    lines: Integers
    starts: Integers
    literals: Integers
    weights: Integers
    relations: Integers
    bounds: Integers
    costs: Costs | None = None
    worst: int | None = None
    definitions: Sequence[Definition] = ()
    names: Sequence[str] = ()

    def digest(self) -> str:
        """A hash of the rows, 32 hexadecimal digits."""
        arrays = (self.starts, self.literals, self.weights, self.relations, self.bounds)
        digest = hashlib.blake2b(str(self.num_variables).encode(), digest_size=16)
        for array_of_rows in arrays:
            digest.update(str(len(array_of_rows)).encode())
            if array_of_rows.dtype == object:
                digest.update(repr(array_of_rows.tolist()).encode())
            else:
                digest.update(np.ascontiguousarray(array_of_rows, dtype=np.int64).data)
        if self.definitions:
            digest.update(repr(self.definitions).encode())
        if self.worst is not None:
            digest.update(f"{self.worst} {self.costs}".encode())
        return digest.hexdigest()

    def broken_by(self, model: Assignment) -> str | None:
        """The first row that the model breaks, by its line; None if there is none.

        Raises `ValueError` unless the model has shape (num_variables,).
        """
        if model.shape != (self.num_variables,):
            raise ValueError(f"got values of shape {model.shape}, expected ({self.num_variables},)")
        values = self.extended(model)[np.abs(self.literals) - 1]
        is_true = np.where(self.literals > 0, values, ~values)
        before = np.concatenate([[0], np.cumsum(np.where(is_true, self.weights, 0))])
        sums = before[self.starts[1:]] - before[self.starts[:-1]]
        too_small = (sums < self.bounds) & (self.relations >= 0)
        too_large = (sums > self.bounds) & (self.relations <= 0)
        broken = np.flatnonzero(too_small | too_large)
        if not len(broken):
            return self._worse(model)
        row = int(broken[0])
        asked = f"{_IN_WORDS[int(self.relations[row])]} {self.bounds[row]}"
        return f"the model breaks line {self.lines[row]}: it has {sums[row]}, not {asked}"

    def _worse(self, model: Assignment) -> str | None:
        """How the objective is worse than wanted, in words; None if it is not."""
        if self.worst is None or self.costs is None:
            return None
        value = self.costs.value(self.extended(model).tolist())
        if self.costs.is_worse(value, self.worst):
            return f"the model has the objective {value}, which is worse than {self.worst}"
        return None

    def value(self, model: Assignment) -> int | None:
        """The value of the objective in a model of shape (num_variables,); None without one."""
        return None if self.costs is None else self.costs.value(self.extended(model).tolist())

    def extended(self, model: Assignment) -> Assignment:
        """The values of the file's variables in a model, followed by those of the definitions."""
        if not self.definitions:
            return model
        values = model.tolist()
        for definition in self.definitions:  # the row of one may have another one before it
            values.append(definition.value(values))
        return np.array(values, np.bool_)

    def linear(self) -> "FileRows":
        """The same with variables in place of definitions, and rows that define them, without a
        line: a model of these has one of the file's variables in front, and each model of the file
        extends to one of them with the same costs.
        """
        if not self.definitions:
            return self
        first = self.num_variables + 1
        rows = [row for at, each in enumerate(self.definitions, first) for row in each.rows(at)]
        literals = [literal for some, _, _, _ in rows for literal in some]
        weights = [weight for _, some, _, _ in rows for weight in some]
        ends = accumulate((len(some) for some, _, _, _ in rows), initial=int(self.starts[-1]))
        return replace(
            self,
            num_variables=self.num_variables + len(self.definitions),
            lines=np.concatenate([self.lines, np.zeros(len(rows), np.int64)]),
            starts=np.concatenate([self.starts[:-1], np.array(list(ends), np.int64)]),
            literals=np.concatenate([self.literals, np.array(literals, np.int64)]),
            weights=whole_numbers([*self.weights.tolist(), *weights]),
            relations=np.concatenate(
                [self.relations, np.array([relation for _, _, relation, _ in rows], np.int64)]
            ),
            bounds=whole_numbers([*self.bounds.tolist(), *(bound for _, _, _, bound in rows)]),
            definitions=(),
        )


def whole_numbers(numbers: Sequence[int]) -> Integers:
    """The numbers as an array: int64, or Python's integers if all together may leave 64 bits."""
    is_small = sum(map(abs, numbers)) <= LARGEST_SUM
    return np.array(numbers, np.int64 if is_small else object)
