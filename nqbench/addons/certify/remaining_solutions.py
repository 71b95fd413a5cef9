"""Tries the solutions of a problem one by one: which of them have a model of a formula."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

import msgspec
import numpy as np

from nqbench.addons.certify.formula_verdict import Keep
from nqbench.checking import exhaustive
from nqbench.checking.verify import broken_rule
from nqbench.clauses.cnf import CNF, Assignment
from nqbench.common.errors import SolverError
from nqbench.problems import symmetry
from nqbench.problems.base import Problem
from nqbench.problems.options import variables
from nqbench.problems.queens import Queens, variable_of

_SOLVER: Final = "minisat22"

_MOST_BROKEN: Final = 30
"""So many broken clauses are tried for a plain witness."""

Variables = tuple[int, ...]
"""The variables of the options of a solution."""


class Remaining(msgspec.Struct, frozen=True):
    """The number of solutions, and of those with a model. `lost` are solutions of which one should
    have a model and none has: one solution, or all that are symmetric to it.
    """

    solutions: int
    kept: int
    lost: list[Variables]


@dataclass(frozen=True, slots=True)
class Trial:
    """Tries solutions with a formula whose first variables are the options. The methods call a
    solver, and run in a separate process.
    """

    problem: Problem
    formula: CNF

    def remaining(self, keep: Keep) -> bytes:
        """Return the packed `Remaining`. Each model is checked on the clauses."""
        from pysat.solvers import Solver

        kept: dict[Variables, bool] = {}
        with Solver(_SOLVER, bootstrap_with=self.formula.clauses()) as solver:
            for listed in exhaustive.solutions(self.problem):
                solution = tuple(sorted(listed))
                kept[solution] = solver.solve(assumptions=self._assumed(solution))
                if kept[solution]:
                    self._check(solver.get_model())
        lost = next(self._lost(kept, keep), [])
        return msgspec.msgpack.encode(Remaining(len(kept), sum(kept.values()), lost))

    def models(self, most: int) -> bytes:
        """Return packed choices of options with a model: all, the first wrong one last, or the
        first `most` of them; and why the last one is wrong, if it is.
        """
        from pysat.solvers import Solver

        count = len(self.problem.options)
        choices: list[Variables] = []
        violation = None
        with Solver(_SOLVER, bootstrap_with=self.formula.clauses()) as solver:
            while len(choices) < most and violation is None and solver.solve():
                values = self._check(solver.get_model())
                chosen = tuple((np.flatnonzero(values[:count]) + 1).tolist())
                choices.append(chosen)
                options = self.problem.options
                violation = broken_rule(self.problem, tuple(options[v - 1] for v in chosen))
                solver.add_clause([-literal for literal in self._assumed(chosen)])
        return msgspec.msgpack.encode((choices, violation))

    def plainest(self, rules: CNF, witness: Variables) -> bytes:
        """Return the packed options of a model that breaks a clause of the rules, one that the
        witness breaks too, and the fewest clauses among all models that were tried.
        """
        from pysat.solvers import Solver

        count = len(self.problem.options)
        fewest, plainest = np.inf, witness
        # It tries false values first, and so chooses few options.
        with Solver(_SOLVER, bootstrap_with=self.formula.clauses()) as solver:
            for clause in _broken(rules, count, witness)[:_MOST_BROKEN]:
                if not solver.solve(assumptions=[-literal for literal in clause]):
                    continue
                values = self._check(solver.get_model())
                chosen = tuple((np.flatnonzero(values[:count]) + 1).tolist())
                broken = len(_broken(rules, count, chosen))
                if broken < fewest:
                    fewest, plainest = broken, chosen
        return msgspec.msgpack.encode(plainest)

    def _assumed(self, chosen: Collection[int]) -> list[int]:
        literals = -np.arange(1, len(self.problem.options) + 1)
        literals[np.array(chosen, dtype=np.intp) - 1] *= -1
        assumed: list[int] = literals.tolist()
        return assumed

    def _check(self, model: list[int]) -> Assignment:
        values = np.zeros(self.formula.num_variables, dtype=np.bool_)
        true = np.array(model, dtype=np.int64)
        true = true[(true > 0) & (true <= len(values))]
        values[true - 1] = True
        if broken := self.formula.broken_by(values):
            raise SolverError(f"{_SOLVER}: {broken}")
        return values

    def _lost(self, kept: dict[Variables, bool], keep: Keep) -> Iterator[list[Variables]]:
        """Yield solutions of which one should have a model, and none has."""
        if keep is Keep.ONE:
            if kept and not any(kept.values()):
                yield [next(iter(kept))]
            return
        for solution, has_model in kept.items():
            if has_model:
                continue
            alike = [solution]
            if keep is Keep.SYMMETRIC:
                alike += sorted(set(self._images(solution)) - {solution})
            if not any(kept.get(one, False) for one in alike):
                yield alike

    def _images(self, solution: Variables) -> Iterator[Variables]:
        """What is symmetric to a solution. Images that are no solutions do not matter."""
        options = self.problem.options
        chosen = tuple(options[v - 1] for v in solution)
        if not isinstance(self.problem, Queens):
            for image in self.problem.images(chosen):
                yield tuple(sorted(variables(options, image)))
            return
        n = self.problem.n
        for turned in symmetry.of_problem(self.problem):
            squares = (turned.image(row, column, n) for row, column in chosen)
            yield tuple(sorted(variable_of(square, n) for square in squares))


def _broken(rules: CNF, count: int, chosen: Variables) -> list[list[int]]:
    """The clauses of the rules that a choice of options breaks."""
    values = np.zeros(count, np.bool_)
    values[np.array(chosen, dtype=np.intp) - 1] = True
    truth = np.concatenate([[False], values, ~values[::-1]])
    # A rule that nothing meets has a variable that is no option.
    blocks = [block for block in rules.blocks if np.abs(block).max(initial=0) <= count]
    broken = (block[~truth[block].any(axis=1)] for block in blocks)
    return [clause for block in broken for clause in block.tolist()]
