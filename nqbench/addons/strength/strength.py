"""What unit propagation finds on the clauses of one row, compared with what follows from the row.

Every partial assignment of the row's literals is tried, or some drawn at random. In one that no
solution completes, propagation should meet a conflict. In any other, it should give their value to
the literals that have the same in every completion. It sees the clauses of this row alone.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.cnf import CNF
from nqbench.common.errors import InputError, SolverError
from nqbench.encodings.base import Encoding
from nqbench.problems.from_python import constraints

LONGEST: Final = 13
"""Literals of a row. For more, a table of its 3^n partial assignments would not fit in memory."""

OPEN: Final = 2
"""The digit of a literal without a value, in a partial assignment. 0 is false, 1 is true."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row: of the weights of the true literals, at least `least` and at most `most`."""

    weights: tuple[int, ...]
    least: int
    most: int

    def __str__(self) -> str:
        low, high = (f"{self.least}.." if self.least else "at most "), self.most
        bounds = str(high) if self.least == high else f"{low}{high}"
        if {*self.weights} == {1}:
            return f"{bounds} of {len(self.weights)}"
        return f"{bounds} of the weights {' '.join(map(str, self.weights))}"

    @property
    def is_free(self) -> bool:
        """Whether it allows everything."""
        return self.least <= 0 and self.most >= sum(self.weights)

    def clauses(self, encoding: Encoding) -> CNF:
        """The row in this encoding; its literals are the first variables. Raises `InputError` if
        the encoding does not state such rows.
        """
        literals = [*range(1, len(self.weights) + 1)]
        bounds = [(">=", self.least)] if self.least > 0 else []
        bounds += [("<=", self.most)] if self.most < sum(self.weights) else []
        if self.least == self.most:
            bounds = [("=", self.least)]
        row = constraints([(literals, [*self.weights], *bound) for bound in bounds], name=str(self))
        if reason := encoding.why_not(row):
            raise InputError(reason)
        return encoding.clauses(row)

    def completions(self) -> NDArray[np.int64]:
        """The number of solutions that agree with each partial assignment, shape (3,) * n."""
        sums = np.zeros((), np.int64)
        for weight in self.weights:
            sums = np.stack([sums, sums + weight], axis=-1)
        counts = ((sums >= self.least) & (sums <= self.most)).astype(np.int64)
        for axis in range(counts.ndim):
            both = counts.sum(axis=axis, keepdims=True)
            counts = np.concatenate([counts, both], axis=axis)
        return counts


@dataclass(frozen=True, slots=True)
class Strength:
    """What unit propagation finds: of `conflicts` and `forced` literals in all `assignments`, the
    number that it finds and the number that there are. Of the `solutions` of the row, so many have
    several models. `is_exhaustive`: all partial assignments were tried.
    """

    conflicts: tuple[int, int]
    forced: tuple[int, int]
    several_models: int
    solutions: int
    assignments: int
    is_exhaustive: bool

    @property
    def finds_conflicts(self) -> bool:
        """Whether it finds every conflict."""
        return self.conflicts[0] == self.conflicts[1]

    @property
    def finds_all(self) -> bool:
        """Whether it finds every conflict and every forced literal."""
        return self.finds_conflicts and self.forced[0] == self.forced[1]


def measure(encoding: Encoding, row: Row, samples: int | None = None, seed: int = 0) -> Strength:
    """What unit propagation finds on the row in this encoding, in all partial assignments or in so
    many, each drawn from all with the same probability.

    Raises `InputError` if the encoding does not state the row, and `SolverError` if its clauses
    forbid a solution, or allow anything else that is tried.
    """
    cnf, completions = row.clauses(encoding), row.completions()
    chosen: Iterable[tuple[int, ...]] = product(range(OPEN + 1), repeat=completions.ndim)
    if samples is not None:
        drawn = np.random.default_rng(seed).integers(completions.size, size=samples)
        chosen = map(tuple, np.transpose(np.unravel_index(drawn, completions.shape)).tolist())
    conflicts, forced = [0, 0], [0, 0]
    unsure: list[list[int]] = []
    with _Propagation(cnf, len(row.weights)) as propagation:
        for digits in chosen:
            found = propagation.fixed(_literals(digits))
            if not completions[digits]:
                conflicts[0] += found is None
                conflicts[1] += 1
                if found is not None and OPEN not in digits:
                    unsure.append(_literals(digits))
                continue
            implied = set(_forced(completions, digits))
            if found is None or not found <= implied:
                raise SolverError(f"encoding '{encoding.name}' forbids a solution of {row}")
            forced[0] += len(found)
            forced[1] += len(implied)
        # A search learns clauses, by which propagation would find more.
        if any(map(propagation.has_model, unsure)):
            raise SolverError(f"encoding '{encoding.name}' allows more than {row}")
        solutions = np.argwhere(completions[(slice(OPEN),) * completions.ndim]).tolist()
        several = sum(propagation.has_several(_literals(digits)) for digits in solutions)
    return Strength(
        (conflicts[0], conflicts[1]),
        (forced[0], forced[1]),
        several,
        len(solutions),
        completions.size if samples is None else samples,
        samples is None,
    )


def _literals(digits: Sequence[int]) -> list[int]:
    """The literals that a partial assignment makes true."""
    places = enumerate(digits, 1)
    return [place if digit else -place for place, digit in places if digit != OPEN]


def _forced(completions: NDArray[np.int64], digits: tuple[int, ...]) -> Iterator[int]:
    """The literals without a value that are true in every completion, of which there are some."""
    for place, digit in enumerate(digits):
        if digit == OPEN:
            for value, literal in ((0, place + 1), (1, -place - 1)):
                if not completions[(*digits[:place], value, *digits[place + 1 :])]:
                    yield literal


class _Propagation:
    """MiniSat's unit propagation. The clauses hold only beside a guard, which is assumed: PySAT
    does not return literals that follow without any assumption.
    """

    def __init__(self, cnf: CNF, literals: int) -> None:
        from pysat.solvers import Minisat22

        self._literals = literals
        self._guard = cnf.num_variables + 1
        self._last = self._guard
        self._solver: Any = Minisat22()
        for clause in cnf.clauses():
            self._solver.add_clause([*clause, -self._guard])

    def __enter__(self) -> "_Propagation":
        return self

    def __exit__(self, *_: object) -> None:
        self._solver.delete()

    def fixed(self, literals: list[int]) -> set[int] | None:
        """The literals of the row that get a value beside these; None if there is a conflict."""
        is_possible, trail = self._solver.propagate([self._guard, *literals])
        if not is_possible:
            return None
        return {each for each in trail if abs(each) <= self._literals} - {*literals}

    def has_model(self, literals: list[int]) -> bool:
        """Whether a search finds a model with these literals."""
        return bool(self._solver.solve([self._guard, *literals]))

    def has_several(self, literals: list[int]) -> bool:
        """Whether a solution has several models."""
        assumed = [self._guard, *literals]
        if not self.has_model(literals):
            raise SolverError("the clauses forbid a solution")
        others = [-each for each in self._solver.get_model() if self._literals < abs(each)]
        self._last += 1
        others = [each for each in others if abs(each) < self._guard]
        self._solver.add_clause([-self._last, *others])
        return bool(self._solver.solve([*assumed, self._last]))
