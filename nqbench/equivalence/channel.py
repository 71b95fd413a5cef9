"""Gives variables for options to formulas that have none, such as those of `log` and `order`."""

import numpy as np

from nqbench.equivalence.implications import Definition, Subject
from nqbench.instances.cnf import CNF, Block, CNFBuilder


def with_options(formula: CNF, literals: Block) -> Subject:
    """The formula with a variable for each option in front, which is true if and only if all
    `literals` of the option are: shape (options, k), on the formula's first variables.

    Where one option of each choice is chosen, the formula's first variables follow: such a variable
    is true if a chosen option contains it.
    """
    count = len(literals)
    cnf = CNFBuilder(num_main=count)
    cnf.fresh(formula.num_variables)
    shifted = _shifted(literals, count)
    options = np.arange(1, count + 1, dtype=np.int32)
    for column in shifted.T:
        cnf.add_each(-options, column)
    cnf.add(np.concatenate([options[:, np.newaxis], -shifted], axis=1))
    for block in formula.blocks:
        cnf.add(_shifted(block, count))
    containing: dict[int, list[tuple[int, ...]]] = {
        variable: [] for variable in range(count + 1, count + formula.num_main + 1)
    }
    for option, each in enumerate(shifted.tolist(), start=1):
        for literal in each:
            if literal > 0:
                containing[literal].append((-option,))
    defined = tuple(Definition(each, tuple(clauses)) for each, clauses in containing.items())
    return Subject(cnf.build(), count, defined)


def _shifted(literals: Block, by: int) -> Block:
    return np.where(literals > 0, literals + by, literals - by).astype(np.int32)
