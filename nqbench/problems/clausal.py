"""Problems that have clauses or rows already, and no rules: formulas, wherever they come from."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from nqbench.clauses import dimacs
from nqbench.common.vocabulary import CheckedBy
from nqbench.problems.base import Problem
from nqbench.problems.options import Option

if TYPE_CHECKING:
    from nqbench.clauses.cnf import CNF
    from nqbench.clauses.constraints import Constraints


class Clausal(Problem):
    """A formula in DIMACS, whose answers are checked against its clauses."""

    n: ClassVar[None] = None  # type: ignore[misc]
    has_rules: ClassVar[bool] = False
    checked_by: ClassVar[CheckedBy] = CheckedBy.CLAUSES

    @property
    def lenient(self) -> bool:
        """Whether the header of the text may be missing, or state other counts than it holds."""
        return False

    @property
    @abstractmethod
    def source(self) -> str:
        """Where the text comes from, for messages."""

    @abstractmethod
    def content(self) -> bytes:
        """The formula as DIMACS text. Raises an `InputError` with the source if there is none, or
        if it has changed since the campaign was planned.
        """

    def formula(self) -> CNF:
        """The formula. Raises `InputError` with the source if the text is not DIMACS."""
        return dimacs.read(self.content(), self.source, lenient=self.lenient)

    @property
    def options(self) -> Sequence[Option]:
        return ()

    def constraints(self) -> Constraints:
        """The formula as constraints. Raises `InputError` as `formula` does."""
        from nqbench.clauses.constraints import Constraints

        return Constraints(self.formula())

    def drawing(self, solution: Iterable[Option]) -> str:  # noqa: ARG002
        """What is known of a formula with a model: its variables are no options."""
        return "satisfiable"

    def violation(self, solution: Iterable[Option]) -> str | None:  # noqa: ARG002
        """None: a formula has no rules besides its clauses."""
        return None
