"""Problems that have clauses or rows already, and no rules: formulas, wherever they come from."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from nqbench.clauses.facts import RowFacts
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import (
    AS_IT_IS,
    COUNTING_ENCODING,
    WEIGHING_ENCODING,
    CheckedBy,
)
from nqbench.problems.base import Problem
from nqbench.problems.options import Option

if TYPE_CHECKING:
    from nqbench.clauses.constraints import Constraints, Formula


class Clausal(Problem):
    """A formula, whose answers are checked against its clauses and rows."""

    n: ClassVar[None] = None  # type: ignore[misc]
    has_rules: ClassVar[bool] = False
    checked_by: ClassVar[CheckedBy] = CheckedBy.CLAUSES

    @property
    def lenient(self) -> bool:
        """Whether the header of the text may be missing, or state other counts than it holds."""
        return False

    @property
    def worst(self) -> int | None:
        """The value of the objective that a model must not be worse than; None if any will do."""
        return None

    def with_worst(self, worst: int) -> Clausal:
        """The same with the objective no worse than this, as it is stated. Raises `InputError` if
        there is none.
        """
        raise InputError(f"{self} has no objective, or none with a bound: {worst}")

    @property
    @abstractmethod
    def source(self) -> str:
        """Where the text comes from, for messages."""

    @abstractmethod
    def content(self) -> bytes:
        """The formula as text. Raises an `InputError` with the source if there is none, or
        if it has changed since the campaign was planned.
        """

    @property
    def facts(self) -> RowFacts:
        """What its rows ask of an encoding: nothing if it has clauses only."""
        return RowFacts()

    @property
    def has_rows(self) -> bool:
        """Whether it has rows or an objective, which need an encoding or a solver for them."""
        return self.facts.has_rows

    @property
    def has_bounds(self) -> bool:
        return self.facts.has_bounds

    @property
    def default_encoding(self) -> str:
        if self.facts.has_weights:
            return WEIGHING_ENCODING
        return COUNTING_ENCODING if self.has_rows else AS_IT_IS

    def formula(self) -> Formula:
        """The formula. Raises `InputError` with the source if the text is in no format that is
        read: see `clauses.constraint_files`.
        """
        from nqbench.clauses import constraint_files  # NumPy takes long to import
        from nqbench.clauses.constraints import with_objective

        formula = constraint_files.read(self.content(), self.source, lenient=self.lenient)
        if self.worst is None:
            return formula
        return with_objective(formula, self.worst, self.source)

    def instance_formula(self) -> Formula:
        """What the solver gets if it is left as it is: the formula, unless more belongs to what is
        asked.
        """
        return self.formula()

    @property
    def options(self) -> Sequence[Option]:
        return ()

    def constraints(self) -> Constraints:
        """The formula as constraints. Raises `InputError` as `formula` does."""
        from nqbench.clauses.constraints import as_constraints

        return as_constraints(self.formula())

    def values(self, literals: Sequence[int]) -> Mapping[Any, Any]:
        """Whether each variable is true, by the literals that are true in a model."""
        return {abs(literal): literal > 0 for literal in literals}

    def model_text(self, literals: Sequence[int]) -> str:
        """A model as a line of a solver's output."""
        return " ".join(map(str, ("v", *literals, 0)))

    def drawing(self, solution: Iterable[Option]) -> str:
        """The literals that are true, if they are given; answers have none, since the variables of
        a formula are no options.
        """
        literals = [literal for (literal,) in solution]
        return self.model_text(literals) if literals else "satisfiable"

    def violation(self, solution: Iterable[Option]) -> str | None:  # noqa: ARG002
        """None: a formula has no rules besides its clauses and rows."""
        return None
