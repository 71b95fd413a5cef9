"""`file`: the clauses of a formula, as they are.

Encode times are the times to read the file, or to generate the formula. Models have no solution
besides the values of their variables. With `shuffle`, the clauses and the literals in each are in
an order drawn with this seed: what changes then is luck.
"""

import numpy as np

from nqbench.clauses.cnf import CNF, Assignment, reordered
from nqbench.clauses.constraints import Formula
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import AS_IT_IS
from nqbench.encodings.base import Encoding
from nqbench.plugins.parameters import Whole
from nqbench.problems.base import Problem
from nqbench.problems.clausal import Clausal
from nqbench.problems.options import Solution


class FromFile(Encoding):
    """The clauses of a formula as they are, perhaps in another order."""

    parameters = {"shuffle": Whole(default=0, least=0)}
    reference = "the file itself"
    version = None  # the digest of the text says what was measured

    def why_not(self, problem: Problem) -> str | None:
        if problem.has_rules:
            return f"encoding '{AS_IT_IS}' is for formulas only"
        if isinstance(problem, Clausal) and problem.has_rows:
            return f"encoding '{AS_IT_IS}' is for clauses, and {problem} has rows: try native"
        if problem.needs_assumptions and self.name != AS_IT_IS:
            return f"the order of clauses is a part of {problem}: leave out `amo`"
        return None

    def encode(self, problem: Problem) -> Formula:
        if not isinstance(problem, Clausal):
            raise InputError(f"{problem} is not a formula: choose an encoding")
        formula = problem.instance_formula()
        seed = int(self.values["shuffle"])
        if not seed or not isinstance(formula, CNF):
            return formula
        return reordered(formula, np.random.default_rng(seed))

    def decode(self, problem: Problem, values: Assignment) -> Solution:  # noqa: ARG002
        return ()
