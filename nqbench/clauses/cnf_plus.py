"""Clauses and at-most-k constraints: the form called CNF+.

M. Liffiton, J. Maglalang, "A cardinality solver: more expressive constraints for free", SAT 2012.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, chain, combinations, groupby
from typing import Final

import numpy as np

from nqbench.clauses.cnf import CNF, Assignment, Block
from nqbench.common import array_bytes
from nqbench.common.errors import TooManyClausesError

_MAGIC: Final = 0x6E71_6363_6E32

_MOST_LITERALS: Final = 50_000_000
"""Literals of the clauses that constraints stand for; writing them takes up to 1 GB."""


@dataclass(frozen=True, slots=True, eq=False)
class AtMost:
    """Constraints of one length with one bound: of each row of literals, at most `most` are true.

    `rows` has shape (constraints, literals).
    """

    rows: Block
    most: int

    @property
    def num_literals_as_clauses(self) -> int:
        """The number of literals of `as_clauses`."""
        width = self.most + 1
        return len(self.rows) * math.comb(self.rows.shape[1], width) * width

    def as_clauses(self) -> Block:
        """The same constraints as clauses: of every `most` + 1 literals of a row, one is false."""
        n, width = self.rows.shape[1], self.most + 1
        every = chain.from_iterable(combinations(range(n), width))
        places = np.fromiter(every, np.intp, math.comb(n, width) * width)
        return (-self.rows).take(places, axis=1).reshape(-1, width)


@dataclass(frozen=True, slots=True, eq=False)
class CNFPlus:
    """A formula, and constraints on its variables that at most k literals are true."""

    cnf: CNF
    constraints: tuple[AtMost, ...]

    @property
    def num_variables(self) -> int:
        """The number of variables."""
        return self.cnf.num_variables

    @property
    def num_main(self) -> int:
        """The number of main variables: see `CNF`."""
        return self.cnf.num_main

    @property
    def num_constraints(self) -> int:
        """The number of at-most-k constraints."""
        return sum(len(constraint.rows) for constraint in self.constraints)

    @property
    def num_literals(self) -> int:
        """The number of literals in all clauses and constraints, counted with repeats."""
        return self.cnf.num_literals + sum(constraint.rows.size for constraint in self.constraints)

    @property
    def rows(self) -> CNF:
        """The constraints, each in place of a clause, for what treats both in the same way."""
        return CNF(
            self.num_variables,
            self.num_main,
            tuple(constraint.rows for constraint in self.constraints),
        )

    def by_bound(self) -> Iterator[tuple[int, CNF]]:
        """Yield each bound, smallest first, with its constraints in place of clauses."""

        def bound(constraints: AtMost) -> int:
            return constraints.most

        for most, some in groupby(sorted(self.constraints, key=bound), bound):
            blocks = tuple(constraint.rows for constraint in some)
            yield most, CNF(self.num_variables, self.num_main, blocks)

    def as_clauses(self) -> CNF:
        """The same formula without constraints: at most k becomes a clause for every k + 1 of the
        literals. The variables and models are the same.

        Raises `TooManyClausesError` if these clauses would have more than 50 million literals.
        """
        literals = sum(constraint.num_literals_as_clauses for constraint in self.constraints)
        if literals > _MOST_LITERALS:
            raise TooManyClausesError(
                f"too many clauses: those that the constraints stand for have {literals} literals"
            )
        return CNF(
            self.num_variables,
            self.num_main,
            (*self.cnf.blocks, *(constraint.as_clauses() for constraint in self.constraints)),
        )

    def broken_by(self, model: Assignment) -> str | None:
        """The first clause or constraint that the model breaks, in words; None if nothing.

        Raises `ValueError` unless the model has shape (num_variables,).
        """
        if clause := self.cnf.broken_by(model):
            return clause
        # Indexed by literal: positive from the start, negative from the end.
        truth = np.concatenate([[False], model, ~model[::-1]])
        for constraint in self.constraints:
            wrong = np.flatnonzero(truth[constraint.rows].sum(axis=1) > constraint.most)
            if wrong.size:
                row = constraint.rows[wrong[0]]
                literals = " ".join(map(str, row.tolist()))
                return (
                    f"the model has {truth[row].sum()} of at most {constraint.most} of {literals}"
                )
        return None

    def check(self) -> None:
        """Raise `ValueError` if the clauses or constraints are not well formed: see `CNF.check`. A
        constraint must not have a variable twice, nor a negative bound.
        """
        self.cnf.check()
        self.rows.check()
        for constraint in self.constraints:
            ordered = np.sort(np.abs(constraint.rows), axis=1)
            if (ordered[:, 1:] == ordered[:, :-1]).any():
                raise ValueError("an at-most-k constraint has a variable twice")
            if constraint.most < 0:
                raise ValueError(f"an at-most-k constraint has the bound {constraint.most}")

    def digest(self) -> str:
        """A hash of clauses and constraints: 32 hexadecimal digits."""
        return array_bytes.digest(self.pack())

    def pack(self) -> Iterator[memoryview]:
        """Yield the formula as bytes, piece by piece, for `CNFPlus.unpack`."""
        facts = [
            fact
            for constraint in self.constraints
            for fact in (*constraint.rows.shape, constraint.most)
        ]
        header = [_MAGIC, len(self.constraints), *facts]
        yield from array_bytes.pieces(np.array(header, dtype=np.int64))
        yield from self.cnf.pack()
        yield from array_bytes.pieces(*(constraint.rows for constraint in self.constraints))

    @classmethod
    def unpack(cls, buffer: memoryview) -> "CNFPlus":
        """A view of packed bytes as a formula, without a copy. Raises `ValueError` if they are not
        one; literals are not checked, see `check`.
        """
        magic, count = np.frombuffer(buffer, np.int64, 2).tolist()
        if magic != _MAGIC or not 0 <= count <= len(buffer):
            raise ValueError("these bytes are not a packed CNF+")
        facts = np.frombuffer(buffer, np.int64, 3 * count, offset=16).reshape(count, 3)
        shapes, bounds = facts[:, :2], facts[:, 2].tolist()
        sizes = [rows * width for rows, width in shapes.tolist()]
        start, end = 16 + facts.nbytes, len(buffer) - 4 * sum(sizes)
        if shapes.min(initial=0) < 0 or end < start:
            raise ValueError(f"constraints of shapes {shapes.tolist()} in {len(buffer)} bytes")
        starts = accumulate((4 * size for size in sizes), initial=end)
        constraints = tuple(
            AtMost(np.frombuffer(buffer, np.int32, size, offset).reshape(shape), most)
            for size, offset, shape, most in zip(sizes, starts, shapes, bounds, strict=False)
        )
        return cls(CNF.unpack(buffer[start:end]), constraints)


Formula = CNF | CNFPlus


def as_clauses(formula: Formula) -> CNF:
    """The formula with clauses in place of constraints: see `CNFPlus.as_clauses`."""
    return formula if isinstance(formula, CNF) else formula.as_clauses()
