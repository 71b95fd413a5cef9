"""Clauses and at-most-one constraints: the form called CNF+.

M. Liffiton, J. Maglalang, "A cardinality solver: more expressive constraints for free", SAT 2012.
CNF+ has at-most-k constraints for every k; here k is 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

import numpy as np

from nqbench import array_bytes
from nqbench.instances.cnf import CNF, Assignment, Block

_MAGIC: Final = 0x6E71_6363_6E31


@dataclass(frozen=True, slots=True, eq=False)
class CNFPlus:
    """A formula, and constraints on its variables: of each row of `at_most_one`, at most one
    literal is true. Rows of one length are one block.
    """

    cnf: CNF
    at_most_one: tuple[Block, ...]

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
        """The number of at-most-one constraints."""
        return sum(map(len, self.at_most_one))

    @property
    def num_literals(self) -> int:
        """The number of literals in all clauses and constraints, counted with repeats."""
        return self.cnf.num_literals + sum(block.size for block in self.at_most_one)

    @property
    def rows(self) -> CNF:
        """The constraints, each in place of a clause, for what treats both in the same way."""
        return CNF(self.num_variables, self.num_main, self.at_most_one)

    def as_clauses(self) -> CNF:
        """The same formula without constraints: each becomes a clause for every two of its
        literals. The variables and models are the same.
        """
        return CNF(
            self.num_variables,
            self.num_main,
            (*self.cnf.blocks, *(_pairs(block) for block in self.at_most_one)),
        )

    def broken_by(self, model: Assignment) -> str | None:
        """The first clause or constraint that the model breaks, in words; None if nothing.

        Raises `ValueError` unless the model has shape (num_variables,).
        """
        if clause := self.cnf.broken_by(model):
            return clause
        # Indexed by literal: positive from the start, negative from the end.
        truth = np.concatenate([[False], model, ~model[::-1]])
        for block in self.at_most_one:
            wrong = np.flatnonzero(truth[block].sum(axis=1) > 1)
            if wrong.size:
                row = block[wrong[0]]
                literals = " ".join(map(str, row.tolist()))
                return f"the model has {truth[row].sum()} of at most one of {literals}"
        return None

    def check(self) -> None:
        """Raise `ValueError` if the clauses or constraints are not well formed: see `CNF.check`. A
        constraint must not have a variable twice.
        """
        self.cnf.check()
        self.rows.check()
        for block in self.at_most_one:
            ordered = np.sort(np.abs(block), axis=1)
            if (ordered[:, 1:] == ordered[:, :-1]).any():
                raise ValueError("an at-most-one constraint has a variable twice")

    def digest(self) -> str:
        """A hash of clauses and constraints: 32 hexadecimal digits."""
        return array_bytes.digest(self.pack())

    def pack(self) -> Iterator[memoryview]:
        """Yield the formula as bytes, piece by piece, for `CNFPlus.unpack`."""
        shapes = [size for block in self.at_most_one for size in block.shape]
        header = [_MAGIC, len(self.at_most_one), *shapes]
        yield from array_bytes.pieces(np.array(header, dtype=np.int64))
        yield from self.cnf.pack()
        yield from array_bytes.pieces(*self.at_most_one)

    @classmethod
    def unpack(cls, buffer: memoryview) -> "CNFPlus":
        """A view of packed bytes as a formula, without a copy. Raises `ValueError` if they are not
        one; literals are not checked, see `check`.
        """
        magic, count = np.frombuffer(buffer, np.int64, 2).tolist()
        if magic != _MAGIC or not 0 <= count <= len(buffer):
            raise ValueError("these bytes are not a packed CNF+")
        shapes = np.frombuffer(buffer, np.int64, 2 * count, offset=16).reshape(count, 2)
        sizes = [rows * width for rows, width in shapes.tolist()]
        start, end = 16 + shapes.nbytes, len(buffer) - 4 * sum(sizes)
        if shapes.min(initial=0) < 0 or end < start:
            raise ValueError(f"constraints of shapes {shapes.tolist()} in {len(buffer)} bytes")
        blocks = tuple(
            np.frombuffer(buffer, np.int32, size, offset).reshape(shape)
            for size, offset, shape in zip(
                sizes, accumulate((4 * size for size in sizes), initial=end), shapes, strict=False
            )
        )
        return cls(CNF.unpack(buffer[start:end]), blocks)


def _pairs(block: Block) -> Block:
    """The clauses (-a or -b) of every two literals of a row."""
    first, second = np.triu_indices(block.shape[1], 1)
    return -np.stack([block[:, first], block[:, second]], axis=2).reshape(-1, 2)
