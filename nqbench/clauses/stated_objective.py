"""An objective as a file states it, before anything is normalised."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.rows import Integers, Objective


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
