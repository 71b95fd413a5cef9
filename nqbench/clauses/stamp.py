"""Copies one small formula to many items at once.

An at-most-one scheme is described once for k literals, as a formula with those k main
variables. Stamping replaces them by the options of each item of length k and gives each item new
auxiliary variables. It is array indexing and costs no more than writing the result.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from nqbench.clauses.cnf import CNF, Block, CNFBuilder


@dataclass(frozen=True, slots=True, eq=False)
class Copies:
    """Copies of a template, which states that at most `most` of its main variables are true: of
    each copy, the literals in place of these, and its auxiliary variables. Both arrays have a row
    for each copy.
    """

    template: CNF
    most: int
    literals: Block
    auxiliaries: Block


class CopyRecorder(CNFBuilder):
    """Keeps the copies of templates in place of the clauses."""

    def __init__(self, num_main: int) -> None:
        super().__init__(num_main)
        self.copies: list[Copies] = []

    def add(self, clauses: ArrayLike) -> None:
        """Leave the clauses out."""


def record_copies(cnf: CNFBuilder, copies: Copies) -> None:
    """Keep the copies if the builder is a `CopyRecorder`."""
    if isinstance(cnf, CopyRecorder):
        cnf.copies.append(copies)


def stamp(cnf: CNFBuilder, template: CNF, items: Block) -> Block:
    """Add the clauses of the template for every item; `items` has shape (m, template.num_main).

    Returns the auxiliary variables of each item, shape (m, auxiliary variables of the template).
    """
    count, k = items.shape
    auxiliary = template.num_variables - k
    fresh = cnf.fresh_array(count * auxiliary).reshape(count, auxiliary)
    for block in stamped(template, items, fresh):
        cnf.add(block)
    return fresh


def stamped(template: CNF, items: Block, fresh: Block) -> Iterator[Block]:
    """The clauses of the template for every item and its auxiliary variables, block by block."""
    variables = np.concatenate([items, fresh], axis=1)
    # Column l of an item is its literal for literal l of the template; a negative l counts from the
    # end.
    unused = np.zeros((len(items), 1), dtype=np.int32)
    literals = np.concatenate([unused, variables, -variables[:, ::-1]], axis=1)
    for block in template.blocks:
        yield np.take(literals, block, axis=1, mode="wrap").reshape(-1, block.shape[1])
