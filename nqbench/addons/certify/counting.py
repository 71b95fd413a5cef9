"""Counts the different solutions of a formula, and compares them with those of the rules."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import msgspec
import numpy as np

from nqbench.addons.certify.certificate import Count
from nqbench.backends.base import Backend
from nqbench.checking import exhaustive
from nqbench.checking.verify import BY_FIRST_VALUES, DECODED, check_sat
from nqbench.clauses.cnf import CNF, Assignment, Block
from nqbench.common.vocabulary import Answer, CheckedBy, Verdict
from nqbench.encodings.base import Encoding, decoded
from nqbench.measure.implication.steps import State
from nqbench.measure.search import Search
from nqbench.problems.base import Problem
from nqbench.problems.options import Solution, variables

MOST_ENUMERATED: Final = 3_000
"""The largest number of solutions that are enumerated. Of more, each is looked for."""

MOST_LOOKED_FOR: Final = 100_000
"""The largest number of solutions that are looked for one by one."""

_SOLVER: Final = "minisat22"


@dataclass(frozen=True, slots=True)
class Counting:
    """Counts the solutions of one formula; `expected` is their number, which comes from `source`.

    The methods run in a separate process, since they call the encoding and a solver.
    """

    problem: Problem
    encoding: Encoding
    formula: CNF
    lazy: Block
    literals: Block | None
    expected: int
    source: CheckedBy

    def count(self) -> bytes:
        """Return the packed `Count`."""
        keeps_all = not self.encoding.breaks_symmetry(self.problem)
        if self.literals is not None and keeps_all and self.expected > MOST_ENUMERATED:
            result = self._look_for_each(self.literals)
        else:
            result = self._enumerate()
        return msgspec.msgpack.encode(replace(result, expected=self.expected, source=self.source))

    def _enumerate(self) -> Count:
        """Enumerate all models that differ on the first variables, and check each."""
        is_broken = self.encoding.breaks_symmetry(self.problem)
        search = Search(
            self.problem, self.encoding, Backend.named(_SOLVER), self.formula, self.lazy
        )
        solutions: set[Solution] = set()
        models: set[Solution] = set()
        for answer in search.all():
            solution = tuple(sorted(answer.solution))
            if flaw := self._flaw(answer.model, solution):
                return Count(State.REFUTED, flaw, solution, len(solutions))
            if solution in models:
                message = "models that differ on the first variables give one solution"
                return Count(State.REFUTED, message, solution, len(solutions))
            models.add(solution)
            if is_broken and solution not in solutions:
                solutions.update(self.problem.images(solution))
            solutions.add(solution)
        if search.answer is not Answer.UNSAT:
            return Count(State.OPEN, f"{_SOLVER} gave up", None, len(solutions))
        if len(solutions) == self.expected:
            return Count(State.PROVED, "", None, len(solutions), every_model=True)
        message = f"{len(solutions)} solutions instead of {self.expected}"
        missing = next(
            (listed for listed in self._known_solutions() if listed not in solutions), None
        )
        return Count(State.REFUTED, message, missing, len(solutions), every_model=True)

    def _look_for_each(self, literals: Block) -> Count:
        """Look for a model of each solution that is known to exist."""
        from pysat.solvers import Solver

        number = 0
        with Solver(_SOLVER, bootstrap_with=self.formula.clauses()) as solver:
            for solution in self._known_solutions():
                # Without a dtype, an empty solution would be an array of floats.
                positions = np.array(variables(self.problem.options, solution), dtype=np.intp) - 1
                assumed = literals[positions].ravel().tolist()
                if self.encoding.shows_options(self.problem):
                    other_literals = np.delete(literals, positions, axis=0)
                    assumed += (-other_literals).ravel().tolist()
                if not solver.solve(assumptions=assumed):
                    return Count(State.REFUTED, "forbids a solution", solution, number)
                values = np.zeros(self.formula.num_variables, dtype=np.bool_)
                true = np.array(solver.get_model())
                values[true[true > 0] - 1] = True
                decoded_solution = tuple(sorted(decoded(self.encoding, self.problem, values)))
                if flaw := self._flaw(values, decoded_solution):
                    return Count(State.REFUTED, flaw, decoded_solution, number)
                if decoded_solution != solution:
                    return Count(
                        State.REFUTED, "decodes another solution", decoded_solution, number
                    )
                number += 1
        return Count(State.PROVED, "", None, number)

    def _flaw(self, model: Assignment, solution: Solution) -> str | None:
        """Why a model with this solution is wrong, in words; None if it is not."""
        shows = self.encoding.shows_options(self.problem)
        readout = BY_FIRST_VALUES if shows else DECODED
        check = check_sat(self.problem, self.formula, model, solution, readout)
        if check.verdict is Verdict.REFUTED:
            return check.message
        if self.literals is None:
            return None
        is_chosen = (model[np.abs(self.literals) - 1] == (self.literals > 0)).all(axis=1)
        if set(np.flatnonzero(is_chosen) + 1) != set(variables(self.problem.options, solution)):
            return "option_literals() shows another solution"
        return None

    def _known_solutions(self) -> Iterator[Solution]:
        """Every solution, by the exhaustive search."""
        options = self.problem.options
        for option_variables in exhaustive.solutions(self.problem):
            yield tuple(sorted(options[v - 1] for v in option_variables))
