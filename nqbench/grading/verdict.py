"""What is known about the formula of a submission for one n."""

from enum import StrEnum

import msgspec

from nqbench.grading.defaults import Keep
from nqbench.implication.direction import State
from nqbench.problems.queens import Square

Placement = tuple[Square, ...]


class Result(StrEnum):
    """What is known about a formula. `open`: a limit was reached. `no formula`: there is none."""

    CERTIFIED = "certified"
    REFUTED = "refuted"
    OPEN = "open"
    NO_FORMULA = "no formula"


class Formula(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was written for one n: the `digest` of the text, empty if there is none, for the reason
    in `flaw`; `notes` on what is odd about it; and the seconds that it took.
    """

    digest: str = ""
    flaw: str = ""
    notes: tuple[str, ...] = ()
    encode_s: float = 0.0


class Verdict(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is known about a formula and the rules, whatever has to be kept.

    `allowed` is a placement that the formula allows and the rules forbid, `lost` a solution that
    the formula forbids. `remains`: whether some solution remains, if that is known. `solutions` is
    their number, if they were counted. `reason` says what is wrong or missing, and `hint` what may
    be the cause.
    """

    variables: int | None = None
    clauses: int | None = None
    only_solutions: State = State.OPEN
    every_solution: State = State.OPEN
    remains: bool | None = None
    solutions: int | None = None
    allowed: Placement | None = None
    lost: Placement | None = None
    reason: str = ""
    hint: str = ""
    notes: tuple[str, ...] = ()
    judge_s: float = 0.0

    def result(self, keep: Keep) -> Result:
        """Whether the formula is right, if so many solutions have to remain."""
        states = [self.only_solutions]
        if keep is Keep.ALL:
            states.append(self.every_solution)
        elif self.every_solution is not State.PROVED:
            some = {None: State.OPEN, True: State.PROVED, False: State.REFUTED}
            states.append(some[self.remains])
        if State.REFUTED in states:
            return Result.REFUTED
        return Result.OPEN if State.OPEN in states else Result.CERTIFIED


class Graded(msgspec.Struct, frozen=True):
    """One submission at one n. `verdict` is None if there is no formula."""

    submission: str
    n: int
    formula: Formula
    verdict: Verdict | None = None

    def result(self, keep: Keep) -> Result:
        """What is known about it."""
        return self.verdict.result(keep) if self.verdict else Result.NO_FORMULA

    def witness(self, keep: Keep) -> tuple[Placement, bool] | None:
        """The board that refutes it, and whether the formula allows it; None if it is not refuted
        or there is no such board.
        """
        if self.verdict is None or self.result(keep) is not Result.REFUTED:
            return None
        if self.verdict.allowed is not None:
            return self.verdict.allowed, True
        return None if self.verdict.lost is None else (self.verdict.lost, False)

    def reason(self, keep: Keep) -> str:
        """Why it is not certified, in words without a full stop; empty if it is."""
        result = self.result(keep)
        if self.verdict is None:
            return self.formula.flaw
        if result is Result.CERTIFIED:
            return ""
        hint = f"; {self.verdict.hint}" if self.verdict.hint else ""
        if witness := self.witness(keep):
            how = "allows a board that is no solution" if witness[1] else "forbids a solution"
            return f"the formula {how}{hint}"
        return f"{self.verdict.reason}{hint}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What is odd about the formula, though it may be right."""
        return (*self.formula.notes, *(self.verdict.notes if self.verdict else ()))
