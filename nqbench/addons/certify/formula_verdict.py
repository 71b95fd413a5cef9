"""What was shown about one formula: whether its models are the solutions of a problem."""

from dataclasses import dataclass
from enum import StrEnum

from nqbench.addons.certify.certificate import Result
from nqbench.measure.implication.steps import Direction, State
from nqbench.problems.base import Problem
from nqbench.problems.options import Solution


class Keep(StrEnum):
    """Which solutions have to have a model: all, one of each class of symmetric ones, or any one if
    there is one.
    """

    ALL = "all"
    SYMMETRIC = "symmetric"
    ONE = "one"


@dataclass(frozen=True, slots=True, repr=False)
class FormulaVerdict:
    """Whether a formula has the solutions of a problem.

    `only_solutions`: every model is a solution. `every_solution`: the solutions that `keep` asks
    for have a model. `kept`: the number of solutions with a model, of all `solutions`; None if they
    were not tried one by one. `hint`: what would make it right; `hint_lines` are comment lines for
    the file that say so. `notes`: what was accepted nevertheless, such as a wrong header.
    `relied_on`: what has to be right for this result to be right.
    """

    formula: str
    problem: Problem
    keep: Keep
    variables: int
    clauses: int
    only_solutions: Direction
    every_solution: Direction
    kept: int | None = None
    solutions: int | None = None
    hint: str = ""
    hint_lines: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    relied_on: tuple[str, ...] = ()
    wall_s: float = 0.0

    def __repr__(self) -> str:
        return f"<{self.formula} for {self.problem}: {self.result}>"

    @property
    def result(self) -> Result:
        """`certified` if both directions are shown, `refuted` if one is refuted."""
        states = {self.only_solutions.state, self.every_solution.state}
        if State.REFUTED in states:
            return Result.REFUTED
        return Result.CERTIFIED if states == {State.PROVED} else Result.OPEN

    @property
    def messages(self) -> dict[str, str]:
        """Why directions are refuted or open, by name."""
        directions = {"only solutions": self.only_solutions, "every solution": self.every_solution}
        return {name: one.message for name, one in directions.items() if one.message}

    @property
    def witness(self) -> Solution | None:
        """What the formula allows and should not, or else forbids and should not."""
        directions = (self.only_solutions, self.every_solution)
        return next((one.witness for one in directions if one.witness is not None), None)

    @property
    def drawing(self) -> str:
        """The witness as text; empty without one."""
        return "" if self.witness is None else self.problem.drawing(self.witness)
