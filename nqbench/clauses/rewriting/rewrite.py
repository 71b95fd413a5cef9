"""A formula with its at-most-one constraints in another scheme.

The clauses that say a constraint are dropped: those of two of its literals, and those of its
auxiliary variables. The scheme is added for each constraint. Variables keep their numbers, and
those of the scheme come after them. A model of the new formula is therefore one of the original,
but for the auxiliary variables that were dropped: at most one literal of each constraint is true,
and for each of them it is known what the auxiliary variables can be.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.cnf import CNF, Assignment, Block, CNFBuilder
from nqbench.clauses.constraints import Constraints, Formula
from nqbench.clauses.literal_order import Positions, arrange
from nqbench.clauses.rewriting import AtMostOne
from nqbench.clauses.rewriting.detection import (
    Detection,
    are_covered,
    auxiliary_of,
    find_constraints,
    literal_indices,
    literals_of_clauses,
)
from nqbench.clauses.rows import Rows
from nqbench.clauses.stamp import stamp
from nqbench.common.units import counted
from nqbench.common.vocabulary import Form

SMALLEST: Final = 6
"""Literals of the smallest constraint that is replaced by default: in no scheme has a smaller one
fewer clauses than its pairs.
"""


class Scheme(Protocol):
    """How an encoding states an at-most-one constraint."""

    makes: ClassVar[Form]
    """Whether it makes clauses, or clauses and constraints."""

    def at_most_one(self, k: int) -> CNF:
        """The scheme on k literals, as a formula with main variables 1..k."""

    def positions(self, together: Sequence[Block], variables: int) -> Positions | None:
        """The position of each variable in the order of the literals; None to keep theirs."""


@dataclass(frozen=True, slots=True, eq=False)
class Stamped:
    """The scheme for constraints of one size: `template` on the literals of each row of `items`,
    with the auxiliary variables of the same row of `fresh`.
    """

    template: CNF
    items: Block
    fresh: Block


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Reencoded:
    """The formula `source` in another scheme: `formula`, the constraints that were `replaced`, the
    number of clauses that were dropped and that the scheme has instead, and all that was `found`.
    """

    source: CNF
    formula: Formula
    replaced: list[AtMostOne]
    dropped: int
    added: int
    found: Detection
    required: list[tuple[int, ...]]
    """The clauses that followed from dropped ones: one of the literals is true."""
    stamped: list[Stamped]

    def __repr__(self) -> str:
        many = counted(len(self.replaced), "at-most-one constraint")
        return f"<{self.source!r} with {many} written as {self.formula!r}>"

    @property
    def dropped_variables(self) -> set[int]:
        """The auxiliary variables of the constraints that were replaced."""
        return {variable for constraint in self.replaced for variable in constraint.auxiliary}

    @property
    def fresh_variables(self) -> int:
        """The number of variables that the scheme added."""
        return self.formula.num_variables - self.source.num_variables

    def original(self, model: Assignment) -> Assignment:
        """The values of the variables of the original formula in a model of the new one. Auxiliary
        variables that were dropped get values that their constraint allows.
        """
        own = model[: self.source.num_variables].copy()
        for constraint in self.replaced:
            if constraint.values is not None:
                literals = np.array(constraint.literals)
                true = np.flatnonzero(own[np.abs(literals) - 1] == (literals > 0))
                own[np.array(constraint.auxiliary) - 1] = constraint.values[
                    true[0] if len(true) else -1
                ]
        return own


def reencode(formula: CNF, scheme: Scheme, least: int = SMALLEST) -> Reencoded:
    """Write the at-most-one constraints of at least so many literals in this scheme. One that makes
    a CNF+ states them as they are. A formula without such constraints stays the same.
    """
    every = find_constraints(formula)
    # At most one of two literals is a clause, whatever the scheme.
    replaced = [
        constraint for constraint in every.constraints if len(constraint.literals) >= max(3, least)
    ]
    sorted_formula = formula.by_width()
    builder = CNFBuilder(formula.num_variables)
    for block in _blocks_without(formula, sorted_formula, replaced):
        builder.add(block)
    num_kept = builder.build().num_clauses
    implied = [
        constraint.literals
        for constraint in replaced
        if constraint.exactly and constraint.auxiliary
    ]
    required = sorted(set(implied) - literals_of_clauses(sorted_formula, implied))
    for literals in required:
        builder.add([literals])
    positions = scheme.positions(sorted_formula.blocks, formula.num_variables)
    as_they_are, stamped = [], []
    by_size = sorted((constraint.literals for constraint in replaced), key=len)
    for size, some in groupby(by_size, len):
        items = arrange(np.array(list(some), np.int32), positions)
        template = scheme.at_most_one(size)
        if scheme.makes is Form.CNF_PLUS:
            as_they_are.append(Rows.at_most(items, 1))
            fresh = np.zeros((len(items), 0), np.int32)
        else:
            fresh = stamp(builder, template, items)
        stamped.append(Stamped(template, items, fresh))
    built = builder.build() if replaced else formula
    has_constraints = scheme.makes is Form.CNF_PLUS
    return Reencoded(
        source=formula,
        formula=Constraints(built, tuple(as_they_are)) if has_constraints else built,
        replaced=replaced,
        dropped=formula.num_clauses - num_kept,
        added=built.num_clauses - num_kept,
        found=every,
        required=required,
        stamped=stamped,
    )


def _blocks_without(
    formula: CNF, sorted_formula: CNF, replaced: list[AtMostOne]
) -> Iterator[Block]:
    """The blocks of the formula without its replaced clauses. These are looked for in the same
    clauses sorted by width: a shuffled formula has nearly as many blocks as clauses.
    """
    widths = [block.shape[1] for block in formula.blocks]
    sizes = [len(block) for block in formula.blocks]
    place = np.argsort(np.repeat(widths, sizes), kind="stable")
    is_kept = np.ones(len(place), np.bool_)
    masks = [np.zeros(0, np.bool_), *replaced_in(sorted_formula, replaced)]
    is_kept[place[np.concatenate(masks)]] = False
    start = 0
    for block, size in zip(formula.blocks, sizes, strict=True):
        yield block[is_kept[start : start + size]]
        start += size


def replaced_in(formula: CNF, replaced: list[AtMostOne]) -> Iterator[NDArray[np.bool_]]:
    """For each block, whether each clause has an auxiliary variable of one of the constraints, or
    says that not two of their literals are true; shape (clauses,).
    """
    auxiliary = auxiliary_of(replaced, formula.num_variables)
    for block in formula.blocks:
        is_pair = np.zeros(len(block), np.bool_)
        if block.shape[1] == 2 and replaced:
            is_pair = are_covered(np.sort(literal_indices(-block), axis=1), replaced)
        yield auxiliary[np.abs(block)].any(axis=1) | is_pair
