"""What was shown about an encoding on one problem, and what that relies on."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from nqbench.common.vocabulary import CheckedBy
from nqbench.measure.implication.steps import Direction, State
from nqbench.problems.base import title
from nqbench.problems.options import Solution

CHECKER: Final = "the proof checker"
RULES: Final = "the rules"
OPTIONS_FIRST: Final = "the first variables being the options"
SOURCES: Final = {CheckedBy.ORACLE: "the exhaustive count", CheckedBy.THEOREM: "a theorem"}
"""What certificates rely on."""


class Result(StrEnum):
    """What is known about an encoding on one problem. `open`: a limit was reached, for instance.
    `no formula`: the encoding raised an error.
    """

    CERTIFIED = "certified"
    REFUTED = "refuted"
    OPEN = "open"
    NO_FORMULA = "no formula"


@dataclass(frozen=True, slots=True)
class Count:
    """The number of different solutions of the formula, each checked against the rules, and the
    `expected` number with its source.

    `every_model`: all models were enumerated. Otherwise each known solution was found to have a
    model, and whether there are other models was not asked.
    """

    state: State = State.OPEN
    message: str = ""
    witness: Solution | None = None
    found: int | None = None
    expected: int | None = None
    source: CheckedBy = CheckedBy.NONE
    every_model: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether the count went to its end, and not only to a wrong model."""
        return self.state is State.PROVED or self.every_model


@dataclass(frozen=True, slots=True, repr=False)
class Certificate:
    """Whether the formula of an encoding and the rules have the same solutions on one problem.

    `only_solutions`: every model of the formula is a solution. `every_solution`: every solution has
    a model. `relied_on`: what has to be right for this result to be right. `note`: what was odd
    in the formula that a program wrote. `has_failed`: the encoding raised an error.
    `scheme`: whether an at-most-one scheme from a file is right on lines of every length up to 40,
    in words; empty if that was not tried. `is_scheme_wrong`: it is not, on some.
    """

    encoding: str
    family: str
    n: int | None
    instance: str
    variables: int | None
    clauses: int | None
    count: Count
    only_solutions: Direction
    every_solution: Direction
    relied_on: tuple[str, ...]
    wall_s: float
    note: str = ""
    has_failed: bool = False
    scheme: str = ""
    is_scheme_wrong: bool = False

    def __repr__(self) -> str:
        return f"<{self.name}: {self.result}>"

    @property
    def problem(self) -> str:
        """The title of the problem."""
        return title(self.family, self.n, self.instance)

    @property
    def name(self) -> str:
        """What it is about."""
        return f"{self.encoding} on {self.problem}"

    @property
    def result(self) -> Result:
        """`certified` if the count is right or both directions are proved, and nothing refuted."""
        if self.has_failed:
            return Result.NO_FORMULA
        statements = (self.count, self.only_solutions, self.every_solution)
        if any(statement.state is State.REFUTED for statement in statements):
            return Result.REFUTED
        every = State.PROVED in (self.count.state, self.every_solution.state)
        is_counted = self.count.state is State.PROVED and self.count.every_model
        only = is_counted or self.only_solutions.state is State.PROVED
        return Result.CERTIFIED if only and every else Result.OPEN

    @property
    def messages(self) -> dict[str, str]:
        """Why statements are refuted or open, by name."""
        every = self._statements.items()
        return {name: statement.message for name, statement in every if statement.message}

    @property
    def witness(self) -> Solution | None:
        """A placement that refutes it, if there is one."""
        name = self.shown_by_witness
        return None if name is None else self._statements[name].witness

    @property
    def shown_by_witness(self) -> str | None:
        """The name of the statement that `witness` refutes."""
        names = ("only solutions", "every solution", "count")
        return next((name for name in names if self._statements[name].witness is not None), None)

    @property
    def _statements(self) -> dict[str, Count | Direction]:
        return {
            "count": self.count,
            "only solutions": self.only_solutions,
            "every solution": self.every_solution,
        }
