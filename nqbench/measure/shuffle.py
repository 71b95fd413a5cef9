"""Shuffles a formula: renames its variables and reorders its clauses and literals.

A solver does the same work on the same formula every time. Shuffling the formula, as in SAT
competitions, shows how much of its time is luck (M. Järvisalo, D. Le Berre, O. Roussel, L. Simon,
"The international SAT solver competitions", AI Magazine 33, 2012).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.cnf import CNF, Assignment, reordered
from nqbench.clauses.constraints import Constraints, Formula
from nqbench.clauses.rows import Rows


@dataclass(frozen=True, slots=True, eq=False)
class Shuffled:
    """A shuffled formula, and the renaming. Board variables stay before the auxiliary ones."""

    formula: Formula
    names: NDArray[np.int32]
    """The new name of each variable of the original, shape (num_variables,)."""

    def original(self, model: Assignment) -> Assignment:
        """Translate a model of the shuffled formula into a model of the original."""
        return model[self.names - 1] if model.shape == self.names.shape else model

    def renamed(self, clause: Sequence[int]) -> list[int]:
        """Translate a clause on the original's variables into the new names."""
        return [int(self.names[abs(v) - 1]) * (1 if v > 0 else -1) for v in clause]


def shuffled(formula: Formula, seed: int | Sequence[int]) -> Shuffled:
    """Shuffle a formula; the same seed, one or several numbers, gives the same result.
    Constraints are shuffled like clauses, those of one bound together, and stay after them.
    """
    random = np.random.default_rng(seed)
    main = random.permutation(formula.num_main)
    auxiliary = formula.num_main + random.permutation(formula.num_variables - formula.num_main)
    names = (np.concatenate([main, auxiliary]) + 1).astype(np.int32)
    if isinstance(formula, CNF):
        return Shuffled(_rename_clauses(formula, names, random), names)
    cnf = _rename_clauses(formula.cnf, names, random)
    counted = [
        Rows.at_most(rows, most)
        for most, some in formula.by_bound()
        for rows in _rename_clauses(some, names, random).blocks
    ]
    weighted = [_rename_weighted(rows, names, random) for rows in formula.weighted]
    objective = formula.objective
    if objective is not None:
        objective = replace(objective, literals=_renamed(objective.literals, names))
    return Shuffled(Constraints(cnf, (*counted, *weighted), objective), names)


def _rename_weighted(rows: Rows, names: NDArray[np.int32], random: np.random.Generator) -> Rows:
    """The rows with other names for their variables, and in another order."""
    order = random.permutation(rows.count)
    terms = random.permuted(np.tile(np.arange(rows.length), (rows.count, 1)), axis=1)
    assert rows.weights is not None
    return Rows(
        np.take_along_axis(_renamed(rows.literals[order], names), terms, axis=1),
        rows.least[order],
        rows.most[order],
        np.take_along_axis(rows.weights[order], terms, axis=1),
    )


def _renamed(literals: NDArray[np.int32], names: NDArray[np.int32]) -> NDArray[np.int32]:
    renamed: NDArray[np.int32] = np.sign(literals) * names[np.abs(literals) - 1]
    return renamed


def _rename_clauses(cnf: CNF, names: NDArray[np.int32], random: np.random.Generator) -> CNF:
    """The clauses with other names for their variables, and in another order."""
    renamed = (_renamed(block, names) for block in cnf.blocks)
    return reordered(CNF(cnf.num_variables, cnf.num_main, tuple(renamed)), random)
