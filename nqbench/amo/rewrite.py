"""A formula with its at-most-one constraints in another scheme.

The clauses of two literals that the constraints replace are dropped, and the scheme is added for
each constraint. Variables keep their numbers, and those of the scheme come after them. So a model
of the new formula, without these, is a model of the original: at most one of the literals of each
constraint is true in it, which is what each dropped clause says of two of them.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from nqbench.amo.found import AtMostOne, Found, found, numbers, within
from nqbench.encodings.lines import LineEncoding
from nqbench.encodings.stamp import stamp
from nqbench.errors import InputError
from nqbench.instances.cnf import CNF, Assignment, CNFBuilder
from nqbench.plugins import load_encoding

SMALLEST: Final = 6
"""Literals of the smallest constraint that is replaced by default: in no scheme has a smaller one
fewer clauses than its pairs.
"""


@dataclass(frozen=True, slots=True)
class Reencoded:
    """A formula in another scheme: `formula`, the constraints that were replaced, the number of
    clauses that were dropped and that the scheme has instead, and all that was `found`.
    """

    formula: CNF
    replaced: list[AtMostOne]
    dropped: int
    added: int
    found: Found
    variables: int

    def original(self, model: Assignment) -> Assignment:
        """The values of the variables of the original formula in a model of the new one."""
        return model[: self.variables]


def reencode(formula: CNF, scheme: str, least: int = SMALLEST) -> Reencoded:
    """Write the at-most-one constraints of at least so many literals in this scheme, the name of an
    encoding with its parameters. Raises `InputError` if the encoding has no scheme.
    """
    encoding = load_encoding(scheme)
    if not isinstance(encoding, LineEncoding):
        raise InputError(
            f"encoding '{scheme}' has no at-most-one scheme: choose for instance product"
        )
    every = found(formula)
    replaced = [each for each in every.constraints if len(each.literals) >= max(3, least)]
    builder, dropped = CNFBuilder(formula.num_variables), 0
    for block in formula.blocks:
        kept = block
        if block.shape[1] == 2 and replaced:
            ends = np.sort(numbers(-block), axis=1)
            kept = block[~within(ends, replaced)]
            dropped += len(block) - len(kept)
        builder.add(kept)
    before = sum(block.shape[0] for block in builder.build().blocks)
    for size in sorted({len(each.literals) for each in replaced}):
        items = [each.literals for each in replaced if len(each.literals) == size]
        stamp(builder, encoding.at_most_one(size), np.array(items, dtype=np.int32))
    built = builder.build()
    return Reencoded(
        built, replaced, dropped, built.num_clauses - before, every, formula.num_variables
    )
