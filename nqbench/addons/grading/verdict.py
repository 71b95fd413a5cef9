"""What is known about the formula of a submission for one n."""

from enum import StrEnum
from typing import Self

import msgspec

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
    in `flaw`, which may be that the submission `reached_limit`; `notes` on what is odd about it;
    and the seconds that it took.
    """

    digest: str = ""
    flaw: str = ""
    reached_limit: bool = False
    notes: tuple[str, ...] = ()
    encode_s: float = 0.0


class Verdict(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is known about a formula and the rules.

    `board` refutes it: a placement that it allows and should not, if `is_allowed`, or forbids and
    should not. `kept` is the number of solutions with a model, of all `solutions`, if they were
    tried. `reason` says what is wrong or missing, and `hint` what would make it right; `hint_lines`
    are comment lines for the file that would.
    """

    result: Result
    variables: int | None = None
    clauses: int | None = None
    kept: int | None = None
    solutions: int | None = None
    board: Placement | None = None
    is_allowed: bool = False
    reason: str = ""
    hint: str = ""
    hint_lines: tuple[str, ...] = ()
    judge_s: float = 0.0


class Graded(msgspec.Struct, frozen=True):
    """One submission at one n. `verdict` is None if there is no formula."""

    submission: str
    n: int
    formula: Formula
    verdict: Verdict | None = None

    def unnamed(self, number: str) -> Self:
        """The same under a number, without texts that may come from the submission."""
        formula = msgspec.structs.replace(self.formula, flaw="", notes=())
        verdict = self.verdict
        if verdict is not None and verdict.board is None:
            verdict = msgspec.structs.replace(verdict, reason="")
        return type(self)(number, self.n, formula, verdict)

    @property
    def result(self) -> Result:
        """What is known about it."""
        return self.verdict.result if self.verdict else Result.NO_FORMULA

    @property
    def board(self) -> Placement | None:
        """The board that refutes it, if there is one."""
        return self.verdict.board if self.verdict else None

    @property
    def flaw(self) -> str:
        """Why it is not certified, in words without a full stop; empty if it is."""
        return self.formula.flaw if self.verdict is None else self.verdict.reason

    @property
    def reason(self) -> str:
        """The same with what would make it right."""
        hint = self.verdict.hint if self.verdict else ""
        return "; ".join(filter(None, [self.flaw, hint]))
