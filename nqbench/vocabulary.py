"""The closed vocabularies, mostly those of a record. They never share a column: a run can finish
with a wrong answer, and a run killed at its limit has no answer at all.
"""

from enum import StrEnum
from typing import Final

COMBINATION: Final = "{} x {}"
"""The format of the name of a combination; see `combination`."""


def combination(encoding: str, backend: str) -> str:
    """The name of an encoding with a backend, as tables, plots and `--pair` spell it.

    >>> combination("pairwise", "minisat22")
    'pairwise x minisat22'
    """
    return COMBINATION.format(encoding, backend)


class Task(StrEnum):
    """What is asked of a solver."""

    FIRST = "first"
    ALL = "all"


class Form(StrEnum):
    """What kind of instance an encoding makes and a backend takes."""

    CNF = "cnf"
    CSP = "csp"
    PROBLEM = "problem"


class Outcome(StrEnum):
    """How a run ended, whatever it answered. `invalid`: its input file is not what it should be."""

    FINISHED = "finished"
    TIMEOUT = "timeout"
    MEMOUT = "memout"
    CRASHED = "crashed"
    SKIPPED = "skipped"
    UNAVAILABLE = "unavailable"
    INVALID = "invalid"


class Answer(StrEnum):
    """What a solver says of a formula."""

    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"


class Verdict(StrEnum):
    """What the check of an answer said."""

    VERIFIED = "verified"
    REFUTED = "refuted"
    UNCHECKED = "unchecked"


class CheckedBy(StrEnum):
    """What a verdict rests on."""

    BOARD = "board"
    CLAUSES = "clauses"
    PROOF = "proof"
    THEOREM = "theorem"
    ORACLE = "oracle"
    NONE = "none"
