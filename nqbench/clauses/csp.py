"""A constraint satisfaction problem whose constraints exclude values of two variables."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.cnf import Assignment
from nqbench.common import array_bytes

_MAGIC: Final = 0x6E71_6373_7031


@dataclass(frozen=True, slots=True, eq=False)
class CSP:
    """Variables 0..m-1 with values 0..k-1, and what pairs of variables must not have.

    `domains`, shape (m, k), says whether a variable may have a value. `constraints`, int32 of shape
    (constraints, 3), holds a row (i, j, d) with i != j and d >= 0 for each |x_i - x_j| != d; d = 0
    means that the two differ. `excluded`, int32 of shape (excluded, 4), holds a row (i, a, j, b)
    with i != j for each 'not both x_i = a and x_j = b'.
    """

    domains: NDArray[np.bool_]
    constraints: NDArray[np.int32]
    excluded: NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 4), np.int32))

    @property
    def num_variables(self) -> int:
        """The number of variables."""
        return len(self.domains)

    @property
    def num_constraints(self) -> int:
        """The number of constraints."""
        return len(self.constraints) + len(self.excluded)

    @property
    def model_size(self) -> int:
        """The number of truth values in a model: one for each variable and value, in this order."""
        return self.domains.size

    def assignment(self, values: NDArray[np.int_]) -> Assignment:
        """The model in which the variables have these values, shape (m,)."""
        is_chosen = np.zeros(self.domains.shape, dtype=np.bool_)
        is_chosen[np.arange(self.num_variables), values] = True
        return is_chosen.ravel()

    def broken_by(self, model: Assignment) -> str | None:
        """The first thing that the model breaks, in words; None if nothing.

        Raises `ValueError` unless the model has shape (model_size,).
        """
        is_chosen = model.reshape(self.domains.shape)
        counts = is_chosen.sum(axis=1)
        if (counts != 1).any():
            variable = int(np.argmax(counts != 1))
            return f"variable {variable} has {counts[variable]} values"
        values = is_chosen.argmax(axis=1)
        return self._beyond_its_domain(values) or self._too_near(values) or self._both(values)

    def _beyond_its_domain(self, values: NDArray[np.intp]) -> str | None:
        outside = np.flatnonzero(~self.domains[np.arange(len(values)), values]).tolist()
        if not outside:
            return None
        return f"variable {outside[0]} has the value {values[outside[0]]}, outside its domain"

    def _too_near(self, values: NDArray[np.intp]) -> str | None:
        i, j, distance = self.constraints.T
        broken = np.flatnonzero(np.abs(values[i] - values[j]) == distance)
        if not broken.size:
            return None
        i, j, distance = self.constraints[broken[0]].tolist()
        return f"the model breaks |x{i} - x{j}| != {distance}"

    def _both(self, values: NDArray[np.intp]) -> str | None:
        i, a, j, b = self.excluded.T
        broken = np.flatnonzero((values[i] == a) & (values[j] == b))
        if not broken.size:
            return None
        i, a, j, b = self.excluded[broken[0]].tolist()
        return f"the model has both x{i} = {a} and x{j} = {b}"

    def tables(self) -> Iterator[tuple[int, int, set[tuple[int, int]]]]:
        """Yield each two variables i and j that exclude values of each other, and the values (a, b)
        of both that they must not have together.
        """
        tables: dict[tuple[int, int], set[tuple[int, int]]] = {}
        for i, a, j, b in self.excluded.tolist():
            tables.setdefault((i, j), set()).add((a, b))
        for (i, j), values in tables.items():
            yield i, j, values

    def check(self) -> None:
        """Raise `ValueError` if a constraint does not have two variables and a distance, or two
        variables and a value of each.
        """
        i, j, distance = self.constraints.T
        variables = self.constraints[:, :2]
        if variables.size and not (variables.min() >= 0 and variables.max() < self.num_variables):
            raise ValueError(f"a constraint on a variable beyond {self.num_variables}")
        if (i == j).any() or (distance < 0).any():
            raise ValueError("a constraint on one variable, or with a negative distance")
        i, a, j, b = self.excluded.T
        for variables, values in ((i, a), (j, b)):
            at = np.stack([variables, values])
            if at.size and (at.min() < 0 or (at.max(axis=1) >= self.domains.shape).any()):
                raise ValueError("an excluded pair beyond the variables or their values")
        if (i == j).any():
            raise ValueError("an excluded pair of values of one variable")

    def digest(self) -> str:
        """A hash of variables and constraints: 32 hexadecimal digits."""
        return array_bytes.digest(self.pack())

    def pack(self) -> Iterator[memoryview]:
        """The CSP as bytes, piece by piece, for `CSP.unpack`."""
        shape = [_MAGIC, *self.domains.shape, len(self.constraints)]
        header = np.array(shape, dtype=np.int64)
        return array_bytes.pieces(header, self.constraints, self.domains, self.excluded)

    @classmethod
    def unpack(cls, buffer: memoryview) -> "CSP":
        """A view of packed bytes as a CSP, without a copy. Raises `ValueError` if they are not."""
        magic, variables, values, count = np.frombuffer(buffer, np.int64, 4).tolist()
        if magic != _MAGIC or min(variables, values, count) < 0:
            raise ValueError("these bytes are not a packed CSP")
        constraints = np.frombuffer(buffer, np.int32, 3 * count, offset=32).reshape(count, 3)
        start = 32 + constraints.nbytes
        domains = np.frombuffer(buffer, np.bool_, variables * values, start)
        # A copy, since numbers after flags of one byte each may not be aligned.
        excluded = np.frombuffer(buffer[start + domains.nbytes :].tobytes(), np.int32)
        return cls(domains.reshape(variables, values), constraints, excluded.reshape(-1, 4))
