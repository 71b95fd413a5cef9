"""What the text of a formula states, before anything is normalised; and the formula of that."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.cnf import CNF, Assignment
from nqbench.clauses.constraints import Constraints, Formula
from nqbench.clauses.definitions import Definition, SoftClauses, rows_of, stated_rows
from nqbench.clauses.rows import Integers, Objective
from nqbench.clauses.stated_rows import StatedRows


@dataclass(frozen=True, slots=True, eq=False)
class StatedObjective:
    """The literals and their weights in the order of the file, and whether their sum is to be as
    large as possible. A variable may occur several times.
    """

    literals: NDArray[np.int32]
    weights: Integers
    is_maximised: bool = False

    def objective(self) -> Objective:
        """The same with each variable once, and with positive weights."""
        return Objective.of(
            self.literals.tolist(), self.weights.tolist(), is_maximised=self.is_maximised
        )


@dataclass(frozen=True, slots=True, eq=False)
class StatedText:
    """The rows in the order of the text, its objective or soft clauses, and what the variables
    after the `num_variables` of the text stand for. `names` are those of its variables, from the
    first on; none if they are x1, x2, and so on.
    """

    num_variables: int
    rows: StatedRows
    objective: StatedObjective | None = None
    soft: SoftClauses | None = None
    definitions: Sequence[Definition] = ()
    names: Sequence[str] = ()

    def extended(self, values: Assignment) -> Assignment:
        """Values of the variables of the text, followed by those of the variables that stand for
        something: see `formula`.
        """
        truth = np.concatenate([[False], values, ~values[::-1]])
        if self.soft is not None:
            starts = np.cumsum(self.soft.lengths) - self.soft.lengths
            long = np.flatnonzero(self.soft.lengths > 1)
            clauses = zip(starts[long].tolist(), self.soft.lengths[long].tolist(), strict=True)
            is_true = [
                truth[self.soft.literals[start : start + length]].any() for start, length in clauses
            ]
            return np.concatenate([values, ~np.array(is_true, np.bool_)])
        every = values.tolist()
        for definition in self.definitions:
            every.append(definition.value(every))
        return np.array(every, np.bool_)

    def formula(self) -> Formula:
        """The formula; variables that stand for something, as those of soft clauses, come last."""
        rows = self.rows
        if defining := list(rows_of(self.definitions, self.num_variables)):
            rows = rows.followed_by(stated_rows(defining))
        formula = rows.formula(self.num_variables + len(self.definitions))
        if self.soft is not None:
            return self.soft.relaxed(formula)
        if self.objective is None and not self.definitions:
            return formula
        constraints = Constraints(formula) if isinstance(formula, CNF) else formula
        objective = None if self.objective is None else self.objective.objective()
        return replace(constraints, objective=objective, num_fresh=len(self.definitions))
