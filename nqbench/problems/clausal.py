"""Problems that have clauses or rows already, and no rules: formulas, wherever they come from."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from nqbench.common.vocabulary import AS_IT_IS, CheckedBy
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
    @abstractmethod
    def source(self) -> str:
        """Where the text comes from, for messages."""

    @abstractmethod
    def content(self) -> bytes:
        """The formula as text. Raises an `InputError` with the source if there is none, or
        if it has changed since the campaign was planned.
        """

    @property
    def largest_bound(self) -> int:
        """The largest bound of its rows, 0 if it has clauses only: see `Constraints`."""
        return 0

    @property
    def has_rows(self) -> bool:
        """Whether it has rows, which need an encoding, or a solver that counts."""
        return self.largest_bound > 0

    @property
    def has_bounds(self) -> bool:
        return self.largest_bound > 1

    @property
    def default_encoding(self) -> str:
        return "sequential" if self.has_rows else AS_IT_IS

    def formula(self) -> Formula:
        """The formula. Raises `InputError` with the source if the text is in no format that is
        read: see `clauses.constraint_files`.
        """
        from nqbench.clauses import constraint_files  # NumPy takes long to import

        return constraint_files.read(self.content(), self.source, lenient=self.lenient)

    @property
    def options(self) -> Sequence[Option]:
        return ()

    def constraints(self) -> Constraints:
        """The formula as constraints. Raises `InputError` as `formula` does."""
        from nqbench.clauses.constraints import Constraints

        formula = self.formula()
        return formula if isinstance(formula, Constraints) else Constraints(formula)

    def drawing(self, solution: Iterable[Option]) -> str:  # noqa: ARG002
        """What is known of a formula with a model: its variables are no options."""
        return "satisfiable"

    def violation(self, solution: Iterable[Option]) -> str | None:  # noqa: ARG002
        """None: a formula has no rules besides its clauses and rows."""
        return None
