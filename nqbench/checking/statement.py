"""What a family says of a problem besides its rules, as data."""

from dataclasses import dataclass
from typing import Final

import msgspec

from nqbench.checking.proof import NotCheckedError
from nqbench.common.limits import PatientLimits
from nqbench.common.vocabulary import CheckedBy, Outcome
from nqbench.isolate import Isolation
from nqbench.problems.base import Problem
from nqbench.problems.foreign import is_foreign

_LIMITS: Final = PatientLimits(time_s=10.0)


@dataclass(frozen=True, slots=True)
class Statement:
    """The fields are those of `Problem` with the same names; `title` is its text."""

    title: str
    has_rules: bool
    checked_by: CheckedBy
    satisfiable: bool | None
    num_solutions: int | None
    has_symmetries: bool

    def __str__(self) -> str:
        return self.title


def read_statement(problem: Problem, caller: Isolation) -> Statement:
    """Read what the family says. For a family of a plugin, a separate process does that. Raises
    `NotCheckedError` if it does not end well.
    """
    if not is_foreign(problem):
        return _statement_of(problem)
    ending = caller.call(
        "reading a problem", lambda: msgspec.msgpack.encode(_statement_of(problem)), _LIMITS
    )
    if ending.outcome is not Outcome.FINISHED:
        raise NotCheckedError(ending.message)
    try:
        return msgspec.msgpack.decode(ending.payload, type=Statement)
    except (msgspec.DecodeError, ValueError) as error:
        raise NotCheckedError(f"the family states something else: {error}") from error


def _statement_of(problem: Problem) -> Statement:
    return Statement(
        title=str(problem),
        has_rules=problem.has_rules,
        checked_by=problem.checked_by,
        satisfiable=problem.satisfiable,
        num_solutions=problem.num_solutions,
        has_symmetries=problem.has_symmetries,
    )
