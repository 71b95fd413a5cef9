"""Encodings that also write the at-most-one constraints of a formula anew.

Of a problem with rules, such an encoding encodes the rows. Of a formula, it finds the constraints,
and states them as it states rows: see `nqbench.clauses.rewriting`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from nqbench.clauses.cnf import CNF, Block
from nqbench.clauses.constraints import Constraints, Formula
from nqbench.clauses.literal_order import Positions
from nqbench.common.errors import InputError
from nqbench.encodings.base import Encoding
from nqbench.problems.base import Problem
from nqbench.problems.clausal import Clausal

if TYPE_CHECKING:
    from nqbench.clauses.rewriting.rewrite import Reencoded


def scheme(name: str) -> RewritingEncoding:
    """The encoding with this name. Raises `InputError` if it cannot write constraints of formulas
    anew.
    """
    encoding = Encoding.named(name)
    if not isinstance(encoding, RewritingEncoding) or encoding.only_for is not Problem:
        raise InputError(
            f"encoding '{name}' has no at-most-one scheme for formulas: choose for instance product"
        )
    return encoding


class RewritingEncoding(Encoding):
    """Encodes the rows of a problem, or finds the constraints of a formula without rows."""

    rewrites = True

    @abstractmethod
    def encode_constraints(self, problem: Problem, constraints: Constraints) -> Formula:
        """Return a formula: its models, restricted to the problem's variables, are
        the solutions of the constraints. Auxiliary variables come after the problem's.
        """

    @abstractmethod
    def at_most_one(self, k: int) -> CNF:
        """The scheme on k literals, as a formula with main variables 1..k."""

    def positions(self, together: Sequence[Block], variables: int) -> Positions | None:  # noqa: ARG002
        """The position of each variable in the order of the literals; None to keep the order of
        each constraint. See `literal_order.positions`.
        """
        return None

    def encode(self, problem: Problem) -> Formula:
        constraints = problem.constraints()
        if isinstance(problem, Clausal) and not problem.has_rows:
            return self.reencoded(constraints.cnf).formula
        return self.encode_constraints(problem, constraints)

    def reencoded(self, formula: CNF) -> Reencoded:
        """The formula with its at-most-one constraints in this scheme."""
        from nqbench.clauses.rewriting import rewrite  # which needs SciPy, as no row does

        return rewrite.reencode(formula, self)

    def derivation(self, problem: Problem, *, binary: bool) -> Iterator[bytes]:
        from nqbench.clauses.rewriting import derivation

        if not isinstance(problem, Clausal) or problem.has_rows:
            return iter(())
        formula = problem.formula()
        if not isinstance(formula, CNF):
            return iter(())
        steps = derivation.derivation(self.reencoded(formula))
        return derivation.write_drat(steps, binary=binary)
