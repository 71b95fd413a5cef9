"""Soft clauses: each has a weight, which a model pays that makes it false.

A clause of several literals gets a new variable, which is true if the clause may be false, and
which costs the weight. A clause of one literal needs none: its negation costs the weight. So the
least value of the objective is the least weight of clauses that are false.

Z. Fu, S. Malik, "On solving the partial MAX-SAT problem", SAT 2006.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.cnf import CNF, Block
from nqbench.clauses.constraints import Constraints, Formula
from nqbench.clauses.rows import Integers, Objective


@dataclass(frozen=True, slots=True, eq=False)
class SoftClauses:
    """The literals of all clauses one after the other, int32; for each clause its number of
    literals and its weight.
    """

    literals: NDArray[np.int32]
    lengths: Integers
    weights: Integers

    def relaxed(self, formula: Formula) -> Constraints:
        """The formula with these clauses, and their weights as its objective. New variables come
        after its own.
        """
        constraints = Constraints(formula) if isinstance(formula, CNF) else formula
        is_long = self.lengths > 1
        first = constraints.num_variables + 1
        fresh = np.arange(first, first + is_long.sum(), dtype=np.int32)
        starts = np.cumsum(self.lengths) - self.lengths
        blocks: list[Block] = []
        costs = np.zeros(len(self.lengths), np.int32)
        costs[is_long] = fresh
        costs[self.lengths == 1] = -self.literals[starts[self.lengths == 1]]
        for length in dict.fromkeys(self.lengths[is_long].tolist()):
            rows = np.flatnonzero(self.lengths == length)
            clauses = self.literals[starts[rows, np.newaxis] + np.arange(length)]
            blocks.append(np.concatenate([clauses, costs[rows, np.newaxis]], axis=1))
        is_empty = self.lengths == 0
        cnf = constraints.cnf
        return Constraints(
            CNF(first - 1 + len(fresh), cnf.num_main, (*cnf.blocks, *blocks)),
            constraints.rows,
            Objective.of(
                costs[~is_empty].tolist(),
                self.weights[~is_empty].tolist(),
                sum(self.weights[is_empty].tolist()),
            ),
            num_fresh=len(fresh),
        )
