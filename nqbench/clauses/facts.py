"""What the rows of a problem ask of an encoding, or of a solver that takes rows.

Apart from the rows, since the help of a command knows problems, and imports no NumPy.
"""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class RowFacts:
    """Facts about rows, which decide what fits. They are read once: a file may be large.

    `largest_bound` is the largest k that has to be counted to, 0 without rows: see `Constraints`.
    `longest` is the length of the longest row without weights, and its k. `num_weighted` is the
    number of rows with weights, and `largest_sum` the largest sum of the weights of one. Of an
    objective: whether its weights differ, the sum of these, the value that none is better than,
    whatever the rows say, and whether it is to be maximised. `note` is what to know of how the file
    was read.
    """

    largest_bound: int = 0
    longest: tuple[int, int] | None = None
    num_weighted: int = 0
    largest_sum: int = 0
    has_objective: bool = False
    objective_has_weights: bool = False
    objective_sum: int = 0
    ideal: int = 0
    is_maximised: bool = False
    note: str = ""

    @property
    def with_bound(self) -> "RowFacts":
        """The same, once a row says how good the objective has to be."""
        if self.objective_has_weights:
            return replace(self, num_weighted=self.num_weighted + 1)
        return replace(self, largest_bound=max(self.largest_bound, 2))

    @property
    def has_rows(self) -> bool:
        """Whether there is more than clauses."""
        return self.largest_bound > 0 or self.has_weights or self.has_objective

    @property
    def has_bounds(self) -> bool:
        """Whether rows have to be counted beyond one."""
        return self.largest_bound > 1

    @property
    def has_weights(self) -> bool:
        """Whether rows have weights."""
        return self.num_weighted > 0
