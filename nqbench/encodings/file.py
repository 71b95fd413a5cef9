"""`file`: the clauses of a formula in DIMACS, as they are.

Encode times are the times to read the file, or to generate the formula. Models have no solution
besides the values of their variables.
"""

from nqbench.encodings.base import Encoding
from nqbench.errors import InputError
from nqbench.instances import dimacs
from nqbench.instances.cnf import CNF, Assignment
from nqbench.problems.base import Problem
from nqbench.problems.clausal import Clausal
from nqbench.problems.options import Solution
from nqbench.vocabulary import AS_IT_IS


class FromFile(Encoding):
    """The clauses of a formula as they are."""

    reference = "the file itself"
    version = None  # the digest of the text says what was measured

    def why_not(self, problem: Problem) -> str | None:
        return f"encoding '{AS_IT_IS}' is for formulas only" if problem.has_rules else None

    def encode(self, problem: Problem) -> CNF:
        if not isinstance(problem, Clausal):
            raise InputError(f"{problem} is not a formula: choose an encoding")
        return dimacs.read(problem.content(), problem.source)

    def decode(self, problem: Problem, values: Assignment) -> Solution:  # noqa: ARG002
        return ()
